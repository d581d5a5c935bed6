"""The lowest versions that `pyproject.toml` allows: an environment of these alone meets the contract of the backends.

It is installed from the package index, so the test needs the net; without it, it is left out.
"""

from __future__ import annotations

import subprocess
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOLVERS = ("asp", "milp", "pb")
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
