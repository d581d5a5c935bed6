"""The rows that every tour of a problem satisfies, rebuilt from the problem, and compared with ``problem.opb`` line by
line, as are the comments, which say what the rows mean, and ``variables.txt``, which says what the variables mean.

A closed tour is a cycle through the graph's vertices; an open one is a cycle through them and one more vertex, the
*apex*, whose two edges mark the ends. Variable ``x`` of an edge is 1 where the cycle uses it: the graph's edges are
numbered from 1 in lexicographic order, then the edges between each vertex and the apex. On every such cycle

1. each vertex has exactly two of its edges (degree rows, the apex's last),
2. required edges are used: those the problem names, from a fixed end of an open tour to the apex, from a closed tour's
end to its start,
3. forbidden edges are not used,
4. an edge is used where its image by a symmetry is, and it is known how many edges are turned round,
5. the variable of a pair of moves is at its worst,
6. at least two edges leave a set of vertices that is neither empty nor everything (cut sets; Dantzig, Fulkerson &
Johnson 1954).

A row ``0 = 1`` stands between 2 and 3 if there is no vertex, if the end of a closed tour has no move to its start, if
an open tour of several vertices is to start and end at one, or if no tour can have the symmetry.

Of a directed problem these are the rows of the undirected one on its split vertices (`core.reduction`), which has
as many tours. Rows without a 0/1 solution prove that there is no tour; the converse may fail, for the rows are a
relaxation. No closed tour has fewer than three vertices, and of those nothing said is wrong; an open tour of a single
vertex is no cycle with the apex: `claim` refuses that problem.

How many moves of a tour a symmetry turns round, and whether any tour can have it, follows from where it maps vertices.
A permutation other than the identity that takes a cycle to itself is a reflection or a rotation of it. A reflection
keeps exactly two places, each a vertex or an edge whose ends it exchanges, and a rotation none; of an open tour the
apex is one of the two. Where it is known which it is, because vertices are fixed or the problem says so, the number of
edges turned round is known; where there are not so many, there is no tour.

A rotation of order d moves a closed tour of n vertices along itself by t n/d moves, t coprime to d. If d is even, t is
odd; if moreover every edge joins two colours, the rotation exchanges the colours if n/d is odd and keeps them if it is
even. Where it does otherwise, there is no tour.

A *turn* is a vertex where the two moves of a tour are not in line; the ends of an open tour are none. So a tour has as
many turns as it passes vertices, less one for each pair of its moves that are one step made twice. A *crossing* is a
pair of moves that meet inside both. Either value is a constant and a weight, -1 or 1, for each such pair of which a
tour makes both moves; where the most is sought, all signs are turned, so that the least sum is the best.

The variables of the pairs come after those of the edges. A row says of one with weight 1 that it is 1 where both moves
are made; two rows say of one with weight -1 that it is 0 where one of them is not. So a solution of the rows is worth
no less than the tour that it shows. ``soli`` shows the best tour, each pair true exactly where both moves are made, and
from then on the sum must be less: a contradiction in the end says that nothing is better.

The *longest* path or closed tour is one cycle too, with the apex if it is a path of two vertices or more, but may leave
vertices out. Each of these has a variable, 1 if it is left out; the sum of a vertex's edges and twice its variable is
2. Of a set of vertices, one ``u`` of them and a ``w`` outside, the cycle visits both, and at least two of its edges
leave the set, or one of the two is left out, which counts 2 (Fischetti, Salazar González & Toth 1998). The apex is not
left out. Where no edge is used, all degree rows may hold too, so the tour that is shown has to have a vertex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, zip_longest
from pathlib import Path
from typing import Literal

import numpy as np

from cpsat_tour.core.errors import BadInput, quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry, fixed_places_sentence
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import undirected
from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.proofs.check.arithmetic import Budget, Constraint, Wrong, ascii_text, expect, lines_of
from cpsat_tour.proofs.check.claim import BestClaim, apex_name


def edges_turned_round(problem: Problem) -> tuple[int | None, str | None]:
    """Return the number of a tour's edges that the problem's symmetry reverses, None if that isn't known; and a reason
    why no tour has the symmetry, or None."""
    symmetry, graph = problem.symmetry, problem.graph
    assert symmetry is not None
    images, kind = symmetry.images.astype(np.int64), symmetry.turning if problem.closed else "open"
    tails, heads = graph.edges()
    fixed = int(np.count_nonzero(images == np.arange(graph.order)))
    turned = int(np.count_nonzero((images[tails] == heads) & (images[heads] == tails)))
    places = {"open": 1, "over": 2, "along": 0}.get(kind, 2 if fixed else None)
    if places is not None and not fixed <= places <= fixed + turned:
        return None, fixed_places_sentence(symmetry.name, fixed, turned, kind, graph.nouns[1])
    made = places - fixed if turned and places is not None else None
    rotates = kind == "along" or (kind == "either" and fixed == 0 and turned < 2)
    return made, _why_colours_forbid_rotation(graph, symmetry) if rotates and graph.order else None


def _why_colours_forbid_rotation(graph: Graph, symmetry: Symmetry) -> str | None:
    """Return why the colours of the graph rule out that the symmetry shifts a tour along itself; None if they don't."""
    colours, images, (tails, heads) = graph.colours, symmetry.images, graph.edges()
    if colours is None or (colours[tails] == colours[heads]).any():
        return None
    times, vertex = 1, int(images[0])
    while vertex:
        times, vertex = times + 1, int(images[vertex])
    moves, rest = divmod(graph.order, times)
    changed = bool(colours[0] != colours[images[0]])
    if rest or times % 2 or changed == (moves % 2 == 1):
        return None
    far = f"{moves} moves" if times == 2 else f"an odd multiple of {moves} moves"
    does = f"{symmetry.name} {'exchanges' if changed else 'keeps'} the two colours of the {graph.nouns[1]}"
    return f"{does}, and moves a closed tour along itself by {far}, an {'even' if changed else 'odd'} number"


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its literals, and ``others``, variables with their factors, sum to exactly, or at least, the bound.

    ``meaning`` says why that is true of every tour. A negative number is a negated variable.
    """

    meaning: str
    literals: Sequence[int]
    relation: Literal["=", ">="]
    bound: int
    others: Sequence[tuple[int, int]] = ()

    def tokens(self) -> list[str]:
        """Return the tokens of the row as OPB writes it."""
        left = [token for x in self.literals for token in ("+1", f"x{x}" if x > 0 else f"~x{-x}")]
        left += [token for x, factor in self.others for token in (f"{factor:+d}", f"x{x}")]
        return [*(left or ["+0", "x1"]), self.relation, str(self.bound), ";"]

    def holds(self, values: Sequence[bool]) -> bool:
        """Return True if variables with these values (entry 0 is unused) satisfy the row."""
        total = sum(values[abs(x)] == (x > 0) for x in self.literals)
        total += sum(factor * values[x] for x, factor in self.others)
        return total == self.bound if self.relation == "=" else total >= self.bound

    def constraint(self, *, at_most: bool) -> Constraint:
        """Return the row as a constraint: the sum is at least the bound or, with ``at_most``, at most the bound."""
        sign = -1 if at_most else 1
        terms = {abs(x): sign if x > 0 else -sign for x in self.literals}
        terms |= {x: sign * factor for x, factor in self.others}
        return Constraint(terms, sign * (self.bound - sum(x < 0 for x in self.literals)))


Side = tuple[Row, bool]
"""A row and a flag, True if its sum is at most the bound.

