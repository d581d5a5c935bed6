"""The degree constraints as clauses: exactly two edges at each vertex, or one arc out and one in, built without a loop
over vertices.

The clauses at a vertex depend on its degree d alone:

    d <= 4, direct
        one of the edges of D           for each set D of d - 1 of them
        not e or not f or not g         for every three edges
    5 <= d <= 12, two halves; one, two: at least one, two of the first half's edges are chosen
        two => one
        e => one_of_it                  for each edge e of a half: one; not two in the second
        e and f => two_of_it            for every two edges of it: two; not one in the second
        not e or not f or not g         for every three edges of it
        one_of_it => one of its edges
        two_of_it => one of D           for each set D of all its edges but one
    d > 12, counter; s[i], t[i]: at least one, two of the first i edges are chosen
        s[i] <=> e[i] or s[i - 1]
        t[i] <=> t[i - 1] or (e[i] and s[i - 1])
        t[i] => s[i]
        not e[i] or not t[i - 1]
        not t[1], t[d]

Direct clauses are ``d + C(d,3)``, without variables. Halves are a truncated totalizer of two leaves (Bailleux &
Boufkhad 2003): two variables, ``1 + 2h + C(h,2) + C(h,3)`` clauses for each half of h edges, and one more. That is 39
at a vertex of degree eight, where direct ones are 64. The counter, for the apex of an open tour and dense graphs, is
Sinz's (2005): ``2d`` variables, ``9d - 5`` clauses.

A *template* has the clauses for one degree over the local variables ``1..d`` (the edges) and ``d+1..`` (auxiliary
ones), and is instantiated for all vertices of that degree at once by indexing.

The auxiliary variables of both kinds are determined by the edges, in both directions, so a formula has as many models
as 2-factors. They are numbered after the edges, vertex by vertex in the order of the numbering, so that solvers decide
them last: by then they follow.

Over arcs the rule is exactly one out of, and one into, each vertex (`exactly_one`):

    exactly one of the arcs out of a vertex, or into it
        one of the arcs
        a => c                          for each a of three arcs that their commander c replaces, until five are left
        not a or not b                  for every two of those three
        not a or not b                  for every two of those left

Commanders (Klieber & Kwon 2007) make this linear in the degree. They aren't determined by the arcs: a solver may set
them needlessly. Two rules more are those of papers whose encodings are stated as printed:

    by products: more than four arcs stand in a grid of p columns and q rows, p the root of their number, rounded up
        a => r, a => c                  for each arc a, its row r and its column c
        no two rows, no two columns
    split: while more than four are left
        not a or not b                  for every two of x, y, z and a new d; then (not d) and the others are left

Products are Chen's (2010), and split at-most-ones those of Heule (2021). A product takes p + q variables, split ones
about half of the arcs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, groupby, repeat
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import in_rows
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Registered
from cpsat_tour.formats.formula import Clauses, Cnf, Named, Sizes
from cpsat_tour.models.arcs import section_names, section_variables, stops_in_order
from cpsat_tour.models.loop.numbering import Numbering

Rule: TypeAlias = "Callable[[int], Template]"
"""A rule at a vertex: the template for each degree."""

BATCH = 1 << 14  # clauses, about, that are made at a time: it bounds the memory
MAX_DIRECT = 4
MAX_HALVED = 12
MAX_WITHOUT_COMMANDERS = 5
GROUP = 3


@dataclass(frozen=True)
class Template:
    """The clauses of a constraint at a vertex of some degree: ``blocks`` of clauses of one length each.

    Variables ``1..degree`` are the edges; ``auxiliary`` further ones follow.
    """

    auxiliary: int
    blocks: tuple[Clauses, ...]

    @classmethod
    def from_clauses(cls, auxiliary: int, clauses: Iterable[tuple[int, ...]]) -> Template:
        """Return a template with these clauses and this number of auxiliary variables."""
        by_length = groupby(sorted(clauses, key=len), key=len)
        return cls(auxiliary, tuple(np.array([*block], dtype=np.int32) for _, block in by_length))


@cache
def exactly_two(degree: int) -> Template:
    """Return the template that says that exactly two of ``degree`` edges are chosen."""
    if degree < 2:
        return Template.from_clauses(0, [()])  # the empty clause: the rule can't be met
    if degree > MAX_HALVED:
        return _sequential_counter(degree)
    edges, negated = range(1, degree + 1), range(-1, -degree - 1, -1)
    if degree <= MAX_DIRECT:
        return Template.from_clauses(0, chain(combinations(edges, degree - 1), combinations(negated, 3)))
    one, two, middle = degree + 1, degree + 2, degree // 2
    clauses: list[tuple[int, ...]] = [(-two, one)]
    for half, none, one_of_it, two_of_it in (
        (edges[:middle], negated[:middle], one, two),
        (edges[middle:], negated[middle:], -two, -one),
    ):
        clauses += zip(none, repeat(one_of_it))
        clauses += [(*pair, two_of_it) for pair in combinations(none, 2)]
        clauses += combinations(none, 3)
        clauses += [(-one_of_it, *half)]
        clauses += [(-two_of_it, *others) for others in combinations(half, len(half) - 1)]
    return Template.from_clauses(2, clauses)


def _sequential_counter(degree: int) -> Template:
    """Return the template of a sequential counter that says that exactly two edges are chosen (Sinz 2005).

    It is for a large degree, and built by columns, not clause by clause, since the apex has an edge to every vertex.
    """
    edges = np.arange(1, degree + 1, dtype=np.int32)
    ones, twos = degree + 2 * edges - 1, degree + 2 * edges
    # x: an edge from the second on; s and t: one and two of the edges up to it; s_ and t_: of the edges before it.
    x, s, t, s_, t_ = edges[1:], ones[1:], twos[1:], ones[:-1], twos[:-1]
    binary = [(-x, s), (-s_, s), (-t_, t), (-x, -t_), (-t, s)]
    ternary = [(-s, x, s_), (-x, -s_, t), (-t, x, t_), (-t, s_, t_)]
    first = np.array([(-1, ones[0]), (1, -ones[0])], dtype=np.int32)
    return Template(
        2 * degree,
        (
            np.array([(-twos[0],), (twos[-1],)], dtype=np.int32),
            np.concatenate([first, *(np.stack(columns, axis=1) for columns in binary)]),
            np.concatenate([np.stack(columns, axis=1) for columns in ternary]),
        ),
    )


@cache
def exactly_one(degree: int) -> Template:
    """Return the template that says that exactly one of ``degree`` arcs is chosen."""
    arcs = range(1, degree + 1)
    clauses: list[tuple[int, ...]] = [tuple(arcs)]
    commander, left = degree, deque(arcs)
    while len(left) > MAX_WITHOUT_COMMANDERS:
        commander += 1
        group = [left.popleft() for _ in range(GROUP)]
        clauses += [(-arc, commander) for arc in group]
        clauses += [(-a, -b) for a, b in combinations(group, 2)]
        left.append(commander)
    clauses += [(-a, -b) for a, b in combinations(left, 2)]
    return Template.from_clauses(commander - degree, clauses)


@cache
def exactly_one_by_products(degree: int) -> Template:
    """Return the template that says that exactly one of ``degree`` arcs is chosen, by a product of rows and columns."""
    arcs = range(1, degree + 1)
    if degree <= MAX_DIRECT:
        return Template.from_clauses(0, [tuple(arcs), *((-a, -b) for a, b in combinations(arcs, 2))])
    columns = isqrt(degree - 1) + 1
    rows = -(-degree // columns)
    clauses: list[tuple[int, ...]] = [tuple(arcs)]
    clauses += [(-arc, degree + 1 + (arc - 1) // columns) for arc in arcs]
    clauses += [(-arc, degree + rows + 1 + (arc - 1) % columns) for arc in arcs]
    for first, count in ((degree + 1, rows), (degree + rows + 1, columns)):
        clauses += [(-a, -b) for a, b in combinations(range(first, first + count), 2)]
    return Template.from_clauses(rows + columns, clauses)


@cache
def exactly_one_split(degree: int) -> Template:
    """Return the template that says that exactly one of ``degree`` arcs is chosen, by at-most-ones of four literals."""
    left, clauses, last = list(range(1, degree + 1)), [tuple(range(1, degree + 1))], degree
    while len(left) > MAX_DIRECT:
        last += 1
        clauses += [(-a, -b) for a, b in combinations([*left[:3], last], 2)]
        left = [-last, *left[3:]]
    return Template.from_clauses(last - degree, clauses + [(-a, -b) for a, b in combinations(left, 2)])


def auxiliary_names(letter: str, rule: Rule, degrees: NDArray[np.integer], vertices: NDArray[np.integer]) -> Named:
    """Return the names of the auxiliary variables of a rule, at the vertices in this order: a vertex and a number."""
    counts = auxiliary_at_each(rule, degrees)[vertices]
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return letter, (np.repeat(vertices, counts), np.arange(len(before)) - before), 1


def two_factor_names(numbering: Numbering) -> list[Named]:
    """Return the names of the auxiliary variables of `two_factor_clauses`, in their order."""
    cycle = numbering.cycle
    return [auxiliary_names("degree", exactly_two, cycle.degrees, numbering.vertices), section_names(cycle)]


def auxiliary_variables(problem: CycleProblem) -> int:
    """Return the number of auxiliary variables of the degree constraints."""
    return int(auxiliary_at_each(exactly_two, problem.degrees).sum())


def auxiliary_at_each(rule: Rule, degrees: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the number of auxiliary variables that the rule takes at a vertex of each of these degrees.

    Templates are made only of the degrees that occur: that of an open tour's apex is as large as the graph.
    """
    occurring, which = np.unique(degrees, return_inverse=True)
    return np.array([rule(degree).auxiliary for degree in occurring.tolist()], dtype=np.int64)[which]


