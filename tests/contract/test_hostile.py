"""The hostile graphs: what is known of them is true."""

from __future__ import annotations

import random

import pytest
from brute_force import brute_force
from hostile_graphs import FAMILIES

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.engines.runner import run
from cpsat_tour.native.dfs import Dfs


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_says_of_its_graphs_is_true(family: str) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        edges, closed = FAMILIES[family](rng, rng.randint(4, 9))
        problem = Problem(Graph.from_edges(1 + max(map(max, edges)), edges), True)
        if closed is None:
            continue
        if problem.graph.order <= 9:
            assert bool(brute_force(problem)) is closed, (family, seed)
        else:
            assert (run(problem, Dfs()).status == "tour") is closed, (family, seed)
