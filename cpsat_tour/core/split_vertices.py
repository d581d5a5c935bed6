"""A directed problem as an undirected one, and the way back (Karp 1972).

Every vertex v becomes an in-vertex 2v and an out-vertex 2v+1, joined by a required edge; an arc (u, v) becomes the edge
{out u, in v}. Directed Hamiltonian cycles and undirected ones that use all required edges correspond one to one. An
open tour is a directed cycle through an apex, which arcs join to every other vertex both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.space import Ints, Named
from cpsat_tour.core.verify import cycles_rotated_to, reversed_cycles


def undirected(problem: Problem) -> Problem:
    """Return the problem, or if it is directed the undirected one on split vertices, which has as many tours."""
    return SplitVertices(problem).problem if problem.graph.directed else problem


NAMES_OF_SPLIT = "with a→ for leaving a, →a for entering it and a required move between the two"


@dataclass(frozen=True, eq=False)
class SplitVertices:
    """The undirected ``problem`` for a directed ``source`` without givens; the apex of an open one comes last."""

    source: Problem

    @cached_property
    def problem(self) -> Problem:
        """The undirected problem on split vertices: a closed tour that makes the required moves.

        If the graph lacks the closing move that is asked, this problem lacks it too: see `decide_degenerate`.
        """
        source, order = self.source, self.source.graph.order
        arcs, require = np.stack(source.graph.edges(), axis=1), list(source.require)
        if not source.closed:
            to_all = np.stack([np.full(order, order), np.arange(order)], axis=1)
            arcs = np.concatenate([arcs, to_all, to_all[:, ::-1]])
            require += [] if source.start is None else [(order, source.start)]
            require += [] if source.end is None else [(source.end, order)]
        elif source.start is not None and source.end is not None and source.graph.has_arc(source.end, source.start):
            require.append((source.end, source.start))
        own = 2 * np.arange(order + (not source.closed))[:, None] + np.array([0, 1])
        space = Named(self._names, "the split vertices of a directed graph")
        graph = Graph.from_edges(2 * len(own), np.concatenate([own, _edges_for(arcs)]), space=space)
        return Problem(
            graph,
            True,
            require=_as_moves(np.concatenate([own, _edges_for(require)])),
            forbid=_as_moves(_edges_for(source.forbid)),
        )

    @cached_property
    def _names(self) -> list[str]:
        """The names of the split vertices, ``→a`` and ``a→``, by the number of the vertex if names would be the same;
        those of the apex are ``end→`` and ``→start``."""
        order = self.source.graph.order
        for called in (self.source.graph.name, str):
            names = [name for vertex in map(called, range(order)) for name in (f"→{vertex}", f"{vertex}→")]
            names += [] if self.source.closed else ["end→", "→start"]
            if len(set(names)) == len(names):
                break
        return names

    @property
    def source_vertices(self) -> list[int]:
        """The source's vertex for each split vertex; -1 for the apex."""
        apex = [] if self.source.closed else [-1, -1]
        return [vertex for vertex in range(self.source.graph.order) for _ in range(2)] + apex

    def tours(self, cycles: Ints) -> Ints:
        """Return the tours of the directed problem for cycles of the undirected one, a row each; wrong cycles give
        wrong tours."""
        root = (self.source.start or 0) if self.source.closed else self.source.graph.order
        forth = cycles_rotated_to(cycles, 2 * root)
        forth = np.where((forth[:, 1] == 2 * root + 1)[:, None], forth, reversed_cycles(forth))
        return forth[:, (0 if self.source.closed else 2) :: 2] // 2

    def refutation_of_source(self, refutation: Refutation) -> Refutation:
        """Return the refutation of the directed problem for one of the undirected problem; its reason explains the
        names of split vertices."""
        if refutation.certificate is not None:
            of_arcs: Refutation = refutation.certificate.about(self.source).refutation
            return of_arcs
        meaning = f"{self.meaning}: " if "→" in refutation.reason else ""
        return replace(refutation, reason=f"{meaning}{refutation.reason}")

    @property
    def meaning(self) -> str:
        """The explanation of the names of split vertices."""
        graph = self.source.graph
        numbered = graph.order > 0 and self._names[0] != f"→{graph.name(0)}"
        closed = "" if self.source.closed else ", and the tour closed from end→ to →start"
        return f"{NAMES_OF_SPLIT}{', by the numbers of the vertices from 0' * numbered}{closed}"


def _edges_for(arcs: Sequence[Move] | Ints) -> NDArray[np.int64]:
    """Return the edges for arcs, a row each, from the out-vertex to the in-vertex."""
    return np.asarray(2 * np.array(arcs, dtype=np.int64).reshape(-1, 2) + np.array([1, 0]))


def _as_moves(edges: NDArray[np.int64]) -> tuple[Move, ...]:
    """Return the edges, a row each, as moves."""
    return tuple(map(tuple, edges.tolist()))
