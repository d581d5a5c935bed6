"""Formulas for outside solvers: exported, solved elsewhere, and decoded back to a verified tour; sizes without
solving."""

import re
import shutil
import subprocess
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from certificate_judge import holds, read_sides
from commands import Command, needed, solved_inside
from ortools.sat.python import cp_model
from pysat.examples.rc2 import RC2
from pysat.formula import CNF, WCNF
from pysat.solvers import Solver

from cpsat_tour import Board, Graph, Problem, decode, export, graph_of, load, solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.engines.best import optimise
from cpsat_tour.engines.best_search import goal_of
from cpsat_tour.engines.decoding import read_answer, tour_of
from cpsat_tour.engines.runner import formula as formula_of, sizes as sizes_of
from cpsat_tour.formats.formula import read_map
from cpsat_tour.models.permutation import Permutation

FULL = ("sat:onehot", "sat:relative", "sat:adder", "sat:lfsr", "sat:crt", "sat:elimination", "sat:hybrid")

PROBLEMS = [
    "6x6 --closed",
    "5x5",
    "6x6",
    "5x6 --start a1 --end b3",
    "5x6 --start a1 --end a2 --forbid a1-b3",
    "5x5 --start a1 --require c3-d5",
    "8x8 --closed --hole a1 --hole d5",
    "6x6 --leaper 0,1 --closed",
]


@pytest.mark.parametrize("asked", PROBLEMS)
@pytest.mark.parametrize("name", ["sat:adder", "sat:elimination"])
def test_a_file_holds_all_that_decoding_needs(name: str, asked: str, tmp_path: Path, command: Command) -> None:
    formula, answer = tmp_path / "tour.cnf", tmp_path / "answer.txt"
    command(f"export {asked} --backend {name} -o {formula}")
    assert solved_inside(formula, answer)
    # Decoding verifies the tour against the problem in the file.
    assert command(f"decode {answer} {formula}").out.strip()


@pytest.mark.parametrize("name", [*FULL, "sat:lazy"])
def test_the_opb_form_has_the_same_tours(name: str, tmp_path: Path) -> None:
    """A tour's values satisfy every line of the OPB file, and without one of its edges they don't."""
    cnf, opb, answer = tmp_path / "tour.cnf", tmp_path / "tour.opb", tmp_path / "answer.txt"
    for path in (cnf, opb):
        assert status(["export", "5x6", "--start", "a1", "--backend", name, "-o", str(path)]) == 0
    assert solved_inside(cnf, answer)
    _, true = read_answer(str(answer))
    header, _, *lines = opb.read_text().splitlines()
    rows = [line.removesuffix(" ;").split() for line in lines if not line.startswith("*")]
    formula = formula_of(Problem(Board(5, 6).graph, False, start=Board(5, 6).vertex("a1")), load(name), name)
    edges, auxiliary = formula.cycle.size, formula.auxiliary  # type: ignore[attr-defined]
    last = formula.sizes.variables
    literals = [int(literal.replace("x", "")) for literal in true]
    used = {last + 1 + literal for literal in literals if literal < edges - last}  # an edge is used if false in DIMACS
    values = used | {edges - auxiliary + number for number in literals if auxiliary < number <= last - edges}
    assert header == f"* #variable= {formula.sizes.variables - auxiliary} #constraint= {len(rows)}"
    for made, expected in ((values, True), (values - {min(values)}, False)):
        assigned = {x if x in made else -x for x in range(1, last + 1)}
        assert all(holds(side, assigned) for row in rows for side in read_sides(row)) == expected
    answer.write_text(
        "s SATISFIABLE\nv " + " ".join(f"{'' if edge in values else '-'}x{edge}" for edge in range(1, edges + 1)) + "\n"
    )
    if name != "sat:lazy":
        assert len(tour_of(read_map(str(opb)), read_answer(str(answer))[1])) == 30


TINY = {
    "K(4)": (Problem(graph_of("K(4)"), True), 3),
    "K(3), open": (Problem(graph_of("K(3)"), False), 3),
    "K(3), from 0 to 2": (Problem(graph_of("K(3)"), False, start=0, end=2), 1),
    "2x2 by a wazir": (Problem(Board(2, leaper=(0, 1)).graph, True), 1),
    "1x3 by a wazir": (Problem(Board(1, 3, leaper=(0, 1)).graph, False), 1),
    "a path there and back": (
        Problem(Graph.from_edges(4, [*pairwise(range(4)), *pairwise([3, 2, 1, 0])], directed=True), True),
        0,
    ),
}
"""Problems, each with the number of its tours."""


