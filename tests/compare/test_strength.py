"""What unit propagation derives: never what a tour contradicts, and more where the clauses say more."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from brute_force import hamiltonian_cycles

from cpsat_tour.compare.record import graph_of
from cpsat_tour.compare.strength import CUT_SETS, Propagation, all_tours, assignments, shares, strength_table
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle

EAGER = ("sat:onehot", "sat:adder", "sat:lfsr", "sat:crt", "sat:relative", "sat:elimination", "sat:hybrid")


def test_what_is_derived_holds_in_every_tour() -> None:
    """By brute force, on assignments of the prism's edges."""
    cycle = to_cycle(Problem(graph_of("GP(3,1)"), True))
    ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    used = [{*zip(row, [*row[1:], row[0]], strict=True)} for row in map(list, hamiltonian_cycles(cycle))]
    found = np.array([[1 if pair in one or pair[::-1] in one else -1 for pair in ends] for one in used])
    assert sorted(found.tolist()) == sorted(np.where(all_tours(cycle), 1, -1).tolist())
    everything = list(product((0, -1, 1), repeat=cycle.size))
    assert {tuple(each.tolist()) for each in assignments(cycle, found, 3**9, (-1, 1))} == {*everything}
    for name in ("sat", "sat:lazy", CUT_SETS, *EAGER):
        propagate = Propagation(name, cycle)
        for values in map(np.array, everything[::9]):
            derived, agreeing = propagate(values), found[((values == 0) | (found == values)).all(axis=1)]
            assert derived is None or (derived * values == abs(values)).all()
            assert not len(agreeing) if derived is None else (derived * agreeing >= 0).all()


def test_edges_without_a_direction_say_nothing_to_a_counter() -> None:
    bare, *eager = shares(["GP(3,1)"], ["sat:lazy", *EAGER], 200)
    assert {share.words for share in eager} == {bare.words}
    bare, *eager = shares(["GP(3,1)"], ["sat:lazy", *EAGER], 200, directed=True)
    assert all(share.found > bare.found and share.refuted > bare.refuted for share in eager)
    assert (bare.implied, bare.dead) == (eager[0].implied, eager[0].dead)


def test_the_propagator_refutes_what_all_cut_sets_do_and_derives_more() -> None:
    prevented, all_cuts, large = [*shares(["GP(3,1)"], ["sat", CUT_SETS], 3**9), *shares(["J(5)"], [CUT_SETS], 5)]
    assert prevented.refuted == all_cuts.refuted < all_cuts.dead
    assert all_cuts.found < prevented.found < prevented.implied
    assert strength_table([prevented, all_cuts]).splitlines()[2:] == [
        f"| sat | {prevented.words} |",
        f"| all cut sets | {all_cuts.words} |",
    ]
    assert large.words == "– / –"


def test_what_has_no_clauses_over_edges_is_refused() -> None:
    with pytest.raises(BadInput, match="backend sat:arcs has no clauses over edges: choose one such as sat:adder"):
        Propagation("sat:arcs", to_cycle(Problem(graph_of("GP(3,1)"), True)))
