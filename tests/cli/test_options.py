"""Each option in the help of a command is taken by a line here, and changes what is printed or written, but for those
that are said not to."""

import re
import shlex
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click import Context, Option
from commands import needed, solved_inside

from cpsat_tour.cli.main import COMMANDS, cli, status
from cpsat_tour.cli.options import Command

MOST = {
    "--closed": "",
    "--start": "b1",
    "--end": "c1",
    "--hole": "c3",
    "--moves": "king",
    "--symmetry": "any",
    "--require": "a1-b3",
    "--forbid": "a1-b3",
    "--input": "3x4 -> ring.txt --input edges:directed",
    "--columns": "3x4 -> friends.csv --columns Person,Friend",
    "--puzzle": "3x4 -> --puzzle holes.txt",
    "--seed": "3",
    "--threads": "2",
    "--time-limit": "0.000001",
    "--quiet": "",
}
"""The options of a problem and its limits, each with its value, or with what it stands for in the line."""


def most_but(*names: str) -> dict[str, str]:
    """`MOST` without these."""
    return {name: value for name, value in MOST.items() if name not in names}


GIVEN = {"--at": "a1=1", "--order": "a1,d1,a3", "--waypoints": "3x4 -> --puzzle numbers.txt --waypoints"}
TOUR = {"--output": "tour.svg", "--force": "-o there.json -> -o there.json --force", "--json": ""}

