"""Files that grow line by line while runs are made: written by one process, under a lock.

A line is handed to the system before the next is begun, so that a process which is killed leaves at most half a line;
it is cut off when the file is opened again.
"""

from __future__ import annotations

import fcntl
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_not_special, naming


class GrowingFile(ABC):
    """A file, made if there is none, open for appending by this process alone; `BadInput` if another has it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        check_not_special(path)
        with naming(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._take_up()
        except BlockingIOError:
            os.close(self._file)
            remedy = "wait for it, or name another file"
            raise BadInput(f"{path} is being written by another run of this program: {remedy}") from None
        except BaseException:
            os.close(self._file)
            raise

    @abstractmethod
    def _take_up(self) -> None:
        """Read the lines of the file, and cut off half a last line; `BadInput` if it is another kind of file."""

    def _truncate(self, whole: int) -> None:
        """Cut off all but the first ``whole`` bytes."""
        with naming(self.path):
            os.ftruncate(self._file, whole)

    def _write(self, line: bytes) -> None:
        """Append the whole line."""
        with naming(self.path):
            while line:
                line = line[os.write(self._file, line) :]

    def _flush(self) -> None:
        """Return when the file is on the disk."""
        with naming(self.path):
            os.fsync(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._flush()
        finally:
            os.close(self._file)
