"""The archive of results: made, packed, checked by its own script in an interpreter without packages; and forged."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import archive
import archive_check
import pytest
from atlas import DATA
from tables import lines_of

TOUR, TURNS, OPEN = "tours/1,2_5x6_closed.json", "tours/turns_6x6.json", "tours/1,2_5x6_open.json"
NONE, BOUND, NUMBER = (
    "certificates/1,2_3x4_closed",
    "certificates/turns_18x18_at_least",
    "certificates/count_3x10_closed",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of the knight's boards to 5x6, of boards of one and two squares, of the one board whose certificate is
    a clausal proof, and of one claim or a few of each other part."""
    made = tmp_path_factory.mktemp("made") / "results"
    lines = lines_of(DATA)
    small = [line for line in lines if line["leaper"] == "1,2" and "20" not in line["board"]]
    small = [line for line in small if max(map(int, line["board"].split("x"))) <= 6][-18:]
    small += [line for line in lines if line["leaper"] == "1,2" and line["board"] in ("1x1", "1x2")]
    small += [line for line in lines if line["leaper"] == "1,4" and line["board"] in ("5x16", "10x10")]
    parts = (
        archive.theorem_claims(made),
        archive.atlas_claims(made, small),
        archive.strip_claims(made, {1: 10}),
        archive.square_claims(made, [(2, 3)]),
        archive.turn_claims(made, ["6x6"]),
        archive.fewest_claims(made, [("5x6", "turns"), ("5x6", "crossings")]),
        archive.bound_claims(made, [18]),
        archive.count_claims(made, [("torus:4x4", "closed")]),
        archive.certified_count_claims(made, [("3x10", "closed"), ("5x6", "closed")]),
    )
    archive.main(made, chain(*parts))
    return made


