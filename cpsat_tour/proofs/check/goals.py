"""What a tour is worth, as the checker rebuilds it: a variable for each pair of moves that counts, and their sum.

The value of a tour is a constant and a weight, 1 or -1, for each of certain pairs of moves that it makes both of
(`cpsat_tour.spaces.objectives`). The sum that is to be least has that weight for the variable of each pair, after those
of the edges; where the most is sought, all signs are turned. A row says of a variable with weight 1 that it is 1 where
both moves are made, two rows say of one with weight -1 that it is 0 where one of them is not. So a solution of the rows
that shows a tour is worth no less than the tour, and with each pair as its moves are it is worth as much.

A proof *shows* tours by ``soli``, each better than the one before, with the variable of each pair true exactly where
both moves are made; from then on the sum must be less. A contradiction in the end says that nothing is better than the
last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.arithmetic import Constraint


@dataclass(frozen=True)
class BestClaim:
    """No tour has fewer, or more, of these than ``value``, and one has as many."""

    objective: str
    maximize: bool
    value: int

    @property
    def sign(self) -> int:
        """What values are multiplied by, so that less is better."""
        return -1 if self.maximize else 1


class Worth:
    """The sum that is to be least, over the pairs of moves of a problem; the variables of the pairs come after so many
    others.

    `BadInput` where the tours of the problem have no such value, or there are more crossing moves than ``most``.
    """

    def __init__(self, problem: Problem, claim: BestClaim, others: int, most: int) -> None:
        from cpsat_tour.spaces.objectives import OBJECTIVES  # a compiler takes a while to load

        stated = OBJECTIVES[claim.objective].stated(problem, most=most)
        self.pairs: NDArray[np.int64] = np.unique(stated.pairs.astype(np.int64).reshape(-1, 2), axis=0) + 1
        self.weight, self._constant = claim.sign * stated.weight, claim.sign * stated.constant
        self._first = others + 1

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def row_count(self) -> int:
        """The number of rows that tie the pairs to their moves."""
        return len(self) if self.weight > 0 else 2 * len(self)

    def clauses(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """For each row its literals, of which one is true, negative for a negated variable; the variable of the pair
        first."""
        for number, (one, other) in enumerate(self.pairs.tolist(), start=self._first):
            if self.weight > 0:
                yield number, (number, -one, -other)
            else:
                yield from ((number, (-number, one)), (number, (-number, other)))

    def tokens(self) -> list[str]:
        """The objective as OPB writes it."""
        terms = (token for number in range(len(self)) for token in (f"{self.weight:+d}", f"x{self._first + number}"))
        return ["min:", *terms, *([str(self._constant)] if self._constant or not len(self) else []), ";"]

    def of(self, true: NDArray[np.bool_]) -> int | None:
        """What a solution is worth, an entry for each variable from 0 on; None where a pair is not what its moves
        are."""
        both = true[self.pairs].all(axis=1)
        mine = true[self._first : self._first + len(self)]
        return None if (both != mine).any() else self._constant + self.weight * int(both.sum())

    def better_than(self, value: int) -> Constraint:
        """The sum is less than the value."""
        return Constraint(
            {self._first + number: -self.weight for number in range(len(self))}, self._constant - value + 1
        )
