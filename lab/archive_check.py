"""Checks the archive without the program that made it: ``python check.py`` in its folder; plain Python, no packages.

What lies in the folder says by itself what it shows. So this script reads it and writes each line of ``claims.csv``
anew, all but the column ``before``: the claim, its command, its method, where it lies, its digest. A line that differs
or is there twice is wrong, a file that no line is about, and claims that contradict each other. It makes sure that

* a tour visits each square of its board once, by moves of its leaper, and turns as often as it says;
* the formula ``problem.opb`` of a certificate has the rows that every tour of this board satisfies, and no others:
  two moves at each square (an open tour has one more, the apex, between its ends), two moves that leave each cut set,
  and what a variable for a pair of moves means; and ``proof.pbp`` claims of it what the line claims;
* ``proof.v`` is, but for its evidence, the theorem that the line claims.

That a proof proves what it claims is for others to check: VeriPB reads ``problem.opb`` and ``proof.pbp``; Rocq reads
``proof.v`` beside the files of ``theory``. These files, and the numbers in ``counts``, are known by digests alone.
"""

import csv
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any, NoReturn

COLUMNS = ["claim", "command", "method", "before", "file", "sha256"]

CERTIFICATE = ("certificate.json", "problem.opb", "proof.pbp", "proof.v")
"""The files of a certificate; the last only where there is no tour of three squares or more."""

THEOREMS = {
    "Sides.v": "no board with an even side below 2(p + q) has a closed tour of a free (p, q) leaper",
    "Strips.v": "no board of 2n + 1 rows and at most n(2n + 1) columns has a tour of an (n, n + 1) leaper",
    "Turns.v": "a closed knight's tour of m x n has at least 4(m + n) - 24 turns if m and n are at least 18",
}
"""What holds for all sizes, by the file that has the theorems for Rocq."""

NAMES = {
    (0, 1): "wazir",
    (0, 2): "dabbaba",
    (0, 3): "threeleaper",
    (1, 1): "fers",
    (1, 3): "camel",
    (1, 4): "giraffe",
    (2, 2): "alfil",
    (2, 3): "zebra",
    (3, 3): "tripper",
}
"""Leapers that have names besides the knight."""

MAX_SIDE, MAX_DIGITS, MAX_BYTES = 1000, 40, 2**25

Bounds = tuple[str, int, float]
"""A number that a claim is about, such as that of the tours of a board, and what it is at least and at most."""

Row = tuple[str, str, str, str, Bounds]
"""What a thing shows, as a line says it: claim, command, method, file; and what bounds that sets."""


class Wrong(Exception):
    """A fault of the archive, in words."""


def expect(right: object, fault: str) -> None:
    """Raise `Wrong` with this fault unless it is right."""
    if not right:
        raise Wrong(fault)


def main(folder: Path) -> int:
    """Print each fault of the archive in a folder, and what was checked; return how many faults there are."""
    faults, rows, bounds, kinds = list[str](), dict[str, list[str]](), list[Bounds](), list[str]()
    try:
        found, lines = things(folder), table(folder / "claims.csv")
    except (Wrong, ValueError, OSError, csv.Error) as fault:
        found, lines, faults = {}, [], [str(fault)]
    for thing, files in found.items():
        try:
            content = contents(folder, files)
            *row, bound = row_of(thing, content)
            rows[thing] = [*map(str, row), digest(content)]
            bounds.append(bound)
        except (Wrong, ValueError, TypeError, KeyError, RecursionError, OSError) as fault:
            faults.append(f"{thing!r:.80}: {fault}")
        kinds.append(thing.partition("/")[0])
    listed = [line[4] for line in lines]
    faults += [f"{thing!r:.80}: no line of claims.csv is about it" for thing in sorted({*found} - {*listed})]
    faults += [f"{thing!r:.80}: two lines are about it" for thing in sorted({*listed}) if listed.count(thing) > 1]
    for number, (claim, command, method, before, file, sha256) in enumerate(lines, start=2):
        mine = rows.get(file)
        if file not in found:
            faults.append(f"line {number}: the archive has no {file!r:.80}")
        elif mine is not None and mine != [claim, command, method, file, sha256]:
            faults.append(f"line {number}: {file!r:.80} shows {mine}")
        elif not before or not before.isprintable():
            faults.append(f"line {number} does not say who had it before")
    faults += contradictions(bounds)
    print(*map(ascii, faults), sep="\n", end="\n" * bool(faults))
    tours = kinds.count("tours")
    print(f"{tours} tours checked, {kinds.count('certificates')} certificates for VeriPB", end=", ")
    print(f"{len(kinds) - tours - kinds.count('certificates')} others by their digests, {len(faults)} wrong")
    return len(faults)


