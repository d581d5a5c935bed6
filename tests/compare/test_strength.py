"""How strong formulations are: bounds of linear relaxations, by what is known of their order and of graphs without a
cycle; what unit propagation derives, never what a tour contradicts, and more where the clauses say more."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from brute_force import brute_force, hamiltonian_cycles

from cpsat_tour import BadInput, Board, Graph, Problem
from cpsat_tour.compare.record import graph_of
from cpsat_tour.compare.strength import (
    ASSIGNMENT,
    BASELINES,
    CUT_SETS,
    PROBED,
    TWO_FACTOR,
    Propagation,
    Share,
    all_tours,
    assignments,
    bound,
    bounds_table,
    linear_program,
    mean_words,
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
        names = (*BASELINES, *LADDER, "milp:mtz lifted=true", "milp:twoflows")
        found = [bound(linear_program(name, problem), costs)[0] for name in names]
        assigned, degrees, weak, one_flow, flows, cuts, lifted, two_flows = (float(cost or 0) for cost in found)
        assert 0 < assigned <= min(degrees, weak) + 1e-6
        assert degrees <= cuts + 1e-6
        assert weak <= min(lifted, one_flow) + 1e-6
        assert one_flow <= flows + 1e-6
        assert one_flow == pytest.approx(two_flows)
        assert flows == pytest.approx(cuts)
        assert cuts <= best + 1e-6
        assert bound(linear_program("milp", problem), costs, whole=True)[0] == pytest.approx(best)


@HIGHS
def test_graphs_without_a_cycle() -> None:
    """Two thirds of each edge of the Petersen graph satisfy all cut sets; closed 3x4 fails one of them (Pósa)."""
    heard: list[str] = []
    lines = bounds_table(["GP(5,2)", "3x4"], (*LADDER, TWO_FACTOR), [0], heard.append).splitlines()
    assert lines[0] == "|  | GP(5,2) | 3x4 | columns | rows |"
    assert lines[2] == "| milp:mtz | feasible | feasible | 78 | 92 |"
    assert [line.split(" | ")[1:3] for line in lines[3:6]] == [["feasible", "infeasible"]] * 3
    assert lines[6] == "| 2-factor relaxation | feasible | feasible | 29 | 22 |"
    assert heard[:2] == ["milp:mtz GP(5,2): feasible", "milp:mtz 3x4: feasible"]


@HIGHS
def test_the_assignment_relaxation_is_the_least_cost_of_cycles_that_cover_the_vertices() -> None:
    """Cycles of two are allowed, so that three edges of a path cost twice the least matching."""
    problem = Problem(graph_of("0,1:2x3"), True)
    costs = np.arange(1.0, 1 + problem.graph.size)
    cycle, least = to_cycle(problem), np.inf
    for heads in permutations(range(cycle.order)):
        arcs = [frozenset(arc) for arc in enumerate(heads)]
        cost = {frozenset(edge): cost for *edge, cost in zip(cycle.tails, cycle.heads, costs, strict=True)}
        least = min(least, sum(cost.get(arc, np.inf) for arc in arcs))
    assert bound(linear_program(ASSIGNMENT, problem), costs)[0] == pytest.approx(least)


def test_a_mean_has_the_digits_that_its_deviation_carries() -> None:
    assert mean_words([0.8]) == "0.800"
    assert mean_words([0.8, 0.9, 0.85]) == "0.85±0.05"
    assert mean_words([0.998, 1.0]) == "0.999±0.001"


@HIGHS
def test_what_is_no_linear_program_is_refused() -> None:
    with pytest.raises(BadInput, match="backend sat is not a linear program: choose one such as milp"):
        linear_program("sat", Problem(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), True))
    with pytest.raises(BadInput, match="decided without a formula"):
        linear_program("milp", Problem(Board(1).graph, True))


EAGER = ("sat:onehot", "sat:adder", "sat:lfsr", "sat:crt", "sat:relative", "sat:elimination", "sat:hybrid")
OVER_ARCS = ("sat:arcs", "sat:adder frame=arcs", "sat:crt printed=true")


def test_what_is_derived_holds_in_every_tour_and_probing_is_never_weaker() -> None:
    """By brute force, on assignments of the prism's edges."""
    cycle = to_cycle(Problem(graph_of("GP(3,1)"), True))
    ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    used = [{*zip(row, [*row[1:], row[0]], strict=True)} for row in map(list, hamiltonian_cycles(cycle))]
    found = np.array([[1 if pair in one or pair[::-1] in one else -1 for pair in ends] for one in used])
    assert sorted(found.tolist()) == sorted(np.where(all_tours(cycle), 1, -1).tolist())
    for name in ("sat", "sat:lazy", CUT_SETS, *EAGER, *OVER_ARCS):
        propagate = Propagation(name, cycle)
        for values in map(np.array, [*product((0, -1, 1), repeat=cycle.size)][::9]):
            agreeing, before = found[((values == 0) | (found == values)).all(axis=1)], values
            for derived in (propagate(values), propagate(values, probing=True)):
                assert derived is None or (derived * before == abs(before)).all()
                assert not len(agreeing) if derived is None else (derived * agreeing >= 0).all()
                if derived is None:
                    assert propagate(values, probing=True) is None
                    break
                before = derived


