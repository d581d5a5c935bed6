"""From a problem to paths from a root to a permitted end, which is all that the kernel searches.

A closed tour through a root is a path from it to a vertex with an arc back. Required arcs of a directed graph rule
other arcs out: those that leave the same tail or enter the same head. A vertex with two required edges loses its
others; one with a single required edge *must* go on over it unless the path came over it. At the root of a closed tour,
which may be left and returned to over either of its required edges, the tour is read so that it returns over the first.
An open tour with only its end fixed is sought backwards from there. With givens a closed tour is sought from the given
of the least number, and each depth of the path has only the vertices that may have its number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Flags, Ints
from cpsat_tour.core.timetable import timetable


@dataclass(frozen=True, eq=False)
class RootedProblem:
    """The Hamiltonian paths of ``graph`` from ``root`` to a vertex in ``may_end``; if ``must[v] >= 0``, that vertex
    follows v or came before it.

    ``reversible`` says that each closed tour is met in both directions. With givens ``possible`` flags the vertices at
    each depth of the path; else it is empty. With waypoints ``before`` has for each the one before, -1 for none.
    """

    graph: Graph
    root: int
    may_end: Flags
    must: Ints
    reversible: bool
    possible: Flags
    before: Ints


class Roots:
    """The roots from which a problem on three or more vertices is searched.

    A closed problem is settled by any one root, an open one only by all of them. With ``colours`` the roots and ends
    are those that alternating colours allow, if the graph is bipartite; with ``as_numbered`` they are tried by number.
    """

    def __init__(self, problem: Problem, *, colours: bool = False, as_numbered: bool = False) -> None:
        self.backwards = not (problem.closed or problem.timed) and problem.start is None and problem.end is not None
        if self.backwards:
            require, forbid = (tuple(move[::-1] for move in moves) for moves in (problem.require, problem.forbid))
            problem = Problem(problem.graph.reversed, False, problem.end, None, require, forbid)
        self.problem = problem
        self._colours = self.problem.graph.colours if colours else None
        self._as_numbered = as_numbered
        self.graph, self._required, self._may_fit = _enforce_conditions(self.problem)

    @property
    def each_way(self) -> bool:
        """True if each open tour is met from both of its ends."""
        return not (self.problem.closed or self.graph.directed or self.problem.start is not None or self.problem.timed)

    @cached_property
    def vertices(self) -> Ints:
        """The possible roots, by number or else those with the fewest neighbours first, since a corner leaves the
        search the least choice; none if the required edges can't be met."""
        if not self._may_fit:
            return np.zeros(0, dtype=np.int32)
        order, closed = self.graph.order, self.problem.closed
        allowed = closed | self._free_ends[0]
        if self._colours is not None:  # the colours of a path alternate, so that its first vertex says how many of each
            ones = int(self._colours.sum())
            fits = np.array([order - ones, ones]) == (order + 1) // 2
            allowed &= fits[self._colours] & (not (closed and order % 2))
        if self.problem.givens:
            allowed &= self._possible_by_depth[0]
        if self.problem.start is not None:
            return np.array([self.problem.start], dtype=np.int32)[allowed[[self.problem.start]]]
        candidates = np.flatnonzero(allowed).astype(np.int32)
        by_degree = candidates[np.argsort(self.graph.degrees[candidates], kind="stable")]
        return candidates if self._as_numbered else by_degree

    def rooted_problem(self, root: int) -> RootedProblem:
        """Return the problem of the paths from one root, with where they may end and which moves they must make."""
        problem, graph = self.problem, self.graph
        must = np.full(graph.order, -1, dtype=np.int32)
        for vertex, partners in self._required.items():
            if len(partners) == 1:
                must[vertex] = partners[0]
        may_end = np.zeros(graph.order, dtype=np.bool_)
        reversible = False
        if not problem.closed:
            may_end[:] = self._free_ends[1]
        else:
            may_end[graph.reversed.neighbours(root)] = True
            partners = [] if problem.timed else self._required.get(root, [])
            if problem.end is None and partners and not graph.directed:
                may_end[:] = np.arange(graph.order) == partners[0]
                partners = partners[1:]
            reversible = not (graph.directed or problem.timed) and problem.end is None and not self._required.get(root)
            onward = [partner for partner in partners if partner != problem.end]
            must[root] = onward[0] if onward else -1
            may_end &= len(onward) < 2
        if problem.end is not None:
            may_end &= np.arange(graph.order) == problem.end
        may_end[root] = False
        if self._colours is not None:
            may_end &= (self._colours == self._colours[root]) == bool(graph.order % 2)
        possible = np.zeros((0, 0), dtype=np.bool_)
        first_or_last = self._required.get(root, []) if problem.closed else []
        if problem.givens or (problem.waypoints and first_or_last):
            possible = self._possible_by_depth.copy()
            possible[2:-1, first_or_last] = False  # the required moves at the root of a closed tour
        before = np.full(graph.order if problem.waypoints else 0, -1, dtype=np.int32)
        before[[*problem.waypoints[1:]]] = problem.waypoints[:-1]
        return RootedProblem(graph, root, may_end, must, reversible, possible, before)

    def tours_of(self, paths: NDArray[np.uint32]) -> Ints:
        """Return the tours that found paths (a row each) stand for: reversed if the search ran backwards from the end,
        rotated to visit number 1 if a closed tour was sought from a given."""
        tours = paths.astype(np.int32)
        if self.problem.givens and self.problem.closed:
            return np.roll(tours, self.problem.givens[0][1] - 1, axis=1)
        return tours[:, ::-1] if self.backwards else tours

    @cached_property
    def _possible_by_depth(self) -> Flags:
        """For problems with givens or waypoints, a row for each depth of the path with a flag for each vertex possible
        there."""
        if not self.problem.givens:
            return np.ones((self.graph.order, self.graph.order), dtype=np.bool_)
        possible = timetable(self.problem).possible
        return np.roll(possible, 1 - self.problem.givens[0][1], axis=0) if self.problem.closed else possible

    @cached_property
    def _free_ends(self) -> tuple[Flags, Flags]:
        """Two arrays with a flag for each vertex, True if required edges leave it free to begin an open tour, and to
        end it."""
        may_begin, may_end = np.ones((2, self.graph.order), dtype=np.bool_)
        if self.graph.directed:
            may_begin[[head for _, head in self.problem.require]] = False
            may_end[[tail for tail, _ in self.problem.require]] = False
        else:
            taken = [vertex for vertex, partners in self._required.items() if len(partners) == 2]
            may_begin[taken] = may_end[taken] = False
        return may_begin, may_end


