"""Parts for the tests of the portfolio, each with a fault of its own, named ``py:parts:Class``."""

# ruff: noqa: ARG002  (they have the arguments of the contract, and little use for them)

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.problem import Problem


@dataclass(frozen=True)
class Part:
    """What they have in common."""

    takes: ClassVar[frozenset[str]] = frozenset()

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """What each does."""
        raise NotImplementedError


class Crashes(Part):
    """Ends as a fault in a compiled library does."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError


class Raises(Part):
    """Raises an exception."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        raise ZeroDivisionError("a tour of no squares")


class Hangs(Part):
    """Never comes back, and takes no signal that it can refuse."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            sum(range(1000))


class WrongTour(Part):
    """Visits the vertices in their order."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        return Answer.with_tour(problem, range(problem.graph.order))


class Claims(Part):
    """Says that there is no tour, and not why."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        return Answer.without_tour("claimed", "believe me")


class GivesUp(Part):
    """Meets its limit at once."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        return Answer.stopped("work")


class Chatters(Part):
    """Writes to standard output and tells of its work, then sends garbage where its messages go."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        print("c a tour is a tour is a tour", flush=True)
        if on_event is not None:
            on_event(Progress({"words": 9}))
        for pipe in range(3, 20):
            try:
                os.write(pipe, b"\xff" * 16)
            except OSError:
                continue
        return Answer.stopped("work")


class Counts(Part):
    """Exhausts a search that other parts interrupt: an answer after a sum that takes some turns."""

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        for _ in range(30):
            sum(range(200_000))
        return Answer.without_tour("exhausted", "all that there is was tried")
