"""Arrays in ``.npy`` files: reads them mapped into memory, writes them row by row, and verifies large knight's tours
while they are read or written.

The header of an ``.npy`` file states the number of rows. NumPy leaves room in it for that number to grow, so it is
written again at the end. The visits of a knight's tour are rows of two numbers, row and column; they are verified in
parts, with a bit for each square. Limits: knights on boards without holes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import dtype_to_descr, open_memmap, write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.files import readable, writing

CHUNK = 1 << 20
"""Squares that are read at a time."""


def mapped_array(path: Path) -> np.memmap[Any, np.dtype[Any]]:
    """Return the array in a file, mapped into memory; `BadInput` if the file has no whole array."""
    with readable(path):
        pass
    try:
        return open_memmap(path, mode="r")
    except Exception as fault:  # NumPy reads the header as Python does, and raises what Python's parser raises
        raise BadInput(f"{path} is not a whole .npy array: it was cut short, or NumPy didn't write it") from fault


@contextmanager
def writing_rows(path: Path, width: int, dtype: np.dtype[np.unsignedinteger]) -> Iterator[RowWriter]:
    """Yield a writer of rows of ``width`` numbers; the file has its name when the block ends without an error."""
    with writing(path) as file:
        rows = RowWriter(file, width, dtype)
        rows.write_header()
        yield rows
        rows.write_header()


@dataclass
class RowWriter:
    """Writes rows of ``width`` numbers of one type into an open file."""

    file: BinaryIO
    width: int
    dtype: np.dtype[np.unsignedinteger]
    rows: int = 0

    def append(self, rows: NDArray[np.integer]) -> None:
        """Write more rows, an array of shape ``(number, width)``, after those written before."""
        self.file.write(np.ascontiguousarray(rows, dtype=self.dtype).data)
        self.rows += len(rows)

    def write_header(self) -> None:
        """Write the header at the beginning of the file, for the rows so far; its length stays the same, and the file
        is left right behind it: no rows may be appended after the last one."""
        self.file.seek(0)
        shape = (self.rows, self.width)
        header = {"descr": dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        write_array_header_1_0(self.file, header)


# --- knight's tours of large boards ---

FAULTS = ("", "is not on the {} board", "was visited before", "is not a knight's move from the visit before")


class VisitChecker:
    """Verifies the visits of a knight's tour of a plain board, some at a time; `TourFault` names the first fault."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols, self.visits = rows, cols, 0
        self._seen = np.zeros((rows * cols + 7) // 8, dtype=np.uint8)
        self._first = self._last = np.zeros(2, dtype=np.int32)

    def add(self, visits: Ints) -> None:
        """Verify the next visits, an array ``(k, 2)`` of rows and columns; `TourFault` at the first that is wrong."""
        if not len(visits):
            return
        if not self.visits:
            self._first = visits[0].copy()
            self._last = self._first - np.array([1, 2], dtype=np.int32)  # as if the visit before were a move away
        from cpsat_tour.formats.visit_kernel import first_fault  # which compiles: only large boards wait for that

        visit, fault = first_fault(visits, self._last, self._seen, self.rows, self.cols)
        if fault:
            words = FAULTS[fault].format(f"{self.rows}x{self.cols}")
            row, col = visits[visit].tolist()
            raise TourFault(f"visit {self.visits + visit + 1}, at {row},{col}, {words}")
        self._last = visits[-1].copy()
        self.visits += len(visits)

    def finish(self, closed: bool | None = None) -> bool:
        """Return True if the whole tour is closed: ``closed``, or if that is None, whether its ends are a move apart.

        `TourFault` if visits are missing, or the ends of a closed tour are not a move apart.
        """
        if self.visits < (squares := self.rows * self.cols):
            board = f"the {squares} squares of the {self.rows}x{self.cols} board"
            raise TourFault(f"there are {self.visits} visits to {board}")
        meets = sorted(np.abs(self._last - self._first).tolist()) == [1, 2]
        if closed and not meets:
            raise TourFault("the ends of the tour are not a move apart")
        return meets if closed is None else closed


def write_visits(
    path: Path, parts: Iterable[Ints], sides: tuple[int, int], *, closed: bool, clock: Clock, on_event: OnEvent
) -> None:
    """Verify the visits as they come and write them into a file, which has its name when it is whole.

    `TourFault` if they are not a tour of the board, open or closed as asked; `StoppedEarly` when the time is over.
    """
    checker = VisitChecker(*sides)
    dtype = np.dtype(np.uint16) if max(sides) <= 1 << 16 else np.dtype(np.uint32)
    with writing_rows(path, 2, dtype) as file:
        for visits in parts:
            checker.add(visits)
            file.append(visits)
            clock.check()
            on_event(Progress({"squares": checker.visits}))
        checker.finish(closed)
