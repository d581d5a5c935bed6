"""The archive of results: the tours and certificates of the atlas and of the records, for others to cite and check.

``python lab/archive.py FOLDER`` makes the folder and ``FOLDER.tar.xz``; stopped, it goes on where it was. It has

* ``claims.csv``: a line for each claim, with the command that repeats it, the method, who had it before, the file or
  folder that shows it, and the SHA-256 digest of that: of its files with their names and lengths, one after the other;
* ``tours/``: a tour each, as JSON: the board, its leaper, whether it is closed, and the squares in order;
* ``certificates/``: a certificate each that there is no tour, with a theorem for Rocq where that can be stated, or of
  how many tours there are, or that none is better;
* ``counts/``: numbers of tours that no certificate shows;
* ``theory/``: what these theorems stand on, and theorems on boards of all sizes;
* ``check.py``, that is ``archive_check.py``: plain Python that derives each claim from its files and checks all tours
  and formulas without this project. The words of the claims are written there and nowhere else.
"""

import csv
import json
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

import archive_check
import squares
import strips
import turns
from atlas import DATA, says_something
from tables import lines_of

from cpsat_tour import Answer, Board, Certificate, best, count, prove, solve
from cpsat_tour.proofs.write.rocq import theory
from cpsat_tour.proofs.write.tour_certificates import prove_best

HERE = Path(__file__).resolve().parent

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

NOT_KNOWN = "not known to us"

FIRST_SQUARES = {"1,4": "Frost 1886", "2,3": "Frost 1886", "2,5": "Willcocks 1976", "3,4": "Willcocks 1976"}
"""Who first had a closed tour of the square of side 2(p + q), by the leaper (Beluhov 2017 says so)."""

FIRST_STRIPS = ("Bergholt 1918", *["Jelliss"] * 2, *["Knuth"] * 2, *["Jünger"] * 6)
"""Who first had the narrowest strip of the (n, n + 1) leaper, from n = 1 on, as OEIS A152138 says."""

STRAIGHT = "Onitiu 1932 has the tour; Knuth 2025, a census of all closed tours"

BEFORE = {
    "1,2": "theorems: Schwenk 1991; Cull & De Curtins 1978",
    "1,4 11x11 open": "Waldmann, by a SAT solver",
    "5x16 open": "OEIS A083386",
    "2,3:10x10 closed": "MathWorld",
    "torus:4x4 closed": "OEIS A066037",
    "turns 8x8": STRAIGHT,
}
"""Who had what before, by leaper or by claim; others are not known to us."""


Claim = tuple[Path, str]
"""The file or folder that shows a claim, and who had it before."""