LINES: dict[str, tuple[str, dict[str, str]]] = {
    "solve": ("3x4", MOST | GIVEN | TOUR | {
        "--backend": "dfs", "-O": "--backend dfs -> --backend dfs -O order=plain", "--format": "csv",
        "--seed": "3x4 -> 9x9 --seed 3",
        "--json-stream": "", "--verbose": "",
        "--certificate": "3x4 -> 4x4 --certificate proof",
    }),
    "best": ("3x4 --minimize turns", MOST | TOUR | {
        "--minimize": "turns -> crossings", "--maximize": "--minimize turns -> --maximize turns",
        "--optional": "3x4 --minimize turns -> 3x3 --closed --maximize length --optional a1", "--hint": "hint.json",
        "--backend": "edges", "--certificate": "proof",
        "--format": "turns -> turns --certificate proof --format 1.2",
        "--input": "3x4 --minimize turns -> ring.txt --input edges:directed --minimize paths",
        "--columns": "3x4 --minimize turns -> friends.csv --columns Person,Friend --minimize paths",
    }),
    "decompose": ("torus:3x4", TOUR | {
        "--most": "", "--hole": "a1 --most", "--moves": "wazir",
        "--input": "torus:3x4 -> ring.txt --input edges:directed",
        "--columns": "torus:3x4 -> friends.csv --columns Person,Friend", "--seed": "3", "--threads": "2",
        "--time-limit": "0.000001", "--quiet": "",
    }),
    "tours": ("3x4 -n 3", MOST | GIVEN | TOUR | {
        "-n": "-n 3 -> -n 4", "--all": "-n 3 -> --all", "--distinct": "",
        "--backend": "edges", "-O": "order=plain", "--json-stream": "", "--output": "new.json",
        "--seed": "3x4 -> 3x4 -O order=random --seed 3",
    }),
    "count": ("3x4", MOST | GIVEN | {
        "--directed": "", "--backend": "dfs", "-O": "3x4 -> 3x4 --backend dfs -O order=plain",
        "--estimate": "--samples 50", "--samples": "3x4 -> 3x4 --estimate --samples 50", "--memory": "0.0000001",
        "--json": "",
    }),
    "filter": ("list.g6", {
        "--skip": "1", "--keep-going": "list.g6 -> wrong.g6 --keep-going", "--closed": "", "--traceable": "",
        "--hypohamiltonian": "", "--k1": "", "--k2": "", "--circumference": "4", "--time-limit": "9",
        "--threads": "2", "--none": "", "--reasons": "", "--json-stream": "", "--quiet": "",
    }),
    "puzzle": ("3x4", most_but("--symmetry", "--puzzle", "--input", "--columns") | {
        "--grade": "1", "--output": "sheet.svg", "--json": "", "--force": "-o there.svg -> -o there.svg --force",
        "--puzzle": "3x4 -> 3x4 --puzzle one.txt", "--waypoints": "3x4 -> 4x4 --moves wazir --waypoints",
        "--walls": "3x4 -> 4x4 --moves wazir --walls 3", "--count": "2", "--title": "3x4 -> 3x4 -o new.svg --title T",
        "--author": "3x4 -> 3x4 -o new.svg --author A", "--no-solution": "3x4 -> 3x4 -o new.svg --no-solution",
        "--closed": "3x4 -> 3x4 --moves king --closed",
    }),
    "trace": ("3x4", most_but("--symmetry") | {
        "--require": "a3-b1", "--seed": "3x4 -> 3x4 -O order=random --seed 3",
        "-O": "order=plain", "--json-stream": "", "--at": "a1=1", "--order": "a1,d1,a3",
        "--waypoints": GIVEN["--waypoints"],
    }),
    "prove": ("3x5", MOST | {
        "--count": "3x5 -> 3x4 --count", "--method": "sat", "--output": "proof", "--rocq": "3x5 -> 3x5 -o proof --rocq",
        "--force": "-o 4x4 -> -o 4x4 --force", "--json": "", "--format": "3x5 -> 3x5 -o proof --format 1.2",
        **{name: MOST[name].replace("3x4", "3x5") for name in ("--input", "--columns", "--puzzle")},
    }),
    "verify": ("hint.json", {
        "--hole": "hint.json -> squares.json --moves king --hole b2", "--moves": "hint.json -> king.txt --moves king",
        "--json": "", "--quiet": "hint.json -> king.txt --moves king --quiet",
    }),
    "draw": ("hint.json --output new.svg", {
        "--output": "new.svg -> new.png", "--number": "hint.json -> some.json --number 2",
        "--force": "new.svg -> there.svg --force", "--quiet": "",
    }),
    "check": ("4x4 4x4", most_but("--seed", "--threads") | {
        "--claim": "none", "--json": "", "--symmetry": "rot180", "--puzzle": "4x4 4x4 -> 4x4 --puzzle holes.txt",
        "--input": "4x4 4x4 -> 4x4 ring.txt --input edges:directed",
        "--columns": "4x4 4x4 -> 4x4 friends.csv --columns Person,Friend",
    }),
    "export": ("3x4", most_but("--threads", "--time-limit") | GIVEN | {
        "--at": "b1=5 --backend sat:onehot", "--order": "a1,d1,a3 --backend sat:onehot",
        "--waypoints": "3x4 -> --puzzle numbers.txt --waypoints --backend sat:onehot",
        "--minimize": "turns --backend sat --format opb", "--maximize": "turns --backend sat --format opb",
        "--input": "3x4 -> ring.txt --backend cpsat:successor --format mzn --input edges:directed",
        "--backend": "sat:crt", "--all": "suite",
        "-O": "3x4 -> 3x4 --backend sat:onehot -O colours=false", "--output": "formula.cnf", "--format": "opb",
        "--force": "-o there.cnf -> -o there.cnf --force", "--quiet": "3x4 -> 3x4 -o formula.cnf --quiet",
    }),
    "decode": ("crt.sol crt.cnf", TOUR | {"--append": "", "--quiet": ""}),
    "watch": ("", {}),
    "formats": ("", {"--json": "", "--quiet": ""}),
    "backends": ("sat 6x6", {
        "--closed": "", "--json": "", "--quiet": "",
        "--input": "sat 6x6 -> cpsat:successor ring.txt --input edges:directed",
    }),
}  # fmt: skip
"""For each command a line, and for each option what is added to it, or ``old -> new``: what is changed in it."""

ALIKE = {
    "--threads": "no answer depends on threads",
    "--traceable": "the default",
    "--time-limit 9": "nothing takes as long",
    "formats --quiet": "there are no messages", "backends --quiet": "there are no messages",
    "verify --quiet": "there are no messages", "decompose --seed": "one decomposition at this seed or another",
    "best --seed": "the best is the best", "prove --seed": "there is none", "count --seed": "the count is exact",
    "count -O": "the count is exact", "count --backend": "the count is exact", "decode --append": "nothing is lacking",
    "check --claim": "this is what it claims", "trace --quiet": "there are no messages",
    "prove --quiet": "there are no messages", "check --quiet": "there are no messages",
    "decode --quiet": "there are no messages", "best --backend": "the best is the best",
}  # fmt: skip
"""Options that need not change anything, by themselves or with their command, and why."""

