"""Definitions of fresh variables, and the clauses that they allow: exactly two, or at most so many, of many literals.

*Two* (`prefixes_and_suffixes`): ``s_i`` says that one of the first ``i`` literals is true, ``t_i`` that one from the
``i``-th on is (the ladder of Gent & Nightingale 2004, from both ends). Exactly two are true if no literal lies between
a true prefix and a true suffix, and none separates an empty prefix from an empty suffix.

*At most so many* (`at_most`): the totalizer of Bailleux & Boufkhad (2003). For each group of literals, half of a larger
one, a fresh variable ``s_m`` says that at least ``m`` of them are true; two ``red`` steps define it. That ``a`` of the
left half and ``b`` of the right one make ``a + b`` of the whole is a sum of three definitions; that the two halves of
all literals do not make too many is a sum with the row. Cost: some n b log n clauses for n literals and the bound b,
each from a sum with as many terms as its group has literals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.write.veripb import ProofStep, Rule, rup, term


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


@dataclass
class _Group:
    """Literals, and for each m from 1 on a variable that says that at least m of them are true, ``totals[m - 1]``;
    ``down`` and ``up`` have the ids of its definitions.

    A single literal is its own total, without definitions.
    """

    literals: Sequence[int]
    totals: list[int]
    down: list[int] = field(default_factory=list)
    up: list[int] = field(default_factory=list)

    def cancelling_words(self, count: int) -> list[str]:
        """Return the words of a ``pol`` line that cancel the negated literals of the group in a sum: the definition of
        its total of ``count``, or if that is 0 the axioms of the literals."""
        if count:
            return [f"{self.down[count - 1]} +"] if self.down else []
        return [f"{'~' if literal < 0 else ''}x{abs(literal)} +" for literal in self.literals]


@dataclass
class _Totalizer:
    """The steps so far, and the numbers of the last fresh variable and of the last step."""

    bound: int
    variable: int
    last_id: int
    tick: Callable[[], None]
    steps: list[ProofStep] = field(default_factory=list)

    def step(self, rule: Rule, words: tuple[str, ...], clause: Clause | None = None) -> int:
        """Add a step, and return its id."""
        self.steps.append(ProofStep(rule, words, clause))
        self.last_id += 1
        return self.last_id

    def define_group(self, literals: Sequence[int]) -> _Group:
        """Return the group of these literals, its totals up to one above the bound defined and derived from those of
        its two halves."""
        if len(literals) == 1:
            return _Group(literals, [literals[0]])
        half, whole = len(literals) // 2, _Group(literals, [])
        left, right = self.define_group(literals[:half]), self.define_group(literals[half:])
        positive, negative = (" ".join(term(sign * literal) for literal in literals) for sign in (1, -1))
        for count in range(1, min(len(literals), self.bound + 1) + 1):
            self.tick()
            self.variable += 1
            total, others = f"x{self.variable}", len(literals) - count + 1
            whole.totals.append(self.variable)
            whole.down.append(self.step("red", (f"+{count} ~{total} {positive} >= {count}", f"{total} -> 0")))
            whole.up.append(self.step("red", (f"+{others} {total} {negative} >= {others}", f"{total} -> 1")))
        for count, (definition, variable) in enumerate(zip(whole.up, whole.totals, strict=True), start=1):
            self.imply(left, right, count, definition, (variable,))
        return whole

    def imply(self, left: _Group, right: _Group, count: int, row: int, clause: Clause) -> None:
        """Derive from the constraint with the id ``row`` that ``count`` true literals of both groups, however they are
        shared out, imply the clause."""
        for of_left in range(max(0, count - len(right.totals)), min(count, len(left.totals)) + 1):
            self.tick()
            shares = ((left, of_left), (right, count - of_left))
            words = [word for group, share in shares for word in group.cancelling_words(share)]
            given = tuple(-group.totals[share - 1] for group, share in shares if share)
            self.step("pol", (" ".join([str(row), *words, "s"]),), (*given, *clause))


def at_most(
    literals: Sequence[int],
    bound: int,
    row: int,
    last_variable: int,
    last_id: int,
    tick: Callable[[], None] = lambda: None,
) -> list[ProofStep]:
    """Return the steps that define totals and derive clauses that say that at most ``bound`` of the literals are true,
    fewer than there are, as the row with this id does.

    The fresh variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``; ``tick`` is
    called now and then.
    """
    if bound < 0 or len(literals) == 1:
        return [rup(() if bound < 0 else (-literals[0],), [row])]
    totalizer = _Totalizer(bound, last_variable, last_id, tick)
    half = len(literals) // 2
    left, right = totalizer.define_group(literals[:half]), totalizer.define_group(literals[half:])
    totalizer.imply(left, right, bound + 1, row, ())
    return totalizer.steps
