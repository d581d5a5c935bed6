"""The rows that a proof of impossibility speaks about: the constraints of the cycle problem, in a fixed order, as an OPB formula.

A closed tour is a 2-factor of the graph; an open one becomes a closed one through the *apex*, an extra last vertex joined to every vertex,
whose two edges mark the ends. Every edge is a variable, forbidden ones too: the rows say in so many words what holds. Their order is
the order of their ids in a proof: the degree row of each vertex (``= 2``), required edges (``= 1``), ``0 = 1`` where the problem
contradicts itself, forbidden edges (``= 0``), what a symmetry says, cut sets (``>= 2``). This is simpler than the reduction that solvers
use, on purpose: whoever checks a proof has less to believe.

A symmetry that is not the identity takes the cycle to itself as a reflection, which keeps two places, vertices or edges that are turned round,
or as a rotation, which keeps none. Where it is known which, a row says how many edges are turned round; where that is impossible, or the
colours are against it (`turned_by_its_parts`), the row ``0 = 1`` says so. Then come the rows ``x - y = 0`` of each edge and its image.

Format: OPB of the pseudo-Boolean competitions, in which the VeriPB proof checker (Elffers, Gocht, McCreesh & Nordström 2020) counts
an ``=`` as two constraints, ``>=`` first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.conditions import turned_by_its_parts
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.orbits import Symmetry, edge_images
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.proofs.write.dialects import Clause, term
from cpsat_tour.proofs.write.goals import GoalRows
from cpsat_tour.spaces.turns import TWOFOLD, written_name

if TYPE_CHECKING:
    from cpsat_tour.backends.best_run import PairGoal

Vertices = tuple[int, ...]
Edges = tuple[int, ...]
APEX = "apex"


@dataclass(frozen=True, eq=False)
class CycleRows:
    """The cycle problem of a Hamilton problem, its edges numbered from 0 in the order of the variables ``x1``, ``x2``, ….

    ``required`` and ``forbidden`` are numbers of edges, increasing. ``contradiction`` says what contradicts itself in the problem as
    asked, if anything does: then there is a row ``0 = 1``. The apex, if any, is the last vertex. Of a symmetry ``ties`` has the numbers of
    edges and of their images, ``turned`` those of the edges that it turns round, ``kept`` of which a cycle uses, if that is known.
    """

    problem: HamiltonProblem
    order: int
    tails: Ints
    heads: Ints
    required: NDArray[np.int64]
    forbidden: NDArray[np.int64]
    contradiction: str | None
    apex: int | None
    ties: NDArray[np.int64]
    turned: NDArray[np.int64]
    kept: int | None

    @classmethod
    def of(cls, problem: HamiltonProblem) -> CycleRows:
        """The rows of an undirected problem; `BadInput` for a directed one."""
        graph = problem.graph
        if graph.directed:
            raise BadInput("certificates are for undirected graphs only: this one has arcs")
        if problem.symmetry is not None:
            problem = replace(problem, symmetry=_as_certificates_name_it(graph, problem.symmetry))
        if problem.givens:
            raise BadInput("certificates are for tours without given numbers: leave them out, or solve, where a search tells why there is none")
        tails, heads = graph.edges()
        order, apex = graph.order, None
        required = list(problem.require)
        if not problem.closed:
            apex, order = graph.order, graph.order + 1
            tails = np.append(tails, np.arange(apex, dtype=np.int32))
            heads = np.append(heads, np.full(apex, apex, dtype=np.int32))
            required += [(vertex, apex) for vertex in (problem.start, problem.end) if vertex is not None]
        elif problem.start is not None and problem.end is not None and graph.has_arc(problem.end, problem.start):
            required.append((min(problem.start, problem.end), max(problem.start, problem.end)))
        keys = tails.astype(np.int64) * order + heads

        def numbers(moves: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
            return np.flatnonzero(np.isin(keys, [tail * order + head for tail, head in moves]))

        said = _said_by_the_symmetry(problem, order, tails, heads)
        return cls(problem, order, tails, heads, numbers(required), numbers(problem.forbid), contradiction_in(problem), apex, *said)

    @property
    def directed(self) -> bool:
        """Never: the edges are undirected."""
        return False

    @property
    def size(self) -> int:
        """The number of edges, forbidden ones included."""
        return len(self.tails)

    @cached_property
    def undecided(self) -> NDArray[np.bool_]:
        """Which edges are neither required nor forbidden."""
        undecided = np.ones(self.size, dtype=bool)
        undecided[self.required] = undecided[self.forbidden] = False
        return undecided

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which of these may be used or left out whatever the others are."""
        free = self.undecided.copy()
        free[self.ties] = free[self.turned] = False
        return free

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which edges are not forbidden."""
        allowed = np.ones(self.size, dtype=bool)
        allowed[self.forbidden] = False
        return allowed

    @cached_property
    def incidence(self) -> list[list[int]]:
        """For each vertex its edges, increasing."""
        edges: list[list[int]] = [[] for _ in range(self.order)]
        for edge, (tail, head) in enumerate(zip(self.tails.tolist(), self.heads.tolist(), strict=True)):
            edges[tail].append(edge)
            edges[head].append(edge)
        return edges

    def cut(self, vertices: Sequence[int]) -> Ints:
        """The cut set δ(S): the edges with exactly one end among the vertices, increasing."""
        inside = np.zeros(self.order, dtype=bool)
        inside[list(vertices)] = True
        return np.flatnonzero(inside[self.tails] != inside[self.heads]).astype(np.int32)

    def shore(self, vertices: Sequence[int]) -> Vertices:
        """The smaller of a vertex set and its complement, which have the same cut set; of equal ones that with the least vertex."""
        inside = {int(vertex) for vertex in vertices}
        other = tuple(vertex for vertex in range(self.order) if vertex not in inside)
        return min(tuple(sorted(inside)), other, key=lambda side: (len(side), side))

    @property
    def symmetry(self) -> str:
        """What people call the symmetry; nothing where none is asked."""
        return "" if self.problem.symmetry is None else self.problem.symmetry.name

    def edges_of(self, tours: Ints) -> Ints:
        """The edges of each tour, a row of vertices, increasing; an open tour's ends are joined to the apex."""
        if self.apex is not None:
            tours = np.pad(tours, ((0, 0), (0, 1)), constant_values=self.apex)
        tours = tours.astype(np.int64)
        following = np.roll(tours, -1, axis=1)
        keys = self.tails.astype(np.int64) * self.order + self.heads
        by_key = np.argsort(keys)
        places = np.searchsorted(keys[by_key], np.minimum(tours, following) * self.order + np.maximum(tours, following))
        edges: Ints = np.sort(by_key[places].astype(np.int32), axis=1)
        return edges

    def tour(self, cycle: Ints) -> Ints:
        """The tour that a cycle stands for, either by its vertices in order; it begins and ends where the problem says."""
        if self.apex is None:
            return cycle
        tour = np.roll(cycle, -int(np.flatnonzero(cycle == self.apex)[0]))[1:]
        start, end = self.problem.start, self.problem.end
        return tour[::-1] if (start is not None and tour[0] != start) or (end is not None and tour[-1] != end) else tour

    def name(self, vertex: int) -> str:
        """What people call the vertex."""
        return APEX if vertex == self.apex else self.problem.graph.name(vertex)

    def edge_name(self, edge: int) -> str:
        """What people call the edge."""
        return f"{self.name(int(self.tails[edge]))}-{self.name(int(self.heads[edge]))}"


