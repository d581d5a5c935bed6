"""Linear programs: their rows and sizes, the files that other programs read, and solvers in processes of their own."""

import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, small_graphs

from cpsat_tour import BackendFault, BadInput, Board, Graph, Problem, run
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.runs import Event, Limits, Progress, Run, no_heartbeat
from cpsat_tour.core.space import Named
from cpsat_tour.engines.registry import load, missing_modules
from cpsat_tour.formats.formula import read_map
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers import linear
from cpsat_tour.models.drivers.linear import LinearProgram, Sums, sum_at
from cpsat_tour.tour import Interrupted


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    """Skip a test whose first parameter names a backend that lacks a module."""
    name = getattr(getattr(request.node, "callspec", None), "params", {}).get("name", "milp").partition(" ")[0]
    if absent := missing_modules(name):
        pytest.skip(f"backend {name} needs {', '.join(absent)}")


# --- rows ---


def written(sums: Sums) -> list[dict[int, float]]:
    """The sums as people write them, the weight of each column; one that comes twice in a sum is added up."""
    found = []
    entries = zip(sums.columns.tolist(), sums.weights.tolist(), strict=True)
    for length in sums.lengths.tolist():
        terms: dict[int, float] = {}
        for column, weight in (next(entries) for _ in range(length)):
            terms[column] = terms.get(column, 0) + weight
        found.append(terms)
    assert next(entries, None) is None
    return found


