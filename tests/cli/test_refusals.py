"""Bad calls of Python and bad commands, each refused in one sentence: two tables."""

import math
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Command

from cpsat_tour import (
    BadInput,
    Board,
    Graph,
    Limits,
    Problem,
    best,
    check,
    compare_backends,
    count,
    problem_of,
    prove,
    run,
    solve,
    tours,
    verify,
)
from cpsat_tour.compare.study import expand_patterns
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.engines.best_search import goal_of
from cpsat_tour.engines.puzzles import make_puzzle
from cpsat_tour.formats.typed import graph_of, symmetry_of
from cpsat_tour.frontier.sweep import count_by_frontier
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.spaces.board import MAX_LEAPER, SURFACES, Box, Wrapped
from cpsat_tour.spaces.objectives import pairs_that_cross
from cpsat_tour.spaces.problem_data import parse_space, read_space

ARCS = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)
RING = Graph.from_edges(5, [(vertex, (vertex + 1) % 5) for vertex in range(5)])
TRIANGLE = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)])
BOARD = Board(5, 6)
SNARK = problem_of("GP(11,2)", closed=True)

NINES = "9" * 5000

ARGUMENTS: list[dict[str, Any]] = [
    *({"seconds": value} for value in (-1, math.nan, math.inf, "10", True, 1e7)),
    *({"seed": value} for value in (-1, 1.5, "x", None, True, 2**40)),
    *({"threads": value} for value in (0, -2, 1.5, 20_000)),
    {"backend": "asp", "threads": 65},
    *({"backend": "asp", "options": {"configuration": value}} for value in ("", "/etc/passwd", "auto --models=0")),
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
    {"symmetry": ["rot180"]},
]
"""What `solve` may not be given, neither with a board nor with a graph."""