An ``=`` row has two sides: at least the bound, then at most.
"""


class TrueRows:
    """The edges of a problem and the ``rows`` that every tour satisfies: all rows of its formula but the cut sets.

    ``ends`` are those of each edge, ``incidence[v]`` holds the variables of the edges at vertex ``v``, increasing; the
    apex, if any, is the last vertex. ``required`` and ``forbidden`` are variables, ``contradiction`` is why there can
    be no tour, or None. Where the best is sought, ``worth`` has the variables of pairs of edges, and ``work``
    is called with how many pairs are looked at, and with 0 now and then meanwhile.
    """

    def __init__(
        self, problem: Problem, work: Callable[[int], None], best: BestClaim | None = None, most_pairs: int = 0
    ) -> None:
        self._asked = problem
        self._problem = problem = undirected(problem)
        graph, look = problem.graph, lambda: work(0)
        self.names = [graph.name(vertex) for vertex in with_heartbeats(range(graph.order), look)]
        self.ends = graph.pairs()
        if not problem.closed:
            self.names.append(apex_name(graph))
            self.ends += [(vertex, graph.order) for vertex in range(graph.order)]
        self._variable_by_ends = {ends: variable for variable, ends in enumerate(self.ends, start=1)}
        self.incidence: list[list[int]] = [[] for _ in self.names]
        for ends, variable in with_heartbeats(self._variable_by_ends.items(), look):
            for vertex in ends:
                self.incidence[vertex].append(variable)
        self.worth = None if best is None else Worth(problem, best, len(self.ends), most_pairs, work)
        self.left_out = {} if self.worth is None else self.worth.left_out
        self.variables = max(1, len(self.ends) + (0 if self.worth is None else len(self.worth.variables)))
        symmetry = None if problem.symmetry is None or problem.symmetry.is_identity else problem.symmetry
        turned, impossible = (None, None) if symmetry is None else edges_turned_round(problem)
        self.required = self._required_variables()
        self.forbidden = sorted({self._variable_between(*ends) for ends in problem.forbid})
        self.contradiction = self._contradiction_of_ends() or impossible
        self.symmetric = [] if symmetry is None else list(self._symmetry_rows(symmetry, turned))
        self.rows = [
            Row(f"two edges at {self.names[vertex]}", edges, "=", 2, self._twice_left_out(vertex))
            for vertex, edges in with_heartbeats(enumerate(self.incidence), look)
        ]
        self.rows += [Row(f"{self.edge_name(edge)} is required", [edge], "=", 1) for edge in self.required]
        self.rows += [] if self.contradiction is None else [Row(self.contradiction, [], "=", 1)]
        self.rows += [Row(f"{self.edge_name(edge)} is forbidden", [edge], "=", 0) for edge in self.forbidden]
        self.rows += [*self.symmetric, *(() if self.worth is None else self._pair_rows(self.worth))]

    def variable_names(self) -> Iterator[str]:
        """Yield the name of each variable's edge or pair of edges, from ``x1`` on."""
        yield from map(self.edge_name, range(1, len(self.ends) + 1))
        for first, second in () if self.worth is None else self.worth.pairs:
            yield f"{self.edge_name(first)} and {self.edge_name(second)}"
        yield from (f"{self.names[vertex]} is left out" for vertex in self.left_out)

    def edge_name(self, variable: int) -> str:
        """Return the name of a variable's edge, such as ``a1-b3``."""
        tail, head = self.ends[variable - 1]
        return f"{self.names[tail]}-{self.names[head]}"

    def _variable_between(self, vertex: int, neighbour: int) -> int:
        """Return the variable of the edge between two vertices."""
        return self._variable_by_ends[min(vertex, neighbour), max(vertex, neighbour)]

    def _required_variables(self) -> list[int]:
        """Return the variables of the edges that every tour has, increasing.

        Besides the required moves these join the apex to fixed ends, or the end to the start.
        """
        problem = self._problem
        start, end, required = problem.start, problem.end, list(problem.require)
        if not problem.closed:
            required += [(vertex, problem.graph.order) for vertex in (start, end) if vertex is not None]
        elif start is not None and end is not None and problem.graph.has_arc(end, start):
            required.append((end, start))
        return sorted({self._variable_between(*ends) for ends in required})

    def _contradiction_of_ends(self) -> str | None:
        """Return why no tour can have the ends that are asked for, or why an empty graph has none; else None."""
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

    def _symmetry_rows(self, symmetry: Symmetry, count: int | None) -> Iterator[Row]:
        """Yield the rows of a symmetry: how many edges it reverses, if ``count`` is known, and that an edge is used if
        and only if its image is."""
        images = [*symmetry.images.tolist(), self._problem.graph.order]
        there = [0, *(self._variable_between(images[tail], images[head]) for tail, head in self.ends)]
        if count is not None:
            turned = [x for x, (tail, head) in enumerate(self.ends, 1) if (images[tail], images[head]) == (head, tail)]
            yield Row(f"{count} of the moves that {symmetry.name} turns round are made", turned, "=", count)
        for edge, image in enumerate(there[1:], start=1):
            if image != edge and not (image < edge and there[image] == edge):
                meaning = f"{symmetry.name} takes {self.edge_name(edge)} to {self.edge_name(image)}"
                yield Row(meaning, [edge], "=", 0, [(image, -1)])

    def _pair_rows(self, worth: Worth) -> Iterator[Row]:
        """Yield the rows that tie the variable of each pair to its two edges, as far as the objective needs it.

        They force the variable to the worse value.
        """
        for variable, pair in zip(worth.variables, worth.pairs, strict=False):
            if worth.weight > 0:
                meaning = f"x{variable} is 1 where {self.edge_name(pair[0])} and {self.edge_name(pair[1])} are made"
                yield Row(meaning, (variable, -pair[0], -pair[1]), ">=", 1)
            else:
                for edge in pair:
                    yield Row(f"x{variable} is 0 where {self.edge_name(edge)} is not made", (-variable, edge), ">=", 1)

    def cut_row(self, cut_set: Sequence[int]) -> Row:
        """Return the row that says that at least two edges leave this set of vertices.

        Where vertices may be left out, ``cut_set`` is a vertex outside and the set, and two edges leave it unless that
        vertex, or the first of the set, is left out.
        """
        apart, leaving = cut_set[:2] if self.left_out else (), set[int]()
        inside = cut_set[len(apart) // 2 :]
        for vertex in inside:
            leaving.symmetric_difference_update(self.incidence[vertex])
        names, unless = " ".join(self.names[vertex] for vertex in inside), " or ".join(self.names[v] for v in apart)
        meaning = f"a tour leaves {names} and comes back" + f", or leaves out {unless}" * bool(apart)
        return Row(meaning, sorted(leaving), ">=", 2, [term for v in apart for term in self._twice_left_out(v)])

    def _twice_left_out(self, vertex: int) -> list[tuple[int, int]]:
        """Return the term that counts 2 if the vertex is left out; none if that is not allowed."""
        return [(self.left_out[vertex], 2)] if vertex in self.left_out else []


# --- what a tour is worth ---


Point = tuple[int, ...]
Pair = tuple[int, int]
"""Two edges, by their numbers from 0."""


def pairs_in_line(graph: Graph, _work: Callable[[int], object]) -> Iterator[Pair]:
    """Yield the pairs of edges that are one step made twice: they share a vertex and go straight on."""
    points = graph.space.points().tolist()
    by_step: dict[tuple[int, Point], int] = {}
    for edge, (tail, head) in enumerate(graph.pairs()):
        step = _step_between(points[head], points[tail])
        by_step[tail, step] = by_step[head, _opposite_step(step)] = edge
    for (vertex, step), edge in by_step.items():
        following = by_step.get((vertex, _opposite_step(step)), edge)
        if edge < following:
            yield edge, following


def pairs_that_cross(graph: Graph, work: Callable[[int], object]) -> Iterator[Pair]:
    """Yield the pairs of edges that cross; ``work`` is called with the number of pairs looked at."""
    points = graph.space.points()
    begin, end = (points[ends].astype(np.int64) for ends in graph.edges())
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    begins, steps = begin.tolist(), (end - begin).tolist()
    for edge in range(len(begins)):
        work(len(begins) - edge)
        near = ((low[edge] <= high[edge + 1 :]) & (low[edge + 1 :] <= high[edge])).all(axis=1)
        for second in (np.flatnonzero(near) + edge + 1).tolist():
            work(8)
            if meet_inside(_step_between(begins[second], begins[edge]), steps[edge], steps[second]):
                yield edge, second


def meet_inside(offset: Sequence[int], first: Sequence[int], second: Sequence[int]) -> bool:
    """Return True if two steps cross: they meet in a point that is an end of neither, or along a piece.

    The second begins by ``offset`` after the first.
    """
    for i, j in combinations(range(len(first)), 2):
        if (minor := first[i] * second[j] - first[j] * second[i]) != 0:
            # offset = s first - t second in these two coordinates, s and t as multiples of 1 / minor
            s = offset[i] * second[j] - offset[j] * second[i]
            t = offset[i] * first[j] - offset[j] * first[i]
            meets = all(s * u - t * v == minor * w for u, v, w in zip(first, second, offset, strict=True))
            return meets and 0 < s * minor < minor * minor and 0 < t * minor < minor * minor
    if any(first[i] * offset[j] != first[j] * offset[i] for i, j in combinations(range(len(first)), 2)):
        return False
    axis = next(i for i, length in enumerate(first) if length)
    here, there = sorted((0, first[axis])), sorted((offset[axis], offset[axis] + second[axis]))
    return max(here[0], there[0]) < min(here[1], there[1])


def _step_between(to: Sequence[int], point: Sequence[int]) -> Point:
    """Return the step that leads from a point to another."""
    return tuple(x - y for x, y in zip(to, point, strict=True))


def _opposite_step(step: Point) -> Point:
    """Return the same step backwards."""
    return tuple(-length for length in step)


PAIRS: dict[str, tuple[Callable[[Graph, Callable[[int], object]], Iterator[Pair]], int]] = {
    "turns": (pairs_in_line, -1),
    "crossings": (pairs_that_cross, 1),
    "length": (lambda _graph, _work: iter(()), -1),
}
"""The pairs of edges of each objective, and their weight: -1 where they, or the vertices left out, are taken from the
vertices passed."""


class Worth:
    """The objective, a sum over pairs of moves, or vertices left out, that is to be least; their ``variables`` come
    after ``others`` more.

    ``pairs`` has the variables of each pair's edges, ``left_out`` that of each vertex that may be left out, ``weight``
    is that of each. `BadInput` if the moves of the problem are no straight lines, or there are more pairs than
    ``most``.
    """

    def __init__(
        self, problem: Problem, claim: BestClaim, others: int, most: int, work: Callable[[int], object]
    ) -> None:
        graph = problem.graph
        pairs_of, weight = PAIRS[claim.objective]
        ends = 0 if problem.closed or claim.objective == "length" else 2
        constant = 0 if weight > 0 else max(0, graph.order - ends)
        found = islice(pairs_of(graph, work), most + 1)
        self.pairs = sorted((first + 1, second + 1) for first, second in found)
        if len(self.pairs) > most:
            raise BadInput(f"there are more than {most:,} {claim.objective}, and problem.opb has no rows for so many")
        optional = claim.vertices_left_out(graph)
        self.variables = range(others + 1, others + 1 + len(self.pairs) + len(optional))
        self.left_out = dict(zip(optional, self.variables, strict=False))
        self.weight, self._constant = claim.sign * weight, claim.sign * constant

    def objective_line(self, *, plain: bool = False) -> str:
        """Return the objective as a line ``min: … ;`` of an OPB file; without its constant if ``plain``."""
        terms = [f"{self.weight:+d} x{variable}" for variable in self.variables]
        constant = [str(self._constant)] if not plain and (self._constant or not terms) else []
        return " ".join(["min:", *terms, *constant, ";"])

    def value_of(self, values: Sequence[bool]) -> int | None:
        """Return the objective's value for these values of the variables (entry 0 is unused), or None if a pair's
        variable isn't the conjunction of its two moves."""
        made = [values[first] and values[second] for first, second in self.pairs]
        if made != [values[variable] for variable in self.variables[: len(made)]]:
            return None
        return self._constant + self.weight * sum(values[variable] for variable in self.variables)

    def better_than(self, value: int) -> Constraint:
        """Return the constraint that the objective is less than the value."""
        return Constraint(dict.fromkeys(self.variables, -self.weight), self._constant - value + 1)


# --- the files ---


def read_formula(
    path: Path, cycle: TrueRows, cut_sets: Sequence[Sequence[int]], budget: Budget, *, counted: bool = False
) -> list[Side]:
    """Check that a file has the rows of the problem and its cut sets, and return their sides, the constraints 1, 2, …
    of the proof.

    `Refused` at the first line that differs. Where tours are counted the second line names the variables that tell them
    apart, all of them; where the best is sought, the sum that is to be least.
    """
    count, variables = len(cycle.rows) + len(cut_sets), cycle.variables
    with lines_of(path, budget) as lines:
        header = next(lines, b"")
        expect(f"* #variable= {variables} #constraint= {count}", header if header.startswith(b"*") else b"")
        if counted:
            expect(f"preserved: {' '.join(f'x{x}' for x in range(1, variables + 1))} ;", next(lines, b""))
        if cycle.worth is not None:
            expect(cycle.worth.objective_line(), next(lines, b""))
        sides = list(_read_rows(chain(cycle.rows, map(cycle.cut_row, cut_sets)), lines))
        if next(lines, None) is not None:
            raise Wrong(f"the problem has {count} rows, and this is more")
    return sides


def _read_rows(rows: Iterable[Row], lines: Iterator[bytes]) -> Iterator[Side]:
    """Yield the sides of each row; `Wrong` unless the next lines write exactly that row."""
    for row in rows:
        while (line := next(lines, b"")).startswith(b"*"):
            expect(f"* {row.meaning}", line)
        if not line:
            raise Wrong(f"the file ends before the row of ‘{row.meaning}’")
        expected, given = row.tokens(), ascii_text(line).split()
        for place, (mine, theirs) in enumerate(zip_longest(expected, given, fillvalue=""), start=1):
            if mine != theirs:
                wrong = f"token {place} must be {mine or 'nothing'}, and is {quoted(theirs)}"
                raise Wrong(f"this is not the row of ‘{row.meaning}’: {wrong}")
        yield row, False
        if row.relation == "=":
            yield row, True


def check_variables(path: Path, cycle: TrueRows, budget: Budget) -> None:
    """Raise `Refused` at the first line of the file that doesn't name the next variable and its edge, as in ``x7 =
    a5-b3``."""
    with lines_of(path, budget) as lines:
        for variable, edge in enumerate(cycle.variable_names(), start=1):
            expect(f"x{variable} = {edge}", next(lines, b""))
        if next(lines, None) is not None:
            raise Wrong(f"there are {cycle.variables} variables, and this is one more")
