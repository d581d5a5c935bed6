"""The smallest square that a free leaper tours: for each (p, q), all smaller even squares are refuted.

A leaper is free if p + q is odd and p and q have no common divisor; the square of side 2(p + q) has a closed tour
(Beluhov 2017). ``python lab/squares.py`` continues ``lab/squares.csv``, a line for each free leaper by its sum: how
many even squares from 2q on are refuted by a certificate, which the checker has accepted, how many of these need cut
sets, and the seconds. Squares below 2q are too small for the leaper to reach all of them (Knuth 1994), and an odd one
has an odd number of squares. Stop it whenever you like.
"""

import time
from collections.abc import Iterator
from math import gcd
from pathlib import Path

from tables import append_lines, lines_of

from cpsat_tour import Board, Certificate, prove

DATA = Path(__file__).resolve().parent / "squares.csv"

COLUMNS = ("leaper", "refuted", "with_cut_sets", "seconds")


def free_leapers() -> Iterator[tuple[int, int]]:
    """Yield the free leapers, by their sums."""
    total = 3
    while True:
        yield from ((p, total - p) for p in range(1, total // 2 + 1) if gcd(p, total) == 1)
        total += 2


def smaller_squares(p: int, q: int) -> Iterator[Board]:
    """Yield the even squares below 2(p + q) that the leaper may reach all of."""
    yield from (Board(side, leaper=(p, q)) for side in range(2 * q, 2 * (p + q), 2))


def line_of(p: int, q: int) -> dict[str, str]:
    """Return the line of a leaper; `AssertionError` if a smaller even square is not refuted."""
    begun, certificates = time.perf_counter(), list[Certificate]()
    for board in smaller_squares(p, q):
        found = prove(board, closed=True, seconds=600)
        assert isinstance(found, Certificate), f"{board} by a {p},{q} leaper is not refuted"
        certificates.append(found)
    cut = sum(bool(certificate.proof.cut_sets) for certificate in certificates)
    told = (f"{p},{q}", len(certificates), cut, f"{time.perf_counter() - begun:.1f}")
    return dict(zip(COLUMNS, map(str, told), strict=True))


if __name__ == "__main__":
    known = {line["leaper"] for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (line_of(p, q) for p, q in free_leapers() if f"{p},{q}" not in known))
