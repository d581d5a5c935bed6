"""Closed knight's tours of m x n turn at least 4(m + n) - 24 times: charges that prove it, and certificates.

Each move that a tour makes moves a *charge*, given in fifths, from one of its squares to the other. ``charges.csv`` has
those of a border, by rows, and those of a corner by squares; the others follow by symmetry (lab/turns.md has the
argument). ``python lab/turns.py`` continues ``lab/turns.csv``: for each even n the bound of n x n and a certificate
of it, which the checker has read, made from these charges where the corners are apart, else by the linear program.
"""

import time
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

from tables import append_lines, lines_of

from cpsat_tour import Board, Certificate, Limits, Problem
from cpsat_tour.core.runs import Clock, Watch
from cpsat_tour.proofs.check.claim import BestClaim
from cpsat_tour.proofs.write.combination import TreeProof, rivals_of, sum_of
from cpsat_tour.proofs.write.tour_certificates import refute_by_bounds
from cpsat_tour.proofs.write.veripb import CycleRows

HERE = Path(__file__).resolve().parent
DATA = HERE / "turns.csv"
CHARGES = lines_of(HERE / "charges.csv")

COLUMNS = ("n", "turns", "by", "steps", "bytes", "seconds")

WIDTH, CORNER, SMALLEST = 6, 8, 18
"""Rows of a border, sides of a corner, and the least sides of boards whose corners are apart."""

Square = tuple[int, int]

BORDER = {(int(line["row"]), int(line["to_row"])): int(line["fifths"]) for line in CHARGES if not line["col"]}

CORNERS = {
    ((int(line["row"]), int(line["col"])), (int(line["to_row"]), int(line["to_col"]))): int(line["fifths"])
    for line in CHARGES
    if line["col"]
}


def charge(sides: Square, square: Square, other: Square) -> int:
    """Return the charge, in fifths, that the move between two squares gives the first, taken from the other."""
    for axis, side in enumerate(sides):  # to the half with the first row, and that with the first column
        if square[axis] + other[axis] >= side:
            square, other = mirrored(square, axis, side), mirrored(other, axis, side)
    near = min(square[0], other[0]), min(square[1], other[1])
    if max(near) < CORNER:
        found = [(CORNERS, (square, other)), (CORNERS, (square[::-1], other[::-1]))]
        return sum(table.get(pair, 0) - table.get(pair[::-1], 0) for table, pair in found)
    axis = 0 if near[0] < WIDTH else 1
    pair = square[axis], other[axis]
    return BORDER.get(pair, 0) - BORDER.get(pair[::-1], 0)


def mirrored(square: Square, axis: int, side: int) -> Square:
    """Return the square as the mirror across the middle of this axis shows it."""
    row, col = square
    return (row, side - 1 - col) if axis else (side - 1 - row, col)


def charges_at(sides: Square, square: Square) -> dict[Square, int]:
    """Return by the other square what each move at a square gives it."""
    (row, col), (rows, cols) = square, sides
    steps = [step for step in product((-2, -1, 1, 2), repeat=2) if abs(step[0]) != abs(step[1])]
    others = [(row + down, col + right) for down, right in steps]
    return {other: charge(sides, square, other) for other in others if 0 <= other[0] < rows and 0 <= other[1] < cols}


def squares(sides: Square) -> Iterator[Square]:
    """Return all squares of a board."""
    return product(range(sides[0]), range(sides[1]))


def kept(square: Square, charges: dict[Square, int]) -> int:
    """Return the least, in fifths, that a square keeps, of two moves and of the turn if they are not in line."""
    return min(
        5 * ((one[0] + other[0], one[1] + other[1]) != (2 * square[0], 2 * square[1])) + charges[one] + charges[other]
        for one, other in combinations(charges, 2)
    )


def bound(sides: Square) -> int:
    """Return the sum, in fifths, of what the squares keep at least: no closed tour has fewer turns."""
    return sum(kept(square, charges_at(sides, square)) for square in squares(sides))


def certificate(rows: int, cols: int) -> Certificate:
    """Return the certificate that no closed tour has fewer than 4(rows + cols) - 24 turns."""
    claim = BestClaim("turns", False, 4 * (rows + cols) - 24, shown=False)
    cycle = CycleRows(Problem(Board(rows, cols).graph, closed=True), claim)
    if min(rows, cols) >= SMALLEST:
        return Certificate(cycle, proof_by_charges(cycle, claim, (rows, cols)))
    return Certificate(cycle, refute_by_bounds(cycle, (), claim, Watch(Limits(), Clock(None)), print, print))


def proof_by_charges(cycle: CycleRows, claim: BestClaim, sides: Square) -> TreeProof:
    """Return the sum of rows that the charges are, in tenths.

    At a square that keeps k, let a(e) be (1 - k) / 2 more than what the move e gives it. Two moves that are not in line
    have a sum of at least 0, so that at most one move has a negative a, -s. Its row as a rival, taken 2s times, that of
    the degree, s - (1 - k) / 2 times, and of the other moves those of their pairs, a(e) - s times, add up to what is
    claimed of the square.
    """
    stated, worth = cycle.stated, cycle.stated.worth
    assert worth is not None
    rivals, first_pair = rivals_of(cycle, worth), 1 + len(stated.rows) - 2 * len(worth.pairs)
    rows = [worth.better_than(claim.value), *(row.constraint(at_most=False) for row in stated.rows)]
    rows += [rival for _, rival in rivals.values()]
    of_rival = {key: row for row, key in enumerate(rivals, start=1 + len(stated.rows))}
    of_pair = {
        (sum({*stated.ends[edge - 1]} & {*stated.ends[pair[1 - side] - 1]}), edge): first_pair + 2 * place + side
        for place, pair in enumerate(worth.pairs)
        for side, edge in enumerate(pair)
    }
    multipliers = {0: 10}
    for vertex, edges in enumerate(stated.incidence):
        square = divmod(vertex, sides[1])
        charges = charges_at(sides, square)
        least = kept(square, charges)
        other_end = {edge: divmod(sum(stated.ends[edge - 1]) - vertex, sides[1]) for edge in edges}
        more = {edge: 2 * charges[other_end[edge]] + 5 - least for edge in edges}
        rival = min(more, key=lambda edge: more[edge])
        short = max(0, -more[rival])
        multipliers[1 + vertex] = short - 5 + least
        if (vertex, rival) in of_rival:
            multipliers[of_rival[vertex, rival]] = 2 * short
        for edge in edges:
            if (vertex, edge) in of_pair and not (short and edge == rival):
                multipliers[of_pair[vertex, edge]] = more[edge] - short
    added = sum_of(rows, {row: number for row, number in multipliers.items() if number}, {}, shown=False)
    assert added is not None, "the charges do not prove the bound"
    return TreeProof((), tuple(step for step, _ in rivals.values()), (added[0],), claim)


def line_of(n: int) -> dict[str, object]:
    """Return the line of n x n, of a certificate that the checker has accepted."""
    begun, made = time.perf_counter(), certificate(n, n)
    steps, size = made.check().steps, sum(len(line) + 1 for line in made.proof_lines("3.0"))
    by = "charges" if n >= SMALLEST else "program"
    told = (n, 8 * n - 24, by, steps, size, f"{time.perf_counter() - begun:.1f}")
    return dict(zip(COLUMNS, told, strict=True))


if __name__ == "__main__":
    known = {line["n"] for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (line_of(n) for n in range(8, 37, 2) if str(n) not in known))
