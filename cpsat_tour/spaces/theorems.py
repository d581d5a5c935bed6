"""Theorems on which spaces have knight's tours: oracles for the tests and a sentence of explanation, never a verdict.

Closed knight's tours: Schwenk 1991. Open knight's tours: Cull & De Curtins 1978, Conrad, Hindrichs, Morsy & Wegener 1994. The wazir, the
(0, 1) leaper, walks the grid graph, which has a Hamiltonian cycle exactly when both sides are at least 2 and one is even, and a
Hamiltonian path always.
"""

from __future__ import annotations

from functools import singledispatch

from cpsat_tour.core.space import Space
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.lattice import KNIGHT

WAZIR = (0, 1)


def has_tour(space: Space, *, closed: bool) -> bool | None:
    """Whether a theorem says that the space, without fixed ends, has a tour; None where no theorem here speaks of it."""
    known = _closed(space) if closed else _open(space)
    return None if known is None else known == ""


def sentence(space: Space, *, closed: bool) -> str | None:
    """The theorem's word on a space without a tour, for the explanation; None where it has none to say."""
    return (_closed(space) if closed else _open(space)) or None


@singledispatch
def _closed(_space: Space) -> str | None:
    """Why there is no closed tour, in a sentence that is empty where there is one; None where no theorem speaks of the space."""
    return None


@singledispatch
def _open(_space: Space) -> str | None:
    """The same of open tours."""
    return None


@_closed.register
def _(board: Board) -> str | None:
    short, long = sorted(board.sides)
    if board.holes or board.leaper not in (KNIGHT, WAZIR):
        return None
    if board.leaper == WAZIR:
        has = short >= 2 and short * long % 2 == 0
        return "" if has else "A grid graph has a closed tour exactly when both sides are at least 2 and one of them is even."
    why = why_no_closed_tour(short, long)
    return f"Schwenk 1991: a {board} board has no closed knight's tour, for {why}." if why else ""


@_open.register
def _(board: Board) -> str | None:
    short, long = sorted(board.sides)
    if board.holes or board.leaper not in (KNIGHT, WAZIR):
        return None
    why = why_no_open_tour(short, long) if board.leaper == KNIGHT else None
    return f"Cull & De Curtins 1978, Conrad et al. 1994: a {board} board has no open knight's tour, for {why}." if why else ""


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
