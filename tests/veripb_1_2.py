"""A checker of VeriPB's proof format 1.2, written from its published description, apart from the package and the other
judges: what an old VeriPB would say of ``problem.opb`` and ``proof-1.2.pbp``.

A constraint is in normal form, ``(terms, degree)`` with a positive coefficient for each literal, a number that is
negative for ``~x``. Unit propagation goes over all constraints again and again: hints are none of 1.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Normal = tuple[dict[int, int], int]


class NotProved(Exception):
    """The first line that is no step."""


@dataclass
class Checked:
    """What a proof shows: the solutions, and the value of the last of those that it improves on."""

    solutions: set[frozenset[int]] = field(default_factory=set)
    value: int | None = None


def check_1_2(opb: str, proof: str) -> Checked:
    """What the proof of a formula shows before it ends in a contradiction; `NotProved` where it does not."""
    rows, objective, variables = _formula(opb)
    live, last, found = dict(enumerate(rows, start=1)), len(rows), Checked()
    lines = [line for line in proof.splitlines() if line.strip() and not line.startswith("*")]
    if lines[:2] != ["pseudo-Boolean proof version 1.2", f"f {len(rows)}"]:
        raise NotProved(str(lines[:2]))
    for line in lines[2:]:
        rule, *words = line.split()
        if rule == "c":
            terms, degree = live[int(words[0])]
            if sum(terms.values()) >= degree:
                raise NotProved(line)
            return found
        if rule == "del":
            for word in words[1:]:
                del live[int(word)]
            continue
        last += 1
        if rule == "pol":
            live[last] = _polish(words, live)
        elif rule == "rup":
            live[last] = _constraint(words)
            others = [row for number, row in live.items() if number != last]
            if not _conflict([*others, _negated(live[last])]):
                raise NotProved(line)
        elif rule == "red":
            live[last] = _redundant(words, live)
        elif rule in ("v", "o"):
            chosen = frozenset(map(_literal, words))
            if (
                {abs(literal) for literal in chosen} != variables
                or len(chosen) != len(variables)
                or len(words) > len(chosen)
            ):
                raise NotProved(line)
            if not all(_holds(row, chosen) for row in rows):
                raise NotProved(line)
            found.solutions.add(chosen)
            live[last] = {-literal: 1 for literal in chosen}, 1
            if rule == "o":
                found.value = sum(weight for weight, literal in objective if literal in chosen)
                live[last] = _normal([(-weight, literal) for weight, literal in objective], 1 - found.value)
        else:
            raise NotProved(line)
    raise NotProved("there is no contradiction")


def _formula(opb: str) -> tuple[list[Normal], list[tuple[int, int]], set[int]]:
    """The constraints, the objective and the variables of a formula in which nothing is beyond the format of 2020."""
    head, *lines = opb.splitlines()
    rows: list[Normal] = []
    objective: list[tuple[int, int]] = []
    for line in (line for line in lines if line.strip() and not line.startswith("*")):
        words = line.split()
        if words.pop() != ";":
            raise NotProved(line)
        if words[0] == "min:":
            objective = [(int(a), _literal(x)) for a, x in zip(words[1::2], words[2::2], strict=True)]
            continue
        terms = [(int(a), _literal(x)) for a, x in zip(words[:-2:2], words[1:-2:2], strict=True)]
        rows.append(_normal(terms, int(words[-1])))
        if words[-2] == "=":
            rows.append(_normal([(-a, x) for a, x in terms], -int(words[-1])))
        elif words[-2] != ">=":
            raise NotProved(line)
    return rows, objective, set(range(1, int(head.split()[2]) + 1))


def _literal(word: str) -> int:
    return -int(word[2:]) if word.startswith("~x") else int(word.removeprefix("x"))


def _normal(terms: list[tuple[int, int]], degree: int) -> Normal:
    sums: dict[int, int] = {}
    for a, x in terms:
        sums[abs(x)] = sums.get(abs(x), 0) + (a if x > 0 else -a)
        degree -= a if x < 0 else 0
    return {x if a > 0 else -x: abs(a) for x, a in sums.items() if a}, degree - sum(a for a in sums.values() if a < 0)


def _constraint(words: list[str]) -> Normal:
    """What ``+1 x1 >= 1 ;`` says."""
    words = words[: words.index(";")]
    return _normal([(int(a), _literal(x)) for a, x in zip(words[:-2:2], words[1:-2:2], strict=True)], int(words[-1]))


def _summed(one: Normal, other: Normal) -> Normal:
    return _normal([(a, x) for terms, _ in (one, other) for x, a in terms.items()], one[1] + other[1])


def _negated(row: Normal) -> Normal:
    return {-x: a for x, a in row[0].items()}, sum(row[0].values()) - row[1] + 1


def _holds(row: Normal, chosen: frozenset[int]) -> bool:
    return sum(a for x, a in row[0].items() if x in chosen) >= row[1]


def _conflict(rows: list[Normal]) -> bool:
    """True if unit propagation finds that the rows contradict each other."""
    true: set[int] = set()
    before = -1
    while before < len(true):
        before = len(true)
        for terms, degree in rows:
            slack = sum(a for x, a in terms.items() if -x not in true) - degree
            if slack < 0:
                return True
            true.update(x for x, a in terms.items() if a > slack and -x not in true)
    return False


def _polish(words: list[str], live: dict[int, Normal]) -> Normal:
    stack: list[Normal | int] = []

    def pop() -> Normal:
        top = stack.pop()
        return live[top] if isinstance(top, int) else top

    for word in words:
        if word == "+":
            stack.append(_summed(pop(), pop()))
        elif word in "*d":
            number = stack.pop()
            assert isinstance(number, int)
            terms_of, degree = pop()
            times, by = (number, 1) if word == "*" else (1, number)
            stack.append(({x: -(-a * times // by) for x, a in terms_of.items()}, -(-degree * times // by)))
        elif word == "s":
            terms_of, degree = pop()
            stack.append(({x: min(a, degree) for x, a in terms_of.items()} if degree > 0 else {}, degree))
        else:
            stack.append(int(word) if word.isdigit() else ({_literal(word): 1}, 0))
    (top,) = stack
    return live[top] if isinstance(top, int) else top


def _redundant(words: list[str], live: dict[int, Normal]) -> Normal:
    """The constraint, where each solution that it excludes becomes another by the witness: what is known, and the
    constraint itself, hold after the witness by propagation, or by the negated constraint alone."""
    row, witness = _constraint(words), words[words.index(";") + 1 :]
    literal = _literal(witness[0]) * (1 if witness[2] == "1" else -1)
    for terms, degree in [*live.values(), row]:
        if literal in terms or -literal in terms:
            after = {x: a for x, a in terms.items() if abs(x) != abs(literal)}, degree - terms.get(literal, 0)
            both, excluded = _negated(row), _negated(after)
            weaker = {x: a for x, a in both[0].items() if abs(x) != abs(literal)}, both[1] - both[0].get(-literal, 0)
            total, least = _summed(weaker, excluded)
            if sum(total.values()) >= least and not _conflict([*live.values(), both, excluded]):
                raise NotProved(" ".join(words))
    return row
