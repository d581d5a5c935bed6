"""How many leapers it takes: for each board of the atlas the fewest open tours that together visit each square once.

``python lab/fewest_paths.py`` asks what ``lab/fewest_paths.csv`` lacks, a line for each leaper and board of the atlas:
the number of paths, what is known of fewer, and how. One path needs no evidence but itself; that fewer do not suffice
has a certificate, which the checker has accepted, or the bound is less than the number and a solver's claim. In the end
it draws the squares to 20x20, ``lab/fewest_paths.svg``. Stop it whenever you like. The theorems are in
``lab/paths.md``.
"""

import time
from pathlib import Path

import atlas
from atlas import COLOURS, LEAPERS, MAX_SIDE
from tables import append_lines, lines_of

from cpsat_tour import Board, Certificate, fewest_paths, prove

DATA = Path(__file__).resolve().parent / "fewest_paths.csv"

COLUMNS = ("leaper", "board", "paths", "bound", "evidence", "seconds")

SECONDS = 250.0
"""The limit on each search and on each proof."""


def questions() -> list[tuple[str, str]]:
    """Return leaper and board of every line, from small boards to large ones."""
    return [(leaper, board) for leaper, board, kind in atlas.questions() if kind == "open"]


def answered(leaper: str, board: str) -> dict[str, object]:
    """Return the line of a board; `AssertionError` if nothing is found."""
    begun = time.perf_counter()
    found = fewest_paths(Board.parse(board, leaper=leaper), seconds=SECONDS)
    assert found.value is not None
    evidence = "tour" if found.value == 1 else str(found.known)
    better = found.goal.problem_of_better(found.value)
    if found.optimal and better is not None:
        proved = prove(better, seconds=SECONDS)
        evidence = proved.method if isinstance(proved, Certificate) else "claimed"
    told = (leaper, board, found.value, found.bound, evidence, f"{time.perf_counter() - begun:.1f}")
    return dict(zip(COLUMNS, told, strict=True))


CELL = 26
"""Units of a cell of the picture."""


def picture(lines: list[dict[str, str]]) -> str:
    """Return a drawing with a row for each leaper and a column for the side of each square to `MAX_SIDE`: the number of
    paths, coloured by its evidence."""
    names = [f"{a},{b}" for a, b in LEAPERS]
    width, height = 50 + CELL * MAX_SIDE, 30 + CELL * len(names)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="10" text-anchor="middle"><rect width="{width}" height="{height}" fill="white"/>'
    ]
    for place, name in enumerate(names):
        drawn.append(f'<text x="22" y="{30 + CELL * (place + 0.62)}" font-weight="bold">{name}</text>')
    for side in range(1, MAX_SIDE + 1):
        drawn.append(f'<text x="{45 + CELL * (side - 0.5)}" y="20">{side}</text>')
    squares = {f"{side}x{side}": side for side in range(1, MAX_SIDE + 1)}
    for line in (line for line in lines if line["board"] in squares):
        x, y = 45 + CELL * (squares[line["board"]] - 1), 30 + CELL * names.index(line["leaper"])
        shade = COLOURS.get(line["evidence"], COLOURS["unknown"])
        number = line["paths"] if line["bound"] == line["paths"] else f"{line['bound']}–{line['paths']}"
        ink = "black" if shade == COLOURS["lp"] else "white"
        drawn.append(f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="{shade}"/>')
        drawn.append(f'<text x="{x + CELL / 2}" y="{y + CELL * 0.62}" fill="{ink}">{number}</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


def main() -> None:
    """Answer the questions that the file lacks, append a line for each, and draw the picture."""
    known = {(line["leaper"], line["board"]) for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (answered(*question) for question in questions() if question not in known))
    DATA.with_suffix(".svg").write_text(picture(lines_of(DATA)), encoding="utf-8")


if __name__ == "__main__":
    main()
