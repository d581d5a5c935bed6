"""Tours with given numbers: sets of numberings against brute force, what is refused and why, and how givens are written
and read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from brute_force import brute_force, closed_visits
from products import drawn

from cpsat_tour.backends.api import count
from cpsat_tour.backends.listing import all_tours
from cpsat_tour.backends.protocols import beyond_it
from cpsat_tour.backends.registry import load, load_class, missing, names, row
from cpsat_tour.backends.runner import asked_features, run, solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.formats.puzzle_text import puzzle_text, read_grid
from cpsat_tour.formats.spaces import problem_of
from cpsat_tour.native.numbers import numbers_state
from cpsat_tour.native.numbers_kernel import FINISHED, check_invariant, search
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.problem_data import asked_data, read_asked

POSITIONS = {"numbers", "dfs", "sat:onehot", "sat:adder", "sat:lfsr", "sat:crt", "cpsat:positions"}


def given(problem: Problem, *givens: tuple[int, int]) -> Problem:
    return Problem(
        problem.graph, problem.closed, problem.start, problem.end, problem.require, problem.forbid, None, givens
    )


TAKING = [name for name in names() if missing(name) or "givens" in load_class(row(name).target).takes]


@pytest.mark.parametrize("name", TAKING)
def test_random_problems_have_exactly_their_numberings(name: str) -> None:
    """Open and closed, directed and not, with ends, required and forbidden moves, symmetric and not."""
    if missing(name):
        pytest.skip(f"backend {name} needs {', '.join(missing(name))}")
    rng, backend, tried, found = random.Random(17), load(name), 0, 0
    while tried < (300 if name in ("numbers", "dfs") else 60):
        problem = drawn(rng)
        if not problem.givens or beyond_it(backend, asked_features(problem)):
            continue
        tried += 1
        expected = brute_force(problem)
        found += bool(expected)
        answer = run(problem, backend)
        assert answer.status == ("tour" if expected else "none"), problem
        if "every" in backend.takes:
            listed = [tuple(tour.tolist()) for tour in all_tours(problem, backend)]
            assert len(listed) == len(set(listed))
            assert set(listed) == expected, problem
    assert found > tried // 6


def test_a_short_period_does_not_take_one_position_for_another() -> None:
    """The option of sat:crt that lets short cycles through is passed over where numbers are given."""
    board = Board(5, 6)
    tour = closed_visits(board.graph)[0]
    for numbers in ((1, 9), (1, 2, 20), (4, 7, 12)):
        problem = given(Problem(board.graph, True), *((tour[number - 1], number) for number in numbers))
        for period in ("2", "6"):
            listed = {tuple(found.tolist()) for found in all_tours(problem, load("sat:crt", {"period": period}))}
            assert listed == brute_force(problem)


def test_who_takes_givens() -> None:
    able = {name for name in names() if not missing(name) and "givens" in load(name).takes}
    assert able == {name for name in POSITIONS if not missing(name)} | {"auto"}
    problem = given(Problem(Board(5).graph, False), (3, 7))
    for name in ("sat", "edges", "cpsat", "sat:relative"):
        with pytest.raises(BadInput, match="does not take given numbers: choose one of auto, dfs, numbers, "):
            run(problem, load(name), name=name)
    with pytest.raises(BadInput, match="backend numbers is for tours with given numbers"):
        solve("5x5", backend="numbers")


def test_numbers_fix_where_a_closed_tour_begins_and_which_way_it_goes() -> None:
    """One given leaves both directions, two tell them apart, unless they are half a tour apart."""
    board = Board(5, 6)
    tour = solve(board, closed=True, backend="sat").tour
    assert tour is not None
    vertices = tour.vertices.tolist()
    counts = []
    for numbers in ((4,), (4, 19), (4, 18)):
        problem = given(Problem(board.graph, True), *((vertices[number - 1], number) for number in numbers))
        expected = brute_force(problem)
        counts.append(len(expected))
        assert {tuple(found.tolist()) for found in all_tours(problem, load("dfs"))} == expected
        assert tuple(vertices) in expected
    assert counts[0] == 16, "the eight closed tours of 5x6, either way"
    assert counts[1] % 2 == 0


def test_the_middle_of_an_open_tour_leaves_both_directions() -> None:
    board = Board(5)
    problem = given(Problem(board.graph, False), (board.square("c3"), 13))
    for name in ("dfs", "sat:crt"):
        listed = {tuple(tour.tolist()) for tour in all_tours(problem, load(name))}
        assert listed == brute_force(problem)
        assert {tour[::-1] for tour in listed} == listed


def test_givens_that_fix_the_ends_alone_are_the_ends() -> None:
    graph = Board(3, 4).graph
    problem = Problem(graph, False, givens=((0, 1), (8, 12)))
    assert (problem.givens, problem.start, problem.end) == ((), 0, 8)
    problem = Problem(graph, False, 0, givens={5: 3})  # type: ignore[arg-type]
    assert (problem.givens, problem.start) == (((0, 1), (5, 3)), 0)
    problem = Problem(graph, True, givens=((0, 1),))
    assert (problem.givens, problem.start) == (((0, 1),), 0)
    assert problem.with_ends(0, None).givens == problem.givens


@pytest.mark.parametrize(
    ("givens", "sentence"),
    [
        ([(0, 0)], "a5 can't have the number 0: visits are numbered 1 to 25"),
        ([(0, 26)], "a5 can't have the number 26: visits are numbered 1 to 25"),
        ([(25, 1)], "25 can't be given a number: the vertices are 0 to 24"),
        ([(0, 3), (7, 3)], "the number 3 is given to both a5 and c4: give it to one of them"),
        ([(7, 3), (7, 4)], "c4 is given both 3 and 4: give it one number"),
        ([(0, 1.5)], "a given number can't be 1.5: give a whole number"),
        ([(True, 1)], "a given vertex can't be True: give a whole number"),
        ([3], r'a given can\'t be \(3,\): give a vertex and its number, such as \("e4", 17\)'),
        ("e4=17", "the givens can't be 'e4=17': give numbers by their vertices"),
        (7, "the givens can't be 7: give numbers by their vertices"),
    ],
)
def test_givens_that_are_refused(givens: Any, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Problem(Board(5).graph, False, givens=givens)


def test_a_start_that_is_given_another_number_is_refused() -> None:
    with pytest.raises(BadInput, match="a5 is given both 1 and 3: give it one number"):
        Problem(Board(5).graph, False, 0, givens=((0, 3),))


@pytest.mark.parametrize(
    ("board", "closed", "givens", "reason"),
    [
        (
            Board(6),
            True,
            "a1=1 b3=3",
            "2 moves can't lead from a1, number 1, to b3, number 3: each move changes the colour, and theirs differ",
        ),
        (Board(6), True, "a1=1 a2=2", "no move leads from a1, number 1, to a2, number 2"),
        (
            Board(6),
            False,
            "a1=1 f6=3",
            "no 2 moves lead from a1, number 1, to f6, number 3 without passing another given",
        ),
        (
            Board(6),
            True,
            "a1=36 b2=2",
            "no 2 moves lead from a1, number 36, to b2, number 2 without passing another given",
        ),
        (
            Board(5),
            False,
            "a1=2",
            "a1 can't have the number 2: colours alternate, and there are 12 squares for the 13 odd numbers",
        ),
        (
            Board(6),
            False,
            "a1=2 b3=1 c2=5",
            "no 3 moves lead from a1, number 2, to c2, number 5 without passing another given",
        ),
    ],
)
@pytest.mark.parametrize("name", ["auto", "dfs", "numbers", "sat:onehot"])
def test_givens_out_of_reach_have_a_reason(name: str, board: Board, closed: bool, givens: str, reason: str) -> None:
    wanted = {square: int(number) for square, _, number in (word.partition("=") for word in givens.split())}
    answer = solve(board, closed=closed, givens=wanted, backend=name)
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.refutation.reason) == ("condition", reason)


def test_auto_gives_a_reason_that_can_be_checked_where_a_search_refutes() -> None:
    """Of the corner's two moves one is the start, and its number is not beside it."""
    answer = solve("6x6", givens={"b3": 1, "c2": 20, "a1": 9, "d4": 12}, backend="auto")
    assert answer.refutation is not None
    assert answer.refutation.kind in ("exhausted", "condition")


