"""Checking a certificate: whether the files of a folder prove that a problem has no tour, exactly so many, or none
better.

Three questions, in this order, none of them left to the writer of the certificate:

1. *What is claimed?* ``certificate.json`` names a problem, perhaps a number of tours or the value of the best, and cut
sets (`claim`).
2. *Is it about that problem?* Each row of ``problem.opb`` is rebuilt from the problem and must be there, and no other
   (`rows`): so every tour satisfies every row.
3. *Does it follow?* ``proof.pbp`` derives a contradiction from the rows, step by step, in exact integers (`proof`);
   where tours are counted it shows each of them first, and excludes it (`tours`), where the best is sought it shows
   that (`goals`).

The checker shares no code with the writers beyond board, graph, problem and the halves of a directed one. It trusts
Python, NumPy and, for long clausal proofs, Numba; no solver. The other files of a certificate are for people and other
tools, and are not read; nor are the multipliers in ``certificate.json``: the ``pol`` lines of the proof are what is
added up.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.claim import read_claim, same_problem, sentence_of
from cpsat_tour.proofs.check.proof import replay
from cpsat_tour.proofs.check.rows import MIN_ROW, TrueRows, compare_variables, read_formula
from cpsat_tour.proofs.check.text import Fault, Pulse, Refused, text_bytes
from cpsat_tour.spaces.lattice import MAX_SQUARES

CLAIM, FORMULA, PROOF = "certificate.json", "problem.opb", "proof.pbp"
VARIABLES = "variables.txt"
"""What the variables mean; checked where it is there."""

WHAT_A_CERTIFICATE_IS = f"a certificate is a folder with {CLAIM}, {FORMULA} and {PROOF}"

ALWAYS_BUILT = 1 << 16
"""Vertices of a graph that is built even where ``problem.opb`` is too short for its rows, so as to name the row that is
missing."""


@dataclass(frozen=True)
class Verdict:
    """Whether the certificate is valid; ``fault`` names its first wrong line if not.

    ``claim`` says what was proved, or was to be proved, ``method`` how (``lp`` or ``clausal``); both are empty where
    the fault is in ``certificate.json``. ``steps`` counts the derived constraints of a valid proof.
    """

    valid: bool
    claim: str
    method: str
    steps: int
    fault: Fault | None = None


def check(folder: Path, on_progress: OnEvent | None = None, expected: Problem | None = None) -> Verdict:
    """Check the certificate in a folder, and that it is about the expected problem, if one is given.

    `BadInput` where a file is missing, or where a long clausal proof is to be checked without Numba.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder: {WHAT_A_CERTIFICATE_IS}")
    for name in (CLAIM, FORMULA, PROOF, VARIABLES):
        if not (folder / name).is_file() and (name != VARIABLES or os.path.lexists(folder / name)):
            what = (
                f"{folder / name} is not a file" if os.path.lexists(folder / name) else f"there is no {folder / name}"
            )
            raise BadInput(f"{what}: {WHAT_A_CERTIFICATE_IS}")
    claim = method = ""
    pulse = Pulse(on_progress)
    try:
        room = text_bytes(folder / FORMULA, MAX_SQUARES * MIN_ROW) // MIN_ROW
        claimed = read_claim(folder / CLAIM, max(ALWAYS_BUILT, room))
        claim, method = claimed.sentence, claimed.method
        if expected is not None and not same_problem(claimed.problem, expected):
            raise Refused(
                Fault(
                    CLAIM,
                    claimed.line,
                    f"this is about {claim!r}, not about {sentence_of(expected, claimed.tours, claimed.best)!r}",
                )
            )
        try:
            cycle = TrueRows(claimed.problem, claimed.best, room)
        except BadInput as wrong:
            raise Refused(Fault(CLAIM, claimed.line, str(wrong))) from wrong
        formula = read_formula(folder / FORMULA, cycle, claimed.cut_sets, pulse, counted=claimed.tours is not None)
        if (folder / VARIABLES).exists():
            compare_variables(folder / VARIABLES, cycle, pulse)
        steps = replay(folder / PROOF, cycle, formula, claimed, pulse)
    except Refused as refused:
        return Verdict(False, claim, method, 0, refused.fault)
    return Verdict(True, claim, method, steps)
