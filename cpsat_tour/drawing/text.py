"""A tour as text: the board with the number of each square's visit, coordinates round it."""

from __future__ import annotations

from cpsat_tour.core.graph import Ints
from cpsat_tour.spaces.board import Board, file_letters

HOLE = "#"


def text(board: Board, vertices: Ints) -> str:
    """The board as lines of aligned visit numbers from 1, holes as ``##``, with ranks on both sides and files above and below."""
    cells = [HOLE] * (board.rows * board.cols)
    for visit, square in enumerate(board.squares[vertices].tolist(), start=1):
        cells[square] = str(visit)
    files = [file_letters(col) for col in range(board.cols)]
    width = max(len(str(len(vertices))), len(files[-1]))
    if board.holes:
        width = max(width, 2)
        cells = [HOLE * 2 if cell == HOLE else cell for cell in cells]
    margin = len(str(board.rows))
    header = " " * (margin + 2) + " ".join(name.rjust(width) for name in files)
    lines = [header]
    for row in range(board.rows):
        rank = str(board.rows - row)
        visits = " ".join(cell.rjust(width) for cell in cells[row * board.cols : (row + 1) * board.cols])
        lines.append(f"{rank.rjust(margin)}  {visits}  {rank.rjust(margin)}")
    return "\n".join([*lines, header]) + "\n"
