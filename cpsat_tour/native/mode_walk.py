"""A random walk over the modes of gadgets, towards covers by disjoint cycles.

The ports that edges between gadgets join, one way and another, are a *block*. Each gadget has one mode at a time, and
chooses the two ports of it. A block lacks the chosen ports that no matching of its edges covers; where no block lacks
any, the modes are a *cover*: disjoint cycles through all gadgets.

In peals of bells a block is a hexagon, and a SAT solver finds no cover of 140 gadgets in minutes. Covers are regular
patterns there, as crystals are, which form below a certain temperature and melt above it. So the walk is that of a
physical system (Metropolis et al. 1953) just below that temperature: a mode is drawn, and the change to it made if no
more ports lack then, else with the probability of its temperature. Where few ports lack, most of the pattern has
formed, and `models.gadgets` lets a solver look for the rest.

Limits: it never refutes. Blocks of more than `MAX_PORTS` ports have no table: where ports have edges at random the
blocks are large, and a SAT solver is quick. Cost: some 30 nanoseconds a mode drawn.
"""

from __future__ import annotations

from itertools import permutations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph, row_starts
from cpsat_tour.core.kernels import Record, kernel, random_state
from cpsat_tour.core.space import Flags, Floats, Longs
from cpsat_tour.presolve.gadgets import Gadgets

MAX_PORTS = 8
"""The most ports of a block, of whose subsets there is a table."""

TEMPERATURE = 0.39
"""The temperature, in ports that lack; hexagons of peals melt at about 0.45."""

LEAST, MOST, FEW = 30_000, 300_000, 12
"""The modes that are drawn from one pattern to the next, and how few ports lack of one, if that is come to."""

FARTHEST = 4
"""A change of one mode takes two ports out and puts two in, so at most this many ports more lack."""


class ModeWalk(Record):
    """A walk over the modes of gadgets, as `modes.c` describes it: what it walks on and, last, where it is."""

    gadgets: int
    mode_count: int
    port_count: int
    blocks: int
    subsets: int
    modes: Annotated[Longs, "2*mode_count"]
    home: Annotated[Longs, "mode_count"]
    apart: Annotated[Flags, "gadgets"]
    block: Annotated[Longs, "port_count"]
    bit: Annotated[Longs, "port_count"]
    starts: Annotated[Longs, "blocks+1"]
    ports: Annotated[Longs, "port_count"]
    kind: Annotated[Longs, "blocks"]
    lacking: Longs
    probability: Annotated[Floats, "5"]
    chosen: Annotated[Longs, "gadgets"]
    mask: Annotated[Longs, "blocks"]
    more: Annotated[Longs, "port_count"]
    random: Annotated[NDArray[np.uint64], "1"]
    first: Annotated[Longs, "gadgets+1"]
    gadget: Annotated[Longs, "port_count"]


def new_walk(gadgets: Gadgets) -> ModeWalk | None:
    """Return a walk that has not begun; None if a block has too many ports."""
    names, modes = np.unique(gadgets.modes, return_inverse=True)
    links = np.searchsorted(names, gadgets.arcs[np.isin(gadgets.arcs, names).all(axis=1)])
    block = Graph.from_edges(len(names), links).components.astype(np.int64)
    sizes = np.bincount(block)
    if sizes.max() > MAX_PORTS:
        return None
    starts = row_starts(sizes).astype(np.int64)
    ports = np.lexsort([~np.isin(np.arange(len(names)), links[:, 0]), block])  # those that are left come first
    place = np.empty_like(block)
    place[ports] = np.arange(len(names)) - starts[block[ports]]
    edges: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for leave, enter in links.tolist():
        edges[block[leave]].append((int(place[leave]), int(place[enter])))
    kinds = dict[tuple[tuple[int, int], ...], int]()
    kind = np.array([kinds.setdefault(tuple(sorted(each)), len(kinds)) for each in edges])
    home, gadget = (gadgets.gadget[each].astype(np.int64) for each in (gadgets.modes[:, 0], names))
    return ModeWalk(
        gadgets=gadgets.count,
        mode_count=len(gadgets.modes),
        port_count=len(names),
        blocks=len(sizes),
        subsets=1 << MAX_PORTS,
        modes=np.ascontiguousarray(modes.reshape(-1, 2)),
        home=home,
        first=row_starts(np.bincount(home)).astype(np.int64),
        apart=np.bincount(gadget) == np.bincount(np.unique(np.stack([gadget, block]), axis=1)[0]),
        gadget=gadget,
        block=block,
        bit=1 << place,
        starts=starts,
        ports=ports,
        kind=kind,
        lacking=np.array([_lacking_of_each_subset(frozenset(each)) for each in kinds]),
        probability=np.exp(-np.arange(FARTHEST + 1) / TEMPERATURE),
        chosen=np.zeros(gadgets.count, dtype=np.int64),
        mask=np.zeros(len(sizes), dtype=np.int64),
        more=np.zeros(len(names), dtype=np.int64),
        random=np.ones(1, dtype=np.uint64),
    )


def _lacking_of_each_subset(edges: frozenset[tuple[int, int]]) -> Longs:
    """Return for each set of ports of a block how many no matching by these edges covers; the ports are bits."""
    lacking = np.zeros(1 << MAX_PORTS, dtype=np.int64)
    leaves = {leave for leave, _ in edges}
    for mask in range(1, 1 << MAX_PORTS):
        bits = [bit for bit in range(MAX_PORTS) if mask >> bit & 1]
        left, entered = [bit for bit in bits if bit in leaves], [bit for bit in bits if bit not in leaves]
        every = permutations(entered) if len(left) == len(entered) else ()
        if not any(edges.issuperset(zip(left, each, strict=True)) for each in every):
            lacking[mask] = 1 + min(lacking[mask ^ (1 << bit)] for bit in bits)
    return lacking


def begin(w: ModeWalk, seed: int) -> None:
    """Draw a mode for each gadget and write them into the walk, which begins there, or begins anew."""
    w.chosen[:] = np.random.default_rng(seed).integers(w.first[:-1], w.first[1:])
    ports = w.modes[w.chosen].ravel()
    w.mask[:] = 0
    np.bitwise_or.at(w.mask, w.block[ports], w.bit[ports])
    kind, mask = w.kind[w.block], w.mask[w.block]
    w.more[:] = w.lacking[kind, mask ^ w.bit] - w.lacking[kind, mask]


def lacking_gadgets(w: ModeWalk) -> Longs:
    """Return the gadgets, in ascending order, at blocks in which no matching covers all chosen ports."""
    return np.unique(w.gadget[(w.lacking[w.kind, w.mask] > 0)[w.block]])


def walk(w: ModeWalk, seed: int) -> int:
    """Go on with the walk; return how many modes it drew: `LEAST`, then up to `MOST` until at most `FEW` ports lack."""
    w.random[:] = random_state(seed)
    return modes_walk(w, LEAST, MOST, FEW)


@kernel
def modes_walk(walk: ModeWalk, least: int, most: int, few: int) -> int:
    """Go on with the walk; return how many modes it drew: ``least``, then up to ``most`` until at most ``few`` lack."""


@kernel
def modes_fault(walk: ModeWalk) -> int:
    """Return the number of a broken sentence of the invariant, or 0."""