def clauses_at_vertices(
    rule: Rule,
    ends: NDArray[np.integer],
    literals: Ints,
    unused: int,
    vertices: NDArray[np.integer],
) -> Generator[Clauses, None, int]:
    """Yield the clauses of a rule at each vertex, in batches of one length; return the first variable after those that
    they take.

    The template for the vertex's degree has the clauses. Literal ``k`` is one at vertex ``ends[k]``. Auxiliary
    variables are taken from ``unused`` on, in the order of the ``vertices``, which are 0 to k - 1 in some order.
    """
    indptr, literals = in_rows(ends, literals, len(vertices))
    degrees = np.diff(indptr)
    counts = auxiliary_at_each(rule, degrees[vertices])
    first = np.empty(len(vertices), dtype=np.int64)
    first[vertices] = unused + np.cumsum(counts) - counts
    for degree in np.flatnonzero(np.bincount(degrees)).tolist():
        template = rule(degree)
        of_degree = np.flatnonzero(degrees == degree)
        step = max(1, BATCH // sum(map(len, template.blocks)))
        for begin in range(0, len(of_degree), step):
            some = of_degree[begin : begin + step]
            local = np.empty((len(some), degree + template.auxiliary), dtype=np.int32)
            local[:, :degree] = np.sort(literals[indptr[some][:, None] + np.arange(degree)], axis=1)
            local[:, degree:] = first[some][:, None] + np.arange(template.auxiliary)
            for block in template.blocks:
                clauses = np.sign(block) * local[:, np.abs(block) - 1]
                yield clauses.reshape(len(some) * len(block), block.shape[1])
    return unused + int(counts.sum())


def degree_constraints(numbering: Numbering) -> Iterator[Clauses]:
    """Yield the clauses that say that exactly two edges are used at each vertex, then a unit clause for each required
    edge.

    Auxiliary variables come after the edges, in the order of the numbering.
    """
    cycle = numbering.cycle
    ends, variables = np.concatenate([cycle.tails, cycle.heads]), np.tile(numbering.variables, 2)
    yield from clauses_at_vertices(exactly_two, ends, variables, cycle.size + 1, numbering.vertices)
    yield numbering.variables[cycle.required][:, None]


def tied_edges_are_equal(numbering: Numbering) -> Clauses:
    """Return the clauses that say that a symmetry's tied edges, those of one orbit, are all used or none is.

    There are two for each pair of edges that follow each other in an orbit.
    """
    a, b = numbering.variables[numbering.cycle.tied_pairs].T
    return np.concatenate([np.stack([-a, b], axis=1), np.stack([a, -b], axis=1)])


def ties_and_sections(numbering: Numbering) -> Iterator[Clauses]:
    """Yield the clauses on the edges that a symmetry ties together and, if there are waypoints, those on the sections.

    The variables of the sections come after those of the degree constraints.
    """
    cycle = numbering.cycle
    yield tied_edges_are_equal(numbering)
    if cycle.source.waypoints:
        first = cycle.size + auxiliary_variables(cycle) + 1
        yield from stops_in_order(cycle, cycle.tails, cycle.heads, numbering.variables, first)


def two_factor_clauses(numbering: Numbering) -> Iterator[Clauses]:
    """Yield the clauses of the degree constraints, of required and tied edges, and of the sections."""
    yield from degree_constraints(numbering)
    yield from ties_and_sections(numbering)


class TwoFactorFormula(Registered):
    """A formulation that states the degree constraints first and cuts off subtours later."""

    plain: bool

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Cnf:
        """Return the formula of the degree constraints, of required and tied edges, and of sections; ``heartbeat`` is
        called meanwhile."""
        numbering, auxiliary = Numbering(cycle, seed), auxiliary_variables(cycle)
        return Cnf(
            cycle,
            numbering.edges,
            cycle.size + auxiliary + section_variables(cycle),
            auxiliary,
            [*with_heartbeats(degree_constraints(numbering), heartbeat, steps=BATCH)],
            [*ties_and_sections(numbering)],
            two_factor_names(numbering),
            self.name,
            relaxed=True,
            plain=self.plain,
        )

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the numbers of variables, clauses and literals, without keeping the clauses."""
        counted = (Sizes(0, len(block), block.size) for block in two_factor_clauses(Numbering(cycle)))
        return sum(counted, Sizes(cycle.size + auxiliary_variables(cycle) + section_variables(cycle)))
