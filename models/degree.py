"""The degree constraints as clauses: exactly two edges at each vertex, or one arc out and one in, built without a loop
over vertices.

The clauses at a vertex depend on its degree d alone, so one *template* per degree, a set of clauses over the local
variables ``1..d`` (the edges) and ``d+1..`` (auxiliary ones), is instantiated for all vertices of that degree at once
by indexing.

* d <= 4, *direct*: every d-1 edges contain one of the tour, of every three edges one is not. ``d + C(d,3)`` clauses, no
  variables.
* 5 <= d <= 12, *halves*: a truncated totalizer (Bailleux & Boufkhad 2003) of two leaves. The edges are split in two
  halves A and B, two variables say that A has at least one and at least two edges, and as the sum is two they say the
  same of B: B has at least one exactly when A has fewer than two. ``1 + 2h + C(h,2) + C(h,3)`` clauses for each half of
  h edges, and one more; two variables. That is 39 clauses at a vertex of degree eight, where direct ones are 64.
* d > 12 (the apex of an open tour, dense graphs), *counter*: a sequential counter (Sinz 2005) with a variable for "at
  least one" and "at least two" of the first i edges. ``9d - 5`` clauses, ``2d`` variables.

Both kinds of auxiliary variables are determined by the edges, in both directions, so a formula has as many models as
2-factors. They are numbered after the edges, vertex by vertex in the order of the numbering, so that solvers decide
them last: by then they follow.

Over arcs the rule is exactly one out of, and one into, each vertex (`exactly_one`): one of them, and no two of at most
five. Where there are more, three of them are replaced by a variable that any of the three implies, their *commander*
(Klieber & Kwon 2007), until five are left: linear in the degree. Commanders aren't determined by the arcs: a solver may
set them needlessly.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula import Clauses, Cnf, Sizes
from cpsat_tour.models.numbering import Numbering, number_edges
from cpsat_tour.models.stated import BATCH, StatedClauses

MAX_DIRECT = 4
MAX_HALVED = 12
MAX_PAIRED = 5
GROUP = 3


@dataclass(frozen=True)
class Template:
    """The constraint at a vertex of one degree: clauses by length, over the edges ``1..degree`` and further
    variables."""

    degree: int
    auxiliary: int
    blocks: tuple[Clauses, ...]

    @property
    def clauses(self) -> int:
        """The number of clauses."""
        return sum(len(block) for block in self.blocks)


@cache
def exactly_two(degree: int) -> Template:
    """The template of the rule that exactly two of this many edges are chosen."""
    if degree < 2:
        # The empty clause: the rule can't be met.
        return Template(degree, 0, (np.empty((1, 0), dtype=np.int32),))
    return (
        _direct(degree)
        if degree <= MAX_DIRECT
        else _halves(degree)
        if degree <= MAX_HALVED
        else _sequential_counter(degree)
    )


def _direct(degree: int) -> Template:
    edges = range(1, degree + 1)
    clauses: list[tuple[int, ...]] = [*combinations(edges, degree - 1)]
    clauses += [(-a, -b, -c) for a, b, c in combinations(edges, 3)]
    return Template(degree, 0, _by_length(clauses))


def _halves(degree: int) -> Template:
    one, two = degree + 1, degree + 2
    first, second = range(1, degree // 2 + 1), range(degree // 2 + 1, degree + 1)
    clauses: list[tuple[int, ...]] = [(-two, one)]
    for half, some, both in ((first, one, two), (second, -two, -one)):
        clauses += [(-edge, some) for edge in half]
        clauses += [(-a, -b, both) for a, b in combinations(half, 2)]
        clauses += [(-a, -b, -c) for a, b, c in combinations(half, 3)]
        clauses += [(-some, *half)]
        clauses += [(-both, *others) for others in combinations(half, len(half) - 1)]
    return Template(degree, 2, _by_length(clauses))


def _by_length(clauses: list[tuple[int, ...]]) -> tuple[Clauses, ...]:
    lengths = sorted({len(clause) for clause in clauses})
    return tuple(
        np.array([clause for clause in clauses if len(clause) == length], dtype=np.int32) for length in lengths
    )


def _sequential_counter(degree: int) -> Template:
    """Built column by column, for the apex has an edge to every vertex."""
    edges = np.arange(1, degree + 1, dtype=np.int32)
    one, two = degree + 2 * edges - 1, degree + 2 * edges
    # What is said of the edges from the second on, and of the counts before them.
    edge, one_now, two_now, one_before, two_before = edges[1:], one[1:], two[1:], one[:-1], two[:-1]
    of_two = [
        (-edge, one_now),
        (-one_before, one_now),
        (-two_before, two_now),
        (-edge, -two_before),
        (-two_now, one_now),
    ]
    of_three = [
        (-one_now, edge, one_before),
        (-edge, -one_before, two_now),
        (-two_now, edge, two_before),
        (-two_now, one_before, two_before),
    ]
    first = [(-1, one[0]), (1, -one[0])]
    units = [(-two[0],), (two[-1],)]
    blocks = (
        np.array(units, dtype=np.int32),
        np.concatenate([np.array(first, dtype=np.int32), *(np.stack(columns, axis=1) for columns in of_two)]),
        np.concatenate([np.stack(columns, axis=1) for columns in of_three]),
    )
    return Template(degree, 2 * degree, blocks)


@cache
def exactly_one(degree: int) -> Template:
    """The template of the rule that exactly one of this many arcs is chosen."""
    arcs = range(1, degree + 1)
    clauses: list[tuple[int, ...]] = [tuple(arcs)]
    variables, left = degree, deque(arcs)
    while len(left) > MAX_PAIRED:
        variables += 1
        group = [left.popleft() for _ in range(GROUP)]
        clauses += [(-arc, variables) for arc in group]
        clauses += [(-a, -b) for a, b in combinations(group, 2)]
        left.append(variables)
    clauses += [(-a, -b) for a, b in combinations(left, 2)]
    return Template(degree, variables - degree, _by_length(clauses))


def auxiliary_variables(problem: CycleProblem) -> int:
    """The number of auxiliary variables of the degree constraints."""
    return int(auxiliary_at_each(exactly_two, np.diff(problem.incidence[0])).sum())


def auxiliary_at_each(rule: Callable[[int], Template], degrees: NDArray[np.integer]) -> NDArray[np.int64]:
    """The number of auxiliary variables that the rule has at each vertex; templates are made of the degrees that occur
    alone, for one of the apex of an open tour is as large as the graph."""
    occurring, which = np.unique(degrees, return_inverse=True)
    return np.array([rule(degree).auxiliary for degree in occurring.tolist()], dtype=np.int64)[which]


def exactly_two_edges_at_each_vertex(problem: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The degree constraints in batches of clauses of one length, about `BATCH` of them each."""
    indptr, incident = problem.incidence
    degrees = np.diff(indptr)
    yield from instances(
        exactly_two, indptr, numbering.variables[incident], _first_auxiliary_variables(problem, numbering, degrees)
    )


