"""Sums of rows as proofs, in exact integers: one that adds up to a contradiction, those that a person would try first,
and trees of sums, which show that no tour is better.

*One sum*, Farkas's lemma (1902) as a proof. Multiply the degree row of each vertex by an integer of either sign and
each cut set by a positive one, and add. The sum says that ``c x >= b`` for the edges' coefficients ``c``. Then cancel
each edge by what is known of it alone: a required edge is 1, a forbidden one is 0, any other lies between 0 and 1. So
the multipliers of vertices and cut sets determine everything else, and the combination is a refutation exactly if the
*gain*, the right-hand side of ``0 >= gain``, is positive. The multipliers are integers with one common ``scale``:
people read ``1/2`` where the proof, which has no fractions, has 1 after doubling.

*By hand*: one vertex, one component, the two colours.

*The degrees alone.* A graph without a fractional 2-factor has no tour. Split every vertex ``v`` into ``v`` and ``v +
order``, and every edge ``uv`` into ``u -> v + order`` and ``v -> u + order``: a point with degree 2 at each vertex
becomes a flow of 2 through each, and the mean of such a flow and its reverse is a point. If no flow is that large, a
minimum cut (Ford & Fulkerson 1956) has the vertices A, and those split off from B, on the source's side, and the degree
rows of A minus those of B contradict each other: the moves at A have more ends than B and the edges from A to the
others can take. On thousands of vertices the flow takes milliseconds where the linear program takes seconds. Limits:
the flow can't be interrupted, so it is not asked about graphs of more than `MAX_EDGES` edges.

*A tree*, which branch and bound (`tour_certificates`) writes down. A leaf is a sum of rows with one that says that a
tour is better. Each variable cancels but decided edges, and what is left says that one of these is otherwise, a clause.
Two clauses that differ in an edge add up to one without it, so that the last is empty. *Rivals* are an edge at a vertex
and the pairs there without it, of which at most one is used: a pair takes two edges, so that half of the degree row
says that, rounded (Gomory 1958). In a sum ``r5`` is the row 5, in the order of the formula, then rivals, then cut sets;
row 0 says that a tour is better, ``n5`` is the other half of an ``=``, and ``s5`` is the sum 5: ids are known when all
cut sets are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from typing import ClassVar, TypeVar

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import RefutationKind
from cpsat_tour.core.space import Ints
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.claim import BestClaim
from cpsat_tour.proofs.check.rows import Worth
from cpsat_tour.proofs.write.veripb import CycleRows, ProofStep, RowFormula, Vertices

Key = TypeVar("Key")

Clause = frozenset[int]

MAX_MULTIPLIER = 10**6
"""Multipliers beyond this are no proof for people, and their sums might leave int64."""

MAX_EDGES = 500_000


@dataclass(frozen=True)
class Combination:
    """Integer multipliers of rows whose sum is ``0 >= gain`` with ``gain >= 1``; people read them divided by ``scale``.

    ``vertices``, ``required`` and ``forbidden`` have multipliers of either sign, a negative one of the ``<=`` half of
    its row; ``cut_sets`` has positive ones; ``lower`` and ``upper`` have the positive multipliers of ``x >= 0`` and ``x
    <= 1``; ``contradiction`` is that of the row ``0 = 1``.
    """

    vertices: Mapping[int, int]
    cut_sets: Mapping[Vertices, int]
    required: Mapping[int, int]
    forbidden: Mapping[int, int]
    lower: Mapping[int, int]
    upper: Mapping[int, int]
    gain: int
    scale: int = 1
    contradiction: int = 0

    method: ClassVar[RefutationKind] = "lp"
    length: ClassVar[int] = 1
    tours: ClassVar = None
    best: ClassVar = None

    @property
    def term_count(self) -> int:
        """The number of rows and bounds that the sum has."""
        parts = (self.vertices, self.cut_sets, self.required, self.forbidden, self.lower, self.upper)
        return sum(len(part) for part in parts) + bool(self.contradiction)

    def fraction_text(self, multiplier: int) -> str:
        """Return a multiplier, divided by the scale, as text: ``1/2``."""
        return str(Fraction(multiplier, self.scale))

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the one step of the proof, which adds everything up to ``0 >= gain`` in reverse Polish notation."""
        cycle = formula.cycle
        multipliers = [self.vertices.get(vertex, 0) for vertex in range(cycle.order)]
        multipliers += [self.required.get(edge, 0) for edge in cycle.required.tolist()]
        multipliers += [] if cycle.stated.contradiction is None else [self.contradiction]
        multipliers += [self.forbidden.get(edge, 0) for edge in cycle.forbidden.tolist()]
        multipliers += [0] * (len(formula.rows) - len(multipliers) - len(formula.cut_sets))
        multipliers += [self.cut_sets[shore] for shore in formula.cut_sets]
        rows = zip(formula.row_ids, multipliers, strict=False)
        terms = [(str(row + (number < 0)), abs(number)) for row, number in rows if number]  # the <= half follows the >=
        for sign, side in (("", self.lower), ("~", self.upper)):
            terms += [(f"{sign}x{edge + 1}", number) for edge, number in sorted(side.items())]
        yield ProofStep("pol", (rpn_sum(terms),))