def test_two_required_arcs_from_one_vertex_leave_nothing_where_all_numbers_are_given() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0)], directed=True)
    problem = Problem(graph, True, require=((1, 2), (1, 0)), givens=((0, 1), (1, 2), (2, 3)))
    for name in ("numbers", "dfs"):
        assert run(problem, load(name)).status == "none"
        assert count(problem, backend=name) == 0


def test_numbers_of_a_symmetric_tour_are_refuted_with_a_reason() -> None:
    """Without a limit the answer is never unknown, and it can be checked."""
    answer = solve("3x4", symmetry="rot180", givens={"c3": 7, "c1": 1})
    assert answer.refutation is not None
    assert answer.refutation.kind == "exhausted"
    assert count("3x4", symmetry="rot180", givens={"c3": 7, "c1": 1}) == 0
    some = problem_of("3x4", symmetry="rot180", givens={"b2": 4})
    assert count(some) == len(brute_force(some)) > 0


def test_the_search_keeps_its_invariant() -> None:
    board = Board(5)
    tour = solve(board, start="a1", backend="dfs").tour
    assert tour is not None
    problem = given(Problem(board.graph, False), *((int(tour.vertices[number]), number + 1) for number in (0, 6, 15)))
    import numpy as np

    state, rows = numbers_state(to_cycle(problem)), np.empty((100, 26), dtype=np.int32)
    steps, found = 0, 0
    while not state.counters[FINISHED]:
        found += search(state, rows, 1)[0]
        check_invariant(state)
        steps += 1
    assert steps > 10
    assert found == len(brute_force(problem))