def _as_certificates_name_it(graph: Graph, symmetry: Symmetry) -> Symmetry:
    if written_name(graph, symmetry) is not None:
        return symmetry
    if symmetry.turning != "either":
        raise BadInput(f"no certificate can say how {symmetry.name} is to turn a tour: choose one of {', '.join(TWOFOLD)}, or leave it out")
    return replace(symmetry, name="the permutation")


def _said_by_the_symmetry(
    problem: HamiltonProblem, order: int, tails: Ints, heads: Ints
) -> tuple[NDArray[np.int64], NDArray[np.int64], int | None]:
    """The edges that go to another one, each with that one, no pair twice; those that are turned round; how many of these a cycle uses."""
    symmetry = problem.symmetry
    none = np.zeros(0, dtype=np.int64)
    if symmetry is None or symmetry.is_identity:
        return none.reshape(0, 2), none, None
    images = np.append(symmetry.images, np.arange(problem.graph.order, order, dtype=np.int32))
    following, edges = edge_images(order, tails, heads, images), np.arange(len(tails))
    again = (following[following] == edges) & (following <= edges)
    ties = np.stack([edges, following], axis=1)[~again]
    turned = np.flatnonzero((following == edges) & (images[tails] == heads))
    places, fixed = symmetry.places(closed=problem.closed), int((symmetry.images == np.arange(problem.graph.order)).sum())
    kept = None if places is None or not len(turned) or not 0 <= places - fixed <= len(turned) else places - fixed
    return ties, turned, kept


