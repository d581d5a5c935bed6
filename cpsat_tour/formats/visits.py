"""Knight's tours of boards of any size as rows of two numbers, row and column, in the order of the visit: verified as
they come, and in files.

A file is an ``.npy`` array of shape ``(squares, 2)``, in 16-bit numbers where the sides allow. Verification takes the
visits in parts, and a bit for each square. Limits: knights on boards without holes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.files import naming, writing

Bits = NDArray[np.uint8]

CHUNK = 1 << 20
"""Squares that are read at a time."""

OUTSIDE, AGAIN, NO_MOVE = range(1, 4)


class VisitChecker:
    """Verifies the visits of one board, some at a time; `TourFault` names the first fault."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols, self.visits = rows, cols, 0
        self._seen = np.zeros((rows * cols + 7) // 8, dtype=np.uint8)
        self._first = self._last = np.zeros(2, dtype=np.int32)

    def add(self, visits: Ints) -> None:
        """Take the next visits, an array of rows and columns."""
        if not len(visits):
            return
        if not self.visits:
            self._first = visits[0].copy()
            # As if the visit before were a move away.
            self._last = np.array([int(visits[0, 0]) - 1, int(visits[0, 1]) - 2], dtype=np.int32)
        at, fault = first_fault(visits, self._last, self._seen, self.rows, self.cols)
        if fault:
            raise TourFault(f"visit {self.visits + at + 1}, at {_shown(visits[at])}, {self._words(fault)}")
        self._last = visits[-1].copy()
        self.visits += len(visits)

    def _words(self, fault: int) -> str:
        if fault == OUTSIDE:
            return f"is not on the {self.rows}x{self.cols} board"
        return "was visited before" if fault == AGAIN else "is not a knight's move from the visit before"

    def finish(self) -> bool:
        """Whether the tour, which is whole now, is closed: its ends are a move apart."""
        if self.visits < self.rows * self.cols:
            raise TourFault(
                f"there are {self.visits} visits to the {self.rows * self.cols} squares of the "
                f"{self.rows}x{self.cols} board"
            )
        return is_move(self._last, self._first)


@allocation_free
def first_fault(visits: Ints, before: Ints, seen: Bits, rows: int, cols: int) -> tuple[int, int]:
    """The place of the first visit that is wrong, and what is wrong with it, 0 if nothing is; squares seen get their
    bits set."""
    row, col = before[0], before[1]
    for place in range(len(visits)):
        down, right = abs(visits[place, 0] - row), abs(visits[place, 1] - col)
        row, col = visits[place, 0], visits[place, 1]
        if row < 0 or row >= rows or col < 0 or col >= cols:
            return place, OUTSIDE
        square = np.int64(row) * cols + col
        bit = np.uint8(1 << (square & 7))
        if seen[square >> 3] & bit:
            return place, AGAIN
        seen[square >> 3] |= bit
        if down * right != 2:
            return place, NO_MOVE
    return len(visits), 0


def _shown(visit: NDArray[np.integer]) -> str:
    return f"{int(visit[0])},{int(visit[1])}"


def is_move(here: NDArray[np.integer], there: NDArray[np.integer]) -> bool:
    """Whether two squares are a knight's move apart."""
    return sorted(abs(int(one) - int(other)) for one, other in zip(here, there, strict=True)) == [1, 2]


def write_header(file: BinaryIO, squares: int, kind: np.dtype[np.unsignedinteger]) -> None:
    """The header of a file of so many visits."""
    write_array_header_1_0(
        file, {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (squares, 2)}
    )


def number_type(rows: int, cols: int) -> np.dtype[np.unsignedinteger]:
    """The type of the numbers in a file of visits."""
    return np.dtype(np.uint16 if max(rows, cols) <= 1 << 16 else np.uint32)


def write_visits(
    path: Path,
    chunks: Iterable[Ints],
    rows: int,
    cols: int,
    *,
    closed: bool,
    clock: Clock,
    on_event: OnEvent | None = None,
) -> dict[str, float]:
    """Write the visits as they come, verified, into a file that has its name when it is whole; the seconds that the
    parts of the work took.

    `TourFault` where they are no tour of the board, open or closed as asked; `StoppedEarly` when the time is over.
    """
    checker, kind = VisitChecker(rows, cols), number_type(rows, cols)
    spent = dict.fromkeys(("construction", "verification", "writing"), 0.0)
    with writing(path) as file:
        write_header(file, rows * cols, kind)
        begun = clock.seconds
        for visits in chunks:
            made = clock.seconds
            checker.add(visits)
            verified = clock.seconds
            with naming(path):
                file.write(visits.astype(kind).data)
            written = clock.seconds
            spent["construction"] += made - begun
            spent["verification"] += verified - made
            spent["writing"] += written - verified
            clock.check()
            if on_event is not None:
                on_event(Progress({"squares": checker.visits}))
            begun = clock.seconds
        if not checker.finish() and closed:
            raise TourFault("the ends of the tour are not a move apart")
        begun = clock.seconds
    spent["writing"] += clock.seconds - begun
    return spent
