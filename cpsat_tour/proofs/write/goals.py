"""The rows of a goal, the fewest or the most of something: a variable for each pair of moves that counts.

What they say, and why, stands in `cpsat_tour.proofs.check.worth`, which rebuilds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cpsat_tour.proofs.write.dialects import Clause

if TYPE_CHECKING:
    from cpsat_tour.backends.best_goals import PairGoal


@dataclass(frozen=True, eq=False)
class GoalRows:
    """The pairs of a goal, their variables numbered from ``first``, after those of the edges."""

    goal: PairGoal
    first: int

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges of each pair, from 0, in lexicographic order."""
        return sorted((one, other) for one, other in self.goal.sum.pairs.tolist())

    @property
    def sign(self) -> int:
        """What values are multiplied by, so that less is better."""
        return -1 if self.goal.maximize else 1

    @property
    def weight(self) -> int:
        """What each pair that a tour has adds to the sum that is to be least."""
        return self.sign * self.goal.sum.weight

    def clauses(self) -> Iterator[tuple[int, Clause]]:
        """For each row the variable of a pair, and the literals of which one is true."""
        for variable, (one, other) in enumerate(self.pairs, start=self.first):
            if self.weight > 0:
                yield variable, (variable, -one - 1, -other - 1)
            else:
                yield from ((variable, (-variable, one + 1)), (variable, (-variable, other + 1)))

    @property
    def lines(self) -> int:
        """The number of rows."""
        return len(self.pairs) if self.weight > 0 else 2 * len(self.pairs)

    def objective(self, *, plain: bool = False) -> str:
        """The line of the OPB file that says what is to be least; a plain one leaves out the constant."""
        terms = [f"{self.weight:+d} x{self.first + number}" for number in range(len(self.pairs))]
        constant = 0 if plain else self.sign * self.goal.sum.constant
        return " ".join(["min:", *terms, *([str(constant)] if constant or not (terms or plain) else []), ";"])

    def made(self, edges: set[int]) -> list[bool]:
        """Whether a tour with these edges has each pair."""
        return [one in edges and other in edges for one, other in self.pairs]

    def worse(self) -> list[int]:
        """The literals that add one to the sum, but for a constant."""
        return [self.weight * (self.first + number) for number in range(len(self.pairs))]
