"""A worker of a cluster that is killed once, in the middle of a job."""

import os
import signal
from pathlib import Path

from cpsat_tour.cli.filter import _answer_chunk, _Part
from cpsat_tour.cli.options import Namespace


def answer_chunk(folder: str, line: str, args: Namespace, chunk: bytes) -> list[_Part]:
    """Return the parts of a chunk; the first that is asked for the one with this line kills its process."""
    parts, died = _answer_chunk(args, chunk), Path(folder) / "died"
    if line.encode() in chunk and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return parts
