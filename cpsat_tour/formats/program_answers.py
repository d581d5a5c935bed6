"""What other programs answer to a formula, read: a verdict, and the variables that are true.

An answer is what SAT and pseudo-Boolean solvers print: an ``s`` line and ``v`` lines (their competitions), or MiniSat's
file of ``SAT`` and a line of literals.
"""

from __future__ import annotations

import re

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.refutation import Status
from cpsat_tour.formats.files import read_lines

MAX_BYTES = 1 << 32
"""The largest answer that is read."""

MAX_DIGITS = 12
"""Digits of the greatest variable that is read."""

_VALUE = re.compile(rf"([-~])?\+?x?([0-9]{{1,{MAX_DIGITS}}})")

VERDICTS: dict[str, Status] = {
    **dict.fromkeys(("SATISFIABLE", "OPTIMUM FOUND", "SAT"), "tour"),
    **dict.fromkeys(("UNSATISFIABLE", "UNSAT"), "none"),
    **dict.fromkeys(("UNKNOWN", "INDET", "INDETERMINATE"), "unknown"),
}


def read_answer(path: str) -> tuple[Status, set[str]]:
    """Return the verdict that a solver printed, and the true variables, ``x12`` for number 12; `BadInput` if a line
    can't be read."""
    status: Status | None = None
    true: set[str] = set()
    for number, line in enumerate(read_lines(path, MAX_BYTES), start=1):
        mark, _, rest = line.partition(" ")
        verdict = line if mark != "s" else rest.strip()
        if verdict in VERDICTS:
            status = VERDICTS[verdict]
        elif mark == "s":
            known = "SATISFIABLE, UNSATISFIABLE or UNKNOWN"
            raise BadInput(f"{path}, line {number}: {verdict[:40]!r} is not a verdict: {known} is expected")
        elif mark == "v" or line.lstrip("-")[:1].isdigit():
            for word in (rest if mark == "v" else line).split():
                if not (match := _VALUE.fullmatch(word)):
                    known = f"12, -12, x12 or -x12 is expected, of at most {MAX_DIGITS} digits"
                    raise BadInput(f"{path}, line {number}: {word[:20]!r} is not the value of a variable: {known}")
                if not match[1] and int(match[2]):
                    true.add(f"x{int(match[2])}")
    if status is None and not true:
        raise BadInput(f"{path} has no answer: an s line and v lines are expected, as SAT solvers print them")
    return status or "tour", true