@pytest.mark.parametrize("name", TINY)
def test_the_least_values_of_a_qubo_are_the_tours(name: str) -> None:
    """All values of all variables are gone through: -1 for each sum is the least that there may be."""
    problem, tours = TINY[name]
    file, qubo = BytesIO(), Permutation().formula(to_cycle(problem))
    qubo.write("qubo", file)
    header, *rows = [line.split() for line in file.getvalue().decode().splitlines() if line[0] != "c"]
    n = qubo.sizes.variables
    assert header == ["p", "qubo", "0", str(n), str(n), str(len(rows) - n)]
    weights = np.zeros((n, n), dtype=int)
    for i, j, weight in (map(int, row) for row in rows):
        weights[i, j] = weight
    x = np.arange(2**n)[:, None] >> np.arange(n) & 1
    values = ((x @ weights) * x).sum(axis=1)
    sums = sum(len(block) for block in qubo.clauses if (block > 0).all())
    assert values.min() >= -sums
    assert (values == -sums).sum() == tours


def test_every_variable_of_a_file_has_a_name(tmp_path: Path) -> None:
    """The map names the moves, and other lines the rest, as the docstring of the formulation calls them."""
    for name in (*FULL, "sat:lazy", "sat:arcs", "sat:permutation"):
        for form in ("cnf", "opb"):
            path = tmp_path / f"{name}.{form}"
            sizes = export("5x5", path, start="a1", backend=name)
            named = re.findall(r"(?m)^. (?:is|edge|ends|arc|start|end|at|apex) -?x?(\d+) ", path.read_text())
            last = int(re.findall(r"p cnf (\d+)|#variable= (\d+)", path.read_text())[0][form == "opb"])
            assert sorted(map(int, named)) == list(range(1, last + 1)), (name, form)
            assert sizes.variables == last
    text = (tmp_path / "sat:adder.cnf").read_text()
    assert {"p[apex,4]", "arc[a1,b3]", "s1[e5]", "degree[c3,1]"} <= {*re.findall(r"\w+\[.*\]", text)}


def test_a_plain_file_has_the_edges_first_and_true_if_used(tmp_path: Path) -> None:
    path = tmp_path / "plain.cnf"
    export("6x6", path, closed=True, options={"plain": "true"})
    assert "note" not in path.read_text()
    assert re.findall(r"(?m)^c edge (\S+) ", path.read_text()) == [str(k) for k in range(1, 81)]
    export("6x6", path, closed=True, force=True)
    assert "c note: the variable of an edge" in path.read_text()


@pytest.mark.parametrize(
    ("name", "board"), [("sat:elimination", "10x10"), ("sat:adder", "14x14"), ("sat:hybrid", "14x14")]
)
def test_plain_cadical_needs_few_conflicts(name: str, board: str, tmp_path: Path) -> None:
    """With the edges first, the file would take it 81, 2,431 and 1,008."""
    export(board, tmp_path / "tour.cnf", closed=True, backend=name)
    with Solver("cadical153", bootstrap_with=CNF(from_file=str(tmp_path / "tour.cnf"))) as solver:
        solver.conf_budget(60)
        assert solver.solve_limited()


def test_a_solver_that_makes_the_last_variable_true_leaves_edges_out_along_the_sweep() -> None:
    formula = formula_of(Problem(Board(6).graph, True), load("sat:adder"), "sat:adder")
    mapped = formula.map("cnf")  # type: ignore[attr-defined]
    last = formula.sizes.variables
    assert mapped.variables == [str(-number) for number in range(last, last - 80, -1)]
    assert [sorted(ends) for ends in np.transpose(mapped.ends)[:4].tolist()] == [[0, 8], [0, 13], [1, 9], [1, 12]]


@pytest.mark.parametrize("name", ["cpsat", "cpsat:positions", "cpsat:successor", "cpsat:lazy"])
def test_a_cp_sat_model_can_be_read_back_and_solved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tour.pbtxt"
    assert status(["export", "6x6", "--closed", "--backend", name, "-o", str(path)]) == 0
    model = cp_model.CpModel()
    assert model.proto.parse_text_format(path.read_text())
    sizes = sizes_of(Problem(Board(6).graph, True), load(name), name)
    assert (len(model.proto.variables), len(model.proto.constraints)) == (sizes.variables, sizes.clauses)
    assert {"a1-b3", "b3-a1", "next[a1]"} & {variable.name for variable in model.proto.variables}
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False
    assert solver.solve(model) == cp_model.OPTIMAL
    assert status(["export", "6x6", "--closed", "--backend", name, "-o", str(tmp_path / "tour.pb")]) == 0
    assert (tmp_path / "tour.pb").stat().st_size > 0


