"""A plain install, with the dependencies alone: every command answers, or says in one sentence which module it lacks;
so with each extra; and the lowest versions that are allowed meet the contract of the backends.

The environments are made without any network: a new one gets links to what is installed here, the dependencies as their
distributions name them and nothing else.
"""

import json
import subprocess
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = [extra for extra in PROJECT["optional-dependencies"] if extra not in ("all", "dev")]

COMMANDS = [
    "solve 6x6 --closed",
    "solve 6x6 --closed --backend dfs -o tour.svg",
    "solve 5x6 --backend dfs -o tour.png",
    "solve 5x6 --backend dfs -o tour.gif",
    "tours 5x5 -n 2",
    "count 3x4",
    "count 5x5 --estimate --samples 100",
    "trace 3x4",
    "prove 4x5 --closed -o certificate",
    "check certificate",
    "prove 4x4 --method sat -o clausal",
    "check clausal",
    "export 5x6 --closed -o formula.cnf",
    "export 5x6 --backend milp:mtz -o formula.lp",
    "export 5x6 --backend asp -o formula.asp",
    "backends sat 6x6",
    "compare agree 3x4 --kind open",
    "compare run --board 5x5 --backend dfs --kind open --results runs.jsonl",
    "compare run --board 5x5 --backend dfs --cluster tcp://127.0.0.1:1 --results cluster.jsonl",
    "compare report runs.jsonl",
    "compare report runs.jsonl -o report",
    "backends",
    "solve 4x5 --backend asp",
    "watch --host no.such.host.invalid",
    "puzzle 3x4 -o sheet.pdf",
]
LACKING = {
    "solve 5x6 --backend dfs -o tour.png": "resvg-py font-source-sans-pro",
    "solve 5x6 --backend dfs -o tour.gif": "Pillow resvg-py font-source-sans-pro",
    "compare run --board 5x5 --backend dfs --cluster tcp://127.0.0.1:1 --results cluster.jsonl": "distributed",
    "compare report runs.jsonl -o report": "matplotlib",
    "solve 4x5 --backend asp": "clingo",
    "watch --host no.such.host.invalid": "starlette uvicorn websockets",
    "puzzle 3x4 -o sheet.pdf": "fpdf2 font-source-sans-pro",
}
"""What a plain install can't do, and what to install for it."""

QUICK = [
    "solve 6x6 --closed",
    "count 3x4",
    "trace 3x4",
    "export 5x6 --backend milp:mtz -o formula.lp",
    "export 5x6 --backend asp -o formula.asp",
    *list(LACKING)[:2],
    *list(LACKING)[4:],
]


def closure(requirements: Iterable[str]) -> set[str]:
    """The names of the distributions that the requirements ask for, and those that they ask for in turn."""
    names: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        if wanted.name.lower() in names or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
            continue
        names.add(wanted.name.lower())
        waiting += map(Requirement, distribution(wanted.name).requires or [])
    return names


def environment(folder: Path, requirements: Iterable[str]) -> Path:
    """A new environment with the checkout and these requirements; its Python."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "checkout.pth").write_text(f"{ROOT}\n")
    for name in closure(requirements):
        for file in distribution(name).files or []:
            top, place = file.parts[0], site / file.parts[0]
            if top not in ("..", "__pycache__") and not place.exists():
                place.symlink_to(Path(str(distribution(name).locate_file(top))))
    return folder / "bin" / "python"


TRIAL = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from cpsat_tour.cli.main import status
told = []
for line in sys.argv[1:]:
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = status(line.split())
    told.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(told))
"""
"""Runs each command in one process: what one lacks, no other brings."""


def try_out(python: Path, folder: Path, commands: list[str]) -> dict[str, str]:
    """Run the commands; those that could not answer, each with the module that it lacks."""
    folder.mkdir()
    run = subprocess.run([python, "-c", TRIAL, *commands], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    lacking = {}
    for command, (code, out, err) in zip(commands, json.loads(run.stdout), strict=True):
        assert "Traceback" not in err, f"{command}: {err}"
        if code == 2 and not any(words in err for words in ("can't listen", "no scheduler answers")):
            assert out == "", command
            assert err.count("\n") == 1, f"{command}: {err}"
            assert "not installed: pip install " in err, f"{command}: {err}"
            lacking[command] = err.rpartition("pip install ")[2].strip()
        elif command.startswith("compare agree 3x4 --kind"):
            compared = {line.split()[0] for line in out.splitlines() if line.split()}
            assert {"dfs", "cpsat", "sat", "sat:lazy"} <= compared
            assert sum(name.startswith("sat") for name in compared) >= 6
    return lacking


@pytest.mark.parametrize("commands", [QUICK, pytest.param(COMMANDS, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_a_plain_install_answers_or_says_what_it_lacks(commands: list[str], tmp_path: Path) -> None:
    python = environment(tmp_path / "environment", PROJECT["dependencies"])
    lacking = {command: LACKING[command] for command in commands if command in LACKING}
    assert try_out(python, tmp_path / "work", commands) == lacking


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_alone(extra: str, tmp_path: Path) -> None:
    wanted = PROJECT["optional-dependencies"][extra]
    try:
        python = environment(tmp_path / "environment", [*PROJECT["dependencies"], *wanted])
    except PackageNotFoundError as fault:
        pytest.skip(f"the extra {extra} needs {fault.name}, which is not installed here")
    lacking = try_out(python, tmp_path / "work", COMMANDS)
    assert not {Requirement(text).name for text in wanted} & {
        name for names in lacking.values() for name in names.split()
    }
    assert all({*names.split()} <= {*LACKING[command].split()} for command, names in lacking.items())


# --- the lowest versions that `pyproject.toml` allows, from the package index: without the net they are left out ---

SOLVERS = ("asp", "milp", "pb", "smt")
TESTS = ("pytest", "hypothesis")


def lowest(requirements: list[str]) -> list[str]:
    """The requirements, each at the lowest version that it allows."""
    return [text.replace(">=", "==") for text in requirements if Requirement(text).specifier]


def test_each_dependency_has_a_lowest_version() -> None:
    asked = PROJECT["dependencies"] + [text for extra in SOLVERS for text in PROJECT["optional-dependencies"][extra]]
    assert all(len(Requirement(text).specifier) == 1 and ">=" in text for text in asked)


@pytest.mark.slow
def test_the_lowest_versions_meet_the_contract(tmp_path: Path) -> None:
    venv.create(tmp_path, symlinks=True, with_pip=True)
    (site,) = tmp_path.glob("lib/python*/site-packages")
    (site / "cpsat_tour").symlink_to(ROOT / "cpsat_tour")
    asked = PROJECT["dependencies"] + [text for extra in SOLVERS for text in PROJECT["optional-dependencies"][extra]]
    python = str(tmp_path / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile", *lowest(asked), *TESTS]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if "ConnectionError" in installed.stderr or "NameResolution" in installed.stderr:
        pytest.skip("the package index can't be reached")
    assert installed.returncode == 0, installed.stderr
    contract = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/contract/test_contract.py"]
    ended = subprocess.run(contract, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
    click = subprocess.run([python, "-m", "cpsat_tour", "solve"], capture_output=True, text=True, check=False)
    assert (click.returncode, "Traceback" in click.stderr) == (2, False)
