"""The mixed-integer programs that are stated at once have the sizes that their docstrings and pages give, and no
solutions but tours, with options too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, small_graphs

from cpsat_tour.backends.registry import load, missing_modules
from cpsat_tour.backends.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.spaces.board import Board

PROGRAMS = {
    "milp:mtz": {},
    "milp:mtz lifted": {"lifted": True},
    "milp:flow": {},
    "milp:flows": {},
    "milp:stages": {},
    "milp:stages aggregated": {"aggregated": True},
}


@pytest.fixture(params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    if absent := missing_modules("milp"):
        pytest.skip(f"these backends need {', '.join(absent)}")
    return str(request.param)


def program_of(name: str) -> Any:
    return load(name.partition(" ")[0], PROGRAMS[name])


def closed_form(name: str, cycle: CycleProblem) -> tuple[int, int, int]:
    """Columns, rows and entries, as the docstrings have them."""
    n, m, d, r = cycle.order, cycle.size, int(cycle.degrees.min()), int(cycle.required.sum())
    columns, rows, entries = 2 * m, 2 * n + r, 4 * m + 2 * r
    if name.startswith("milp:mtz"):
        columns, rows, entries = columns + n - 1, rows + 2 * (m - d), entries + 6 * (m - d)
        return (
            (columns, rows + 2 * n - 2, entries + 2 * (m - d) + 2 * n - 2 + 4 * d)
            if "lifted" in name
            else ((columns, rows, entries))
        )
    if name == "milp:flow":
        return columns + 2 * m, rows + 2 * m + n - 1, entries + 4 * m + 4 * m - 2 * d
    if name == "milp:flows":
        return columns + 2 * m * (n - 1), rows + (n - 1) * (2 * m + n), entries + (n - 1) * 8 * m
    arcs = Arcs(cycle, colours=True)
    possible = arcs.possible_positions(np.arange(n))
    steps = (possible[arcs.tails] & np.roll(possible, -1, axis=1)[arcs.heads]).sum(axis=1)
    s, leaving, entering = (int(steps[some].sum()) for some in (slice(None), arcs.tails == arcs.root, arcs.into_root))
    rows, entries = rows + 2 * m, entries + 2 * m + s
    if "aggregated" in name:
        return columns + s, rows + 2 * n - 1, entries + 3 * s - leaving - entering
    return columns + s, rows + int(possible.sum()) - 1 + m, entries + 2 * s - leaving - entering + 2 * m


def test_the_sizes_are_those_of_the_docstring(name: str) -> None:
    for problem in (Problem(Board(8).graph, True), Problem(Board(5, 6).graph, False, start=0)):
        sizes = program_of(name).sizes(cycle := to_cycle(problem))
        assert (sizes.variables, sizes.clauses, sizes.literals) == closed_form(name, cycle)


@pytest.mark.parametrize("option", [name for name, options in PROGRAMS.items() if options])
def test_an_option_changes_no_answer(option: str) -> None:
    if missing_modules("milp"):
        pytest.skip("HiGHS is not installed")
    for graph in (*small_graphs(4), *small_graphs(3, directed=True)):
        for closed in (False, True):
            problem = Problem(graph, closed)
            assert (run(problem, program_of(option)).tour is not None) == bool(brute_force(problem)), problem
    assert run(Problem(Board(5, 6).graph, True), program_of(option)).status == "tour"
