"""The worker of `outside`: runs a program in a process of its own, and kills it, and all that it started, when whoever
asked has ended.

Called with the file for what the program prints, then the program and its arguments. It answers with the exit status.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread

from cpsat_tour.core.processes import connect_to_parent


def main(printed: str, *command: str) -> None:
    """Run the command, what it prints going to a file, and send its exit status."""
    parent = connect_to_parent()
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    with open(printed, "wb") as file:
        status = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=file).returncode
    parent.send(status)


def _end_with(parent: Connection) -> None:
    """Kill this process group when the parent has closed the connection, or is gone."""
    with suppress(EOFError, OSError):
        parent.recv()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
