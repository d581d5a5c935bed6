"""How many leapers a board takes, from below: the theorems of ``lab/paths.md``, by program.

``python lab/paths.py`` prints, of the boards in ``lab/fewest_paths.csv`` that take two paths or more, how many are
settled by each theorem, by weights of columns and by squares that two flows give: each board by the first that does. A
set of squares is an array of flags, a row for each row of the board: if without these squares the board falls into k
parts, it takes at least k paths less the number of squares (`parts_less_squares`).
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise

import numpy as np
from atlas import DATA as ATLAS, MAX_SIDE, leaper_and_sides, says_something
from fewest_paths import DATA
from ortools.graph.python.max_flow import SimpleMaxFlow
from sides import excludes, has_blocked_side
from strips import excluded_by_columns, lacking
from tables import lines_of

from cpsat_tour import Board

Squares = np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def remainders(p: int, q: int) -> list[int]:
    """Return q, p and the remainders of Euclid's algorithm with even quotients, each the absolutely least of the last
    but one modulo twice the last; the end is 0, or the second 1."""
    found = [q, p]
    while found[-1] and found[-2] > 1:
        rest = found[-2] % (2 * found[-1])
        found.append(min(rest, 2 * found[-1] - rest))
    return found


def paths_of_small_board(p: int, q: int, rows: int, cols: int) -> int:
    """Return the fewest paths of a (p, q) leaper, p < q without a common divisor, if no side exceeds p + q (Theorem
    2)."""
    down, across = p + q - rows, p + q - cols
    _, *rest = found = remainders(p, q)
    moves = sum(2 * max(rows - a, 0) * max(cols - b, 0) for a, b in ((p, q), (q, p)))
    cycles = sum(max(a - b - down, 0) * max(a - b - across, 0) for a, b in pairwise(rest))
    return rows * cols - moves + cycles + 2 * (found[-1] == 1 and not down and not across)


def squares_of_theorem_3(p: int, side: int) -> Squares:
    """Return the squares that Theorem 3 removes from a square board of the (p, p + 1) leaper."""
    number = np.minimum(np.arange(side), np.arange(side)[::-1])
    row, col = number[:, None], number[None, :]
    beyond, less = side - 2 * p - 1, 4 * p + 2 - side
    if beyond <= p:
        kept = (np.maximum(row, col) < p) & (row + col < p + beyond)
        rest = (row < beyond) & (col >= p)
    else:
        off = abs(2 * number - 2 * p + 1 + less)
        kept = (np.maximum(row, col) <= 2 * p - less) & (off[:, None] + off[None, :] <= 2 * p)
        rest = (p - less < row) & (row < p) & (col > 2 * p - less)
    return np.asarray(~(kept | rest | rest.T))


def squares_of_theorem_4(q: int, side: int) -> Squares:
    """Return the squares that Theorem 4 removes from a square board of the (1, q) leaper."""
    outer, place = side - q, np.arange(side)
    first, second = place < outer, place >= q
    chosen = (first & (place % 2 == 0)) | (second & ((place - q) % 2 == 1))
    corner = (first | second)[:, None] & (first | second)[None, :]
    alike = first[:, None] == first[None, :]
    one, both = chosen[:, None] | chosen[None, :], chosen[:, None] & chosen[None, :]
    return np.asarray(corner & np.where(alike, ~one, ~both))


def squares_of_theorem_5(p: int, q: int, rows: int, cols: int) -> Squares:
    """Return the squares that Theorem 5 removes, those whose row and column are not chosen, or none: chosen are the
    rows, and the columns, without neighbours among them that `halves` gives with the most."""
    flags = [np.ones(side, dtype=bool) for side in (rows, cols)]
    for flag in flags:
        flag[[*max(halves(p, q, len(flag)), key=len)]] = False
    return np.asarray(flags[0][:, None] & flags[1][None, :])


def halves(p: int, q: int, side: int) -> Iterator[Collection[int]]:
    """Yield sets of rows of the side, none with neighbours in itself: every other class on the circle of residues mod
    p + q."""
    around = p + q
    for first in range(around):
        yield {row for row in range(side) if (row * pow(p, -1, around) - first) % around % 2}


def parts_less_squares(board: Board, removed: Squares) -> int:
    """Return by how many the parts are more into which the board falls without these squares."""
    parts = board.graph.subgraph(np.flatnonzero(~removed).astype(np.int32)).components
    return int(parts.max(initial=-1)) + 1 - int(removed.sum())


def squares_of_flows(board: Board) -> list[Squares]:
    """Return six sets of squares, from the least cuts nearest to either colour of two flows, and of both: from each
    square of one colour to its neighbours, and two at most from or to each square; a move has room for one in the first
    flow, and for two in the second."""
    graph, found = board.graph, list[Squares]()
    white = np.add.outer(np.arange(board.rows), np.arange(board.cols)).ravel() % 2 == 0
    every, source, sink = np.arange(graph.order), graph.order, graph.order + 1
    moves = white[graph.tails]
    tails = np.concatenate([graph.tails[moves], np.where(white, source, every)])
    heads = np.concatenate([graph.indices[moves], np.where(white, every, sink)])
    for room in (1, 2):
        flow = SimpleMaxFlow()
        flow.add_arcs_with_capacity(tails, heads, np.where(np.arange(len(tails)) < moves.sum(), room, 2))
        flow.solve(source, sink)
        near, far = np.zeros(graph.order + 2, dtype=bool), np.zeros(graph.order + 2, dtype=bool)
        near[flow.get_source_side_min_cut()] = True
        far[flow.get_sink_side_min_cut()] = True
        near, far = near[:-2], far[:-2]
        for squares in (white != near, white == far, white & far | ~white & near):
            found.append(squares.reshape(board.rows, board.cols))
    return found


def squares_removed(p: int, q: int, rows: int, cols: int) -> Iterator[tuple[str, Squares]]:
    """Yield the sets of squares that bound the paths on a board of the leaper, each with the theorem it is from."""
    none = np.zeros((rows, cols), dtype=bool)
    if rows == cols and p + q < rows < 2 * (p + q) and q == p + 1:
        yield "Theorem 3", squares_of_theorem_3(p, rows)
    if rows == cols and p + q < rows < 2 * q and p == 1:
        yield "Theorem 4", none if rows % 2 else squares_of_theorem_4(q, rows)
    yield "the squares of Theorem 5", squares_of_theorem_5(p, q, rows, cols)
    yield "parts of the board", none
    yield from (("two flows", squares) for squares in squares_of_flows(Board(rows, cols, leaper=(p, q))))


def reason_of(leaper: str, size: str, paths: int) -> str:
    """Return what shows that a board takes this number of paths at least: a theorem, or the squares whose removal
    shows it; "less" if the best of these bounds is lower."""
    (p, q), (rows, cols) = map(int, leaper.split(",")), map(int, size.split("x"))
    if cols <= p + q and paths == paths_of_small_board(p, q, rows, cols):
        return "Theorem 2"
    board = Board(rows, cols, leaper=(p, q))
    for name, squares in squares_removed(p, q, rows, cols):
        if name == "parts of the board" and max(lacking(p, q, rows, cols), lacking(p, q, cols, rows)) >= paths:
            return "weights of columns"
        if parts_less_squares(board, squares) >= paths:
            return name
    return "less"


def main() -> None:
    """Print, for the squares to 20x20 and for all boards, how many of those that take two paths or more each theorem
    settles."""
    told = {True: Counter[str](), False: Counter[str]()}
    for line in lines_of(DATA):
        if line["paths"] != "1":
            rows, cols = map(int, line["board"].split("x"))
            told[rows == cols <= MAX_SIDE][reason_of(line["leaper"], line["board"], int(line["paths"]))] += 1
    for name in sorted(told[True] | told[False]):
        print(f"{name}: {told[True][name]}, {told[True][name] + told[False][name]}")
    refuted = [line for line in lines_of(ATLAS) if says_something(line) and line["kind"] + line["answer"] == "opennone"]
    blocked = [has_two_blocked_sides(line) or has_blocked_side(line) for line in refuted]
    either = [one or excluded_by_columns(line, at_least=2) for one, line in zip(blocked, refuted, strict=True)]
    print(f"Theorem 6: {sum(blocked)} of {len(refuted)}, {sum(either)}")


def has_two_blocked_sides(line: dict[str, str]) -> bool:
    """Return True if both sides of the board of this line of the atlas are blocked."""
    (p, q), sides = leaper_and_sides(line)
    return all(excludes(p, q, side, "closed") for side in sides)


if __name__ == "__main__":
    main()
