"""Theorems on which rectangles have knight's tours: oracles for the tests and a sentence of explanation, never a verdict.

Closed knight's tours: Schwenk 1991. Open knight's tours: Cull & De Curtins 1978, Conrad, Hindrichs, Morsy & Wegener 1994. The wazir, the
(0, 1) leaper, walks the grid graph, which has a Hamiltonian cycle exactly when both sides are at least 2 and one is even, and a
Hamiltonian path always.
"""

from __future__ import annotations

from cpsat_tour.spaces.board import Board

KNIGHT = (1, 2)
WAZIR = (0, 1)


def has_tour(board: Board, *, closed: bool) -> bool | None:
    """Whether a theorem says that the board, without fixed ends, has a tour; None where no theorem here speaks of it."""
    if board.holes or board.leaper not in (KNIGHT, WAZIR):
        return None
    short, long = sorted((board.rows, board.cols))
    if board.leaper == WAZIR:
        return (short >= 2 and short * long % 2 == 0) if closed else True
    return why_no_closed_tour(short, long) is None if closed else why_no_open_tour(short, long) is None


def why_no_closed_tour(short: int, long: int) -> str | None:
    """Schwenk's reason why a short x long board has no closed knight's tour; None where it has one."""
    if short * long % 2:
        return "both sides are odd"
    if short in (1, 2, 4):
        return f"one side is {short}"
    if short == 3 and long in (4, 6, 8):
        return f"it is the 3x{long} board"
    return None


def why_no_open_tour(short: int, long: int) -> str | None:
    """The reason why a short x long board has no open knight's tour; None where it has one."""
    if short <= 2 and long > 1:
        return f"one side is {short}"
    if (short, long) in ((3, 3), (3, 5), (3, 6), (4, 4)):
        return f"it is the {short}x{long} board"
    return None


def sentence(board: Board, *, closed: bool) -> str | None:
    """The theorem's word on a board without a tour, for the explanation; None where it has none to say."""
    if has_tour(board, closed=closed) is not False:
        return None
    short, long = sorted((board.rows, board.cols))
    if board.leaper == WAZIR:
        return "A grid graph has a closed tour exactly when both sides are at least 2 and one of them is even."
    if closed:
        return f"Schwenk 1991: a {board} board has no closed knight's tour, for {why_no_closed_tour(short, long)}."
    return f"Cull & De Curtins 1978, Conrad et al. 1994: a {board} board has no open knight's tour, for {why_no_open_tour(short, long)}."
