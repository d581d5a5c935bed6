"""The rows that every tour of a problem satisfies, rebuilt from the problem, and compared with ``problem.opb`` line by
line.

Comments are compared too: one that stands before a row says what the row means, and in ``variables.txt`` stands what
each variable means.

A closed tour is a cycle through the graph's vertices; an open one is a cycle through them and one more vertex, the
*apex*, whose two edges mark the ends. Variable ``x`` of an edge is 1 where the cycle uses it: the graph's edges are
numbered from 1 in lexicographic order, then the edges between each vertex and the apex. On every such cycle

1. each vertex has exactly two of its edges (degree rows, the apex's last),
2. required edges are used: those the problem names, from a fixed end of an open tour to the apex, from a closed tour's
end to its start,
3. forbidden edges are not used,
4. what a symmetry says, below,
5. at least two edges leave a set of vertices that is neither empty nor everything (cut sets; Dantzig, Fulkerson &
Johnson 1954).

Where there is no tour as asked because there is no vertex, because the end of a closed tour has no move to its start,
because an open tour of several vertices is to start and end at one, or because no tour can have the symmetry, there is
a row ``0 = 1`` between 2 and 3.

A *symmetry* is a permutation of the vertices that takes edges to edges and, of the tours that are meant, each to
itself; the apex stays where it is. So an edge is used where its image is: a row for each edge and another that it goes
to, but one for two that go to each other. A permutation other than the identity that takes a cycle to itself is a
reflection or a rotation of it. A reflection keeps exactly two places, vertices or edges that are turned round, and a
rotation none: where it is known which it is, for there are fixed vertices (of an open tour there is the apex) or the
problem says so, a row says how many edges are turned round. If that is impossible, there is no tour. A rotation of a
closed tour of n vertices that comes back after d times goes on by t n/d moves, t and d without a common divisor. If d
is even then t is odd; where every edge joins two colours, the colours then change if n/d is odd, and stay if it is
even. If they do otherwise, there is no tour.

Of a directed problem these are the rows of the undirected one on its split vertices
(`cpsat_tour.core.split_vertices`), which has as many tours; what the ends contradict is told of the problem as asked.

So rows without a 0/1 solution prove that there is no tour. The converse may fail; the rows are a relaxation. A closed
tour on fewer than three vertices does not exist, so that nothing said about it is wrong; an open tour of a single
vertex exists and is no cycle with the apex: `cpsat_tour.proofs.check.claim` refuses that problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints, edge_keys
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.claim import apex_name
from cpsat_tour.proofs.check.goals import BestClaim, Worth
from cpsat_tour.proofs.check.symmetry import Turn
from cpsat_tour.proofs.check.text import Budget, Lines, Wrong, ascii_text, clipped, shown

MIN_ROW = len("+0 x1 = 2 ;")
"""Bytes of the shortest row."""


@dataclass(frozen=True, slots=True)
class RebuiltRow:
    """The variables, ``less`` one, sum to exactly, or at least, the bound; ``meaning`` says why this is true.

    A negative number is a negated variable.
    """

    meaning: str
    variables: Ints
    relation: Literal["=", ">="]
    bound: int
    less: int | None = None

    def tokens(self) -> list[str]:
        """The row as OPB writes it, token by token."""
        left = [
            token
            for variable in self.variables.tolist()
            for token in ("+1", f"x{variable}" if variable > 0 else f"~x{-variable}")
        ]
        less = [] if self.less is None else ["-1", f"x{self.less}"]
        return [*(left or ["+0", "x1"]), *less, self.relation, str(self.bound), ";"]


@dataclass(frozen=True)
class ReadFormula:
    """The OPB formula: its variables are ``x1`` to ``x<variables>``; the sides of its rows are the constraints 1, 2, …
    of the proof.

    An ``=`` row has two sides: at least the bound, then at most the bound (True).
    """

    variables: int
    sides: list[tuple[RebuiltRow, bool]]

    def constraint(self, number: int) -> Constraint:
        """The constraint with this id, from 1."""
        row, at_most = self.sides[number - 1]
        sign = -1 if at_most else 1
        terms = {abs(variable): sign if variable > 0 else -sign for variable in row.variables.tolist()}
        if row.less is not None:
            terms[row.less] = -sign
        return Constraint(terms, sign * (row.bound - int((row.variables < 0).sum())))


class TrueRows:
    """The edges of the cycle that a tour of the problem is, and its rows.

    ``incidence[v]`` holds the variables of the edges at vertex ``v`` in increasing order; the apex, if any, is the last
    vertex. Where the best is sought, ``worth`` has the variables of pairs of edges after those of the edges.
    """

    def __init__(self, problem: Problem, budget: Budget, best: BestClaim | None = None, most_pairs: int = 0) -> None:
        self._asked = problem
        self._problem = problem = undirected(problem)
        graph = problem.graph
        self._apex = apex_name(graph)
        tails, heads = (ends.astype(np.int64) for ends in graph.edges())
        self._keys = tails * graph.order + heads
        one, other = graph.tails.astype(np.int64), graph.indices.astype(np.int64)
        of_arcs = self._variable(one, other)
        bounds = graph.indptr.tolist()
        self.incidence: list[Ints] = [of_arcs[low:high] for low, high in pairwise(bounds)]
        self.variables = len(self._keys)
        if not problem.closed:
            to_apex = np.arange(1, graph.order + 1, dtype=np.int32) + np.int32(self.variables)
            self.incidence = [np.append(edges, to_apex[v]) for v, edges in enumerate(self.incidence)] + [to_apex]
            self.variables += graph.order
        self._edges = self.variables
        self.worth = None if best is None else Worth(problem, best, self._edges, most_pairs, budget)
        self.variables += 0 if self.worth is None else len(self.worth)
        self._turn = None if problem.symmetry is None or problem.symmetry.is_identity else Turn(problem)

    def name(self, vertex: int) -> str:
        """What people call the vertex of the cycle."""
        return self._apex if vertex == self._problem.graph.order else self._problem.graph.name(vertex)

    def variable_names(self) -> Iterator[str]:
        """What people call the edge, or the pair of edges, of each variable, from ``x1`` on."""
        tails, heads = self._problem.graph.edges()
        names = [self.name(vertex) for vertex in range(len(self.incidence))]
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
            yield f"{names[tail]}-{names[head]}"
        if not self._problem.closed:
            yield from (f"{name}-{self._apex}" for name in names[:-1])
        for one, other in () if self.worth is None else self.worth.pairs.tolist():
            yield f"{self._edge_name(one)} and {self._edge_name(other)}"

    def ends(self, variable: int) -> tuple[int, int]:
        """The vertices that the edge of a variable joins."""
        order = self._problem.graph.order
        if variable > len(self._keys):
            return variable - len(self._keys) - 1, order
        tail, head = divmod(int(self._keys[variable - 1]), order)
        return tail, head

    def _edge_name(self, variable: int) -> str:
        return "-".join(map(self.name, self.ends(variable)))

    def _variable(self, one: NDArray[Any], other: NDArray[Any]) -> Ints:
        """The variables of the edges between these vertices."""
        keys = edge_keys(self._problem.graph.order, one, other)
        variables: Ints = (np.searchsorted(self._keys, keys) + 1).astype(np.int32)
        return variables

    def degree_rows(self) -> Iterator[RebuiltRow]:
        """Each vertex has exactly two of its edges."""
        for vertex, edges in enumerate(self.incidence):
            yield RebuiltRow(f"two edges at {self.name(vertex)}", edges, "=", 2)

    def required_rows(self) -> list[RebuiltRow]:
        """Each required edge is used; and where no tour can be as the problem asks for it, ``0 = 1``."""
        problem, graph = self._problem, self._problem.graph
        required = self._moves(problem.require)
        ends = [vertex for vertex in (problem.start, problem.end) if vertex is not None]
        if not problem.closed:
            required += [int(self.incidence[-1][vertex]) for vertex in ends]
        elif problem.start is not None and problem.end is not None and graph.has_arc(problem.end, problem.start):
            required += self._moves([(problem.end, problem.start)])
        edges = [
            RebuiltRow(f"{self._edge_name(edge)} is required", np.array([edge], dtype=np.int32), "=", 1)
            for edge in sorted(set(required))
        ]
        contradiction = self._contradiction() or (None if self._turn is None else self._turn.contradiction())
        return (
            edges if contradiction is None else [*edges, RebuiltRow(contradiction, np.zeros(0, dtype=np.int32), "=", 1)]
        )

    def _contradiction(self) -> str | None:
        """What no tour can meet in the ends that were asked for, or in a graph without vertices; None where nothing is
        wrong with them."""
        problem, graph = self._asked, self._asked.graph
        start, end = problem.start, problem.end
        if not graph.order:
            return "a tour visits a vertex, and there is none"
        if start is None or end is None:
            return None
        if problem.closed and not graph.has_arc(end, start):
            return f"the closing move {graph.name(end)}-{graph.name(start)} is required, and it is not a move here"
        if not problem.closed and start == end and graph.order > 1:
            return f"a tour can't both start and end at {graph.name(start)} and visit another vertex"
        return None

    def forbidden_rows(self) -> list[RebuiltRow]:
        """No forbidden edge is used."""
        forbidden = sorted(set(self._moves(self._problem.forbid)))
        return [
            RebuiltRow(f"{self._edge_name(edge)} is forbidden", np.array([edge], dtype=np.int32), "=", 0)
            for edge in forbidden
        ]

    def symmetry_rows(self) -> list[RebuiltRow]:
        """So many edges are turned round, where that is known, and each edge is used where its image is."""
        if self._turn is None:
            return []
        order, name = self._problem.graph.order, self._turn.name
        images = np.append(self._turn.images, order)
        numbers = np.arange(1, self._edges + 1)
        tails, heads = np.divmod(self._keys, order)
        if not self._problem.closed:
            tails, heads = np.append(tails, np.arange(order)), np.append(heads, np.full(order, order))
        there = self._edges_between(images[tails], images[heads])
        again = (there[there - 1] == numbers) & (there <= numbers)
        rows = []
        if (made := self._turn.turned_round_in_a_tour()) is not None:
            turned = numbers[(images[tails] == heads) & (images[heads] == tails)].astype(np.int32)
            rows.append(RebuiltRow(f"{made} of the moves that {name} turns round are made", turned, "=", made))
        for edge, image in zip(numbers[~again].tolist(), there[~again].tolist(), strict=True):
            meaning = f"{name} takes {self._edge_name(edge)} to {self._edge_name(image)}"
            rows.append(RebuiltRow(meaning, np.array([edge], dtype=np.int32), "=", 0, less=image))
        return rows

    def pair_rows(self) -> Iterator[RebuiltRow]:
        """The variable of a pair of edges is 1 where both are used, or 0 where one is not: whichever makes its value
        worse."""
        for number, clause in () if self.worth is None else self.worth.clauses():
            edges = " and ".join(self._edge_name(abs(variable)) for variable in clause[1:])
            meaning = (
                f"x{number} is 1 where {edges} are made"
                if clause[0] > 0
                else f"x{number} is 0 where {edges} is not made"
            )
            yield RebuiltRow(meaning, np.array(clause, dtype=np.int32), ">=", 1)

    def _edges_between(self, one: NDArray[Any], other: NDArray[Any]) -> Ints:
        """The variables of the edges between these vertices, one of which may be the apex."""
        order = self._problem.graph.order
        variables: Ints = self._variable(one, other)
        apart = np.maximum(one, other) == order
        variables[apart] = len(self._keys) + 1 + np.minimum(one, other)[apart]
        return variables

    def _moves(self, moves: Sequence[tuple[int, int]]) -> list[int]:
        ends = np.array(moves, dtype=np.int64).reshape(-1, 2)
        found: list[int] = self._variable(ends[:, 0], ends[:, 1]).tolist()
        return found

    def cut_row(self, inside: Sequence[int]) -> RebuiltRow:
        """At least two edges leave the set of vertices: those that occur at exactly one of them."""
        edges, times = np.unique(np.concatenate([self.incidence[vertex] for vertex in inside]), return_counts=True)
        return RebuiltRow(
            f"a tour leaves {' '.join(map(self.name, inside))} and comes back",
            edges[times == 1].astype(np.int32),
            ">=",
            2,
        )


def read_formula(
    path: Path, cycle: TrueRows, cut_sets: Sequence[Sequence[int]], budget: Budget, *, counted: bool = False
) -> ReadFormula:
    """The formula that the cycle and its cut sets have, once every line of the file agrees with it; `Refused` at the
    first that does not.

    Where tours are counted, the file's second line names all variables as those that tell tours apart; where the best
    is sought, what is to be least.
    """
    with Lines(path, budget) as lines:
        header = lines.first()
        required, forbidden, symmetric = cycle.required_rows(), cycle.forbidden_rows(), cycle.symmetry_rows()
        count = len(cycle.incidence) + len(required) + len(forbidden) + len(symmetric) + len(cut_sets)
        count += 0 if cycle.worth is None else cycle.worth.row_count
        variables = max(cycle.variables, 1)
        expected = f"* #variable= {variables} #constraint= {count}"
        if not header.startswith("*") or header.split() != expected.split():
            raise Wrong(f"the first line must be {expected!r}, and is {shown(header)}")
        if counted:
            _expect(
                f"preserved: {' '.join(f'x{variable}' for variable in range(1, variables + 1))} ;",
                next(iter(lines), b""),
            )
        if cycle.worth is not None:
            _expect(" ".join(cycle.worth.tokens()), next(iter(lines), b""))
        formula = ReadFormula(variables, [])
        rows = chain(
            cycle.degree_rows(), required, forbidden, symmetric, cycle.pair_rows(), map(cycle.cut_row, cut_sets)
        )
        row = next(rows, None)
        for line in lines:
            if row is None:
                raise Wrong(f"the problem has {count} rows, and this is more")
            if line.startswith(b"*"):
                _expect(f"* {row.meaning}", line)
                continue
            _compare(row, ascii_text(line).split())
            formula.sides.append((row, False))
            if row.relation == "=":
                formula.sides.append((row, True))
            row = next(rows, None)
        if row is not None:
            raise Wrong(f"the file ends before the row of ‘{row.meaning}’")
    return formula


def _compare(row: RebuiltRow, given: list[str]) -> None:
    expected = row.tokens()
    if given == expected:
        return
    for place, (mine, theirs) in enumerate(zip(expected, given, strict=False), start=1):
        if mine != theirs:
            raise Wrong(f"this is not the row of ‘{row.meaning}’: token {place} must be {mine}, and is {shown(theirs)}")
    raise Wrong(f"this is not the row of ‘{row.meaning}’: it must have {len(expected)} tokens, and has {len(given)}")


def compare_variables(path: Path, cycle: TrueRows, budget: Budget) -> None:
    """Whether the file says of every variable which edge it is, as in ``x7 = a5-b3``; `Refused` at the first line that
    does not."""
    with Lines(path, budget) as lines:
        given = iter(lines)
        for variable, edge in enumerate(cycle.variable_names(), start=1):
            _expect(f"x{variable} = {edge}", next(given, b""))
        if next(given, None) is not None:
            raise Wrong(f"there are {cycle.variables} variables, and this is one more")


def _expect(expected: str, given: bytes) -> None:
    if given.split() != expected.encode().split():
        raise Wrong(f"this must be {clipped(repr(expected), 120)}, and is {shown(given.decode(errors='replace'))}")
