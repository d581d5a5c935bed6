"""Theorems on which spaces have tours: oracles for the tests and a sentence of explanation, never a verdict.

Closed knight's tours of boards: Schwenk 1991; of boxes: DeMaio 2007, DeMaio & Mathew 2011; of the torus: Watkins &
Hoenigman 1997; of the cylinder: Watkins 2000. Open knight's tours: Cull & De Curtins 1978, Conrad, Hindrichs, Morsy &
Wegener 1994. The wazir, the (0, 1) leaper, walks the grid graph, which has a Hamiltonian cycle exactly when both sides
are at least 2 and one is even, and a Hamiltonian path always. Generalised Petersen graphs: Alspach 1983. Symmetric
closed knight's tours: the colours of the squares decide (Bergholt 1918, Jelliss 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cpsat_tour.core.space import Space
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.lattice import KNIGHT, Lattice
from cpsat_tour.spaces.wrapped import Wrapped

WAZIR = (0, 1)


def has_tour(space: Space, *, closed: bool) -> bool | None:
    """Whether a theorem says that the space, without fixed ends, has a tour; None where no theorem here speaks of
    it."""
    known = _why_none(space, closed)
    return None if known is None else known == ""


def sentence(space: Space, *, closed: bool) -> str | None:
    """The theorem's word on a space without a tour, for the explanation; None where it has none to say."""
    return _why_none(space, closed) or None


def symmetric(space: Space, symmetry: str, *, closed: bool) -> str | None:
    """Why a whole board has no closed knight's tour that this symmetry takes to itself, in a sentence; None where no
    theorem here says so."""
    if not (closed and isinstance(space, Board) and space.plain):
        return None
    rows, cols = space.sides
    along, across = {"axial-rows": (cols, rows), "axial-cols": (rows, cols)}.get(
        symmetry, (rows, cols) if rows % 2 else (cols, rows)
    )
    if symmetry == "rot90" and rows % 4 != 2:
        return f"A closed knight's tour with a quarter turn needs a side that is 2 modulo 4, and {rows} is not."
    if symmetry == "rot180-eulerian" and along % 2 and across % 4 != 2:
        return (
            "A closed knight's tour that a half turn moves along itself needs an even side of 2 modulo 4, and "
            f"{across} is not."
        )
    if symmetry in ("axial", "axial-rows", "axial-cols") and not (along % 2 and across % 4 == 2):
        return (
            "A closed knight's tour with a mirror needs an odd side along it and one of 2 modulo 4 across it: "
            f"not {along} and {across}."
        )
    return None


def _why_none(space: Space, closed: bool) -> str | None:
    """Return why there is no tour, in a sentence that is empty where there is one; None where no theorem speaks of the
    space."""
    if isinstance(space, Member):
        return _MEMBERS[space.family](*space.parameters) if closed and space.family in _MEMBERS else None
    if not isinstance(space, Lattice) or space.holes:
        return None
    if isinstance(space, Wrapped):
        return _why_no_closed_tour_wraps(space) if closed and space.leaper == KNIGHT else None
    low, middle, high = sorted((1, *space.sides)[-3:])
    if low == 1 and space.leaper == WAZIR and isinstance(space, Board):
        has = not closed or (middle >= 2 and middle * high % 2 == 0)
        return "" if has else "A grid graph has a closed tour exactly when both sides are at least 2 and one is even."
    if space.leaper != KNIGHT or (low > 1 and not closed):
        return None
    if not closed:
        why, who = why_no_open_tour(middle, high), "Cull & De Curtins 1978, Conrad et al. 1994"
    elif low == 1:
        why, who = why_no_closed_tour(middle, high), "Schwenk 1991"
    else:
        why, who = _why_no_closed_tour_in_layers(low, middle, high), "DeMaio & Mathew 2011"
    return f"{who}: {space.whole} has no {'closed' if closed else 'open'} knight's tour, for {why}." if why else ""


def _why_no_closed_tour_in_layers(low: int, middle: int, high: int) -> str | None:
    if low * middle * high % 2:
        return "all sides are odd"
    if (low, middle) == (2, 2):
        return "two sides are 2"
    return "it is the 2x3x3 box" if (low, middle, high) == (2, 3, 3) else None


def _why_no_closed_tour_wraps(wrapped: Wrapped) -> str | None:
    if wrapped.surface not in ("torus", "cylinder"):
        return None
    rows, cols = wrapped.sides
    if rows * cols < 3:
        return f"A closed tour needs at least 3 squares, and {wrapped.called()} has {rows * cols}."
    if wrapped.surface == "torus" or (rows != 1 and (rows not in (2, 4) or cols % 2)):
        return ""
    why = "it has one row" if rows == 1 else f"it has {rows} rows, and the number of columns is even"
    return f"Watkins 2000: {wrapped.called()} has no closed knight's tour, for {why}."


def _generalised_petersen(n: int, k: int) -> str:
    """A generalised Petersen graph has a cycle unless it is GP(n,2), n = 5 modulo 6, also in the form GP(n,(n-1)/2)."""
    has = n % 6 != 5 or k not in (2, (n - 1) // 2)
    return (
        "" if has else f"Alspach 1983: GP({n},{k}) has no Hamiltonian cycle, for k is 2 or (n-1)/2 and n is 5 modulo 6."
    )


def _kneser(n: int, k: int) -> str:
    """Merino, Mütze & Namrata 2023: all but the Petersen graph have a cycle, where they have three vertices or more and
    are connected."""
    return "The Petersen graph, which is Kneser(5,2), has no Hamiltonian cycle." if (n, k) == (5, 2) else ""


_MEMBERS: Mapping[str, Callable[..., str | None]] = {
    "GP": _generalised_petersen,
    "J": lambda petals: f"Isaacs 1975: the flower snark J({petals}) has no Hamiltonian cycle.",
    "Sheehan": lambda _order: "",
    "Kneser": _kneser,
    "Q": lambda dimension: "" if dimension > 1 else "A closed tour needs three vertices.",
    "Petersen": lambda: "The Petersen graph has no Hamiltonian cycle.",
    "Coxeter": lambda: "Tutte 1960: the Coxeter graph has no Hamiltonian cycle.",
    "Tutte": lambda: "Tutte 1946: this graph has no Hamiltonian cycle.",
    "Horton": lambda: "Bondy & Murty 1976: Horton's graph has no Hamiltonian cycle.",
    **dict.fromkeys(("strings", "planted", "hubs"), lambda _order, _seed: ""),
    "EllinghamHorton": lambda order: (
        f"Ellingham & Horton 1983: their graph of {order} vertices has no Hamiltonian cycle."
    ),
}
"""What is known of the members of each family, by their numbers."""


def why_no_closed_tour(short: int, long: int) -> str | None:
    """Schwenk's reason why a short x long board has no closed knight's tour; None where it has one."""
    if short * long % 2:
        return "both sides are odd"
    if short in (1, 2, 4):
        return f"one side is {short}"
    if short == 3 and long in (4, 6, 8):
        return f"its sides are 3 and {long}"
    return None


def why_no_open_tour(short: int, long: int) -> str | None:
    """The reason why a short x long board has no open knight's tour; None where it has one."""
    if short <= 2 and long > 1:
        return f"one side is {short}"
    if (short, long) in ((3, 3), (3, 5), (3, 6), (4, 4)):
        return f"its sides are {short} and {long}"
    return None