def test_the_strength_on_a_small_graph_is_counted_over_all_assignments() -> None:
    """By brute force: of the 19,683 assignments of the prism's nine edges, those that agree with a tour imply what
    the tours that agree share."""
    cycle = to_cycle(Problem(graph_of("GP(3,1)"), True))
    found = np.where(all_tours(cycle), 1, -1)
    everything = np.array([*product((-1, 0, 1), repeat=cycle.size)])
    implied = dead = 0
    for values in everything:
        common = found[((values == 0) | (found == values)).all(axis=1)]
        dead += not len(common)
        implied += bool(len(common)) * int((((common == common[:1]).all(axis=0)) & (values == 0)).sum())
    drawn, assigned = assignments(cycle, found, 1000, (-1, 1))
    assert not drawn
    assert {*map(tuple, np.array(assigned).tolist())} == {*map(tuple, everything.tolist())}
    plain, probed = shares(["GP(3,1)"], ["sat:lazy"], 1000)
    assert [np.sum(share.counts, axis=0)[[1, 3]].tolist() for share in (plain, probed)] == [[implied, dead]] * 2
    assert plain.words == "94/98"
    assert probed.words == "95/98"


def test_drawn_assignments_have_a_deviation() -> None:
    """Of one literal found of two, and two of two, in two assignments: 75 per cent, give or take 18."""
    share = Share("", "", True)
    share.counts += [(1, 2, 0, 0), (2, 2, 0, 0)]
    assert share.words == "75±18/–"
    drawn, assigned = assignments(to_cycle(Problem(graph_of("GP(3,1)"), True)), np.ones((1, 9), int), 900, (-1, 1))
    assert drawn
    assert len(assigned) == 900


def test_edges_without_a_direction_say_nothing_to_a_counter() -> None:
    bare, _, *eager = shares(["GP(3,1)"], ["sat:lazy", *EAGER], 200)
    assert {share.words for share in eager[::2]} == {bare.words}
    bare, _, *eager = shares(["GP(3,1)"], ["sat:lazy", *EAGER], 200, directed=True)
    of_bare = np.sum(bare.counts, axis=0)
    for share, probed in zip(eager[::2], eager[1::2], strict=True):
        found, implied, refuted, dead = np.sum(share.counts, axis=0)
        assert (found > of_bare[0], implied, refuted > of_bare[2], dead) == (True, of_bare[1], True, of_bare[3])
        assert (np.array(probed.counts) >= share.counts).all()


def test_what_follows_from_nothing_counts_as_derived() -> None:
    """The eight edges at the corners of a board of wazirs."""
    cycle = to_cycle(Problem(graph_of("0,1:4x4"), True))
    corners = np.isin(cycle.tails, (0, 3, 12, 15)) | np.isin(cycle.heads, (0, 3, 12, 15))
    for name in ("sat:lazy", "sat", "sat:adder"):
        derived = Propagation(name, cycle)(np.zeros(cycle.size, dtype=int))
        assert derived is not None
        assert derived.tolist() == corners.astype(int).tolist()


def test_clauses_over_edges_derive_all_that_arcs_do() -> None:
    for board in ("0,1:4x4", "GP(4,1)"):
        for directed in (False, True):
            found = [*shares([board], ["sat:adder", "sat:adder frame=arcs"], 100, directed=directed)]
            for edges, arcs in zip(found[:2], found[2:], strict=True):
                assert (np.array(edges.counts) >= arcs.counts).all()


def test_over_arcs_alone_an_edge_says_less_than_its_two_arcs() -> None:
    """A vertex with two edges used rules out the third by the degree constraints over edges alone."""
    cycle = to_cycle(Problem(graph_of("GP(3,1)"), True))
    at_vertex = np.flatnonzero((cycle.tails == 0) | (cycle.heads == 0))
    values = np.zeros(cycle.size, dtype=int)
    values[at_vertex[:2]] = 1
    edges, arcs = Propagation("sat:adder", cycle)(values), Propagation("sat:adder frame=arcs", cycle)(values)
    assert edges is not None
    assert arcs is not None
    assert (edges[at_vertex[2]], arcs[at_vertex[2]]) == (-1, 0)


def test_the_propagator_refutes_what_all_cut_sets_do_and_derives_more() -> None:
    prevented, _, all_cuts, _ = shares(["GP(3,1)"], ["sat", CUT_SETS], 1000)
    large, probed = shares(["J(5)"], [CUT_SETS], 5)
    more, less = (np.sum(share.counts, axis=0) for share in (prevented, all_cuts))
    assert less[2] == more[2] < more[3]
    assert less[0] < more[0] < more[1]
    assert strength_table([prevented, all_cuts]).splitlines()[2:] == [
        f"| sat | {prevented.words} |",
        f"| all cut sets | {all_cuts.words} |",
    ]
    assert probed.backend == CUT_SETS + PROBED
    assert large.words == "–/–"


def test_what_has_no_clauses_over_edges_is_refused() -> None:
    with pytest.raises(BadInput, match="sat:permutation has no clauses over edges: choose one such as sat:adder"):
        Propagation("sat:permutation", to_cycle(Problem(graph_of("GP(3,1)"), True)))
