"""Bounds of linear relaxations: what is known of their order, and of graphs without a cycle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from brute_force import brute_force

from cpsat_tour.backends.registry import missing_modules
from cpsat_tour.compare.strength import bound, bounds_table, linear_program
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.spaces.board import Board

if missing_modules("milp"):
    pytest.skip("HiGHS is not installed", allow_module_level=True)

LADDER = ("milp:mtz", "milp:flow", "milp:flows", "milp")


def test_bounds_grow_along_the_ladder_up_to_the_best_tour() -> None:
    """On complete graphs, where brute force finds the best tour."""
    rng = np.random.default_rng(0)
    problem = Problem(Graph.from_edges(7, list(combinations(range(7), 2))), True)
    cycle = to_cycle(problem)
    lengths = np.zeros((7, 7))
    for _ in range(3):
        costs = rng.integers(1, 101, cycle.size).astype(float)
        lengths[cycle.tails, cycle.heads] = lengths[cycle.heads, cycle.tails] = costs
        best = min(lengths[tour, np.roll(tour, 1)].sum() for tour in map(list, brute_force(problem)))
        found = [bound(linear_program(name, problem), costs)[0] for name in (*LADDER, "milp:mtz lifted=true")]
        weak, one_flow, flows, cuts, lifted = (float(cost or 0) for cost in found)
        assert 0 < weak <= min(lifted, one_flow) + 1e-6
        assert one_flow <= flows + 1e-6
        assert flows == pytest.approx(cuts)
        assert cuts <= best + 1e-6
        assert bound(linear_program("milp", problem), costs, whole=True)[0] == pytest.approx(best)


def test_graphs_without_a_cycle() -> None:
    """Two thirds of each edge of the Petersen graph satisfy all cut sets; closed 3x4 fails one of them (Pósa)."""
    heard: list[str] = []
    lines = bounds_table(["GP(5,2)", "3x4"], LADDER, [0], heard.append).splitlines()
    assert lines[0] == "|  | GP(5,2) | 3x4 | columns | rows | seconds |"
    assert lines[2].startswith("| milp:mtz | feasible | feasible | 78 | 92 |")
    assert [line.split(" | ")[1:3] for line in lines[3:]] == [["feasible", "infeasible"]] * 3
    assert heard[:2] == ["milp:mtz GP(5,2): feasible", "milp:mtz 3x4: feasible"]


def test_what_is_no_linear_program_is_refused() -> None:
    with pytest.raises(BadInput, match="backend sat is not a linear program: choose one such as milp"):
        linear_program("sat", Problem(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), True))
    with pytest.raises(BadInput, match="decided without a formula"):
        linear_program("milp", Problem(Board(1).graph, True))
