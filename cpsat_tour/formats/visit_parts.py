"""Knight's tours past one machine: a folder with the visits of each strip of the board in an ``.npy`` file of its own,
and an index.

Workers of a cluster write the parts, each verified, into a folder that all machines see under the same path; it has its
name when the whole is verified, or never. ``index.json`` says which rectangle of the board each part covers, and which
numbers its runs have. Whoever reads the folder verifies part by part, with a bit for each square of one, and the
joints.

Limits: the parts are strips of one direction, rows or columns of the board from side to side.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.bundles import Bundle, files_named
from cpsat_tour.formats.files import read_bytes, sweep, writing
from cpsat_tour.formats.npy import mapped_array
from cpsat_tour.formats.visit_strips import End, Put, Strip, StripRun, carried_out, check_joints, verified
from cpsat_tour.formats.visits import CHUNK, number_type, write_header

INDEX = "index.json"
PARTS = Bundle("a tour in parts", INDEX, b'{"format": "cpsat-tour parts')
FILES = r"\d+-\d+\.npy|index\.json"
"""What the files of such a folder are called; all others are somebody else's, and stay."""

MAX_NUMBER = 1 << 40


def write_parts(
    folder: Path,
    strips: Iterable[Strip],
    rows: int,
    cols: int,
    *,
    closed: bool,
    workers: tuple[Executor, int],
    clock: Clock,
    on_event: OnEvent,
) -> None:
    """Write a tour in strips that cover the board, by so many workers of the executor.

    `TourFault` where it is no tour of the board, open or closed as asked; `StoppedEarly` when the time is over, or
    workers are lost for good.
    """
    executor, number = workers
    parts: list[dict[str, Any]] = []

    def noted() -> Iterator[Strip]:
        for strip in strips:
            parts.append(
                {"origin": strip.origin, "sides": strip.sides, "runs": [(run.first, run.length) for run in strip.runs]}
            )
            yield strip

    with PARTS.writing(folder, retired=files_named(FILES, folder)) as staged:
        try:
            ends = carried_out(
                executor, number, partial(_written, staged, number_type(rows, cols)), noted(), clock, on_event
            )
        except (BadInput, TourFault, StoppedEarly):
            raise
        except Exception as fault:
            raise StoppedEarly(f"a worker was lost ({type(fault).__name__}: {fault})") from fault
        check_joints(ends, rows * cols, closed=closed)
        sweep(staged)  # files that killed workers had begun
        told = {"format": "cpsat-tour parts 1", "rows": rows, "cols": cols, "closed": closed, "parts": parts}
        with writing(staged / INDEX) as file:
            file.write(json.dumps(told).encode())


def _written(folder: Path, kind: np.dtype[np.unsignedinteger], strip: Strip) -> list[End]:
    """Verify the runs of a strip and write them; their ends."""
    with writing(folder / _name(strip.origin)) as file:
        write_header(file, prod(strip.sides), kind)
        return verified(strip, lambda visits, _number: file.write(visits.astype(kind).data))


def _name(origin: tuple[int, int]) -> str:
    return f"{origin[0]}-{origin[1]}.npy"


def verified_parts(folder: Path, put: Put | None = None) -> tuple[int, int, bool]:
    """Rows and columns of the board whose tour is in the folder, and whether it is closed; its visits are ``put`` where
    they are wanted.

    `TourFault` names the first fault of one that is none, `BadInput` says why the folder can't be read.
    """
    index = folder / INDEX
    try:
        told = json.loads(read_bytes(index))
        rows, cols = _numbers([told["rows"], told["cols"]], 2)
        strips = [_strip(folder, part) for part in told["parts"]]
        if type(closed := told["closed"]) is not bool:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        if isinstance(fault, BadInput):
            raise
        raise BadInput(f"{index} is not the index of a tour in parts") from fault
    _check_cover(strips, rows, cols)
    check_joints([end for strip in strips for end in verified(strip, put)], rows * cols, closed=closed)
    return rows, cols, closed


def _numbers(listed: Any, length: int) -> tuple[int, ...]:
    if (
        not isinstance(listed, list)
        or len(listed) != length
        or not all(type(number) is int and 0 <= number <= MAX_NUMBER for number in listed)
    ):
        raise ValueError
    return tuple(listed)


def _strip(folder: Path, part: dict[str, Any]) -> Strip:
    """The strip that a part covers, with the visits in its file."""
    (top, left), (high, wide) = _numbers(part["origin"], 2), _numbers(part["sides"], 2)
    numbers = [_numbers(run, 2) for run in part["runs"]]
    path, runs, at = folder / _name((top, left)), list[StripRun](), 0
    for first, length in numbers:
        runs.append(StripRun(first, length, partial(_visits, path, at, length, (top, left))))
        at += length
    return Strip((high, wide), (top, left), tuple(runs))


def _visits(path: Path, at: int, length: int, origin: tuple[int, int]) -> Iterator[Ints]:
    array = mapped_array(path)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu" or not 0 < length <= len(array) - at:
        raise BadInput(
            f"{path} has an array of shape {array.shape} and type {array.dtype}, which is not what {INDEX} says"
        )
    for first in range(at, at + length, CHUNK):
        visits = array[first : min(first + CHUNK, at + length)].astype(np.int64) - origin
        yield np.clip(visits, -1, 1 << 30).astype(np.int32)


def _check_cover(strips: list[Strip], rows: int, cols: int) -> None:
    """Raise `TourFault` unless the strips lie side by side, rows or columns from one side of the board to the other,
    and are all of it."""
    for axis, (length, width) in enumerate(((rows, cols), (cols, rows))):
        ordered = sorted(strips, key=lambda strip: strip.origin[axis])
        begins = list(accumulate((strip.sides[axis] for strip in ordered), initial=0))
        across = {(strip.origin[1 - axis], strip.sides[1 - axis]) for strip in ordered}
        if across == {(0, width)} and begins == [*(strip.origin[axis] for strip in ordered), length]:
            return
    raise TourFault(f"the parts are not strips of the {rows}x{cols} board, from side to side, that cover it")