def _enforce_conditions(problem: Problem) -> tuple[Graph, dict[int, list[int]], bool]:
    """Return the graph less the edges that are forbidden or ruled out by required ones; for an undirected graph the
    required neighbours of each vertex that has any; and False if a vertex has too many, or a required edge is absent.

    True does not promise that the required edges fit into a tour.
    """
    graph = problem.graph.without(problem.forbid)
    required: dict[int, list[int]] = {}
    if not problem.require:
        return graph, required, True
    tails, heads = (np.array(ends, dtype=np.int32) for ends in zip(*problem.require, strict=True))
    keys = tails.astype(np.int64) * graph.order + heads
    arcs_tails, arcs_heads = graph.edges()
    spare = ~np.isin(arcs_tails.astype(np.int64) * graph.order + arcs_heads, keys)
    if graph.directed:
        may_fit = len(set(tails.tolist())) == len(tails) == len(set(heads.tolist()))
        spare &= np.isin(arcs_tails, tails) | np.isin(arcs_heads, heads)
    else:
        for tail, head in problem.require:
            required.setdefault(tail, []).append(head)
            required.setdefault(head, []).append(tail)
        may_fit = all(len(partners) <= 2 for partners in required.values())
        full = [vertex for vertex, partners in required.items() if len(partners) == 2]
        spare &= np.isin(arcs_tails, full) | np.isin(arcs_heads, full)
    graph = graph.without(zip(arcs_tails[spare].tolist(), arcs_heads[spare].tolist(), strict=True))
    return graph, required, may_fit and all(graph.has_arc(*move) for move in problem.require)
