"""A small language of rows, in which a linear program reads as its formulas.

    x = program.columns("x", tails, heads, whole=True)       a column for each arc
    program.add(sum_at(tails, x, n) == 1)                    a row for each vertex: one of the arcs that leave it
    p = program.columns("p", vertices, most=n - 2)           a column for each vertex
    program.add(p[tails] - p[heads] + (n - 1) * x <= n - 2)  a row for each arc

Everything is an array: `Sums` is an array of weighted sums of columns, a single column being the shortest sum. Sums are
added and compared index by index, and `sum_at` adds up those that belong to one place. Comparing them with numbers, or
with other sums, gives `Rows`, which a `LinearProgram` takes. Inside, the sums are the rows of a sparse matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Floats

Numbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Sums:
    """An array of weighted sums of columns: the first has the first ``lengths[0]`` of the ``columns`` with their
    ``weights``, the next those after them, and so on."""

    lengths: Numbers
    columns: Numbers
    weights: Floats

    def __getitem__(self, which: Numbers | NDArray[np.bool_] | list[int]) -> Sums:
        """Return the sums of these indices, or where the flags are True."""
        chosen = np.arange(len(self.lengths))[which]
        lengths, ends = self.lengths[chosen], np.cumsum(self.lengths)
        before = np.cumsum(lengths) - lengths
        entries = np.arange(lengths.sum()) + np.repeat(ends[chosen] - lengths - before, lengths)
        return Sums(lengths, self.columns[entries], self.weights[entries])

    def over(self, lists: Sequence[Numbers]) -> Sums:
        """Return a sum for each list of indices: that of all in the list."""
        return sum_at(np.repeat(np.arange(len(lists)), list(map(len, lists))), self[np.concatenate(lists)], len(lists))

    def __rmul__(self, factor: float) -> Sums:
        return Sums(self.lengths, self.columns, factor * self.weights)

    def __add__(self, other: Sums) -> Sums:
        return add_up([self, other])

    def __sub__(self, other: Sums) -> Sums:
        return self + -1 * other

    def __le__(self, right: Sums | Floats | float) -> Rows:
        return self._compared("<=", right)

    def __ge__(self, right: Sums | Floats | float) -> Rows:
        return self._compared(">=", right)

    def __eq__(self, right: Sums | Floats | float) -> Rows:  # type: ignore[override]
        return self._compared("=", right)

    __hash__ = None  # type: ignore[assignment]

    def _compared(self, sign: str, right: Sums | Floats | float) -> Rows:
        if isinstance(right, Sums):
            return Rows(self - right, sign, np.zeros(len(self.lengths)))
        return Rows(self, sign, np.broadcast_to(np.float64(right), len(self.lengths)))


def sum_at(places: Numbers, sums: Sums, count: int) -> Sums:
    """Return ``count`` sums: the one at each place adds up the given sums of which it is the place."""
    of_entry = np.repeat(places, sums.lengths)
    order = np.argsort(of_entry, kind="stable")
    return Sums(np.bincount(of_entry, minlength=count), sums.columns[order], sums.weights[order])


def add_up(arrays: Sequence[Sums]) -> Sums:
    """Return the sum of arrays of one length, index by index."""
    lengths, columns, weights = (
        np.concatenate([getattr(sums, part) for sums in arrays]) for part in ("lengths", "columns", "weights")
    )
    count = len(arrays[0].lengths)
    return sum_at(np.tile(np.arange(count), len(arrays)), Sums(lengths, columns, weights), count)


@dataclass(frozen=True)
class Rows:
    """An array of rows: each of the ``sums`` is ``<=``, ``=`` or ``>=``, by the ``sign``, the number to its right."""

    sums: Sums
    sign: str
    right: Floats

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the most that each sum may be."""
        none = np.full(len(self.right), np.inf)
        return -none if self.sign == "<=" else self.right, none if self.sign == ">=" else self.right
