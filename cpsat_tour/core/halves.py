"""From a directed problem to an undirected one, and the way back: every vertex falls into two halves, one entered and one left.

The halves are joined by an edge that is required, and an arc becomes the edge from the half that is left to the half that is entered, so that
directed tours and undirected ones stand for each other, one for one (Karp 1972, who has a vertex between the halves): an open tour begins
where its first vertex is entered, and ends where its last is left. So whoever takes undirected problems takes directed ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Answer, Refutation
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import HamiltonProblem, Move
from cpsat_tour.core.space import Named
from cpsat_tour.core.turning import cycles_backwards, from_vertex


def undirected(problem: HamiltonProblem) -> HamiltonProblem:
    """The problem or, of one that is directed, that on its halves: it has as many tours."""
    return Halves(problem).problem if problem.graph.directed else problem


IN_HALVES = "with a→ for leaving a, →a for entering it and a required move between the two"


@dataclass(frozen=True, eq=False)
class Halves:
    """The halves of the vertices of a directed problem without givens: of its vertex ``v``, ``2 v`` is entered and ``2 v + 1`` left."""

    source: HamiltonProblem

    @cached_property
    def problem(self) -> HamiltonProblem:
        """The undirected problem on the halves: a tour that makes the required moves."""
        source, order = self.source, self.source.graph.order
        own = 2 * np.arange(order)[:, None] + np.array([0, 1])
        arcs = _edges_for(np.stack(source.graph.edges(), axis=1))
        names = [name for vertex in map(source.graph.name, range(order)) for name in (f"→{vertex}", f"{vertex}→")]
        space = Named(names, "the halves of a directed graph") if len(set(names)) == len(names) else None
        start, end = (None if vertex is None else 2 * vertex for vertex in (source.start, source.end))
        if end is not None and not (source.closed and start == end):  # no arc leads from a vertex to itself, but an edge joins its halves
            end += 1
        return HamiltonProblem(
            Graph.from_edges(2 * order, np.concatenate([own, arcs]), space=space),
            source.closed,
            start,
            end,
            require=_moves(np.concatenate([own, _edges_for(source.require)])),
            forbid=_moves(_edges_for(source.forbid)),
        )

    @property
    def vertices(self) -> list[int]:
        """For each half the vertex that it is of."""
        return [vertex for vertex in range(self.source.graph.order) for _ in range(2)]

    def tours(self, found: Ints) -> Ints:
        """The tours of the directed problem that those of the halves stand for, a row each; wrong ones stand for wrong ones."""
        if self.source.closed:
            forth = from_vertex(found, 2 * (self.source.start or 0))
            forth = np.where((forth[:, 1] == forth[:, 0] + 1)[:, None], forth, cycles_backwards(forth))
        else:
            forth = np.where((found[:, 0] % 2 == 0)[:, None], found, found[:, ::-1])
        return forth[:, ::2] // 2

    def why(self, refutation: Refutation) -> Refutation:
        """Why there is no tour of the directed problem, where there is none of the undirected one."""
        if refutation.certificate is not None:
            return refutation.certificate.about(self.source).refutation
        if "→" not in refutation.reason and refutation.kind not in ("lp", "pb", "clausal", "claimed"):
            return refutation
        return replace(refutation, reason=f"{IN_HALVES}: {refutation.reason}")

    def told(self, answer: Answer) -> Answer:
        """The answer to the directed problem that one to the undirected problem is."""
        if answer.tour is not None:
            return Answer.found(self.source, self.tours(answer.tour.vertices[None, :])[0], answer.work)
        return answer if answer.refutation is None else replace(answer, refutation=self.why(answer.refutation))


def _edges_for(arcs: Sequence[Move] | Ints) -> NDArray[np.int64]:
    """The edges that stand for arcs, a row each, from the half that is left to the half that is entered."""
    edges: NDArray[np.int64] = 2 * np.array(arcs, dtype=np.int64).reshape(-1, 2) + np.array([1, 0])
    return edges


def _moves(edges: NDArray[np.int64]) -> tuple[Move, ...]:
    return tuple(map(tuple, edges.tolist()))