CALLS: list[tuple[Callable[..., object], tuple[Any, ...], dict[str, Any], str]] = [
    *((solve, (where,), asked, "") for where in (BOARD, TRIANGLE) for asked in ARGUMENTS),
    *((solve, (where,), {}, "(?i)board") for where in (-1, True, None, "8y8")),
    *((solve, (data,), {}, "is not a graph: give edges") for data in ([1], [(1,)], [])),
    (solve, ({"a": ["b"]},), {}, "some edges stand one way only, and may be arcs or not: give"),
    *((Graph.from_edges, (3, edges), {}, "") for edges in ([(0, 1, 2)], [(0, 5)], 5, [(0.5, 1)], [("a", "b")], [(0,)])),
    *((Graph.from_edges, (order, []), {}, "") for order in (-1, "3", 2.5)),
    *((Board, (8, 8, holes), {}, "") for holes in (5, "a1", None, ["z9"])),
    *((Problem, parts, {}, "") for parts in ((None, False), (BOARD, False), (BOARD.graph, "x"))),
    (Problem, (BOARD.graph, False, None, None, [(1,)]), {}, ""),
    *((verify, (problem, [0, 1]), {}, "Problem") for problem in (BOARD.graph, None, BOARD)),
    *((Limits, (), {"work": work}, "the limit on work can't be") for work in (-1, 1.5, 2**63)),
    *((Limits, (), limits, "") for limits in ({"seconds": -1}, {"seconds": True}, {"threads": 0}, {"seed": None})),
    *((tours, ("5x5",), bad, "") for bad in ({"most": 0}, {"most": "x"}, {"backend": "rotations"}, {"start": "z9"})),
    *(
        (count, ("3x4",), {"memory": memory}, "memory can't be .*: give a number of bytes above 0")
        for memory in ("3", math.nan, 0, -1, True, math.inf)
    ),
    (check, (5,), {}, "a folder can't be 5: give the path"),
    (check, ("there",), {"closed": True}, "closed can't go without a space"),
    (prove, ("4x6",), {"method": "magic"}, "magic"),
    (prove, ("4x6",), {"method": "lp", "counted": True}, "one method"),
    (compare_backends, ([], ["sat"]), {}, ""),
    (compare_backends, ("3y4", ["sat"]), {}, ""),
    (compare_backends, ("3x4", []), {}, ""),
    (compare_backends, ([RING], ["sat"]), {}, "can't be compared: give boards, or files of graphs, and backends as t"),
    (compare_backends, (5, ["sat"]), {}, "give a list of them"),
    (compare_backends, ("3x4", ["dfs"]), {"jobs": 0}, "the number of jobs can't be 0: give a whole number, 1 or more"),
    (compare_backends, ("3x4", ["nope"]), {}, ""),
    *(
        (compare_backends, ("3x4", ["dfs"]), {"seconds": seconds}, "the time limit .*can't be .*: give seconds")
        for seconds in (0, -1, None, "2")
    ),
    *(
        (solve, (edges,), {}, "can't solve .*: give a Board, edges such as .* networkx or igraph")
        for edges in (2.5, None, b"8y8", object())
    ),
    (solve, (Problem(TRIANGLE, True),), {"start": 1}, "leave out start"),
    *((run, (where, "sat"), {}, "give a Problem") for where in (BOARD, "8x8", BOARD.graph)),
    (run, (Problem(TRIANGLE, True), "sat"), {}, "'sat' is not a backend"),
    # --- boards, boxes and wrapped boards ---
    *(
        (Board.parse, (size,), {}, "")
        for size in ("", "x", "8x", "x8", "0", "0x5", "5x0", "-1x5", "-8", "8x8x8", "8 8", "8.0x8", "1e3", "٣x٣", "²")
    ),
    *(
        (Board.parse, (size,), {}, "")
        for size in ("8x²", "16777217", "4097x4097", "9" * 30, f"{NINES}x1", f"1x{NINES}", "8x8\n8", "eight", "\0")
    ),
    *(
        (Board.parse, ("8x8",), {"leaper": leaper}, "")
        for leaper in ("", "1", "1,2,3", "a,b", "0,0", "-1,2", "1.5,2", "١,٢", "1;2", f"{NINES},1")
    ),
    *(
        (Board.parse, ("8x8",), {"holes": [hole]}, "square")
        for hole in ("", "a", "1", "a9", "i1", "a0", "8,0", "0,8", "-1,0", "a-1", "٣", "a١", "²,1", "é1", "ſ1", "K1")
    ),
    *((Board.parse, ("8x8",), {"holes": [hole]}, "square") for hole in ("a" * 5000 + "1", "a" + "1" * 5000)),
    *((Board, sides, {}, "") for sides in ((0, 0), (-1, 3), (3, -1), (1 << 13, 1 << 12), (2**63, 2**63))),
    (Board, (1, 2, ["a1", "b1"]), {}, "every square"),
    *(
        (make, (bad,), {}, "")
        for make in (Board(8).square, lambda leaper: Board(8, leaper=leaper), lambda rows: Board(rows, 3))
        for bad in (1.5, None, True, (1,), (1, 2, 3), ("1", "2"), (True, 2), (0.0, 1.0), [0, 1])
    ),
    *(
        (Wrapped, (surface, 3), {"leaper": (1, long)}, "wraps around too often: choose one of at most 1024")
        for surface in SURFACES
        for long in (MAX_LEAPER + 1, 2**63, 10**400)
    ),
    (Wrapped("torus", 300).symmetries, (), {}, "the 300x300 torus has too many symmetries"),
    *(
        (Box(4, 4, 3).vertex, (which,), {}, "square")
        for which in ("a1", "e1.1", "a5.1", "a1.0", "a1.4", "0,0", "0,0,3", "4,0,0", "a1.1.1", "", (0, 0), (0, 0, 3))
    ),
    *((Box(4, 4, 3).vertex, (which,), {}, "square") for which in (-1, 48, f"a1.{NINES}")),
    *(
        (parse_space, (typed, (), leaper), {}, "leaper")
        for typed, leaper in (("8x8", "1,2,2"), ("4x4x4", "1,2,2,2"), ("torus:4x4", "1,1,2"), ("4x4x4", "0,0,0"))
    ),
    (graph_of, ("2x2x2x2", ["a1"]), {}, "not a board"),
    (graph_of, (5,), {}, "5 is not text"),
    (graph_of, ("GP(5,2)", ["a1"]), {}, "takes no holes"),
    (
        read_space,
        ({"surface": "ring", "rows": 3, "cols": 3, "holes": [], "leaper": [1, 2]},),
        {},
        "'ring' is not a surface: choose one of torus",
    ),
    # --- what a study asks for ---
    *(
        (expand_patterns, ([pattern],), {}, r"there is no graph (GP|cubic)\(")
        for pattern in ("GP(5,3)", "GP(2,1)", "GP(4..6,2..3)", "cubic(5,1)", "cubic(2,1)")
    ),
    *(
        (expand_patterns, ([pattern],), {}, re.escape(repr(pattern)))
        for pattern in ("9..6", "6..8:0", "1..9999x1..9999", "8y8", "", "GP(9..6,2)", "nowhere.hcp", "nowhere/*.hcp")
    ),
    *((expand_patterns, ([size],), {}, "all sides must be at least 1") for size in ("0", "0..3", "8x0", "4x4x0..2")),
    # --- the options of backends ---
    *(
        (Dfs, (), {"order": order}, "")
        for order in ("", "warnsdorff", "fixed", "fixed:", "fixed:1234567", "fixed:12345677", "fixed:123456789")
    ),
    *((Dfs, (), {"order": order}, "") for order in ("pohl:12345678", "plain:")),
    *((Dfs, (), {"prune": prune}, "no pruning") for prune in ("", "warnsdorff", "degree,", "degree,colours")),
    *(
        (Dfs(order=order).solve, (Problem(RING, True), Limits()), {}, "no layout")
        for order in ("fixed:12345678", "centre", "start")
    ),
    (lambda: next(Dfs(backtrack=False).batches(Problem(Board(5).graph, False), Limits())), (), {}, "backtracking"),
    *(
        (solve, (SNARK,), {"options": {"parts": parts}}, words)
        for parts, words in (
            ("construct", "backend construct does not take the graph GP"),
            ("edegs", "there is no backend 'edegs'"),
            ("auto", "auto is not a part of itself"),
            ("edges,sat,edges", "it names a part twice"),
        )
    ),
    # --- puzzles and the best tours ---
    *(
        (make_puzzle, (problem,), {}, words)
        for problem, words in (
            (Problem(Board(6).graph, True, givens=((0, 3),)), "a puzzle chooses its own numbers"),
            (Problem(ARCS, False), "this one has arcs"),
            (Problem(Board(21).graph, False), "a puzzle has 3 to 400 squares, and the 21x21 board has 441"),
            (Problem(Board(1, 2).graph, False), "a puzzle has 3 to 400 squares, and the 1x2 board has 2"),
        )
    ),
    (best, ("4x8",), {}, "no goal is given"),
]
"""Functions with the arguments that they refuse, and words of the sentence."""

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
    ({"maximize": {}}, "a goal can't be {}: give its name"),
    ({"minimize": "turns", "hint": 5}, "the hint can't be 5: give squares"),
    ({"minimize": "turns", "hint": "a1"}, "the hint can't be 'a1': give squares"),
    ({"minimize": "turns", "hint": [1.5]}, "a square can't be 1.5"),
    ({"minimize": "turns", "hint": [0, 0]}, "begin with the hint: visit 2 is at a5, which was visited before"),
    ({"minimize": "turns", "backend": None}, "there is no method None for the best tour"),
]
"""What `best` may be asked of 5x5."""

