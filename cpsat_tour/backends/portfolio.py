"""The parent's end of a portfolio: a scheduler of backends (`cpsat_tour.backends.scheduler`) in a process of its own,
heard until it answers.

However that ends, by an answer, a limit, Ctrl-C or an error, the scheduler's process group is killed, so that no
process is left and the limit on time is kept to the tick.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from cpsat_tour.backends.plans import Share
from cpsat_tour.backends.scheduler import Task
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.events import OnEvent, PartAtWork, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import Child

LEAVE = 0.5
"""Seconds that the scheduler has to end its members when it has answered, so that what they used is counted."""


def run_portfolio(
    problem: Problem, shares: Sequence[Share], limits: Limits, clock: Clock, on_event: OnEvent | None = None
) -> Answer:
    """Return the first answer of a member that can be believed, or unknown: when time is over, or every member is out.

    ``limits.threads`` members are at work at a time, one if it is None. ``limits.work`` holds for each member in its
    own unit.
    """
    # A thread of NumPy's that is idle forbids forking.
    child = Child(
        "-m", "cpsat_tour.backends.scheduler", str(os.getpid()), stderr=subprocess.DEVNULL, OPENBLAS_NUM_THREADS="1"
    )
    work: dict[str, int] = {}
    try:
        child.connection.send(
            Task(problem, tuple(shares), replace(limits, seconds=None, threads=1), limits.threads or 1)
        )
        while not clock.expired:
            if not child.connection.poll(clock.left):
                continue
            message = child.connection.recv()
            if isinstance(message, Answer):
                with suppress(subprocess.TimeoutExpired):
                    child.process.wait(LEAVE)
                return message
            if isinstance(message, PartAtWork):
                work = {}
            elif isinstance(message, Progress):
                work = dict(message.work)
            if on_event is not None:
                on_event(message)
        return Answer.stopped("time", work)
    except (EOFError, ConnectionError) as fault:
        raise BackendFault(f"the process of auto's parts ended with status {child.process.wait()}") from fault
    finally:
        child.end()
