"""Solvers in processes of their own: a process that dies, whose run is interrupted, or that is used again."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from cpsat_tour.backends.registry import load, missing_modules
from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.models.drivers import linear
from cpsat_tour.spaces.board import Board

WORKERS = {"milp": "highspy", "pb": "exact"}


@pytest.fixture(params=WORKERS)
def name(request: pytest.FixtureRequest) -> str:
    """Each backend that has a worker."""
    if absent := missing_modules(request.param):
        pytest.skip(f"backend {request.param} needs {', '.join(absent)}")
    return str(request.param)


def test_a_dead_process_is_a_fault_of_the_backend_and_not_used_again(name: str) -> None:
    board = Problem(Board(6).graph, True)
    assert run(board, load(name)).status == "tour"
    linear._idle[WORKERS[name]][-1].child.process.kill()
    with pytest.raises(BackendFault, match="the solver's process ended with status -9"):
        run(board, load(name))
    assert run(board, load(name)).status == "tour"


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
    ended = subprocess.run([sys.executable, "-c", KILLED, name], stderr=subprocess.PIPE, check=False, timeout=50)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stderr == b""
