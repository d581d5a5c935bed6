"""Child processes of this program, each with a connection, that end when their parent does."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from tempfile import TemporaryFile
from typing import IO

_PR_SET_PDEATHSIG = 1


class Child:
    """A Python process with a ``connection`` for messages and a file for its ``stderr``; it leads a process group,
    which `end` kills. After that, ``last_words`` are the last line of its stderr, behind a colon."""

    last_words = ""

    def __init__(self, *arguments: str, **settings: str) -> None:
        self.connection, theirs = Pipe()
        self.stderr = TemporaryFile()  # noqa: SIM115  (closed in end)
        self.process = subprocess.Popen(
            [sys.executable, "-P", *arguments],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=self.stderr,
            start_new_session=True,
            env=environment() | settings,
        )
        theirs.close()

    def kill(self) -> None:
        """Kill the process and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill the process and all that it started, reap it and return its exit status, negative for a signal."""
        if not self.connection.closed:
            self.kill()
            self.connection.close()
        status = self.process.wait()
        if not self.stderr.closed:
            self.last_words = last_line(self.stderr)
            self.stderr.close()
        return status


def last_line(file: IO[bytes]) -> str:
    """Return the last line of a file of this or another process, at most 200 characters behind a colon; an empty string
    if it has none."""
    tail = os.pread(file.fileno(), 4096, max(0, os.fstat(file.fileno()).st_size - 4096))
    return "".join(f": {line:.200}" for line in tail.decode(errors="replace").strip().splitlines()[-1:])


def connect_to_parent() -> Connection:
    """Return a `Child`'s end of the connection; from now on what libraries print goes nowhere."""
    connection = Connection(os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    return connection


def environment() -> dict[str, str]:
    """Return the environment in which a child finds the modules that this process finds."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "PYTHONUNBUFFERED": "1",
    }


def die_with(parent_id: int) -> None:
    """Have the kernel kill this process as soon as its parent is gone (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent_id:
            os._exit(1)
