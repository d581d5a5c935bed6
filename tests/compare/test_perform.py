"""``compare run``: broken backends harm no other run; a killed study is resumed without a loss; clusters."""

import csv
import itertools
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from commands import Command

from cpsat_tour import Board, Problem, load as load_backend, run
from cpsat_tour.cli.main import status
from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.record import Job, RecordedRun, load
from cpsat_tour.core.runs import Event, Spent
from cpsat_tour.engines.registry import BACKENDS, missing_modules

ROOT = Path(__file__).resolve().parents[2]

HONEST = "py:broken_backends:Honest"


def job(backend: str, kind: str = "open", **limits: Any) -> Job:
    """A job for a backend of `broken_backends`."""
    return Job(f"py:broken_backends:{backend}", "5x5", kind, **({"time_limit": 60.0} | limits))


def test_an_honest_run_is_recorded_with_all_that_it_used() -> None:
    run = perform(job("Honest"))
    assert (run.status, run.vertices, run.edges, run.plan) == ("tour", 25, 96 // 2, "board")
    assert run.work["positions"] >= 25
    seconds, wall, user, memory = (used or 0.0 for used in (run.seconds, run.wall, run.user, run.memory))
    assert 0 < seconds < wall
    assert user > 0
    assert 10e6 < memory < 1e9
    assert run.machine["processors"] >= 1
    assert run.versions["python"] == sys.version.split()[0]
    assert run.when.endswith("+00:00")
    assert run.tour is not None


@pytest.mark.parametrize("name", [name for name, row in BACKENDS.items() if "models." in row.target])
def test_every_formulation_tells_the_time_in_its_solver(name: str) -> None:
    if absent := missing_modules(name):
        pytest.skip(f"{name} needs {', '.join(absent)}, not installed")
    told = list[Event]()
    answer = run(Problem(Board(6).graph, True), load_backend(name), on_event=told.append)
    spent = [event.seconds for event in told if isinstance(event, Spent) and event.step == "solve"]
    assert 0 < sum(spent) < answer.seconds


def test_the_steps_of_a_run_are_recorded(tmp_path: Path) -> None:
    solver = tmp_path / "solver"
    solver.write_text(f"#!/bin/sh\necho $@ >{tmp_path}/given\necho s UNSATISFIABLE\n")
    solver.chmod(0o755)
    run = perform(Job(f"sat:crt@{solver} --seed={{seed}}", "5x6", "closed", seed=3, time_limit=60))
    assert (run.status, run.refutation, [*run.spent]) == ("none", "claimed", ["build", "write", "solve", "decode"])
    assert (tmp_path / "given").read_text().startswith("--seed=3 ")
    assert run.solver == run.spent["solve"] <= (run.seconds or 0)
    assert [*run.versions.items()][2:] == [(str(solver), "(version unknown)")], "of what solved, and nothing else"
    solver.write_text("#!/bin/sh\necho no such option >&2\nexit 1\n")
    assert perform(Job(f"sat:crt@{solver}", "5x6", "closed", time_limit=60)).status == "crash"
    assert perform(job("Honest")).spent == {}
    assert perform(Job("auto", "cubic(60,1)", "closed", time_limit=60)).spent == {}, "not all its parts tell theirs"


@pytest.mark.parametrize(
    ("job", "status", "words"),
    [
        (job("WrongTour"), "wrong", "move 1, from a5 to b5, is not a move"),
        (job("Lies"), "wrong", "move 1, from a5 to b5, is not a move"),
        (job("Raises"), "crash", "ZeroDivisionError: a tour of no squares"),
        (job("Crashes"), "crash", "SIGABRT: assertion failed in propagate.cc"),
        (job("PrintsGarbage"), "garbage", "the backend sent data that is not a message"),
        (job("Missing"), "refused", "Missing"),
        (job("Honest folder=/"), "refused", "no option 'folder'"),
        (job("Hangs", time_limit=0.3), "timeout", ""),
        (job("EatsMemory", memory_limit=200_000_000), "memory", "killed at"),
    ],
    ids=lambda value: value.backend if isinstance(value, Job) else "",
)
def test_a_broken_backend_is_caught_and_named(job: Job, status: str, words: str) -> None:
    run = perform(job)
    assert run.status == status
    assert words in (run.fault or "")
    assert (run.wall or 0) >= 0.3 or status != "timeout"
    assert 200_000_000 < (run.memory or 0) < 2_000_000_000 or status != "memory"


def test_a_process_in_a_session_of_its_own_is_killed_with_the_one_that_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert perform(job("LeavesAProcess", time_limit=2.0)).status == "timeout"
    assert is_gone(int((tmp_path / "left").read_text()))


def test_memory_that_grows_faster_than_the_harness_looks_is_refused() -> None:
    """The child's own bound: one allocation of three gigabytes where a little over half of one may be had."""
    program = "from cpsat_tour.compare.child import _bound_memory; _bound_memory(1 << 20); bytes(3 << 30)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MemoryError" in run.stderr


def test_a_condition_that_is_not_violated_is_a_mere_claim() -> None:
    assert perform(job("FalseCondition")).refutation == "claimed"
    assert perform(job("FalseCondition", "closed")).refutation == "condition"
    by_corners = perform(Job("auto", "4x4", "closed", time_limit=60))
    assert by_corners.refutation == "condition", "it follows from the moves of the corners"


def test_a_study_with_broken_backends_is_unharmed_by_them(tmp_path: Path, command: Command) -> None:
    statuses = {"Honest": "tour", "FalseNone": "none", "WrongTour": "wrong", "Crashes": "crash"}
    study, results = tmp_path / "broken.toml", tmp_path / "runs.jsonl"
    names = json.dumps([f"py:broken_backends:{name}" for name in statuses])
    study.write_text(f'backends = {names}\nboards = ["5x5"]\nkinds = ["open"]\ntime_limit = 60')
    out, err = command(f"compare run {study} --results {results} --jobs 2", 1)
    assert {run.backend.rpartition(":")[2]: run.status for run in load(results)} == statuses
    says = "it says that there is no tour (claimed), and py:broken_backends:Honest found one"
    assert f"DISAGREE: py:broken_backends:FalseNone, open 5x5: {says}" in err
    assert "DISAGREE: py:broken_backends:WrongTour, open 5x5" in err
    report = command(f"compare report {results}", 1).out
    for shown in (out, report):
        assert "| py:broken_backends:Honest | 1/1 |" in shown
    for name in ("FalseNone", "WrongTour", "Crashes"):
        assert name in err
        assert f" py:broken_backends:{name}, open 5x5: " in report


@pytest.mark.parametrize(("spec", "options"), [("dfs foo=1", "dfs -O foo=1"), ("sat@foo", "sat@foo")])
def test_a_bad_backend_is_refused_as_solve_refuses_it(
    spec: str, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(f"solve 5x5 --backend {options}".split()) == 2
    said = capsys.readouterr().err
    for call in ("run --board 5x5", "agree 5x5"):
        assert status(["compare", *call.split(), "--backend", spec]) == 2
        assert capsys.readouterr().err == said


def test_no_file_of_runs_is_made_where_a_graph_can_not_be_read(tmp_path: Path, command: Command) -> None:
    graph, results = tmp_path / "a.cnf", tmp_path / "runs.jsonl"
    graph.write_text("p cnf 1 1\n1 0\n")
    assert "a.cnf, line 1" in command(f"compare run --board {graph} --backend dfs --results {results}", 2).err
    assert not results.exists()


def test_stop_after_leaves_runs_that_resume_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """The clock of the test advances a second at each look."""
    path = tmp_path / "runs"
    call = f"compare run --board 5x5 --backend {HONEST} --kind open --seeds 2 --results {path}"
    with monkeypatch.context() as ticking:
        ticking.setattr("cpsat_tour.compare.perform.monotonic", itertools.count().__next__)
        said = command(f"{call} --stop-after 2 --time-limit 1000", 3).err
        assert said.startswith("2 runs to make, 1 at a time: at most 33 min, and the start of each.\n")
        assert "; 1 left: go on" in said
    assert "--resume" in command(call, 2).err
    command(f"{call} --resume --time-limit 1000")
    before = path.read_bytes()
    assert before.count(b"\n") == 2
    table = tmp_path / "times.csv"
    assert "to make" not in command(f"{call} --resume --time-limit 1000").err
    command(f"compare report {path} --measure wall -o {table}")
    (row,) = csv.DictReader(table.open(newline=""))
    assert float(row["mean"]) == pytest.approx(fmean(run.wall or 0.0 for run in load(path)))
    assert path.read_bytes() == before


class Gated:
    """A study in a process of its own: three honest runs, one that waits at a gate in its second place, and the file of
    runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, folder / "runs.jsonl"
        for pipe in ("told", "gate"):
            os.mkfifo(folder / pipe)
        backends = json.dumps([HONEST, f"py:broken_backends:Gate folder={folder}"])
        (folder / "study.toml").write_text(
            f'backends = {backends}\nboards = ["5x5", "5x6"]\nkinds = ["open"]\ntime_limit = 600'
        )

    @contextmanager
    def started(self, *options: str) -> Iterator[subprocess.Popen[str]]:
        """The harness in a process of its own, which is gone afterwards."""
        line = f"-m cpsat_tour compare run {self.folder / 'study.toml'} --results {self.results}"
        call = [sys.executable, *line.split(), *options]
        path = os.pathsep.join([str(ROOT / "tests" / "support"), str(ROOT)])
        with subprocess.Popen(
            call,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        ) as harness:
            try:
                yield harness
            finally:
                harness.kill()

    def waiting(self) -> tuple[int, int]:
        """The solver process that has come to the gate, and the process that started it."""
        solver, parent = (self.folder / "told").read_text().split()
        return int(solver), int(parent)

    def open(self) -> None:
        """From now on nobody waits."""
        (self.folder / "open").touch()

    def resumed(self, *options: str) -> str:
        """Go on to the end; what the harness says."""
        with self.started("--resume", *options) as harness:
            assert harness.stderr is not None
            said = harness.stderr.read()
            assert harness.wait() == 0, said
        return said

    def is_complete(self) -> list[RecordedRun]:
        """The file has every run exactly once."""
        runs = load(self.results)
        assert len({run.key for run in runs}) == len(runs) == 4
        return runs


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    """A gated study."""
    return Gated(tmp_path)


def is_gone(process: int) -> bool:
    """Wait until a process that is not our child has ended."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 300)[0])
    finally:
        os.close(handle)


def test_the_harness_killed_in_the_middle_and_resumed(gated: Gated) -> None:
    with gated.started() as harness:
        solver, parent = gated.waiting()
        assert parent == harness.pid
        harness.kill()
    assert is_gone(solver)
    assert [run.board for run in load(gated.results)] == ["5x5"]
    with open(gated.results, "ab") as file:
        file.write(b'{"key": "half a li')
    gated.open()
    said = gated.resumed()
    assert "and is cut off" in said
    assert "half written (18 bytes)" in said
    assert {run.status for run in gated.is_complete()} == {"tour"}


def test_a_solver_killed_in_the_middle_is_recorded_and_the_study_goes_on(gated: Gated) -> None:
    with gated.started() as harness:
        for _ in range(2):
            os.kill(gated.waiting()[0], signal.SIGKILL)
        assert harness.wait() == 0
    runs = gated.is_complete()
    assert [run.status for run in runs] == ["tour", "crash", "tour", "crash"]
    assert runs[1].fault == "the process was ended by signal SIGKILL"


def test_ctrl_c_says_what_there_is_and_kills_the_solver(gated: Gated) -> None:
    with gated.started() as harness:
        solver, _ = gated.waiting()
        harness.send_signal(signal.SIGINT)
        table, said = harness.communicate(timeout=300)
        assert harness.returncode == 130
    assert is_gone(solver)
    assert f"| {HONEST} | 1/1 |" in table
    assert "runs.jsonl has 1 run; 3 left: go on with --resume" in said
    assert "Traceback" not in said
    assert [run.board for run in load(gated.results)] == ["5x5"]


def survives_the_loss_of_a_worker(gated: Gated, *where: str) -> list[RecordedRun]:
    """Run the study on a cluster, kill the worker whose solver waits at the gate, and return the runs, all there."""
    with gated.started(*where) as harness:
        solver, worker = gated.waiting()
        assert worker != harness.pid
        gated.open()
        os.kill(worker, signal.SIGKILL)
        assert is_gone(solver)
        assert harness.stderr is not None
        said = harness.stderr.read()
        assert harness.wait() == 0, said
    runs = gated.is_complete()
    assert {run.executor for run in runs} == {"dask"}
    return runs


def test_a_cluster_makes_the_same_runs_as_this_machine_though_a_worker_is_killed(gated: Gated) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        on_cluster = survives_the_loss_of_a_worker(gated, "--cluster", cluster.scheduler_address)
    gated.results.unlink()
    gated.resumed("--jobs", "2")
    assert {(run.key, run.status, run.tour) for run in gated.is_complete()} == {
        (run.key, run.status, run.tour) for run in on_cluster
    }


def test_a_class_of_one_s_own_is_compared_as_its_page_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plug-ins.md").read_text()
    example = re.findall(r"literalinclude\} (\S+)\n:lines: 1-(\d+)", page)[0]
    code = (ROOT / "docs" / example[0]).read_text().splitlines()[: int(example[1])]
    (tmp_path / "own_encoding.py").write_text("\n".join(code))
    call = re.findall(r"^PYTHONPATH=\. cpsat-tour (compare run .*)", page, re.MULTILINE)[0]
    made = subprocess.run(
        [sys.executable, "-m", "cpsat_tour", *shlex.split(call)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert "| py:own_encoding:Unary | 3/3 |" in made.stdout
