"""Waiting for the compiler: a child process compiles a function for some seconds, while the time limit, Ctrl-C and
progress of the run that needs it hold.

A child ends with the wait for it, so that no process is left behind when there is an answer. What it has compiled by
then, functions that the function calls, is kept on disk; the rest is for the next run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Compiling
from cpsat_tour.core.limits import UNLIMITED, Clock
from cpsat_tour.core.run import HEARTBEAT, Watch


@dataclass(frozen=True)
class Waiting:
    """A run that waits for the compiler, or, if it is not ``patient``, stops where a function is not compiled."""

    watch: Watch
    patient: bool = True

    def code(self, request: bytes, event: Compiling) -> bytes | None:
        """Return the code that a child sends for a request, None if it fails, and tell the event meanwhile.
        `StoppedEarly` if the run is not patient, or its time is over first."""
        from cpsat_tour.core.processes import Child  # what it stands on takes long to load, and few runs need it

        self.watch.heartbeat()
        if not self.patient:
            raise StoppedEarly("a function is not compiled yet")
        begun, child = time.perf_counter(), None
        try:
            child = Child("-m", "cpsat_tour.core.dispatchers", str(os.getpid()))
            child.connection.send_bytes(request)
            while not child.connection.poll(HEARTBEAT):
                self.watch.tell(event)
                self.watch.heartbeat()
            code: bytes = child.connection.recv_bytes()
        except (EOFError, OSError):
            return None
        finally:
            if child is not None:
                child.end()
            Clock.compiling += time.perf_counter() - begun
        return code


_waiting: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


def who_waits() -> Waiting:
    """Return the run that waits in this context; a patient one without limits if there is none."""
    return _waiting.get() or Waiting(Watch(UNLIMITED, Clock(None)))


@contextmanager
def compiling_for(watch: Watch, *, patient: bool = True) -> Iterator[None]:
    """Hold the limit of the run while functions are compiled in this context, and tell its listener. Within a run that
    is not ``patient`` none is."""
    before = _waiting.get()
    token = _waiting.set(Waiting(watch, patient and (before is None or before.patient)))
    try:
        yield
    finally:
        _waiting.reset(token)


def threads_that_wait(number: int) -> ThreadPoolExecutor:
    """Return a pool of threads that wait for the compiler as the run in this context does."""
    return ThreadPoolExecutor(number, initializer=_waiting.set, initargs=(_waiting.get(),))
