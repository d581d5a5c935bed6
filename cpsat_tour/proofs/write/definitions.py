"""Definitions of fresh variables: that exactly two of many literals are true, and that at most so many are.

*Two* (`prefixes_and_suffixes`): ``s_i`` says that one of the first ``i`` literals is true, ``t_i`` that one from the
``i``-th on is (the ladder of Gent & Nightingale 2004, from both ends). Exactly two are true when between a prefix and a
suffix never lies a third, and no literal alone parts an empty prefix from an empty suffix.

*At most so many* (`at_most`): the totalizer of Bailleux & Boufkhad (2003). For each group of literals, half of a larger
one, a fresh variable ``s_m`` says that at least ``m`` of them are true. Two ``red`` steps define it; that ``a`` of the
one half and ``b`` of the other make ``a + b`` of the whole is the sum of three definitions, and that both halves of
everything do not make too many is a sum with the row. Cost: some n b log n clauses for n literals and the bound b, each
with a sum of as many terms as its group has literals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cpsat_tour.proofs.write.veripb import Clause, ProofStep, rup, term

DEFINITIONS_BETWEEN_TICKS = 256


def prefixes_and_suffixes(
    literals: list[int], at_most_row: int, last_variable: int, last_id: int, tick: Callable[[], None] = lambda: None
) -> list[ProofStep]:
    """The definitions of the fresh variables and the clauses that say that exactly two of the literals are true.

    ``at_most_row`` is the id of the row that says that at most two are, the one before says at least two. The fresh
    variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``.
    """
    count = len(literals)
    steps: list[ProofStep] = []
    some_of: dict[tuple[int, int], int] = {(0, 1): literals[0], (count - 1, count): literals[-1]}
    definition: dict[int, int] = {}
    ranges = [(0, stop) for stop in range(2, count)] + [(start, count) for start in range(count - 2, 0, -1)]
    for number, (start, stop) in enumerate(ranges, start=last_variable + 1):
        if not number % DEFINITIONS_BETWEEN_TICKS:
            tick()  # each definition is as long as its range, so that of thousands of literals they take seconds
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


@dataclass
class _Group:
    """Literals, and for each m from 1 on a variable that says that at least m are true, with the ids of its
    definitions.

    A single literal is its own total, and has no definitions.
    """

    literals: Sequence[int]
    totals: list[int]
    down: list[int] = field(default_factory=list)
    up: list[int] = field(default_factory=list)

    def to_cancel(self, count: int) -> list[str]:
        """What is added to a sum in which the literals are negated, so that instead of them the total of so many is."""
        if count:
            return [f"{self.down[count - 1]} +"] if self.down else []
        return [f"{'~' if literal < 0 else ''}x{abs(literal)} +" for literal in self.literals]


def at_most(
    literals: Sequence[int],
    bound: int,
    row: int,
    last_variable: int,
    last_id: int,
    tick: Callable[[], None] = lambda: None,
) -> list[ProofStep]:
    """The definitions and clauses that say that at most ``bound`` of the literals are true, fewer than there are, as
    the row with this id does.

    The fresh variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``; ``tick`` is
    called now and then.
    """
    steps: list[ProofStep] = []
    if bound < 0 or len(literals) == 1:
        return [rup(() if bound < 0 else (-literals[0],), [row])]

    def total(whole: Sequence[int], count: int) -> int:
        """A new variable that says that at least so many are true; the id of its second definition is that of the last
        step."""
        nonlocal last_variable
        last_variable += 1
        positive, negative = (" ".join(term(sign * literal) for literal in whole) for sign in (1, -1))
        beyond = len(whole) - count + 1
        steps.append(ProofStep("red", (f"+{count} ~x{last_variable} {positive} >= {count}", f"x{last_variable} -> 0")))
        steps.append(ProofStep("red", (f"+{beyond} x{last_variable} {negative} >= {beyond}", f"x{last_variable} -> 1")))
        return last_variable

    def add_up(one: _Group, some: int, other: _Group, more: int, from_id: int, then: Clause) -> None:
        """So many of the one group and so many of the other make what the constraint with this id has."""
        parts = [str(from_id), *one.to_cancel(some), *other.to_cancel(more), "s"]
        given = tuple(-group.totals[count - 1] for group, count in ((one, some), (other, more)) if count)
        steps.append(ProofStep("pol", (" ".join(parts),), (*given, *then)))

    def group(whole: Sequence[int]) -> _Group:
        if len(whole) == 1:
            return _Group(whole, [whole[0]])
        half = len(whole) // 2
        one, other, both = group(whole[:half]), group(whole[half:]), _Group(whole, [])
        for count in range(1, min(len(whole), bound + 1) + 1):
            tick()
            both.totals.append(total(whole, count))
            both.down.append(last_id + len(steps) - 1)
            both.up.append(last_id + len(steps))
        for some in range(len(one.totals) + 1):
            tick()
            for more in range(len(other.totals) + 1):
                if 0 < some + more <= len(both.totals):
                    add_up(one, some, other, more, both.up[some + more - 1], (both.totals[some + more - 1],))
        return both

    half = len(literals) // 2
    one, other = group(literals[:half]), group(literals[half:])
    for some in range(len(one.totals) + 1):
        if 0 <= bound + 1 - some <= len(other.totals):
            add_up(one, some, other, bound + 1 - some, row, ())
    return steps
