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
    ([(0, 0)], "the number of a5 can't be 0: give a whole number, 1 to 25"),
    ([(0, 26)], "the number of a5 can't be 26: give a whole number, 1 to 25"),
    ([(25, 1)], "a given vertex can't be 25: give a whole number, 0 to 24"),
    ([(0, 3), (7, 3)], "the number 3 is given to both a5 and c4: give it to one of them"),
    ([(7, 3), (7, 4)], "c4 is given both 3 and 4: give it one number"),
    ([(0, 1.5)], "the number of a5 can't be 1.5: give a whole number, 1 to 25"),
    ([(True, 1)], "a given vertex can't be True: give a whole number"),
    ([3], r"the givens can't be \[3\]: give numbers by their vertices"),
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
        lambda: count_by_frontier(problem_of("6x6", closed=True, symmetry="rot180")),
        "nor symmetric ones: count them by listing",
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
    ("compare run", "nothing is asked"),
    ("compare run nowhere.toml", "nowhere.toml"),
    ("compare run --board 8y8", "'8y8'"),
    ("compare run --board 8x8 --backend gurobi", "'gurobi'"),
    ("compare run --board 8x8 --cluster 2", "local:N"),
    ("compare run --board 8x8 --cluster local:0", "local:N"),
    ("compare run --board 8x8 --cluster local:2 --jobs 2", "--jobs 2"),
    ("compare run --board 8x8 --stop-after 0", "x>0"),
    ("compare run --board 8x8 --results /nowhere/at/all", "/nowhere/at/all"),
    ("compare run --board 8x8 --starts z9", "z9"),
    ("compare agree 8x8 --kind round", "round"),
    ("compare report /nowhere/at/all", "/nowhere/at/all"),
    ("compare report /dev/null", "no runs"),
    ("solve", "no board"),
    ("solve 0x5", "at least 1"),
    ("solve 5x0", "at least 1"),
    ("solve -3", "there is no option -3"),
    ("solve -- -3", "'-3' is not a board"),
    ("solve -- -3x5", "'-3x5' is not a board"),
    ("solve 8y8", "'8y8' is not a board"),
    ("solve 8x", "'8x' is not a board"),
    ("solve x8", "'x8' is not a board"),
    ("solve 8x8x8x8", "'8x8x8x8' is not a board"),
    ("solve 8.5", "'8.5' is not a board"),
    ("solve ²", "is not a board"),
    ("solve ٣x٣", "is not a board"),
    ("solve 1e9x1e9", "'1e9x1e9' is not a board"),
    ("solve 1000000000x1000000000", "too large"),
    ("solve 99999999999999999999", "too large"),
    ("solve 100000x100000", "too large"),
    ("solve 8x8 9x9", "9x9"),
    ("solve 8x8 --hole z9", "files a to h"),
    ("solve 8x8 --hole a9", "ranks 1 to 8"),
    ("solve 8x8 --hole 8,0", "0,0 to 7,7"),
    ("solve 8x8 --hole a0", "ranks 1 to 8"),
    ("solve 8x8 --hole what?", "not a square"),
    ("solve 8x8 --hole a99999999999999999999", "ranks 1 to 8"),
    ("solve 1x1 --hole a1", "at least one square"),
    ("solve 8x8 --hole a1 --start a1", "is a hole"),
    ("solve 8x8 --start i1", "files a to h"),
    ("solve 8x8 --start -1,0", "not a square"),
    ("solve 8x8 --end 9,9", "not on the 8x8 board"),
    ("solve 8x8 --closed --end a1", "give the start too"),
    ("solve 8x8 --leaper 0,0", "doesn't move"),
    ("solve 8x8 --leaper 1", "not a leaper"),
    ("solve 8x8 --leaper=-1,2", "not a leaper"),
    ("solve 8x8 --leaper knight", "not a leaper"),
    ("solve 8x8 --require a1", "not a move"),
    ("solve 8x8 --require a1-a2", "a1-a2"),
    ("solve 8x8 --forbid a1-h8", "a1-h8"),
    ("solve 8x8 --forbid a1-z99", "z99"),
    ("solve 8x8 --backend gurobi", "no backend 'gurobi'"),
    ("solve 8x8 --backend sat@what", "'what'"),
    ("solve 8x8 --backend cpsat@what", "no option 'solver'"),
    ("solve 8x8 --backend py:nowhere:Class", "can't load"),
    ("solve 8x8 --backend py:json:Nothing", "can't load"),
    ("solve 8x8 --backend py:.foo:Bar", "can't load"),
    ("solve 8x8 --backend py:os:getcwd", "'os:getcwd' is not a class"),
    ("solve 8x8 --backend py:os:kill", "is not a class"),
    ("solve 8x8 --backend py:subprocess:Popen", "is not a backend"),
    ("backends py:subprocess:Popen", "is not a backend"),
    ("prove 4x6 --closed -o why.svg", "a certificate is a folder"),
    ("solve 8x8 --backend cpsat -O linearization=9", "choose 0, 1 or 2"),
    ("solve 8x8 --backend cpsat -O linearization=high", "whole number"),
    ("solve 8x8 --backend cpsat -O log=perhaps", "true or false"),
    ("solve 8x8 --backend cpsat -O colour=red", "no option 'colour'"),
    ("solve 8x8 --backend cpsat -O log", "key=value"),
    ("solve 8x8 --backend cpsat -O order=pohl", "no option 'order'"),
    ("solve 8x8 --backend dfs -O order=fixed:123", "123"),
    ("solve 8x8 --backend dfs -O order=fixed:11111111", "11111111"),
    ("solve 8x8 --backend dfs -O order=sideways", "sideways"),
    ("solve 8x8 --backend dfs -O prune=roses", "roses"),
    ("solve 8x8 --seed -1", "-1"),
    ("solve 8x8 --seed x", "'x'"),
    ("solve 8x8 --threads 0", "0"),
    ("solve 8x8 --time-limit 0", "x>0"),
    ("solve 8x8 --time-limit nan", "can't be nan: give seconds"),
    ("solve 8x8 --time-limit inf", "can't be inf: give seconds"),
    ("solve 8x8 --time-limit soon", "'soon'"),
    ("solve 8x8 -o tour.doc", ".svg"),
    ("solve 8x8 -o tour", ".svg"),
    ("solve 8x8 -o /nowhere/at/all/tour.svg", "/nowhere/at/all"),
    ("solve /nowhere/at/all.edges", "/nowhere/at/all.edges"),
    ("solve /", "/"),
    ("solve /dev/null --leaper 1,2", "can't have a leaper 1,2: these are for boards"),
    ("solve 8x8 -o a.svg -o b.svg", "-o is given twice: give it once; see cpsat-tour solve --help"),
    ("count 6x6 --time-limit 3 --closed --time-limit=4", "--time-limit is given twice"),
    ("solve 8x8 -q -v", "--quiet can't go with --verbose"),
    ("solve 8x8 --json --json-stream", "--json can't go with --json-stream: give one or the other"),
    ("solve 8x8 --sideways", "--sideways"),
    ("count 5x5 --memory inf", "--memory can't be inf"),
    ("count 5x5 --memory nan", "--memory can't be nan"),
    ("compare agree 3x4 --starts A1,Z9", "Z9"),
    ("export 200x200 --backend sat:onehot", "at most 8,192 vertices"),
    ("dance 8x8", "dance"),
    ("slove 8x8", "did you mean solve?"),
    ("8x8 --closed", "did you mean solve 8x8?"),
    ("compare argee 8x8", "did you mean agree?"),
    ("solve 8x8 --backend cpst", "did you mean cpsat?"),
    ("solve 8x8 --closd", "there is no option --closd: did you mean --closed?"),
    ("solve petersen", "did you mean Petersen?"),
    ("solve GP(99999999,2)", "is too large"),
    ("compare run -o x", "see cpsat-tour compare run --help"),
    ("solve 8x8 9x9", "see cpsat-tour solve --help"),
    ("backends 8x8", "8x8"),
    ("tours 5x5 --resume tours.jsonl", "give --all"),
    ("tours 5x5 --all --resume tours.jsonl -o tours.npy", "-o can't go with --resume tours.jsonl"),
    ("tours 5x5 --all --resume tours.jsonl --backend sat", "--backend can't go with"),
    ("tours 5x5 --all --cluster local:2 -O order=pohl", "-O can't go with --cluster local:2"),
    ("tours 5x5 --all --cluster two", "local:N"),
    ("tours 5x5 --all --distinct --start a1 --resume tours.jsonl", "no ends"),
    ("tours 5x5 --all --resume /nowhere/tours.jsonl", "/nowhere/tours.jsonl"),
    ("tours 5x5 --all --resume /dev/null", "/dev/null"),
    ("count 5x5 --estimate --resume tours.jsonl", "--estimate can't go with --resume tours.jsonl"),
    ("count 5x5 --all-starts --resume tours.jsonl", "--all-starts can't go with --resume"),
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
