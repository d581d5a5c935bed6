"""Solvers in processes of their own: a process that dies, whose run is interrupted, or that is used again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from cpsat_tour.backends.registry import load, missing_modules
from cpsat_tour.backends.runner import run
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers import linear
from cpsat_tour.models.drivers.linear import LinearProgram
from cpsat_tour.spaces.board import Board
from cpsat_tour.tour import Interrupted

WORKERS = {"milp": "highspy", "pb": "exact"}


@pytest.fixture(params=WORKERS)
def name(request: pytest.FixtureRequest) -> str:
    """Each backend that has a worker."""
    if absent := missing_modules(request.param):
        pytest.skip(f"backend {request.param} needs {', '.join(absent)}")
    return str(request.param)


def kill(process: linear.Worker) -> None:
    process.child.kill()
    os.waitid(os.P_PID, process.child.process.pid, os.WEXITED | os.WNOWAIT)


def test_a_process_that_was_killed_while_idle_is_not_used_again(name: str) -> None:
    board = Problem(Board(6).graph, True)
    assert run(board, load(name)).status == "tour"
    killed = linear._idle[WORKERS[name]][-1]
    kill(killed)
    assert run(board, load(name)).status == "tour"
    assert killed not in linear._idle[WORKERS[name]]


def test_a_process_that_dies_in_a_run_is_a_fault_of_the_backend(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = linear.Worker.begin

    def die(process: linear.Worker, *program: Any) -> None:
        kill(process)
        begin(process, *program)

    monkeypatch.setattr(linear.Worker, "begin", die)
    with pytest.raises(BackendFault, match=f"the process of {WORKERS[name]} ended with status -9"):
        run(Problem(Board(6).graph, True), load(name))


def test_what_a_solver_raises_in_its_process_is_the_fault_that_is_told(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = linear.Worker.begin

    def spoil(process: linear.Worker, run: Run, program: LinearProgram, *asked: Any) -> None:
        begin(process, run, program, *asked)
        process.unsent.append(("add", [len(program.upper) + 99], [1], [1.0], [0.0], [1.0]))

    monkeypatch.setattr(linear.Worker, "begin", spoil)
    told = {"milp": "RuntimeError: HiGHS refused a call of addRows", "pb": "IndexError: list index out of range"}[name]
    with pytest.raises(BackendFault, match=f"the process of {WORKERS[name]} ended with status 1: {told}"):
        run(Problem(Board(6).graph, True), load(name))


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


def test_one_process_serves_one_run_after_the_other(name: str) -> None:
    for side in (6, 7, 8):
        run(Problem(Board(side).graph, True), load(name))
        (process,) = linear._idle[WORKERS[name]][-1:]
        assert process.at_rest
    assert run(Problem(Board(8).graph, True), load(name), Limits(work=10)).status == "tour"
    assert linear._idle[WORKERS[name]][-1] is process


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
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.models.drivers.linear import Worker
from cpsat_tour.spaces.board import Board

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


def test_a_process_ends_when_its_parent_is_killed_in_a_solve(name: str) -> None:
    """The worker has the other end of the pipe too, so that the pipe ends when both have."""
    ended = subprocess.run([sys.executable, "-c", KILLED, name], stderr=subprocess.PIPE, check=False, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stderr == b""
