"""Round trips through programs from outside: a problem is exported, solved there, and the answer decoded.

What is not installed is passed over, and said so; ``.ci/run`` installs what Debian has, `make test` what PyPI has.
"""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from cpsat_tour import BadInput, Board, Limits, Problem, decode, export, load, problem_of, read_graph, run, verify
from cpsat_tour.formats import circuit_files
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.outside import PROGRAMS

BOARD, SMALL = Board(5, 6).graph, Board(3, 4).graph
MODELS = Path(circuit_files.__file__).parent
ARCS = "a,b\nb,c\nc,d\nd,e\ne,a\nc,a\nb,a\nd,b\ne,c\n"


def problems(folder: Path) -> dict[str, tuple[Problem, bool]]:
    """Return problems, each with whether there is a tour; the one of a directed graph is read from a file."""
    (folder / "arcs.csv").write_text(ARCS)
    require = ((BOARD.space.vertex("b1"), BOARD.space.vertex("c3")),)
    return {
        "closed": (Problem(BOARD, True), True),
        "none": (Problem(Board(4).graph, False), False),
        "open": (Problem(SMALL, False, start=SMALL.space.vertex("a1")), True),
        "required": (Problem(BOARD, True, require=require), True),
        "directed": (Problem(read_graph(folder / "arcs.csv", "edges:directed"), True), True),
    }


WAYS = [
    ("cadical", "sat:crt", "cnf", PROGRAMS["cadical"].arguments),
    ("minisat", "sat:adder", "cnf", PROGRAMS["minisat"].arguments),
    ("cadical", "sat:permutation", "cnf", PROGRAMS["cadical"].arguments),
    ("cadical", "sat:hybrid printed=true plain=true", "cnf", PROGRAMS["cadical"].arguments),
    ("clasp", "sat:elimination", "opb", "{formula}"),
    ("clasp", "sat:permutation", "opb", "{formula}"),
    ("clasp", "sat:order frame=arcs", "opb", "{formula}"),
    ("cbc", "milp:flow", "mps", PROGRAMS["cbc"].arguments),
    ("glpsol", "milp:flow", "mps", PROGRAMS["glpsol"].arguments),
    ("glpsol", "milp:flow", "lp", "--lp {formula} -o {answer}"),
    ("glpsol", "milp:mtz", "mps", "--freemps {formula} -w {answer}"),
    ("glpsol", "milp:mtz", "lp", "--lp {formula} -w {answer}"),
    ("minizinc", "cpsat", "mzn", "--solver gecode {formula}"),
    ("minizinc", "cpsat", "dzn", "--solver gecode {models}/successor.mzn {formula}"),
    ("minizinc", "cpsat:successor", "dzn", "--solver gecode {models}/order.mzn {formula}"),
    ("minizinc", "cpsat:successor", "mzn", "--solver gecode --output-mode json {formula}"),
    ("clingo", "asp", "asp", "{formula}"),
    ("clingo", "asp", "asp", "--outf=1 {formula}"),
    ("clingo", "asp", "asp", "--outf=2 {formula}"),
    ("clingo", "asp:reach", "asp", "{formula}"),
    ("z3", "smt", "smt2", "{formula}"),
    ("z3", "smt logic=QF_BV", "smt2", "{formula}"),
    ("java", "cpsat", "xml", "-XX:TieredStopAtLevel=1 -jar {ace} {formula}"),
]
"""Programs, each with a formulation, the form of its file, and the arguments."""

ASKED = ("required", "none", "closed", "open", "directed")

# A virtual machine of Java takes three seconds.
CASES = [
    pytest.param(*way, asked, marks=[pytest.mark.slow] if way[0] == "java" and asked in ASKED[2:] else [])
    for way in WAYS
    for asked in ASKED
]


@pytest.mark.parametrize(("program", "backend", "form", "arguments", "asked"), CASES)
def test_there_and_back(program: str, backend: str, form: str, arguments: str, asked: str, tmp_path: Path) -> None:
    problem, there_is_one = problems(tmp_path)[asked]
    formula, answer, printed = (tmp_path / name for name in (f"f.{form}", "answer.sol", "printed"))
    if (path := shutil.which(program) or shutil.which(program, path=Path(sys.executable).parent)) is None:
        pytest.skip(f"{program} is not installed")
    backend, *pairs = backend.split()
    options, ace = dict(pair.split("=") for pair in pairs), ""
    if "{ace}" in arguments:
        if (found := find_spec("pycsp3")) is None:
            pytest.skip("pycsp3, which has ACE, is not installed")
        ace = str(next((Path(str(found.origin)).parent / "solvers" / "ace").glob("ACE*.jar")))
    if asked == "directed" and "directed" not in load(backend).takes:
        with pytest.raises(BadInput, match="has formulas of undirected graphs only"):
            export(problem, formula, backend=backend)
        return
    sizes = export(problem, formula, backend=backend, options=options)
    assert sizes.variables > 0
    names = {"formula": formula, "answer": answer, "ace": ace, "models": MODELS}
    command = [word.format(**names) for word in arguments.split()]
    with open(printed, "wb") as file:
        subprocess.run([str(path), *command], stdout=file, stderr=subprocess.DEVNULL, check=False, timeout=60)
    decoded = decode(answer if answer.exists() else printed, formula)
    assert decoded.status == ("tour" if there_is_one else "none")
    if decoded.tour is not None:
        verify(problem, decoded.tour.vertices)
        assert decoded.tour.closed == problem.closed


