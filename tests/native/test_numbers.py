"""Tours with given numbers: the search over numbers, why there is no tour, and how givens are written and read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, closed_visits
from commands import Command, needed
from products import all_tours

from cpsat_tour import BadInput, Board, Graph, Limits, Problem, load, run, solve
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import Clock, Run
from cpsat_tour.formats.boards import puzzle_text
from cpsat_tour.formats.formula import read_map
from cpsat_tour.formats.tour_files import read_puzzle
from cpsat_tour.native.numbers import BRANCHINGS, FINISHED, new_numbers_search, numbers_fault, numbers_search
from cpsat_tour.spaces.problem_data import asked_data, read_asked


def test_givens_that_fix_the_ends_alone_are_the_ends() -> None:
    graph = Board(3, 4).graph
    problem = Problem(graph, False, givens=((0, 1), (8, 12)))
    assert (problem.givens, problem.start, problem.end) == ((), 0, 8)
    problem = Problem(graph, False, 0, givens={5: 3})  # type: ignore[arg-type]
    assert problem.givens == ((0, 1), (5, 3))


@pytest.mark.parametrize(
    ("board", "closed", "givens", "reason"),
    [
        (
            Board(6),
            True,
            {"a1": 1, "b3": 3},
            "2 moves can't lead from a1, number 1, to b3, number 3: each move changes the colour, and theirs differ",
        ),
        (Board(6), True, {"a1": 1, "a2": 2}, "no move leads from a1, number 1, to a2, number 2"),
        (
            Board(6),
            False,
            {"a1": 1, "f6": 3},
            "no path of 2 moves leads from a1, number 1, to f6, number 3, without passing another given",
        ),
        (
            Board(6),
            True,
            {"a1": 36, "b2": 2},
            "no path of 2 moves leads from a1, number 36, to b2, number 2, without passing another given",
        ),
        (
            Board(5),
            False,
            {"a1": 2},
            "a1 can't have the number 2: colours alternate, and there are 12 squares for the 13 odd numbers",
        ),
        (
            Board(6),
            False,
            {"a1": 2, "b3": 1, "c2": 5},
            "no path of 3 moves leads from a1, number 2, to c2, number 5, without passing another given",
        ),
    ],
)
def test_givens_out_of_reach_have_a_reason(board: Board, closed: bool, givens: dict[str, int], reason: str) -> None:
    answer = solve(board, closed=closed, givens=givens)
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.refutation.reason) == ("condition", reason)


@pytest.mark.usefixtures("kernels_in_guards")
def test_a_search_that_rests_at_each_branching_finds_all() -> None:
    tour = needed(solve("5x5", start="a1", backend="dfs").tour)
    problem = Problem(tour.graph, False, givens=tuple((tour[number], number + 1) for number in (0, 6, 15)))
    for most, room in ((1, 100), (3, 1), (1 << 40, 100)):
        state, rows = new_numbers_search(to_cycle(problem), room), np.empty((room, 26), dtype=np.int32)
        met, spent = set[tuple[int, ...]](), 0
        while not state.counters[FINISHED]:
            before = int(state.counters[BRANCHINGS])
            found = numbers_search(state, rows, most)
            assert numbers_fault(state) == 0
            branchings = int(state.counters[BRANCHINGS]) - before
            assert branchings <= most
            new = {*map(tuple, rows[:found].tolist())}
            assert not met & new
            met |= new
            spent += branchings
        assert len(met) == len(brute_force(problem))
        assert spent == state.counters[BRANCHINGS] > 10
        failures = int((state.failures - 1).sum())
        assert failures + len(met) == spent + 1, "each branching makes one end more, and an end is a failure or a tour"


def test_required_moves_meet_where_the_positions_begin_anew() -> None:
    """Both neighbours of the given of the first position are required ones, one of them at the last position."""
    graph = Board(5, 6).graph
    for tour in closed_visits(graph)[:3]:
        problem = Problem(graph, True, require=((tour[-1], tour[0]), (tour[0], tour[1])), givens=((tour[0], 1),))
        found = {tuple(each.tolist()) for each in all_tours(problem, load("numbers"))}
        assert found == brute_force(problem)
        assert found


def test_limits_end_a_search_over_numbers() -> None:
    problem = Problem(Board(8).graph, True, givens=((0, 1),))
    assert run(problem, load("numbers"), Limits(work=3)).stopped_by in ("work", None)
    assert run(problem, load("numbers"), Limits(seconds=1e-6)).stopped_by == "time"
    assert Run(Limits(), Clock(None), cycle=to_cycle(problem)).work_left("branchings") is None


@pytest.mark.parametrize("wrong", [[1], [[1, 2, 3]], [[[0, 0], "x"]], [[[9, 9], 1]], [[[0, 0], 0]], "x"], ids=repr)
def test_givens_in_json_that_are_refused(wrong: Any) -> None:
    problem = Problem(Board(5).graph, True, 3, givens=((20, 14),))
    data = asked_data(problem, problem.graph.space.vertex_data)
    assert data["givens"] == [[[0, 3], 1], [[4, 0], 14]]
    with pytest.raises(ValueError, match=r"."):
        read_asked(problem.graph, {**data, "givens": wrong})


def test_a_graph_with_names_takes_givens_too() -> None:
    ring = Graph.from_edges(6, [(vertex, (vertex + 1) % 6) for vertex in range(6)])
    assert solve(ring, closed=True, givens={"2": 1, "3": 2}, backend="dfs").tour is not None
    refutation = solve(ring, closed=True, givens={"2": 1, "3": 3}, backend="dfs").refutation
    assert "each move changes the colour" in str(refutation)


# --- text and commands ---


def numbers_in(path: Path, board: Board) -> tuple[tuple[int, int], ...]:
    """The numbers that a puzzle's grid gives."""
    grid, _ = read_puzzle(str(path))
    assert grid is not None
    return grid.givens(board)