def main(folder: Path, claims: Iterable[Claim]) -> None:
    """Make the archive of these claims in the folder, a line each, and pack it."""
    for name in ("tours", "certificates", "counts", "theory"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in theory().items():
        (folder / "theory" / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    for name in archive_check.THEOREMS:
        shutil.copy(HERE / name, folder / "theory")
    shutil.copy(HERE / "archive_check.py", folder / "check.py")
    had: dict[Path, list[str]] = {}
    for path, before in claims:
        had.setdefault(path, []).append(before)
    for left in (folder / "certificates").glob(".*"):  # of a run that was killed
        shutil.rmtree(left)
    with (folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(archive_check.COLUMNS)
        table.writerows(line_of(folder, path, before) for path, before in had.items())
    with tarfile.open(f"{folder}.tar.xz", "w:xz") as packed:
        packed.add(folder, folder.name)


def line_of(folder: Path, path: Path, before: Iterable[str]) -> list[str]:
    """Return the line of the claim that a file or folder shows; several who had it before share the line."""
    files = path.iterdir() if path.is_dir() else [path]
    content = archive_check.contents(folder, [file.relative_to(folder).as_posix() for file in files])
    claim, command, method, file, _ = archive_check.row_of(path.relative_to(folder).as_posix(), content)
    known = dict.fromkeys(who for who in before if who != NOT_KNOWN)
    return [claim, command, method, "; ".join(known) or NOT_KNOWN, file, archive_check.digest(content)]


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


def theorem_claims(folder: Path) -> Iterator[Claim]:
    """Yield the claims for all sizes, and the folder with their proofs."""
    yield folder / "theory", "the knight: Schwenk 1991; smallest boards of (1, q) and (q - 1, q): Knuth 1994"


def atlas_claims(folder: Path, lines: Iterable[dict[str, str]]) -> Iterator[Claim]:
    """Yield each claim of the atlas."""
    for line in lines:
        leaper, size, kind = line["leaper"], line["board"], line["kind"]
        known = BEFORE.get(f"{leaper} {size} {kind}", BEFORE.get(leaper, NOT_KNOWN))
        before = known if says_something(line) or leaper == "1,2" else "immediate"
        board, tour = Board.parse(size, leaper=leaper), line["answer"] == "tour"
        p, q = map(int, leaper.split(","))
        if known == NOT_KNOWN and tour and kind == "closed" and board.rows == board.cols == 2 * (p + q):
            before = who_had_square(p, q)
        yield (claim_of_tour if tour else claim_of_none)(folder, board, closed=kind == "closed"), before


def who_had_square(p: int, q: int) -> str:
    """Return who had the closed tour of the square of side 2(p + q) before."""
    knuth = ["Knuth 1994"] * (p in (1, q - 1))
    return "; ".join([FIRST_SQUARES[f"{p},{q}"]] if f"{p},{q}" in FIRST_SQUARES else [*knuth, "Beluhov 2017"])


def strip_claims(folder: Path, narrowest: Mapping[int, int]) -> Iterator[Claim]:
    """Yield the claims that (2n + 1) x N is the narrowest strip with a closed tour of the (n, n + 1) leaper: those of
    each smaller even width that the theorem leaves, and the tour."""
    for n, least in narrowest.items():
        before = f"{FIRST_STRIPS[n - 1]} (OEIS A152138)" if n <= len(FIRST_STRIPS) else NOT_KNOWN
        for board in strips.strips(n):
            if board.cols == least:
                yield claim_of_tour(folder, board, closed=True), before
                break
            yield claim_of_none(folder, board, closed=True), before


def square_claims(folder: Path, leapers: Iterable[tuple[int, int]]) -> Iterator[Claim]:
    """Yield the claims that no even square smaller than 2(p + q) has a closed tour of the (p, q) leaper."""
    for p, q in leapers:
        before = "Knuth 1994" if p in (1, q - 1) else NOT_KNOWN
        yield from ((claim_of_none(folder, board, closed=True), before) for board in squares.smaller_squares(p, q))


def turn_claims(folder: Path, boards: Iterable[str]) -> Iterator[Claim]:
    """Yield the claims that boards have tours with so few turns."""
    for size in boards:
        path = folder / "tours" / f"turns_{size}.json"
        if not path.exists():
            found = best(size, closed=True, minimize="turns")
            save_tour(path, Board.parse(size), found.answer, closed=True, turns=found.value)
        yield path, BEFORE.get(f"turns {size}", NOT_KNOWN)


def fewest_claims(folder: Path, asked: Iterable[tuple[str, str]]) -> Iterator[Claim]:
    """Yield the claims of the fewest turns or crossings."""
    for size, objective in asked:
        path = folder / "certificates" / f"fewest_{objective}_{size}"
        yield certified(path, partial(fewest, size, objective)), BEFORE.get(f"{objective} {size}", NOT_KNOWN)


def bound_claims(folder: Path, sides: Iterable[int]) -> Iterator[Claim]:
    """Yield the claims of the fewest turns that closed tours of these squares may have."""
    for n in sides:
        path = folder / "certificates" / f"turns_{n}x{n}_at_least"
        yield certified(path, partial(turns.certificate, n, n)), "(6 - ε)n: Besa et al. 2022"


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
        yield path, BEFORE[f"{where} {kind}"]


def certified_count_claims(folder: Path, asked: Iterable[tuple[str, str]]) -> Iterator[Claim]:
    """Yield the claims of numbers of tours that a certificate shows."""
    for where, kind in asked:
        path = folder / "certificates" / f"count_{where}_{kind}"
        yield certified(path, partial(prove, where, closed=kind == "closed", counted=True)), "in print"


def claim_of_tour(folder: Path, board: Board, *, closed: bool) -> Path:
    """Return the file of a tour of the board."""
    path = folder / "tours" / f"{name_of(board, closed=closed)}.json"
    if not path.exists():
        save_tour(path, board, solve(board, closed=closed), closed=closed)
    return path


def claim_of_none(folder: Path, board: Board, *, closed: bool) -> Path:
    """Return the folder of the certificate that the board has no tour, with a theorem if it has 3 squares or more."""
    path = folder / "certificates" / name_of(board, closed=closed)
    return certified(path, partial(prove, board, closed=closed), rocq=board.graph.order >= 3)


def name_of(board: Board, *, closed: bool) -> str:
    """Return the name of what shows a claim: ``2,3_5x8_closed``."""
    return f"{board.piece}_{board.rows}x{board.cols}_{'closed' if closed else 'open'}"


def save_tour(path: Path, board: Board, answer: Answer, *, closed: bool, turns: int | None = None) -> None:
    """Write the tour of an answer, with the turns that it is to have."""
    if answer.tour is None:
        raise AssertionError(f"{path.name}: there is no tour")
    squares = board.squares[list(answer.tour.vertices)]
    data = board.data() | {"closed": closed, "squares": [divmod(int(square), board.cols) for square in squares]}
    path.write_text(json.dumps(data | ({} if turns is None else {"turns": turns})), encoding="utf-8")


def certified(path: Path, find: Callable[[], Certificate | Answer], *, rocq: bool = False) -> Path:
    """Return the folder of a certificate; if there is none it is found and written first."""
    if not (path / "certificate.json").exists():
        certificate = find()
        if isinstance(certificate, Answer):
            raise AssertionError(f"{path.name}: there is no certificate")
        for file in certificate.write(path, rocq=rocq, force=True):
            if file.name not in archive_check.CERTIFICATE:
                file.unlink()
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]), all_claims(Path(sys.argv[1])))
