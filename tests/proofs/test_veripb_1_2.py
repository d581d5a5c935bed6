"""A checker of VeriPB's proof format 1.2, written from its published description, apart from the package: what an old
VeriPB would say of ``problem.opb`` and ``proof-1.2.pbp``, and that it accepts every kind of proof.

Constraints are those of `certificate_judge`. Hints are none of 1.2: unit propagation goes over all constraints again
and again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from certificate_judge import (
    Normal,
    excluding,
    holds,
    negation,
    normal,
    polish,
    propagates_to_conflict,
    read,
    read_literal,
    summed,
)

from cpsat_tour.cli.main import status


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
            live[last] = polish(words, live)
        elif rule == "rup":
            live[last] = read(words[:-1])
            others = [row for number, row in live.items() if number != last]
            if not propagates_to_conflict([*others, negation(live[last])]):
                raise NotProved(line)
        elif rule == "red":
            live[last] = _redundant(words, live)
        elif rule in ("v", "o"):
            chosen = frozenset(map(read_literal, words))
            if (
                {abs(literal) for literal in chosen} != variables
                or len(chosen) != len(variables)
                or len(words) > len(chosen)
            ):
                raise NotProved(line)
            if not all(holds(row, chosen) for row in rows):
                raise NotProved(line)
            found.solutions.add(chosen)
            live[last] = excluding(words)
            if rule == "o":
                found.value = sum(weight for weight, literal in objective if literal in chosen)
                live[last] = normal([(-weight, literal) for weight, literal in objective], 1 - found.value)
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
            objective = [(int(a), read_literal(x)) for a, x in zip(words[1::2], words[2::2], strict=True)]
            continue
        terms = [(int(a), read_literal(x)) for a, x in zip(words[:-2:2], words[1:-2:2], strict=True)]
        rows.append(normal(terms, int(words[-1])))
        if words[-2] == "=":
            rows.append(normal([(-a, x) for a, x in terms], -int(words[-1])))
        elif words[-2] != ">=":
            raise NotProved(line)
    return rows, objective, set(range(1, int(head.split()[2]) + 1))


def _redundant(words: list[str], live: dict[int, Normal]) -> Normal:
    """The constraint, where each solution that it excludes becomes another by the witness: what is known, and the
    constraint itself, hold after the witness by propagation, or by the negated constraint alone."""
    row, witness = read(words[: words.index(";")]), words[words.index(";") + 1 :]
    literal = read_literal(witness[0]) * (1 if witness[2] == "1" else -1)
    for terms, degree in [*live.values(), row]:
        if literal in terms or -literal in terms:
            after = {x: a for x, a in terms.items() if abs(x) != abs(literal)}, degree - terms.get(literal, 0)
            both, excluded = negation(row), negation(after)
            weaker = {x: a for x, a in both[0].items() if abs(x) != abs(literal)}, both[1] - both[0].get(-literal, 0)
            total, least = summed(weaker, excluded)
            if sum(total.values()) >= least and not propagates_to_conflict([*live.values(), both, excluded]):
                raise NotProved(" ".join(words))
    return row


def written(folder: Path) -> tuple[str, str]:
    """The formula and the proof for 1.2 in a folder."""
    formula = folder / "problem-1.2.opb"
    path = formula if formula.exists() else folder / "problem.opb"
    return path.read_text(), (folder / "proof-1.2.pbp").read_text()


@pytest.mark.parametrize(
    ("question", "solutions", "value"),
    [
        (["prove", "4x4", "--closed"], 0, None),
        (["prove", "5x5", "--closed", "--start", "a1", "--end", "b3"], 0, None),
        (["prove", "GP(5,2)", "--closed", "--method", "sat"], 0, None),
        (["prove", "3x4", "--start", "a1", "--end", "c3", "--method", "sat"], 0, None),
        (["prove", "Q(3)", "--closed", "--count"], 6, None),
        (["prove", "3x4", "--count"], 8, None),
        (["best", "3x4", "--leaper", "0,1", "--closed", "--minimize", "turns"], 1, 8 - 12),
        (["best", "4x4", "--leaper", "0,1", "--closed", "--maximize", "turns"], 1, None),
        (["best", "3x4", "--minimize", "crossings"], 1, None),
    ],
)
def test_every_kind_of_proof_is_accepted(
    question: list[str], solutions: int, value: int | None, tmp_path: Path
) -> None:
    place = "-o" if question[0] == "prove" else "--certificate"
    assert status([*question, "--quiet", place, str(tmp_path / "proof"), "--format", "1.2"]) == 0
    opb, proof = written(tmp_path / "proof")
    found = check_1_2(opb, proof)
    assert len(found.solutions) == solutions
    assert value is None or found.value == value
    assert "preserved" not in opb
    lines = proof.splitlines()
    with pytest.raises((NotProved, KeyError)):
        check_1_2(opb, "\n".join([*lines[:-2], lines[-1]]))
