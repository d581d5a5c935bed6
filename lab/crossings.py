"""A bound on the crossings of closed tours, by a tree of linear programs with products (lab/census.md).

The program has a variable z[e, f] for each two moves, the product of x[e] and x[f], and the rows of `passages`
multiplied by x[e] and by 1 - x[e] (Adams & Sherali 1986), with the rows of three moves of Padberg (1989). As the number
of crossings looks the same from all sides, one variable stands for a pair and all its images. The branchings ask how
many images of a move, or of two moves, a tour makes: at most a number, or more.

Cost: of 8x8, 1,827 products up to symmetry, in minutes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp
from passages import Passages, Row, rest

from cpsat_tour import Board
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.runs import Clock
from cpsat_tour.proofs.write.subtour_lp import EPSILON, Program, violated_shores
from cpsat_tour.proofs.write.tour_certificates import FROM_THE_LAST_BASIS, SCALES
from cpsat_tour.spaces.objectives import pairs_that_cross

MOST_ROWS = 400
"""How many rows of products are added at once."""

PATIENT, IMPATIENT, LEAST_RISE = 5, 3, 0.01
"""After how many rounds with a lesser rise of the bound products branch, at first and later."""


class Products:
    """The program of crossings of a board, with a variable for each two moves and their images.

    ``product`` has the variable of each two moves, and ``move`` that of each move. Of each variable, ``several`` says
    for how many it stands, and ``costs`` how many crossings it counts, times the sign.
    """

    def __init__(self, rows: int, cols: int, sign: int) -> None:
        self.passages = passages = Passages(rows, cols)
        pairs = np.stack(np.triu_indices(passages.size), axis=1)
        images = [np.sort(image[pairs], axis=1) @ (passages.size, 1) for image in passages.images]
        number = np.unique(np.min(images, axis=0), return_inverse=True)[1]
        self.product = np.zeros((passages.size, passages.size), dtype=np.int64)
        self.product[*pairs.T] = self.product[*pairs.T[::-1]] = number
        self.move = np.diag(self.product)
        self.kinds = np.unique(self.move, return_index=True)[1].tolist()
        self.several = np.bincount(number)
        self.costs = np.zeros(number.max() + 1, dtype=np.int64)
        np.add.at(self.costs, self.product[*pairs_that_cross(Board(rows, cols).graph).T], sign)
        self.rows = list[Row]()
        for v in range(passages.order):
            at = np.flatnonzero((passages.tails == v) | (passages.heads == v))
            self._add((self.move[at], 1), bound=2, equal=True)
            for e in self.kinds:
                self._add((self.product[e, at], 1), (self.move[e], -2), equal=True)

    def _add(self, *terms: tuple[Any, int], bound: int = 0, equal: bool = False) -> None:
        """Add a row: the sum of these variables, each with its number."""
        numbers = np.zeros_like(self.costs)
        for columns, number in terms:
            np.add.at(numbers, columns, number)
        columns = np.flatnonzero(numbers)
        self.rows.append(Row(columns, numbers[columns], bound, equal))

    def add_side(self, column: int, number: int, sign: int) -> None:
        """Add the rows of one side of a branching: the sum over the images of a move, or of two moves, is at least this
        number, or with the sign -1 at most. If it is of a move, the row is multiplied by each move and its converse."""
        several, move = int(self.several[column]), self.move
        self._add((column, sign * several), bound=sign * number)
        images = np.flatnonzero(move == column)
        for e in self.kinds if len(images) else ():
            made = (self.product[e, images], sign), (move[e], -sign * number)
            self._add(*made)
            self._add((move[images], sign), *((columns, -factor) for columns, factor in made), bound=sign * number)

    def separate(self, values: NDArray[np.float64], clock: Clock) -> None:
        """Add rows that these values violate: at most `MOST_ROWS` of two or three moves, and those of cut sets."""
        passages, product, move = self.passages, self.product, self.move
        z, x = values[product], values[move]
        missed, rows = list[float](), list[tuple[Any, ...]]()
        for e in self.kinds:
            for kind, by in enumerate(
                (
                    np.diag(np.maximum(z[e] - np.minimum(x[e], x), 0)),
                    np.diag(np.maximum(x[e] + x - z[e] - 1, 0)),
                    z[e][:, None] + z[e] - z - x[e],
                    x[e] + x[:, None] + x - z[e][:, None] - z[e] - z - 1,
                )
            ):
                for f, g in np.argwhere(np.triu(by, kind > 1) > 1e-3).tolist():
                    if e not in (f, g):
                        missed.append(by[f, g])
                        rows.append((kind, *sorted(product[[e, e, f], [f, g, g]].tolist()), e, f, g))
        kept = dict[tuple[int, ...], tuple[int, int, int, int]]()
        for place in np.argsort(missed)[::-1].tolist():
            *key, e, f, g = rows[place]
            kept.setdefault((*key, move[e] if key[0] == 2 else 0), (key[0], e, f, g))
            if len(kept) == MOST_ROWS:
                break
        for kind, e, f, g in kept.values():
            if kind == 0:  # both moves, so each of them
                self._add((move[e if x[e] < x[f] else f], 1), (product[e, f], -1))
            elif kind == 1:  # not both, so not one of them
                self._add((product[e, f], 1), (move[[e, f]], -1), bound=-1)
            elif kind == 2:  # e with f and e with g, so e, or else f with g
                self._add((move[e], 1), (product[f, g], 1), (product[e, [f, g]], -1))
            else:  # of three, two more than one
                self._add((product[[e, e, f], [f, g, g]], 1), (move[[e, f, g]], -1), bound=-1)
        for e, made in [(e, made) for e in self.kinds for made in (True, False)]:
            share = x[e] if made else 1 - x[e]
            point = np.clip((z[e] if made else x - z[e]) / max(share, EPSILON), 0, 1)
            shores = violated_shores(passages.order, passages.tails, passages.heads, point, clock.check)
            for moves in [passages.cut(shore).columns for shore in shores] if share > EPSILON else []:
                if made:
                    self._add((product[e, moves], 1), (move[e], -2))
                else:
                    self._add((move[moves], 1), (product[e, moves], -1), (move[e], 2), bound=2)

    def least(self, scale: int, multipliers: Mapping[int, int]) -> int:
        """Return a bound, in whole numbers: no tour has a lower cost times ``scale``."""
        left, total = rest(self.costs, self.rows, scale, multipliers)
        return total + int(np.minimum(left, 0).sum())


class CrossingsTree:
    """A branch and bound search that refutes that a tour of a board has so few crossings, times the sign.

    At a branching, a sum over all images of a move, or of two moves, is at most a number or else greater: this leaves
    the program its symmetry. ``leaves`` has for each leaf its multipliers, with the rows, and the scale.
    """

    def __init__(self, rows: int, cols: int, sign: int, seconds: float) -> None:
        self.products, self.leaves = Products(rows, cols, sign), list[tuple[int, list[tuple[int, Row]]]]()
        self._clock, self._program = Clock(seconds), Program(FROM_THE_LAST_BASIS)
        self._variables = [self._program.variable(cost, 0, 1) for cost in self.products.costs.tolist()]
        self._stated, self._ended = list[pywraplp.Constraint](), set[int]()

    def bound(self) -> int:
        """Return a bound that the first program proves, in one leaf."""
        self._solve(None, PATIENT)
        return max(map(self._leaf, SCALES))

    def refutes(self, most: int) -> bool:
        """Return whether it refutes that a tour has at most so many; its leaves are then the proof."""
        self.leaves.clear()
        try:
            return self._search(most, PATIENT)
        except StoppedEarly:
            return False

    def _search(self, most: int, patience: int) -> bool:
        """Refute that a tour on this side of all branchings so far has at most so many; return False if it is not known
        where to branch."""
        products, variables = self.products, self._variables
        if self._solve(most, patience) > most + EPSILON and any(self._leaf(scale, most) > most for scale in SCALES):
            return True
        sums = products.several * np.array([variable.solution_value() for variable in variables])
        part = np.abs(sums - np.floor(sums) - 0.5)
        column = min(np.unique(products.move), key=lambda move: part[move])
        if part[column] > 0.5 - EPSILON:
            column = int(part.argmin())
        if part[column] > 0.5 - EPSILON:
            return False
        below, first = int(sums[column]), bool(sums[column] % 1 > 0.5)
        for greater in (first, not first):
            begun = len(products.rows)
            products.add_side(column, below + greater, 1 if greater else -1)
            side = range(begun, len(products.rows))
            refuted = self._search(most, IMPATIENT)
            for place in side:
                self._stated[place].SetBounds(-self._program.infinity, self._program.infinity)
            self._ended.update(side)
            if not refuted:
                return False
        return True

    def _solve(self, most: int | None, patience: int) -> float:
        """Solve the program, with more and more rows, until the least cost is greater than ``most``, or hardly rises in
        so many rounds, and return it; `StoppedEarly` if the time is over, unless ``most`` is None."""
        products, costs = self.products, list[float]()
        while len(costs) <= patience or costs[-1] > costs[-1 - patience] + LEAST_RISE:
            for row in products.rows[len(self._stated) :]:
                terms = zip([self._variables[column] for column in row.columns], row.numbers.tolist(), strict=True)
                most_of = row.bound if row.equal else self._program.infinity
                self._stated.append(self._program.row(row.bound, most_of, terms))
            if (least := self._program.optimum(self._clock)) is None:
                raise StoppedEarly("time")
            costs.append(least)
            if most is not None and least > most + LEAST_RISE:
                break
            before = len(products.rows)
            products.separate(np.array([variable.solution_value() for variable in self._variables]), self._clock)
            if len(products.rows) == before:
                break
        return costs[-1]

    def _leaf(self, scale: int, most: int | None = None) -> int:
        """Return the bound in whole numbers that the rounded dual values prove, and keep it as a leaf if it is greater
        than ``most``."""
        whole = [(n, round(scale * row.dual_value())) for n, row in enumerate(self._stated) if n not in self._ended]
        rows = self.products.rows
        multipliers = {place: number for place, number in whole if number > 0 or (number and rows[place].equal)}
        bound = -(-self.products.least(scale, multipliers) // scale)
        if most is not None and bound > most:
            self.leaves.append((scale, [(number, rows[place]) for place, number in multipliers.items()]))
        return bound
