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
from atlas import DATA, says_something
from tables import lines_of

from cpsat_tour import Answer, Board, best, prove, solve
from cpsat_tour.proofs.check.claim import CLAIM
from cpsat_tour.proofs.write.rocq import theory

HERE = Path(__file__).resolve().parent

COLUMNS = ("claim", "command", "method", "before", "file", "sha256")

CERTIFICATE = ("certificate.json", "problem.opb", "proof.pbp", "proof.v")
"""The files of a certificate that are kept."""

TURNS = {"6x6": 32, "6x8": 40, "8x8": 50, "10x10": 62, "12x12": 77}
"""Closed tours with the fewest turns that are known, by board."""

STRIPS = {int(line["n"]): int(line["least"]) for line in lines_of(strips.DATA)}
"""The least N so that the (n, n + 1) leaper has a closed tour of (2n + 1) x N, by n."""

FREE = [(int(p), int(q)) for p, q in (line["leaper"].split(",") for line in lines_of(squares.DATA))]
"""The free leapers whose smaller squares are refuted."""

METHODS = {"lp": "a sum of rows", "clausal": "a clausal proof"}
"""The methods of certificates in words."""

NOT_KNOWN = "not known to us"

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


Claim = tuple[dict[str, str], Path]
"""The columns of a claim but its file and digest, and the file or folder that shows it."""


def atlas_claims(folder: Path, lines: Iterable[dict[str, str]]) -> Iterator[Claim]:
    """Yield each claim of the atlas and what shows it."""
    for line in lines:
        leaper, size, kind = line["leaper"], line["board"], line["kind"]
        known = BEFORE.get(f"{leaper} {size} {kind}", BEFORE.get(leaper, NOT_KNOWN))
        before = known if says_something(line) or leaper == "1,2" else "immediate"
        claimed = claim_of_tour if line["answer"] == "tour" else claim_of_none
        yield claimed(folder, Board.parse(size, leaper=leaper), before, closed=kind == "closed")


def records(folder: Path, turns: dict[str, int]) -> Iterator[Claim]:
    """Yield each record of few turns and the file that shows its tour."""
    for size, value in turns.items():
        path = folder / "tours" / f"turns_{size}.json"
        if not path.exists():
            found = best(size, closed=True, minimize="turns")
            save_tour(path, Board.parse(size), found.answer, closed=True, turns=value)
        words = f"a closed tour of the {size} board has {value} turns, and by CP-SAT's word none has fewer"
        command = f"best {size} --closed --minimize turns"
        yield {"claim": words, "command": command, "method": "a tour; a claim", "before": NOT_KNOWN}, path


def strip_claims(folder: Path, narrowest: Mapping[int, int]) -> Iterator[Claim]:
    """Yield the claims that (2n + 1) x N is the narrowest strip with a closed tour of the (n, n + 1) leaper: those of
    each smaller even width, and the tour."""
    for n, least in narrowest.items():
        before = "OEIS A152138 has N" if n <= 11 else NOT_KNOWN
        for board in strips.strips(n):
            if board.cols == least:
                yield claim_of_tour(folder, board, before, closed=True)
                break
            yield claim_of_none(folder, board, before, closed=True)


def square_claims(folder: Path, leapers: Iterable[tuple[int, int]]) -> Iterator[Claim]:
    """Yield the claims that no even square smaller than 2(p + q) has a closed tour of the (p, q) leaper."""
    for p, q in leapers:
        yield from (claim_of_none(folder, board, NOT_KNOWN, closed=True) for board in squares.smaller_squares(p, q))


def claim_of_tour(folder: Path, board: Board, before: str, *, closed: bool) -> Claim:
    """Return the claim that the board has a tour, and its file."""
    path = folder / "tours" / f"{name_of(board, closed=closed)}.json"
    if not path.exists():
        save_tour(path, board, solve(board, closed=closed), closed=closed)
    words = f"the {sides_of(board)} board has {'a closed' if closed else 'an open'} tour of the ({board.piece}) leaper"
    return {
        "claim": words,
        "command": f"solve {typed(board, closed=closed)}",
        "method": "a tour",
        "before": before,
    }, path


def claim_of_none(folder: Path, board: Board, before: str, *, closed: bool) -> Claim:
    """Return the claim that the board has no tour, and the folder of its certificate."""
    path = folder / "certificates" / name_of(board, closed=closed)
    if not (path / CLAIM).exists():
        save_certificate(path, board, closed=closed)
    words = f"the {sides_of(board)} board has no {'closed' if closed else 'open'} tour of the ({board.piece}) leaper"
    method = METHODS[json.loads((path / CLAIM).read_bytes())["method"]]
    return {"claim": words, "command": f"prove {typed(board, closed=closed)}", "method": method, "before": before}, path


def sides_of(board: Board) -> str:
    """Return the sides of a board: ``5x8``."""
    return f"{board.rows}x{board.cols}"


def typed(board: Board, *, closed: bool) -> str:
    """Return a board and the kind of tour as people type them: ``2,3:5x8 --closed``."""
    return f"{board.piece}:{sides_of(board)}{' --closed' * closed}"


def name_of(board: Board, *, closed: bool) -> str:
    """Return the name of what shows a claim: ``2,3_5x8_closed``."""
    return f"{board.piece}_{sides_of(board)}_{'closed' if closed else 'open'}"


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
    main(Path(sys.argv[1]), lines_of(DATA))
