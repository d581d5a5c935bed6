"""What is refused, and in which one sentence: a table of calls of Python and a table of commands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cpsat_tour import BadInput, Board, Graph, Problem, best, solve
from cpsat_tour.backends.best import goal_of
from cpsat_tour.cli.main import status
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.counting.frontier import count_by_frontier
from cpsat_tour.formats.spaces import graph_of, problem_of, symmetry_of
from cpsat_tour.spaces.objectives import pairs_that_cross

ARCS = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)

GIVENS: list[tuple[Any, str]] = [
    ([(0, 0)], "a5 can't have the number 0: visits are numbered 1 to 25"),
    ([(0, 26)], "a5 can't have the number 26: visits are numbered 1 to 25"),
    ([(25, 1)], "25 can't be given a number: the vertices are 0 to 24"),
    ([(0, 3), (7, 3)], "the number 3 is given to both a5 and c4: give it to one of them"),
    ([(7, 3), (7, 4)], "c4 is given both 3 and 4: give it one number"),
    ([(0, 1.5)], "a given number can't be 1.5: give a whole number"),
    ([(True, 1)], "a given vertex can't be True: give a whole number"),
    ([3], r"a given can\'t be \(3,\): give a vertex and its number, such as \("),
    ("e4=17", "the givens can't be 'e4=17': give numbers by their vertices"),
    (7, "the givens can't be 7: give numbers by their vertices"),
]
"""Numbers given to squares of 5x5."""

GOALS: list[tuple[dict[str, Any], str]] = [
    ({"minimize": ["turns"]}, r"a goal can't be \['turns'\]: give its name"),
    ({"magic": {}}, "a goal can't be {}: give its name"),
    ({"longest": 3}, "a goal can't be 3: give its name"),
    ({"minimize": "turns", "hint": 5}, "the hint can't be 5: give squares"),
    ({"minimize": "turns", "hint": "a1"}, "the hint can't be 'a1': give squares"),
    ({"minimize": "turns", "hint": [1.5]}, "a square can't be 1.5"),
    ({"minimize": "turns", "hint": [0, 0]}, "begin with the hint: visit 2 is at a5, which was visited before"),
    ({"minimize": "turns", "backend": None}, "there is no way None to the best"),
]
"""What `best` may be asked of 5x5."""

PYTHON: list[tuple[Callable[[], object], str]] = [
    *((lambda givens=givens: Problem(Board(5).graph, False, givens=givens), words) for givens, words in GIVENS),
    (lambda: Problem(Board(5).graph, False, 0, givens=((0, 3),)), "a5 is given both 1 and 3: give it one number"),
    *(
        (
            lambda name=name: solve("5x5", givens={"a1": 7}, backend=name),
            "does not take given numbers: choose one of auto, dfs, numbers, ",
        )
        for name in ("sat", "edges", "cpsat", "sat:relative")
    ),
    (lambda: solve("5x5", backend="numbers"), "backend numbers is for tours with given numbers"),
    (
        lambda: solve("6x6", closed=True, symmetry="rot180", backend="dfs"),
        "does not take symmetric tours: choose one of auto",
    ),
    (lambda: solve("6x7", symmetry="rot180-eulerian"), "kind of closed tour"),
    (
        lambda: Problem(Board(3, 4).graph, True, symmetry=Symmetry("it", np.zeros(12, dtype=np.int32))),
        "not a permutation",
    ),
    (lambda: Problem(ARCS, True, symmetry=Symmetry("it", np.array([1, 2, 0], dtype=np.int32))), "directed"),
    (
        lambda: count_by_frontier(problem_of("6x6", closed=True, symmetry="rot180", start="a1")),
        "without ends, required and forbidden moves: count these by listing",
    ),
    (lambda: symmetry_of(graph_of("8x8"), "any", closed=False), "can take an open tour to itself"),
    (lambda: symmetry_of(graph_of("5x5"), "any", closed=True), "can take a closed tour to itself"),
    (lambda: symmetry_of(graph_of("GP(5,2)"), "any", closed=True), "can take a closed tour to itself"),
    *((lambda asked=asked: best("5x5", **asked), words) for asked, words in GOALS),
    *(
        (
            lambda goal=goal: goal_of(Problem(ARCS, True), **goal),
            r"the best tour is sought on undirected graphs, and .* has arcs",
        )
        for goal in ({"minimize": "turns"}, {"maximize": "crossings"}, {"longest": "uncrossed"}, {"magic": "rows"})
    ),
    *(
        (lambda text=text, what=what: best(text, minimize=what), "have no turns and no crossings")
        for text, what in product(("torus:5x5", "GP(5,2)"), ("turns", "crossings"))
    ),
    (
        lambda: pairs_that_cross(Board(1, 4000, leaper=(0, 2000)).graph),
        "moves as long as 2000 are not counted: choose a leaper of at most 1024",
    ),
]

COMMANDS: list[tuple[str, str]] = [
    ("solve 6x7 --symmetry rot90", "'rot90' is not a symmetry of the 6x7 board, which has rot180, axial-rows, axial-c"),
    ("solve 8x8 --symmetry axial", "axial is not one mirror of the 8x8 board: choose one of axial-rows, axial-cols"),
    ("solve 8x8 --symmetry turn", "'turn' is not a symmetry"),
    ("solve cylinder:4x4 --symmetry rot90", "rot90 is not a symmetry of the 4x4 cylinder: it takes the move"),
    ("solve GP(5,2) --symmetry rot180", "none with a name: give a file"),
    ("solve 10x10 --closed --symmetry rot90 --backend dfs", "does not take symmetric tours"),
    ("count 10x10 --closed --symmetry rot90 --estimate", "not estimated"),
    ("count 10x10 --closed --symmetry rot90 --backend proof", "does not take lists of all tours"),
    ("trace 10x10 --closed --symmetry rot90", "dfs does not take symmetric tours, so there is no search to follow"),
    ("solve 5x5 --at a1", "--at 'a1' is not a given: write a square and its number, such as e4=17"),
    ("solve 5x5 --at a1=-1", "is not a given"),
    ("solve 5x5 --at z9=1", "z9"),
    ("solve 5x5 --at a1=3 --at a1=5", "a1 is given both 3 and 5: give it one number"),
    ("solve 5x5 --puzzle none-there.txt", "can't read none-there.txt"),
    ("solve 51x50 --at a1=3", "givens are for at most 2,500 squares"),
    ("solve 5x5 --at a1=3 --certificate there", "certificates are for tours without given numbers"),
    ("prove 5x5 --at a1=3", "certificates are for tours without given numbers"),
    ("count 5x5 --at a1=3 --estimate", "tours with given numbers are not estimated"),
    ("count 5x5 --at a1=3 --all-starts", "it can't go with --closed, --start, given numbers or --estimate"),
    ("tours 5x5 --at a1=3 --all-starts", "can't go with given numbers"),
    ("tours 5x5 --at a1=3 --all --resume there.jsonl", "does not take given numbers"),
    ("trace 5x5 --at a1=3", "given numbers is not traced"),
    ("tours", "no board"),
    ("tours 8x8 -n 0", "0"),
    ("tours 8x8 -n 3 --all", "one or the other"),
    ("tours 8x8 --all-starts --start a1", "one or the other"),
    ("tours 8x8 --backend sat --count-calls", "does not count calls"),
    ("tours 8x8 --backend auto", "does not take lists of all tours"),
    ("tours 8x8 --backend sat -O order=pohl", "no option 'order'"),
    ("tours 8x8 -O order=sideways", "sideways"),
    ("tours 8x8 -o tours.txt", ".npy"),
    ("tours 8x8 -o calls.svg", "--count-calls"),
    ("tours 8x8 -o /nowhere/tours.npy", "can't write /nowhere/tours.npy: there is no folder /nowhere"),
    ("tours 8x8 -O backtrack=false", "without backtracking"),
    ("best 5x6", "--magic rows; see cpsat-tour best --help"),
    ("best 5x6 --minimize turns --maximize turns", "2 goals are given"),
    ("best 5x6 --minimize beauty", "'beauty' is nothing that a tour has: choose turns or crossings"),
    ("best 5x6 --minimize turns --at c3=7", "the best tour is sought without given numbers: leave them out"),
    ("best 5x6 --minimize turns --backend dfs", "backend dfs does not know the fewest turns: choose edges or cpsat:l"),
    ("best 5x6 --minimize turns --hint nowhere.json", "can't read nowhere.json"),
    ("best 5x5 --longest crossed", "'crossed' is nothing that a tour can be: choose uncrossed"),
    ("best 5x5 --longest uncrossed --backend edges", "does not know the longest uncrossed path: choose paths"),
    (
        "best 5x5 --longest uncrossed --symmetry rot180",
        "the longest uncrossed path can't be asked to have the symmetry rot180",
    ),
    ("best 5x5 --longest uncrossed --closed --start a1 --end b3", "can't end at b3: a cycle has no end"),
    ("best 5x5 --longest uncrossed --start a1 --end a1", "can't end at a1: it is the start as well"),
    ("best 5x13 --longest uncrossed", "is sought on at most 64 squares, and the 5x13 board has 65: choose a smaller"),
]


@pytest.mark.parametrize(("call", "words"), PYTHON, ids=[words for _, words in PYTHON])
def test_a_bad_argument_is_one_sentence(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(("call", "words"), COMMANDS, ids=[call for call, _ in COMMANDS])
def test_a_bad_call_is_one_sentence_and_exit_status_2(
    call: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(call.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cpsat-tour: ")
    assert err.count("\n") == 1
    assert len(err) < 400
    assert words in err
    assert not list(tmp_path.iterdir())
