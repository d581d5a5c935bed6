"""Cut sets of the cycles of a 2-factor: what a cycle shorter than a tour violates.

Every Hamiltonian cycle uses at least two edges of each cut set δ(S); as all degrees are two, one edge is as good as
two, and a cut set is one clause (Dantzig, Fulkerson & Johnson 1954 for the inequality; lazily in SAT: Ohashi et al.
2025).
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints


def cut_sets(graph: CycleProblem, cycles: list[Ints]) -> list[Ints]:
    """Return the cut set of each cycle of a 2-factor, an array of the edges that leave it; two cycles have one between
    them, which is given once.

    The time is linear in the edges (and a sort of those that leave a cycle).
    """
    label = np.empty(graph.order, dtype=np.int32)
    label[np.concatenate(cycles)] = np.repeat(np.arange(len(cycles), dtype=np.int32), [len(cycle) for cycle in cycles])
    tails, heads = label[graph.tails], label[graph.heads]
    leaving = np.flatnonzero(tails != heads).astype(np.int32)
    ends = np.concatenate([tails[leaving], heads[leaving]])
    edges = np.tile(leaving, 2)[np.argsort(ends, kind="stable")]
    cuts = np.split(edges, np.cumsum(np.bincount(ends, minlength=len(cycles)))[:-1])
    return cuts[:1] if len(cycles) == 2 else cuts


def cut_set(problem: CycleProblem, vertices: list[int]) -> Ints:
    """Return the edges with exactly one end among the vertices, in time linear in the degrees of these vertices."""
    indptr, incident = problem.incidence
    inside = np.array(vertices)
    starts = indptr[inside].astype(np.int64)
    counts = indptr[inside + 1] - starts
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    edges = np.sort(incident[np.repeat(starts, counts) + offsets])
    # An edge within the set was listed from both ends, an edge that leaves it once.
    twice = edges[1:] == edges[:-1]
    lonely = np.ones(len(edges), dtype=bool)
    lonely[1:] &= ~twice
    lonely[:-1] &= ~twice
    return edges[lonely]
