"""The archive of results: the tours and certificates of the atlas and of the records, for others to cite and check.

``python docs/archive.py FOLDER`` makes the folder and ``FOLDER.tar.xz``; stopped, it goes on where it was. It has

* ``claims.csv``: a line for each claim, with the command that repeats it, the method, who had it before, the file or
  folder that shows it, and the SHA-256 digest of that, of a folder's files one after the other by name;
* ``tours/``: a tour each, as JSON: the board, its holes, its leaper, whether it is closed, and the squares in order;
* ``certificates/``: a certificate each that there is no tour, with a theorem for Rocq where that can be stated;
* ``theory/``: what these theorems stand on;
* ``check.py``: plain Python of less than a hundred lines that checks digests and tours without this project.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import squares
import strips
from atlas import lines_known, says_something

from cpsat_tour import Answer, Board, best, prove, solve
from cpsat_tour.proofs.write.rocq import theory

HERE = Path(__file__).resolve().parent

COLUMNS = ("claim", "command", "method", "before", "file", "sha256")

CERTIFICATE = ("certificate.json", "problem.opb", "proof.pbp", "proof.v")
"""The files of a certificate that are kept."""

TURNS = {"6x6": 32, "6x8": 40, "8x8": 50, "10x10": 62, "12x12": 77}
"""Closed tours with the fewest turns that are known, by board."""

STRIPS = {int(line["n"]): int(line["least"]) for line in strips.lines_known()}
"""The least N so that the (n, n + 1) leaper has a closed tour of (2n + 1) x N, by n."""

FREE = [(int(p), int(q)) for p, q in (line["leaper"].split(",") for line in squares.lines_known())]
"""The free leapers whose smaller squares are refuted."""

BEFORE = {"1,2": "theorems: Schwenk 1991; Cull & De Curtins 1978", "1,4 11x11 open": "Waldmann, by a SAT solver"}
"""Who had what before, by leaper or by claim; others are not known to us."""


def main(
    folder: Path,
    lines: Iterable[dict[str, str]],
    turns: dict[str, int] = TURNS,
    narrowest: Mapping[int, int] = STRIPS,
    leapers: Iterable[tuple[int, int]] = FREE,
) -> None:
    """Make the archive of these lines of the atlas, these records of few turns, these narrowest strips and the smallest
    squares of these leapers in the folder, and pack it."""
    for name in ("tours", "certificates", "theory"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in theory().items():
        (folder / "theory" / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    shutil.copy(HERE / "archive_check.py", folder / "check.py")
    with (folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        claims = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        claims.writeheader()
        for claim, path in (
            *atlas_claims(folder, lines),
            *records(folder, turns),
            *strip_claims(folder, narrowest),
            *square_claims(folder, leapers),
        ):
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
            claims.writerow(claim | {"file": path.relative_to(folder).as_posix(), "sha256": digest})
    with tarfile.open(f"{folder}.tar.xz", "w:xz") as packed:
        packed.add(folder, folder.name)


def atlas_claims(folder: Path, lines: Iterable[dict[str, str]]) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield each claim of the atlas and the file that shows it."""
    for line in lines:
        leaper, size, kind = line["leaper"], line["board"], line["kind"]
        board, closed, name = Board.parse(size, leaper=leaper), kind == "closed", f"{leaper}_{size}_{kind}"
        options = f"{leaper}:{size}{' --closed' * closed}"
        known = BEFORE.get(f"{leaper} {size} {kind}", BEFORE.get(leaper, "not known to us"))
        claim = {"before": known if says_something(line) or leaper == "1,2" else "immediate"}
        if line["answer"] == "tour":
            path = folder / "tours" / f"{name}.json"
            if not path.exists():
                save_tour(path, board, solve(board, closed=closed), closed=closed)
            words = f"the {size} board has {'a closed' if closed else 'an open'} tour of the ({leaper}) leaper"
            yield claim | {"claim": words, "command": f"solve {options}", "method": "a tour"}, path
        else:
            path = folder / "certificates" / name
            if not (path / "proof.pbp").exists():
                save_certificate(path, board, closed=closed)
            words = f"the {size} board has no {kind} tour of the ({leaper}) leaper"
            method = {"lp": "a sum of rows", "clausal": "a clausal proof"}[line["reason"]]
            yield claim | {"claim": words, "command": f"prove {options}", "method": method}, path


def records(folder: Path, turns: dict[str, int]) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield each record of few turns and the file that shows its tour."""
    for size, value in turns.items():
        path = folder / "tours" / f"turns_{size}.json"
        if not path.exists():
            found = best(size, closed=True, minimize="turns")
            save_tour(path, Board.parse(size), found.answer, closed=True, turns=value)
        words = f"a closed tour of the {size} board has {value} turns, and by CP-SAT's word none has fewer"
        command = f"best {size} --closed --minimize turns"
        yield {"claim": words, "command": command, "method": "a tour; a claim", "before": "not known to us"}, path


def strip_claims(folder: Path, narrowest: Mapping[int, int]) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield the claims that (2n + 1) x N is the narrowest strip with a closed tour of the (n, n + 1) leaper: those of
    each smaller even width, and the tour."""
    for n, least in narrowest.items():
        before = "OEIS A152138 has N" if n <= 11 else "not known to us"
        for board in strips.strips(n):
            if board.cols == least:
                path = folder / "tours" / f"{board.piece}_{board}_closed.json"
                if not path.exists():
                    save_tour(path, board, solve(board, closed=True), closed=True)
                words = f"the {board} board has a closed tour of the ({board.piece}) leaper"
                command = f"solve {board.piece}:{board} --closed"
                yield {"claim": words, "command": command, "method": "a tour", "before": before}, path
                break
            yield refuted(folder, board, before)


def square_claims(folder: Path, leapers: Iterable[tuple[int, int]]) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield the claims that no even square smaller than 2(p + q) has a closed tour of the (p, q) leaper."""
    for p, q in leapers:
        yield from (refuted(folder, board, "not known to us") for board in squares.smaller_squares(p, q))


def refuted(folder: Path, board: Board, before: str) -> tuple[dict[str, str], Path]:
    """Return the claim that the board has no closed tour, and its certificate."""
    path = folder / "certificates" / f"{board.piece}_{board}_closed"
    if not (path / "proof.pbp").exists():
        save_certificate(path, board, closed=True)
    words, command = f"the {board} board has no closed tour of the ({board.piece}) leaper", f"{board.piece}:{board}"
    return {"claim": words, "command": f"prove {command} --closed", "method": "a certificate", "before": before}, path


def save_tour(path: Path, board: Board, answer: Answer, *, closed: bool, turns: int | None = None) -> None:
    """Write the tour of an answer, with the turns that it is to have."""
    if answer.tour is None:
        raise AssertionError(f"{path.name}: there is no tour")
    squares = board.squares[list(answer.tour.vertices)]
    data = board.data() | {"closed": closed, "squares": [divmod(int(square), board.cols) for square in squares]}
    path.write_text(json.dumps(data | ({} if turns is None else {"turns": turns})), encoding="utf-8")


def save_certificate(path: Path, board: Board, *, closed: bool) -> None:
    """Write the certificate that a board has no tour, and the theorem if there are 3 squares or more."""
    certificate = prove(board, closed=closed)
    if isinstance(certificate, Answer):
        raise AssertionError(f"{path.name}: there is no certificate")
    for file in certificate.write(path, rocq=board.graph.order >= 3, force=True):
        if file.name not in CERTIFICATE:
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]), lines_known())
