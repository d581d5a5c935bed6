"""Waiting for the compiler: a child process compiles a function for some seconds, while the time limit, Ctrl-C and
progress of the run that needs it hold.

A child ends with the run for which it compiles, so that nothing is left behind when the answer is there. What it has
compiled by then, functions that the function calls, is kept on disk; the rest is for the next run.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from cpsat_tour.core.answer import UNLIMITED, Clock
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Compiling
from cpsat_tour.core.processes import Child
from cpsat_tour.core.run import HEARTBEAT, Watch


@dataclass(frozen=True)
class Waiting:
    """A run that may wait for the compiler, and the children at work for it and for the runs that it is a part of."""

    watch: Watch = field(default_factory=lambda: Watch(UNLIMITED, Clock(None)))
    children: dict[bytes, Child] = field(default_factory=dict)

    def code(self, request: bytes, event: Compiling) -> bytes | None:
        """Return the code that a child sends for a request, None if it fails, and tell the event meanwhile.
        `StoppedEarly` if the time of the run is over first: then the child goes on for the run that this is a part
        of."""
        begun, child = time.perf_counter(), self.children.pop(request, None)
        try:
            self.watch.heartbeat()
            if child is None:
                child = Child("-m", "cpsat_tour.core.compiled", str(os.getpid()), stderr=subprocess.DEVNULL)
                child.connection.send_bytes(request)
            while not child.connection.poll(HEARTBEAT):
                self.watch.tell(event)
                self.watch.heartbeat()
            code: bytes = child.connection.recv_bytes()
        except StoppedEarly:
            if child is not None:
                self.children[request], child = child, None
            raise
        except (EOFError, OSError):
            return None
        finally:
            if child is not None:
                child.end()
            Clock.compiling += time.perf_counter() - begun
        return code


_waiting: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


def who_waits() -> Waiting:
    """Return the run that waits in this context; one without limits if there is none."""
    return _waiting.get() or Waiting()


@contextmanager
def compiling_for(watch: Watch) -> Iterator[None]:
    """Hold the limit of the run while functions are compiled in this context, and tell its listener."""
    whole = _waiting.get()
    waiting = Waiting(watch) if whole is None else Waiting(watch, whole.children)
    token = _waiting.set(waiting)
    try:
        yield
    finally:
        _waiting.reset(token)
        while whole is None and waiting.children:
            waiting.children.popitem()[1].end()


def threads_that_wait(number: int) -> ThreadPoolExecutor:
    """Return a pool of threads that wait for the compiler as the run in this context does."""
    return ThreadPoolExecutor(number, initializer=_waiting.set, initargs=(_waiting.get(),))
