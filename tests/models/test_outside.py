"""Programs from outside as solvers: what they answer is verified, and they end when they should."""

import os
import re
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from commands import Command

from cpsat_tour import BackendFault, BadInput, Board, Graph, Limits, Problem, load, run, solve
from cpsat_tour.core.runs import Event, Spent
from cpsat_tour.engines.runner import formula
from cpsat_tour.formats.formula import MappedFormula
from cpsat_tour.models.drivers.outside import PROGRAMS, Program, version_of

BOARD = Problem(Board(5, 6).graph, True)


def program(folder: Path, script: str, name: str = "solver") -> Path:
    """Write a shell script that takes the formula's file, and return its path."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


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


def test_a_program_is_given_the_seed_the_threads_and_the_time_that_is_left(tmp_path: Path) -> None:
    path, limits = program(tmp_path, f"echo $@ >{tmp_path}/given; echo s UNSATISFIABLE"), Limits(300, threads=2, seed=7)
    for arguments, given in (
        ("--seed={seed} -j {threads} {odd", "--seed=7 -j 2 {odd FILE"),
        ("-- sec {seconds}", "sec 300 FILE"),
        ("-t {milliseconds}", "-t 2[89]{4} FILE|-t 299[0-9]{3} FILE|-t 300000 FILE"),
        ("-f {formula} -q", "-f FILE -q"),
        ("", "FILE"),
    ):
        run(BOARD, load(f"sat:crt@{path} {arguments}".strip()), limits)
        shown = re.sub(r"\S+/formula\.cnf", "FILE", (tmp_path / "given").read_text().strip())
        assert shown == given or re.fullmatch(given, shown)
    with pytest.raises(BadInput, match=r"can't be given \{sead\}: arguments may have \{formula\}, "):
        load(f"sat:crt@{path} --seed={{sead}}")


def test_the_time_in_the_program_is_told_apart(tmp_path: Path) -> None:
    """A program's own words on its time are of no weight."""
    path, told = program(tmp_path, "echo c process time: 99999 s; echo s UNSATISFIABLE"), list[Event]()
    answer = run(BOARD, load(f"sat:crt@{path}"), on_event=told.append)
    spent = {event.step: event.seconds for event in told if isinstance(event, Spent)}
    assert [*spent] == ["build", "write", "solve", "decode"]
    assert sum(spent.values()) < answer.seconds


def test_the_version_of_a_program_is_its_first_line_with_a_number(tmp_path: Path) -> None:
    for name, script, version in (
        ("kissat", "echo; echo Kissat; echo ' version 4.0.1 '; echo 5", "version 4.0.1"),
        ("cadical", "exit 3", ""),
        ("solver", "echo 7", ""),
    ):
        assert version_of(str(program(tmp_path, script, name))) == version
    assert version_of("/no/kissat") == ""


def test_that_there_is_no_tour_is_a_claim(tmp_path: Path) -> None:
    answer = run(BOARD, load(f"sat:crt@{program(tmp_path, 'echo s UNSATISFIABLE')}"))
    assert answer.refutation is not None
    assert (answer.status, answer.refutation.kind) == ("none", "claimed")
    assert "solver reports that the formula of sat:crt has no solution" in answer.refutation.reason


# --- what bad programs do ---


MARK = "CPSAT_TOUR_TEST"
FOREVER = "sleep 1000"
NONE, LIMIT, FAULT = 20, 3, 1

