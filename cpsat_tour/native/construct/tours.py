"""The constructed tour of a knight's board, or a sentence that says why there is none.

The tour comes in canonical form (`cpsat_tour.core.tour`), in chunks: it is never in memory as a whole.
"""

from __future__ import annotations

from cpsat_tour.native.construct import plan, three_rows
from cpsat_tour.native.construct.four_rows import stretched_tour
from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Chunks, FixedTour, Place, colours_allow
from cpsat_tour.native.construct.turned import turned_tour
from cpsat_tour.native.construct.walk import from_square
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import has_tour, sentence


class NoConstruction(Exception):
    """No tour is constructed; the argument says why, and that proves nothing."""


class LargeBoard(Board):
    """A board of more squares than a graph can have, for tours that are never in memory as a whole."""

    kind = "board"
    max_squares = 1 << 40


def constructed(
    board: Board, *, closed: bool, start: Place | None = None, end: Place | None = None, turns: int = 1
) -> Chunks:
    """The tour of the board that begins at ``start``, by default in the corner, and ends at ``end`` if it is given.

    2 or 4 ``turns``, half or quarter turns, bring the tour back, and one is its own image. `NoConstruction` where the
    board has none, by the theorems, or where none is found.
    """
    if why := sentence(board, closed=closed):
        raise NoConstruction(why)
    if len(board) == 1:
        return FixedTour(((0, 0),))
    if closed and end is not None:
        raise NoConstruction(f"a closed tour of the {board} board that ends at a given square is not constructed")
    if turns > 1:
        return _turned(board, start or (0, 0), turns, closed=closed)
    _check_ends(board, start, end)
    tour = _tour(board, start or (0, 0), end)
    if tour is None:
        ends = "".join(
            f" {word} {board.square_name(board.square(square))}"
            for word, square in (("from", start), ("to", end))
            if square
        )
        raise NoConstruction(f"no {'closed' if closed else 'open'} tour of the {board} board{ends} is constructed")
    return tour


def _turned(board: Board, start: Place, turns: int, *, closed: bool) -> Chunks:
    """The closed tour that a turn takes to itself; `NoConstruction` where none is found."""

    def open_tour(rows: int, cols: int, first: Place, last: Place) -> Chunks | None:
        try:
            return constructed(LargeBoard(rows, cols), closed=False, start=first, end=last)
        except NoConstruction:
            return None

    tour = turned_tour(board.rows, board.cols, turns, start, open_tour) if closed else None
    if tour is None:
        turn = {2: "half", 4: "quarter"}[turns]
        kind = "closed" if closed else "open"
        raise NoConstruction(
            f"no {kind} tour of the {board} board that a {turn} turn moves along itself is constructed"
        )
    return tour


def _tour(board: Board, start: Place, end: Place | None) -> Chunks | None:
    frame = Frame.of(board.rows, board.cols)
    if frame.rows == 4:
        return stretched_tour(frame, start, end)
    closed_walk, open_walk = (
        (three_rows.closed_walk, three_rows.open_walk) if frame.rows == 3 else (plan.closed_walk, plan.open_walk)
    )
    if end is None and has_tour(board, closed=True):
        whole = closed_walk(frame, start)
        return None if whole is None else from_square(whole, start)
    return open_walk(frame, start, end)


def _check_ends(board: Board, start: Place | None, end: Place | None) -> None:
    """Raise `NoConstruction` where the ends can't be those of a tour, which changes its colour with each move.

    Of four rows they are not inner ones: the moves of the outer squares would not leave enough for a tour.
    """
    if not colours_allow(*board.sides, start, end):
        rule = "odd, have the colour of its corners" if len(board) % 2 else "even, have different colours"
        raise NoConstruction(f"the ends of a tour of the {board} board, which is {rule}")
    frame = Frame.of(*board.sides)
    if frame.rows == 4 and any(frame.inside(square)[0] in (1, 2) for square in (start, end) if square is not None):
        raise NoConstruction(
            f"both ends of a tour of the {board} board lie in its outer rows of four, or outer columns"
        )
