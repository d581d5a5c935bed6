"""Definitions of fresh variables, and the clauses that they allow: exactly two of many literals are true.

``s_i`` says that one of the first ``i`` literals is true, ``t_i`` that one from the ``i``-th on is (the ladder of Gent
& Nightingale 2004, from both ends). Exactly two are true if no literal lies between a true prefix and a true suffix,
and none separates an empty prefix from an empty suffix.
"""

from __future__ import annotations

from collections.abc import Callable

from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.proofs.write.veripb import ProofStep, rup, term


def prefixes_and_suffixes(
    literals: list[int], at_most_row: int, last_variable: int, last_id: int, tick: Callable[[], None] = lambda: None
) -> list[ProofStep]:
    """Return the steps that define the fresh variables and derive that exactly two of the literals are true.

    ``at_most_row`` is the id of the row that says that at most two are; the one before says at least two. The fresh
    variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``.
    """
    count = len(literals)
    steps: list[ProofStep] = []
    some_of: dict[tuple[int, int], int] = {(0, 1): literals[0], (count - 1, count): literals[-1]}
    definition: dict[int, int] = {}
    ranges = [(0, stop) for stop in range(2, count)] + [(start, count) for start in range(count - 2, 0, -1)]
    numbered = enumerate(ranges, start=last_variable + 1)
    for number, (start, stop) in with_heartbeats(numbered, tick, steps=count):  # a definition is as long as its range
        within = literals[start:stop]
        some_of[start, stop] = number
        steps.append(ProofStep("red", (f"{term(-number)} {' '.join(map(term, within))} >= 1", f"x{number} -> 0")))
        definition[number] = last_id + len(steps)
        negated = " ".join(term(-literal) for literal in within)
        steps.append(ProofStep("red", (f"+{len(within)} x{number} {negated} >= {len(within)}", f"x{number} -> 1")))
    for start, stop in ranges:
        whole = some_of[start, stop]
        shorter, added = (
            (some_of[0, stop - 1], literals[stop - 1]) if start == 0 else (some_of[start + 1, count], literals[start])
        )
        up, down = definition[whole] + 1, definition[whole]
        of_shorter = [definition[shorter]] if shorter in definition else []
        steps.append(rup((-whole, shorter, added), [*(number + 1 for number in of_shorter), down]))
        steps += [rup((whole, -shorter), [up, *of_shorter]), rup((whole, -added), [up])]
    for place in range(1, count - 1):
        before, after = some_of[0, place], some_of[place + 1, count]
        terms = "".join(f" {definition[variable]} +" for variable in (before, after) if variable in definition)
        steps.append(ProofStep("pol", (f"{at_most_row}{terms}",), (-before, -literals[place], -after)))
    for place in range(count):
        sides = ((0, place), (place + 1, count))
        clause = tuple(some_of[side] for side in sides if side in some_of)
        steps.append(
            rup(clause, (*(definition[variable] + 1 for variable in clause if variable in definition), at_most_row - 1))
        )
    return steps
