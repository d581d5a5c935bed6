"""Pieces: tours of small boards that make certain moves, from which tours of large boards are joined.

The pieces that every board is made of are kept in `cpsat_tour.native.construct.kept`. Others, with ends of their own,
are found when they are asked for, by the edge search, which takes a few milliseconds for a piece; a search that takes
longer is given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np

from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.native.construct.kept import KEPT
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces.board import Board, leaper_directions
from cpsat_tour.spaces.lattice import KNIGHT

MAX_BRANCHINGS = 20_000
"""Of a search for a piece; nearly all take less than a hundred."""

Place = tuple[int, int]
"""A row and a column."""

Move = tuple[Place, Place]


class Chunks(Protocol):
    """A tour as arrays of rows and columns, in the order of the visit."""

    def chunks(self) -> Iterator[Ints]: ...


@dataclass(frozen=True)
class FixedTour:
    """A tour whose squares are all known."""

    tour: tuple[Place, ...]

    def chunks(self) -> Iterator[Ints]:
        """The squares."""
        yield np.array(self.tour, dtype=np.int32)


@dataclass(frozen=True)
class Piece:
    """What is asked of a tour of a small board: a closed tour where it has no start, its ends, and the moves that it
    makes or does not make."""

    rows: int
    cols: int
    start: Place | None = None
    end: Place | None = None
    require: tuple[Move, ...] = ()
    forbid: tuple[Move, ...] = ()


@lru_cache(maxsize=1 << 12)
def tour_of(piece: Piece) -> tuple[Place, ...] | None:
    """A tour that meets the demands, as its squares in order; None where none was found."""
    if (kept := KEPT.get((piece.rows, piece.cols, piece.start, piece.end))) is not None:
        tour = walked(piece.start or (0, 0), kept)
        if makes(tour, piece):
            return tour
    return _found(piece) if colours_allow(piece.rows, piece.cols, piece.start, piece.end) else None


def walked(start: Place, directions: str) -> tuple[Place, ...]:
    """The squares of a walk whose moves are numbered 1 to 8, clockwise from north-north-east."""
    steps = leaper_directions(KNIGHT)
    squares = [start]
    for digit in directions:
        (row, col), (down, right) = squares[-1], steps[int(digit) - 1]
        squares.append((row + down, col + right))
    return tuple(squares)


def makes(tour: tuple[Place, ...], piece: Piece) -> bool:
    """Whether the tour makes all required moves and no forbidden one."""
    made = {frozenset(move) for move in pairwise((*tour, tour[0]) if piece.start is None else tour)}
    return made.issuperset(map(frozenset, piece.require)) and made.isdisjoint(map(frozenset, piece.forbid))


def colours_allow(rows: int, cols: int, *ends: Place | None) -> bool:
    """Whether the ends have the colours of the ends of a tour: two colours on an even board, twice that of the corners
    on an odd one."""
    colours = [sum(place) % 2 for place in ends if place is not None]
    return not any(colours) if rows * cols % 2 else len(colours) < 2 or sum(colours) == 1


def _found(piece: Piece) -> tuple[Place, ...] | None:
    board = Board(piece.rows, piece.cols)
    start, end = (None if place is None else place[0] * piece.cols + place[1] for place in (piece.start, piece.end))
    if piece.start is not None and (piece.start == piece.end or piece.rows * piece.cols == 1):
        return (piece.start,) if piece.rows * piece.cols == 1 else None
    problem = Problem(
        board.graph,
        piece.start is None,
        start,
        end,
        _edges(piece.require, piece.cols),
        _edges(piece.forbid, piece.cols),
    )
    cycle, limits = to_cycle(problem), Limits(work=MAX_BRANCHINGS)
    if cycle.dead_end():
        return None
    try:
        for rows in Edges().cycles(Run(cycle, limits, Clock(None))):
            (tour,) = cycle.tours(rows).tolist()
            if start is not None and tour[0] != start:
                tour.reverse()
            squares = tuple(divmod(square, piece.cols) for square in tour)
            return squares if makes(squares, piece) else None  # a required move between its own ends closes a path
    except StoppedEarly:
        pass
    return None


def _edges(moves: Iterable[Move], cols: int) -> tuple[tuple[int, int], ...]:
    return tuple((tail[0] * cols + tail[1], head[0] * cols + head[1]) for tail, head in moves)