ENDS = ("", "--closed", "--start apex", "--start apex --end b")


def test_a_formula_of_a_graph_from_a_file_is_decoded(tmp_path: Path, command: Command) -> None:
    graph, formula, answer = tmp_path / "g.edges", tmp_path / "tour.cnf", tmp_path / "answer.txt"
    graph.write_text("apex b\nb c\nc d\nd apex\nb d\n")
    asked = [f"{ends}{backend}" for backend in ("", " --backend sat:permutation") for ends in ENDS]
    for ends in asked:
        command(f"export {graph} {ends} --forbid b-d -o {formula} --force")
        assert solved_inside(formula, answer)
        assert sorted(command(f"decode {answer} {formula}").out.split()) == ["apex", "b", "c", "d"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("export 6x6 --backend dfs", "has no formula: choose one of cpsat, sat"),
        ("export 6x6 --backend sat:adder --format pb", "choose cnf (DIMACS CNF), opb (OPB)"),
        ("export 6x6 --backend cpsat -o tour.cnf", "choose pb (CP-SAT model, binary)"),
        ("export 1x1", "decided without a formula"),
        ("export 8x8 --closed --backend sat:onehot", "more than 10,000"),
        ("decode - -", "can't both come from standard input"),
        ("decode - no.cnf", "can't read no.cnf"),
        ("decode answer.txt", "FORMULA"),
        ("backends sat:crt 2x0", "at least 1"),
        ("backends dfs 8x8", "has no formula"),
        (
            "export 6x6 --backend sat:gadgets",
            "sat:gadgets has a formula that can't be written to a file yet: choose one of",
        ),
        ("backends sat:crt 2x1", "decided without a formula: a2 has no move at all"),
        ("export 4x4 --symmetry rot90", "decided without a formula: "),
        ("export 4x4 --closed --symmetry rot180-bergholtian --backend milp:mtz", "decided without a formula: rot180"),
    ],
)
def test_bad_calls(call: str, said: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.models.eager.MAX_CLAUSES", 10_000)
    assert said in " ".join(command(call, 2).err.split())


@pytest.mark.parametrize("form", ["cnf", "opb"])
def test_the_size_that_is_told_is_that_of_the_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"tour.{form}"
    told = export("6x7", path, require=[("a1", "b3")], backend="sat:onehot")
    lines = [line for line in path.read_text().splitlines() if not line.startswith(("c ", "*", "p "))]
    mark = "x" if form == "opb" else ""
    words = [word.lstrip("-~") for line in lines for word in line.split()[:-1] if mark in word]
    assert (told.clauses, told.literals, told.variables) == (len(lines), len(words), len(set(words)))


def test_names_with_spaces_go_into_a_formula_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("New York,Boston\nBoston,b\nb,New York\n")
    export(str(tmp_path / "towns.csv"), tmp_path / "towns.cnf")
    tour = needed(solve(str(tmp_path / "towns.csv"), start="New York", end="b").tour)
    assert str(tour) == '"New York" Boston b'
    assert solved_inside(tmp_path / "towns.cnf", tmp_path / "answer.txt")
    decoded = needed(decode(tmp_path / "answer.txt", tmp_path / "towns.cnf").tour)
    assert sorted(decoded.names) == ["Boston", "New York", "b"]


def test_names_with_hyphens_go_into_xml_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("a--b,c\nc,d e---f\nd e---f,a--b\n")
    export(str(tmp_path / "g.csv"), tmp_path / "g.xml", closed=True, backend="cpsat")
    root = ElementTree.parse(tmp_path / "g.xml").getroot()
    assert [domain.text for domain in root.iter("domain")] == [" 1 2 ", " 0 2 ", " 0 1 "]
    assert [element.text for element in root.iter("circuit")] == [" next[] "]
    values = "<instantiation> <list> next[] </list> <values> 1 2 0 </values> </instantiation>\n"
    (tmp_path / "answer.txt").write_text(values)
    tour = needed(decode(tmp_path / "answer.txt", tmp_path / "g.xml").tour)
    assert list(tour.names) == ["a--b", "c", "d e---f"]


def test_export_writes_to_standard_output(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "tour.cnf"
    assert status(["export", "5x5", "-o", str(path)]) == 0
    capsysbinary.readouterr()
    assert status(["export", "5x5"]) == 0
    assert capsysbinary.readouterr().out == path.read_bytes()


def test_backends_prints_the_size_of_a_formula(command: Command) -> None:
    words = "sat:crt on 8x8, closed tours: 1,400 variables, 9,858 clauses, 25,873 literals\n"
    assert command("backends sat:crt 8x8 --closed").out == words


@pytest.mark.parametrize("asked", [problem for problem in PROBLEMS if problem != "8x8 --closed --hole a1 --hole d5"])
def test_an_answer_set_program_can_be_solved_by_clingo(asked: str, tmp_path: Path) -> None:
    clingo = pytest.importorskip("clingo", reason="clingo is optional")
    path = tmp_path / "tour.asp"
    assert status(["export", *asked.split(), "--backend", "asp", "-o", str(path)]) == 0
    assert path.read_text().startswith("% cpsat-tour formula")
    control = clingo.Control(["--warn=none"])
    control.load(str(path))
    control.ground()
    with control.solve(yield_=True) as models:
        true = {str(symbol) for symbol in next(iter(models)).symbols(shown=True)}
    assert tour_of(read_map(str(path)), true)  # it is verified


@pytest.mark.parametrize("form", ["wcnf", "opb"])
@pytest.mark.parametrize("goal", ["minimize turns", "maximize turns", "minimize crossings", "maximize crossings"])
def test_a_formula_with_a_goal_has_the_best_tours(goal: str, form: str, tmp_path: Path, command: Command) -> None:
    path, answer = tmp_path / f"best.{form}", tmp_path / "answer.txt"
    said = command(f"export 5x6 --closed --backend sat:relative --{goal} -o {path}").err
    if form == "wcnf":
        formula = WCNF(from_file=str(path))
        assert f"{formula.nv} variables, {len(formula.hard) + len(formula.soft):,} clauses" in said
        with RC2(formula) as solver:
            answer.write_text("s OPTIMUM FOUND\nv " + " ".join(map(str, solver.compute())) + "\n")
    elif shutil.which("clasp") is None:
        pytest.skip("clasp is not installed")
    else:
        answer.write_bytes(subprocess.run(["clasp", path], capture_output=True, check=False, timeout=60).stdout)
    tour = decode(answer, path).tour
    way, objective = goal.split()
    sought = goal_of(Problem(Board(5, 6).graph, True), **{way: objective})
    assert tour is not None
    assert sought.value(tour.vertices) == optimise(sought).value


def test_a_goal_goes_into_some_forms_alone(tmp_path: Path, command: Command) -> None:
    for call, said in {
        "-o a.cnf": "DIMACS CNF can't ask for the fewest turns: write a .wcnf or .opb file",
        "--backend cpsat": "this file can't have a goal",
        "-o a.hcp": "this file can't have a goal",
        "--maximize turns": "2 goals are given",
    }.items():
        assert said in command(f"export 5x6 --closed --minimize turns {call}".replace("a.", f"{tmp_path}/a."), 2).err


def test_cut_sets_are_appended_to_wcnf_and_to_no_linear_program(tmp_path: Path, command: Command) -> None:
    path, answer = tmp_path / "tour.wcnf", tmp_path / "answer.txt"
    command(f"export 4x4 --leaper 0,1 --closed --backend sat:lazy --maximize turns -o {path}")
    squares = [[0, 1, 5, 4], [2, 3, 7, 6], [8, 9, 13, 12], [10, 11, 15, 14]]
    chosen = {frozenset(pair) for cycle in squares for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True)}

    def answer_to(formula: Path, form: str) -> None:
        told = read_map(str(formula))
        used = zip(told.variables, *told.ends, strict=True)
        answer.write_text("".join(form.format(name) for name, *ends in used if frozenset(map(int, ends)) in chosen))

    answer_to(path, "v {}\n")
    before = WCNF(from_file=str(path))
    assert "added 4 cut sets" in command(f"decode {answer} {path} --append", 1).err
    assert len(WCNF(from_file=str(path)).hard) == len(before.hard) + 4
    command(f"export 4x4 --leaper 0,1 --closed --backend milp -o {tmp_path / 'tour.lp'}")
    answer_to(tmp_path / "tour.lp", "{} 1\n")
    for append in ("", " --append"):
        said = command(f"decode {answer} {tmp_path / 'tour.lp'}{append}", 2 if append else 1).err
        assert "is a relaxation; write it as .opb" in said
