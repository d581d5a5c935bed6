"""The package as it is installed: only our own name, from a wheel, from the checkout and from elsewhere."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import yaml
from pages import LESSONS, named

from cpsat_tour import __version__

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".mypy_cache" / "users"
SOURCES = ["pyproject.toml", "setup.py", "README.md", "LICENSE", "cpsat_tour", "models", "compare"]
BESIDE = [
    "MANIFEST.in",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Makefile",
    "constraints.txt",
    "docs",
    "lab",
]
"""What the source distribution has besides; of the tests, too many to be copied here, it has all."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made of the source distribution, which is made of a copy of the sources; without any network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES + BESIDE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    build = f"-m build --no-isolation --outdir {out} {source}"
    subprocess.run([sys.executable, *build.split()], check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_what_would_be_published_meets_the_index(wheel: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed: pip install '.[dev]'")
    call = [sys.executable, "-m", "twine", "check", "--strict", *map(str, wheel.parent.iterdir())]
    checked = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout.count("PASSED")) == (0, 2), checked.stdout


def test_the_documentation_builds_from_the_source_distribution_without_a_warning(wheel: Path, tmp_path: Path) -> None:
    for module in ("sphinx", "furo", "myst_nb"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install '.[docs]'")
    (archive,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    docs = tmp_path / archive.name.removesuffix(".tar.gz") / "docs"
    options = f"-W --keep-going -q -b dummy -d {tmp_path / 'trees'}".split()
    build = [sys.executable, "-m", "sphinx", *options, str(docs), str(tmp_path / "pages")]
    run = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]


def test_the_wheel_has_every_file_of_ours_under_our_name_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    for folder, home in (("cpsat_tour", ""), ("models", "models/"), ("compare", "compare/")):
        for file in (ROOT / folder).rglob("*.*"):
            if "__pycache__" not in file.parts:
                packed.remove(f"cpsat_tour/{home}{file.relative_to(ROOT / folder).as_posix()}")
    assert packed == set()


USERS_SCRIPT = """
import threading
from itertools import islice
from typing import assert_type

from cpsat_tour import Answer, BadInput, Board, Certificate, Graph, NotATour, NotProved, Tour, Verdict
from cpsat_tour import best, check, compare_backends, count, decode, prove, read_graph, solve, tours

answer: Answer = solve(Board(8, 8, holes=["a1"]), start=(0, 1), options={"parts": "sat"}, cancel=threading.Event())
assert_type(answer.tour, Tour | None)
if answer.tour:
    assert_type(answer.tour, Tour)
    names: list[str] = answer.tour.names
match answer:
    case Answer(tour=Tour() as tour):
        assert_type(tour, Tour)
    case Answer(status="none", refutation=why) if why:
        print(why.reason)
listed: list[Tour] = list(islice(tours("6x6", closed=True, distinct=True), 3))
walked = tours(Board(6), closed=True)
first: Tour = next(walked)
walked.close()
number: int = count(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), closed=True, progress=print)
assert_type(best("5x6", minimize="turns").answer, Answer)
proof = prove("4x6", closed=True)
if proof:
    assert_type(proof, Certificate)
    proof.write("folder")
    assert_type(check("folder", "4x6", closed=True), Verdict)
else:
    assert_type(proof, NotProved)
    assert_type(proof.tour, Tour | None)
try:
    assert_type(decode("answer.txt", "formula.cnf"), Answer)
except NotATour as fault:
    print(fault.cuts)
mean: float = compare_backends(["6x6"], ["sat"], closed=True, seconds=5).rows[0]["mean"]
try:
    read_graph("streets.edges")
except BadInput as refused:
    print(refused)
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


def test_the_wheel_solves(wheel: Path, tmp_path: Path) -> None:
    clean = {"PATH": os.defpath, "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    program = (
        "import cpsat_tour; tour = cpsat_tour.solve('6x6', closed=True, backend='cpsat').tour; "
        "print(len(tour), cpsat_tour.__version__, cpsat_tour.__file__)"
    )
    call = [str(installed(wheel, tmp_path)), "-P", "-c", program]
    length, version, package = subprocess.run(
        call, cwd=tmp_path, env=clean, capture_output=True, text=True, check=True
    ).stdout.split()
    assert (length, version) == ("36", wheel.name.split("-")[1])
    assert version == __version__
    assert package.startswith(str(tmp_path / "site"))


def test_the_container_file_copies_what_there_is() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    assert {name for line in copied for name in line.split()} == {*SOURCES, "constraints.txt"}
    assert all((ROOT / name).exists() for line in copied for name in line.split())


def test_the_citation_has_the_version_and_the_date_of_the_changelog() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    released = f"## {citation['version']}, {citation['date-released']}"
    assert citation["version"] == __version__
    assert released in (ROOT / "CHANGELOG.md").read_text().splitlines()
    authors = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["authors"]
    assert [author["name"] for author in authors] == [author["name"] for author in citation["authors"]]


def test_the_paper_is_short_and_cites_what_its_bibliography_has() -> None:
    text = (ROOT / "paper" / "paper.md").read_text()
    listed = re.findall(r"^@\w+\{(\w+),$", (ROOT / "paper" / "paper.bib").read_text(), re.MULTILINE)
    assert sorted({*re.findall(r"@(\w+)", text)}) == sorted(listed)
    assert len(text.split()) <= 900


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


@pytest.mark.slow
def test_a_users_script_is_typed(wheel: Path, tmp_path: Path) -> None:
    """As it is here, which `make check` sees, so it is where the wheel is installed."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "right.py").write_text(USERS_SCRIPT)
    (tmp_path / "wrong.py").write_text(USERS_SCRIPT.replace("number: int", "number: str"))
    python = installed(wheel, tmp_path)
    call = f"-m mypy --strict --python-executable {python} --cache-dir {CACHE} right.py wrong.py"
    told = subprocess.run([sys.executable, *call.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
    (fault, _) = told.stdout.splitlines()
    assert fault.startswith("wrong.py:")
    assert "Incompatible types in assignment" in fault


@pytest.mark.parametrize("where", [ROOT, Path("/")], ids=["checkout", "elsewhere"])
def test_the_module_runs_from_the_checkout_and_from_elsewhere(where: Path) -> None:
    call = [sys.executable, "-m", "cpsat_tour", "solve", "6x6", "--backend", "sat", "--json"]
    assert '"status": "tour"' in subprocess.run(call, cwd=where, capture_output=True, text=True, check=True).stdout


def steps_of(*target: str) -> list[str]:
    """What make would run for a target that is up to date or not, a line each."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    call = ["make", "-n", *target]
    return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True, env=bare).stdout.splitlines()


def test_make_tour_ends_with_what_to_type_next() -> None:
    assert steps_of("tour")[-1] == 'echo "now: source .venv/bin/activate"'


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_students_get_a_lesson_without_solutions_and_outputs(lesson: Path, tmp_path: Path) -> None:
    write_for_students = pytest.importorskip("lessons", reason="the lessons are not installed").write_for_students
    write_for_students(lesson, tmp_path)
    mine, whole = (json.loads((folder / lesson.name).read_text())["cells"] for folder in (tmp_path, lesson.parent))
    assert [cell["source"] for cell in mine] == [cell["source"] for cell in whole[: len(mine)]]
    assert not any(cell.get("outputs") for cell in mine)
    assert lesson.name.startswith("0-") or whole[len(mine)]["source"][0] == "## Solutions\n"


def test_make_lessons_opens_copies_of_the_lessons_in_jupyterlab(tmp_path: Path) -> None:
    """Its last step, in another folder, without a browser: the server hands out a lesson, and its kernel runs it."""
    jupyter = pytest.importorskip("jupyter_client", reason="JupyterLab is not installed: pip install '.[lessons]'")
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: pip install '.[lessons]'")
    step = steps_of("lessons", "LAB=--no-browser --allow-root")[-1].replace(" jupyter ", " exec jupyter ")
    lessons = tmp_path / "build" / "lessons"
    shutil.copytree(ROOT / "docs" / "lessons", lessons)
    homes = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    with subprocess.Popen(
        ["sh", "-c", step], cwd=tmp_path, env=os.environ | homes, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr is not None
            said = (re.search(r"(http://localhost:(\d+))/lab\?token=(\w+)", line) for line in server.stderr)
            address, port, token = next(match for match in said if match).groups()
            while socket.socket().connect_ex(("localhost", int(port))):  # it says so a moment before it listens
                assert server.poll() is None

            def asked(path: str, **sent: str) -> Any:
                body = json.dumps(sent).encode() if sent else None
                return urlopen(Request(address + path, body, {"Authorization": f"token {token}"})).read()

            assert b"jupyter-config-data" in asked("/lab/tree/1-formulation.ipynb")
            lesson = json.loads(asked("/api/contents/1-formulation.ipynb"))["content"]
            kernel = json.loads(asked("/api/kernels", name=lesson["metadata"]["kernelspec"]["name"]))["id"]
            client = jupyter.BlockingKernelClient(connection_file=str(tmp_path / "RUNTIME" / f"kernel-{kernel}.json"))
            client.load_connection_file()
            client.start_channels()
            client.wait_for_ready()
            for cell in [cell for cell in lesson["cells"] if cell["cell_type"] == "code"][:2]:
                assert client.execute_interactive(cell["source"], output_hook=len)["content"]["status"] == "ok"
            client.stop_channels()
        finally:
            server.terminate()
