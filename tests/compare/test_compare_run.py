"""``compare run``: broken backends are caught and harm nobody else; what is killed goes on without a loss or a repeat;
clusters."""

from __future__ import annotations

import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cpsat_tour.cli.main import status
from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.record import Job, RecordedRun, load

ROOT = Path(__file__).resolve().parents[2]

HONEST = "py:broken_backends:Honest"


def job(backend: str, board: str = "5x5", kind: str = "open", **limits: object) -> Job:
    """A job for a backend of `broken_backends`."""
    return Job(f"py:broken_backends:{backend}", board, kind, time_limit=5.0, **limits)  # type: ignore[arg-type]


def test_an_honest_run_is_recorded_with_all_that_it_used() -> None:
    run = perform(job("Honest"))
    assert run.status == "tour"
    assert run.vertices == 25
    assert run.work["positions"] >= 25
    assert run.tour is not None
    assert run.seconds is not None
    assert run.wall is not None
    assert run.user is not None
    assert run.memory is not None
    assert 0 < run.seconds < run.wall
    assert run.user > 0
    assert 10e6 < run.memory < 1e9
    assert run.machine["processors"] >= 1
    assert run.versions["python"] == sys.version.split()[0]
    assert run.when.endswith("+00:00")
    assert perform(job("Honest")).tour == run.tour


@pytest.mark.parametrize(
    ("backend", "status", "words"),
    [
        ("WrongTour", "wrong", "move 1, from a5 to b5, is not a move"),
        ("Lies", "wrong", "move 1, from a5 to b5, is not a move"),
        ("Raises", "crash", "ZeroDivisionError: a tour of no squares"),
        ("Crashes", "crash", "SIGABRT: assertion failed in propagate.cc"),
        ("PrintsGarbage", "garbage", "the backend sent what is not a message"),
        ("Missing", "refused", "Missing"),
        ("Honest folder=/", "refused", "no option 'folder'"),
    ],
)
def test_a_broken_backend_is_caught_and_named(backend: str, status: str, words: str) -> None:
    run = perform(job(backend))
    assert run.status == status
    assert run.fault is not None
    assert words in run.fault


def test_one_that_hangs_is_killed_at_the_time_limit() -> None:
    run = perform(Job("py:broken_backends:Hangs", "5x5", "open", time_limit=0.3))
    assert run.status == "timeout"
    assert run.wall is not None
    assert run.wall >= 0.3


def test_one_that_eats_memory_is_stopped_at_the_memory_limit() -> None:
    run = perform(job("EatsMemory", memory_limit=200_000_000))
    assert run.status == "memory"
    assert run.fault is not None
    assert run.fault.startswith("killed at")
    assert run.memory is not None
    assert 200_000_000 < run.memory < 2_000_000_000


def test_memory_that_grows_faster_than_the_harness_looks_is_refused() -> None:
    """The child's own bound: one allocation of three gigabytes where a little over half of one may be had."""
    program = "from cpsat_tour.compare.child import _bound_memory; _bound_memory(1 << 20); bytes(3 << 30)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MemoryError" in run.stderr


def test_a_condition_that_is_not_violated_is_a_mere_claim() -> None:
    assert perform(job("FalseCondition")).refutation == "claimed"
    assert perform(job("FalseCondition", kind="closed")).refutation == "condition"
    assert perform(Job("auto", "4x4", "closed", time_limit=60)).refutation == "condition", (
        "it follows from the moves of the corners"
    )


