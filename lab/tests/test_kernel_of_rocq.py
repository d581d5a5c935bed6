"""The theorems for Rocq: each file is accepted, assumes nothing and says what its page says; changed, it is not."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from archive_check import THEOREMS

from cpsat_tour.proofs.write.rocq import theory

LAB = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed: apt-get install coq")

Compile = Callable[[str, str], subprocess.CompletedProcess[str]]

STATED = {
    "Sides": [
        "0 < rows < 2 * (p + q) -> Z.even rows = true -> 0 < columns ->",
        "2 * m * (p + 1) <= rows <= 2 * p * (m + 1) -> 0 < columns ->",
        "2 * m * (p + 1) < rows < 2 * p * (m + 1) -> 1 < columns ->",
    ],
    "Strips": [
        r"0 < columns <= n * (2 * n + 1) \/ 2 * n * (n + 1) < columns <= (n + 1) * (2 * n + 1) ->",
        r"0 < columns <= n * (2 * n + 1) \/ 2 * n * (n + 1) + 1 < columns <= (n + 1) * (2 * n + 1) ->",
    ],
    "Turns": ["4 * (rows + columns) - 24 <= turns tour", "4 * (rows + columns) - 29 <= turns_between_ends tour"],
    "Examples": [],
}
"""The files in the order in which they are compiled, and parts of what each prints of its theorems."""

CHANGES = [
    ("Sides", "rows < 2 * n", "rows <= 2 * n"),
    ("Strips", "0 < columns <= n * rows \\/", "0 < columns <= n * rows + 1 \\/"),
    ("Strips", "2 * n * (n + 1) + 1 < columns <= (n + 1) * rows ->", "2 * n * (n + 1) < columns <= (n + 1) * rows ->"),
    ("Turns", "4 * (rows + columns) - 24 <= turns", "4 * (rows + columns) - 23 <= turns"),
    ("Turns", "4 * (rows + columns) - 29 <=", "4 * (rows + columns) - 28 <="),
    ("Examples", "[0; 7; 0; 2;", "[0; 7; 0; 1;"),
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles a text under a name, beside the theory, which is compiled once."""
    folder = tmp_path_factory.mktemp("rocq")

    def run(name: str, text: str) -> subprocess.CompletedProcess[str]:
        (folder / f"{name}.v").write_text(text, encoding="utf-8")
        command = ["coqc", f"{name}.v"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)

    for name in ("Tours.v", "Cycles.v"):
        assert (ended := run(name[:-2], "".join(f"{line}\n" for line in theory()[name]))).returncode == 0, ended.stderr
    return run


def text_of(name: str) -> str:
    return (LAB / f"{name}.v").read_text(encoding="utf-8")


def test_the_kernel_accepts_every_file_and_its_theorems_assume_nothing(compiled: Compile) -> None:
    assert set(THEOREMS) <= {f"{name}.v" for name in STATED} == {file.name for file in LAB.glob("*.v")}
    for name, statements in STATED.items():
        ended = compiled(name, text := text_of(name))
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.count("Closed under the global context") == text.count("Print Assumptions") > 0
        assert "Axioms" not in ended.stdout
        printed = " ".join(ended.stdout.split())
        assert all(statement in printed for statement in statements), printed


@pytest.mark.slow
def test_the_kernel_refuses_what_says_more(compiled: Compile) -> None:
    for name, text in ((name, text_of(name)) for name in STATED):
        for file, old, new in CHANGES:
            if file == name:
                assert text.count(old) >= 1
                assert compiled(name, text.replace(old, new)).returncode != 0, new
        assert compiled(name, text).returncode == 0


def test_every_theorem_that_a_page_names_is_in_a_file() -> None:
    proved = {found for name in STATED for found in re.findall(r"(?:Theorem|Lemma|Fixpoint) (\w+)", text_of(name))}
    for page in LAB.glob("*.md"):
        named = re.findall(r"`((?:no_|turns_|closed_|open_)\w+)`", page.read_text(encoding="utf-8"))
        assert set(named) <= proved, page.name
    note = (LAB.parent / "paper" / "theorems.tex").read_text(encoding="utf-8").replace("\\_", "_")
    assert set(re.findall(r"\\rocq\{(\w+)\}", note)) <= proved
