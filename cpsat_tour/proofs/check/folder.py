"""Checks whether the files of a folder prove that a problem has no tour, exactly so many, or none better.

1. *What is claimed?* ``certificate.json`` names a problem, cut sets, and perhaps a number of tours or the best
   (`claim`).
2. *Is it about that problem?* ``problem.opb`` must have the rows that follow from the problem, and no other (`rows`,
   `worth`): so every tour satisfies every row.
3. *Does it follow?* ``proof.pbp`` derives a contradiction from the rows, step by step, in exact integers (`proof`,
   `arithmetic`). Where tours are counted it shows and excludes each of them first; where the best is sought it shows
   that.

The checker uses nothing of the writers, which take the rows from it. It trusts the statement of the problem: graphs,
problems, symmetries and the splitting of directed vertices (`cpsat_tour.core`), boards and other spaces and how they
are read (`cpsat_tour.spaces`); and Python, NumPy and msgspec. docs/proofs.md has the list. Other files are not read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.claim import CLAIM, Claim, Kind, difference, read_claim, sentence_of
from cpsat_tour.proofs.check.proof import replay
from cpsat_tour.proofs.check.rows import TrueRows, check_variables, read_formula
from cpsat_tour.proofs.check.text import Budget, Fault, Refused, Wrong, lines_of

FORMULA, PROOF = "problem.opb", "proof.pbp"
VARIABLES = "variables.txt"
"""What the variables mean; checked where it is there."""

WHAT_A_CERTIFICATE_IS = f"a certificate is a folder with {CLAIM}, {FORMULA} and {PROOF}"

ALWAYS_BUILT, BYTES_PER_TERM = 1 << 16, 6
"""Terms of the rows that are made even where ``problem.opb`` is too short for them, to name the missing row; and bytes
of the shortest term in that file, or end of a row."""

KINDS = {
    "none": "that there is no tour",
    "count": "how many tours there are",
    "best": "that no tour is better than one that there is",
    "bound": "that no tour is better than a value",
}


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate is valid; true if it is. Claim, method and kind are empty if ``certificate.json`` makes no
    claim.

    - ``valid`` (bool): whether it proves its claim.
    - ``claim`` (str): what is to be proved, in words.
    - ``method`` (str): how: ``lp`` or ``clausal``.
    - ``steps`` (int): how many constraints were derived.
    - ``fault`` (a fault, or None): the first wrong line.
    - ``kind`` (str): what is claimed: ``none``, ``count``, ``best`` or ``bound``.
    """

    valid: bool
    claim: str
    method: str
    steps: int
    fault: Fault | None = None
    kind: str = ""

    def __bool__(self) -> bool:
        return self.valid


def check(
    folder: Path,
    on_progress: OnEvent | None = None,
    expected: Problem | None = None,
    *,
    kind: Kind | None = None,
    clock: Clock | None = None,
) -> Verdict:
    """Return the verdict on the certificate in a folder, which has to be about the expected problem and of the expected
    kind if these are given.

    `BadInput` if a file is missing; `StoppedEarly` when the clock runs out.
    """
    _check_files(folder)
    claimed: Claim | None = None
    budget = Budget(on_progress, clock)
    try:
        with lines_of(folder / FORMULA, Budget(clock=clock)) as lines:
            room = sum(len(line) + 1 for line in lines) // BYTES_PER_TERM  # the size of a file may be a lie
        claimed = read_claim(folder / CLAIM, max(ALWAYS_BUILT, room))
        if fault := _unexpected(claimed, expected, kind):
            raise Refused(Fault(CLAIM, None, fault))
        try:
            cycle = TrueRows(claimed.problem, budget.spend, claimed.best, room)
        except (BadInput, Wrong) as wrong:
            raise Refused(Fault(CLAIM, None, str(wrong))) from wrong
        formula = read_formula(folder / FORMULA, cycle, claimed.cut_sets, budget, counted=claimed.tours is not None)
        if (folder / VARIABLES).exists():
            check_variables(folder / VARIABLES, cycle, budget)
        steps = replay(folder / PROOF, cycle, formula, claimed, budget)
    except Refused as refused:
        claim = ("", "", "") if claimed is None else (claimed.sentence, claimed.method, claimed.kind)
        return Verdict(False, claim[0], claim[1], 0, refused.fault, claim[2])
    return Verdict(True, claimed.sentence, claimed.method, steps, kind=claimed.kind)


def _check_files(folder: Path) -> None:
    """Raise `BadInput` if the folder lacks a file of a certificate, or has something else in its place."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder: {WHAT_A_CERTIFICATE_IS}")
    for name in (CLAIM, FORMULA, PROOF, VARIABLES):
        path = folder / name
        if path.is_symlink():  # what it leads to may be anybody's, and faults quote lines
            raise BadInput(f"{path} is a link, and no link is followed: {WHAT_A_CERTIFICATE_IS}")
        if not path.is_file() and (name != VARIABLES or os.path.lexists(path)):
            raise BadInput(f"there is no file {path}: {WHAT_A_CERTIFICATE_IS}")


def _unexpected(claimed: Claim, expected: Problem | None, kind: Kind | None) -> str | None:
    """Return how the claim differs from what is expected; None if it does not."""
    if expected is not None and (differs := difference(claimed.problem, expected)) is not None:
        mine, theirs = claimed.sentence, sentence_of(expected, claimed.tours, claimed.best)
        other = f", not about {theirs!r}" if mine != theirs else ""
        return f"this is about {mine!r}{other}: what differs is {differs}"
    if kind is not None and kind != claimed.kind:
        return f"this proves {KINDS[claimed.kind]} ({claimed.sentence!r}), not {KINDS[kind]}"
    return None
