"""The sides of boards that a closed tour of a free leaper can't have: the sets of ``lab/sides.md``, by program.

``python lab/sides.py`` prints, for each leaper of the atlas, the blocked sides from 2(p + q) to `MAX_SIDE`, those that
exclude open tours too in brackets; then of how many refutations of the atlas they are the reason.
"""

from collections.abc import Collection
from functools import cache

from atlas import DATA, LEAPERS, says_something
from tables import lines_of

MAX_SIDE = 100


def neighbours(rows: Collection[int], p: int, q: int, side: int) -> set[int]:
    """Return the rows of the side that are p or q from one of these."""
    return {row + step for row in rows for step in (p, q, -p, -q)} & set(range(side))


def surplus(rows: Collection[int], p: int, q: int, side: int) -> int:
    """Return by how many rows are more than their neighbours."""
    return len(rows) - len(neighbours(rows, p, q, side))


@cache
def blocking_rows(p: int, q: int, side: int) -> frozenset[int]:
    """Return rows that block the side, those with the largest surplus of the sets that are every other class on an arc
    of the circle of residues mod p + q; none if none of these sets blocks it."""
    around = p + q
    classes = [range(place * p % around, side, around) for place in range(around)]
    arcs = (
        frozenset[int]().union(*(classes[(first + 2 * number) % around] for number in range(length)))
        for first in range(around)
        for length in range(1, around // 2 + 2)
    )
    blocking = (rows for rows in arcs if 0 < len(rows) < side and surplus(rows, p, q, side) >= 0)
    return max(blocking, key=lambda rows: surplus(rows, p, q, side), default=frozenset())


def excludes(p: int, q: int, side: int, kind: str) -> bool:
    """Return True if no board with this side, and another of at least 2, has a closed tour, or an open one."""
    rows = blocking_rows(p, q, side)
    return bool(rows) and (kind == "closed" or surplus(rows, p, q, side) > 0)


def confined_squares(p: int, q: int, side: int) -> set[tuple[int, int]]:
    """Return squares of the board whose sides are both this even number, from 2q on and below 2(p + q), that have fewer
    neighbours than members; but as many, and not all, of the (1, q) leaper for the side 2q."""
    around, first = p + q, max(q, side - p - q)
    if side == 2 * q:
        rows = [place * around % side for place in range(side)]
        rows = rows[: rows.index(side - min(p, 2)) + 1]
        return {(row, col) for row in rows for col in rows if (row + col) % 2 == 0}
    places = [place for place in range(around) if first <= place * p % around < min(side - q, around)]
    arcs = zip(places, [*places[1:], places[0] + around], strict=True)
    begin, end = next((one, other) for one, other in arcs if (other - one) % 2 == 0)
    inside = (range(place * p % around, side, around) for place in range(begin + 1, end, 2))
    rows = [begin * p % around + q, end * p % around - q, *(row for each in inside for row in each)]
    return {(row, col) for row in rows for col in rows}


def main() -> None:
    """Print the blocked sides, and how many refutations of the atlas have one."""
    for p, q in LEAPERS:
        sides = [side for side in range(2 * (p + q), MAX_SIDE + 1) if excludes(p, q, side, "closed")]
        print(f"({p}, {q}):", *(f"[{side}]" if excludes(p, q, side, "open") else side for side in sides))
    for kind in ("closed", "open"):
        refuted = [
            line for line in lines_of(DATA) if says_something(line) and (line["kind"], line["answer"]) == (kind, "none")
        ]
        print(f"{kind}: {sum(map(has_blocked_side, refuted))} of {len(refuted)} refutations")


def has_blocked_side(line: dict[str, str]) -> bool:
    """Return True if a side of the board excludes tours of the kind of this line of the atlas."""
    (p, q), sides = (map(int, line[key].split(by)) for key, by in (("leaper", ","), ("board", "x")))
    return any(excludes(p, q, side, line["kind"]) for side in sides)


if __name__ == "__main__":
    main()
