"""Programs from outside as solvers: what they answer is verified, and they end when they should."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from commands import Command

from cpsat_tour import BackendFault, BadInput, Limits, Problem, StoppedEarly, run, solve
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import formula
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import Clock
from cpsat_tour.formats.formula import MappedFormula
from cpsat_tour.interface.answer import Interrupted
from cpsat_tour.models.drivers.outside import PROGRAMS, Program
from cpsat_tour.spaces.board import Board

BOARD = Problem(Board(5, 6).graph, True)


def program(folder: Path, script: str) -> Path:
    """Write a shell script that takes the formula's file, and return its path."""
    path = folder / "solver"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo hello", "ended with status 0 and without an answer: hello"),
        ("echo it broke >&2; exit 3", "ended with status 3 and without an answer: it broke"),
        ("kill -SEGV $$", "ended with status -11 and without an answer"),
        ("echo s UNKNOWN", "without an answer"),
        ("echo s SATISFIABLE; echo v 1 0", "gave a wrong answer: the values are not a model"),
        ("echo s SATISFIABLE; echo v 1 two 0", "without an answer"),
    ],
)
def test_what_is_no_answer_is_a_fault_with_the_last_words(script: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BackendFault, match=said):
        run(BOARD, load(f"sat:crt@{program(tmp_path, script)}"))


def test_shorter_cycles_of_a_complete_formula_are_a_fault(tmp_path: Path) -> None:
    squares = [(0, 1), (1, 2), (2, 3), (0, 3), (4, 5), (5, 6), (6, 7), (4, 7)]
    problem = Problem(Graph.from_edges(8, [*squares, (0, 4), (1, 5)]), True)
    told = formula(problem, load("sat:crt"), "sat:crt")
    assert isinstance(told, MappedFormula)
    variables, moves = told.map("cnf").variables, zip(*told.map("cnf").ends, strict=True)
    chosen = [name for name, move in zip(variables, moves, strict=True) if tuple(sorted(map(int, move))) in squares]
    answer = program(tmp_path, f"echo s SATISFIABLE; echo v {' '.join(chosen)} 0")
    with pytest.raises(BackendFault, match="gave a wrong answer: more than one cycle"):
        run(problem, load(f"sat:crt@{answer}"), Limits(simplify=False))


def test_an_answer_of_the_round_before_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program answers the first round by two cycles, and breaks down in the second."""
    problem = Problem(
        Graph.from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)]), True
    )
    told = formula(problem, load("sat:lazy"), "sat:lazy")
    assert isinstance(told, MappedFormula)
    mapped = told.map("cnf")
    inside = [(int(u) < 3) == (int(v) < 3) for u, v in zip(*mapped.ends, strict=True)]
    chosen = [name if used else name.lstrip("-") for name, used in zip(mapped.variables, inside, strict=True)]
    script = f"if [ -e {tmp_path}/again ]; then exit 1; fi; touch {tmp_path}/again; echo s SATISFIABLE >$2; "
    path = program(tmp_path, f"{script}echo v {' '.join(chosen)} 0 >>$2")
    monkeypatch.setitem(PROGRAMS, "solver", Program("cnf", "{formula} {answer}"))
    with pytest.raises(BackendFault, match="ended with status 1 and without an answer"):
        run(problem, load(f"sat:lazy@{path}"), Limits(simplify=False))


def test_that_there_is_no_tour_is_a_claim(tmp_path: Path) -> None:
    answer = run(BOARD, load(f"sat:crt@{program(tmp_path, 'echo s UNSATISFIABLE')}"))
    assert answer.refutation is not None
    assert (answer.status, answer.refutation.kind) == ("none", "claimed")
    assert "solver reports that the formula of sat:crt has no solution" in answer.refutation.reason


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """A program that never ends, and writes its own and its child's number to the file ``numbers``."""
    return program(tmp_path, f"sleep 1000 & echo $$ $! > {tmp_path}/n; mv {tmp_path}/n {tmp_path}/numbers; wait")


def ends(folder: Path) -> bool:
    """True if the hanging program and its child end."""
    numbers = map(int, (folder / "numbers").read_text().split())
    processes = [psutil.Process(number) for number in numbers if psutil.pid_exists(number)]
    return not psutil.wait_procs(processes, timeout=30)[1]


class Halt(Exception):
    """Raised by a listener."""


@pytest.mark.parametrize("fault", [KeyboardInterrupt, Halt])
def test_the_program_and_its_children_are_killed(fault: type[BaseException], hanging: Path, tmp_path: Path) -> None:
    def listen(event: Event) -> None:
        if isinstance(event, Progress) and (tmp_path / "numbers").exists():
            raise fault

    with pytest.raises((Interrupted, Halt)):
        run(BOARD, load(f"sat:crt@{hanging}"), on_event=listen)
    assert ends(tmp_path)


def test_a_time_limit_ends_it(hanging: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_clock: Clock) -> None:
        if (tmp_path / "numbers").exists():
            raise StoppedEarly("time")

    monkeypatch.setattr(Clock, "check", check)
    answer = run(BOARD, load(f"sat:crt@{hanging}"))
    assert (answer.status, answer.stopped_by) == ("unknown", "time")
    assert ends(tmp_path)


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("milp@kissatt", "there is no program 'kissatt': did you mean kissat?, or give a path"),
        ("sat:crt@/no/solver", "the program /no/solver is not there: install it, or give its path"),
        ("sat:crt@cadical999", "there is no SAT solver 'cadical999' for this backend"),
        ("dfs@cadical", "backend dfs has no option 'solver'"),
        ("asp@/bin/sh:cnf", "/bin/sh:cnf reads .cnf files, and of asp there are: asp"),
        ("cpsat:lazy@/bin/sh:pb", "none that can be decoded"),
    ],
)
def test_what_can_not_be_asked_is_refused(backend: str, said: str, command: Command) -> None:
    assert said in command(f"solve 5x6 --closed --backend {backend}", 2).err


def test_a_limit_on_work_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="counts no work: limit its time"):
        run(BOARD, load(f"sat:crt@{program(tmp_path, 'echo s UNKNOWN')}"), Limits(work=10))


def test_solvers_of_pysat_come_before_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROGRAMS, "minisat22", Program("cnf", "no such argument"))
    assert solve("5x6", closed=True, backend="sat:crt@minisat22")
