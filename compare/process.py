"""The parent's end of a process that asks one backend: jobs, limits on time and memory, and what the process used.

The limit on memory is on the resident sets of the child and its descendants, looked at every `TICK`; on address space
it would hit solvers that reserve much and use little. The time limit counts from the moment when the job is sent, so
start-up is not charged to the backend. Whatever ends a child, its whole process group is killed and the child reaped.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import asdict, dataclass
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, Literal

import psutil

from cpsat_tour.compare.record import Job
from cpsat_tour.core import processes

TICK = 0.05
"""Seconds between two looks at a child's memory."""

START_UP = 120.0
"""Seconds that a child may take to load its backend."""

LONGEST_MESSAGE = 1 << 28
"""Bytes; a longer answer is not read."""

_LEAVE = 5.0
"""Seconds that a child has to end by itself when it is no longer needed."""

_TAIL = 4096
"""Bytes of standard error that are kept for the case that something goes wrong."""

_OUT_OF_MEMORY = ("bad_alloc", "MemoryError")
"""What programs say last when an allocation failed."""


@dataclass(frozen=True)
class Reply:
    """What came of a job: the child's answer, or how the child ended without one; and the seconds from job to
    answer."""

    ended: Literal["answer", "timeout", "memory", "crash", "garbage", "refused"]
    data: dict[str, Any]
    fault: str | None
    seconds: float


@dataclass(frozen=True)
class Usage:
    """What a process used, start-up included: seconds by the clock, user and system seconds, and the peak of its memory
    in bytes."""

    wall: float
    user: float
    system: float
    memory: int


class Child:
    """A child process that asks one backend. Use it as a context; after the context `usage` is what it used."""

    usage: Usage

    def __init__(self, backend: str, memory_limit: int | None) -> None:
        self._begun = time.perf_counter()
        self._memory_limit, self._peak = memory_limit, 0
        arguments = ("-m", "cpsat_tour.compare.child", backend, str(memory_limit or 0), str(os.getpid()))
        self._child = processes.Child(*arguments, stderr=subprocess.PIPE)
        assert self._child.process.stderr is not None
        self._pid, self._pipes, self._last_words = self._child.process.pid, [self._child.process.stderr.fileno()], b""
        with _live_lock:
            _live.add(self)
        self._failure: Reply | None = None
        ready = self._message(START_UP)
        if isinstance(ready, Reply):
            self._failure = ready
        elif "ready" not in ready:
            words = ready.get("refused")
            self._failure = (
                Reply("refused", {}, words, 0.0)
                if isinstance(words, str)
                else Reply("garbage", {}, _shown(repr(ready)), 0.0)
            )

    @property
    def usable(self) -> bool:
        """Whether another job can be sent."""
        return self._failure is None

    @property
    def refusal(self) -> str | None:
        """The child's words where it could not load its backend."""
        return self._failure.fault if self._failure is not None and self._failure.ended == "refused" else None

    def ask(self, job: Job) -> Reply:
        """Send a job, and wait for the answer no longer than its time limit and a little grace for stopping softly."""
        if self._failure is not None:
            return self._failure
        begun = time.perf_counter()
        with contextlib.suppress(ConnectionError):  # a child that is gone shows when it is heard
            self._child.connection.send_bytes(json.dumps(_job_data(job)).encode())
        reply = self._message(job.time_limit + grace(job.time_limit))
        if isinstance(reply, Reply):
            self._failure = reply
            return reply
        return Reply("answer", reply, None, time.perf_counter() - begun)

    def kill(self) -> None:
        """Kill the child and what it has started."""
        self._child.kill()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._look_at_memory()
        with contextlib.suppress(ConnectionError):
            self._child.connection.send_bytes(b"null")
        if self.usable and kind is None:
            self._wait(_LEAVE)
        wall = time.perf_counter() - self._begun
        with _live_lock:
            _live.discard(self)
        self.kill()
        _, status, used = os.wait4(self._pid, 0)
        self._child.process.returncode = os.waitstatus_to_exitcode(status)
        self._child.end()
        assert self._child.process.stderr is not None
        self._child.process.stderr.close()
        self.usage = Usage(wall, used.ru_utime, used.ru_stime, self._peak)

    def _message(self, seconds: float) -> dict[str, Any] | Reply:
        """The next message of the child, or how it ended, within this time."""
        begun, connection = time.perf_counter(), self._child.connection
        while True:
            passed = time.perf_counter() - begun
            if self._look_at_memory() > (self._memory_limit or float("inf")):
                return Reply("memory", {}, f"killed at {self._peak / 1e6:,.0f} MB, above the limit", passed)
            if passed > seconds:
                return Reply("timeout", {}, f"killed after {passed:.1f} s", passed)
            ready = wait([connection, *self._pipes], min(TICK, seconds - passed + 1e-3))
            self._read_stderr()
            if connection in ready:
                try:
                    data = json.loads(connection.recv_bytes(LONGEST_MESSAGE))
                except (EOFError, ConnectionError):
                    return Reply(*self._end(), passed)
                except (OSError, ValueError, RecursionError) as fault:
                    return Reply("garbage", {}, f"the backend sent what is not a message: {_shown(str(fault))}", passed)
                if isinstance(data, dict) and data:
                    return data
                return Reply("garbage", {}, f"the backend sent {_shown(repr(data))}", passed)

    def _read_stderr(self) -> bool:
        """Take in a block of what the child has printed on standard error; False where nothing has come. The end of it
        is kept."""
        if not wait(self._pipes, 0):
            return False
        block = os.read(self._pipes[0], 1 << 16)
        self._last_words = (self._last_words + block)[-_TAIL:]
        if not block:
            self._pipes = []
        return True

    def _end(self) -> tuple[Literal["crash", "memory"], dict[str, Any], str]:
        """How a child ended that said nothing more."""
        self._wait(_LEAVE)
        while self._read_stderr():
            continue
        ended = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            how = "closed its output"
        elif ended.si_code == os.CLD_EXITED:
            how = f"ended with exit status {ended.si_status}"
        else:
            how = f"was ended by signal {signal.Signals(ended.si_status).name}"
        last = self._last_words.decode(errors="replace").strip().splitlines()[-1:]
        words = f"the process {how}" + (f": {_shown(last[0])}" if last else "")
        starved = self._memory_limit is not None and (
            self._peak > self._memory_limit or any(word in words for word in _OUT_OF_MEMORY)
        )
        return "memory" if starved else "crash", {}, words

    def _wait(self, seconds: float) -> None:
        """Wait until the child has ended, but leave it to be reaped."""
        deadline = time.perf_counter() + seconds
        while (
            os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
            and time.perf_counter() < deadline
        ):
            time.sleep(0.005)

    def _look_at_memory(self) -> int:
        """The resident bytes of the child and its descendants now; the peak is kept."""
        now = 0
        with contextlib.suppress(psutil.Error):
            child = psutil.Process(self._pid)
            for process in (child, *child.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
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


def grace(time_limit: float) -> float:
    """The seconds beyond its limit that a backend has to stop by itself."""
    return 1.0 + time_limit / 10


def _job_data(job: Job) -> dict[str, Any]:
    """The fields that make a job, of a run too."""
    return {name: value for name, value in asdict(job).items() if name in Job.__dataclass_fields__}


def _shown(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