def instances(
    rule: Callable[[int], Template], indptr: Ints, literals: Ints, first_auxiliary: Ints
) -> Iterator[Clauses]:
    """The clauses of a rule at every vertex, by the template that it has for the vertex's degree, in batches of one
    length.

    Vertex ``v`` has the literals ``literals[indptr[v]:indptr[v + 1]]``, and auxiliary variables from
    ``first_auxiliary[v]`` on.
    """
    degrees = np.diff(indptr)
    for degree in np.flatnonzero(np.bincount(degrees)).tolist():
        template = rule(degree)
        vertices = np.flatnonzero(degrees == degree)
        step = max(1, BATCH // template.clauses)
        for begin in range(0, len(vertices), step):
            some = vertices[begin : begin + step]
            local = np.empty((len(some), degree + template.auxiliary), dtype=np.int32)
            local[:, :degree] = np.sort(literals[indptr[some][:, None] + np.arange(degree)], axis=1)
            local[:, degree:] = first_auxiliary[some][:, None] + np.arange(template.auxiliary)
            for block in template.blocks:
                clauses = (np.sign(block) * local[:, np.abs(block) - 1]).reshape(len(some) * len(block), block.shape[1])
                yield from (clauses[row : row + BATCH] for row in range(0, len(clauses), BATCH))


def tied_edges(problem: CycleProblem, numbering: Numbering) -> Clauses:
    """The edges of an orbit of a symmetry are used together: two clauses for each pair of edges that follow each other
    in it."""
    one, other = numbering.variables[problem.pairs].T
    return np.concatenate([np.stack([-one, other], axis=1), np.stack([one, -other], axis=1)])


def required_edges(problem: CycleProblem, numbering: Numbering) -> Clauses:
    """A unit clause for each edge that the cycle must use."""
    return numbering.variables[problem.required][:, None]


def _first_auxiliary_variables(problem: CycleProblem, numbering: Numbering, degrees: Ints) -> Ints:
    """For each vertex its first auxiliary variable: they come after the edges, in the order of the vertices."""
    counts = auxiliary_at_each(exactly_two, degrees[numbering.vertices])
    first = np.empty(problem.order, dtype=np.int32)
    first[numbering.vertices] = problem.size + 1 + np.cumsum(counts) - counts
    return first


def degree_constraints(cycle: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The clauses of the degree constraints and the required edges, in batches."""
    yield from exactly_two_edges_at_each_vertex(cycle, numbering)
    yield required_edges(cycle, numbering)


def two_factor_clauses(cycle: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The same, and the edges that a symmetry ties together."""
    yield from degree_constraints(cycle, numbering)
    yield tied_edges(cycle, numbering)


def state_degree_constraints(stated: StatedClauses, cycle: CycleProblem, numbering: Numbering) -> None:
    """Take the variables of the edges and of the degree constraints, and state these and the required edges."""
    stated.take(cycle.size + auxiliary_variables(cycle))
    for clauses in degree_constraints(cycle, numbering):
        stated.add(clauses)


class TwoFactorFormula:
    """A formulation, called ``name`` in its files, that states the degree constraints first and cuts off subtours
    later."""

    name: ClassVar[str]

    def formula(self, cycle: CycleProblem, seed: int = 0) -> Cnf:
        """The degree constraints and required edges."""
        numbering = number_edges(cycle, seed)
        stated = StatedClauses(self.name, most=math.inf)
        state_degree_constraints(stated, cycle, numbering)
        variables, tied = stated.sizes.variables, [tied_edges(cycle, numbering)]
        return Cnf(
            cycle,
            numbering.edges,
            variables,
            variables - cycle.size,
            stated.blocks,
            tied,
            backend=self.name,
            relaxed=True,
        )

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Their variables, clauses and literals, without keeping them."""
        stated = StatedClauses(self.name, kept=False)
        numbering = number_edges(cycle, 0)
        state_degree_constraints(stated, cycle, numbering)
        stated.add(tied_edges(cycle, numbering))
        return stated.sizes
