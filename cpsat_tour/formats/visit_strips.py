"""Knight's tours written by several threads at once, in strips of the board: each verified alone, and the moves between them at the end.

A strip is a rectangle of the board, and its runs are the parts of the tour in it. They visit each square of the strip once, which one thread
verifies with a bit for each square, and are written where their numbers belong in the file of `cpsat_tour.formats.visits`. When all strips
cover the board, and every run begins a move from where the one before ends, the whole is a tour.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.files import naming, writing
from cpsat_tour.formats.visits import VisitChecker, is_move, number_type, write_header

HEARTBEAT = 0.1


@dataclass(frozen=True)
class StripRun:
    """Visits that follow each other: the number of the first, from 0, how many there are, and they, as rows and columns within the strip."""

    first: int
    length: int
    chunks: Callable[[], Iterator[Ints]]


@dataclass(frozen=True)
class Strip:
    """A rectangle of these sides whose first row and column are given, and the parts of a tour in it."""

    sides: tuple[int, int]
    origin: tuple[int, int]
    runs: tuple[StripRun, ...]


End = tuple[int, int, Ints, Ints]
"""Of a run: the number of its first visit and of the one after its last, and these two squares."""


def write_strips(
    path: Path, strips: list[Strip], rows: int, cols: int, *, closed: bool, threads: int, clock: Clock, on_event: OnEvent | None = None
) -> None:
    """Write a tour in strips that cover the board, by so many threads, into a file that has its name when it is whole.

    `TourFault` where it is no tour of the board, open or closed as asked; `StoppedEarly` when the time is over.
    """
    done = 0
    with writing(path) as file:
        write_header(file, rows, cols)
        file.flush()
        head, ends = file.tell(), []
        pool = ThreadPoolExecutor(max_workers=threads)
        try:
            waiting = {pool.submit(_written, path, file.fileno(), head, number_type(rows, cols), strip) for strip in strips}
            while waiting:
                finished, waiting = wait(waiting, HEARTBEAT, FIRST_EXCEPTION)
                for future in finished:
                    ends += future.result()
                done = sum(after - first for first, after, _, _ in ends)
                clock.check()
                if on_event is not None:
                    on_event(Progress({"squares": done}))
        finally:
            pool.shutdown(cancel_futures=True)
        _check_joints(sorted(ends, key=lambda end: end[0]), rows * cols, closed=closed)


def _written(path: Path, descriptor: int, head: int, kind: np.dtype[np.unsignedinteger], strip: Strip) -> list[End]:
    """Verify the runs of a strip and write them; their ends."""
    checker, origin, ends = VisitChecker(*strip.sides), np.array(strip.origin, dtype=np.int32), []
    for run in strip.runs:
        number = run.first
        checker.interrupt()
        for visits in run.chunks():
            checker.add(visits)
            whole = visits + origin
            if number == run.first:
                first = whole[0].copy()
            with naming(path):
                _put(descriptor, whole.astype(kind).data.cast("B"), head + number * 2 * kind.itemsize)
            number += len(visits)
        ends.append((run.first, number, first, whole[-1].copy()))
    checker.finish()
    return ends


def _put(descriptor: int, data: memoryview, place: int) -> None:
    """Write all of this there; the system may take it in parts."""
    while data:
        written = os.pwrite(descriptor, data, place)
        data, place = data[written:], place + written


def _check_joints(ends: list[End], squares: int, *, closed: bool) -> None:
    """Raise `TourFault` unless the runs number all visits, and each begins a move from the end of the one before."""
    for (_, after, _, last), (number, _, first, _) in pairwise(ends):
        if after != number or not is_move(last, first):
            raise TourFault(f"visit {number + 1} is no knight's move from the visit before")
    if ends[0][0] != 0 or ends[-1][1] != squares:
        raise TourFault(f"the visits do not number the {squares} squares of the board")
    if closed and not is_move(ends[-1][3], ends[0][2]):
        raise TourFault("the ends of the tour are not a move apart")