def claims_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "claims.csv").open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def test_its_script_checks_it_alone(folder: Path) -> None:
    command = [sys.executable, "-I", "-S", "check.py"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "14 tours checked, 22 certificates for VeriPB, 2 others by their digests, 0 wrong\n"


def test_every_claim_stands_once_with_its_command_and_who_had_it_before(folder: Path) -> None:
    claims = claims_of(folder)
    assert all(all(claim.values()) for claim in claims)
    for column in ("claim", "command", "file"):
        assert len({claim[column] for claim in claims}) == len(claims), column
    asked = {"solve 1,2:5x6 --closed", "prove 1,2:5x5 --closed", "best 6x6 --closed --minimize turns"}
    assert asked | {
        "solve 1,2:3x10 --closed",
        "prove 1,2:3x8 --closed",
        "prove 2,3:8x8 --closed",
        "coqc Sides.v Strips.v Turns.v",
    } <= {claim["command"] for claim in claims}
    before = {claim["claim"]: claim["before"] for claim in claims}
    theorems = archive.BEFORE["1,2"]
    assert before.items() >= {
        ("a closed tour of the 6x6 board has 32 turns", archive.NOT_KNOWN),
        ("a closed tour of the 5x6 board has 28 turns, and none has fewer", archive.NOT_KNOWN),
        ("no closed tour of the 18x18 board has fewer than 120 turns", "(6 - ε)n: Besa et al. 2022"),
        ("torus:4x4 has 1,344 closed tours, by the word of the frontier method", "OEIS A066037"),
        ("3x10 has exactly 16 closed tours", "in print"),
        ("the 3x4 board has no closed tour of the (1,2) leaper", f"{theorems}; Bergholt 1918 (OEIS A152138)"),
        ("the 10x10 board has a closed tour of the (1,4) leaper", "Frost 1886"),
    }
    methods = {claim["method"] for claim in claims}
    assert methods >= {"a tour", "a sum of rows", "a clausal proof", "branch and bound with sums of rows", "a claim"}


def test_the_page_says_how_many_claims_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SimpleNamespace(answer=None, value=0)
    monkeypatch.setattr(archive, "certified", lambda path, *_, **__: path)
    for name, found in (("solve", None), ("save_tour", None), ("best", nothing), ("count", 0)):
        monkeypatch.setattr(archive, name, lambda *_, found=found, **__: found)
    (tmp_path / "counts").mkdir()
    where = Counter(path.parent.name for path in {path for path, _ in archive.all_claims(tmp_path)})
    page = (archive.HERE / "citing.md").read_text(encoding="utf-8")
    said = f"{where.total():,} claims: {where['tours']} tours, {where['certificates']:,} certificates, three numbers of"
    assert said in page
    assert where["counts"] == 3


def test_it_is_packed_whole(folder: Path) -> None:
    with tarfile.open(f"{folder}.tar.xz") as packed:
        names = {Path(name) for name in packed.getnames()}
    assert names == {Path("results") / path.relative_to(folder) for path in folder.rglob("*")} | {Path("results")}


class Forger:
    """A copy of the archive in the hands of a forger, who can sign it anew: write the right digest into each line."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lines = folder, claims_of(folder)

    def line(self, thing: str) -> dict[str, str]:
        return next(line for line in self.lines if line["file"] == thing)

    def say(self, thing: str, *changes: tuple[str, str]) -> None:
        """Change words in all columns of a thing's line."""
        line = self.line(thing)
        for column in line:
            for old, new in changes:
                line[column] = line[column].replace(old, new)

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_bytes(data)

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """Change text in a file."""
        text = (self.folder / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.write(name, text.encode())

    def set(self, name: str, **members: Any) -> None:
        """Change members of a JSON file."""
        self.write(name, json.dumps(json.loads((self.folder / name).read_bytes()) | members).encode())

    def sign(self) -> None:
        for line in self.lines:
            path = self.folder / line["file"]
            files = sorted(path.rglob("*")) if path.is_dir() else [path] * path.is_file()
            content = {file.relative_to(self.folder).as_posix(): file.read_bytes() for file in files if file.is_file()}
            line["sha256"] = archive_check.digest(content) if content else line["sha256"]
        self.put_table()

    def put_table(self, columns: list[str] = archive_check.COLUMNS) -> None:
        with (self.folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, columns, lineterminator="\n")
            table.writeheader()
            table.writerows(self.lines)


def words_of_another_board(forger: Forger) -> None:
    forger.say(TOUR, ("5x6", "7x8"))


def almost_all_squares_are_holes(forger: Forger) -> None:
    holes = [[row, col] for row in range(11) for col in range(11) if (row, col) not in ((0, 0), (1, 2))]
    data = {"rows": 11, "cols": 11, "holes": holes, "leaper": [1, 2], "closed": False, "squares": [[0, 0], [1, 2]]}
    forger.write("tours/1,2_11x11_open.json", json.dumps(data).encode())
    forger.lines.append(forger.line(OPEN) | {"file": "tours/1,2_11x11_open.json"})
    forger.say("tours/1,2_11x11_open.json", ("5x6", "11x11"))


def any_folder(forger: Forger) -> None:
    forger.lines = [line for line in forger.lines if line["file"] != TOUR]
    (forger.folder / TOUR).unlink()
    forger.say("certificates/1,2_4x4_closed", ("the 4x4", "the 5x6"), ("1,2:4x4", "1,2:5x6"))


def not_the_plain_name(forger: Forger) -> None:
    forger.line(TOUR)["file"] = f"./{TOUR}"


def no_turns(forger: Forger) -> None:
    data = json.loads((forger.folder / TURNS).read_bytes())
    forger.write(TURNS, json.dumps({name: data[name] for name in data if name != "turns"}).encode())
    forger.say(TURNS, ("32 turns", "4 turns"))


def fewer_turns(forger: Forger) -> None:
    forger.set(TURNS, turns=30)
    forger.say(TURNS, ("32 turns", "30 turns"))


def open_for_closed(forger: Forger) -> None:
    forger.write(TOUR, (forger.folder / OPEN).read_bytes())


def open_called_closed(forger: Forger) -> None:
    """The board has no closed tour."""
    data = (forger.folder / "tours/1,2_3x4_open.json").read_bytes()
    forger.write(TOUR, data.replace(b'"closed": false', b'"closed": true'))


def no_lines(forger: Forger) -> None:
    forger.lines = []


def nothing_at_all(forger: Forger) -> None:
    forger.lines = []
    for top in ("tours", "certificates", "counts", "theory"):
        shutil.rmtree(forger.folder / top)


def bytes_moved(forger: Forger) -> None:
    one, other = (forger.folder / "theory" / name for name in ("Cycles.v", "Reductions.v"))
    one.write_bytes(one.read_bytes() + other.read_bytes()[:9])
    other.write_bytes(other.read_bytes()[9:])


def file_renamed(forger: Forger) -> None:
    (forger.folder / "theory" / "Cycles.v").rename(forger.folder / "theory" / "Cyclez.v")


def a_link(forger: Forger) -> None:
    shutil.copy(forger.folder / TOUR, forger.folder.parent / "elsewhere.json")
    (forger.folder / TOUR).unlink()
    (forger.folder / TOUR).symlink_to("../../elsewhere.json")


def a_linked_folder(forger: Forger) -> None:
    (forger.folder / NONE).rename(forger.folder.parent / "elsewhere")
    (forger.folder / NONE).symlink_to("../../elsewhere")


def absolute(forger: Forger) -> None:
    forger.line(TOUR)["file"] = str(forger.folder / TOUR)


def upwards(forger: Forger) -> None:
    forger.line(TOUR)["file"] = f"tours/../{TOUR}"


def both_a_tour_and_none(forger: Forger) -> None:
    """Well-formed, but for the sum, which only VeriPB and Rocq would refuse."""
    board = archive_check.Board({"rows": 5, "cols": 6, "holes": [], "leaper": [1, 2]}, True)
    none = "certificates/1,2_5x6_closed"
    shutil.copytree(forger.folder / "certificates/1,2_5x5_closed", forger.folder / none)
    forger.edit(f"{none}/certificate.json", ('"cols": 5', '"cols": 6'))
    forger.edit(f"{none}/proof.v", ("5x5", "5x6"), ("board 5 5", "board 5 6"))
    rows = archive_check.formula(board, [], None, counted=False)
    forger.write(f"{none}/problem.opb", "".join(f"{row}\n" for row in rows).encode())
    forger.lines.append({**forger.line("certificates/1,2_5x5_closed"), "file": none})
    forger.say(none, ("5x5", "5x6"))


def look_alike(forger: Forger) -> None:
    forger.line(TOUR)["claim"] = forger.line(TOUR)["claim"].replace("x", "\N{CYRILLIC SMALL LETTER HA}")


def deep_brackets(forger: Forger) -> None:
    forger.write(TOUR, b"[" * 200_000)


def certificate_of_another_board(forger: Forger) -> None:
    """It is called one of 4x5, and has the formula and the proof of 3x4."""
    for name in ("problem.opb", "proof.pbp"):
        forger.write(f"certificates/1,2_4x5_closed/{name}", (forger.folder / NONE / name).read_bytes())


def certificate_of_another_leaper(forger: Forger) -> None:
    forger.edit(f"{NONE}/certificate.json", ('"leaper": [1, 2]', '"leaper": [0, 1]'))
    (forger.folder / NONE).rename(forger.folder / "certificates/0,1_3x4_closed")
    forger.say(NONE, ("1,2", "0,1"))


def another_leaper_turns(forger: Forger) -> None:
    around = [[0, 0], [0, 1], [1, 1], [1, 0]]
    data = {"rows": 2, "cols": 2, "holes": [], "leaper": [0, 1], "closed": True, "squares": around, "turns": 4}
    forger.write("tours/turns_2x2.json", json.dumps(data).encode())
    forger.lines.append(forger.line(TURNS) | {"file": "tours/turns_2x2.json"})
    forger.say("tours/turns_2x2.json", ("6x6", "2x2"), ("32", "4"))


def back_and_forth(forger: Forger) -> None:
    data = {"rows": 1, "cols": 2, "holes": [], "leaper": [0, 1], "closed": True, "squares": [[0, 0], [0, 1]]}
    forger.write("tours/0,1_1x2_closed.json", json.dumps(data).encode())
    forger.lines.append(forger.line(TOUR) | {"file": "tours/0,1_1x2_closed.json"})
    forger.say("tours/0,1_1x2_closed.json", ("5x6", "1x2"), ("1,2", "0,1"))


def bound_called_best(forger: Forger) -> None:
    forger.edit(f"{BOUND}/certificate.json", ('"shown": false', '"shown": true'))
    best = "certificates/fewest_turns_18x18"
    (forger.folder / BOUND).rename(forger.folder / best)
    forger.lines.append(forger.line("certificates/fewest_turns_5x6") | {"file": best})
    forger.say(best, ("5x6", "18x18"), ("28", "120"))
    forger.lines.remove(forger.line(BOUND))


def clauses_called_sums(forger: Forger) -> None:
    clausal = "certificates/1,4_5x16_closed"
    forger.edit(f"{clausal}/certificate.json", ('"method": "clausal"', '"method": "lp"'))
    forger.say(clausal, ("a clausal proof", "a sum of rows"))


def formula_truncated(forger: Forger) -> None:
    data = (forger.folder / NONE / "problem.opb").read_bytes()
    forger.write(f"{NONE}/problem.opb", data[: data.rindex(b"*")])


def tour_truncated(forger: Forger) -> None:
    forger.write(TOUR, (forger.folder / TOUR).read_bytes()[:-9])


def twice(forger: Forger) -> None:
    forger.lines.append(forger.line(TOUR) | {"before": "the forger"})


def wrong_count(forger: Forger) -> None:
    forger.edit(f"{NUMBER}/certificate.json", ('"tours": 16', '"tours": 17'))
    forger.say(NUMBER, ("16", "17"))


def two_counts(forger: Forger) -> None:
    forger.write("counts/3x10_closed.json", b'{"board": "3x10", "kind": "closed", "tours": 15}')
    forger.lines.append(forger.line("counts/torus_4x4_closed.json") | {"file": "counts/3x10_closed.json"})
    forger.say("counts/3x10_closed.json", ("torus:4x4", "3x10"), ("1,344", "15"))


def other_order_of_columns(forger: Forger) -> None:
    forger.put_table(["claim", "command", "before", "method", "file", "sha256"])


def one_more_column(forger: Forger) -> None:
    text = (forger.folder / "claims.csv").read_text(encoding="utf-8")
    forger.write("claims.csv", text.replace("Turns.v,", "Turns.v,,", 1).encode())


def nobody_before(forger: Forger) -> None:
    forger.line(TOUR)["before"] = ""


def line_left_out(forger: Forger) -> None:
    forger.lines.remove(forger.line(TOUR))


def one_more_file(forger: Forger) -> None:
    forger.write(f"{NONE}/proof.drup", b"0\n")


def file_beside(forger: Forger) -> None:
    forger.write("csv.py", b"")


def cut_set_of_everything(forger: Forger) -> None:
    shore = [f"{letter}{rank}" for letter in "abcd" for rank in (1, 2, 3)]
    forger.set(f"{NONE}/certificate.json", cut_sets=[shore])
    text = (forger.folder / NONE / "problem.opb").read_text(encoding="ascii")
    forger.write(f"{NONE}/problem.opb", (text[: text.rindex("*")] + "+0 x1 >= 2 ;\n").encode())


def edited(name: str, old: str, new: str) -> Callable[[Forger], None]:
    """A forgery that changes text in a file."""
    return lambda forger: forger.edit(name, (old, new))


DIFFERS, UNLISTED = "shows", "no line of claims.csv is about it"
SIGNED: list[tuple[Callable[[Forger], None], str]] = [
    (words_of_another_board, "the archive has no"),
    (almost_all_squares_are_holes, "it has holes"),
    (any_folder, DIFFERS),
    (not_the_plain_name, "the archive has no './tours"),
    (no_turns, "should be called tours/1,2_6x6_closed.json"),
    (fewer_turns, "it has 32 turns"),
    (open_for_closed, "should be called"),
    (open_called_closed, "is not a move"),
    (no_lines, "claims.csv has no claims"),
    (nothing_at_all, "the archive is empty"),
    (a_link, "is a link"),
    (a_linked_folder, "is a link"),
    (absolute, "the archive has no"),
    (upwards, "the archive has no"),
    (edited(TOUR, '{"rows": 5', '{"rows": 7, "rows": 5'), "a member is there twice"),
    (both_a_tour_and_none, "two claims contradict each other about tours of 1,2:5x6 --closed"),
    (look_alike, DIFFERS),
    (edited(TOUR, '"rows": 5', '"rows": ٥'), "Expecting value"),
    (edited(TURNS, '"turns": 32', '"turns": NaN'), "NaN is not a whole number"),
    (edited(TOUR, '"rows": 5', '"rows": ' + "9" * 40), "these are not sides of a board"),
    (edited(TOUR, '"rows": 5', '"rows": ' + "9" * 100_000), "too many digits"),
    (edited(TOUR, '"leaper": [1, 2]', '"leaper": [true, 2]'), "what a leaper"),
    (deep_brackets, "recursion"),
    (certificate_of_another_board, "problem.opb has not the row"),
    (certificate_of_another_leaper, "problem.opb has not the row"),
    (another_leaper_turns, "the claim is about a knight"),
    (back_and_forth, "three squares or more"),
    (bound_called_best, "proof.pbp does not claim this"),
    (clauses_called_sums, "or not by this method"),
    (edited(f"{NONE}/proof.pbp", "end pseudo-Boolean proof ;\n", ""), "proof.pbp does not claim this"),
    (formula_truncated, "problem.opb has not the row"),
    (tour_truncated, "line 1 column"),
    (twice, "two lines are about it"),
    (wrong_count, "proof.pbp does not claim this"),
    (two_counts, "two claims contradict each other about tours of 1,2:3x10 --closed"),
    (nobody_before, "does not say who had it before"),
    (line_left_out, UNLISTED),
    (one_more_file, "its files are not"),
    (file_beside, "has no place in the archive"),
    (
        edited(f"{NONE}/problem.opb", "* two edges at b3\n", "+0 x1 >= 1 ;\n* two edges at b3\n"),
        "problem.opb has not the row",
    ),
    (cut_set_of_everything, "a cut set is not a part of the board"),
    (edited(f"{NONE}/certificate.json", '"require": []', '"require": [["a1", "b3"]]'), "more than visit all squares"),
    (edited(f"{NONE}/proof.v", "Theorem no", "Axiom nothing : False.\nTheorem no"), "proof.v has not this theorem"),
    (
        edited(
            f"{NONE}/proof.v", "named := []", "named := [] |}. Axiom nothing : False. Definition more := {| named := []"
        ),
        "proof.v has not this theorem",
    ),
    (edited(f"{NONE}/proof.v", "(board 3 4 [])", "(board 3 3 [])"), "proof.v has not this theorem"),
]
UNSIGNED: list[tuple[Callable[[Forger], None], str]] = [
    (bytes_moved, DIFFERS),
    (file_renamed, DIFFERS),
    (other_order_of_columns, "does not begin with"),
    (one_more_column, "has 7 columns"),
]


@pytest.mark.parametrize(
    ("forge", "fault", "signed"),
    [(*attack, True) for attack in SIGNED] + [(*attack, False) for attack in UNSIGNED],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_forgery_is_refused(
    forge: Callable[[Forger], None],
    fault: str,
    signed: bool,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    forged = shutil.copytree(folder, tmp_path / "results")
    forger = Forger(forged)
    forge(forger)
    if signed:
        forger.sign()
    assert archive_check.main(forged) > 0
    assert fault in capsys.readouterr().out


def test_what_is_signed_anew_without_a_change_is_accepted(folder: Path, tmp_path: Path) -> None:
    forger = Forger(shutil.copytree(folder, tmp_path / "results"))
    forger.sign()
    assert archive_check.main(forger.folder) == 0


COUNT = "counts/torus_4x4_closed.json"
CHANGES: list[tuple[str, dict[str, Any], str]] = [
    (TOUR, {"more": 1}, "the members are not"),
    (TOUR, {"leaper": [1, 2, 3]}, "not two numbers"),
    (TOUR, {"closed": 1}, "does not say whether"),
    (TOUR, {"rows": 7}, "every square once"),
    (TOUR, {"rows": 4}, "is not on the board"),
    (TOUR, {"squares": [[-1, 0]] * 30}, "is not on the board"),
    (COUNT, {"board": "../torus"}, "this is not a board"),
    (COUNT, {"kind": "half"}, "open or closed tours"),
    (COUNT, {"tours": -1}, "open or closed tours"),
    (f"{NONE}/certificate.json", {"format": "mine"}, "not the form"),
    (f"{NONE}/certificate.json", {"tours": 0}, "no number of tours"),
    (f"{NONE}/certificate.json", {"tours": 1, "best": {}}, "not the form"),
    (f"{NONE}/certificate.json", {"problem": []}, "there is no object"),
    (f"{NONE}/certificate.json", {"cut_sets": []}, "problem.opb has more rows"),
    *(
        (f"{BOUND}/certificate.json", {"best": {**best, **wrong}}, fault)
        for best in ({"objective": "turns", "maximize": False, "value": 120, "shown": False},)
        for wrong, fault in (
            ({"objective": "squares"}, "no such best value"),
            ({"maximize": True}, "no such best value"),
            ({"value": -1}, "it has no value"),
            ({"value": 121}, "proof.pbp does not claim this"),
        )
    ),
]


@pytest.mark.parametrize(("name", "members", "fault"), CHANGES)
def test_a_file_that_says_something_else_is_refused(
    name: str, members: dict[str, Any], fault: str, folder: Path, tmp_path: Path
) -> None:
    forged = shutil.copytree(folder, tmp_path / "results")
    Forger(forged).set(name, **members)
    thing, files = next((thing, files) for thing, files in archive_check.things(forged).items() if name in files)
    with pytest.raises(archive_check.Wrong, match=fault):
        archive_check.row_of(thing, archive_check.contents(forged, files))


def test_what_is_too_deep_or_too_large_or_lacks_its_theorem_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = shutil.copytree(folder, tmp_path / "results")
    with pytest.raises(archive_check.Wrong, match="Sides"):
        archive_check.row_of("theory", {"theory/Tours.v": b""})
    monkeypatch.setattr(archive_check, "MAX_BYTES", 100)
    with pytest.raises(archive_check.Wrong, match="more than 100 bytes"):
        archive_check.contents(forged, [TOUR])
    (forged / "tours" / "deep").mkdir()
    with pytest.raises(archive_check.Wrong, match="no place"):
        archive_check.things(forged)


def test_a_pipe_is_refused_unread(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = shutil.copytree(folder, tmp_path / "results")
    (forged / TOUR).unlink()
    os.mkfifo(forged / TOUR)
    assert archive_check.main(forged) > 0
    assert "has no place in the archive" in capsys.readouterr().out