def test_limits_end_a_search_over_numbers() -> None:
    problem = given(Problem(Board(8).graph, True), (0, 1))
    assert run(problem, load("numbers"), Limits(work=3)).stopped_by in ("work", None)
    answer = run(problem, load("numbers"), Limits(seconds=1e-6))
    assert answer.stopped_by == "time"
    assert Run(to_cycle(problem), Limits(), Clock(None)).work_left("branchings") is None


def test_json_both_ways() -> None:
    problem = given(Problem(Board(5).graph, True, 3), (20, 14))
    data = json.loads(json.dumps(asked_data(problem, problem.graph.space.place)))
    assert data["givens"] == [[[0, 3], 1], [[4, 0], 14]]
    assert read_asked(problem.graph, data).givens == problem.givens
    for wrong in ([1], [[1, 2, 3]], [[[0, 0], "x"]], [[[9, 9], 1]], [[[0, 0], 0]], "x"):
        with pytest.raises(ValueError, match=r"."):
            read_asked(problem.graph, {**data, "givens": wrong})


def test_a_graph_with_names_takes_givens_too() -> None:
    ring = Graph.from_edges(6, [(vertex, (vertex + 1) % 6) for vertex in range(6)])
    assert solve(ring, closed=True, givens={"2": 1, "3": 2}, backend="dfs").tour is not None
    answer = solve(ring, closed=True, givens={"2": 1, "3": 3}, backend="dfs")
    assert answer.refutation is not None
    assert "each move changes the colour" in answer.refutation.reason


# --- text and commands ---