def contradiction_in(problem: HamiltonProblem) -> str | None:
    """What no tour can meet in the ends or the symmetry that were asked for, or in a graph without vertices; None where nothing is wrong."""
    return _contradicting_ends(problem) or turned_by_its_parts(problem, problem.graph)


def _contradicting_ends(problem: HamiltonProblem) -> str | None:
    graph, start, end = problem.graph, problem.start, problem.end
    if not graph.order:
        return "a tour visits a vertex, and there is none"
    if start is None or end is None:
        return None
    if problem.closed and not graph.has_arc(end, start):
        return f"the closing move {graph.name(end)}-{graph.name(start)} is required, and it is no move here"
    if not problem.closed and start == end and graph.order > 1:
        return f"a tour can't both start and end at {graph.name(start)} and visit another vertex"
    return None


@dataclass(frozen=True)
class FormulaRow:
    """One constraint: the sum of the edges, ``less`` one, is equal to, or at least, the bound; with words on why, and its id in a proof.

    In place of edges it may have the literals of a ``clause``.

    An ``=`` has two ids, ``number`` for its ``>=`` half and ``number + 1`` for its ``<=`` half.
    """

    number: int
    edges: tuple[int, ...]
    relation: str
    bound: int
    meaning: str
    less: int | None = None
    clause: Clause = ()

    def __str__(self) -> str:
        terms = " ".join(map(term, self.clause or (edge + 1 for edge in self.edges))) or "+0 x1"
        if self.less is not None:
            terms += f" -1 x{self.less + 1}"
        return f"{terms} {self.relation} {self.bound} ;"


