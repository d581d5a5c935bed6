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
4. an edge is used where its image by a symmetry is, and it is known how many edges are turned round (`symmetry`),
5. the variable of a pair of moves is at its worst (`worth`),
6. at least two edges leave a set of vertices that is neither empty nor everything (cut sets; Dantzig, Fulkerson &
Johnson 1954).

Where there is no tour as asked because there is no vertex, because the end of a closed tour has no move to its start,
because an open tour of several vertices is to start and end at one, or because no tour can have the symmetry, there is
a row ``0 = 1`` between 2 and 3.

Of a directed problem these are the rows of the undirected one on its split vertices
(`cpsat_tour.core.split_vertices`), which has as many tours; what the ends contradict is told of the problem as asked.

So rows without a 0/1 solution prove that there is no tour. The converse may fail; the rows are a relaxation. A closed
tour on fewer than three vertices does not exist, so that nothing said about it is wrong; an open tour of a single
vertex exists and is no cycle with the apex: `cpsat_tour.proofs.check.claim` refuses that problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.claim import apex_name
from cpsat_tour.proofs.check.symmetry import Turn
from cpsat_tour.proofs.check.text import Budget, Lines, Wrong, ascii_text, clipped, lines_of, shown
from cpsat_tour.proofs.check.worth import BestClaim, Worth


@dataclass(frozen=True, slots=True)
class Row:
    """The literals, ``less`` one variable, sum to exactly, or at least, the bound; ``meaning`` says why this is true.

    A negative number is a negated variable.
    """

    meaning: str
    literals: Sequence[int]
    relation: Literal["=", ">="]
    bound: int
    less: int | None = None

    def tokens(self) -> list[str]:
        """The row as OPB writes it, token by token."""
        left = [token for x in self.literals for token in ("+1", f"x{x}" if x > 0 else f"~x{-x}")]
        less = [] if self.less is None else ["-1", f"x{self.less}"]
        return [*(left or ["+0", "x1"]), *less, self.relation, str(self.bound), ";"]

    def holds(self, true: Sequence[bool]) -> bool:
        """Whether variables with these values, from 0 on, satisfy the row."""
        total = sum(true[abs(x)] == (x > 0) for x in self.literals) - (self.less is not None and true[self.less])
        return total == self.bound if self.relation == "=" else total >= self.bound

    def constraint(self, *, at_most: bool) -> Constraint:
        """That the sum is at least the bound, or that it is at most the bound."""
        sign = -1 if at_most else 1
        terms = {abs(x): sign if x > 0 else -sign for x in self.literals}
        if self.less is not None:
            terms[self.less] = -sign
        return Constraint(terms, sign * (self.bound - sum(x < 0 for x in self.literals)))


Side = tuple[Row, bool]
"""A row, and whether its sum is at most the bound: an ``=`` row has two sides, at least the bound and then at most."""


