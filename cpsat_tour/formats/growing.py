"""Files that grow line by line while runs and cubes are done: written by one process, under a lock.

A line is handed to the system before the next is begun, so that a process which is killed leaves at most half a line;
it is cut off when the file is opened again.
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
from typing import Self

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_not_special, naming, read_bytes


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

    def __exit__(self, *_: object) -> None:
        try:
            self._flush()
        finally:
            os.close(self._file)


# --- the record of a count in cubes ---

MAX_BYTES = 1 << 27

FLUSH_SECONDS = 1.0

_CUBE = re.compile(rb'\{"cube": (\d{1,9}), "tours": (\d{1,18})\}')


class CubeRecord(GrowingFile):
    """The record of a count: its header, and a line for each finished cube; ``counts`` has the tours of each cube that
    was finished when the file was opened. `BadInput` if it is not a record, or one of another count."""

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self._flushed = -math.inf
        self._header = json.dumps({"record": "cpsat-tour tours"} | dict(header)).encode() + b"\n"
        self.counts: dict[int, int] = {}
        super().__init__(path)

    def _take_up(self) -> None:
        content = read_bytes(self.path, MAX_BYTES)
        if len(content) < len(self._header) and self._header.startswith(content):
            self._truncate(0)
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
        self._truncate(len(content) - len(half))

    def append(self, cube: int, tours: int) -> None:
        """Add a finished cube; about once a second all is flushed to the disk."""
        self._write(b'{"cube": %d, "tours": %d}\n' % (cube, tours))
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()
            self._flushed = time.monotonic()
