"""The narrowest strips that a leaper tours: the least N so that the (n, n + 1) leaper tours (2n + 1) x N, closed.

``python lab/strips.py`` continues ``lab/strips.csv``, a line for each n (OEIS A152138) to `LAST`: N, how many smaller
even widths the theorem of ``lab/strips.md`` leaves, each refuted by a certificate that the checker has accepted, how
many of these need cut sets, and the seconds. `weights` are those of the theorem. Stop it whenever you like.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from atlas import leaper_and_sides
from ortools.graph.python import max_flow
from tables import append_lines, lines_of

from cpsat_tour import Board, Certificate, prove, solve

DATA = Path(__file__).resolve().parent / "strips.csv"

COLUMNS = ("n", "least", "refuted", "with_cut_sets", "seconds")

LAST = 19
"""The last n that is asked."""


def weights(n: int, columns: int) -> list[int]:
    """Return the weights of the columns: pairs of blocks, the second with the opposite weights, and a last block."""
    pairs = (columns - 1) // (2 * n + 1)
    if (last := columns - 2 * n * pairs) <= n:
        blocks = [([1] * last + [0] * (n - last))] * 2 * pairs + [[1] * last]
    elif (first := columns - (n + 1) * (2 * pairs + 1)) >= 0:
        blocks = [[0] * first + [1] * (n + 1 - first)] * (2 * pairs + 1) + [[0] * first]
    else:
        longer = columns - n * (2 * pairs + 1)
        blocks = [[1] * (n + (number < longer)) for number in range(2 * pairs + 1)]
    return [(-1) ** number * weight for number, block in enumerate(blocks) for weight in block]


def gain(p: int, q: int, rows: int, weights: Sequence[int]) -> int:
    """Return how many moves of the (p, q) leaper any paths or cycles must lack, by these weights of the columns."""
    lost = [
        (rows - down) * sum(max(0, one + other) for one, other in zip(weights, weights[across:], strict=False))
        for down, across in ((q, p), (p, q))
    ]
    return rows * sum(weights) - sum(lost)


def lacking(p: int, q: int, rows: int, columns: int) -> int:
    """Return the gain of the best weights of columns, rounded up: by a flow from each column to its neighbours."""
    flow = max_flow.SimpleMaxFlow()
    for column in range(columns):
        flow.add_arc_with_capacity(0, 2 + column, 2 * rows)
        flow.add_arc_with_capacity(2 + columns + column, 1, 2 * rows)
        for down, across in ((q, p), (p, q)):
            for other in {column - across, column + across} & {*range(columns)} if down < rows else ():
                flow.add_arc_with_capacity(2 + column, 2 + columns + other, 2 * (rows - down))
    flow.solve(0, 1)
    return rows * columns - int(flow.optimal_flow()) // 2


def excluded_by_columns(line: dict[str, str], *, at_least: int) -> bool:
    """Return True if the weights of columns, or of rows, gain so much on the board of this line of the atlas."""
    (p, q), (one, other) = leaper_and_sides(line)
    return max(lacking(p, q, one, other), lacking(p, q, other, one)) >= at_least


def strips(n: int) -> Iterator[Board]:
    """Yield the boards of 2n + 1 rows and an even number of columns that the theorem leaves."""
    excluded = range(2 * n * (n + 1) + 1, (n + 1) * (2 * n + 1) + 1)
    widths = (columns for columns in count(n * (2 * n + 1) // 2 * 2 + 2, 2) if columns not in excluded)
    yield from (Board(2 * n + 1, columns, leaper=(n, n + 1)) for columns in widths)


def line_of(n: int) -> dict[str, str]:
    """Return the line of n; `AssertionError` if a width is neither toured nor refuted."""
    begun, certificates = time.perf_counter(), list[Certificate]()
    for board in strips(n):
        found = prove(board, closed=True, seconds=60)
        if isinstance(found, Certificate):
            certificates.append(found)
            continue
        tour = found.tour or solve(board, closed=True, seconds=3600).tour
        assert tour is not None, f"{board} by {board.piece} is undecided"
        cut = sum(bool(certificate.proof.cut_sets) for certificate in certificates)
        told = (n, board.cols, len(certificates), cut, f"{time.perf_counter() - begun:.1f}")
        return dict(zip(COLUMNS, map(str, told), strict=True))
    raise AssertionError("there are strips of every width")


if __name__ == "__main__":
    append_lines(DATA, COLUMNS, map(line_of, range(1 + len(lines_of(DATA)), LAST + 1)))
