"""The parent's end of a portfolio: a referee of parts (`cpsat_tour.backends.referee`) in a process of its own, heard
until it answers.

The referee has its own process group. However the play ends, by an answer, a limit, Ctrl-C or an error, the group is
killed, so that no process is left and the limit on time is kept to the tick.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from cpsat_tour.backends.frames import Garbage, Inbox, send
from cpsat_tour.backends.referee import Share, Task
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.events import OnEvent, PartAtWork, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.processes import environment

LEAVE = 0.5
"""Seconds that the referee has to end its parts when it has answered, so that what they used is counted."""


def play(
    problem: Problem, shares: Sequence[Share], limits: Limits, clock: Clock, on_event: OnEvent | None = None
) -> Answer:
    """The first answer of a part that can be believed, or unknown: when time is over, or every part is out.

    ``limits.threads`` parts are at work at a time, one if it is None. ``limits.work`` holds for each part in its own
    unit.
    """
    task = Task(problem, tuple(shares), replace(limits, seconds=None, threads=1), limits.threads or 1)
    call = [sys.executable, "-P", "-m", "cpsat_tour.backends.referee", str(os.getpid())]
    quiet = environment() | {"OPENBLAS_NUM_THREADS": "1"}  # a thread of NumPy's that is idle forbids forking
    pipe = subprocess.PIPE
    referee = subprocess.Popen(
        call, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True, env=quiet, bufsize=0
    )
    try:
        return _heard(referee, task, clock, on_event)
    except Garbage as fault:
        raise BackendFault(f"the process of auto's parts sent what is not a message: {fault}") from fault
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(referee.pid, signal.SIGKILL)
        referee.wait()
        for stream in (referee.stdin, referee.stdout):
            if stream is not None:
                stream.close()


def _heard(referee: subprocess.Popen[bytes], task: Task, clock: Clock, on_event: OnEvent | None) -> Answer:
    assert referee.stdin is not None
    assert referee.stdout is not None
    with suppress(BrokenPipeError):
        send(referee.stdin.fileno(), task)
    inbox = Inbox(referee.stdout.fileno())
    work: dict[str, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(inbox, selectors.EVENT_READ)
        while not clock.expired:
            if not selector.select(clock.left):
                continue
            if not inbox.read():
                raise BackendFault(f"the process of auto's parts ended with status {referee.wait()}")
            for message in inbox.messages():
                if isinstance(message, Answer):
                    with suppress(subprocess.TimeoutExpired):
                        referee.wait(LEAVE)
                    return message
                if isinstance(message, PartAtWork):
                    work = {}
                elif isinstance(message, Progress):
                    work = dict(message.work)
                if on_event is not None:
                    on_event(message)
    return Answer.stopped("time", work)