PYTHON: list[tuple[Callable[[], object], str]] = [
    *((partial(function, *given, **options), words) for function, given, options, words in CALLS),
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
    (lambda: best(ARCS, maximize="length"), "the others are longest_path, longest_cycle and fewest_paths"),
    (lambda: symmetry_of(graph_of("5x5"), "any", closed=True), "can take a closed tour to itself"),
    (lambda: symmetry_of(graph_of("GP(5,2)"), "any", closed=True), r"GP\(5,2\) has no named symmetries to choose from"),
    *((lambda asked=asked: best("5x5", **asked), words) for asked, words in GOALS),
    *(
        (
            lambda goal=goal: goal_of(Problem(ARCS, True), **goal),
            r"the best tour is sought on undirected graphs, and .* has arcs",
        )
        for goal in ({"minimize": "turns"}, {"maximize": "crossings"})
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
    ("compare run", "there is nothing to run"),
    ("compare run nowhere.toml", "nowhere.toml"),
    ("compare run --board 8x8 --backend gurobi", "'gurobi'"),
    ("compare run --board 8x8 --cluster 2", "tcp://host:8786"),
    ("compare run --board 8x8 --cluster tcp://host:8786 --jobs 2", "--jobs 2"),
    ("filter --cluster 2", "tcp://host:8786"),
    ("filter --cluster tcp://host:8786 --threads 2", "--cluster can't go with --threads: give one or the other"),
    ("compare run --board 8x8 --stop-after 0", "x>0"),
    ("compare run --board 8x8 --results /nowhere/at/all", "/nowhere/at/all"),
    ("compare agree 8x8 --kind round", "round"),
    ("compare report /nowhere/at/all", "/nowhere/at/all"),
    ("compare report /dev/null", "no runs"),
    ("solve", "no board"),
    ("solve 0x5", "at least 1"),
    ("solve -3", "there is no option -3"),
    ("solve -- -3", "'-3' is not a board"),
    ("solve 8y8", "'8y8' is not a board"),
    ("solve 8x8x8x8", "'8x8x8x8' is not a board"),
    ("solve ²", "is not a board"),
    ("solve 1e9x1e9", "'1e9x1e9' is not a board"),
    ("solve 1000000000x1000000000", "too large"),
    ("solve 8x8 9x9", "9x9"),
    ("solve 8x8 --hole z9", "files a to h"),
    ("solve 8x8 --hole a9", "ranks 1 to 8"),
    ("solve 8x8 --hole 8,0", "0,0 to 7,7"),
    ("solve 8x8 --hole what?", "not a square"),
    ("solve 1x1 --hole a1", "at least one square"),
    ("solve 8x8 --hole a1 --start a1", "is a hole"),
    ("solve 8x8 --start -1,0", "not a square"),
    ("solve 8x8 --end 9,9", "not on the 8x8 board"),
    ("solve 8x8 --closed --end a1", "give the start too"),
    ("solve 8x8 --leaper 0,0", "doesn't move"),
    ("solve 8x8 --leaper 1", "not a leaper"),
    ("solve 8x8 --require a1", "not a move"),
    ("solve 8x8 --forbid a1-z99", "z99"),
    ("solve 8x8 --backend gurobi", "no backend 'gurobi'"),
    ("solve 8x8 --backend cpsat@what", "there is no program 'what'"),
    ("solve 8x8 --backend py:nowhere:Class", "can't load"),
    ("solve 8x8 --backend py:.foo:Bar", "can't load"),
    ("solve 8x8 --backend py:os:getcwd", "'os:getcwd' is not a class"),
    ("solve 8x8 --backend py:os:kill", "is not a class"),
    ("solve 8x8 --backend py:subprocess:Popen", "is not a backend"),
    ("backends py:subprocess:Popen", "is not a backend"),
    ("prove 4x6 --closed -o why.svg", "a certificate is a folder"),
    ("solve 8x8 --backend cpsat -O linearization=9", "write 0 or 1 or 2"),
    ("solve 8x8 --backend asp -O configuration=foo", "write auto or frumpy or "),
    ("solve 8x8 --backend cpsat -O log=perhaps", "true or false"),
    ("solve 8x8 --backend cpsat -O colour=red", "no option 'colour'"),
    ("solve 8x8 --backend cpsat -O log", "key=value"),
    ("solve 8x8 --backend cpsat -O order=pohl", "no option 'order'"),
    ("solve 8x8 --backend dfs -O order=fixed:123", "123"),
    ("solve 8x8 --backend dfs -O order=sideways", "sideways"),
    ("solve 8x8 --backend dfs -O prune=roses", "roses"),
    ("solve 8x8 --seed -1", "-1"),
    ("solve 8x8 --seed x", "'x'"),
    ("solve 8x8 --threads 0", "0"),
    ("solve 8x8 --backend asp --threads 65", "clingo can't use 65 threads: give 1 to 64"),
    ("solve 8x8 --time-limit 0", "x>0"),
    ("solve 8x8 --time-limit nan", "can't be nan: give seconds"),
    ("solve 8x8 --time-limit inf", "can't be inf: give seconds"),
    ("solve 8x8 --time-limit soon", "'soon'"),
    ("solve 8x8 -o tour.doc", ".svg"),
    ("solve 8x8 -o tour", ".svg"),
    ("solve 8x8 -o /nowhere/at/all/tour.svg", "/nowhere/at/all"),
    ("solve /nowhere/at/all.edges", "/nowhere/at/all.edges"),
    ("solve /", "/"),
    ("solve /dev/null --leaper 1,2", "can't have a leaper 1,2: a board as text is read with --puzzle"),
    ("solve 8x8 -o a.svg -o b.svg", "-o is given twice: give it once. Try 'cpsat-tour solve --help'"),
    ("count 6x6 --time-limit 3 --closed --time-limit=4", "--time-limit is given twice"),
    ("solve 8x8 -q -v", "--quiet can't go with --verbose"),
    ("solve 8x8 --json --json-stream", "--json can't go with --json-stream: give one or the other"),
    ("solve 8x8 --sideways", "--sideways"),
    ("count 5x5 --memory inf", "--memory can't be inf"),
    ("export 200x200 --backend sat:onehot", "at most 8,192 vertices"),
    ("trace GP(5,2) -O order=centre", "needs a board"),
    ("count 5x5 --samples 10", "--estimate"),
    ("count 5x5 -O prune=none", "-O prune is an option of a backend"),
    ("count 5x5 --estimate --samples 0", "--samples"),
    ("count 5x5 --estimate --backend dfs", "--estimate can't go with --backend: give one or the other"),
    ("count 5x5 --memory 0", "--memory"),
    *(
        (f"solve {asked} --backend construct -o tour.npy", words)
        for asked, words in (
            ("8x7 --require a1-b3", "does not take required moves"),
            ("8x8 --hole a1", "without 1 square"),
            ("8x8 --start a1", "does not take given ends"),
            ("8x8 -O foo=1", "backend construct has no option 'foo'"),
            ("8x8 --closed --symmetry rot90", "does not take symmetric tours"),
            ("999999999x999999999", "a board of 999999999x999999999 is too large"),
        )
    ),
    ("puzzle 6x6 -o sheet.gif", "give it one of the suffixes .svg, .png, .pdf, .txt"),
    ("puzzle 6x6 -o no/sheet.svg", "there is no folder no"),
    ("puzzle 1x26 -o sheet.svg", "too small to read"),
    ("puzzle 6x6 --at a1=2", "puzzle does not take --at: leave it out"),
    ("puzzle 6x6 --symmetry rot180 --closed", "puzzle does not take --symmetry: leave it out"),
    ("puzzle GP(7,2) --grade 6", "6"),
    ("puzzle --puzzle mine.txt --grade 2", "--puzzle can't go with --grade"),
    ("puzzle 5x5 --count 2 -o sheet.svg", "can't write 2 puzzles to sheet.svg, which has room for one: write a .pdf"),
    ("puzzle 5x5 -o sheet.svg --author a\u200bb", "sheet.svg can't show all letters of 'a\\u200bb'"),
    ("puzzle 5x5 -o sheet.pdf --title 数独", "a PDF has Latin, Greek and Cyrillic letters, a .png others"),
    ("puzzle 5x5 --walls 3", "no move of the 5x5 board joins such"),
    ("solve torus:0x3", "all sides must be at least 1"),
    ("solve no/where", "there is no file no/where"),
    *((f"solve {space}", space) for space in ("torus:3x", "ring:3x3", "torus", "klein:3x3x3")),
    *(
        (call, "/dev/zero")
        for call in (
            *("solve /dev/zero", "solve 6x6 --symmetry /dev/zero", "decode x /dev/zero"),
            *("compare report /dev/zero", "compare run /dev/zero", "compare run --board /dev/zero"),
        )
    ),
    *(
        (f"compare {asked} --backend dfs --backend py:nowhere:Class", "nowhere:Class")
        for asked in ("agree 3x4", "run --board 3x4 --results runs")
    ),
    ("watch --host no.such.host.invalid", "no.such.host.invalid"),
    ("watch --port 70000", "70000"),
    ("dance 8x8", "dance"),
    ("slove 8x8", "did you mean solve?"),
    ("8x8 --closed", "did you mean solve 8x8?"),
    ("compare argee 8x8", "did you mean agree?"),
    ("solve 8x8 --backend cpst", "did you mean cpsat?"),
    ("solve 8x8 --closd", "there is no option --closd: did you mean --closed?"),
    ("solve petersen(3)", "is not a member of a family: write one such as Petersen"),
    ("solve GP(99999999,2)", "is too large"),
    ("compare run -x", "Try 'cpsat-tour compare run --help'"),
    ("solve 8x8 9x9", "Try 'cpsat-tour solve --help'"),
    ("backends 8x8", "8x8"),
    ("solve 6x6 --hole a1,b2", "is not a square: give each its own, such as --hole a1 --hole b2"),
    ("solve 6x6 --time-limit abc", "'abc' is not a number"),
    ("solve 6x7 --symmetry rot90", "'rot90' is not a symmetry of the 6x7 board, which has rot180, axial-rows, axial-c"),
    ("solve 8x8 --symmetry axial", "axial is ambiguous on the 8x8 board: choose one of axial-rows, axial-cols"),
    ("solve 8x8 --symmetry turn", "'turn' is not a symmetry"),
    ("solve cylinder:4x4 --symmetry rot90", "rot90 is not a symmetry of the 4x4 cylinder: it takes the move"),
    ("solve GP(5,2) --symmetry rot180", "no named ones: give a file"),
    ("solve 10x10 --closed --symmetry rot90 --backend dfs", "does not take symmetric tours"),
    ("count 10x10 --closed --symmetry rot90 --estimate", "can't be estimated: count them exactly"),
    ("count 10x10 --closed --symmetry rot90 --backend proof", "does not take lists of all tours"),
    ("trace 10x10 --closed --symmetry rot90", "trace does not take --symmetry: leave it out"),
    ("solve 5x5 --at a1", "--at 'a1' is not a given: write a square and its number, such as e4=17"),
    ("solve 5x5 --at a1=-1", "is not a given"),
    ("solve 5x5 --at z9=1", "z9"),
    ("solve 5x5 --at a1=3 --at a1=5", "a1 is given both 3 and 5: give it one number"),
    ("solve 5x5 --puzzle none-there.txt", "can't read none-there.txt"),
    ("solve 51x50 --at a1=3", "givens are for at most 2,500 squares"),
    ("solve 5x5 --at a1=3 --certificate there", "certificates are for tours without given numbers"),
    ("prove 5x5 --at a1=3", "prove does not take --at: leave it out"),
    ("count 5x5 --order a1,c3 --estimate", "tours with waypoints can't be estimated"),
    ("count 5x5 --order a1,c3 --backend pb", "backend pb does not take waypoints: choose one of dfs, "),
    ("prove 5x5 --order a1,c3", "prove does not take --order: leave it out"),
    ("best 5x5 --order a1,c3 --minimize turns", "best does not take --order: leave it out"),
    ("check proof 5x5 --waypoints", "check does not take --waypoints: leave it out"),
    ("puzzle 5x5 --order a1,c3", "puzzle does not take --order: leave it out"),
    ("solve 5x5 --waypoints", "an order, each once, and none is given: add --puzzle with numbers"),
    (
        "solve 5x5 -o x.json --format csv",
        "x.json would not be a .json file: leave out the format csv, or write a .csv file",
    ),
    (
        "solve 5x5 -o x.svg --format board",
        "x.svg would not be a .svg file: leave out the format board, or write a .txt f",
    ),
    ("count 5x5 --estimate --memory 1", "--estimate can't go with --memory: give one or the other"),
    ("count 5x5 --backend dfs --memory 1", "--backend can't go with --memory: give one or the other"),
    ("count 5x5 --backend frontier", "frontier finds one: it counts by itself, so leave --backend out"),
    ("trace 5x5 --backend dfs", "there is no option --backend. Try 'cpsat-tour trace --help'"),
    ("solve 5x5 --colsed", "there is no option --colsed: did you mean --closed?"),
    ("solve 5x5 --time 5", "there is no option --time: did you mean --time-limit?"),
    ("watch 8x8", "'8x8' is more than the command takes: leave it out. Try 'cpsat-tour watch --help'"),
    ("formats xyz", "'xyz' is more than the command takes: leave it out. Try 'cpsat-tour formats --help'"),
    (
        "solve L(7)",
        "'L(7)' is not a board, a file or a graph of a family: write rows x cols, such as 8x8, or one of GP(17,2), ",
    ),
    ("solve Peterson", "'Peterson' is not a board, a file or a graph of a family: did you mean Petersen?"),
    ("solve GPP(5,2)", "did you mean GP?"),
    ("solve 5x5 --leaper 1,2,3", "a leaper can't be 1,2,3: give 2 whole numbers, such as 1,2\n"),
    ("solve 5x5 --time-limit inf", "the time limit can't be inf: give seconds from 0 to 2000000\n"),
    (
        "solve GP(10,2) --symmetry any",
        "the graph GP(10,2) has no named symmetries to choose from: give a file with a perm",
    ),
    ("solve 5x5 --order a1,a1", "the waypoint a1 is given twice"),
    ("solve 5x5 --order a1,c3 --start c3", "the waypoint a1 is to be visited before c3, where the tour is to start"),
    ("solve 5x5 --order a1,c3 --end a1", "the waypoint c3 is to be visited after a1, where the tour is to end"),
    ("solve 5x5 --order a1,c3 --at e5=7", "waypoints can't go with given numbers"),
    ("solve 51x51 --order a1,c3", "waypoints are for at most 2,500 squares, and the 51x51 board has 2,601"),
    ("solve 5x5 --waypoints", "--waypoints takes the numbers of a puzzle for an order"),
    ("solve 5x5 --moves queen", "'queen' is not a leaper"),
    ("solve 5x5 --leaper 0,0 --leaper 1,2", "doesn't move"),
    ("solve GP(5,2) --moves king", "takes no leaper"),
    ("count 5x5 --at a1=3 --estimate", "tours with given numbers can't be estimated"),
    ("trace 5x5 --at a1=3", "given numbers can't be traced"),
    ("tours 8x8 -n 0", "0"),
    ("tours 8x8 -n 3 --all", "one or the other"),
    ("tours 8x8 --backend auto", "does not take lists of all tours"),
    ("tours 8x8 --backend sat -O order=pohl", "no option 'order'"),
    ("tours 8x8 -o tours.txt", ".npy"),
    ("tours 8x8 -o tours.svg", "give it the suffix .json or .npy"),
    ("tours 8x8 -o /nowhere/tours.npy", "can't write /nowhere/tours.npy: there is no folder /nowhere"),
    ("tours 8x8 -O backtrack=false", "without backtracking"),
    ("best 5x6", "with one of turns, crossings, paths, length. Try 'cpsat-tour best --help'"),
    ("best 5x6 --minimize turns --maximize turns", "--minimize can't go with --maximize: give one or the other"),
    ("best 5x6 --minimize beauty", "'beauty' is not one of 'turns', 'crossings', 'paths'"),
    ("best 5x6 --minimize turns --at c3=7", "best does not take --at: leave it out"),
    ("best 5x6 --minimize turns --backend dfs", "there is no method 'dfs' for the best tour"),
    ("best 5x6 --minimize turns --hint nowhere.json", "can't read nowhere.json"),
]


@pytest.mark.parametrize(("call", "words"), PYTHON, ids=[words for _, words in PYTHON])
def test_a_bad_argument_is_one_sentence(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadInput, match=words or None) as refused:
        call()
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(("call", "words"), COMMANDS, ids=[call for call, _ in COMMANDS])
def test_a_bad_call_is_one_sentence_and_exit_status_2(
    call: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = command(call, 2)
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("cpsat-tour: ")
    assert len(err) < 400
    assert words in err
    assert not list(tmp_path.iterdir())
