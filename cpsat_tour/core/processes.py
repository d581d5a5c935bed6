"""Child processes of this program, each with a connection. They end when their parent does; if they ask for it, all
processes below them end too.

A process that starts programs of others adopts the orphans below it (on Linux a "child subreaper"). So whatever was
started there, in a session of its own or by a parent that has ended since, is or becomes its child, and `end_children`
kills children until there are none. A control group would do this too, but few users may make one; and a list of
descendants, such as psutil's, lacks those whose parent has ended. Limits: elsewhere than on Linux these escape, and
everywhere a program that kills the process above it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from cpsat_tour.core.errors import printable

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class Child:
    """A Python process with a ``connection`` for messages and a file for its ``stderr``. It leads a process group,
    which `end` kills. After that, ``last_words`` is the last line of its stderr, after a colon."""

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

    def end(self, patience: float | None = None) -> int:
        """Kill the process and all that it started, and return its exit status, negative for a signal. With
        ``patience`` it first gets this number of seconds to end by itself."""
        if not self.connection.closed:
            if patience is None:
                self.kill()
            else:
                self.process.send_signal(signal.SIGCONT)  # if what it supervises has stopped it
            self.connection.close()
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self.process.wait()
        if not self.stderr.closed:
            self.last_words = last_line(self.stderr)
            self.stderr.close()
        return status


def last_line(file: IO[bytes]) -> str:
    """Return the last line of a file, printable and shortened, after a colon; an empty string if it has none."""
    tail = os.pread(file.fileno(), 4096, max(0, os.fstat(file.fileno()).st_size - 4096))
    return "".join(f": {printable(line):.200}" for line in tail.decode(errors="replace").strip().splitlines()[-1:])


def connect_to_parent() -> Connection:
    """Return the child's end of the connection to its parent, and silence what libraries print from now on."""
    connection = Connection(os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    return connection


def environment() -> dict[str, str]:
    """Return environment variables with which a child process can import the same modules as this one."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "PYTHONUNBUFFERED": "1",
    }


def die_with(parent_id: int) -> None:
    """Have the operating system kill this process when its parent ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent_id:
            os._exit(1)


def adopt_orphans() -> None:
    """Have the operating system make this process the parent of orphaned descendants (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_children() -> None:
    """Kill and reap all children of this process, and the orphans that they leave, until none is left."""
    with suppress(ChildProcessError):
        while True:
            for child in _children():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.001)


def _children() -> list[int]:
    """Return the process ids of the children of this process; of all its descendants if the system keeps no list of
    children."""
    try:
        return [int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except FileNotFoundError:
        import psutil  # takes long to load

        return [process.pid for process in psutil.Process().children(recursive=True)]
