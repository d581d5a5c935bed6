"""The functions at the top of the package check what the command line checks: each bad argument is one sentence, never
a stray error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cpsat_tour
from cpsat_tour import Answer, BadInput, Board, Graph, Limits, Problem, count, problem_of, solve, tours, verify
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.errors import BackendFault

BOARD = Board(5, 6)
TRIANGLE = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])

BAD_ARGUMENTS: list[dict[str, Any]] = [
    *({"seconds": value} for value in (-1, math.nan, math.inf, "10", True)),
    *({"seed": value} for value in (-1, 1.5, "x", None, True, 2**40)),
    *({"threads": value} for value in (0, -2, 1.5)),
    *(
        {"start": value}
        for value in ("z9", (1,), (1, 2, 3), 3.5, [0, 0], range(0), (0.5, 1), 10**30, -1, True, math.nan, b"a1")
    ),
    *(
        {"require": value}
        for value in ([("a1",)], [("a1", "b3", "c5")], "a1-b3", [5], 5, None, [("a1", "a1")], [("a1", None)], ["a1-b3"])
    ),
    *({"forbid": value} for value in ([("a1", "h8")], {"a1": "b3"}, None)),
    *({"closed": value} for value in ("yes", 2, None)),
    *({"backend": value} for value in ("nope", None, 5, "", "sat@", "py:")),
    *({"options": value} for value in ({"x": "y"}, "log=1", [("log", "true")], {5: "a"})),
    {"backend": "cpsat", "options": {"log": 5}},
    {"end": 0, "closed": True},
]


@pytest.mark.parametrize("where", [BOARD, TRIANGLE], ids=["board", "graph"])
@pytest.mark.parametrize("bad", BAD_ARGUMENTS, ids=repr)
def test_a_bad_argument_is_one_sentence(where: Board | Graph, bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        solve(where, **bad)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("where", [5, None, "8y8", [1]])
def test_what_is_solved_is_a_board_or_a_graph(where: Any) -> None:
    with pytest.raises(BadInput, match=r"(?i)board"):
        solve(where)


def test_options_may_be_values_as_well_as_text() -> None:
    assert solve(BOARD, backend="cpsat", options={"log": False, "linearization": 2}).status == "tour"


@pytest.mark.parametrize("edges", [[(0, 1, 2)], [(0, 5)], 5, [(0.5, 1)], [("a", "b")], [(0,)]])
def test_edges_are_pairs_of_vertices(edges: Any) -> None:
    with pytest.raises(BadInput):
        Graph.from_edges(3, edges)


@pytest.mark.parametrize("order", [-1, "3", 2.5])
def test_the_number_of_vertices_is_whole(order: Any) -> None:
    with pytest.raises(BadInput):
        Graph.from_edges(order, [])


@pytest.mark.parametrize(
    "arguments", [(None, False), (BOARD, False), (BOARD.graph, "x"), (BOARD.graph, False, None, None, [(1,)])]
)
def test_a_problem_is_checked_when_it_is_made(arguments: Any) -> None:
    with pytest.raises(BadInput):
        Problem(*arguments)


@pytest.mark.parametrize("problem", [BOARD.graph, None, BOARD])
def test_a_tour_is_verified_against_a_problem(problem: Any) -> None:
    with pytest.raises(BadInput, match="Problem"):
        verify(problem, [0, 1])


@pytest.mark.parametrize(
    "limits",
    [{"seconds": -1}, {"seconds": True}, {"work": -1}, {"work": 1.5}, {"threads": 0}, {"seed": None}],
    ids=repr,
)
def test_limits_are_checked_when_they_are_made(limits: Any) -> None:
    with pytest.raises(BadInput):
        Limits(**limits)


@pytest.mark.parametrize("holes", [5, "a1", None, ["z9"]])
def test_holes_are_squares(holes: Any) -> None:
    with pytest.raises(BadInput):
        Board(8, 8, holes)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer("maybe"), "answered 'maybe', not one of tour, none, unknown"),  # type: ignore[arg-type]
        (Answer("none"), "said that there is no tour and gave no reason"),
        (
            Answer("none", refutation=Refutation("obvious", "")),  # type: ignore[arg-type]
            "gave a reason of kind 'obvious', not one of exhausted, condition",
        ),
        (Answer("tour"), "said that there is a tour and gave none"),
    ],
)
def test_what_a_plug_in_may_not_answer(answer: Answer, sentence: str) -> None:
    with pytest.raises(BackendFault, match=sentence):
        answer.verified(Problem(TRIANGLE, closed=True))


def test_numbers_of_numpy_are_numbers() -> None:
    assert Problem(BOARD.graph, np.True_, np.int64(3)).start == 3  # type: ignore[arg-type]


def test_completion_finds_the_public_names_alone() -> None:
    assert {"solve", "Board", "Graph", "verify", "Limits"} <= set(dir(cpsat_tour))
    assert all(getattr(cpsat_tour, name) is not None for name in dir(cpsat_tour))
    assert not [name for name in dir(cpsat_tour) if name.startswith("_") and name != "__version__"]


def test_an_answer_is_true_if_there_is_a_tour() -> None:
    there, none, open_question = solve("5x6", closed=True), solve("5x5", closed=True), Answer.stopped("time")
    assert [bool(answer) for answer in (there, none, open_question)] == [True, False, False]
    assert [(answer.found, answer.none, answer.unknown) for answer in (there, none, open_question)] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_a_tour_is_a_sequence_that_compares_by_value() -> None:
    first, again = (solve("5x6", closed=True, backend="edges").tour for _ in range(2))
    assert first is not None
    assert again is not None
    assert first == again
    assert hash(first) == hash(again)
    assert first is not again
    assert first != solve("6x5", closed=True, backend="edges").tour
    assert (first[0], first[-1], first[:2]) == (first.vertices[0], first.vertices[-1], first.vertices[:2].tolist())
    assert len(first.moves) == 30
    assert first.moves[-1] == (first[-1], first[0])
    assert first[0] in first
    walk = next(tours("3x4"))
    assert len(walk.moves) == 11
    assert walk.moves[0] == (walk[0], walk[1])


def test_a_problem_is_stated_once() -> None:
    problem = problem_of("6x6", closed=True, start="a1", end="b3")
    assert solve(problem).found
    assert count(problem) == count("6x6", closed=True, start="a1", end="b3")
    with pytest.raises(BadInput, match="leave out start"):
        solve(problem, start="a1")
    with pytest.raises(TypeError, match="'clsed' is not a part of a problem"):
        solve("8x8", clsed=True)  # type: ignore[call-arg]
    with pytest.raises(BadInput, match="the symmetry can't be"):
        solve("8x8", symmetry=["rot180"])  # type: ignore[arg-type]
