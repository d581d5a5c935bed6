"""Programs by others accept our certificates by the commands of docs/proofs.md, if they are installed.

Dratify, a checker of DRUP from PyPI that shares nothing with ours, is there wherever the tests are.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from dratify import check_proof, parse_dimacs

from cpsat_tour.cli.main import status

DOCUMENTED = (Path(__file__).resolve().parents[2] / "docs" / "proofs.md").read_text(encoding="utf-8")
TABLE = dict(
    re.findall(
        r"^\| \[?([\w-]+).*? \| (`.+`) \|$", DOCUMENTED.split("## Other checkers")[1].split("\n## ")[0], re.MULTILINE
    )
)
PROGRAMS = {
    "VeriPB": "veripb",
    "CakePB": "cake_pb",
    "drat-trim": "drat-trim",
    "lrat-check": "lrat-check",
    "cake_lpr": "cake_lpr",
}
QUESTIONS = (["4x4", "--closed"], ["GP(17,2)", "--closed", "--method", "sat"], ["3x10", "--closed", "--count"])


def test_each_outside_program_is_documented_with_its_command() -> None:
    for name, program in PROGRAMS.items():
        assert f"{program} " in TABLE[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_is_installed_accepts_our_certificates(name: str, tmp_path: Path) -> None:
    if shutil.which(PROGRAMS[name]) is None:
        pytest.skip(
            f"{PROGRAMS[name]} is not installed: neither Debian nor PyPI has it (cargo builds VeriPB and "
            "CakePB, make the others)"
        )
    for number, question in enumerate(QUESTIONS):
        if name == "CakePB" and "--count" in question:
            continue  # its kernel format has no solutions
        folder = tmp_path / str(number)
        assert status(["prove", *question, "--quiet", "-o", str(folder)]) == 0
        for command in re.findall("`(.+?)`", TABLE[name]):
            if "problem.cnf" in command and not (folder / "problem.cnf").exists():
                continue
            ran = subprocess.run(
                shlex.split(command), cwd=folder, capture_output=True, text=True, timeout=120, check=False
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr
            assert re.search("VERIFIED", ran.stdout, re.IGNORECASE), ran.stdout


@pytest.mark.parametrize(
    "question",
    [["GP(11,2)", "--closed", "--method", "sat"], ["4x4", "--method", "sat"], ["3x12", "--closed", "--count"]],
)
def test_dratify_accepts_whole_clausal_proofs_alone(question: list[str], tmp_path: Path) -> None:
    assert status(["prove", *question, "--quiet", "-o", str(tmp_path / "proof")]) == 0
    formula = parse_dimacs((tmp_path / "proof" / "problem.cnf").read_text())
    steps = (tmp_path / "proof" / "proof.drup").read_text().splitlines()
    assert check_proof(formula, "\n".join(steps)).ok
    assert not check_proof(formula, "\n".join(steps[-1:])).ok
