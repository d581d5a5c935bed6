"""The record of a count in cubes: a line that says what is counted, then a line for each cube that is done, as JSON.

The lines are flushed to the disk about once a second and at the end (`growing`).
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import read_bytes
from cpsat_tour.formats.growing import GrowingFile

MAX_BYTES = 1 << 27

FLUSH_SECONDS = 1.0

_CUBE = re.compile(rb'\{"cube": (\d{1,9}), "tours": (\d{1,18})\}')


class CubeRecord(GrowingFile):
    """The record of a count, which its header names: ``counts`` has the tours of each cube that was done when it was
    opened.

    `BadInput` where the file is no record, or one of another count, or another process has it open.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self._flushed = -math.inf
        self._header = json.dumps({"record": "cpsat-tour tours"} | dict(header)).encode() + b"\n"
        super().__init__(path)

    def _take_up(self) -> None:
        self.counts = self._read(read_bytes(self.path, MAX_BYTES))

    def _read(self, content: bytes) -> dict[int, int]:
        """The counts in the file, which is left with whole lines and at least its first."""
        if len(content) < len(self._header) and self._header.startswith(content):
            self._cut_off(0)
            self._write(self._header)
            return {}
        if not content.startswith(self._header):
            ours = content.startswith(self._header[: self._header.index(b",")])
            raise BadInput(
                f"{self.path} is {'the record of another count' if ours else 'not a record of tours'}: name "
                "another file"
            )
        *lines, half = content[len(self._header) :].split(b"\n")
        counts = {}
        for number, line in enumerate(lines, start=2):
            match = _CUBE.fullmatch(line)
            if match is None:
                raise BadInput(
                    f"{self.path}, line {number}: this is not a cube and its tours: "
                    f"{line.decode(errors='replace')[:40]!r}"
                )
            counts[int(match[1])] = int(match[2])
        self._cut_off(len(content) - len(half))
        return counts

    def append(self, cube: int, tours: int) -> None:
        """Add a cube that is done."""
        self._write(b'{"cube": %d, "tours": %d}\n' % (cube, tours))
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()
            self._flushed = time.monotonic()
