"""Every kind of proof, written for VeriPB 1.2, is accepted by a checker of it that shares nothing with ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from veripb_1_2 import NotProved, check_1_2

from cpsat_tour.cli.main import status


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