def test_a_puzzle_as_text_is_read_back(tmp_path: Path) -> None:
    board = Board(4, 5, holes=["b2"])
    givens = ((0, 3), (11, 12))
    path = tmp_path / "puzzle.txt"
    path.write_text(puzzle_text(board, givens))
    assert read_grid(str(path)).givens(board) == givens
    path.write_text("   a b c d e\n4  3 _ . . . 4\n\n3  . . . . . 3\n2  . # . 12 . 2\n1  . . . . . 1\n   a b c d e\n")
    assert read_grid(str(path)).givens(board) == ((0, 3), (board.vertex("d2"), 12))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 2 3\n", "has 1 rows, and the 3x3 board has 3: give a row for each, with a dot for each blank"),
        ("1 2\n. . .\n. . .\n", "line 1: this row has 2 squares, and 3 are expected: a number or a dot for each"),
        (
            "1 ? .\n. . .\n. . .\n",
            r"line 1: '\?' is not a square of a puzzle: write a number, . for a blank, or # for a hole",
        ),
        (". . .\n. # .\n. . .\n", "line 2: '#' stands where the 3x3 board has b2"),
        ("1 1 .\n. . .\n. . .\n", "the number 1 is given to both a3 and b3"),
        ("1 99999999999 .\n. . .\n. . .\n", "'99999999999' is not a square of a puzzle"),
        ("\0", "this is not text"),
        ("", "has 0 rows"),
    ],
)
def test_puzzles_that_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "puzzle.txt"
    path.write_text(text)
    with pytest.raises(BadInput, match=sentence):
        Problem(Board(3).graph, False, givens=read_grid(str(path)).givens(Board(3)))


def test_commands_take_givens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "puzzle.txt")
    Path(path).write_text(". . . . .\n. . . . .\n. . 13 . .\n. . . . .\n1 . . . .\n")

    def printed(*arguments: str) -> str:
        assert status(list(arguments)) in (0, 20)
        return capsys.readouterr().out

    data = json.loads(printed("solve", "5x5", "--puzzle", path, "--at", "b3=2", "--json"))
    assert data["problem"]["givens"] == [[[4, 0], 1], [[2, 1], 2], [[2, 2], 13]]
    assert [data["tour"][place] for place in (0, 1, 12)] == [[4, 0], [2, 1], [2, 2]]
    listed = json.loads(printed("tours", "5x5", "--puzzle", path, "--all", "--json"))
    assert int(printed("count", "5x5", "--puzzle", path)) == listed["count"] > 0
    assert "1 move can't lead from a1, number 1, to b2, number 2" in printed(
        "solve", "6x6", "--closed", "--at", "a1=1", "--at", "b2=2"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve", "5x5", "--at", "a1"], "--at 'a1' is not a given: write a square and its number, such as e4=17"),
        (["solve", "5x5", "--at", "a1=-1"], "is not a given"),
        (["solve", "5x5", "--at", "z9=1"], "z9"),
        (["solve", "5x5", "--at", "a1=3", "--at", "a1=5"], "a1 is given both 3 and 5: give it one number"),
        (["solve", "5x5", "--puzzle", "none-there.txt"], "can't read none-there.txt"),
        (["prove", "5x5", "--at", "a1=3"], "certificates are for tours without given numbers"),
        (
            ["solve", "5x5", "--at", "a1=3", "--certificate", "there"],
            "certificates are for tours without given numbers",
        ),
        (["count", "5x5", "--at", "a1=3", "--estimate"], "tours with given numbers are not estimated"),
        (["count", "5x5", "--at", "a1=3", "--all-starts"], "can't go with given numbers"),
        (["tours", "5x5", "--at", "a1=3", "--all-starts"], "can't go with given numbers"),
        (["tours", "5x5", "--at", "a1=3", "--all", "--resume", "there.jsonl"], "does not take given numbers"),
        (["trace", "5x5", "--at", "a1=3"], "given numbers is not traced"),
        (["solve", "51x50", "--at", "a1=3"], "givens are for at most 2,500 squares"),
    ],
)
def test_commands_refuse_in_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(arguments) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.out == ""


def test_a_formula_with_givens_is_decoded(tmp_path: Path) -> None:
    """The map in a formula knows the givens, so that a tour without them is refused."""
    from cpsat_tour.formats.decoding import read_map

    path = tmp_path / "given.cnf"
    assert status(["export", "5x5", "--at", "a1=3", "--backend", "sat:crt", "-o", str(path)]) == 0
    assert read_map(str(path)).cycle.source.givens == ((Board(5).square("a1"), 3),)
