"""Knight's tours written by several workers at once, in strips of the board: each verified alone, and the moves between
them at the end.

A strip is a rectangle of the board, and its runs are the parts of the tour in it. They visit each square of the strip
once, which one worker verifies with a bit for each square, and writes: threads where the numbers belong in the file of
`cpsat_tour.formats.visits`, workers on several machines to a file of their own, in a folder that all of them see
(`cpsat_tour.formats.visit_parts`). When the strips cover the board, and every run begins a move from where the one
before ends, the whole is a tour.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
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
    """Visits that follow each other: the number of the first, from 0, how many there are, and they, as rows and columns
    within the strip."""

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


Put = Callable[[Ints, int], object]
"""What becomes of visits, as rows and columns of the board; they come with the number of the first."""


def write_strips(
    path: Path,
    strips: Iterable[Strip],
    rows: int,
    cols: int,
    *,
    closed: bool,
    threads: int,
    clock: Clock,
    on_event: OnEvent | None = None,
) -> None:
    """Write a tour in strips that cover the board, by so many threads, into a file that has its name when it is whole.

    `TourFault` where it is no tour of the board, open or closed as asked; `StoppedEarly` when the time is over.
    """
    with writing(path) as file:
        kind = number_type(rows, cols)
        write_header(file, rows * cols, kind)
        file.flush()
        put = partial(_put, path, file.fileno(), file.tell(), kind)
        pool = ThreadPoolExecutor(max_workers=threads)
        try:
            ends = carried_out(pool, threads, partial(verified, put=put), strips, clock, on_event)
        finally:
            pool.shutdown(cancel_futures=True)
        check_joints(ends, rows * cols, closed=closed)


def carried_out(
    executor: Executor,
    workers: int,
    work: Callable[[Strip], list[End]],
    strips: Iterable[Strip],
    clock: Clock,
    on_event: OnEvent | None,
) -> list[End]:
    """The ends of all strips, each worked by the executor; no more wait there than keep so many workers busy."""
    waiting, going, ends = iter(strips), set[Future[list[End]]](), list[End]()
    while True:
        going |= {executor.submit(work, strip) for strip in islice(waiting, 2 * workers - len(going))}
        if not going:
            return ends
        finished, going = wait(going, HEARTBEAT, FIRST_COMPLETED)
        for future in finished:
            ends += future.result()
        clock.check()
        if on_event is not None:
            on_event(Progress({"squares": sum(after - first for first, after, _, _ in ends)}))


def verified(strip: Strip, put: Put | None = None) -> list[End]:
    """Verify the runs of a strip, and put the squares of the board where their numbers belong; the ends of the runs."""
    checker, origin, ends = VisitChecker(*strip.sides), np.array(strip.origin, dtype=np.int32), []
    for run in strip.runs:
        number = run.first
        checker.interrupt()
        for visits in run.chunks():
            checker.add(visits)
            whole = visits + origin
            if number == run.first:
                first = whole[0].copy()
            if put is not None:
                put(whole, number)
            number += len(visits)
        ends.append((run.first, number, first, whole[-1].copy()))
    checker.finish()
    return ends


def _put(path: Path, descriptor: int, head: int, kind: np.dtype[np.unsignedinteger], visits: Ints, number: int) -> None:
    """Write these visits to their place; the system may take them in parts."""
    data, place = visits.astype(kind).data.cast("B"), head + number * 2 * kind.itemsize
    with naming(path):
        while data:
            written = os.pwrite(descriptor, data, place)
            data, place = data[written:], place + written


def check_joints(ends: list[End], squares: int, *, closed: bool) -> None:
    """Raise `TourFault` unless the runs number all visits, and each begins a move from the end of the one before."""
    ends = sorted(ends, key=lambda end: end[0])
    for (_, after, _, last), (number, _, first, _) in pairwise(ends):
        if after != number or not is_move(last, first):
            raise TourFault(f"visit {number + 1} is not a knight's move from the visit before")
    if ends[0][0] != 0 or ends[-1][1] != squares:
        raise TourFault(f"the visits do not number the {squares} squares of the board")
    if closed and not is_move(ends[-1][3], ends[0][2]):
        raise TourFault("the ends of the tour are not a move apart")
