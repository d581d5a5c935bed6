"""Files that grow line by line, as runs and cubes are done: written by one process, under a lock.

A line is handed to the system before the next is begun, so that a process which is killed leaves at most half a line;
who opens the file again cuts it off.
"""

from __future__ import annotations

import fcntl
import os
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import naming, refuse_what_is_not_a_file


class GrowingFile(ABC):
    """The file at ``path``, made where there is none, open for appending by this process alone; `BadInput` where
    another has it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_what_is_not_a_file(path)
        with naming(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._take_up()
        except BlockingIOError:
            os.close(self._file)
            raise BadInput(
                f"{path} is being written by another run of this program: wait for it, or name another file"
            ) from None
        except BaseException:
            os.close(self._file)
            raise

    @abstractmethod
    def _take_up(self) -> None:
        """Read what the file has, and cut off what is not whole."""

    def _cut_off(self, whole: int) -> None:
        """Leave so many bytes."""
        with naming(self.path):
            os.ftruncate(self._file, whole)

    def _write(self, line: bytes) -> None:
        with naming(self.path):
            while line:
                line = line[os.write(self._file, line) :]

    def _flush(self) -> None:
        """Wait until all is on the disk."""
        with naming(self.path):
            os.fsync(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._flush()
        finally:
            os.close(self._file)
