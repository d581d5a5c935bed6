"""The package as it is installed: only our own name, from a wheel, from the checkout and from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from cpsat_tour import __version__

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".mypy_cache" / "users"
SOURCES = ["pyproject.toml", "README.md", "LICENSE", "cpsat_tour", "models", "compare"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the sources."""
    return wheel_of(source, tmp_path_factory.mktemp("wheel"))


def wheel_of(source: Path, out: Path) -> Path:
    """A wheel built without any network."""
    build = f"-m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir {out} {source}"
    subprocess.run([sys.executable, *build.split()], check=True)
    return next(out.glob("*.whl"))


def test_every_top_level_name_in_the_wheel_is_ours(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split("/")[0] for name in archive.namelist()}
        modules = set(archive.namelist())
    assert {name for name in names if not name.endswith(".dist-info")} == {"cpsat_tour"}
    for folder, home in (("cpsat_tour", ""), ("models", "models/"), ("compare", "compare/")):
        for module in (ROOT / folder).rglob("*.py"):
            assert f"cpsat_tour/{home}{module.relative_to(ROOT / folder).as_posix()}" in modules
    for data in ("py.typed", "compare/studies/smoke.toml", "web/static/index.html"):
        assert f"cpsat_tour/{data}" in modules


USERS_SCRIPT = """
from itertools import islice

from cpsat_tour import Answer, BadInput, Board, Certificate, Graph, Tour
from cpsat_tour import check, compare_backends, count, prove, read_graph, solve, tours

answer: Answer = solve(Board(8, 8, holes=["a1"]), closed=False, start=(0, 1), options={"parts": "sat"})
if answer.tour is not None:
    names: list[str] = answer.tour.names
listed: list[Tour] = list(islice(tours("6x6", closed=True, distinct=True), 3))
walked = tours(Board(6), closed=True)
first: Tour = next(walked)
walked.close()
number: int = count(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), closed=True)
proof = prove("4x6", closed=True)
if isinstance(proof, Certificate):
    proof.write("folder")
    valid: bool = check("folder", "4x6", closed=True).valid
mean: float = compare_backends(["6x6"], ["sat"], closed=True, seconds=5).rows[0]["mean"]
try:
    read_graph("streets.edges")
except BadInput as fault:
    print(fault)
"""


def installed(wheel: Path, folder: Path) -> Path:
    """The Python of a new environment that has the wheel, and what else is installed here but no checkout."""
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    venv.create(folder / "environment", symlinks=True)
    (packages,) = folder.glob("environment/lib/python*/site-packages")
    (packages / "installed.pth").write_text(
        "\n".join([str(site), *(path for path in sys.path if path.endswith("site-packages"))]) + "\n"
    )
    return folder / "environment" / "bin" / "python"


def test_the_source_distribution_makes_the_same_wheel_and_it_solves(source: Path, wheel: Path, tmp_path: Path) -> None:
    build = f"-m build --sdist --no-isolation --outdir {tmp_path} {source}"
    subprocess.run([sys.executable, *build.split()], check=True, capture_output=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    again = wheel_of(packed, tmp_path)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
    clean = {"PATH": os.defpath, "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    program = (
        "import cpsat_tour; tour = cpsat_tour.solve('6x6', closed=True, backend='cpsat').tour; "
        "print(len(tour), cpsat_tour.__version__, cpsat_tour.__file__)"
    )
    call = [str(installed(again, tmp_path)), "-P", "-c", program]
    length, version, package = subprocess.run(
        call, cwd=tmp_path, env=clean, capture_output=True, text=True, check=True
    ).stdout.split()
    assert (length, version) == ("36", again.name.split("-")[1])
    assert version == __version__
    assert package.startswith(str(tmp_path / "site"))


def test_the_container_file_copies_what_there_is() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert {name for line in copied for name in line.split()} == {*SOURCES, "constraints.txt"}
    assert all((ROOT / name).exists() for line in copied for name in line.split())


def test_the_recipe_for_conda_asks_for_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    needed = {f"python{project['requires-python']}", *project["dependencies"]}
    assert {
        item.replace("ortools-python", "ortools").replace(" ", "") for item in recipe["requirements"]["run"]
    } == needed
    assert recipe["context"]["version"] == __version__
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["build"]["python"]["entry_points"] == [f"{name} = {at}" for name, at in project["scripts"].items()]


def test_a_users_script_is_typed(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    python = installed(wheel, tmp_path)

    def told(name: str, text: str) -> str:
        """What mypy says of a script. Each has its own name: mypy takes a file that changed within a second for the one
        that it knows."""
        script = tmp_path / name
        script.write_text(text)
        call = f"-m mypy --strict --python-executable {python} --cache-dir {CACHE} {script}"
        return subprocess.run(
            [sys.executable, *call.split()], cwd=tmp_path, capture_output=True, text=True, check=False
        ).stdout

    assert "no issues found" in told("right.py", USERS_SCRIPT)
    assert "Incompatible types in assignment" in told("wrong.py", USERS_SCRIPT.replace("number: int", "number: str"))


@pytest.mark.parametrize("where", [ROOT, Path("/")], ids=["checkout", "elsewhere"])
def test_the_module_runs_from_the_checkout_and_from_elsewhere(where: Path) -> None:
    call = [sys.executable, "-m", "cpsat_tour", "solve", "6x6", "--backend", "sat", "--json"]
    assert '"status": "tour"' in subprocess.run(call, cwd=where, capture_output=True, text=True, check=True).stdout


def test_make_tour_ends_with_what_to_type_next() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    call = ["make", "-n", "tour"]
    steps = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True, env=bare).stdout
    assert steps.splitlines()[-1] == 'echo "now: source .venv/bin/activate"'
