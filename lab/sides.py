"""The sides of boards that a closed tour of a free leaper can't have: the sets of ``lab/sides.md``, by program.

``python lab/sides.py`` prints, for each leaper of the atlas, all blocked sides from 2(p + q) on, those that exclude
open tours too in brackets; then of how many refutations of the atlas they are the reason.
"""

from functools import cache

from atlas import DATA, LEAPERS, leaper_and_sides, says_something
from tables import lines_of


@cache
def blocking_rows(p: int, q: int, side: int) -> frozenset[int]:
    """Return rows that block the side, as many as possible, no two of them neighbours; none if it is not blocked."""
    around = p + q
    classes = [range(place * p % around, side, around) for place in range(around)]
    sets = (
        frozenset[int]().union(*(classes[(first + 2 * number) % around] for number in range(around // 2)))
        for first in range(around)
    )
    return max((rows for rows in sets if len(rows) < side <= 2 * len(rows)), key=len, default=frozenset())


def highest(p: int, q: int) -> tuple[int, int]:
    """Return how often p + q fits into the largest blocked side, and what is left of it."""
    if p == 0:
        return 0, 0
    times, left = highest(*sorted((p, abs(q - 2 * p))))
    return (times, left + 2 * p) if q > 3 * p else (times + 1, left + p - abs(q - 2 * p))


def excludes(p: int, q: int, side: int, kind: str) -> bool:
    """Return True if no board with this side, and another of at least 2, has a closed tour, or an open one."""
    rows = blocking_rows(p, q, side)
    return bool(rows) and (kind == "closed" or 2 * len(rows) > side)


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
        times, left = highest(p, q)
        sides = [side for side in range(2 * (p + q), times * (p + q) + left + 1) if blocking_rows(p, q, side)]
        print(f"({p}, {q}):", *(f"[{side}]" if excludes(p, q, side, "open") else side for side in sides))
    for kind in ("closed", "open"):
        refuted = [
            line for line in lines_of(DATA) if says_something(line) and (line["kind"], line["answer"]) == (kind, "none")
        ]
        print(f"{kind}: {sum(map(has_blocked_side, refuted))} of {len(refuted)} refutations")


def has_blocked_side(line: dict[str, str]) -> bool:
    """Return True if a side of the board excludes tours of the kind of this line of the atlas."""
    (p, q), sides = leaper_and_sides(line)
    return any(excludes(p, q, side, line["kind"]) for side in sides)


if __name__ == "__main__":
    main()
