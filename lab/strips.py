"""The narrowest strips that a leaper tours: the least N so that the (n, n + 1) leaper tours (2n + 1) x N, closed.

``python lab/strips.py`` continues ``lab/strips.csv``, a line for each n (OEIS A152138): N, how many smaller even
widths are refuted by a certificate, which the checker has accepted, how many of these need cut sets, and the seconds.
Widths below 2n + 2 are too small for the leaper to reach every square (Knuth 1994), and an odd one leaves an odd number
of squares. Stop it whenever you like.
"""

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from tables import append_lines, lines_of

from cpsat_tour import Board, Certificate, prove, solve

DATA = Path(__file__).resolve().parent / "strips.csv"

COLUMNS = ("n", "least", "refuted", "with_cut_sets", "seconds")


def strips(n: int) -> Iterator[Board]:
    """Yield the boards of 2n + 1 rows and an even number of columns that the (n, n + 1) leaper may reach all of."""
    columns = 2 * n + 2
    while True:
        yield Board(2 * n + 1, columns, leaper=(n, n + 1))
        columns += 2


def line_of(n: int) -> dict[str, str]:
    """Return the line of n; `AssertionError` if a width is neither toured nor refuted."""
    begun, certificates = time.perf_counter(), list[Certificate]()
    for board in strips(n):
        found = prove(board, closed=True, seconds=600)
        if isinstance(found, Certificate):
            certificates.append(found)
            continue
        tour = found.tour or solve(board, closed=True, seconds=600).tour
        assert tour is not None, f"{board} by {board.piece} is undecided"
        cut = sum(bool(certificate.proof.cut_sets) for certificate in certificates)
        told = (n, board.cols, len(certificates), cut, f"{time.perf_counter() - begun:.1f}")
        return dict(zip(COLUMNS, map(str, told), strict=True))
    raise AssertionError("there are strips of every width")


if __name__ == "__main__":
    append_lines(DATA, COLUMNS, map(line_of, count(1 + len(lines_of(DATA)))))
