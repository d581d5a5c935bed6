"""From a directed problem to an undirected one, and the way back: every vertex falls into two halves, one entered and one left.

The halves are joined by an edge that is required, and an arc becomes the edge from the half that is left to the half that is entered, so that
directed cycles and undirected ones stand for each other, one for one (Karp 1972, who has a vertex between the halves). An open tour is a
directed cycle through the apex, which has halves like any other vertex. So whoever takes undirected problems takes directed ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cpsat_tour.core.answer import Answer, Refutation
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.space import Named
from cpsat_tour.core.turning import cycles_backwards, from_vertex


def undirected(problem: HamiltonProblem) -> HamiltonProblem:
    """The problem or, of one that is directed, that on its halves: it has as many tours."""
    return Halves.of(problem).problem if problem.graph.directed else problem


IN_HALVES = "with a→ for leaving a, →a for entering it and a required move between the two"


@dataclass(frozen=True, eq=False)
class Halves:
    """The halves of a directed cycle problem, ``whole``: of its vertex ``v``, ``2 v`` is entered and ``2 v + 1`` left."""

    whole: CycleProblem

    @classmethod
    def of(cls, problem: HamiltonProblem) -> Halves:
        """Those of a directed problem that `decide_degenerate` leaves open, without givens."""
        return cls(to_cycle(problem))

    @cached_property
    def problem(self) -> HamiltonProblem:
        """The undirected problem on the halves: a closed tour that makes the required moves."""
        whole, entered = self.whole, 2 * np.arange(self.whole.order)
        own = np.stack([entered, entered + 1], axis=1)
        arcs = np.stack([2 * whole.tails.astype(np.int64) + 1, 2 * whole.heads], axis=1)
        names = [name for vertex in range(whole.order) for name in self._names(vertex)]
        space = Named(names, "the halves of a directed graph") if len(set(names)) == len(names) else None
        graph = Graph.from_edges(2 * whole.order, np.concatenate([own, arcs]), space=space)
        return HamiltonProblem(graph, True, require=tuple(map(tuple, np.concatenate([own, arcs[whole.required]]).tolist())))

    def _names(self, vertex: int) -> tuple[str, str]:
        """What the halves of a vertex are called; an open tour is closed by way of the apex, from its end to its start."""
        name = self.whole.name(vertex)
        return ("end→", "→start") if vertex == self.whole.apex else (f"→{name}", f"{name}→")

    @property
    def vertices(self) -> list[int]:
        """For each half the vertex that it is of."""
        return (np.arange(2 * self.whole.order) // 2).tolist()

    def tours(self, cycles: Ints) -> Ints:
        """The tours of the directed problem that cycles of the halves stand for, a row each; wrong cycles give wrong tours."""
        forth = from_vertex(cycles, 0)
        forth = np.where((forth[:, 1] == 1)[:, None], forth, cycles_backwards(forth))
        return self.whole.tours(forth[:, ::2] // 2)

    def why(self, refutation: Refutation) -> Refutation:
        """Why there is no tour of the directed problem, where there is none of the undirected one."""
        if "→" not in refutation.reason and refutation.kind not in ("lp", "pb", "clausal", "claimed"):
            return refutation
        closed = "" if self.whole.apex is None else ", and the tour closed from end→ to →start"
        return replace(refutation, reason=f"{IN_HALVES}{closed}: {refutation.reason}")

    def told(self, answer: Answer) -> Answer:
        """The answer to the directed problem that one to the undirected problem is."""
        if answer.tour is not None:
            return Answer.found(self.whole.source, self.tours(answer.tour.vertices[None, :])[0], answer.work)
        return answer if answer.refutation is None else replace(answer, refutation=self.why(answer.refutation))
