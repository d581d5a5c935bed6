"""A census of the best closed knight's tours: extremes of turns, crossings and angles, and all tours that attain them.

``python lab/census.py`` continues ``lab/census.csv``, a line for each question, by one of four methods (lab/census.md
has the argument): ``certificate``, by `best`, accepted by the checker; ``listed``, by the search over edges, which
goes through all tours; ``tree``, by `passages`; and ``products``, for crossings, by `crossings`.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from crossings import CrossingsTree
from passages import SECONDS, Passages, extreme, packed
from tables import append_lines, lines_of

from cpsat_tour import Board, best
from cpsat_tour.proofs.write.combination import TreeProof
from cpsat_tour.proofs.write.tour_certificates import prove_best

DATA = Path(__file__).resolve().parent / "census.csv"

COLUMNS = ("board", "symmetry", "objective", "direction", "value", "tours", "evidence", "leaves", "bytes", "seconds")

ANGLES = {
    "angles of 36.9": (4,),
    "angles of 53.1": (3,),
    "angles of 90": (0,),
    "angles of 126.9": (-3,),
    "angles of 143.1": (-4,),
    "angles of 180": (-5,),
    "acute angles": (4, 3),
    "obtuse angles": (-3, -4, -5),
    "orthogonal angles": (0, -5),
    "diagonal angles": (4, -4),
    "axial angles": (3, -3),
}
"""The scalar products of the two moves from a square, of each kind of angles; a straight angle is obtuse here."""

SHOWN = {
    "fewest": (
        69,
        "18 24 9 19 25 40 57 42 59 49 34 28 11 1 16 10 0 17 32 26 41 56 50 60 43 58 48 33 27 21 4 14 "
        "29 35 52 62 47 53 63 46 31 37 22 7 13 3 20 5 15 30 36 51 61 55 45 39 54 44 38 23 6 12 2 8",
    ),
    "most": (
        126,
        "29 35 20 3 9 24 34 28 43 60 54 39 45 62 52 58 41 56 50 40 25 8 18 1 11 5 22 7 13 23 6 21 "
        "15 30 47 37 27 44 59 49 32 26 36 19 4 14 31 46 63 53 38 55 61 51 57 42 48 33 16 10 0 17 2 12",
    ),
}
"""A closed tour of 8x8 with the fewest, and with the most crossings, which simulated annealing found: their number, and
the squares by row and column, counted from 0."""

BOARDS = {"6x6": ("", "rot180", "rot90"), "8x8": ("", "rot180"), "10x10": ("", "rot90")}
"""The boards, each with the symmetries of closed tours that are asked about."""


def questions() -> Iterator[tuple[str, str, str, str]]:
    """Yield board, symmetry, objective and direction of every line."""
    for board, symmetries in BOARDS.items():
        asked = [*product(symmetries, ("turns", "crossings")), *product(("",), ANGLES)]
        if board == "10x10":
            asked.remove(("", "crossings"))
        yield from ((board, *question, way) for question, way in product(asked, ("fewest", "most")))


def answered(board: str, symmetry: str, objective: str, way: str) -> dict[str, object]:
    """Return the line of a question."""
    begun, side, sign = time.perf_counter(), int(board.split("x", maxsplit=1)[0]), 1 if way == "fewest" else -1
    if objective in ANGLES:
        told = by_tree(side, ANGLES[objective], sign)
    elif objective == "crossings" and side > 6 and not symmetry:
        told = by_products(side, way)
    else:
        told = by_best(side, symmetry, objective, way)
    words = (board, symmetry, objective, way, *told, f"{time.perf_counter() - begun:.1f}")
    return dict(zip(COLUMNS, words, strict=True))


Told = tuple[int | None, object, str, object, object]
"""Value, tours, evidence, leaves and bytes of a line."""


def by_tree(side: int, products: Sequence[int], sign: int) -> Told:
    """Return what a tree says of angles on a square, after checking it."""
    listed, attained, proved = extreme(side, side, products, sign)
    tree, passages = listed or proved, Passages(side, side)
    tree.check(passages, passages.costs(products, sign))
    evidence = "tree" if attained else "bound by tree"
    return sign * (proved.most + 1), len(tree.tours) or "", evidence, tree.leaves, len(tree.packed())


def by_products(side: int, way: str) -> Told:
    """Return the bound on the crossings of a square that products prove, at best what `SHOWN` attains."""
    sign, shown = (1 if way == "fewest" else -1), SHOWN[way]
    tree = CrossingsTree(side, side, sign, 8 * SECONDS)
    bound = tree.bound()
    while bound < sign * shown[0] and tree.refutes(bound):
        bound += 1
    if not tree.leaves:
        tree.refutes(bound - 1)
    evidence = "products" if bound == sign * shown[0] else "bound by products"
    told = [
        (scale, [(number, row.columns.tolist(), row.numbers.tolist(), row.bound) for number, row in rows])
        for scale, rows in tree.leaves
    ]
    return sign * bound, "", evidence, len(tree.leaves), len(packed(told))


def by_best(side: int, symmetry: str, objective: str, way: str) -> Told:
    """Return what `best` finds of a square, and the checker accepts, or the list of all tours says."""
    listing = objective == "crossings" and side > 6
    found = best(
        Board(side),
        minimize=objective if way == "fewest" else None,
        maximize=objective if way == "most" else None,
        backend="edges" if listing else "auto",
        closed=True,
        symmetry=symmetry or None,
        seconds=SECONDS,
        threads=1,
    )
    assert found.optimal
    assert found.answer.tour is not None
    if listing:
        return found.value, found.attained, "listed", "", ""
    certificate = found.certificate or prove_best(found.goal, np.array(found.answer.tour.vertices))
    assert certificate.check()
    assert isinstance(certificate.proof, TreeProof)
    leaves = sum(words[0] != "s" for words in certificate.proof.sums)
    size = sum(len(line) + 1 for line in certificate.proof_lines("3.0"))
    return found.value, found.attained or "", "certificate", leaves, size


if __name__ == "__main__":
    known = {tuple(line[column] for column in COLUMNS[:4]) for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (answered(*question) for question in questions() if question not in known))
