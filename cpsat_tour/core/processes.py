"""Child processes of this program, each with a connection, that end when their parent does."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

_PR_SET_PDEATHSIG = 1


class Child:
    """A Python process with a ``connection`` for messages; it leads a process group, which `end` kills."""

    def __init__(self, *arguments: str, stderr: int | None = None, **settings: str) -> None:
        self.connection, theirs = Pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-P", *arguments],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=stderr,
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
        return self.process.wait()


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
