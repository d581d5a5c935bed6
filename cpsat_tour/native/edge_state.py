"""The state of an edge search (`cpsat_tour.native.edge_kernel`) as it begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import row_starts
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Naturals
from cpsat_tour.native.edge_kernel import COUNTERS, FINISHED, PHASE, TOOK, EdgeState

SLICE_WORK = 2_000_000  # vertices looked at between two heartbeats, at most: some hundredths of a second

APART = 128  # bytes from one array to the next: a cache line, and the one that is fetched along with it


def finished(state: EdgeState) -> bool:
    """Return True if the search is complete."""
    return bool(state.counters[PHASE] == FINISHED)


def new_edge_state(cycle: CycleProblem, numbering: NDArray[np.integer] | None = None) -> EdgeState:
    """Return an unstarted search on the vertices renumbered by ``numbering``, a permutation; it takes the required
    edges first."""
    order, size = cycle.order, cycle.size
    ends: NDArray[np.integer] = np.stack([cycle.tails, cycle.heads], axis=1)
    if numbering is not None:
        ends = numbering[ends]
    edges = np.tile(np.arange(size, dtype=np.uint32), 2)
    tails, heads = ends.T.ravel(), ends[:, ::-1].T.ravel()
    place = np.lexsort((heads, tails))
    degrees = np.bincount(tails, minlength=order)
    given = np.flatnonzero(cycle.required).astype(np.uint32) | TOOK

    # For each edge the next one of its orbit, after the last the first; empty if no symmetry is asked for.
    following = np.arange(size if cycle.orbits is not None else 0)
    if cycle.orbits is not None:
        earlier, later = cycle.tied_pairs.T
        firsts, lasts = (np.setdiff1d(following, ends) for ends in (later, earlier))
        following[earlier] = later
        following[lasts[np.argsort(cycle.orbits[lasts])]] = firsts[np.argsort(cycle.orbits[firsts])]
    arrays = {
        "first": row_starts(degrees),
        "heads": heads[place],
        "edges": edges[place],
        "ends": ends,
        "used": np.zeros(order),
        "left": degrees,
        "mate": np.arange(order),
        "link": np.zeros(order),
        "trail": np.zeros(size),
        "forced": np.zeros(order + size),
        "given": given,
        "decisions": np.zeros(order),
        "marks": np.zeros(order),
        "following": following,
        "counters": np.zeros(COUNTERS),
    }
    naturals = {name: array.astype(np.uint32) for name, array in arrays.items()}
    return EdgeState(**_on_own_cache_lines(state=np.zeros(size, dtype=np.uint8), **naturals))


def fresh_copy(state: EdgeState, decided: Naturals) -> EdgeState:
    """Return a copy of an unstarted search with more edges decided, taken if they have the flag `TOOK`, else dropped;
    read-only arrays are shared."""
    given = np.concatenate([state.given, decided])
    changed = ("state", "used", "left", "mate", "link", "trail", "forced", "decisions", "marks", "counters")
    return state._replace(given=given, **_on_own_cache_lines(**{field: getattr(state, field) for field in changed}))


def _on_own_cache_lines(**arrays: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return copies of the arrays that share no cache line with other data: threads that write to one line wait for
    each other."""
    places = np.cumsum([0, *(-(-array.nbytes // APART) * APART for array in arrays.values())])
    block = np.empty(APART + places[-1], dtype=np.uint8)
    block = block[-block.ctypes.data % APART :]
    copies = {}
    for (field, array), place in zip(arrays.items(), places, strict=False):
        copies[field] = block[place : place + array.nbytes].view(array.dtype).reshape(array.shape)
        copies[field][...] = array
    return copies
