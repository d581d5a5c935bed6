"""The package as it is installed: only our own name, from a wheel, from the checkout and from elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".mypy_cache" / "users"
SOURCES = ["pyproject.toml", "README.md", "LICENSE", "cpsat_tour", "models", "compare"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, without any network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(source)]
    subprocess.run(build, check=True)
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


def test_the_installed_wheel_solves_from_elsewhere(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True)
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r});"
        "import cpsat_tour; from cpsat_tour import Board, solve;"
        "tour = solve(Board(6), closed=True, backend='cpsat').tour;"
        "import cpsat_tour.models.circuit as circuit; print(len(tour), cpsat_tour.__file__, circuit.__file__)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    length, package, module = run.stdout.split()
    assert length == "36"
    assert package.startswith(str(site))
    assert module.startswith(str(site))


USERS_SCRIPT = """
from itertools import islice

from cpsat_tour import Answer, BadInput, Board, Certificate, Graph, Tour, check, compare, count, prove, read_graph, solve, tours

answer: Answer = solve(Board(8, 8, holes=["a1"]), closed=False, start=(0, 1), options={"parts": "sat"})
if answer.tour is not None:
    names: list[str] = answer.tour.names
listed: list[Tour] = list(islice(tours("6x6", closed=True, distinct=True), 3))
number: int = count(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), closed=True)
proof = prove("4x6", closed=True)
if isinstance(proof, Certificate):
    proof.write("folder")
    valid: bool = check("folder", "4x6", closed=True).valid
median: float = compare(["6x6"], ["sat"], closed=True, seconds=5).summaries[0].scores()[0].median
try:
    read_graph("streets.edges")
except BadInput as fault:
    print(fault)
"""


def test_a_users_script_is_typed(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    venv.create(tmp_path / "environment", symlinks=True)
    (packages,) = tmp_path.glob("environment/lib/python*/site-packages")
    (packages / "installed.pth").write_text("\n".join([str(site), *(path for path in sys.path if path.endswith("site-packages"))]) + "\n")
    script = tmp_path / "script.py"
    script.write_text(USERS_SCRIPT)

    def told(text: str) -> str:
        script.write_text(text)
        python = tmp_path / "environment" / "bin" / "python"
        call = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), "--cache-dir", str(CACHE), str(script)]
        return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    assert "no issues found" in told(USERS_SCRIPT)
    assert "Incompatible types in assignment" in told(USERS_SCRIPT.replace("number: int", "number: str"))


@pytest.mark.parametrize("where", [ROOT, Path("/")], ids=["checkout", "elsewhere"])
def test_the_module_runs_from_the_checkout_and_from_elsewhere(where: Path) -> None:
    call = [sys.executable, "-m", "cpsat_tour", "solve", "6x6", "--backend", "sat", "--json"]
    run = subprocess.run(call, cwd=where, capture_output=True, text=True, check=True)
    assert '"status": "tour"' in run.stdout
