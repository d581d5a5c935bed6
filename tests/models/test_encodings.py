"""The formulations: their sizes, their tours under all options, and what they refute without search.

That every formulation has exactly the tours of a problem is in the contract; here are the options that the contract
does not set.
"""

from collections.abc import Sequence
from itertools import combinations, product
from math import gcd, prod

import pytest
from brute_force import brute_force, cycle_problems
from docstring_sizes import by_docstring
from products import sorted_tours

from cpsat_tour import Board, Limits, Problem, graph_of
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.engines.registry import backends_where, load
from cpsat_tour.engines.runner import formula, run, sizes
from cpsat_tour.models import hybrid
from cpsat_tour.models.crt import cheapest_moduli
from cpsat_tour.models.eager_cpsat import EagerCpSat
from cpsat_tour.models.lfsr import TAPS, register_length
from cpsat_tour.models.positions import Positions
from cpsat_tour.models.successor import Successor

POSITIONS = ("sat:onehot", "sat:order", "sat:adder", "sat:lfsr", "sat:crt", "sat:hybrid")
FULL = (*POSITIONS, "sat:relative", "sat:elimination", "sat:leaf")
"""The eager encodings, which have no models but tours."""

COUNTED = [
    *((name, {"colours": "false"}) for name in FULL),
    *((name, {"frame": "arcs"}) for name in FULL),
    ("sat:adder", {"solver": "glucose4"}),
    ("cpsat:positions", {"linearization": "0"}),
    ("cpsat:successor", {"linearization": "0"}),
    ("cpsat:successor", {"arcs": "true"}),
    ("cpsat", {"linearization": "2"}),
    ("smt", {"logic": "QF_BV"}),
]

PRINTED = ("sat:onehot", "sat:adder", "sat:lfsr", "sat:crt", "sat:hybrid")

VARIANTS = [
    *COUNTED,
    *((name, {"printed": "true"}) for name in PRINTED),
    *((name, {"printed": printed, "bounds": "false"}) for name in PRINTED[:3] for printed in ("true", "false")),
    *(("sat:crt", {"printed": "true", "period": str(period)}) for period in (2, 6, 12, 60, 105)),
    ("sat:crt", {"period": "10"}),
]

BOARDS = [
    Problem(Board(6).graph, True),
    Problem(Board(5).graph, True),
    Problem(Board(8).graph, False),
    Problem(Board(5).graph, False, start=0),
    Problem(Board(5, 6).graph, False, start=0, end=1),
    Problem(Board(5, 6).graph, False, start=0, end=2, forbid=((0, 8),)),
    Problem(Board(6, holes=["a1", "d4"]).graph, True, require=((0, 8),)),
    Problem(Board(4, leaper=(0, 1)).graph, True),
    Problem(Board(6, leaper=(1, 3)).graph, False),
]


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in backends_where(lambda kind: hasattr(kind, "formula"))), *COUNTED],
    ids=str,
)
def test_a_formula_costs_what_its_docstring_says(name: str, options: dict[str, str]) -> None:
    """The sizes are counted while the formula is stated, and again in the formula that was kept. Those of the linear
    programs over arcs are in `test_linear`."""
    backend = load(name, options)
    drawn = [problem for problem in cycle_problems(100) if to_cycle(problem).dead_end_reason() is None]
    assert len(drawn) > 10
    for problem in (*BOARDS, *drawn):
        counted = sizes(problem, backend, name)
        assert formula(problem, backend, name).sizes == counted
        if not name.startswith(("asp", "milp:")):
            assert (counted.variables, counted.clauses) == by_docstring(name, backend, to_cycle(problem))


@pytest.fixture(scope="module")
def known_tours() -> list[tuple[Problem, set[tuple[int, ...]]]]:
    """Problems with all their tours, at most a hundred: boards, and graphs at random, among them every way to fix the
    ends."""
    boards = [Problem(Board(3, 4).graph, False), Problem(Board(3, 10).graph, True)]
    known = [(problem, brute_force(problem)) for problem in (*boards, *cycle_problems(150))]
    return [(problem, tours) for problem, tours in known if len(tours) <= 100]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_options_do_not_change_the_tours(
    name: str, options: dict[str, str], known_tours: list[tuple[Problem, set[tuple[int, ...]]]]
) -> None:
    backend = load(name, options)
    for problem, tours in known_tours:
        assert sorted_tours(problem, backend) == sorted(tours)


BETWEEN_CORNERS = Problem(Board(8).graph, False, start=Board(8).vertex("a1"), end=Board(8).vertex("h8"))


@pytest.mark.parametrize("name", [*FULL, "cpsat:positions", "cpsat:successor"])
def test_the_colours_refute_without_a_conflict(name: str) -> None:
    for problem in (*(Problem(Board(side).graph, True) for side in (5, 11)), BETWEEN_CORNERS):
        answer = run(problem, load(name))
        assert (answer.status, answer.work["conflicts"]) == ("none", 0)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["sat:adder", "sat:crt", "sat:elimination", "sat:relative"])
def test_a_large_board_takes_few_conflicts_in_any_sweep(name: str, seed: int) -> None:
    """With CaDiCaL's own settings closed 14x14 takes 1,600 conflicts and more, mostly over 3,000."""
    assert run(Problem(Board(14).graph, True), load(name), Limits(work=1000, seed=seed)).status == "tour"


def test_a_register_runs_through_all_its_states_and_no_lower_tap_does() -> None:
    """Three taps are needed only where no single one does: every length up to 16, and 17 to 19."""
    for bits, taps in TAPS.items():
        if bits <= 19:
            assert len(run_through(bits, taps)) == 2**bits - 1
        if bits <= 13:
            alone = [tap for tap in range(bits - 1) if len(run_through(bits, [tap])) == 2**bits - 1]
            assert alone[:1] == [*taps][: len(taps) == 1]
    assert list(TAPS) == list(range(2, 26))
    assert [register_length(period) for period in (1, 3, 4, 255, 2**14 - 1)] == [2, 2, 3, 8, 14]


