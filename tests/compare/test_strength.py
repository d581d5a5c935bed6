"""How strong formulations are: bounds of linear relaxations, by what is known of their order and of graphs without a
cycle; what unit propagation derives, never what a tour contradicts, and more where the clauses say more."""

from itertools import combinations, product

import numpy as np
import pytest
from brute_force import brute_force, hamiltonian_cycles

from cpsat_tour import BadInput, Board, Graph, Problem
from cpsat_tour.compare.record import graph_of
from cpsat_tour.compare.strength import (
    CUT_SETS,
    Propagation,
    all_tours,
    assignments,
    bound,
    bounds_table,
    linear_program,
    shares,
    strength_table,
)
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.engines.registry import missing_modules

HIGHS = pytest.mark.skipif(bool(missing_modules("milp")), reason="HiGHS is not installed")

LADDER = ("milp:mtz", "milp:flow", "milp:flows", "milp")


@HIGHS
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
        programs = (*LADDER, "milp:mtz lifted=true", "milp:twoflows")
        found = [bound(linear_program(name, problem), costs)[0] for name in programs]
        weak, one_flow, flows, cuts, lifted, two_flows = (float(cost or 0) for cost in found)
        assert 0 < weak <= min(lifted, one_flow) + 1e-6
        assert one_flow <= flows + 1e-6
        assert one_flow == pytest.approx(two_flows)
        assert flows == pytest.approx(cuts)
        assert cuts <= best + 1e-6
        assert bound(linear_program("milp", problem), costs, whole=True)[0] == pytest.approx(best)


@HIGHS
def test_graphs_without_a_cycle() -> None:
    """Two thirds of each edge of the Petersen graph satisfy all cut sets; closed 3x4 fails one of them (Pósa)."""
    heard: list[str] = []
    lines = bounds_table(["GP(5,2)", "3x4"], LADDER, [0], heard.append).splitlines()
    assert lines[0] == "|  | GP(5,2) | 3x4 | columns | rows | seconds |"
    assert lines[2].startswith("| milp:mtz | feasible | feasible | 78 | 92 |")
    assert [line.split(" | ")[1:3] for line in lines[3:]] == [["feasible", "infeasible"]] * 3
    assert heard[:2] == ["milp:mtz GP(5,2): feasible", "milp:mtz 3x4: feasible"]


@HIGHS
def test_what_is_no_linear_program_is_refused() -> None:
    with pytest.raises(BadInput, match="backend sat is not a linear program: choose one such as milp"):
        linear_program("sat", Problem(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), True))
    with pytest.raises(BadInput, match="decided without a formula"):
        linear_program("milp", Problem(Board(1).graph, True))


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
