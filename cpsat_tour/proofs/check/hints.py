"""Unit propagation over named constraints in a given order: how a step with hints is checked, by hand and in a single
pass.

As in the LRAT format for clauses (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp 2017), the hints stand in the
order in which they propagate, so that the work is as long as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from cpsat_tour.proofs.check.arithmetic import Constraint


def conflict_in_order(constraints: Iterable[Constraint]) -> bool:
    """Whether one of the constraints can't be met once each before it has made true what it can't do without."""
    value: dict[int, bool] = {}
    for constraint in constraints:
        terms = constraint.terms
        slack = -constraint.bound
        for variable, coefficient in terms.items():
            if value.get(variable, coefficient > 0):
                slack += coefficient
        if slack < 0:
            return True
        for variable, coefficient in terms.items():
            if variable not in value and abs(coefficient) > slack:
                value[variable] = coefficient > 0
    return False