def run_through(bits: int, taps: Sequence[int]) -> set[int]:
    """The states of a register from 1 on, by the definition."""
    state, states = 1, set[int]()
    while state not in states:
        states.add(state)
        state = (state << 1) % 2**bits + sum(state >> tap for tap in (bits - 1, *taps)) % 2
    return states


ZHOU = {
    "sat:onehot": "2958 17271  13596 92130  40385 306414  94974 746299  189984 1563133",
    "sat:onehot -bounds": "5582 33623  25477 184775  77806 604730  182236 1499129  376426 3102627",
    "sat:adder": "820 11161  2375 39784  4994 81672  8065 147513  12152 237071",
    "sat:adder -bounds": "920 13939  2454 41647  5386 96232  8272 152184  12451 244714",
    "sat:lfsr": "912 8964  2442 39214  5376 73231  8266 120849  12443 215516",
    "sat:lfsr -bounds": "920 9284  2454 40163  5386 76329  8272 107883  12451 231325",
}
"""Variables and clauses of closed 8x8, 12x12, 16x16, 20x20 and 24x24 in tables 1 and 2 of Zhou 2020, "-bounds" without
his preprocessing."""

OURS = {
    "sat:onehot": "10 -1  4 2  1 1  0 4  0 5",
    "sat:onehot -bounds": "2 2  1 3  -1 4  0 5  -2 7",
    "sat:adder": "39 20  31 4  24 8  25 -2  27 1",
    "sat:adder -bounds": "23 -1  27 1  15 -6  21 -3  24 -1",
    "sat:lfsr": "25 -15  28 -16  15 -36  22 -36  24 -42",
    "sat:lfsr -bounds": "23 -22  27 -22  15 -43  21 -34  24 -51",
}
"""By how much per cent ours differ. Of his at-most-ones and of bits that are not known there are fewer; what
else the clauses of his registers have, the paper does not say."""


@pytest.mark.parametrize("name", ZHOU)
def test_the_sizes_of_zhou_are_met_as_far_as_his_paper_tells(name: str) -> None:
    backend, _, plain = name.partition(" ")
    options = {"printed": "true", **({"bounds": "false", "colours": "false"} if plain else {})}
    found = list[int]()
    for side in (8, 12, 16, 20, 24):
        counted = sizes(Problem(Board(side).graph, True), load(backend, options), backend)
        found += [counted.variables, counted.clauses]
    printed = map(int, ZHOU[name].split())
    assert [round(100 * (ours / his - 1)) for ours, his in zip(found, printed, strict=True)] == [
        *map(int, OURS[name].split())
    ]


def test_the_size_of_heule_is_met_but_for_two_clauses() -> None:
    """His program on closed 20x20 with period 420: 7,888 variables, 96,077 clauses, none against both ways along an
    edge."""
    problem = Problem(Board(20).graph, True)
    counted = sizes(problem, load("sat:crt", {"printed": "true"}), "sat:crt")
    assert (counted.variables, counted.clauses - problem.graph.size) == (7888, 96077 - 2)


def test_elimination_stops_where_zhou_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """30x30 after 120 of 900 vertices, when the least degree is 8 (Zhou 2024)."""
    left = list[int]()
    monkeypatch.setattr(hybrid, "state_printed_distances", lambda *told: left.append(len(told[-1])))
    sizes(Problem(Board(30).graph, True), load("sat:hybrid", {"printed": "true"}), "sat:hybrid")
    assert left == [900 - 120]


@pytest.mark.parametrize("period", ["11", "9", "-1", "840000000"])
def test_a_period_is_a_product_of_the_printed_factors(period: str) -> None:
    with pytest.raises(BadInput, match=f"the period can't be {period}: give a product of powers of 2 and of 3, 5 and"):
        sizes(Problem(Board(6).graph, True), load("sat:crt", {"printed": "true", "period": period}), "sat:crt")


def test_a_period_tells_given_numbers_apart() -> None:
    given = Problem(Board(5).graph, False, givens=((0, 1), (7, 2)))
    with pytest.raises(BadInput, match="a period of 12 does not tell 26 positions apart: give a longer one"):
        run(given, load("sat:crt", {"period": "12"}))
    assert run(given, load("sat:crt", {"period": "30"})).status == run(given, load("dfs")).status


def test_moduli_are_coprime_and_their_product_suffices() -> None:
    for period, parity_known in product((1, 2, 3, 10, 62, 100, 398, 898, 2498, 10**6, 2**24), (False, True)):
        moduli = cheapest_moduli(period, parity_known)
        assert prod(moduli) >= period
        assert all(gcd(*pair) == 1 for pair in combinations(moduli, 2))
        assert all(modulus <= 4 for modulus in moduli if modulus % 2 == 0)


@pytest.mark.parametrize("formulation", [Positions(), Successor()], ids=lambda formulation: formulation.name)
@pytest.mark.parametrize(("space", "closed"), [("8x8", True), ("5x6", False), ("GP(9,2)", True)])
def test_the_values_of_an_integer_are_an_interval(formulation: EagerCpSat, space: str, closed: bool) -> None:
    """The successors of a vertex are its neighbours; all other integers are positions, with or without parity."""
    cycle = to_cycle(Problem(graph_of(space), closed))
    domains = [variable.domain for variable in formulation.model(cycle).proto.variables]
    positions = domains[-cycle.order :]
    assert all(len(domain) == 2 for domain in positions)
    assert sorted(domain[1] for domain in positions)[0] == 0  # the root
