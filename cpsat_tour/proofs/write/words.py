"""Words for numbers of things, lists of names, and sets of squares."""

from __future__ import annotations

from collections.abc import Collection

from cpsat_tour.spaces.board import Board


def is_dark(board: Board, square: int) -> bool:
    """The colour of a square on a chequered board, where a1 is dark."""
    row, col = board.row_col(square)
    return (board.rows - 1 - row + col) % 2 == 0


def place_of(board: Board, vertices: Collection[int]) -> str | None:
    """``light squares of the outer rows`` and the like, where the vertices are just that."""
    squares = {int(board.squares[vertex]) for vertex in vertices}
    for lines, side, place in ((board.rows, "rows", 0), (board.cols, "files", 1)):
        if lines < 3:
            continue
        here = {board.row_col(square)[place] for square in squares}
        outer = {0, lines - 1}
        where = "outer" if here == outer else "inner" if here == set(range(lines)) - outer else None
        if where is None:
            continue
        for shade, word in ((None, ""), (False, "light "), (True, "dark ")):
            inside = {
                square
                for square in board.squares.tolist()
                if board.row_col(square)[place] in here and (shade is None or is_dark(board, square) == shade)
            }
            if inside == squares:
                return f"{word}squares of the {where} {side}"
    return None


def listed(names: list[str], most: int = 8) -> str:
    """The names with commas and an and; of more than `most` the first ones and how many there are besides."""
    if len(names) <= most:
        return joined(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def joined(names: list[str]) -> str:
    """``a, b and c``."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + "".join(names[-1:])


def counted(number: int, what: str) -> str:
    """``1 cut set``, ``2 cut sets``, ``2 vertices``."""
    plural = "vertices" if what == "vertex" else f"{what}s"
    return f"{number} {what if number == 1 else plural}"
