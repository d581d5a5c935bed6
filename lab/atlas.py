"""The atlas of leapers: for every small board a tour, or a certificate that there is none.

``python lab/atlas.py`` asks what ``lab/leapers.csv`` lacks, a line a board and kind of tour: `auto` for an
answer, and `prove` for the certificate of a board without a tour, which the independent checker reads again. Stop it
whenever you like; it goes on where it was, and in the end draws ``lab/leapers.svg``. The results are in
``lab/results.md``.
"""

import tempfile
import time
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

from tables import append_lines, lines_of

from cpsat_tour import Answer, Board, check, prove, solve

DATA = Path(__file__).resolve().parent / "leapers.csv"

LEAPERS = ((1, 2), (1, 4), (2, 3), (1, 6), (2, 5), (3, 4), (1, 8), (2, 7), (4, 5), (3, 8), (5, 6))
"""Those that can reach every square of a large board: r + s is odd, and r and s have no common divisor."""

MAX_SIDE, MAX_SQUARE = 20, 40

COLUMNS = ("leaper", "board", "kind", "answer", "reason", "cut_sets", "seconds", "bytes")

SECONDS = 60.0
"""The limit on each search and on each proof."""


def questions() -> Iterator[tuple[str, str, str]]:
    """Yield leaper, board and kind of tour of every line, from small boards to large ones."""
    sides = [*combinations_with_replacement(range(1, MAX_SIDE + 1), 2)]
    sides += [(side, side) for side in range(MAX_SIDE + 1, MAX_SQUARE + 1)]
    for rows, cols in sorted(sides, key=lambda pair: pair[0] * pair[1]):
        for short, long in LEAPERS:
            for kind in ("closed", "open"):
                yield f"{short},{long}", f"{rows}x{cols}", kind


def answered(leaper: str, board: str, kind: str) -> dict[str, object]:
    """Return what is found: ``tour``, ``none`` or ``unknown``; the kind of reason, the seconds until the answer, and
    if there is a certificate, which the checker has accepted twice, its cut sets and the bytes of ``proof.pbp``."""
    where, begun = Board.parse(board, leaper=leaper), time.perf_counter()
    cut_sets: int | str = ""
    size: int | str = ""
    answer = solve(where, closed=kind == "closed", seconds=SECONDS)
    seconds, reason = time.perf_counter() - begun, answer.refutation.kind if answer.refutation else ""
    if answer.none:
        certificate = prove(where, closed=kind == "closed", seconds=SECONDS)
        if not isinstance(certificate, Answer):
            with tempfile.TemporaryDirectory() as folder:
                certificate.write(Path(folder) / "proof")
                if not (verdict := check(Path(folder) / "proof", where, closed=kind == "closed", claim="none")).valid:
                    raise AssertionError(f"{leaper} {board} {kind}: {verdict.fault}")
                reason, size = certificate.method, (Path(folder) / "proof" / "proof.pbp").stat().st_size
                cut_sets = len(certificate.proof.cut_sets)
    told = (leaper, board, kind, answer.status, reason, cut_sets, f"{seconds:.3f}", size)
    return dict(zip(COLUMNS, told, strict=True))


def leaper_and_sides(line: dict[str, str]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return p and q of the leaper and the two sides of the board that a line of a table is about."""
    (p, q), (rows, cols) = (map(int, line[key].split(by)) for key, by in (("leaper", ","), ("board", "x")))
    return (p, q), (rows, cols)


def says_something(line: dict[str, str]) -> bool:
    """Return True unless theory answers the question at once: one square, the knight's boards, a board too small for
    the leaper to reach all of it (Knuth 1994), a closed tour of an odd board."""
    (short, long), (rows, cols) = (map(int, line[key].split(by)) for key, by in (("leaper", ","), ("board", "x")))
    odd_closed = line["kind"] == "closed" and rows * cols % 2 == 1
    return line["leaper"] != "1,2" and not is_too_small(short, long, rows, cols) and not odd_closed


def is_too_small(short: int, long: int, rows: int, cols: int) -> bool:
    """Return True if the leaper can't reach all squares of the board, which has no more rows than columns (Knuth
    1994)."""
    return rows < short + long or cols < 2 * long


CELL, ACROSS = 8, 4
"""Units of a map's cell, and maps side by side."""

COLOURS = {"tour": "#0072b2", "small": "#dddddd", "lp": "#e69f00", "clausal": "#d55e00", "unknown": "#000000"}


def colour_of(line: dict[str, str]) -> str:
    """Return the colour of a board: a tour, no tour because the board is too small for the leaper to reach all of it
    (Knuth 1994), no tour by a kind of proof, or unknown."""
    (short, long), (rows, cols) = (map(int, line[key].split(by)) for key, by in (("leaper", ","), ("board", "x")))
    if line["answer"] != "none":
        return COLOURS[line["answer"]]
    return COLOURS["small" if is_too_small(short, long, rows, cols) else line["reason"]]


def maps(lines: list[dict[str, str]]) -> str:
    """Return a drawing with a map for each leaper: closed tours above the diagonal, with rows down and columns across,
    open ones below it, mirrored."""
    side = CELL * (MAX_SIDE + 1)
    corners = [
        (number % ACROSS * (side + 30) + 22, number // ACROSS * (side + 40) + 30) for number in range(len(LEAPERS))
    ]
    corner_of = {f"{short},{long}": corner for (short, long), corner in zip(LEAPERS, corners, strict=True)}
    paths: dict[str, list[str]] = {colour: [] for colour in COLOURS.values()}
    for line in lines:
        rows, cols = map(int, line["board"].split("x"))
        if cols <= MAX_SIDE:
            across, down = (cols, rows - 1) if line["kind"] == "closed" else (rows - 1, cols)
            x, y = corner_of[line["leaper"]]
            paths[colour_of(line)].append(f"M{x + across * CELL} {y + down * CELL}h7v7h-7z")
    drawn = [f'<path fill="{colour}" d="{"".join(cells)}"/>' for colour, cells in paths.items() if cells]
    for leaper, (x, y) in corner_of.items():
        drawn.append(f'<text x="{x}" y="{y - 14}" font-weight="bold">{leaper}</text>')
        for mark in (1, 5, 10, 15, 20):
            drawn.append(f'<text x="{x + (mark + 0.5) * CELL}" y="{y - 3}" text-anchor="middle">{mark}</text>')
            drawn.append(f'<text x="{x - 3}" y="{y + (mark + 0.9) * CELL}" text-anchor="end">{mark}</text>')
    width, height = ACROSS * (side + 30), -(-len(LEAPERS) // ACROSS) * (side + 40)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
    ground = f' font-size="8"><rect width="{width}" height="{height}" fill="white"/>'
    return "\n".join([opening + ground, *drawn, "</svg>"]) + "\n"


def main() -> None:
    """Answer the questions that the file lacks, one after another, append a line for each, and draw the maps."""
    known = {(line["leaper"], line["board"], line["kind"]) for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (answered(*question) for question in questions() if question not in known))
    (DATA.parent / "leapers.svg").write_text(maps(lines_of(DATA)), encoding="utf-8")


if __name__ == "__main__":
    main()
