"""A linear combination of rows that adds up to a contradiction, in exact integers: Farkas's lemma (1902) as a proof.

Multiply the degree row of each vertex by an integer of either sign and each cut set by a positive one, and add. The sum
says that ``c x >= b`` for the edges' coefficients ``c``. What is left of each edge is then taken away by what is known
of it alone: a required edge is 1, a forbidden one is 0, any other lies between 0 and 1. So the multipliers of vertices
and cut sets fix everything else, and the combination is a refutation exactly when the *gain*, the right-hand side that
remains of ``0 >= gain``, is positive.

Reading: the multipliers are kept as integers with one common ``scale``, so that what people see is ``1/2`` where the
proof, which knows no fractions, has 1 after doubling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import RefutationKind
from cpsat_tour.proofs.write.rows import CycleRows, Vertices
from cpsat_tour.proofs.write.veripb import ProofStep, RowFormula

MAX_MULTIPLIER = 10**6
"""Multipliers beyond this are no proof for people, and their sums might leave int64."""


@dataclass(frozen=True)
class Combination:
    """Integer multipliers of rows whose sum is ``0 >= gain`` with ``gain >= 1``; divided by ``scale`` they are what
    people read.

    ``vertices``, ``required`` and ``forbidden`` have multipliers of either sign (a negative one is of the ``<=`` half),
    ``cut_sets`` positive ones; ``lower`` and ``upper`` are the positive multipliers of ``x >= 0`` and ``x <= 1``;
    ``contradiction`` is that of the row ``0 = 1``.
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
    tours: ClassVar = None
    best: ClassVar = None

    @property
    def terms(self) -> int:
        """The number of rows and bounds with a multiplier."""
        parts = (self.vertices, self.cut_sets, self.required, self.forbidden, self.lower, self.upper)
        return sum(len(part) for part in parts) + bool(self.contradiction)

    def value(self, multiplier: int) -> str:
        """A multiplier as people read it: ``1/2``."""
        return str(Fraction(multiplier, self.scale))

    def _parts(self, formula: RowFormula) -> Iterator[tuple[int | str, int]]:
        """What each multiplier multiplies, a row's id (of the half it is of) or a literal; and the multiplier."""
        for vertex, number in sorted(self.vertices.items()):
            yield _half(2 * vertex + 1, number), number
        for edge, number in sorted(self.required.items()):
            yield _half(formula.required_id(edge), number), number
        if self.contradiction:
            yield formula.contradiction_id, self.contradiction
        for edge, number in sorted(self.forbidden.items()):
            yield _half(formula.forbidden_id(edge), number), number
        for place, shore in enumerate(formula.cut_sets):
            yield formula.cut_id(place), self.cut_sets[shore]
        for sign, side in (("", self.lower), ("~", self.upper)):
            for edge, number in sorted(side.items()):
                yield f"{sign}x{edge + 1}", number

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """The one step of the proof, in reverse Polish: its sum is ``0 >= gain``."""
        words: list[str] = []
        for place, (what, number) in enumerate(self._parts(formula)):
            words.append(str(what))
            if abs(number) != 1:
                words.append(f"{abs(number)} *")
            if place:
                words.append("+")
        yield ProofStep("pol", (" ".join(words),))

    def length(self, formula: RowFormula) -> int:
        """The id of that step."""
        return formula.ids + 1


def _half(number: int, multiplier: int) -> int:
    """The id of the half of an ``=`` that a multiplier of this sign multiplies."""
    return number if multiplier > 0 else number + 1


def refutation(
    cycle: CycleRows, vertices: Mapping[int, Fraction | int], cut_sets: Mapping[Vertices, Fraction | int]
) -> Combination | None:
    """The refutation with these multipliers of degree rows and cut sets, completed and evaluated exactly; None where
    they are none."""
    scale, whole = _integers([*vertices.values(), *cut_sets.values()])
    if whole is None or any(number < 0 for number in whole[len(vertices) :]):
        return None
    degree = {vertex: number for vertex, number in zip(vertices, whole, strict=False) if number}
    cuts = {shore: number for shore, number in zip(cut_sets, whole[len(vertices) :], strict=True) if number}
    coefficients = edge_coefficients(cycle, degree, cuts)
    rises = np.where(cycle.undecided, np.maximum(coefficients, 0), 0)
    gain = 2 * (sum(degree.values()) + sum(cuts.values())) - int(rises.sum()) - int(coefficients[cycle.required].sum())
    if gain <= 0:
        return None
    falls = np.where(cycle.undecided, np.maximum(-coefficients, 0), 0)
    return Combination(
        degree,
        cuts,
        {edge: -int(coefficients[edge]) for edge in cycle.required.tolist() if coefficients[edge]},
        {edge: -int(coefficients[edge]) for edge in cycle.forbidden.tolist() if coefficients[edge]},
        {edge: int(falls[edge]) for edge in np.flatnonzero(falls).tolist()},
        {edge: int(rises[edge]) for edge in np.flatnonzero(rises).tolist()},
        gain,
        scale,
    )


def edge_coefficients(
    cycle: CycleRows, vertices: Mapping[int, int], cut_sets: Mapping[Vertices, int]
) -> NDArray[np.int64]:
    """The coefficient of each edge in the sum of the degree rows and cut sets."""
    at = np.zeros(cycle.order, dtype=np.int64)
    at[list(vertices)] = list(vertices.values())
    coefficients = at[cycle.tails] + at[cycle.heads]
    for shore, number in cut_sets.items():
        coefficients[cycle.cut(shore)] += number
    return coefficients


def _integers(values: Iterable[Fraction | int]) -> tuple[int, list[int] | None]:
    """What to divide by for reading (2 where ones and halves come out, else 1), and the values as coprime integers;
    None if too large."""
    fractions = [Fraction(value) for value in values]
    denominator = lcm(*(value.denominator for value in fractions))
    whole = [int(value * denominator) for value in fractions]
    divisor = gcd(*whole) or 1
    whole = [number // divisor for number in whole]
    largest = max((abs(number) for number in whole), default=0)
    if largest > MAX_MULTIPLIER:
        return 1, None
    return (2 if largest == 2 else 1), whole
