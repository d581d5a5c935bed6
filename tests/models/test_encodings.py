"""The formulations: their sizes, their tours under all options, and what they refute without search.

That every formulation has exactly the tours of a problem is in the contract; here are the options that the contract
does not set.
"""

from itertools import combinations, product
from math import gcd, prod

import pytest
from brute_force import brute_force, cycle_problems
from docstring_sizes import by_docstring
from products import sorted_tours

from cpsat_tour import Board, Limits, Problem, graph_of
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.engines.registry import backends_where, load
from cpsat_tour.engines.runner import formula, run, sizes
from cpsat_tour.models.crt import cheapest_moduli
from cpsat_tour.models.eager_cpsat import EagerCpSat
from cpsat_tour.models.lfsr import TAPS, register_length
from cpsat_tour.models.positions import Positions
from cpsat_tour.models.successor import Successor

FULL = ("sat:onehot", "sat:relative", "sat:adder", "sat:lfsr", "sat:crt", "sat:elimination", "sat:hybrid")
"""The eager encodings, which have no models but tours."""

VARIANTS = [
    *((name, {"colours": "false"}) for name in FULL),
    ("sat:adder", {"solver": "glucose4"}),
    ("cpsat:positions", {"linearization": "0"}),
    ("cpsat:successor", {"linearization": "0"}),
    ("cpsat:successor", {"arcs": "true"}),
    ("cpsat", {"linearization": "2"}),
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
    [*((name, {}) for name in backends_where(lambda kind: hasattr(kind, "formula"))), *VARIANTS],
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
        if name != "asp" and not name.startswith("milp:"):
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
    for bits, tap in TAPS.items():
        if bits <= 15:
            assert [len(run_through(bits, lower)) == 2**bits - 1 for lower in range(tap + 1)] == [*[False] * tap, True]
    assert [register_length(period) for period in (1, 3, 4, 255, 2**14 - 1)] == [2, 2, 3, 9, 15]


def run_through(bits: int, tap: int) -> set[int]:
    """The states of a register from 1 on, by the definition."""
    state, states = 1, set[int]()
    while state not in states:
        states.add(state)
        state = (state << 1) % 2**bits + ((state >> (bits - 1)) + (state >> tap)) % 2
    return states


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
