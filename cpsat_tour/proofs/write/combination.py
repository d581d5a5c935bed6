"""A linear combination of rows that adds up to a contradiction, in exact integers: Farkas's lemma (1902) as a proof.

Multiply the degree row of each vertex by an integer of either sign and each cut set by a positive one, and add. The sum
says that ``c x >= b`` for the edges' coefficients ``c``. Then cancel each edge by what is known of it alone: a required
edge is 1, a forbidden one is 0, any other lies between 0 and 1. So the multipliers of vertices and cut sets determine
everything else, and the combination is a refutation exactly if the *gain*, the right-hand side of ``0 >= gain``, is
positive. The multipliers are integers with one common ``scale``: people read ``1/2`` where the proof, which has no
fractions, has 1 after doubling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar, TypeVar

import numpy as np

from cpsat_tour.core.refutation import RefutationKind
from cpsat_tour.proofs.write.veripb import CycleRows, ProofStep, RowFormula, Vertices

Key = TypeVar("Key")

MAX_MULTIPLIER = 10**6
"""Multipliers beyond this are no proof for people, and their sums might leave int64."""


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
        """The number of rows and bounds with a multiplier."""
        parts = (self.vertices, self.cut_sets, self.required, self.forbidden, self.lower, self.upper)
        return sum(len(part) for part in parts) + bool(self.contradiction)

    def fraction_text(self, multiplier: int) -> str:
        """Return a multiplier as people read it: ``1/2``."""
        return str(Fraction(multiplier, self.scale))

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the one step of the proof, in reverse Polish: its sum is ``0 >= gain``."""
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
        yield ProofStep("pol", (added(terms),))


def added(terms: Iterable[tuple[str, int]]) -> str:
    """Return the sum of these multiples of rows and literals in reverse Polish."""
    words = list[str]()
    for what, number in terms:
        words += [what, *([f"{number} *"] if number != 1 else []), *(["+"] if words else [])]
    return " ".join(words)


def refutation(
    cycle: CycleRows, vertices: Mapping[int, Fraction | int], cut_sets: Mapping[Vertices, Fraction | int]
) -> Combination | None:
    """Return the refutation with these multipliers of degree rows and cut sets, completed and evaluated exactly; None
    if they refute nothing."""
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
    """Return the numbers that are not 0, by their keys."""
    return {key: number for key, number in zip(keys, numbers, strict=False) if number}
