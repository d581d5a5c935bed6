"""Linear programs in files: other programs read the same columns and rows, and come to the same answer."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cpsat_tour.backends.registry import load, missing_modules
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.space import Named
from cpsat_tour.formats.formula import read_map
from cpsat_tour.models.drivers.linear import LinearProgram
from cpsat_tour.spaces.board import Board

ARC = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2), (2, 4), (3, 1)], directed=True)

ASKED = {
    "a tour": Problem(Board(4, leaper=(0, 1)).graph, True),
    "none": Problem(Board(5).graph, True),
    "an open tour": Problem(Board(4, 5).graph, False, start=0),
    "a required move": Problem(Board(3, 4).graph, False, require=((0, 6),)),
    "arcs": Problem(ARC, True),
}

HIGHS = """
import sys, highspy
highs = highspy.Highs()
highs.silent()
highs.readModel(sys.argv[1])
highs.run()
if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
    lp = highs.getLp()
    print(*(f"- {name} {value}" for name, value in zip(lp.col_names_, highs.getSolution().col_value)), sep="\\n")
else:
    print(highs.modelStatusToString(highs.getModelStatus()))
"""
"""In a process of its own: OR-Tools brings another copy of HiGHS."""


@pytest.fixture(params=["milp", "milp:mtz", "milp:flow", "milp:flows", "milp:stages"])
def name(request: pytest.FixtureRequest) -> str:
    if absent := missing_modules(request.param):
        pytest.skip(f"backend {request.param} needs {', '.join(absent)}")
    return str(request.param)


def written(name: str, asked: str, path: Path) -> LinearProgram:
    """The program of a backend, which is also written to the file."""
    backend: Any = load(name)
    program: LinearProgram = backend.formula(to_cycle(ASKED[asked]), 0)
    with path.open("wb") as file:
        assert program.write(path.suffix[1:], file) == program.sizes
    return program


def printed(*command: str | Path) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return ended.stdout


def outside(program: str, path: Path) -> set[str] | None:
    """The columns that are 1 in the solution of another program; None if it says that there is none."""
    if program == "highs":
        text = printed(sys.executable, "-c", HIGHS, path)
    elif not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    else:
        solution = path.with_suffix(".sol")
        printed(program, path, "solve", "solution", solution)
        text = solution.read_text()
    if text.startswith("Infeasible"):
        return None
    rows = [line.split() for line in text.splitlines()]
    return {row[1] for row in rows if len(row) > 2 and row[1].startswith("x_") and float(row[2]) > 0.5}


@pytest.mark.parametrize(("program", "form"), [("highs", "mps"), ("cbc", "lp")])
@pytest.mark.parametrize("asked", ASKED)
def test_other_programs_come_to_the_same_answer(name: str, asked: str, form: str, program: str, tmp_path: Path) -> None:
    if asked == "arcs" and name == "milp":
        pytest.skip("the program of milp is about edges")
    path = tmp_path / f"program.{form}"
    cycle = written(name, asked, path).cycle
    true = outside(program, path)
    assert (true is None) == (asked == "none")
    if true is not None:
        cycles = read_map(str(path)).cycles(true)
        assert np.sort(np.concatenate(cycles)).tolist() == list(range(cycle.order))
        assert name == "milp" or len(cycles) == 1


@pytest.mark.parametrize("form", ["lp", "mps"])
def test_another_program_counts_the_same_columns_rows_and_entries(name: str, form: str, tmp_path: Path) -> None:
    if not shutil.which("glpsol"):
        pytest.skip("glpsol is not installed")
    path = tmp_path / f"program.{form}"
    program = written(name, "a tour", path)
    text = printed("glpsol", "--check", "--lp" if form == "lp" else "--freemps", path)
    # In MPS the objective, which is empty, is a row, and in LP it has an entry.
    counted = [re.search(rf"(\d+) {what}", text) for what in ("columns", "rows", "non-zeros")]
    columns, rows, entries = (int(found[1]) for found in counted if found)
    sizes = program.sizes
    assert (columns, rows - (form == "mps"), entries) == (sizes.variables, sizes.clauses, sizes.literals)
    assert f"{program.whole} integer variables, all of which are binary" in text


def test_names_that_a_form_does_not_take_are_numbers() -> None:
    space = Named(["New York", "Köln", "a", "b"], "towns")
    towns = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)], space=space)
    backend: Any = load("milp")
    program = backend.formula(to_cycle(Problem(towns, True)), 0)
    assert sorted(program.names("lp")) == ["x_0_1", "x_0_3", "x_1_2", "x_2_3"]
    assert program.names("opb") == ["x1", "x2", "x3", "x4"]


@pytest.mark.parametrize("name", ["milp", "pb"])
def test_degree_equations_in_opb(name: str, tmp_path: Path) -> None:
    if missing_modules(name):
        pytest.skip(f"backend {name} is not installed")
    path = tmp_path / "program.opb"
    written(name, "a required move", path)
    lines = path.read_text().splitlines()
    assert lines[0] == "* #variable= 26 #constraint= 14"
    stated = [line for line in lines if not line.startswith("*")]
    assert len(stated) == 14
    assert all(re.fullmatch(r"(\+1 x\d+ )+= [12] ;", line) for line in stated)
    assert read_map(str(path)).relaxed
