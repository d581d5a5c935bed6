"""Checks the archive without the program that made it: every digest, and every tour move by move.

``python check.py`` in the archive's folder; plain Python, no packages. Certificates are for other programs: VeriPB
reads ``problem.opb`` and ``proof.pbp``; Rocq reads ``proof.v`` beside the files of ``theory``.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def fault_of_tour(data: dict[str, Any]) -> str:
    """Return what is wrong with a tour, in words; nothing if it is one."""
    rows, cols, closed = data["rows"], data["cols"], data["closed"]
    squares = [tuple(square) for square in data["squares"]]
    holes = {tuple(square) for square in data["holes"]}
    board = {(row, col) for row in range(rows) for col in range(cols)} - holes
    if len(squares) != len(board) or set(squares) != board:
        return "it does not visit every square once"
    lengths = sorted(data["leaper"])
    following = squares[1:] + squares[:1] if closed else squares[1:]
    for (row, col), (next_row, next_col) in zip(squares, following, strict=False):
        if sorted((abs(row - next_row), abs(col - next_col))) != lengths:
            return f"({row}, {col}) to ({next_row}, {next_col}) is not a move"
    if "turns" in data and turns_of(squares) != data["turns"]:
        return f"it has {turns_of(squares)} turns"
    return ""


def turns_of(squares: list[tuple[int, int]]) -> int:
    """Return the number of squares of a closed tour where its two moves are not in line."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(squares, squares[1:] + squares[:1], strict=False)]
    return sum(one != other for one, other in zip(steps, steps[1:] + steps[:1], strict=False))


def main() -> int:
    """Check every claim, and return how many are wrong."""
    wrong = tours = others = 0
    with (HERE / "claims.csv").open(newline="", encoding="utf-8") as file:
        for claim in csv.DictReader(file):
            path = HERE / claim["file"]
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            content = b"".join(file.read_bytes() for file in files)
            fault = "" if hashlib.sha256(content).hexdigest() == claim["sha256"] else "the digest is another"
            if claim["file"].startswith("tours/"):
                fault = fault or fault_of_tour(json.loads(content))
                tours += 1
            else:
                others += 1
            if fault:
                wrong += 1
                print(f"{claim['claim']}: {fault}")
    print(f"{tours} tours checked, {others} certificates, counts and theorems by their digests, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(), 1))
