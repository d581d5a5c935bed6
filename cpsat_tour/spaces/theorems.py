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
from cpsat_tour.spaces.board import Board, Box, Wrapped
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.lattice import KNIGHT, MOVES

HAS_TOUR = ""
"""The verdict of a theorem that there is a tour; other verdicts are sentences on why there is none."""


def has_tour(space: Space, *, closed: bool) -> bool | None:
    """Return True or False if a theorem says that the space has a tour, without fixed ends, or has none; None if no
    theorem applies."""
    known = _theorem_on(space, closed)
    return None if known is None else known == HAS_TOUR


def why_no_tour(space: Space, *, closed: bool) -> str | None:
    """Return the theorem by which a space has no tour, as a sentence; None if no theorem says so."""
    return _theorem_on(space, closed) or None


def why_not_symmetric(space: Space, symmetry: str, *, closed: bool) -> str | None:
    """Return why a plain board has no closed knight's tour with this symmetry, as a sentence; None if no theorem says
    so."""
    if not (closed and isinstance(space, Board) and space.plain):
        return None
    rows, cols = space.sides
    rows_first = symmetry == "axial-cols" or (symmetry != "axial-rows" and rows % 2 == 1)
    along, across = (rows, cols) if rows_first else (cols, rows)
    needs = ""
    if symmetry == "rot90" and rows % 4 != 2:
        needs = f"with a quarter turn needs a side that is 2 modulo 4, and {rows} is not"
    if symmetry == "rot180-eulerian" and along % 2 and across % 4 != 2:
        needs = f"that a half turn moves along itself needs an even side of 2 modulo 4, and {across} is not"
    if symmetry.startswith("axial") and not (along % 2 and across % 4 == 2):
        needs = f"with a mirror needs an odd side along it and one of 2 modulo 4 across it: not {along} and {across}"
    return f"A closed knight's tour {needs}." if needs else None


def _theorem_on(space: Space, closed: bool) -> str | None:
    """Return what a theorem says of the space: `HAS_TOUR`, or a sentence on why it has none; None if no theorem
    applies."""
    if isinstance(space, Member):
        return _MEMBERS[space.family](*space.parameters) if closed and space.family in _MEMBERS else None
    if not isinstance(space, Board | Box) or space.holes:
        return None
    if isinstance(space, Wrapped):
        return _theorem_on_wrapped(space) if closed and space.leaper == KNIGHT else None
    low, middle, high = sorted((1, *space.sides)[-3:])
    if low == 1 and space.leaper == MOVES["wazir"] and isinstance(space, Board):
        has_none = "A grid graph has a closed tour exactly when both sides are at least 2 and one is even."
        return HAS_TOUR if not closed or (middle >= 2 and middle * high % 2 == 0) else has_none
    if space.leaper != KNIGHT or (low > 1 and not closed):
        return None
    if low > 1:
        who = "DeMaio & Mathew 2011"
        reasons = {
            "all sides are odd": low * middle * high % 2 == 1,
            "two sides are 2": middle == 2,
            "it is the 2x3x3 box": (low, middle, high) == (2, 3, 3),
        }
    elif closed:
        who = "Schwenk 1991"
        reasons = {
            "both sides are odd": middle * high % 2 == 1,
            f"one side is {middle}": middle in (1, 2, 4),
            f"its sides are 3 and {high}": middle == 3 and high in (4, 6, 8),
        }
    else:
        who = "Cull & De Curtins 1978, Conrad et al. 1994"
        small = ((3, 3), (3, 5), (3, 6), (4, 4))
        reasons = {
            f"one side is {middle}": middle <= 2 and high > 1,
            f"its sides are {middle} and {high}": (middle, high) in small,
        }
    why = next((reason for reason, holds in reasons.items() if holds), None)
    has_none = f"{who}: {space.bare_name} has no {'closed' if closed else 'open'} knight's tour, for {why}."
    return HAS_TOUR if why is None else has_none


def _theorem_on_wrapped(wrapped: Wrapped) -> str | None:
    """Return what a theorem says of closed knight's tours of a torus or cylinder, as `_theorem_on` does; None for other
    surfaces."""
    if wrapped.surface not in ("torus", "cylinder"):
        return None
    rows, cols = wrapped.sides
    if rows * cols < 3:
        return f"A closed tour needs at least 3 squares, and {wrapped.called()} has {rows * cols}."
    if wrapped.surface == "torus" or (rows != 1 and (rows not in (2, 4) or cols % 2)):
        return HAS_TOUR
    why = "it has one row" if rows == 1 else f"it has {rows} rows, and the number of columns is even"
    return f"Watkins 2000: {wrapped.called()} has no closed knight's tour, for {why}."


_MEMBERS: Mapping[str, Callable[..., str | None]] = {
    "GP": lambda n, k: (
        HAS_TOUR
        if n % 6 != 5 or k not in (2, (n - 1) // 2)
        else f"Alspach 1983: GP({n},{k}) has no Hamiltonian cycle, for k is 2 or (n-1)/2 and n is 5 modulo 6."
    ),
    "J": lambda petals: f"Isaacs 1975: the flower snark J({petals}) has no Hamiltonian cycle.",
    "Sheehan": lambda _order: HAS_TOUR,
    # Merino, Mütze & Namrata 2023: of the connected Kneser graphs only Petersen's has no cycle.
    "Kneser": lambda n, k: (
        "The Petersen graph, which is Kneser(5,2), has no Hamiltonian cycle." if (n, k) == (5, 2) else HAS_TOUR
    ),
    "Q": lambda dimension: HAS_TOUR if dimension > 1 else "A closed tour needs three vertices.",
    "Petersen": lambda: "The Petersen graph has no Hamiltonian cycle.",
    "Coxeter": lambda: "Tutte 1960: the Coxeter graph has no Hamiltonian cycle.",
    "Tutte": lambda: "Tutte 1946: this graph has no Hamiltonian cycle.",
    "Horton": lambda: "Bondy & Murty 1976: Horton's graph has no Hamiltonian cycle.",
    **dict.fromkeys(("strings", "planted", "hubs", "chains", "gadgets"), lambda _order, _seed: HAS_TOUR),
    "EllinghamHorton": lambda n: f"Ellingham & Horton 1983: their graph of {n} vertices has no Hamiltonian cycle.",
}
"""For each family a function of the parameters that returns `HAS_TOUR`, or why the graph has no closed tour."""
