"""Backends for the tests of the harness and of the portfolio: an honest one that needs no library, and ones that break
the contract each in its own way.

All of them answer small problems, which the harness asks first, honestly; each breaks on larger ones.
They are named ``py:broken_backends:Class``.
"""

# ruff: noqa: ARG002  (they have the arguments of the contract, and little use for them)

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits, OnEvent
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import run
from cpsat_tour.tour import Answer

SMALL = 12
"""Vertices of the largest problem that all of them answer honestly."""


def send_to_the_harness(data: bytes) -> None:
    """Write to all pipes of the process but its standard streams."""
    for pipe in range(3, 20):
        with suppress(OSError):
            os.write(pipe, data)


def answer_the_harness(data: dict[str, Any]) -> NoReturn:
    """Send an answer of no verification, and end."""
    message = json.dumps(data).encode()
    send_to_the_harness(len(message).to_bytes(4, "big") + message)
    os._exit(0)


@dataclass(frozen=True)
class Honest:
    """Depth-first search by Warnsdorff's rule in plain Python."""

    takes: ClassVar[frozenset[str]] = frozenset()

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return a tour, or ``none`` after an exhausted search."""
        clock = limits.clock()
        if problem.graph.order <= SMALL or (answer := self.break_down(problem)) is None:
            graph, entered = problem.graph, 0
            for start in range(graph.order) if problem.start is None else [problem.start]:
                stack = [[start]]
                while stack:
                    path = stack.pop()
                    entered += 1
                    if clock.expired:
                        return Answer.stopped("time", {"positions": entered})
                    if len(path) == graph.order and (not problem.closed or graph.has_arc(path[-1], start)):
                        return Answer.with_tour(problem, path, {"positions": entered})
                    ahead = [vertex for vertex in graph.neighbours(path[-1]).tolist() if vertex not in path]
                    ahead.sort(key=lambda vertex: -len(np.setdiff1d(graph.neighbours(vertex), path)))
                    stack += [[*path, vertex] for vertex in ahead]
            return Answer.without_tour("exhausted", f"{entered} positions", {"positions": entered})
        return answer

    def break_down(self, problem: Problem) -> Answer | None:
        """Return the answer of a broken backend instead; None from the honest one."""


class Patient(Honest):
    """Searches once the portfolio has no other part left."""

    def break_down(self, problem: Problem) -> Answer | None:
        parent, parts = str(os.getppid()), 2
        while parts > 1:
            listed = subprocess.run(["ps", "-eo", "ppid="], capture_output=True, text=True, check=True)
            parts = listed.stdout.split().count(parent)
        return run(problem, load("dfs"), Limits())


class WrongTour(Honest):
    """Visits the squares in their order."""

    def break_down(self, problem: Problem) -> Answer | None:
        return Answer.with_tour(problem, range(problem.graph.order))


class TooShort(Honest):
    """Leaves out the last square."""

    def break_down(self, problem: Problem) -> Answer | None:
        return Answer.with_tour(problem, range(problem.graph.order - 1))


class FalseNone(Honest):
    """Says that an exhausted search found nothing."""

    def break_down(self, problem: Problem) -> Answer | None:
        return Answer.without_tour("exhausted", "all of no positions")


class FalseCondition(Honest):
    """Says to the harness itself that a condition is violated, whether or not it is."""

    def break_down(self, problem: Problem) -> Answer | None:
        reason = {"kind": "condition", "reason": "the colours look uneven"}
        answer_the_harness({"status": "none", "refutation": reason, "seconds": 0.0, "work": {}})


class Claims(Honest):
    """Says that there is no tour, without a reason that can be checked."""

    def break_down(self, problem: Problem) -> Answer | None:
        return Answer.without_tour("claimed", "believe me")


class Raises(Honest):
    """Raises an exception."""

    def break_down(self, problem: Problem) -> Answer | None:
        raise ZeroDivisionError("a tour of no squares")


class Exits(Honest):
    """Ends the interpreter, as a library without its licence does."""

    def break_down(self, problem: Problem) -> Answer | None:
        raise SystemExit("no licence")


class Crashes(Honest):
    """Ends the process as a fault in a compiled library does."""

    def break_down(self, problem: Problem) -> Answer | None:
        print("assertion failed in propagate.cc", file=sys.stderr, flush=True)
        os.abort()


class Hangs(Honest):
    """Never comes back, whatever its limits."""

    def break_down(self, problem: Problem) -> Answer | None:
        while True:
            sum(range(1000))


class Deaf(Hangs):
    """Never comes back, and ignores SIGTERM and SIGINT."""

    def break_down(self, problem: Problem) -> Answer | None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return super().break_down(problem)


class GivesUp(Honest):
    """Says at once that it met its limit on work."""

    def break_down(self, problem: Problem) -> Answer | None:
        return Answer.stopped("work")


class Chatters(Honest):
    """Prints, then sends garbage instead of a message."""

    def break_down(self, problem: Problem) -> Answer | None:
        print("c a tour is a tour is a tour", flush=True)
        send_to_the_harness(b"\xff" * 16)
        return Answer.stopped("work")


class InterruptsADestructor(Honest):
    """Raises a Ctrl-C in a destructor, where Python drops exceptions, and never comes back."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)

    def break_down(self, problem: Problem) -> Answer | None:
        InterruptsADestructor()
        return Hangs().break_down(problem)


class LeavesAProcess(Honest):
    """Starts a process in a session of its own, which never ends, says which in the file ``left``, and hangs."""

    def break_down(self, problem: Problem) -> Answer | None:
        left = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        Path("left").write_text(str(left.pid))
        return Answer.stopped("time", {"status": left.wait()})


class EatsMemory(Honest):
    """Takes half a gigabyte and never gives it back."""

    def break_down(self, problem: Problem) -> Answer | None:
        eaten = b"x" * (1 << 29)
        while True:
            sum(range(len(eaten) >> 20))


class PrintsGarbage(Honest):
    """Prints and sends garbage instead of messages, without end."""

    def break_down(self, problem: Problem) -> Answer | None:
        while True:
            print("c a tour is a tour is a tour")
            send_to_the_harness(b"c a tour is a tour is a tour")


class Lies(Honest):
    """Avoids the verification in its process by writing an answer to the harness itself: a tour that jumps."""

    def break_down(self, problem: Problem) -> Answer | None:
        squares = problem.graph.space.coordinates
        assert squares is not None
        answer_the_harness({"status": "tour", "tour": squares.tolist(), "seconds": 0.0, "work": {}})


@dataclass(frozen=True)
class Gate(Honest):
    """Writes the ids of its process and its parent to a pipe in the folder and waits until there is a file ``open``."""

    folder: str = ""

    def break_down(self, problem: Problem) -> Answer | None:
        if not (Path(self.folder) / "open").exists():
            (Path(self.folder) / "told").write_text(f"{os.getpid()} {os.getppid()}\n")
            (Path(self.folder) / "gate").read_text()
        return None
