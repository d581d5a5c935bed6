"""The mixed-integer programs that are stated at once have the sizes that their docstrings and pages give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cpsat_tour.backends.registry import load
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.spaces.board import Board

PAGES = Path(__file__).resolve().parents[2] / "docs" / "formulations"


def closed_form(name: str, cycle: CycleProblem) -> tuple[int, int, int]:
    """Columns, rows and entries, as the docstrings and the pages have them."""
    n, m, d, r = (
        cycle.order,
        cycle.size,
        int(min(cycle.incidence[0][1:] - cycle.incidence[0][:-1])),
        cycle.required.sum(),
    )
    if name == "milp:mtz":
        return 2 * m + n - 1, 2 * n + 2 * (m - d) + r, 4 * m + 6 * (m - d) + 2 * r
    return 4 * m, 3 * n - 1 + 2 * m + r, 12 * m - 2 * d + 2 * r


@pytest.mark.parametrize("name", ["milp:mtz", "milp:flow"])
def test_the_sizes_are_those_of_the_docstring_and_of_the_page(name: str) -> None:
    for problem in (Problem(Board(8).graph, True), Problem(Board(5, 6).graph, False, start=0)):
        backend: Any = load(name)
        sizes = backend.sizes(cycle := to_cycle(problem))
        counted = (sizes.variables, sizes.clauses, sizes.literals)
        assert counted == closed_form(name, cycle)
        if problem.closed:
            page = (PAGES / f"{name.replace(':', '-')}.md").read_text(encoding="utf-8")
            printed = re.findall(r"has ([\d,]+) columns, ([\d,]+) rows and ([\d,]+) entries", page)
            assert printed == [tuple(f"{number:,}" for number in counted)]