@pytest.mark.parametrize("asked", ["closed", "none", "directed"])
@pytest.mark.parametrize(
    "spec", ["sat:crt@cadical", "sat:lazy@minisat", "sat:arcs@cadical", "pb@clasp", "milp@cbc", "milp:mtz@glpsol"]
)
def test_a_program_answers_in_a_run(spec: str, asked: str, tmp_path: Path) -> None:
    """Lazy formulations have the program solve again with the cut sets; directed graphs are split for those that need
    it."""
    problem, there_is_one = problems(tmp_path)[asked]
    if shutil.which(spec.partition("@")[2]) is None:
        pytest.skip(f"{spec.partition('@')[2]} is not installed")
    answer = run(problem, load(spec), Limits(simplify=False))
    assert answer.status == ("tour" if there_is_one else "none")
    if answer.refutation is not None:
        assert answer.refutation.kind == "claimed"
    if asked == "closed" and spec == "sat:lazy@minisat":
        assert answer.work["cut_sets"] > 0


def test_a_vertex_that_cant_be_left_decides_a_problem_without_a_circuit(tmp_path: Path) -> None:
    (tmp_path / "arcs.csv").write_text("a,b\nb,c\nc,a\nb,d\n")
    problem = Problem(read_graph(tmp_path / "arcs.csv", "edges:directed"), True)
    for form in ("mzn", "xml", "pb"):
        with pytest.raises(BadInput, match="decided without a formula: d can't be left"):
            export(problem, tmp_path / f"a.{form}", backend="cpsat")


def test_circuits_with_ties_in_xcsp3(tmp_path: Path) -> None:
    """Half-turns tie moves, which both are used or neither."""
    problem = problem_of("6x6", closed=True, symmetry="rot180")
    sizes = export(problem, tmp_path / "a.xml", backend="cpsat")
    assert sizes.clauses == len(re.findall(r"<(?:circuit|intension)>", (tmp_path / "a.xml").read_text()))


@pytest.mark.parametrize(("backend", "model"), [("cpsat", "successor"), ("cpsat:successor", "order")])
def test_minizinc_has_a_model_and_data_and_prints_the_tour(backend: str, model: str, tmp_path: Path) -> None:
    """The model of the package, and after it the data of the problem; a required move stands in it, and ties."""
    problem = problem_of("6x6", closed=True, symmetry="rot180", require=[("a6", "b4")])
    sizes = {form: export(problem, tmp_path / f"a.{form}", backend=backend) for form in ("mzn", "dzn")}
    whole, data = ((tmp_path / f"a.{form}").read_text() for form in sizes)
    assert whole.endswith((MODELS / f"{model}.mzn").read_text() + data[data.index("\nn = ") :])
    steps = 37 if model == "order" else 0  # the root, and after each vertex
    rules = 36 + 1 + steps + sum(int(rows) for rows in re.findall(r"array2d\(1\.\.(\d+)", data))
    assert sizes["mzn"] == sizes["dzn"] == Sizes(36 + max(0, steps - 1), rules, 160)
    if shutil.which("minizinc") is None:
        pytest.skip("minizinc is not installed")
    command = ["minizinc", "--solver", "gecode", str(tmp_path / "a.mzn")]
    printed = subprocess.run(command, capture_output=True, check=False, timeout=60).stdout
    (tmp_path / "answer").write_bytes(printed)
    found = decode(tmp_path / "answer", tmp_path / "a.dzn")
    assert found.tour is not None
    names = printed.decode().partition("tour: ")[2].partition("\n")[0].split()
    assert sorted(names) == sorted(found.tour.names)
    moves = {frozenset(move) for move in pairwise([*names, names[0]])}
    assert moves == {frozenset(move) for move in pairwise([*found.tour.names, found.tour.names[0]])}
    assert frozenset(("a6", "b4")) in moves