def test_rows_say_what_their_formulas_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with six columns x, numbers 0 to 5, and four columns p, numbers 6 to 9."""
    tails, heads = np.array([0, 0, 1, 2, 2, 3]), np.array([1, 2, 2, 0, 3, 0])
    program = LinearProgram(
        "test", to_cycle(Problem(Board(3, 4).graph, True)), np.arange(6, dtype=np.int32), no_heartbeat
    )
    x, p = program.columns("x", tails, heads, whole=True), program.columns("p", np.arange(4), most=2)
    stated = p[tails] - p[heads] + 3 * x <= 2
    loops = [{6 + u: 1, 6 + v: -1, k: 3} for k, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True))]
    assert written(stated.sums) == loops
    assert (stated.sign, stated.right.tolist()) == ("<=", [2] * 6)
    assert written((x[heads == 0] >= p[[1, 3]]).sums) == [{3: 1, 7: -1}, {5: 1, 9: -1}]
    leaving = sum_at(tails, x, 5)
    assert written(leaving) == [{0: 1, 1: 1}, {2: 1}, {3: 1, 4: 1}, {5: 1}, {}]
    balance = sum_at(heads, x, 5) - leaving
    assert written(balance[[2, 0]]) == [{1: 1, 2: 1, 3: -1, 4: -1}, {3: 1, 5: 1, 0: -1, 1: -1}]
    assert written(x.over([np.array([4, 1]), np.array([2])])) == [{4: 1, 1: 1}, {2: 1}]
    monkeypatch.setattr(linear, "MAX_ENTRIES", 15)
    with pytest.raises(
        BadInput, match="the program of test has more than 15 columns and entries here: choose milp, or"
    ):
        program.add(x <= 1, "most")


# --- programs that are stated at once ---

PROGRAMS = {
    "milp:mtz": {},
    "milp:mtz lifted": {"lifted": True},
    "milp:flow": {},
    "milp:flows": {},
    "milp:twoflows": {},
    "milp:stages": {},
    "milp:stages aggregated": {"aggregated": True},
}


def closed_form(name: str, cycle: CycleProblem) -> tuple[int, int, int]:
    """Columns, rows and entries, as the docstrings have them."""
    n, m, d, r = cycle.order, cycle.size, int(cycle.degrees.min()), int(cycle.required.sum())
    columns, rows, entries = 2 * m, 2 * n + r, 4 * m + 2 * r
    if name.startswith("milp:mtz"):
        columns, rows, entries = columns + n - 1, rows + 2 * (m - d), entries + 6 * (m - d)
        return (
            (columns, rows + 2 * n - 2, entries + 2 * (m - d) + 2 * n - 2 + 4 * d)
            if "lifted" in name
            else ((columns, rows, entries))
        )
    if name == "milp:flow":
        return columns + 2 * m, rows + 2 * m + n - 1, entries + 4 * m + 4 * m - 2 * d
    if name == "milp:twoflows":
        return columns + 4 * m, rows + 2 * m + 2 * n, entries + 6 * m + 8 * m
    if name == "milp:flows":
        return columns + 2 * m * (n - 1), rows + (n - 1) * (2 * m + n), entries + (n - 1) * 8 * m
    arcs = Arcs(cycle, colours=True)
    possible = arcs.possible_positions(np.arange(n))
    steps = (possible[arcs.tails] & np.roll(possible, -1, axis=1)[arcs.heads]).sum(axis=1)
    s, leaving, entering = (int(steps[some].sum()) for some in (slice(None), arcs.tails == arcs.root, arcs.into_root))
    rows, entries = rows + 2 * m, entries + 2 * m + s
    if "aggregated" in name:
        return columns + s, rows + 2 * n - 1, entries + 3 * s - leaving - entering
    return columns + s, rows + int(possible.sum()) - 1 + m, entries + 2 * s - leaving - entering + 2 * m


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_size_of_its_docstring_and_its_options_change_no_answer(name: str) -> None:
    backend: Any = load(name.partition(" ")[0], PROGRAMS[name])
    for problem in (Problem(Board(8).graph, True), Problem(Board(5, 6).graph, False, start=0)):
        sizes = backend.sizes(cycle := to_cycle(problem))
        assert (sizes.variables, sizes.clauses, sizes.literals) == closed_form(name, cycle)
    for graph in (*small_graphs(4), *small_graphs(3, directed=True)) if PROGRAMS[name] else ():
        for closed in (False, True):
            problem = Problem(graph, closed)
            assert (run(problem, backend).tour is not None) == bool(brute_force(problem)), problem
    assert not PROGRAMS[name] or run(Problem(Board(5, 6).graph, True), backend).status == "tour"


# --- files ---

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

FORMULATIONS = ("milp", "milp:mtz", "milp:flow", "milp:flows", "milp:twoflows", "milp:stages")

all_programs = pytest.mark.parametrize("name", FORMULATIONS)


def program_in(path: Path, name: str, asked: str) -> LinearProgram:
    """The program of a backend, which is also written to the file."""
    backend: Any = load(name)
    program: LinearProgram = backend.formula(to_cycle(ASKED[asked]), 0)
    with path.open("wb") as file:
        assert program.write(path.suffix[1:], file) == program.sizes
    return program


def printed(*command: str | Path) -> str:
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@all_programs
@pytest.mark.parametrize(("program", "form"), [("highs", "mps"), ("cbc", "lp")])
@pytest.mark.parametrize("asked", ASKED)
def test_other_programs_come_to_the_same_answer(name: str, asked: str, form: str, program: str, tmp_path: Path) -> None:
    if asked == "arcs" and name == "milp":
        pytest.skip("the program of milp is about edges")
    path, solution = tmp_path / f"program.{form}", tmp_path / "solution"
    cycle = program_in(path, name, asked).cycle
    if program == "highs":
        solution.write_text(printed(sys.executable, "-c", HIGHS, path))
    else:
        printed(program, path, "solve", "solution", solution)
    rows = [line.split() for line in solution.read_text().splitlines()]
    assert (rows[0][0] == "Infeasible") == (asked == "none")
    if asked != "none":
        true = {row[1] for row in rows if len(row) > 2 and row[1].startswith("x_") and float(row[2]) > 0.5}
        cycles = read_map(str(path)).cycles(true)
        assert np.sort(np.concatenate(cycles)).tolist() == list(range(cycle.order))
        assert name == "milp" or len(cycles) == 1


@all_programs
@pytest.mark.parametrize("form", ["lp", "mps"])
def test_another_program_counts_the_same_columns_rows_and_entries(name: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"program.{form}"
    program = program_in(path, name, "a tour")
    text = printed("glpsol", "--check", "--lp" if form == "lp" else "--freemps", path)
    # In MPS the objective, which is empty, is a row, and in LP it has an entry.
    counted = [re.search(rf"(\d+) {what}", text) for what in ("columns", "rows", "non-zeros")]
    columns, rows, entries = (int(found[1]) for found in counted if found)
    sizes = program.sizes
    assert (columns, rows - (form == "mps"), entries) == (sizes.variables, sizes.clauses, sizes.literals)
    assert f"{program.whole} integer variables, all of which are binary" in text


@all_programs
def test_rows_are_called_by_rules_and_vertices_of_their_columns_in_both_forms(name: str, tmp_path: Path) -> None:
    """The columns come in one order, and a row is called after vertices that its columns have."""
    for form in ("lp", "mps"):
        program_in(tmp_path / f"a.{form}", name, "a required move")
    lp, mps = ((tmp_path / f"a.{form}").read_text() for form in ("lp", "mps"))
    rows = {label: re.findall(r"[+-]\S+ (\S+)", row) for label, row in re.findall(r"(?m)^ (\w+): ((?:.|\n  )+)$", lp)}
    assert list(rows) == re.findall(r"(?m)^ [LEG] (\w+)$", mps)
    assert re.findall(r"(?m)^  \+ 0 (\w+)$", lp) == re.findall(r"(?m)^ (?:BV|UP) BND (\w+)", mps)
    assert {"required"} < {label.partition("_")[0] for label in rows}
    for label, columns in rows.items():
        rule, *vertices = label.split("_")
        assert set(vertices) <= {vertex for column in columns for vertex in column.split("_")[1:]}, label
        place = {"out": 1, "in": 2}.get(rule)
        assert place is None or {column.split("_")[place] for column in columns} == {*vertices}


def test_names_that_a_form_does_not_take_are_numbers() -> None:
    space = Named(["New York", "Köln", "a", "b"], "towns")
    towns = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)], space=space)
    backend: Any = load("milp")
    program = backend.formula(to_cycle(Problem(towns, True)), 0)
    assert sorted(program.names("lp")) == ["x_0_1", "x_0_3", "x_1_2", "x_2_3"]
    assert program.names("opb") == ["x1", "x2", "x3", "x4"]


@pytest.mark.parametrize("name", ["milp", "pb"])
def test_degree_equations_in_opb(name: str, tmp_path: Path) -> None:
    program_in(path := tmp_path / "program.opb", name, "a required move")
    lines = path.read_text().splitlines()
    assert lines[0] == "* #variable= 26 #constraint= 14"
    stated = [line for line in lines if not line.startswith("*")]
    assert len(stated) == 14
    assert all(re.fullmatch(r"(\+1 x\d+ )+= [12] ;", line) for line in stated)
    assert read_map(str(path)).relaxed


# --- processes: one that dies, whose run is interrupted, or that is used again ---

WORKERS = {"milp": "highspy", "pb": "exact"}

both = pytest.mark.parametrize("name", WORKERS)


def kill(process: linear.Worker) -> None:
    process.child.kill()
    os.waitid(os.P_PID, process.child.process.pid, os.WEXITED | os.WNOWAIT)


@both
def test_one_process_serves_one_run_after_the_other_until_it_is_killed(name: str) -> None:
    for side in (6, 7, 8):
        run(Problem(Board(side).graph, True), load(name))
        (process,) = linear._idle[WORKERS[name]][-1:]
        assert process.at_rest
    assert run(Problem(Board(8).graph, True), load(name), Limits(work=10)).status == "tour"
    assert linear._idle[WORKERS[name]][-1] is process
    kill(process)
    assert run(Problem(Board(6).graph, True), load(name)).status == "tour"
    assert process not in linear._idle[WORKERS[name]]


@both
@pytest.mark.parametrize("dies", [True, False])
def test_what_ends_a_process_in_a_run_is_told(name: str, dies: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is killed, or the solver raises an error."""
    begin = linear.Worker.begin

    def spoil(process: linear.Worker, run: Run, program: LinearProgram, *asked: Any) -> None:
        begin(process, run, program, *asked)
        process.unsent.append(("add", [len(program.upper) + 99], [1], [1.0], [0.0], [1.0]))
        if dies:
            kill(process)

    monkeypatch.setattr(linear.Worker, "begin", spoil)
    told = {"milp": "RuntimeError: HiGHS refused a call of addRows", "pb": "IndexError: list index out of range"}[name]
    status = "-9" if dies else f"1: {told}"
    with pytest.raises(BackendFault, match=f"the process of {WORKERS[name]} ended with status {status}"):
        run(Problem(Board(6).graph, True), load(name))