ELSEWHERE = {
    "filter": {"--cluster": "tests/engines/test_graph_stream.py"},
    "watch": {"--port": "tests/web", "--host": "tests/web", "--open": "tests/web", "--quiet": "tests/web"},
}
"""Options that need a server, and where they are tested."""


def offered(command: Command) -> set[str]:
    """The last name of each option in the help of a command."""
    return {part.opts[-1] for part in command.params if isinstance(part, Option) and part.name not in command.refuses}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the lines read."""
    folder = tmp_path_factory.mktemp("options")
    texts = {
        "ring.txt": "a b\nb c\nc d\nd a\n",
        "friends.csv": "Person,Friend,Since\nann,bob,1999\nbob,cy,2001\ncy,ann,2003\n",
        "holes.txt": ". . # .\n. . . .\n. . . .\n",
        "numbers.txt": ". . . .\n. . 2 .\n1 . . 3\n",
        "one.txt": "1 . . .\n. . . .\n. . 2 .\n",
        "king.txt": "1 2 3\n8 # 4\n7 6 5\n",
        "squares.json": "[[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0], [1, 0]]",
        "list.g6": "C~\nDhc\nC?\nIsP@OkWHG\n",
        "wrong.g6": "C~\n~~~\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    for line in (
        "solve 3x4 -o hint.json", "solve 3x4 -o there.json", "solve 3x4 -o there.svg", "tours 3x4 -n 3 -o some.json",
        "prove 4x4 -o 4x4", "export 5x6 --closed --backend sat:crt -o crt.cnf", "export 3x4 -o there.cnf",
    ):  # fmt: skip
        *words, name = line.split()
        assert status([*words, str(folder / name), "-q"]) == 0
    assert solved_inside(folder / "crt.cnf", folder / "crt.sol")
    return folder


def outcome(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """What a line ends with, prints and writes, without the time that it took, in a copy of the folder; the lines of
    commands without an option come again and again, and are called once."""
    if line in OUTCOMES:
        return OUTCOMES[line]
    with TemporaryDirectory() as place:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        monkeypatch.chdir(place)
        capsys.readouterr()
        ended = status(shlex.split(line))
        files = {path.relative_to(place): path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}
        monkeypatch.undo()
    told = [TIMES.sub("", text) for text in capsys.readouterr()]
    written = {path: TIMES.sub("", data.decode("latin-1")) for path, data in files.items()}
    OUTCOMES[line] = ended, told, written
    return OUTCOMES[line]


OUTCOMES: dict[str, Any] = {}

TIMES = re.compile(r'"seconds[a-z_]*": [\d.e-]+|[\d.e-]+ s\b|[\d,]+ a second|"samples_per_second": [\d.]+')

TAKEN = [f"{name} {option}" for name, (_, options) in LINES.items() for option in options]


@pytest.mark.parametrize("taken", TAKEN)
def test_an_option_is_taken_and_changes_something(
    taken: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, option = taken.split()
    base, options = LINES[name]
    old, arrow, new = options[option].partition(" -> ")
    line = (
        f"{name} {base.replace(old, new) if old in base else f'{base} {new}'}"
        if arrow
        else f"{name} {base} {option} {old}"
    )
    command = needed(cli.get_command(Context(cli), name))
    (known,) = (part for part in command.params if option in part.opts)
    assert f" {option} " in f"{line} "
    value = "" if isinstance(known, Option) and known.is_flag else r" \S+"
    without = re.sub(rf" {option}{value}(?= |$)", "", line, count=1)
    ended = outcome(line, folder, monkeypatch, capsys)
    assert ended[0] != 2, (line, ended[1])
    if not {option, taken, f"{option} {options[option]}"} & ALIKE.keys():
        assert ended != outcome(without, folder, monkeypatch, capsys), (line, without)


def test_each_option_that_is_offered_has_a_line() -> None:
    for name in COMMANDS:
        command = cli.get_command(Context(cli), name)
        if isinstance(command, Command):
            assert offered(command) == {*LINES[name][1], *ELSEWHERE.get(name, ())}, name