@dataclass(frozen=True, eq=False)
class RowFormula:
    """All the rows of a proof: those of the problem and the cut sets that the proof uses, given by their shores.

    Where tours are ``counted`` the file says that all variables tell them apart; where the best is sought, it says what is to be least.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False
    goal: PairGoal | None = None

    @cached_property
    def worth(self) -> GoalRows | None:
        """The pairs of edges that count."""
        return None if self.goal is None else GoalRows(self.goal, self.cycle.size + 1)

    def rows(self) -> Iterator[FormulaRow]:
        """The rows in the order of their ids."""
        cycle, number = self.cycle, 1
        for vertex, edges in enumerate(cycle.incidence):
            yield FormulaRow(number, tuple(edges), "=", 2, f"two edges at {cycle.name(vertex)}")
            number += 2
        for edge in cycle.required.tolist():
            yield FormulaRow(number, (edge,), "=", 1, f"{cycle.edge_name(edge)} is required")
            number += 2
        if cycle.contradiction is not None:
            yield FormulaRow(number, (), "=", 1, cycle.contradiction)
            number += 2
        for edge in cycle.forbidden.tolist():
            yield FormulaRow(number, (edge,), "=", 0, f"{cycle.edge_name(edge)} is forbidden")
            number += 2
        if cycle.kept is not None:
            meaning = f"{cycle.kept} of the moves that {cycle.symmetry} turns round are made"
            yield FormulaRow(number, tuple(cycle.turned.tolist()), "=", cycle.kept, meaning)
            number += 2
        for edge, image in cycle.ties.tolist():
            meaning = f"{cycle.symmetry} takes {cycle.edge_name(edge)} to {cycle.edge_name(image)}"
            yield FormulaRow(number, (edge,), "=", 0, meaning, less=image)
            number += 2
        for variable, clause in () if self.worth is None else self.worth.clauses():
            moves = " and ".join(cycle.edge_name(abs(literal) - 1) for literal in clause[1:])
            meaning = f"x{variable} is 1 where {moves} are made" if clause[0] > 0 else f"x{variable} is 0 where {moves} is not made"
            yield FormulaRow(number, (), ">=", 1, meaning, clause=clause)
            number += 1
        for shore in self.cut_sets:
            names = " ".join(cycle.name(vertex) for vertex in shore)
            yield FormulaRow(number, tuple(cycle.cut(shore).tolist()), ">=", 2, f"a tour leaves {names} and comes back")
            number += 1

    @property
    def lines(self) -> int:
        """The number of rows, an ``=`` counted once."""
        cycle = self.cycle
        symmetric = (cycle.kept is not None) + len(cycle.ties)
        asked = cycle.order + len(cycle.required) + (cycle.contradiction is not None) + len(cycle.forbidden) + symmetric
        return asked + self._single

    @property
    def _single(self) -> int:
        """The number of rows that are no ``=``."""
        return (0 if self.worth is None else self.worth.lines) + len(self.cut_sets)

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return 2 * self.lines - self._single

    @property
    def variables(self) -> int:
        """The number of variables; a formula without edges has a dummy one."""
        return max(1, self.cycle.size + (0 if self.worth is None else len(self.worth.pairs)))

    def required_id(self, edge: int) -> int:
        """The id of the ``>=`` half of a required edge's row."""
        return 2 * (self.cycle.order + int(np.searchsorted(self.cycle.required, edge))) + 1

    @property
    def contradiction_id(self) -> int:
        """The id of the ``>=`` half of the row ``0 = 1``."""
        return 2 * (self.cycle.order + len(self.cycle.required)) + 1

    def forbidden_id(self, edge: int) -> int:
        """The id of the ``>=`` half of a forbidden edge's row."""
        cycle = self.cycle
        before = cycle.order + len(cycle.required) + (cycle.contradiction is not None)
        return 2 * (before + int(np.searchsorted(cycle.forbidden, edge))) + 1

    @property
    def kept_id(self) -> int:
        """The id of the ``>=`` half of the row of the edges that are turned round."""
        return self.forbidden_id(self.cycle.size)

    def tie_id(self, place: int) -> int:
        """The id of the ``>=`` half of the row of the edge and its image at this place."""
        return self.kept_id + 2 * ((self.cycle.kept is not None) + place)

    def pair_id(self, place: int) -> int:
        """The id of the row at this place of those about pairs."""
        return self.ids - self._single + place + 1

    def cut_id(self, place: int) -> int:
        """The id of the cut set at this place."""
        return self.ids - len(self.cut_sets) + place + 1

    def variable_lines(self) -> Iterator[str]:
        """What each variable stands for: ``x7 = a5-b3``."""
        name = self.cycle.edge_name
        pairs = [] if self.worth is None else [f"{name(one)} and {name(other)}" for one, other in self.worth.pairs]
        return (f"x{variable} = {meaning}" for variable, meaning in enumerate([*map(name, range(self.cycle.size)), *pairs], start=1))

    def opb(self) -> Iterator[str]:
        """The lines of the OPB file."""
        yield f"* #variable= {self.variables} #constraint= {self.lines}"
        if self.counted:
            yield f"preserved: {' '.join(f'x{variable}' for variable in range(1, self.variables + 1))} ;"
        if self.worth is not None:
            yield self.worth.objective()
        for row in self.rows():
            yield f"* {row.meaning}"
            yield str(row)