@both
def test_threads_do_not_share_a_process(name: str) -> None:
    """All of them look for an idle process at once, and there is one."""
    with linear.worker(WORKERS[name]):
        pass
    together = Barrier(4)

    def lend() -> linear.Worker:
        with linear.worker(WORKERS[name]) as process:
            together.wait()
            return process

    with ThreadPoolExecutor(4) as pool:
        assert len({id(process.result()) for process in [pool.submit(lend) for _ in range(4)]}) == 4


@both
def test_ctrl_c_in_a_solve_ends_the_process(name: str) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Progress):
            raise KeyboardInterrupt

    with linear.worker(WORKERS[name]) as process:
        pass
    with pytest.raises(Interrupted):
        run(Problem(Board(60).graph, True), load(name), on_event=interrupt)
    assert process.at_rest or process.child.process.poll() is not None


KILLED = """
import os, signal, sys
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.models.drivers.linear import Worker
from cpsat_tour.spaces.board import Board
from cpsat_tour.tour import Interrupted

class Killed(Worker):
    def hear(self, run):
        beat, beats = run.heartbeat, []
        def heartbeat():
            beats.append(beat())
            if len(beats) >= 5 and not self.unsent:
                os.kill(os.getpid(), signal.SIGKILL)
        run.heartbeat = heartbeat
        return super().hear(run)

import cpsat_tour.models.drivers.linear
cpsat_tour.models.drivers.linear.Worker = Killed
run(Problem(Board(100).graph, True), load(sys.argv[1]))
"""


@both
def test_a_process_ends_when_its_parent_is_killed_in_a_solve(name: str) -> None:
    """The worker has the other end of the pipe too, so that the pipe ends when both have."""
    ended = subprocess.run([sys.executable, "-c", KILLED, name], stderr=subprocess.PIPE, check=False, timeout=300)
    assert (ended.returncode, ended.stderr) == (-signal.SIGKILL, b"")
