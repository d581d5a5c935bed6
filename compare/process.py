"""The parent's end of a process that asks one backend: jobs, limits on time and memory, and what the process used.

The limit on memory is on the resident sets of the child and its descendants, looked at every `TICK`; on address space
it would hit solvers that reserve much and use little. The time limit counts from the moment when the job is sent, so
start-up is not charged to the backend. Whatever ends a child, its whole process group is killed, with all descendants
that were seen, also those in sessions of their own; and the child is reaped.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Literal

import psutil

from cpsat_tour.compare.record import Job
from cpsat_tour.core import processes

TICK = 0.05
"""Seconds between two looks at a child's memory."""

START_UP = 120.0
"""Seconds that a child may take to load its backend."""

MAX_MESSAGE = 1 << 28
"""Bytes; a longer answer is not read."""

LEAVE = 5.0
"""Seconds that a child has to end by itself when it is no longer needed."""

OUT_OF_MEMORY = ("bad_alloc", "MemoryError")
"""What programs say last when an allocation failed."""


@dataclass(frozen=True)
class Reply:
    """What came of a job: the child's answer, or how the child ended without one; and the seconds from job to
    answer."""

    ended: Literal["answer", "timeout", "memory", "crash", "garbage", "refused"]
    seconds: float
    fault: str | None = None
    data: Any = None


class Child(processes.Child):
    """A child process that asks one backend. Use it as a context; after it, ``usage`` has the fields of a `RecordedRun`
    that say what the process used, start-up included.

    ``failure`` is how it ended before its time, or why it could not load its backend; then no job can be sent.
    """

    usage: Mapping[str, Any]

    def __init__(self, backend: str, memory_limit: int | None) -> None:
        self._begun = time.perf_counter()
        self._memory_limit, self._peak = memory_limit, 0
        self._family: set[psutil.Process] = set()
        super().__init__("-m", "cpsat_tour.compare.child", backend, str(memory_limit or 0), str(os.getpid()))
        with _live_lock:
            _live.add(self)
        ready = self._reply(START_UP)
        self.failure: Reply | None = None
        if ready.ended != "answer":
            self.failure = ready
        elif ready.data != "ready":
            self.failure = Reply("refused", 0.0, str(ready.data))

    def ask(self, job: Job) -> Reply:
        """Send a job; return the reply, waited for no longer than its time limit and a little grace for stopping
        softly."""
        if self.failure is not None:
            return self.failure
        with suppress(ConnectionError):  # a child that is gone shows when it is heard
            self.connection.send_bytes(json.dumps(asdict(job)).encode())
        reply = self._reply(job.time_limit + 1.0 + job.time_limit / 10)
        if reply.ended != "answer":
            self.failure = reply
        return reply

    def kill(self) -> None:
        """Kill the process and all that it started."""
        super().kill()
        for process in tuple(self._family):
            with suppress(psutil.Error):  # psutil tells a process from a later one of the same number
                process.kill()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resident_bytes()
        with suppress(ConnectionError):
            self.connection.send_bytes(b"null")
        if self.failure is None and kind is None:
            self._wait()
        wall = round(time.perf_counter() - self._begun, 6)
        with _live_lock:
            _live.discard(self)
        self.kill()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.end()
        self.usage = {"wall": wall, "user": used.ru_utime, "system": used.ru_stime, "memory": self._peak}

    def _reply(self, seconds: float) -> Reply:
        """Return the next message of the child, or how it ended, within this time."""
        begun = time.perf_counter()
        while not self.connection.poll(TICK):
            passed = time.perf_counter() - begun
            if self._resident_bytes() > (self._memory_limit or float("inf")):
                return Reply("memory", passed, f"killed at {self._peak / 1e6:,.0f} MB, above the limit")
            if passed > seconds:
                return Reply("timeout", passed, f"killed after {passed:.1f} s")
        passed = time.perf_counter() - begun
        try:
            data = json.loads(self.connection.recv_bytes(MAX_MESSAGE))
        except (EOFError, ConnectionError):
            return self._reply_at_end(passed)
        except (OSError, ValueError, RecursionError) as fault:
            return Reply("garbage", passed, f"the backend sent data that is not a message: {fault!s:.200}")
        return Reply("answer", passed, data=data)

    def _reply_at_end(self, passed: float) -> Reply:
        """Return the reply that says how a child ended that closed its connection."""
        self._wait()
        ended = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            how = "closed its output"
        elif ended.si_code == os.CLD_EXITED:
            how = f"ended with exit status {ended.si_status}"
        else:
            how = f"was ended by signal {signal.Signals(ended.si_status).name}"
        words = f"the process {how}{processes.last_line(self.stderr)}"
        starved = self._memory_limit is not None and (
            self._peak > self._memory_limit or any(word in words for word in OUT_OF_MEMORY)
        )
        return Reply("memory" if starved else "crash", passed, words)

    def _wait(self) -> None:
        """Wait until the child has ended, but leave it to be reaped."""
        deadline = time.perf_counter() + LEAVE
        while (
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
            and time.perf_counter() < deadline
        ):
            time.sleep(0.005)

    def _resident_bytes(self) -> int:
        """Return the resident bytes of the child and its descendants now; the peak is kept."""
        now = 0
        with suppress(psutil.Error):
            child = psutil.Process(self.process.pid)
            descendants = child.children(recursive=True)
            self._family.update(descendants)
            for process in (child, *descendants):
                with suppress(psutil.Error):
                    now += process.memory_info().rss
        self._peak = max(self._peak, now)
        return now


_live: set[Child] = set()
_live_lock = threading.Lock()


def kill_all() -> None:
    """Kill the children of this process that are running now."""
    with _live_lock:
        running = list(_live)
    for child in running:
        child.kill()
