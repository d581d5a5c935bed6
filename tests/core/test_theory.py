"""The theorems agree with searches, and the members of families have their published sizes and counts of cycles."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.native.edges import Edges
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.presolve.simplify import simplify
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import FAMILIES, Member
from cpsat_tour.spaces.theorems import has_tour, why_no_tour


def test_the_theorems_on_known_boards() -> None:
    assert [n for n in range(3, 20) if has_tour(Board(3, n), closed=True)] == [10, 12, 14, 16, 18]
    assert [n for n in range(3, 12) if not has_tour(Board(3, n), closed=False)] == [3, 5, 6]
    assert not any(has_tour(Board(4, n), closed=True) for n in range(1, 50))
    assert all(has_tour(Board(n), closed=False) for n in (1, *range(5, 30)))
    assert all(
        has_tour(Board(m, n), closed=True) == has_tour(Board(n, m), closed=True)
        for m in range(1, 12)
        for n in range(1, 12)
    )


@pytest.mark.parametrize(("leaper", "first"), [((1, 4), 10), ((2, 3), 10), ((3, 4), 14), ((2, 5), 14)])
def test_first_squares_of_leapers(leaper: tuple[int, int], first: int) -> None:
    """Knuth 1994 on when a board is connected, Beluhov 2017 on the closed tour; what is smaller is refuted by
    certificates."""
    short, long = leaper
    for rows, cols in product(range(1, 15), repeat=2):
        connected = min(rows, cols) >= short + long and max(rows, cols) >= 2 * long
        assert (not Board(rows, cols, leaper=leaper).graph.components.any()) == (connected or rows * cols == 1), (
            rows,
            cols,
        )
    for side in range(2, first):
        refuted = prove(Problem(Board(side, leaper=leaper).graph, True))
        assert isinstance(refuted, Certificate)
        assert refuted.check().valid
    assert first == 2 * (short + long)
    assert run(Problem(Board(first, leaper=leaper).graph, True), load("auto")).tour is not None


def test_a_theorem_is_quoted_with_its_reason() -> None:
    assert (
        why_no_tour(Board(3, 8), closed=True)
        == "Schwenk 1991: the 3x8 board has no closed knight's tour, for its sides are 3 and 8."
    )
    assert (
        why_no_tour(Board(5), closed=True)
        == "Schwenk 1991: the 5x5 board has no closed knight's tour, for both sides are odd."
    )
    wording = why_no_tour(Board(4), closed=False)
    assert wording is not None
    assert wording.endswith("the 4x4 board has no open knight's tour, for its sides are 4 and 4.")
    for rows, cols, closed in product(range(1, 13), range(1, 13), (False, True)):
        board = Board(rows, cols)
        assert (why_no_tour(board, closed=closed) is None) == (has_tour(board, closed=closed) is not False), board


# --- families ---


def cycles(name: str) -> int:
    """The number of Hamiltonian cycles of a member of a family."""
    return sum(len(batch.tours) for batch in Listing(Problem(Member.parse(name).graph, closed=True), Edges()))


@pytest.mark.parametrize(
    ("name", "order", "size", "degrees"),
    [
        ("J(5)", 20, 30, {3}),
        ("Coxeter", 28, 42, {3}),
        ("Petersen", 10, 15, {3}),
        ("Kneser(5,2)", 10, 15, {3}),
        ("Kneser(7,3)", 35, 70, {4}),
        ("Q(5)", 32, 80, {5}),
        ("xor9(20,1)", 180, 300, {2, 3, 4, 5}),
        ("Tutte", 46, 69, {3}),
        ("EllinghamHorton(54)", 54, 81, {3}),
        ("EllinghamHorton(78)", 78, 117, {3}),
        ("Horton", 96, 144, {3}),
    ],
)
def test_members_of_families_have_the_published_sizes_and_degrees(
    name: str, order: int, size: int, degrees: set[int]
) -> None:
    graph = Member.parse(name).graph
    assert (graph.order, graph.size) == (order, size)
    assert set(graph.degrees.tolist()) <= degrees


@pytest.mark.parametrize("order", range(4, 15))
def test_sheehan_graphs_have_one_cycle_and_the_most_edges(order: int) -> None:
    assert Member.parse(f"Sheehan({order})").graph.size == order**2 // 4 + 1
    assert cycles(f"Sheehan({order})") == 1


@pytest.mark.parametrize(
    "name", ["J(7)", "Kneser(6,2)", "Kneser(7,3)", "Kneser(5,2)", "Q(6)", "Q(1)", "Sheehan(30)", "GP(11,2)"]
)
def test_theorems_agree_with_searches(name: str) -> None:
    member = Member.parse(name)
    assert has_tour(member, closed=True) == (run(Problem(member.graph, closed=True), load("edges")).status == "tour")


@pytest.mark.parametrize(
    ("name", "bipartite"),
    [("Tutte", False), ("EllinghamHorton(54)", True), ("EllinghamHorton(78)", True), ("Horton", True)],
)
def test_graphs_of_note_have_no_cycle_for_no_plain_reason(name: str, bipartite: bool) -> None:
    """They have two colours or not as is known, and no cuts of one vertex or two edges; the frontier method refutes
    them."""
    problem = Problem(Member.parse(name).graph, closed=True)
    assert (problem.graph.colours is not None) == bipartite
    assert violated_condition(problem) is None
    assert not simplify(to_cycle(problem)).changed
    assert has_tour(problem.graph.space, closed=True) is False
    assert run(problem, load("frontier")).status == "none"


@pytest.mark.parametrize("family", ["strings", "planted", "hubs"])
def test_hidden_cycles_are_found_and_differ_by_seed(family: str) -> None:
    first, second = (Member.parse(f"{family}(200,{seed})").graph for seed in (1, 2))
    assert first.indices.tolist() != second.indices.tolist()
    for graph in (first, second):
        assert run(Problem(graph, closed=True), load("sat")).status == "tour"


def test_graphs_with_hidden_cycles_have_their_degrees() -> None:
    strings, planted, hubs = (
        np.asarray(Member.parse(f"{family}(1000,1)").graph.degrees) for family in ("strings", "planted", "hubs")
    )
    assert (strings == 2).sum() > 500
    assert np.median(planted) == 3
    assert (hubs > 40).sum() == 10


def test_xor9_joins_two_copies_at_most_once() -> None:
    tails, heads = Member.parse("xor9(16,3)").graph.edges()
    between = [pair for pair in zip((tails // 9).tolist(), (heads // 9).tolist(), strict=True) if pair[0] != pair[1]]
    assert len(between) == len(set(between)) == 80
    assert Member.parse("xor9(16,3)").graph.indices.tolist() != Member.parse("xor9(16,4)").graph.indices.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "J(4)",
        "J(5,2)",
        "J",
        "Sheehan(3)",
        "Kneser(4,2)",
        "Q(0)",
        "Q(17)",
        "xor9(9,1)",
        "EllinghamHorton(55)",
        "hubs(19,1)",
    ],
)
def test_unknown_members_of_families_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"there is no (such )?graph|not a member of a family"):
        Member.parse(name)


def test_the_example_of_each_family_is_a_member() -> None:
    for name, family in FAMILIES.items():
        assert str(Member.parse(family.example)) == family.example, name