def test_a_puzzle_as_text_is_read_back(tmp_path: Path) -> None:
    board = Board(4, 5, holes=["b2"])
    givens = ((0, 3), (11, 12))
    path = tmp_path / "puzzle.txt"
    path.write_text(puzzle_text(board, givens))
    assert numbers_in(path, board) == givens
    path.write_text("   a b c d e\n4  3 _ . . . 4\n\n3  . . . . . 3\n2  . # . 12 . 2\n1  . . . . . 1\n   a b c d e\n")
    assert numbers_in(path, board) == ((0, 3), (board.vertex("d2"), 12))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "1 2 3\n",
            "has 1 rows of 3 squares, and the 3x3 board has 3 of 3: give a row for each, with a dot for each blank",
        ),
        ("1 2\n. . .\n. . .\n", "line 1: this row has 2 squares, and 3 are expected: a number or a dot for each"),
        (". 1 . . 2\n. . .\n. . .\n", "line 1: this row has 5 squares, and 3 are expected"),
        (
            "1 ! .\n. . .\n. . .\n",
            r"line 1: '!' is not a square of a board: write a number, . for a blank, or # for a hole, with spaces",
        ),
        (". . .\n. # .\n. . .\n", "line 2: '#' stands where the 3x3 board has b2"),
        ("1 1 .\n. . .\n. . .\n", "the number 1 is given to both a3 and b3"),
        ("1 99999999999 .\n. . .\n. . .\n", "'99999999999' is not a square of a board"),
        ("\0", "this is not text"),
        ("", "has 0 rows"),
    ],
)
def test_puzzles_that_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "puzzle.txt"
    path.write_text(text)
    with pytest.raises(BadInput, match=sentence):
        Problem(Board(3).graph, False, givens=numbers_in(path, Board(3)))


def test_commands_take_givens(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "puzzle.txt"
    path.write_text(". . . . .\n. . . . .\n. . 13 . .\n. . . . .\n1 . . . .\n")

    data = json.loads(command(f"solve 5x5 --puzzle {path} --at b3=2 --json").out)
    assert data["problem"]["givens"] == [[[4, 0], 1], [[2, 1], 2], [[2, 2], 13]]
    assert [data["tour"][place] for place in (0, 1, 12)] == [[4, 0], [2, 1], [2, 2]]
    listed = json.loads(command(f"tours 5x5 --puzzle {path} --all --json").out)
    assert int(command(f"count 5x5 --puzzle {path}").out) == listed["count"] > 0


def test_a_formula_with_givens_is_decoded(tmp_path: Path, command: Command) -> None:
    """The map in a formula knows the givens, so that a tour without them is refused."""
    path = tmp_path / "given.cnf"
    command(f"export 5x5 --at a1=3 --backend sat:crt -o {path}")
    assert read_map(str(path)).cycle.source.givens == ((Board(5).square("a1"), 3),)