def rpn_sum(terms: Iterable[tuple[str, int]]) -> str:
    """Return the sum of these terms, each with its multiplier, in reverse Polish notation."""
    words = list[str]()
    for what, number in terms:
        words += [what, *([f"{number} *"] if number != 1 else []), *(["+"] if words else [])]
    return " ".join(words)


def refutation(
    cycle: CycleRows, vertices: Mapping[int, Fraction | int], cut_sets: Mapping[Vertices, Fraction | int]
) -> Combination | None:
    """Return the refutation with these multipliers of degree rows and cut sets, evaluated exactly; None if they refute
    nothing.

    The bounds of edges are added as the sum needs them.
    """
    fractions = list(map(Fraction, [*vertices.values(), *cut_sets.values()]))
    denominator = lcm(*(value.denominator for value in fractions))
    multiples = [int(value * denominator) for value in fractions]
    divisor = gcd(*multiples) or 1
    largest = max(map(abs, multiples), default=0) // divisor
    if largest > MAX_MULTIPLIER or min(multiples[len(vertices) :], default=0) < 0:
        return None
    whole = [number // divisor for number in multiples]
    degree = _nonzero(vertices, whole)
    cuts = _nonzero(cut_sets, whole[len(vertices) :])
    at = np.zeros(cycle.order, dtype=np.int64)
    at[list(degree)] = list(degree.values())
    coefficients = at[cycle.tails] + at[cycle.heads]
    for shore, number in cuts.items():
        coefficients[cycle.cut_set(shore)] += number
    rises = np.where(cycle.undecided, np.maximum(coefficients, 0), 0)
    gain = 2 * (sum(degree.values()) + sum(cuts.values())) - int(rises.sum()) - int(coefficients[cycle.required].sum())
    if gain <= 0:
        return None
    falls = np.where(cycle.undecided, np.maximum(-coefficients, 0), 0)
    required, forbidden = (
        _nonzero(edges.tolist(), (-coefficients[edges]).tolist()) for edges in (cycle.required, cycle.forbidden)
    )
    lower, upper = (_nonzero(range(cycle.size), sides.tolist()) for sides in (falls, rises))
    return Combination(degree, cuts, required, forbidden, lower, upper, gain, 2 if largest == 2 else 1)


def _nonzero(keys: Iterable[Key], numbers: Iterable[int]) -> dict[Key, int]:
    """Return a dictionary of the numbers that are not 0, by their keys."""
    return {key: number for key, number in zip(keys, numbers, strict=False) if number}


# --- by hand ---


def refutation_by_hand(cycle: CycleRows, tick: Callable[[], None] = lambda: None) -> Combination | None:
    """Return the first refutation of a few simple kinds, which a person would try, or None.

    These are: the row ``0 = 1``, or an edge both required and forbidden; a vertex with fewer than two allowed edges, or
    more than two required ones; vertices that no allowed edge leaves; too many vertices of one colour. ``tick`` is
    called between two kinds.
    """
    if cycle.stated.contradiction is not None:
        return Combination({}, {}, {}, {}, {}, {}, gain=1, contradiction=1)
    for edge in np.intersect1d(cycle.required, cycle.forbidden).tolist():
        return Combination({}, {}, {edge: 1}, {edge: -1}, {}, {}, gain=1)
    for edges, sign in ((np.flatnonzero(cycle.allowed), 1), (cycle.required, -1)):
        ends = np.concatenate([cycle.tails[edges], cycle.heads[edges]])
        surplus = sign * (np.bincount(ends, minlength=cycle.order) - 2)
        if (surplus < 0).any():
            return refutation(cycle, {int(surplus.argmin()): sign}, {})
    tick()
    parts = components(cycle.order, cycle.tails[cycle.allowed], cycle.heads[cycle.allowed])
    if parts.any():
        smallest = np.flatnonzero(parts == np.bincount(parts).argmin())
        return refutation(cycle, {}, {cycle.shore(smallest.tolist()): 1})
    tick()
    colours = cycle.problem.allowed.colours
    for signs in () if colours is None else (1 - 2 * colours, 2 * colours - 1):
        multipliers = dict(enumerate(signs.tolist()))
        if cycle.apex is not None:
            multipliers[cycle.apex] = -1
        if found := refutation(cycle, multipliers, {}):
            return found
    return None


def components(order: int, tails: Ints, heads: Ints) -> Ints:
    """Return the number of each vertex's connected component under these edges."""
    return Graph.from_edges(order, np.stack([tails, heads], axis=1)).components


# --- the degrees alone ---


def refutation_by_degrees(cycle: CycleRows) -> Combination | None:
    """Return a refutation by degree rows alone; None if there is none, as a fractional 2-factor has the required edges,
    or if there are more than `MAX_EDGES` edges.

    No vertex may have more than two of these: that is refuted by hand.
    """
    if cycle.size > MAX_EDGES:
        return None
    from ortools.graph.python.max_flow import SimpleMaxFlow  # OR-Tools takes a while to load

    order, (source, sink) = cycle.order, (2 * cycle.order, 2 * cycle.order + 1)
    ends = np.stack([cycle.tails, cycle.heads])
    tails, heads = ends[:, cycle.undecided]
    lacking = 2 - np.bincount(ends[:, cycle.required].ravel(), minlength=order)
    vertices = np.arange(order)
    network = SimpleMaxFlow()
    network.add_arcs_with_capacity(
        np.concatenate([tails, heads, np.full(order, source), vertices + order]).astype(np.int32),
        np.concatenate([heads + order, tails + order, vertices, np.full(order, sink)]).astype(np.int32),
        np.concatenate([np.ones(2 * len(tails), dtype=np.int64), lacking, lacking]),
    )
    network.solve(source, sink)
    if network.optimal_flow() == lacking.sum():
        return None
    shore = np.zeros(2 * order + 2, dtype=bool)
    shore[network.get_source_side_min_cut()] = True
    multipliers = shore[:order].astype(np.int64) - shore[order : 2 * order]
    return refutation(cycle, {vertex: number for vertex, number in enumerate(multipliers.tolist()) if number}, {})


# --- a tree of sums ---


@dataclass(frozen=True, eq=False)
class TreeProof:
    """The proof that nothing is better than ``best``, by a tree of sums.

    It has the shores of cut sets, the steps that show the best tour and derive the rivals, and the sums, the last of
    which is a contradiction, or the bound if no tour is shown.
    """

    cut_sets: tuple[Vertices, ...]
    derived: tuple[ProofStep, ...]
    sums: tuple[str, ...]
    best: BestClaim

    method: ClassVar[RefutationKind] = "lp"
    tours: ClassVar = None

    @property
    def length(self) -> int:
        """The number of constraints that the proof derives."""
        return len(self.derived) + len(self.sums)

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the steps of the proof from the formula's rows."""
        yield from self.derived
        stated, first = len(formula.cycle.stated.rows), formula.ids + 1
        last = first + len(self.derived)
        ids = [first, *formula.row_ids[:stated], *range(first + self.best.shown, last), *formula.row_ids[stated:]]
        named = {"r": ids, "n": [number + 1 for number in ids], "s": range(last, last + len(self.sums))}
        for words in self.sums:
            yield ProofStep("pol", (re.sub(r"([rns])(\d+)", lambda name: str(named[name[1]][int(name[2])]), words),))


def sum_of(
    rows: Sequence[Constraint], multipliers: Mapping[int, int], decided: Mapping[int, bool], *, shown: bool = True
) -> tuple[str, Clause] | None:
    """Return the sum of rows with these multipliers, evaluated exactly, and the clause that follows: one of the decided
    variables has another value. None if nothing follows.

    If no tour is ``shown``, row 0 is left out of the sum, which says in its place that no tour is so good.
    """
    terms = [(f"{'r' if number > 0 else 'n'}{row}", abs(number)) for row, number in multipliers.items() if row or shown]
    total, clause = Constraint({}, 0), set[int]()
    for row, number in multipliers.items():
        total = total.plus(rows[row].times(number))
    gain = total.bound
    for variable, coefficient in total.terms.items():
        kept = decided.get(variable) is (coefficient < 0)
        gain -= coefficient if kept is (coefficient < 0) else 0
        if kept:
            clause.add(variable if coefficient > 0 else -variable)
        else:
            terms.append((f"{'~' * (coefficient > 0)}x{variable}", abs(coefficient)))
    return (f"{rpn_sum(terms)} {gain if shown else multipliers[0]} d s", frozenset(clause)) if gain > 0 else None


def rivals_of(cycle: CycleRows, worth: Worth) -> dict[tuple[int, int], tuple[ProofStep, Constraint]]:
    """Return the rows that say that, of an edge at a vertex and the pairs of other edges there, at most one is used;
    each with the step that derives it.

    The keys are the vertex and the edge's variable. There are such rows only if a tour with many pairs is sought.
    """
    ids, rivals = RowFormula(cycle).row_ids, dict[tuple[int, int], tuple[ProofStep, Constraint]]()
    places = {pair: place for place, pair in enumerate(worth.pairs if worth.weight < 0 else ())}
    for vertex, edges in enumerate(cycle.stated.incidence):
        here = [pair for pair in combinations(edges, 2) if pair in places]
        for edge in edges:
            if pairs := [pair for pair in here if edge not in pair]:
                rows = (2 * (places[pair] - len(places)) + side - 1 for pair in pairs for side in (0, 1))
                others = sorted({*edges}.difference([edge], *pairs))
                terms = [str(ids[vertex] + 1), *(str(ids[row]) for row in rows), *(f"x{other}" for other in others)]
                variables = [edge, *(worth.variables[places[pair]] for pair in pairs)]
                step = ProofStep("pol", (f"{rpn_sum((term, 1) for term in terms)} 2 d",))
                rivals[vertex, edge] = step, Constraint(dict.fromkeys(variables, -1), -1)
    return rivals


def rivals_of_loops(cycle: CycleRows) -> Iterator[tuple[ProofStep, Constraint]]:
    """Yield the rows that say that an edge is not used at a vertex that is left out, each with the step that derives
    it."""
    ids = RowFormula(cycle).row_ids
    for vertex, left_out in cycle.stated.left_out.items():
        for edge in (edges := cycle.stated.incidence[vertex]):
            terms = [str(ids[vertex] + 1), *(f"x{other}" for other in edges if other != edge)]
            yield (
                ProofStep("pol", (f"{rpn_sum((term, 1) for term in terms)} s",)),
                Constraint({edge: -1, left_out: -1}, -1),
            )