class TrueRows:
    """The edges and ``rows`` that follow from the problem alone: all rows of its formula but the cut sets.

    ``ends`` are those of each edge, ``incidence[v]`` holds the variables of the edges at vertex ``v`` in increasing
    order; the apex, if any, is the last vertex. ``required`` and ``forbidden`` are variables, ``contradiction`` is why
    no tour can be as the problem asks for it, if so. Where the best is sought, ``worth`` has the variables of pairs of
    edges after those of the edges. ``work`` is told how many pairs are looked at.
    """

    def __init__(
        self,
        problem: Problem,
        work: Callable[[int], object],
        best: BestClaim | None = None,
        most_pairs: int = 0,
    ) -> None:
        self._asked = problem
        self._problem = problem = undirected(problem)
        graph = problem.graph
        self.names = [graph.name(vertex) for vertex in range(graph.order)]
        self.ends = list(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
        if not problem.closed:
            self.names.append(apex_name(graph))
            self.ends += [(vertex, graph.order) for vertex in range(graph.order)]
        self.incidence: list[list[int]] = [[] for _ in self.names]
        for variable, ends in enumerate(self.ends, start=1):
            for vertex in ends:
                self.incidence[vertex].append(variable)
        self.worth = None if best is None else Worth(problem, best, len(self.ends), most_pairs, work)
        self.variables = max(1, len(self.ends) + (0 if self.worth is None else len(self.worth.pairs)))
        turn = None if problem.symmetry is None or problem.symmetry.is_identity else Turn(problem)
        self.required = self._required()
        self.forbidden = sorted({self._between(*ends) for ends in problem.forbid})
        self.contradiction = self._wrong_ends() or (None if turn is None else turn.contradiction())
        self.symmetric = [] if turn is None else list(self._symmetry_rows(turn))
        self.rows = [
            *(
                Row(f"two edges at {name}", edges, "=", 2)
                for name, edges in zip(self.names, self.incidence, strict=True)
            ),
            *(Row(f"{self.edge_name(edge)} is required", [edge], "=", 1) for edge in self.required),
            *(() if self.contradiction is None else [Row(self.contradiction, [], "=", 1)]),
            *(Row(f"{self.edge_name(edge)} is forbidden", [edge], "=", 0) for edge in self.forbidden),
            *self.symmetric,
            *(() if self.worth is None else self._pair_rows(self.worth)),
        ]

    def variable_names(self) -> Iterator[str]:
        """What people call the edge, or the pair of edges, of each variable, from ``x1`` on."""
        yield from map(self.edge_name, range(1, len(self.ends) + 1))
        for first, second in () if self.worth is None else self.worth.pairs:
            yield f"{self.edge_name(first)} and {self.edge_name(second)}"

    def edge_name(self, variable: int) -> str:
        """What people call the edge."""
        tail, head = self.ends[variable - 1]
        return f"{self.names[tail]}-{self.names[head]}"

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        return {ends: variable for variable, ends in enumerate(self.ends, start=1)}

    def _between(self, vertex: int, neighbour: int) -> int:
        """The variable of the edge between two vertices."""
        return self._numbers[min(vertex, neighbour), max(vertex, neighbour)]

    def _required(self) -> list[int]:
        """The required edges: those that lead to the ends of an open tour, and from the end of a closed one, too."""
        problem = self._problem
        start, end, required = problem.start, problem.end, list(problem.require)
        if not problem.closed:
            required += [(vertex, problem.graph.order) for vertex in (start, end) if vertex is not None]
        elif start is not None and end is not None and problem.graph.has_arc(end, start):
            required.append((end, start))
        return sorted({self._between(*ends) for ends in required})

    def _wrong_ends(self) -> str | None:
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

    def _symmetry_rows(self, turn: Turn) -> Iterator[Row]:
        """So many edges are turned round, where that is known, and each edge is used where its image is: a row for each
        edge and another that it goes to, but one for two that go to each other."""
        images = [*turn.images.tolist(), self._problem.graph.order]
        there = [0, *(self._between(images[tail], images[head]) for tail, head in self.ends)]
        if (made := turn.turned_round_in_a_tour()) is not None:
            turned = [x for x, (tail, head) in enumerate(self.ends, 1) if (images[tail], images[head]) == (head, tail)]
            yield Row(f"{made} of the moves that {turn.name} turns round are made", turned, "=", made)
        for edge, image in enumerate(there[1:], start=1):
            if image != edge and not (image < edge and there[image] == edge):
                meaning = f"{turn.name} takes {self.edge_name(edge)} to {self.edge_name(image)}"
                yield Row(meaning, [edge], "=", 0, less=image)

    def _pair_rows(self, worth: Worth) -> Iterator[Row]:
        """The variable of a pair of edges is 1 where both are used, or 0 where one is not: whichever makes its value
        worse."""
        for clause in worth.clauses():
            edges = " and ".join(self.edge_name(abs(variable)) for variable in clause[1:])
            value = f"1 where {edges} are made" if clause[0] > 0 else f"0 where {edges} is not made"
            yield Row(f"x{abs(clause[0])} is {value}", clause, ">=", 1)

    def cut_row(self, inside: Sequence[int]) -> Row:
        """At least two edges leave the set of vertices: those that occur at exactly one of them."""
        leaving: set[int] = set()
        for vertex in inside:
            leaving.symmetric_difference_update(self.incidence[vertex])
        names = " ".join(self.names[vertex] for vertex in inside)
        return Row(f"a tour leaves {names} and comes back", sorted(leaving), ">=", 2)


def read_formula(
    path: Path, cycle: TrueRows, cut_sets: Sequence[Sequence[int]], budget: Budget, *, counted: bool = False
) -> list[Side]:
    """Return the sides of the rows that the cycle and its cut sets have, which are the constraints 1, 2, … of the
    proof, once every line of the file agrees with them; `Refused` at the first that does not.

    The second line names all variables as those that tell tours apart where tours are counted, and what is to be least
    where the best is sought.
    """
    count, variables = len(cycle.rows) + len(cut_sets), cycle.variables
    with lines_of(path, budget) as lines:
        header, expected = lines.first(), f"* #variable= {variables} #constraint= {count}"
        if not header.startswith("*") or header.split() != expected.split():
            raise Wrong(f"the first line must be {expected!r}, and is {shown(header)}")
        if counted:
            _expect(f"preserved: {' '.join(f'x{x}' for x in range(1, variables + 1))} ;", next(iter(lines), b""))
        if cycle.worth is not None:
            _expect(cycle.worth.objective(), next(iter(lines), b""))
        sides = list(_sides_of_rows(chain(cycle.rows, map(cycle.cut_row, cut_sets)), lines))
        if next(iter(lines), None) is not None:
            raise Wrong(f"the problem has {count} rows, and this is more")
    return sides


def _sides_of_rows(rows: Iterable[Row], lines: Lines) -> Iterator[Side]:
    """The sides of the rows, each of which is the next of the lines."""
    for row in rows:
        line = next(iter(lines), None)
        while line is not None and line.startswith(b"*"):
            _expect(f"* {row.meaning}", line)
            line = next(iter(lines), None)
        if line is None:
            raise Wrong(f"the file ends before the row of ‘{row.meaning}’")
        expected, given = row.tokens(), ascii_text(line).split()
        for place, (mine, theirs) in enumerate(zip_longest(expected, given, fillvalue=""), start=1):
            if mine != theirs:
                wrong = f"token {place} must be {mine or 'nothing'}, and is {shown(theirs)}"
                raise Wrong(f"this is not the row of ‘{row.meaning}’: {wrong}")
        yield row, False
        if row.relation == "=":
            yield row, True


def compare_variables(path: Path, cycle: TrueRows, budget: Budget) -> None:
    """Whether the file says of every variable which edge it is, as in ``x7 = a5-b3``; `Refused` at the first line that
    does not."""
    with lines_of(path, budget) as lines:
        given = iter(lines)
        for variable, edge in enumerate(cycle.variable_names(), start=1):
            _expect(f"x{variable} = {edge}", next(given, b""))
        if next(given, None) is not None:
            raise Wrong(f"there are {cycle.variables} variables, and this is one more")


def _expect(expected: str, given: bytes) -> None:
    if given.split() != expected.encode().split():
        raise Wrong(f"this must be {clipped(repr(expected), 120)}, and is {shown(given.decode(errors='replace'))}")