BAD = {
    "forks": (f"{FOREVER} & {FOREVER} & {FOREVER} & echo s UNSATISFIABLE", NONE, "There is no closed tour"),
    "starts a session": (f"setsid {FOREVER} & {FOREVER}", LIMIT, "Stopped at the time limit"),
    "starts a session and ends": (f"setsid {FOREVER} & exit 4", FAULT, "with status 4 and without an answer"),
    "forks twice": (f"(setsid sh -c '{FOREVER} & {FOREVER} &' &); {FOREVER}", LIMIT, "Stopped at the time limit"),
    "forks on and on": ("[ ${3:-0} = 200 ] || setsid $0 $1 $2 $((${3:-0} + 1)) &", FAULT, "with status 0 and without"),
    "ignores signals": (f"trap '' TERM INT HUP; {FOREVER}; {FOREVER}", LIMIT, "Stopped at the time limit"),
    "kills its group": (f"setsid {FOREVER} & kill -KILL 0", FAULT, "with status -9 and without an answer"),
    "kills its parent": (f"kill -KILL $PPID; {FOREVER}", FAULT, "can't be run"),
    "stops its parent": (f"kill -STOP $PPID; setsid {FOREVER} & {FOREVER}", LIMIT, "Stopped at the time limit"),
    "is killed": ("kill -SEGV $$", FAULT, "with status -11 and without an answer"),
    "leaves a pipe": ("mkfifo $2", FAULT, "with status 0 and without an answer"),
    "prints into a pipe": ("cd ${2%/*}; rm printed; mkfifo printed", FAULT, "with status 0 and without an answer"),
    "leaves a link": ("ln -s /dev/zero $2", FAULT, "with status 0 and without an answer"),
    "leaves a folder": ("mkdir $2", FAULT, "with status 0 and without an answer"),
    "leaves no folder": ("rm -r ${2%/*}", FAULT, "with status 0 and without an answer"),
    "answers after its end": ("(sleep 0.1; echo UNSAT >$2) &", FAULT, "with status 0 and without an answer"),
    "prints without end": ("cat /dev/zero", FAULT, "wrote more than 16 MB: no answer is so long"),
    "complains without end": ("cat /dev/zero >&2", FAULT, "wrote more than 16 MB: no answer is so long"),
    "answers without end": ("cat /dev/zero >$2", FAULT, "wrote more than 16 MB: no answer is so long"),
    "repeats itself": ("yes v 1 | head -c 15000000", LIMIT, "Stopped at the time limit"),
    "says nothing": (":", FAULT, "with status 0 and without an answer"),
    "says something else": ("echo hello", FAULT, "with status 0 and without an answer: hello"),
    "says it broke": ("echo it broke >&2; exit 3", FAULT, "with status 3 and without an answer: it broke"),
    "says what is no number": ("echo s SATISFIABLE; echo v 1 two 0", FAULT, "without an answer"),
    "does not know": ("echo s UNKNOWN", LIMIT, "The solver gave up: whether there is a closed tour"),
    "lies": ("echo s SATISFIABLE; echo v 1 0", FAULT, "gave a wrong answer: the values are not a model"),
    "invents variables": (
        "echo s SATISFIABLE; echo v 99999999 0",
        FAULT,
        "gave a wrong answer: the values are not a model",
    ),
    "speaks to the terminal": (r"printf '\033]0;a\007\302\233b\342\200\256' >&2", FAULT, r": \x1b]0;a\x07\x9bb\u202e"),
}
"""Scripts that are called with the formula and the file for the answer: the exit status, and what is said."""


def marked(mark: Path) -> list[psutil.Process]:
    """The processes that have this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK) == str(mark):
                found.append(process)
    return found


@pytest.mark.parametrize("name", BAD)
def test_a_bad_program_is_ended_with_all_that_it_started(
    name: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, status, said = BAD[name]
    monkeypatch.setenv(MARK, str(tmp_path))
    solver = program(tmp_path, script, "minisat")
    seconds = 1 if status == LIMIT else 60  # others end by themselves, on a busy machine later
    printed = command(f"solve 5x6 --closed --backend sat:crt@{solver} --time-limit {seconds}", status)
    left = marked(tmp_path)
    if name == "kills its parent":  # after which the kernel kills it
        left = psutil.wait_procs(left, timeout=30)[1]
    assert left == []
    assert said in printed.out + printed.err
    assert printed.err.isprintable() or printed.err.rstrip("\n").isprintable()
    assert "Traceback" not in printed.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_program_and_all_that_it_started(number: signal.Signals, tmp_path: Path) -> None:
    """The signal is sent when the program has started a session; the program that is killed has no time to wait."""
    os.mkfifo(tmp_path / "ready")
    ready = os.open(tmp_path / "ready", os.O_RDONLY | os.O_NONBLOCK)
    solver = program(tmp_path, f"setsid sh -c 'echo >{tmp_path}/ready; {FOREVER}' & {FOREVER}")
    call = [sys.executable, "-m", "cpsat_tour", "solve", "5x6", "--closed", "--backend", f"sat:crt@{solver}"]
    marks = os.environ | {MARK: str(tmp_path), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(call, stderr=subprocess.PIPE, env=marks, text=True) as run:
        assert select.select([ready], [], [], 120)[0]
        os.close(ready)
        run.send_signal(number)
        _, told = run.communicate(timeout=120)
    left = marked(tmp_path)
    assert psutil.wait_procs(left, timeout=30)[1] == []
    if number != signal.SIGKILL:
        assert (left, run.returncode) == ([], 128 + number)
        assert told.startswith("Interrupted: whether there is a closed tour")


# --- what is refused ---


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("milp@kissatt", "there is no program 'kissatt': did you mean kissat?, or give a path"),
        ("sat:crt@/no/solver", "the program /no/solver is not there: install it, or give its path"),
        ("sat:crt@cadical999", "there is no program and no solver of PySAT 'cadical999'"),
        ("dfs@cadical", "backend dfs has no option 'solver'"),
        ("asp@/bin/sh:cnf", "/bin/sh reads .cnf files, and of asp there are: asp"),
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
