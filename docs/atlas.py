"""The atlas of leapers: for every small board a tour, or a certificate that there is none.

``python docs/atlas.py`` asks what ``docs/leapers.csv`` lacks, a line a board and kind of tour: `auto` for an
answer, and `prove` for the certificate of a board without a tour, which the independent checker reads again. Stop it
whenever you like; it goes on where it was. ``docs/leapers.md`` describes the results.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

from cpsat_tour import Answer, Board, check, prove, solve

DATA = Path(__file__).resolve().parent / "leapers.csv"

LEAPERS = ((1, 2), (1, 4), (2, 3), (1, 6), (2, 5), (3, 4), (1, 8), (2, 7), (4, 5), (3, 8), (5, 6))
"""Those that can reach every square of a large board: r + s is odd, and r and s have no common divisor."""

MAX_SIDE, MAX_SQUARE = 20, 40

COLUMNS = ("leaper", "board", "kind", "answer", "reason", "seconds", "bytes")

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
    the bytes of ``proof.pbp`` if there is a certificate, which the checker has accepted twice."""
    where, begun, size = Board.parse(board, leaper=leaper), time.perf_counter(), 0
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
    return dict(zip(COLUMNS, (leaper, board, kind, answer.status, reason, f"{seconds:.3f}", size or ""), strict=True))


def main() -> None:
    """Answer the questions that the file lacks, one after another, and append a line for each."""
    known = set()
    if DATA.exists():
        with DATA.open(newline="", encoding="utf-8") as file:
            known = {(line["leaper"], line["board"], line["kind"]) for line in csv.DictReader(file)}
    with DATA.open("a", newline="", encoding="utf-8") as file:
        lines = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not known:
            lines.writeheader()
        for number, question in enumerate(questions()):
            if question not in known:
                lines.writerow(answered(*question))
                file.flush()
                print(f"\r{number}", *question, end="   ", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
