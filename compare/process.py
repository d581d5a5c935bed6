"""The parent's end of a child process: questions, limits on time and memory, the end by process group, and what the
process used.

The limit on memory is on the resident sets of the child and its descendants, looked at every `TICK`; on address space
it would hit solvers that reserve much and use little. The time limit counts from the moment when the question is put,
so start-up is not charged to the backend. Whatever ends a child, its whole process group is killed and the child
reaped. Memory is watched where there is a ``/proc`` (Linux).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from cpsat_tour.compare.record import Job
from cpsat_tour.core.processes import environment

TICK = 0.05
"""Seconds between two looks at a child's memory."""

START_UP = 120.0
"""Seconds that a child may take to load its backend."""

LONGEST_LINE = 1 << 28
"""Bytes; an answer of this length is none."""

_LEAVE = 5.0
"""Seconds that a child has to end by itself when it is no longer needed."""

_TAIL = 4096
"""Bytes of standard error that are kept for the case that something goes wrong."""

_OUT_OF_MEMORY = ("bad_alloc", "MemoryError")
"""What programs say last when an allocation failed."""

_PAGE = os.sysconf("SC_PAGE_SIZE")

HAS_PROC = Path("/proc/self/statm").is_file()


@dataclass(frozen=True)
class Reply:
    """What came of a question: the child's answer, or how the child ended without one; and the seconds from question to
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
        command = [
            sys.executable,
            "-P",
            "-m",
            "cpsat_tour.compare.child",
            backend,
            str(memory_limit or 0),
            str(os.getpid()),
        ]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=environment()
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._out, self._err = bytearray(), bytearray()
        self._selector = selectors.DefaultSelector()
        self._selector.register(stdout, selectors.EVENT_READ, self._out)
        self._selector.register(stderr, selectors.EVENT_READ, self._err)
        with _live_lock:
            _live.add(self)
        self._failure: Reply | None = None
        ready = self._line(START_UP)
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
        """Whether another question can be put."""
        return self._failure is None

    @property
    def refusal(self) -> str | None:
        """The child's words where it could not load its backend."""
        return self._failure.fault if self._failure is not None and self._failure.ended == "refused" else None

    def ask(self, job: Job) -> Reply:
        """Put a question, and wait for the answer no longer than its time limit and a little grace for stopping
        softly."""
        if self._failure is not None:
            return self._failure
        begun = time.perf_counter()
        # A child that is gone shows in what it says, or no longer says.
        with contextlib.suppress(BrokenPipeError):
            self._stdin.write(json.dumps(_job_data(job)).encode() + b"\n")
            self._stdin.flush()
        reply = self._line(job.time_limit + grace(job.time_limit))
        if isinstance(reply, Reply):
            self._failure = reply
            return reply
        return Reply("answer", reply, None, time.perf_counter() - begun)

    def kill(self) -> None:
        """Kill the child and what it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._look_at_memory()
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        if self.usable and kind is None:
            self._wait(_LEAVE)
        wall = time.perf_counter() - self._begun
        with _live_lock:
            _live.discard(self)
        self.kill()
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._selector.close()
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        # The kernel's own peak counts the parent's memory before the child became another program: it is the last
        # resort.
        self.usage = Usage(
            wall, used.ru_utime, used.ru_stime, self._peak or used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        )

    def _line(self, seconds: float) -> dict[str, Any] | Reply:
        """The next line that the child says, or how it ended, within this time."""
        begun = time.perf_counter()
        while True:
            line, newline, rest = bytes(self._out).partition(b"\n") if b"\n" in self._out else (b"", b"", b"")
            passed = time.perf_counter() - begun
            if newline:
                self._out[:] = rest
                return _object(line) or Reply(
                    "garbage", {}, f"the backend printed {_shown(line.decode(errors='replace'))}", passed
                )
            if len(self._out) > LONGEST_LINE:
                return Reply("garbage", {}, f"the backend printed {len(self._out):,} bytes without an end", passed)
            if self._memory_limit is not None and self._look_at_memory() > self._memory_limit:
                return Reply("memory", {}, f"killed at {self._peak / 1e6:,.0f} MB, above the limit", passed)
            if passed > seconds:
                return Reply("timeout", {}, f"killed after {passed:.1f} s", passed)
            if not self._read(min(TICK, seconds - passed + 1e-3)):
                return Reply(*self._end(), passed)

    def _read(self, seconds: float) -> bool:
        """Take in what the child says for a while; False when its standard output has ended."""
        open_still = True
        for key, _ in self._selector.select(seconds):
            block = os.read(key.fd, 1 << 16)
            key.data.extend(block)
            if key.data is self._err:
                del self._err[:-_TAIL]
            if not block:
                self._selector.unregister(key.fileobj)
                open_still = open_still and key.data is not self._out
        return open_still

    def _end(self) -> tuple[Literal["crash", "memory"], dict[str, Any], str]:
        """How a child ended that said nothing more."""
        self._wait(_LEAVE)
        while any(key.data is self._err for key in self._selector.get_map().values()) and self._selector.select(0):
            self._read(0)
        ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            how = "closed its output"
        elif ended.si_code == os.CLD_EXITED:
            how = f"ended with exit status {ended.si_status}"
        else:
            how = f"was ended by signal {signal.Signals(ended.si_status).name}"
        last = self._err.decode(errors="replace").strip().splitlines()[-1:]
        words = f"the process {how}" + (f": {_shown(last[0])}" if last else "")
        starved = self._memory_limit is not None and (
            self._peak > self._memory_limit or any(word in words for word in _OUT_OF_MEMORY)
        )
        return "memory" if starved else "crash", {}, words

    def _wait(self, seconds: float) -> None:
        """Wait until the child has ended, but leave it to be reaped."""
        deadline = time.perf_counter() + seconds
        pause = 0.0005
        while (
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
            and time.perf_counter() < deadline
        ):
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def _look_at_memory(self) -> int:
        """The resident bytes of the child and its descendants now; the peak is kept."""
        now = _resident_tree(self._process.pid)
        self._peak = max(self._peak, now, _high_water(self._process.pid))
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


def _object(line: bytes) -> dict[str, Any] | None:
    """The JSON object on a line; None where it is none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and data else None


def _shown(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def _resident_tree(root: int) -> int:
    """The resident bytes of a process and its descendants; 0 where that can't be told."""
    if not HAS_PROC:
        return 0
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
            for task in os.listdir(f"/proc/{pid}/task"):
                waiting += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return total


def _high_water(pid: int) -> int:
    """The peak of a process's own resident set in bytes; 0 where that can't be told."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