def test_a_study_with_broken_backends_is_unharmed_by_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ["WrongTour", "FalseNone", "Crashes", "Hangs", "EatsMemory", "PrintsGarbage"]
    study = tmp_path / "broken.toml"
    names = json.dumps([f"py:broken_backends:{name}" for name in ["Honest", *broken]])
    study.write_text(f'backends = {names}\nboards = ["5x5"]\nkinds = ["open"]\ntime_limit = 2.0\nmemory_limit = 200')
    results = tmp_path / "runs.jsonl"
    assert status(["compare", "run", str(study), "--results", str(results), "--jobs", "2"]) == 1
    found = {run.backend.rpartition(":")[2]: run for run in load(results)}
    assert {name: run.status for name, run in found.items()} == {
        "Honest": "tour",
        "WrongTour": "wrong",
        "FalseNone": "none",
        "Crashes": "crash",
        "Hangs": "timeout",
        "EatsMemory": "memory",
        "PrintsGarbage": "garbage",
    }
    out, err = capsys.readouterr()
    assert "| py:broken_backends:Honest | 1/1 |" in out
    assert "DISAGREE: py:broken_backends:WrongTour, open 5x5" in err
    says = "says that there is no tour (exhausted), and py:broken_backends:Honest found one"
    assert f"DISAGREE: py:broken_backends:FalseNone, open 5x5: {says}" in err
    for name in broken:
        assert name in err
    assert status(["compare", "report", str(results)]) == 1
    out = capsys.readouterr().out
    assert "| py:broken_backends:Honest | 1/1 |" in out
    for name in broken:
        assert f" py:broken_backends:{name}, open 5x5, seed 0: " in out


@pytest.mark.parametrize(
    ("spec", "options"), [("dfs foo=1", ["--backend", "dfs", "-O", "foo=1"]), ("sat@foo", ["--backend", "sat@foo"])]
)
@pytest.mark.parametrize("call", [["run", "--board", "5x5"], ["agree", "5x5"]])
def test_a_bad_backend_is_refused_as_solve_refuses_it(
    call: list[str],
    spec: str,
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["solve", "5x5", *options]) == 2
    said = capsys.readouterr().err
    assert status(["compare", *call, "--backend", spec]) == 2
    assert capsys.readouterr().err == said
    assert list(tmp_path.iterdir()) == []


def test_stop_after_leaves_runs_that_resume_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a clock on which a second passes between two looks."""
    call = [
        "compare",
        "run",
        "--board",
        "5x5",
        "--backend",
        HONEST,
        "--kind",
        "open",
        "--seeds",
        "3",
        "--results",
        str(tmp_path / "runs"),
    ]
    with monkeypatch.context() as ticking:
        ticking.setattr("cpsat_tour.compare.schedule.monotonic", itertools.count().__next__)
        assert status([*call, "--stop-after", "2"]) == 3
    assert "left: 2" in capsys.readouterr().err
    assert status(call) == 2
    assert "--resume" in capsys.readouterr().err
    assert status([*call, "--resume"]) == 0
    before = (tmp_path / "runs").read_bytes()
    assert before.count(b"\n") == 3
    assert status([*call, "--resume"]) == 0
    assert (tmp_path / "runs").read_bytes() == before


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
        call = [
            sys.executable,
            "-m",
            "cpsat_tour",
            "compare",
            "run",
            str(self.folder / "study.toml"),
            "--results",
            str(self.results),
            *options,
        ]
        path = os.pathsep.join([str(ROOT / "tests" / "support"), str(ROOT)])
        with subprocess.Popen(
            call, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
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
        return bool(select.select([handle], [], [], 60)[0])
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
    assert "cut off the last line" in said
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
    before = gated.results.read_bytes()
    gated.resumed()
    assert gated.results.read_bytes() == before


def test_ctrl_c_says_what_there_is_and_kills_the_solver(gated: Gated) -> None:
    with gated.started() as harness:
        solver, _ = gated.waiting()
        harness.send_signal(signal.SIGINT)
        assert harness.wait(60) == 130
        assert harness.stderr is not None
        said = harness.stderr.read()
    assert is_gone(solver)
    assert "runs.jsonl: 1; left: 3, go on with --resume" in said
    assert "Traceback" not in said
    gated.open()
    gated.resumed()
    gated.is_complete()


def survives_the_loss_of_a_worker(gated: Gated, *where: str) -> list[RecordedRun]:
    """Make the study there, kill the worker whose solver waits at the gate, and see that nothing is lost."""
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


@pytest.mark.slow
def test_a_cluster_started_by_the_harness_survives_the_loss_of_a_worker(gated: Gated) -> None:
    pytest.importorskip("distributed", reason="distributed is optional")
    survives_the_loss_of_a_worker(gated, "--cluster", "local:2")
