"""The archive of results: the tours and certificates of the atlas and of the records, for others to cite and check.

``python docs/archive.py FOLDER`` makes the folder and ``FOLDER.tar.xz``; stopped, it goes on where it was. It has

* ``claims.csv``: a line for each claim, with the command that repeats it, the method, who had it before, the file or
  folder that shows it, and the SHA-256 digest of that, of a folder's files one after the other by name;
* ``tours/``: a tour each, as JSON: the board, its holes, its leaper, whether it is closed, and the squares in order;
* ``certificates/``: a certificate each that there is no tour, with a theorem for Rocq where that can be stated, or of
  how many tours there are, or that none is better;
* ``counts/``: numbers of tours that no certificate shows;
* ``theory/``: what these theorems stand on, and a theorem on all free leapers;
* ``check.py``: plain Python of less than a hundred lines that checks digests and tours without this project.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import squares
import strips
import turns
from atlas import DATA, says_something
from tables import lines_of

from cpsat_tour import Answer, Board, Certificate, best, count, prove, solve
from cpsat_tour.proofs.check.claim import CLAIM
from cpsat_tour.proofs.write.rocq import theory
from cpsat_tour.proofs.write.tour_certificates import prove_best

HERE = Path(__file__).resolve().parent

COLUMNS = ("claim", "command", "method", "before", "file", "sha256")

CERTIFICATE = ("certificate.json", "problem.opb", "proof.pbp", "proof.v")
"""The files of a certificate that are kept."""

TURNS = ("8x8", "10x10", "12x12")
"""Boards of which a closed tour with the fewest turns is kept."""

FEWEST = (
    *((size, "turns") for size in ("5x6", "6x6", "5x8", "6x7", "6x8", "7x8", "7x10", "8x10", "10x12", *TURNS)),
    *((size, "crossings") for size in ("5x6", "6x6")),
)
"""Boards, and of what the fewest in a closed tour are certified."""

COUNTS = (("5x16", "open"), ("2,3:10x10", "closed"), ("torus:4x4", "closed"))
"""Boards and kinds of tours that are counted."""

CERTIFIED_COUNTS = (("5x5", "open"), ("5x6", "closed"), ("3x10", "closed"), ("3x12", "closed"))
"""Boards and kinds of tours of whose number there is a certificate."""

STRIPS = {int(line["n"]): int(line["least"]) for line in lines_of(strips.DATA)}
"""The least N so that the (n, n + 1) leaper has a closed tour of (2n + 1) x N, by n."""

FREE = [(int(p), int(q)) for p, q in (line["leaper"].split(",") for line in lines_of(squares.DATA))]
"""The free leapers whose smaller squares are refuted."""

METHODS = {"lp": "a sum of rows", "clausal": "a clausal proof"}
"""The methods of certificates in words."""

NOT_KNOWN = "not known to us"

BEFORE = {
    "1,2": "theorems: Schwenk 1991; Cull & De Curtins 1978",
    "1,4 11x11 open": "Waldmann, by a SAT solver",
    "5x16 open": "OEIS A083386",
    "2,3:10x10 closed": "MathWorld",
    "torus:4x4 closed": "OEIS A066037",
}
"""Who had what before, by leaper or by claim; others are not known to us."""


Claim = tuple[dict[str, str], Path]
"""The columns of a claim but its file and digest, and the file or folder that shows it."""


def main(folder: Path, claims: Iterable[Claim]) -> None:
    """Make the archive of these claims in the folder, and pack it."""
    for name in ("tours", "certificates", "counts", "theory"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in theory().items():
        (folder / "theory" / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    shutil.copy(HERE / "Sides.v", folder / "theory")
    shutil.copy(HERE / "archive_check.py", folder / "check.py")
    with (folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for claim, path in claims:
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
            table.writerow(claim | {"file": path.relative_to(folder).as_posix(), "sha256": digest})
    with tarfile.open(f"{folder}.tar.xz", "w:xz") as packed:
        packed.add(folder, folder.name)


def all_claims(folder: Path) -> Iterator[Claim]:
    """Return all claims of the archive, each found when it is asked for."""
    return chain(
        theorem_claims(folder),
        atlas_claims(folder, lines_of(DATA)),
        strip_claims(folder, STRIPS),
        square_claims(folder, FREE),
        turn_claims(folder, TURNS),
        fewest_claims(folder, FEWEST),
        bound_claims(folder, (int(line["n"]) for line in lines_of(turns.DATA))),
        count_claims(folder, COUNTS),
        certified_count_claims(folder, CERTIFIED_COUNTS),
    )


def told(claim: str, command: str, method: str, before: str) -> dict[str, str]:
    """Return a claim by its columns."""
    return {"claim": claim, "command": command, "method": method, "before": before}


def theorem_claims(folder: Path) -> Iterator[Claim]:
    """Yield the claims for all sizes, and the files with their proofs."""
    words = "no board with an even side below 2(p + q) has a closed tour of a free (p, q) leaper"
    before = "the knight: Schwenk 1991; smallest boards of (1, q) and (q - 1, q): Knuth 1994"
    yield told(words, "coqc Sides.v", "a theorem for Rocq", before), folder / "theory" / "Sides.v"


def atlas_claims(folder: Path, lines: Iterable[dict[str, str]]) -> Iterator[Claim]:
    """Yield each claim of the atlas and what shows it."""
    for line in lines:
        leaper, size, kind = line["leaper"], line["board"], line["kind"]
        known = BEFORE.get(f"{leaper} {size} {kind}", BEFORE.get(leaper, NOT_KNOWN))
        before = known if says_something(line) or leaper == "1,2" else "immediate"
        claimed = claim_of_tour if line["answer"] == "tour" else claim_of_none
        yield claimed(folder, Board.parse(size, leaper=leaper), before, closed=kind == "closed")


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
        before = "Knuth 1994" if p in (1, q - 1) else NOT_KNOWN
        yield from (claim_of_none(folder, board, before, closed=True) for board in squares.smaller_squares(p, q))


def turn_claims(folder: Path, boards: Iterable[str]) -> Iterator[Claim]:
    """Yield the claims that boards have tours with so few turns, and the tours."""
    for size in boards:
        path = folder / "tours" / f"turns_{size}.json"
        if not path.exists():
            found = best(size, closed=True, minimize="turns")
            save_tour(path, Board.parse(size), found.answer, closed=True, turns=found.value)
        made = json.loads(path.read_bytes())["turns"]
        words = f"a closed tour of the {size} board has {made} turns"
        yield told(words, f"best {size} --closed --minimize turns", "a tour", NOT_KNOWN), path


def fewest_claims(folder: Path, asked: Iterable[tuple[str, str]]) -> Iterator[Claim]:
    """Yield the claims of the fewest turns or crossings, and their certificates."""
    for size, objective in asked:
        path = folder / "certificates" / f"fewest_{objective}_{size}"
        claimed = claimed_in(path, partial(fewest, size, objective))
        words = f"a closed tour of the {size} board has {claimed['best']['value']} {objective}, and none has fewer"
        command = f"best {size} --closed --minimize {objective} --certificate {path.name}"
        yield told(words, command, "branch and bound with sums of rows", NOT_KNOWN), path


def bound_claims(folder: Path, sides: Iterable[int]) -> Iterator[Claim]:
    """Yield the claims of the fewest turns that closed tours of these squares may have, and their certificates."""
    for n in sides:
        path = folder / "certificates" / f"turns_{n}x{n}_at_least"
        claimed_in(path, partial(turns.certificate, n, n))
        words, before = (
            f"no closed tour of the {n}x{n} board has fewer than {8 * n - 24} turns",
            "(6 - ε)n: Besa et al. 2022",
        )
        yield told(words, "python docs/turns.py", METHODS["lp"], before), path


def fewest(size: str, objective: str) -> Certificate:
    """Return the certificate of the fewest turns or crossings of closed tours of a board that has some."""
    found = best(size, closed=True, minimize=objective)
    assert found.answer.tour is not None
    return prove_best(found.goal, found.answer.tour.vertices)


def count_claims(folder: Path, asked: Iterable[tuple[str, str]]) -> Iterator[Claim]:
    """Yield the claims of numbers of tours that no certificate shows, each a file of its own."""
    for where, kind in asked:
        path = folder / "counts" / f"{where.replace(':', '_')}_{kind}.json"
        if not path.exists():
            counted = {"board": where, "kind": kind, "tours": count(where, closed=kind == "closed")}
            path.write_text(json.dumps(counted), encoding="utf-8")
        words = (
            f"{where} has {json.loads(path.read_bytes())['tours']:,} {kind} tours, by the word of the frontier method"
        )
        command = f"count {where}{' --closed' * (kind == 'closed')}"
        yield told(words, command, "a claim", BEFORE[f"{where} {kind}"]), path


def certified_count_claims(folder: Path, asked: Iterable[tuple[str, str]]) -> Iterator[Claim]:
    """Yield the claims of numbers of tours, and their certificates."""
    for where, kind in asked:
        path = folder / "certificates" / f"count_{where}_{kind}"
        claimed = claimed_in(path, partial(prove, where, closed=kind == "closed", counted=True))
        words = f"{where} has exactly {claimed['tours']:,} {kind} tours"
        command = f"prove {where}{' --closed' * (kind == 'closed')} --count"
        yield told(words, command, METHODS[claimed["method"]], "in print"), path


def claim_of_tour(folder: Path, board: Board, before: str, *, closed: bool) -> Claim:
    """Return the claim that the board has a tour, and its file."""
    path = folder / "tours" / f"{name_of(board, closed=closed)}.json"
    if not path.exists():
        save_tour(path, board, solve(board, closed=closed), closed=closed)
    words = f"the {sides_of(board)} board has {'a closed' if closed else 'an open'} tour of the ({board.piece}) leaper"
    return told(words, f"solve {typed(board, closed=closed)}", "a tour", before), path


def claim_of_none(folder: Path, board: Board, before: str, *, closed: bool) -> Claim:
    """Return the claim that the board has no tour, and the folder of its certificate, with a theorem if there are 3
    squares or more."""
    path = folder / "certificates" / name_of(board, closed=closed)
    claimed = claimed_in(path, partial(prove, board, closed=closed), rocq=board.graph.order >= 3)
    words = f"the {sides_of(board)} board has no {'closed' if closed else 'open'} tour of the ({board.piece}) leaper"
    return told(words, f"prove {typed(board, closed=closed)}", METHODS[claimed["method"]], before), path


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


def claimed_in(path: Path, find: Callable[[], Certificate | Answer], *, rocq: bool = False) -> dict[str, Any]:
    """Return what the certificate in a folder claims; if there is none it is found and written first."""
    if not (path / CLAIM).exists():
        certificate = find()
        if isinstance(certificate, Answer):
            raise AssertionError(f"{path.name}: there is no certificate")
        for file in certificate.write(path, rocq=rocq, force=True):
            if file.name not in CERTIFICATE:
                file.unlink()
    claimed: dict[str, Any] = json.loads((path / CLAIM).read_bytes())
    return claimed


if __name__ == "__main__":
    main(Path(sys.argv[1]), all_claims(Path(sys.argv[1])))
