"""The worker of `outside`: runs a program in a process of its own, and kills it, and all that it started, when it has
ended, or when whoever asked has ended.

Called with the file for what the program prints, then the program and its arguments. It tells the number of the
program's process, and answers with the exit status and the last line of that file, when nothing that the program
started is left. The program leads a process group of its own, so that a signal to its group leaves the worker alive; if
the worker is killed, the kernel kills the program, and whoever asked its group.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread

from cpsat_tour.core.processes import adopt_orphans, connect_to_parent, die_with, end_children, last_line


def main(printed: str, *command: str) -> None:
    """Run the command with its output going to the file ``printed``, and send its exit status and the file's last
    line."""
    parent = connect_to_parent()
    adopt_orphans()
    with open(printed, "w+b") as file:
        program = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            process_group=0,
            preexec_fn=partial(_begin, parent, os.getpid()),  # noqa: PLW1509  (no thread has begun)
        )
        Thread(target=_end_with, args=(parent,), daemon=True).start()
        status = program.wait()
        end_children()
        parent.send((status, last_line(file)))


def _begin(parent: Connection, worker: int) -> None:
    """Prepare the process that becomes the program: send its number, and make it end with the worker."""
    die_with(worker)
    parent.send(os.getpid())


def _end_with(parent: Connection) -> None:
    """Wait until the parent has closed the connection or is gone; then end the program, and this process."""
    with suppress(EOFError, OSError):
        parent.recv()
    end_children()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
