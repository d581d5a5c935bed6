"""When a new variable may be introduced: the rule for ``red`` lines.

A proof may not assume anything, but it may give names: ``red <constraint> : x -> 1`` says that the constraint defines
``x``. Accepted is the special case of redundancy with a witness (Järvisalo, Heule & Biere 2012 for clauses; Gocht &
Nordström 2021 for pseudo-Boolean constraints) in which

1. ``x`` is *fresh*: its number is above the formula's, and it occurs in no step so far but its own definitions (``red``
   lines with ``x`` as the witness);
2. the constraint holds whenever ``x`` has the value of the witness, whatever the other variables are;
3. with each earlier definition of ``x`` by the opposite value: where one of the two fails because of ``x``, the other
   holds without ``x``. For two clauses this says that their resolvent on ``x`` is a tautology.

*Soundness.* Invariant: every 0/1 solution of the formula extends to one of all constraints derived so far, deleted ones
included. Take such an extension, and let it falsify the new definition C. By 2, ``x`` has not the value of the witness.
Give it that value: C holds by 2; earlier definitions by the same value hold by 2; one by the opposite value, D, held
because of ``x`` or not, and holds now by 3, C without ``x`` being false; no other constraint has ``x`` in it by 1. So a
contradiction in the end leaves no solution of the formula.

Condition 3 in numbers: let C without ``x`` be ``b1 l1 + … >= A`` in saturated normal form, and D without ``x`` be ``c1
k1 + … >= D``. If the first is false, ``b1 ~l1 + … >= b1 + … - A + 1``, and so the left side of D is at least the sum of
``min(b, c)`` over the literals opposite in both, less ``A - 1``.
"""

from __future__ import annotations

from collections.abc import Iterable

from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.text import Budget, Wrong


class Definitions:
    """The fresh variables: those *open* to further definition with their definitions, and those *used*, closed for
    good."""

    def __init__(self, variables: int, budget: Budget) -> None:
        self._variables, self._budget = variables, budget
        self._open: dict[int, list[Constraint]] = {}
        self._used: set[int] = set()

    def use(self, variables: Iterable[int]) -> None:
        """These variables occur in a step that does not define them."""
        for variable in variables:
            if variable > self._variables:
                self._used.add(variable)
                self._budget.hold(-sum(definition.memory for definition in self._open.pop(variable, ())))

    def define(self, constraint: Constraint, variable: int, value: bool) -> None:
        """Take the constraint as a definition of the variable, true whenever it has the value; `Wrong` where the rule
        forbids that."""
        if variable <= self._variables:
            raise Wrong(
                f"x{variable} is a variable of the formula: only fresh variables, from x{self._variables + 1} "
                "on, can be defined"
            )
        if variable in self._used:
            raise Wrong(f"x{variable} is not fresh: it occurs in an earlier step that does not define it")
        constraint = constraint.saturated()
        sign = 1 if value else -1
        if sign * constraint.terms.get(variable, 0) < constraint.degree or variable not in constraint.terms:
            raise Wrong(
                f"the constraint does not define x{variable}: it must hold whenever x{variable} is {int(value)}"
            )
        for earlier in self._open.get(variable, ()):
            self._budget.work(1 + len(constraint.terms))
            if earlier.terms[variable] * sign < 0 and not _one_holds(constraint, earlier, variable):
                raise Wrong(
                    f"x{variable} has a definition by the other value, ‘{earlier}’, and both can't be met at "
                    "once in every case"
                )
        self._open.setdefault(variable, []).append(constraint)
        self._budget.hold(constraint.memory)
        self.use(other for other in constraint.terms if other != variable)


def _one_holds(one: Constraint, other: Constraint, variable: int) -> bool:
    """Condition 3: where the one fails because of the variable, the other holds without it."""
    clash = sum(
        min(abs(coefficient), abs(opposite))
        for term, coefficient in one.terms.items()
        if term != variable and (opposite := other.terms.get(term, 0)) * coefficient < 0
    )
    return clash >= one.degree + other.degree - 1
