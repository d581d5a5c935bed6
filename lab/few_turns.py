"""Closed knight's tours of m x n with at most 4(m + n) - 12 turns, for m, n >= 20, m even and at most 2n - 16.

``few_turns.csv`` has four patterns of 28 x 21, one for each even m mod 8. A letter stands for the two moves of a
square. Rows 10 to 17 and column 10 are repeated until the board is m x n, and the letters make a tour (lab/turns.md has
the proof). ``python lab/few_turns.py 100 100 tour.txt`` writes one; ``cpsat-tour verify tour.txt`` counts its turns.
"""

import sys
from itertools import combinations, product
from pathlib import Path
from string import ascii_letters

from tables import lines_of

from cpsat_tour import Board, Tour

DATA = Path(__file__).resolve().parent / "few_turns.csv"

CORNER, PERIOD = 10, 8
"""Sides of a corner, and the rows that are repeated between two of them."""

Square = tuple[int, int]

STEPS = [step for step in product((-2, -1, 1, 2), repeat=2) if abs(step[0]) != abs(step[1])]

MOVES = dict(zip(ascii_letters, combinations(STEPS, 2), strict=False))

BOARDS = {int(line["rows_mod_8"]): line["squares"].split("/") for line in lines_of(DATA)}


def drawn(rows: int, cols: int) -> list[str]:
    """Return the rows of the board, a letter for each square."""
    board = BOARDS[rows % PERIOD]
    middle = [board[CORNER + row % PERIOD] for row in range(rows - 2 * CORNER)]
    tall = board[:CORNER] + middle + board[CORNER + PERIOD :]
    return [line[:CORNER] + line[CORNER] * (cols - 2 * CORNER) + line[CORNER + 1 :] for line in tall]


def turns(board: list[str]) -> int:
    """Return on how many squares the two moves are not in line."""
    turning = {letter for letter, (one, other) in MOVES.items() if (one[0] + other[0], one[1] + other[1]) != (0, 0)}
    return sum(letter in turning for line in board for letter in line)


def followed(board: list[str]) -> list[Square]:
    """Return the squares that the letters lead to from the first one, until they come back; `ValueError` if a square
    does not have the move by which it is reached, or if a move leaves the board."""
    place = begin = (0, 0, MOVES[board[0][0]][0])
    squares = list[Square]()
    while not squares or place != begin:
        row, col, came = place
        squares.append((row, col))
        here = list(MOVES[board[row][col]])
        here.remove(came)
        ((down, right),) = here
        place = (row + down, col + right, (-down, -right))
        if not (0 <= row + down < len(board) and 0 <= col + right < len(board[0])):
            raise ValueError(f"the move from {row},{col} leaves the board")
    return squares


if __name__ == "__main__":
    height, width = map(int, sys.argv[1:3])
    Tour.of(Board(height, width), followed(drawn(height, width)), closed=True).save(sys.argv[3])
