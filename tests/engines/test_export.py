"""Exported files: each form of each formulation for the product of what can be asked of boards, against brute force."""

import random
import re
import sys
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
from brute_force import brute_force
from commands import Command
from exported import FORMS, has_solution, problems, said
from products import as_python

from cpsat_tour import BadInput, Graph, Problem, export, graph_of
from cpsat_tour.compare.strength import bounds_table
from cpsat_tour.core import errors
from cpsat_tour.engines import registry
from cpsat_tour.formats.formula import read_map
from cpsat_tour.models.drivers.outside import Outside

SIZES = [(rows, cols) for rows in range(1, 6) for cols in range(1, 6)]
BOARDS = [f"{rows}x{cols}" for rows, cols in SIZES]
BOARDS += [f"wazir:{rows}x{cols}" for rows, cols in SIZES if rows * cols <= 12]

WAYS = [(backend, form) for backend, forms in FORMS.items() for form in forms]

REFUSED = "decided without a formula|does not take|formulas of undirected graphs only|can't say|is one of an undirected"
"""What is said of a problem that has no formula, or none of this form."""

RELAXED = ("sat:lazy", "sat:arcs", "cpsat:lazy", "milp", "pb")
"""Formulations that shorter cycles satisfy too."""

MOST_SOLVED = 12
"""Vertices of the largest board whose files are all solved."""


def is_written(problem: Problem, backend: str, form: str, path: Path) -> bool:
    """Assert that a file says the problem whole, and has a solution as brute force does; or that the problem is
    refused, as one that is decided or that the form can't say, which is False."""
    about, refusal = f"{backend} {form} {as_python(problem)}", ""
    try:
        sizes = export(problem, path, backend=backend.replace("tsplib", "sat:adder"), force=True)
    except BadInput as fault:
        refusal = str(fault)
    if refusal:
        assert re.search(REFUSED, refusal), about
        assert "decided" not in refusal or "it has a tour" in refusal or not has_tour(problem), about
        return False
    what = said(path)
    assert what.of
    assert what.constraints, about
    assert form not in ("lp", "mps") or what.declares <= what.of, about  # no column has bounds alone
    assert sizes.variables > 0 < sizes.clauses, about
    if form not in ("pb", "pbtxt"):
        named = {name.lstrip("-") if "cnf" in form else name for name in read_map(str(path)).variables}
        assert named, about
        assert named <= what.of, about
    if problem.graph.order <= MOST_SOLVED and (found := has_solution(path)) is not None:
        assert found == has_tour(problem) or (found and backend in RELAXED), about
    return True


@cache
def has_tour(problem: Problem) -> bool:
    return bool(brute_force(problem))


@cache
def all_problems() -> list[Problem]:
    return [problem for board in BOARDS for problem in problems(graph_of(board))]


@pytest.mark.parametrize("backend", FORMS)
def test_a_file_is_whole_or_the_problem_is_decided(backend: str, tmp_path: Path) -> None:
    rng, written = random.Random(backend), 0
    while written < 10:
        form = rng.choice(FORMS[backend])
        written += is_written(rng.choice(all_problems()), backend, form, tmp_path / f"a.{form}")


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_all_files_are_whole_or_their_problems_decided(board: str, tmp_path: Path) -> None:
    for problem in problems(graph_of(board)):
        for backend, form in WAYS:
            is_written(problem, backend, form, tmp_path / f"a.{form}")


def test_a_vertex_that_has_arcs_with_the_root_alone_has_no_column_that_stands_in_bounds_alone(tmp_path: Path) -> None:
    problem = Problem(Graph.from_edges(4, [(0, 1), (1, 0), (2, 3), (3, 2)], directed=True), True)
    for form, lifted in product(("lp", "mps"), (False, True)):
        export(problem, tmp_path / f"a.{form}", backend="milp:mtz", options={"lifted": lifted}, force=True)
        what = said(tmp_path / f"a.{form}")
        assert what.declares == what.of
        assert not has_solution(tmp_path / f"a.{form}")


# --- what solves a formula is not needed to write it ---


@pytest.fixture
def without_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing that solves a formula alone were installed; what loads it fails."""
    for place, name in ((registry, "_found"), (errors, "find_spec")):
        monkeypatch.setattr(place, name, lambda module: None if module in registry.SOLVERS else find_spec(module))
    for name in registry.SOLVERS:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("without_solvers")
def test_a_benchmark_has_all_forms_without_what_solves_them(tmp_path: Path, command: Command) -> None:
    command(f"export 5x6 --closed --all {tmp_path / 'suite'}")
    table = (tmp_path / "suite" / "answers.csv").read_text()
    assert all(f",{name}," in table for name in ("asp", "asp:reach", "smt", "milp:mtz", "milp:twoflows"))


@pytest.mark.usefixtures("without_solvers")
@pytest.mark.parametrize(("backend", "form"), [way for way in WAYS if way[0].startswith(("milp", "pb", "asp", "smt"))])
def test_a_formula_is_written_and_counted_without_what_solves_it(
    backend: str, form: str, tmp_path: Path, command: Command
) -> None:
    command(f"export 5x6 --backend {backend} -o {tmp_path}/a.{form}")
    assert said(tmp_path / f"a.{form}").constraints
    for line in (f"backends {backend} 5x6", f"backends {backend}"):
        assert command(line).out
    assert "not installed: pip install " in command(f"solve 5x6 --backend {backend}", 2).err
    program = "./program:" + form
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    assert isinstance(registry.load(f"{backend}@{tmp_path}/{program}"), Outside)


@pytest.mark.usefixtures("without_solvers")
def test_bounds_refuse_what_is_no_linear_program_before_they_ask_for_highs(command: Command) -> None:
    assert "sat is not a linear program" in command("compare bounds 5x6 --backend sat", 2).err
    with pytest.raises(BadInput, match="compare bounds needs the Python module highspy, which is not installed"):
        bounds_table(["5x6"], ["milp:mtz"], [0], print)
