"""Files of knight's tours, verified whatever their size: the board of visit numbers or the list of squares, as text,
JSON or an array.

A list of squares is read twice where the board is not known before, once for its sides; a numbered board once, in
strips of rows, for the next visit is at most two rows away. Either takes a bit for each square and no more. Limits:
knights on boards without holes. An answer as ``solve --json`` prints it says itself which tour of which space it has
(`answer_in`), and is read whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.formats.describe import one
from cpsat_tour.formats.files import read_lines, readable
from cpsat_tour.formats.npy import mapped_array
from cpsat_tour.formats.visit_parts import verified_parts
from cpsat_tour.formats.visits import CHUNK, Bits, VisitChecker, check_turned
from cpsat_tour.spaces.kinds import from_data
from cpsat_tour.spaces.problem_data import ASKED, ASKED_SOMETIMES, read_asked
from cpsat_tour.spaces.segments import pairs_in_line, pairs_that_cross
from cpsat_tour.spaces.symmetry import symmetry_groups

MAX_ANSWER = 1 << 26
"""Bytes of an answer that are read."""

MAX_TEXT = 1 << 40
"""Bytes of a board of visit numbers as text that are read."""

MAX_SIDE = 1 << 30
MAX_SQUARES = 1 << 40

ELSEWHERE = (
    "such a file can't name a wrapped board, a box, holes or another leaper: for those about reads what solve "
    "--json prints"
)

Longs = NDArray[np.int64]

_PAIR = rb"\s*\[\s*\d{1,10}\s*,\s*\d{1,10}\s*\]"
_FIRST, _OTHERS = (re.compile(rb"(?:%b%b(?:\s*,%b)*)?" % (comma, _PAIR, _PAIR)) for comma in (b"", rb"\s*,"))
_NUMBERED = re.compile(r"(\d{1,13})((?:\s+\d{1,13})+)\s+\1")
_LABELS = re.compile(r"a(?:\s+[a-z]+)*")


@dataclass(frozen=True)
class TourFile:
    """What a file was found to hold: a verified tour of a board."""

    rows: int
    cols: int
    closed: bool
    form: str
    turns: int = 1
    """How many half or quarter turns, each of which moves the tour along itself, bring the board back; told of squares
    in an array."""


@contextmanager
def _held_against(tour: str, hint: str = "") -> Iterator[None]:
    """Has the first fault say which tour this is not."""
    try:
        yield
    except TourFault as fault:
        raise TourFault(f"not {tour}: {fault}{hint}") from None


def _held_against_board(rows: int, cols: int) -> AbstractContextManager[None]:
    return _held_against(f"a knight's tour of the whole {rows}x{cols} board", f"; {ELSEWHERE}")


def portrait(graph: Graph, tour: Ints, *, closed: bool) -> dict[str, Any]:
    """What a verified tour looks like: its symmetries, and how often it turns and crosses itself where moves are
    straight lines."""
    heads = np.roll(tour, -1) if closed else tour[1:]
    drawn = Graph.from_edges(graph.order, np.stack([tour[: len(heads)], heads], axis=1), space=graph.space)
    looks: dict[str, Any] = {"symmetries": symmetry_groups(graph, tour[None, :], closed=closed)[0]}
    with suppress(BadInput):
        turns = max(0, graph.order - 2 * (not closed) - len(pairs_in_line(drawn)))
        looks |= {"turns": turns, "crossings": len(pairs_that_cross(drawn))}
    return looks


def answer_in(path: Path) -> tuple[Problem, Ints] | None:
    """The problem of an answer as ``solve --json`` prints it, and its tour, verified; None where the file holds no JSON
    object."""
    if path.suffix.lower() != ".json" or path.is_dir():
        return None
    with readable(path) as file:
        text = file.read(CHUNK)
        if not text.lstrip().startswith(b"{"):
            return None
        text += file.read(MAX_ANSWER)
    try:
        answer = json.loads(text)
        data = answer["problem"]
        if answer["tour"] is None:
            raise BadInput(f"its status is {answer['status']!r}")
        space = from_data({key: value for key, value in data.items() if key not in (*ASKED, *ASKED_SOMETIMES)})
        if space is None:
            raise BadInput("about takes boards and boxes alone")
        problem = read_asked(space.graph, {key: data[key] for key in (*ASKED, *ASKED_SOMETIMES) if key in data})
        tour = np.array([space.vertex_at(place) for place in answer["tour"]], dtype=np.int32)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        why = fault if isinstance(fault, BadInput) else "it is not what solve --json prints"
        raise BadInput(f"{path} is not an answer with a tour of a board or a box: {why!s:.200}") from fault
    with _held_against(one(problem)):
        verify(problem, tour)
    return problem, tour


def squares_in(path: Path, found: TourFile) -> Ints:
    """The squares of the tour in the order of the visits."""
    if path.is_dir():
        squares = np.empty(found.rows * found.cols, dtype=np.int32)

        def put(visits: Ints, number: int) -> None:
            squares[number : number + len(visits)] = visits[:, 0] * found.cols + visits[:, 1]

        verified_parts(path, put)
        return squares
    if found.form == "squares in order":
        listed = np.load(path) if path.suffix.lower() == ".npy" else np.array(json.loads(path.read_bytes()))
        order: Ints = (listed[:, 0].astype(np.int64) * found.cols + listed[:, 1]).astype(np.int32)
        return order
    if path.suffix.lower() == ".npy":
        visits = np.load(path)
    else:
        rows = path.read_text(encoding="ascii", errors="replace").splitlines()[1 : found.rows + 1]
        visits = np.array([row.split()[1:-1] for row in rows], dtype=np.int64)
    return np.argsort(visits.ravel()).astype(np.int32)


def about(path: Path) -> TourFile:
    """The tour in a file, or in a folder of parts; `TourFault` names the first fault and the tour asked, `BadInput` why
    none is read."""
    if path.is_dir():
        with _held_against("a knight's tour"):
            return TourFile(*verified_parts(path), "squares in parts")
    readers: dict[str, Callable[[Path], TourFile]] = {".npy": _array, ".json": _json, ".txt": _text}
    if path.suffix.lower() not in readers:
        raise BadInput(f"can't tell what is in {path}: tours are read from {', '.join(readers)}")
    return readers[path.suffix.lower()](path)


def _array(path: Path) -> TourFile:
    array = mapped_array(path)
    if array.ndim != 2 or array.dtype.kind not in "iu" or not array.size:
        raise BadInput(
            f"{path} has an array of shape {array.shape} and type {array.dtype}: a tour has whole numbers in "
            "two dimensions"
        )
    if array.shape[1] == 2 and array.size > 2:
        found = _listed(path, lambda: _strips(array, CHUNK), "squares in order")
        return replace(found, turns=_turns(array, found))
    return _numbered(
        (strip.astype(np.int64) for strip in _strips(array, max(1, CHUNK // array.shape[1]))), *array.shape
    )


def _turns(array: NDArray[np.integer], found: TourFile) -> int:
    for turns in (4, 2) if found.rows == found.cols else (2,):
        if found.closed and len(array) % turns == 0:
            with suppress(TourFault):
                check_turned(array, found.rows, found.cols, turns)
                return turns
    return 1


def _strips(array: NDArray[np.integer], height: int) -> Iterator[NDArray[np.integer]]:
    """So many rows at a time of a mapped array; what is read is copied, and mapped anew for each strip so that no page
    stays."""
    assert isinstance(array, np.memmap)
    order: Literal["C", "F"] = "C" if array.flags.c_contiguous else "F"
    for top in range(0, len(array), height):
        mapped = np.memmap(str(array.filename), array.dtype, "r", array.offset, array.shape, order)
        yield np.array(mapped[top : top + height])


def _listed(path: Path, parts: Callable[[], Iterator[NDArray[np.integer]]], form: str) -> TourFile:
    """The tour listed by its squares: the board is as large as the greatest of them say."""
    low, high, squares = np.array([0, 0]), np.array([-1, -1]), 0
    for part in parts():
        squares += len(part)
        columns = part.T
        low = np.minimum(low, [column.min() for column in columns])
        high = np.maximum(high, [column.max() for column in columns])
    rows, cols = (int(side) + 1 for side in high)
    if min(low) < 0 or min(rows, cols) < 1 or max(rows, cols) > MAX_SIDE or rows * cols > MAX_SQUARES:
        raise BadInput(
            f"{path} has no squares of a board: rows and columns count from 0, and at most {MAX_SQUARES} "
            "squares are read"
        )
    with _held_against_board(rows, cols):
        if squares != rows * cols:
            raise TourFault(f"there are {squares} visits to its {rows * cols} squares")
        checker = VisitChecker(rows, cols)
        for part in parts():
            checker.add(part.astype(np.int32))
        return TourFile(rows, cols, checker.finish(), form)


def _json(path: Path) -> TourFile:
    return _listed(path, lambda: _pairs(path), "squares in order")


def _pairs(path: Path) -> Iterator[NDArray[np.integer]]:
    """The pairs of the list in a JSON file, some at a time."""
    with readable(path) as file:
        text = file.read(CHUNK).lstrip()
        if not text.startswith(b"["):
            raise BadInput(f"{path} is not a list of squares, [[row, col], …]; {ELSEWHERE}")
        rest, pairs = text[1:], _FIRST
        while rest:
            more = file.read(CHUNK)
            whole = rest.rfind(b"]") + 1 if more else len(rest.rstrip()) - 1
            if not pairs.fullmatch(rest, 0, max(whole, 0)) or not (more or rest.rstrip().endswith(b"]")):
                raise BadInput(f"{path} is not a list of squares, [[row, col], …]; {ELSEWHERE}")
            if whole > 0:
                yield np.array(re.findall(rb"\d+", rest[:whole]), dtype=np.int64).reshape(-1, 2)
                pairs = _OTHERS
            rest = rest[max(whole, 0) :] + more if more else b""


def _text(path: Path) -> TourFile:
    lines = read_lines(path, MAX_TEXT)
    header = next(lines, "")
    if not _LABELS.fullmatch(header):
        raise BadInput(
            f"{path} is not a board of visit numbers: its first line has no column letters, such as a b c; {ELSEWHERE}"
        )
    cols = len(header.split())
    rows = _numbered_rows(path, lines, cols)
    height, first = next(rows)
    if height * cols > MAX_SQUARES:
        raise BadInput(f"{path} has ranks from {height} down: at most {MAX_SQUARES} squares are read")
    return _numbered(chain([first], (row for _, row in rows)), height, cols)


def _numbered_rows(path: Path, lines: Iterator[str], cols: int) -> Iterator[tuple[int, Longs]]:
    """The rows of a text board with their ranks, down to the letters below."""
    rank = None
    for line in lines:
        if rank == 1 and _LABELS.fullmatch(line):
            return
        row = _NUMBERED.fullmatch(line)
        if row is None or (rank is not None and int(row[1]) != rank - 1) or len(row[2].split()) != cols:
            raise BadInput(
                f"{path} is not a board of visit numbers: {line[:40]!r} is not a row of {cols} visits between "
                f"its rank; {ELSEWHERE}"
            )
        rank = int(row[1])
        yield rank, np.array(row[2].split(), dtype=np.int64)[None]
    raise BadInput(f"{path} ends within the board of visit numbers")


def _numbered(strips: Iterator[Longs], rows: int, cols: int) -> TourFile:
    """The tour on a board whose squares have their visits, from 1."""
    seen, window, top, done = (
        np.zeros((rows * cols + 7) // 8, dtype=np.uint8),
        np.empty((0, cols), dtype=np.int64),
        0,
        0,
    )
    ends = np.zeros((2, 2), dtype=np.int64)
    for strip in chain(strips, [None]):
        if strip is not None:
            window = np.concatenate([window, strip])
            if len(window) < max(5, CHUNK // cols):
                continue
        ready = top + len(window) - (0 if strip is None else 2)
        fault = _fault_of_strip(window, top, done, ready, rows * cols, seen, ends)
        if fault >= 0:
            row, col = divmod(fault, cols)
            visit, squares = int(window[row - top, col]), rows * cols
            wrong = f"is there twice, or visit {visit + 1} is not a knight's move from it"
            if not 0 < visit <= squares:
                wrong = f"is not from 1 to {squares}"
            with _held_against_board(rows, cols):
                raise TourFault(f"visit {visit}, at {row},{col}, {wrong}")
        done = ready
        window, top = window[max(0, done - 2 - top) :], max(top, done - 2)
    if done != rows:
        raise TourFault(f"the board has {done} rows, not {rows}")
    closed = sorted(abs(int(part)) for part in ends[0] - ends[1]) == [1, 2]
    return TourFile(rows, cols, closed, "visit numbers")


@allocation_free
def _fault_of_strip(window: Longs, top: int, begin: int, end: int, squares: int, seen: Bits, ends: Longs) -> int:
    """The first square in these rows whose visit was seen before or that has no next visit a knight's move away; -1
    where none is wrong."""
    cols = window.shape[1]
    for row in range(begin - top, end - top):
        for col in range(cols):
            visit = window[row, col]
            if visit < 1 or visit > squares or seen[(visit - 1) >> 3] & np.uint8(1 << ((visit - 1) & 7)):
                return int((row + top) * cols + col)
            seen[(visit - 1) >> 3] |= np.uint8(1 << ((visit - 1) & 7))
            found = visit == squares
            if visit == 1:
                ends[0, 0], ends[0, 1] = row + top, col
            if visit == squares:
                ends[1, 0], ends[1, 1] = row + top, col
            for down in range(-2, 3):
                if down and 0 <= row + down < len(window):
                    right = 3 - abs(down)
                    if col >= right and window[row + down, col - right] == visit + 1:
                        found = True
                    if col + right < cols and window[row + down, col + right] == visit + 1:
                        found = True
            if not found:
                return int((row + top) * cols + col)
    return -1
