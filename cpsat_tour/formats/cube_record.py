"""The record of a count in cubes: a line that says what is counted, then a line for each cube that is done, as JSON.

A line is handed to the system before the next is begun, so that a process which is killed leaves at most half a line: it is cut off when the
count goes on. The lines are flushed to the disk about once a second and at the end. One process writes the file, under a lock.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import MARK, naming, read_bytes, refuse_what_is_not_a_file

MAX_BYTES = 1 << 27

FLUSH_SECONDS = 1.0

_CUBE = re.compile(rb'\{"cube": (\d{1,9}), "tours": (\d{1,18})\}')


class CubeRecord:
    """The record at ``path``, made where there is none, open for appending by this process alone.

    ``counts`` has the tours of each cube that was done when it was opened. `BadInput` where the file is no record, or one of another count,
    or another process has it open.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self._path = path
        self._flushed = -math.inf
        self._header = json.dumps({"record": MARK.decode() + " tours"} | dict(header)).encode() + b"\n"
        refuse_what_is_not_a_file(path)
        with naming(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.counts = self._read(read_bytes(path, MAX_BYTES))
        except BlockingIOError:
            os.close(self._file)
            raise BadInput(f"{path} is being written by another run of this program: wait for it, or name another file") from None
        except BaseException:
            os.close(self._file)
            raise

    def _read(self, content: bytes) -> dict[int, int]:
        """The counts in the file, which is left with whole lines and at least its first."""
        if len(content) < len(self._header) and self._header.startswith(content):
            self._cut_off(0)
            self._write(self._header)
            return {}
        if not content.startswith(self._header):
            ours = content.startswith(self._header[: self._header.index(b",")])
            raise BadInput(f"{self._path} is {'the record of another count' if ours else 'not a record of tours'}: name another file")
        *lines, half = content[len(self._header) :].split(b"\n")
        counts = {}
        for number, line in enumerate(lines, start=2):
            match = _CUBE.fullmatch(line)
            if match is None:
                raise BadInput(f"{self._path}, line {number}: this is not a cube and its tours: {line.decode(errors='replace')[:40]!r}")
            counts[int(match[1])] = int(match[2])
        self._cut_off(len(content) - len(half))
        return counts

    def append(self, cube: int, tours: int) -> None:
        """Add a cube that is done."""
        self._write(b'{"cube": %d, "tours": %d}\n' % (cube, tours))

    def _cut_off(self, whole: int) -> None:
        with naming(self._path):
            os.ftruncate(self._file, whole)

    def _write(self, line: bytes) -> None:
        with naming(self._path):
            while line:
                line = line[os.write(self._file, line) :]
            if time.monotonic() - self._flushed > FLUSH_SECONDS:
                self._flush()

    def _flush(self) -> None:
        os.fsync(self._file)
        self._flushed = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        try:
            with naming(self._path):
                self._flush()
        finally:
            os.close(self._file)