def things(folder: Path) -> dict[str, list[str]]:
    """Return the files of each thing that a line may be about, by its name: a file, or a folder of files."""
    found, folders = dict[str, list[str]](), [""]
    for inside in folders:  # which grows
        for entry in sorted(os.scandir(folder / inside), key=lambda entry: entry.name):
            name, depth = inside + entry.name, inside.count("/")
            top = name.partition("/")[0]
            expect(not entry.is_symlink(), f"{name!r:.80} is a link")
            if entry.is_dir():
                expect(depth < 1 + (top == "certificates"), f"{name!r:.80} has no place in the archive")
                folders.append(f"{name}/")
            elif name not in ("claims.csv", "check.py"):
                levels = {"tours": 1, "counts": 1, "theory": 1, "certificates": 2}
                expect(entry.is_file() and levels.get(top) == depth, f"{name!r:.80} has no place in the archive")
                found.setdefault(name if top in ("tours", "counts") else inside[:-1], []).append(name)
    expect(found, "the archive is empty")
    return found


def contents(folder: Path, files: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of each file by its name in the archive."""
    for name in files:
        expect((folder / name).stat().st_size <= MAX_BYTES, f"{name} has more than {MAX_BYTES:,} bytes")
    return {name: (folder / name).read_bytes() for name in sorted(files)}


def digest(content: dict[str, bytes]) -> str:
    """Return the SHA-256 digest of files with their names and lengths."""
    parts = (f"{name}\n{len(data)}\n".encode() + data for name, data in sorted(content.items()))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def table(path: Path) -> list[list[str]]:
    """Return the lines of claims.csv below its header."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *lines = [*csv.reader(file, strict=True)] or [[]]
    expect(header == COLUMNS, f"claims.csv does not begin with {','.join(COLUMNS)}")
    expect(lines, "claims.csv has no claims")
    for number, line in enumerate(lines, start=2):
        expect(len(line) == len(COLUMNS), f"line {number} of claims.csv has {len(line)} columns")
    return lines


def contradictions(bounds: Iterable[Bounds]) -> list[str]:
    """Return a fault for each number that is, by one claim, more than another claim allows."""
    least, most = dict[str, float](), dict[str, float]()
    for number, low, high in bounds:
        least[number] = max(low, least.get(number, 0))
        most[number] = min(high, most.get(number, inf))
    return [f"two claims contradict each other about {name}" for name in sorted(least) if least[name] > most[name]]


def row_of(thing: str, content: dict[str, bytes]) -> Row:
    """Return what a thing shows; `Wrong` if there is a fault in it."""
    top = thing.partition("/")[0]
    if top == "theory":
        absent = [name for name in THEOREMS if f"theory/{name}" not in content]
        expect(not absent, f"there is no {absent}")
        return (
            "; ".join(THEOREMS.values()),
            f"coqc {' '.join(THEOREMS)}",
            "theorems for Rocq",
            thing,
            ("theorems", 0, inf),
        )
    if top == "certificates":
        row = row_of_certificate({file.rpartition("/")[2]: data for file, data in content.items()})
    else:
        row = (row_of_tour if top == "tours" else row_of_count)(read_json(content[thing]))
    expect(row[3] == thing, f"what lies there should be called {row[3]}")
    return row


def read_json(data: bytes) -> Any:
    """Return what a JSON file says; `Wrong` if a member is there twice, or a number is not whole or is enormous."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        expect(len(dict(pairs)) == len(pairs), "a member is there twice")
        return dict(pairs)

    def whole(digits: str) -> int:
        expect(len(digits) <= MAX_DIGITS, "a number has too many digits")
        return int(digits)

    def other(number: str) -> NoReturn:
        raise Wrong(f"{number:.20} is not a whole number")

    hooks: dict[str, Any] = {"object_pairs_hook": members, "parse_int": whole}
    return json.loads(data.decode("utf-8"), parse_float=other, parse_constant=other, **hooks)


def members_of(data: Any, names: str, *optional: str) -> tuple[Any, ...]:
    """Return these members of an object; `Wrong` if it lacks one, or has others that are not optional."""
    expect(type(data) is dict, f"there is no object with {names}")
    expect({*names.split()} <= {*data} <= {*names.split(), *optional}, f"the members are not {names}")
    return tuple(data[name] for name in names.split())


def is_whole(number: object, least: int, most: int = 10**MAX_DIGITS) -> bool:
    """Return True if this is a whole number from least to most; True and False are none."""
    return type(number) is int and least <= number <= most


class Board:
    """A board without holes and the kind of tour that is asked for; ``typed`` and ``name`` write both."""

    def __init__(self, data: dict[str, Any], closed: object) -> None:
        self.rows, self.cols, holes, leaper = members_of(data, "rows cols holes leaper")
        expect(is_whole(self.rows, 1, MAX_SIDE) and is_whole(self.cols, 1, MAX_SIDE), "these are not sides of a board")
        expect(holes == [], "it has holes, and no claim of the archive is about a board with holes")
        expect(type(leaper) is list and len(leaper) == 2, "the leaper has not two numbers")
        expect(all(is_whole(length, 0, MAX_SIDE) for length in leaper) and leaper == sorted(leaper), "what a leaper!")
        expect(type(closed) is bool, "it does not say whether tours are closed")
        self.leaper, self.piece, self.order = tuple(leaper), f"{leaper[0]},{leaper[1]}", self.rows * self.cols
        self.closed, self.kind, self.sides = closed is True, "closed" if closed else "open", f"{self.rows}x{self.cols}"
        self.typed = f"{self.piece}:{self.sides}{' --closed' * bool(closed)}"
        self.name = f"{self.piece}_{self.sides}_{self.kind}"

    def expect_knight(self) -> None:
        """Raise `Wrong` if the piece, which the claim does not name, is not a knight."""
        expect(self.leaper == (1, 2), f"the claim is about a knight, and this about a ({self.piece}) leaper")


def row_of_tour(data: Any) -> Row:
    """Return what a tour shows; `Wrong` if it is none."""
    *board_data, closed, squares = members_of(data, "rows cols holes leaper closed squares", "turns")
    board = Board(dict(zip(("rows", "cols", "holes", "leaper"), board_data, strict=True)), closed)
    visits = [tuple(square) for square in squares]
    for at in visits:
        on_board = len(at) == 2 and is_whole(at[0], 0, board.rows - 1) and is_whole(at[1], 0, board.cols - 1)
        expect(on_board, f"{at!r:.40} is not on the board")
    expect(len(visits) == len({*visits}) == board.order, "it does not visit every square once")
    expect(board.order > 2 or not closed, "a closed tour has three squares or more")
    following = visits[1:] + visits[:1] * board.closed
    steps = [(to[0] - at[0], to[1] - at[1]) for at, to in zip(visits, following, strict=False)]
    for at, step in zip(visits, steps, strict=False):
        expect(sorted(map(abs, step)) == [*board.leaper], f"the step from {at} is not a move")
    if "turns" not in data:
        words = f"the {board.sides} board has {'a closed' if closed else 'an open'} tour of the ({board.piece}) leaper"
        return words, f"solve {board.typed}", "a tour", f"tours/{board.name}.json", (f"tours of {board.typed}", 1, inf)
    board.expect_knight()
    turns = sum(step != other for step, other in zip(steps, steps[1:] + steps[:1], strict=True))
    expect(closed and is_whole(data["turns"], 0) and data["turns"] == turns, f"it has {turns} turns")
    words, command = f"a closed tour of the {board.sides} board has {turns} turns", "--closed --minimize turns"
    file, bounds = f"tours/turns_{board.sides}.json", (f"turns of {board.sides}", 0, turns)
    return words, f"best {board.sides} {command}", "a tour", file, bounds


def row_of_count(data: Any) -> Row:
    """Return what a number of tours claims."""
    where, kind, tours = members_of(data, "board kind tours")
    expect(re.fullmatch(r"(torus:|[0-9]+,[0-9]+:)?[0-9]+x[0-9]+", where), "this is not a board")
    expect(kind in ("open", "closed") and is_whole(tours, 0), "this is not a number of open or closed tours")
    words = f"{where} has {tours:,} {kind} tours, by the word of the frontier method"
    asked = f"{where}{' --closed' * (kind == 'closed')}"
    bounds = (f"tours of {asked if ':' in asked else '1,2:' + asked}", tours, tours)
    return words, f"count {asked}", "a claim", f"counts/{where.replace(':', '_')}_{kind}.json", bounds


def row_of_certificate(files: dict[str, bytes]) -> Row:
    """Return what a certificate claims; `Wrong` unless its formula is true of all tours of the board, and its proof
    claims the same."""
    data = read_json(files["certificate.json"])
    names = "format method problem cut_sets"
    form, method, problem, cut_sets = members_of(data, names, "versions", "tours", "best")
    asked, closed, *others = members_of(problem, "board closed start end require forbid")
    expect(others == [None, None, [], []], "it is about tours that have to do more than visit all squares")
    expect(form == "cpsat-tour certificate 1" and not {"tours", "best"} <= {*data}, "it has not the form of one")
    board = Board(asked, closed)
    best, tours, where = data.get("best"), data.get("tours"), board.sides
    if best is not None or tours is not None:
        board.expect_knight()
    if best is not None:
        objective, maximize, value, shown = members_of(best, "objective maximize value shown")
        expect(objective in ("turns", "crossings") and maximize is False and closed, "it has no such best value")
        expect(is_whole(value, 0) and type(shown) is bool, "it has no value")
        name = f"fewest_{objective}_{where}" if shown else f"{objective}_{where}_at_least"
        words = f"a closed tour of the {where} board has {value} {objective}, and none has fewer"
        words = words if shown else f"no closed tour of the {where} board has fewer than {value} {objective}"
        command = f"best {where} --closed --minimize {objective} --certificate {name}"
        command = command if shown else "python lab/turns.py"
        conclusion = f"BOUNDS {value} : [0-9]+ {value if shown else 'INF'}"
        bounds = (f"{objective} of {where}", value, value if shown else inf)
    elif tours is not None:
        expect(is_whole(tours, 1), "it has no number of tours")
        words, name = f"{where} has exactly {tours:,} {board.kind} tours", f"count_{where}_{board.kind}"
        command = f"prove {where}{' --closed' * closed} --count"
        conclusion, bounds = f"ENUMERATION_COMPLETE {tours} : [0-9]+", (f"tours of {board.typed}", tours, tours)
    else:
        words, name = f"the {where} board has no {board.kind} tour of the ({board.piece}) leaper", board.name
        command, conclusion = f"prove {board.typed}", "UNSAT : [0-9]+"
        bounds = (f"tours of {board.typed}", 0, 0)
    theorem = best is None and tours is None and board.order > 2
    expect({*files} == {*CERTIFICATE[: 3 + theorem]}, f"its files are not {', '.join(CERTIFICATE[: 3 + theorem])}")
    rows = (line for line in lines_of(files["problem.opb"]) if not line.startswith("*"))
    for row in formula(board, cut_sets, None if best is None else objective, counted=tours is not None):
        expect(next(rows, None) == row, f"problem.opb has not the row {row:.80}, or not in its place")
    expect(next(rows, None) is None, "problem.opb has more rows than these")
    expect(method == method_of(files["proof.pbp"], conclusion), "proof.pbp does not claim this, or not by this method")
    if theorem:
        expect(states(files["proof.v"].decode("utf-8"), board), "proof.v has not this theorem")
    sums = "branch and bound with sums of rows" if best and shown else "a sum of rows"
    said = {"lp": sums, "clausal": "a clausal proof"}
    return words, command, said[method], f"certificates/{name}", bounds


def formula(board: Board, cut_sets: Any, objective: str | None, *, counted: bool) -> Iterator[str]:
    """Yield the lines of problem.opb but its comments. They are true of every tour of the board, a variable being 1
    where its move, or both moves of its pair, are made."""
    rows, cols, order = board.rows, board.cols, board.order
    signed = {(a * x, b * y) for x, y in (board.leaper, board.leaper[::-1]) for a in (-1, 1) for b in (-1, 1)}
    onward = sorted(step for step in signed if step > (0, 0))
    moves = [
        (row * cols + col, (row + down) * cols + col + right)
        for row in range(rows)
        for col in range(cols)
        for down, right in onward
        if row + down < rows and 0 <= col + right < cols
    ]
    pairs = [*pairs_of(moves, board, objective)]
    moves += [] if board.closed else [(square, order) for square in range(order)]
    at: list[list[int]] = [[] for _ in range(order + (not board.closed))]
    for variable, (tail, head) in enumerate(moves, start=1):
        at[tail].append(variable)
        at[head].append(variable)
    variables = range(len(moves) + 1, len(moves) + len(pairs) + 1)
    if counted:
        yield " ".join(["preserved:", *(f"x{x}" for x in range(1, len(moves) + 1)), ";"])
    if objective == "turns":
        yield " ".join(["min:", *(f"-1 x{x}" for x in variables), str(order), ";"])
    elif objective:
        yield " ".join(["min:", *(f"+1 x{x}" for x in variables), ";"])
    for variables_there in at:
        yield f"{total(variables_there)} = 2 ;"
    for x, (first, second) in zip(variables, pairs, strict=True):
        if objective == "turns":
            yield f"+1 ~x{x} +1 x{first} >= 1 ;"
            yield f"+1 ~x{x} +1 x{second} >= 1 ;"
        else:
            yield f"+1 x{x} +1 ~x{first} +1 ~x{second} >= 1 ;"
    numbers = {f"{letters(square % cols)}{rows - square // cols}": square for square in range(order)} | {"apex": order}
    for cut_set in cut_sets:
        inside = {numbers[name] for name in cut_set}
        part = 0 < len(inside) == len(cut_set) < len(at) and max(inside) < len(at)
        expect(part, "a cut set is not a part of the board")
        leaving = [x for x, (tail, head) in enumerate(moves, start=1) if (tail in inside) != (head in inside)]
        yield f"{total(leaving)} >= 2 ;"


def lines_of(data: bytes) -> list[str]:
    """Return the lines of an ASCII file, which only line feeds end."""
    return data.decode("ascii").removesuffix("\n").split("\n")


def total(variables: list[int]) -> str:
    """Return the sum of variables as OPB writes it."""
    return " ".join(f"+1 x{x}" for x in variables) or "+0 x1"


def letters(col: int) -> str:
    """Return the letters of a column counted from 0: a to z, aa, ab, …"""
    before, last = divmod(col, 26)
    return (letters(before - 1) if before else "") + chr(ord("a") + last)


def pairs_of(moves: list[tuple[int, int]], board: Board, objective: str | None) -> list[tuple[int, int]]:
    """Return the pairs of moves that count, by the moves' variables: those in line at a square, or those that cross."""
    points = [[divmod(square, board.cols) for square in move] for move in moves]
    if objective == "crossings":
        numbered = combinations(range(len(moves)), 2)
        return [(i + 1, j + 1) for i, j in numbered if cross(*points[i], *points[j])]
    pairs = []
    variable = {(tail, head): x for x, (tail, head) in enumerate(points, start=1)}
    for tail, head in points if objective else ():
        beyond = (2 * head[0] - tail[0], 2 * head[1] - tail[1])
        if (head, beyond) in variable:
            pairs.append((variable[tail, head], variable[head, beyond]))
    return pairs


def cross(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Return True if a knight's moves from a to b and from c to d meet inside both; no third square lies on a move."""

    def side(of: Any, at: Any, to: Any) -> int:
        result: int = (at[0] - of[0]) * (to[1] - of[1]) - (at[1] - of[1]) * (to[0] - of[0])
        return result

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def method_of(proof: bytes, conclusion: str) -> str:
    """Return the method of a proof in the words of certificate.json; nothing if it has another conclusion."""
    lines = lines_of(proof)
    if lines[0] != "pseudo-Boolean proof version 3.0" or proof.count(b"conclusion") > 1 or b"%" in proof:
        return ""
    last = r"output NONE ;\n" + f"conclusion {conclusion} ;" + r"\nend pseudo-Boolean proof ;"
    rules = {line.partition(" ")[0] for line in lines[1:-3]}
    method = "lp" if rules <= {"f", "pol", "soli"} else "clausal"
    return method if re.fullmatch(last, "\n".join(lines[-3:])) else ""


def states(text: str, board: Board) -> bool:
    """Return True if a file for Rocq has the theorem that there is no tour, and beside it evidence alone."""
    kind, (short, long) = board.kind, board.leaper
    piece = f"{NAMES[board.leaper]} ({short},{long})" if board.leaper in NAMES else f"{short},{long} leaper"
    by = "" if board.leaper == (1, 2) else f" by a{'n' * (piece[0] == 'a')} {piece}"
    name = f"no_{kind}_tour_{board.sides}" + f"_leaper_{short}_{long}" * bool(by)
    before = f"""(** There is no {kind} tour of the {board.sides} board{by}.

    Tours.v says what that means. To check it: for f in Tours.v Cycles.v Steps.v Reductions.v Theorems.v proof.v; do
    coqc $f; done *)

Require Import Tours Steps Theorems.
From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

Definition evidence : proof := {{|
"""
    after = f""" |}}.

Theorem {name} : forall tour, ~ {kind}_tour (board {board.rows} {board.cols} []) (leaper {short} {long}) tour.
Proof. apply no_{kind}_tour_of_board with evidence; [reflexivity|vm_compute; reflexivity]. Qed.

Print Assumptions {name}.
"""
    evidence = text[len(before) : -len(after)]
    return text == before + evidence + after and bool(re.fullmatch(r"[\w :=;,()\[\]{}|%\n-]*", evidence, re.ASCII))


if __name__ == "__main__":
    sys.exit(min(main(Path(__file__).resolve().parent), 1))
