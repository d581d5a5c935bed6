"""The lazy loop over arcs: the size of its clauses, and the tours that it lists with each solver."""

from __future__ import annotations

from collections import deque
from itertools import permutations, product

import numpy as np
import pytest
from products import all_tours

from cpsat_tour.backends.registry import load
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import exactly_one
from cpsat_tour.models.lazy_arcs import arc_clauses
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member


def test_the_clauses_at_a_hub_are_linear_in_its_degree() -> None:
    assert sum(map(len, exactly_one(1000).blocks)) < 4 * 1000


def test_templates_are_made_for_degrees_that_occur_alone() -> None:
    """The apex of an open tour is beside every vertex: templates of all degrees up to its own took minutes."""
    cycle = to_cycle(Problem(Board(12).graph, False))
    exactly_one.cache_clear()
    deque(arc_clauses(Arcs(cycle)), maxlen=0)
    assert exactly_one.cache_info().currsize == len(np.unique(np.diff(cycle.incidence[0])))


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4"])
def test_the_solver_and_the_seed_do_not_change_the_tours(solver: str) -> None:
    backend = load(f"sat:arcs@{solver}")
    assert len(list(all_tours(Problem(Member.parse("GP(10,2)").graph, True), backend, Limits(seed=9)))) == 30
    tournament = Graph.from_edges(5, [(u, (u + step) % 5) for u, step in product(range(5), (1, 2))], directed=True)
    assert len(list(all_tours(Problem(tournament, True), backend))) == 2
    # The same arcs and their reverses: K5 as a directed graph, 4! cycles, none of which may use a move and its reverse.
    complete = Graph.from_edges(5, permutations(range(5), 2), directed=True)
    assert len(list(all_tours(Problem(complete, True), backend))) == 24


def test_all_cycles_of_a_wheel_are_listed() -> None:
    """A wheel has as many Hamiltonian cycles as spokes, each through two neighbouring ones."""
    rim = 60
    wheel = Graph.from_edges(rim + 1, [*((v, (v + 1) % rim) for v in range(rim)), *((v, rim) for v in range(rim))])
    assert len(list(all_tours(Problem(wheel, True), load("sat:arcs")))) == rim
