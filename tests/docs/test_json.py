"""JSON: ``docs/answers.schema.json`` describes every object that a command prints with ``--json``."""

import json
import shlex
from pathlib import Path

import pytest
from click import Context
from commands import solved_inside
from pages import DOCS

from cpsat_tour.cli.main import COMMANDS, cli, status
from cpsat_tour.spaces.problem_data import KINDS

SCHEMA = json.loads((DOCS / "answers.schema.json").read_text(encoding="utf-8"))

CALLS = [
    "solve 5x6 --closed",
    "solve 3x3",
    "solve 3x4x2 --closed",
    "solve 3x3x3 --leaper 1,2,2",
    "solve torus:3x4 --start a1 --require a1-b3",
    "solve 'GP(5,2)'",
    "solve graph.edges --closed",
    "solve arcs.edges --closed",
    "solve 6x6 --closed --symmetry rot90",
    "solve 5x5 --at c3=13",
    "solve 40x40 --backend sat:crt --time-limit 0.001",
    "tours 3x4",
    "tours 3x4 --distinct",
    "tours graph.edges --closed",
    "count 5x6 --closed",
    "count 5x5 --start a1 --directed",
    "count 5x6 --closed --symmetry rot180",
    "count 5x5 --estimate --samples 100",
    "count 3x3 --estimate --samples 100",
    "count 8x8 --closed --time-limit 0.001",
    "best 5x6 --closed --minimize turns",
    "best 4x4 --closed --minimize turns",
    "best 4x4 --minimize paths",
    "best 5x5 --closed --minimize paths",
    "best 3x3 --closed --maximize length --optional b2",
    "best 4x4+2 --closed --minimize paths",
    "decompose torus:3x4",
    "decompose 'Z(2,3)'",
    "decompose graph.edges --most",
    "puzzle 5x6 --closed --seed 1 --grade 2",
    "puzzle 4x4 --closed",
    "puzzle 4x4 --moves wazir --waypoints --walls 2",
    "prove 4x4 --closed",
    "prove 4x6 --closed -o written",
    "prove 5x6 --closed",
    "prove 5x6 --closed --count",
    "check proof",
    "check counted",
    "check broken",
    "formats",
    "backends",
    "backends sat:crt",
    "backends sat 6x6 --closed",
    "verify tour.json",
    "verify list.json",
    "verify swapped.json",
    "decode answer.txt formula.cnf",
    "decode none.txt formula.cnf",
    "backends auto",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the calls read."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "graph.edges").write_text("a b\nb c\nc d\nd a\n")
    (folder / "arcs.edges").write_text("a -> b\nb -> c\nc -> a\n")
    for written in ("proof", "broken"):
        assert status(["prove", "4x6", "--closed", "-o", str(folder / written), "--quiet"]) == 0
    assert status(["prove", "5x6", "--closed", "--count", "-o", str(folder / "counted"), "--quiet"]) == 0
    rows = folder / "broken" / "problem.opb"
    rows.write_text(rows.read_text().replace(">= 2", ">= 3", 1))
    formula = folder / "formula.cnf"
    assert status(["export", "5x6", "--closed", "--backend", "sat:crt", "-o", str(formula), "--quiet"]) == 0
    assert solved_inside(formula, folder / "answer.txt")
    (folder / "none.txt").write_text("s UNSATISFIABLE\n")
    assert status(["solve", "5x6", "--closed", "-o", str(folder / "tour.json"), "--quiet"]) == 0
    assert status(["tours", "3x4", "-o", str(folder / "list.json"), "--quiet"]) == 0
    swapped = json.loads((folder / "tour.json").read_text())
    swapped["tour"][:2] = swapped["tour"][1::-1]
    (folder / "swapped.json").write_text(json.dumps(swapped))
    return folder


@pytest.mark.parametrize("call", CALLS)
def test_the_schema_describes_what_is_printed(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema for the test of the JSON schema")
    monkeypatch.chdir(folder)
    capsys.readouterr()
    command, *arguments = shlex.split(call)
    status([command, *arguments, "--json"])
    jsonschema.validate(json.loads(capsys.readouterr().out), {"$ref": f"#/$defs/{command}", "$defs": SCHEMA["$defs"]})


def test_every_kind_of_space_is_described() -> None:
    described = SCHEMA["$defs"]["problem"]["properties"]
    assert {member for kind in KINDS for member in kind.space_class.members} <= described.keys()


def test_every_command_that_prints_json_is_described() -> None:
    commands = {name: command for name in COMMANDS if (command := cli.get_command(Context(cli), name))}
    printing = {name for name, command in commands.items() if any(part.name == "as_json" for part in command.params)}
    assert printing == {call.split()[0] for call in CALLS}
