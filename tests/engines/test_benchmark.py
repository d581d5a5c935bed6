"""A benchmark for solvers: one problem after the other in all forms, and a table of what to expect."""

import csv
from hashlib import sha256
from pathlib import Path

import pytest
from commands import Command
from pysat.formula import CNF
from pysat.solvers import Solver

from cpsat_tour.cli.main import status

PROBLEMS = {"5x6 --closed": "tour", "3x4": "tour", "3x5": "none", "GP(5,2) --closed": "none"}


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_the_table_says_what_each_file_is_and_what_to_expect(tmp_path: Path, command: Command) -> None:
    """Two problems join two others; of each there is every form but those that shorter cycles satisfy."""
    folder = tmp_path / "suite"
    for asked in PROBLEMS:
        assert "files and answers.csv" in command(f"export {asked} --all {folder}").err
    rows = rows_of(folder)
    assert {row["file"] for row in rows} | {"answers.csv"} == {path.name for path in folder.iterdir()}
    assert len({row["problem"] for row in rows}) == 4
    assert not {"sat", "sat:lazy", "sat:arcs", "cpsat:lazy", "milp", "pb"} & {row["backend"] for row in rows}
    assert {"tsplib", "sat:permutation", "asp:reach", "smt", "milp:mtz", "cpsat"} <= {row["backend"] for row in rows}
    assert {row["found by"].partition(":")[0] for row in rows if row["expected"] == "none"} <= {
        "condition",
        "lp",
        "clausal",
    }
    for row in rows:
        path = folder / row["file"]
        assert sha256(path.read_bytes()).hexdigest() == row["sha256"]
        if row["form"] == "cnf":
            formula = CNF(from_file=str(path))
            assert (formula.nv, len(formula.clauses)) == (int(row["variables"]), int(row["constraints"])), path
            with Solver("cadical153", bootstrap_with=formula) as solver:
                assert solver.solve() == (row["expected"] == "tour"), path


def test_a_form_of_one_kind_and_the_same_again(tmp_path: Path, command: Command) -> None:
    folder = tmp_path / "suite"
    command(f"export 5x6 --closed --all {folder} --format qubo")
    before = (folder / "answers.csv").read_bytes()
    assert [row["form"] for row in rows_of(folder)] == ["qubo"]
    assert "give --force to replace it" in command(f"export 5x6 --closed --all {folder} --format qubo", 2).err
    command(f"export 5x6 --closed --all {folder} --format qubo --force")
    assert (folder / "answers.csv").read_bytes() == before
    (folder / "answers.csv").write_text("a,b\n1,2\n")
    assert "is not a table of expected answers" in command(f"export 4x5 --all {folder}", 2).err


def test_problems_of_one_title_have_files_of_their_own(tmp_path: Path, command: Command) -> None:
    """Two graphs of five vertices, and a required move here or there, are told apart; so are seeds."""
    (tmp_path / "one.edges").write_text("a b\nb c\nc d\nd a\na e\nb e\n")
    (tmp_path / "two.edges").write_text("a b\na c\na d\ne b\ne c\ne d\n")
    folder = tmp_path / "suite"
    for asked in (tmp_path / "one.edges", tmp_path / "two.edges"):
        command(f"export {asked} --closed --all {folder} --format smt2")
    for more in ("--require a1-b3", "--require a1-c2", "--require a1-c2 --seed 5"):
        command(f"export 6x6 --closed {more} --all {folder} --format smt2")
    assert [row["expected"] for row in rows_of(folder)] == ["tour", "none", "tour", "tour", "tour"]


@pytest.mark.parametrize(
    ("asked", "lacking"),
    [
        ("5x5 --at c3=1", "sat:permutation as qubo"),
        ("5x5 --require a1-b3", "sat:permutation as qubo"),
        ("6x6 --closed --symmetry rot180", "tsplib"),
        ("arcs.csv --input edges:directed --closed", "tsplib"),
    ],
)
def test_what_a_formulation_cant_state_is_left_out_and_said(
    asked: str, lacking: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arcs.csv").write_text("a,b\nb,c\nc,a\nb,a\nc,d\nd,a\n")
    said = command(f"export {asked} --all suite").err
    assert lacking in said.partition("left out, since they can't state it: ")[2]
    assert len(rows_of(Path("suite"))) > 3


def test_what_all_would_ignore_is_refused(tmp_path: Path, command: Command) -> None:
    for more in ("-O plain=true", "--backend sat:crt", "-o x.cnf", "--minimize turns"):
        name = more.split()[0]
        assert f"leave {name} out" in command(f"export 5x6 --all {tmp_path / 'suite'} {more}", 2).err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("5x6 --format xyz", "no formula of this problem has the form 'xyz'"),
        ("4x1", "this problem is decided without a formula"),
        ("9x9x9x9", "is not a"),
    ],
)
def test_what_has_no_file_is_refused_and_leaves_no_folder(
    asked: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["export", *asked.split(), "--all", str(tmp_path / "suite")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "suite").exists()
