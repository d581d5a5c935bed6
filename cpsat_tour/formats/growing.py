"""Files that grow line by line, as runs and cubes are done: written by one process, under a lock.

A line is handed to the system before the next is begun, so that a process which is killed leaves at most half a line;
who opens the file again cuts it off.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import naming, read_bytes, refuse_what_is_not_a_file


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
        with naming(self.path):
            os.ftruncate(self._file, whole)

    def _write(self, line: bytes) -> None:
        with naming(self.path):
            while line:
                line = line[os.write(self._file, line) :]

    def _flush(self) -> None:
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


# --- the record of a count in cubes ---

MAX_BYTES = 1 << 27

FLUSH_SECONDS = 1.0

_CUBE = re.compile(rb'\{"cube": (\d{1,9}), "tours": (\d{1,18})\}')


class CubeRecord(GrowingFile):
    """The record of a count, which its header names, with a line for each cube that is done; ``counts`` has the tours
    of each that was done when it was opened.

    `BadInput` where the file is no record, or one of another count, or another process has it open.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self._flushed = -math.inf
        self._header = json.dumps({"record": "cpsat-tour tours"} | dict(header)).encode() + b"\n"
        self.counts: dict[int, int] = {}
        super().__init__(path)

    def _take_up(self) -> None:
        content = read_bytes(self.path, MAX_BYTES)
        if len(content) < len(self._header) and self._header.startswith(content):
            self._cut_off(0)
            self._write(self._header)
            return
        if not content.startswith(self._header):
            ours = content.startswith(self._header[: self._header.index(b",")])
            what = "the record of another count" if ours else "not a record of tours"
            raise BadInput(f"{self.path} is {what}: name another file")
        *lines, half = content[len(self._header) :].split(b"\n")
        for number, line in enumerate(lines, start=2):
            match = _CUBE.fullmatch(line)
            if match is None:
                shown = line.decode(errors="replace")[:40]
                raise BadInput(f"{self.path}, line {number}: this is not a cube and its tours: {shown!r}")
            self.counts[int(match[1])] = int(match[2])
        self._cut_off(len(content) - len(half))

    def append(self, cube: int, tours: int) -> None:
        """Add a cube that is done; about once a second all is flushed to the disk."""
        self._write(b'{"cube": %d, "tours": %d}\n' % (cube, tours))
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()
            self._flushed = time.monotonic()
