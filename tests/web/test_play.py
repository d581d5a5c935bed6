"""Walks that a person enters on the page: their verdicts against brute force and CP-SAT, the reasons against their
definitions, and how much of a walk can be kept."""

import itertools
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from brute_force import Vertices, brute_force
from watching import PATIENCE

from cpsat_tour import BadInput, Board, Graph, Limits, Problem, graph_of, load, run, verify
from cpsat_tour.engines.puzzles import Puzzle, make_puzzle
from cpsat_tour.web.play import Judge, check_walk


def judge(problem: Problem) -> Judge:
    return Judge(problem, lambda *_: None)


def walked(board: Board, length: int, rng: random.Random) -> list[int]:
    """A walk of at most so many squares, most steps of it to a square with few exits, as people play."""
    walk = [rng.randrange(len(board))]
    while len(walk) < length:
        ways = [v for v in board.graph.neighbours(walk[-1]).tolist() if v not in walk]
        if not ways:
            break
        exits = {way: sum(v not in walk for v in board.graph.neighbours(way).tolist()) for way in ways}
        walk.append(rng.choice(ways) if rng.random() < 0.25 else min(ways, key=lambda way: (exits[way], rng.random())))
    return walk


def ways(tour: Vertices, *, closed: bool) -> list[Vertices]:
    """A tour as it can be walked: in either direction and, if it is closed, from anywhere."""
    turned = [tour[first:] + tour[:first] for first in range(len(tour))] if closed else [tour]
    return [way for begun in turned for way in (begun, begun[::-1])]


def walks(graph: Graph, starts: Iterable[int], length: int) -> list[Vertices]:
    """All walks of at most so many vertices from these starts."""
    found: list[Vertices] = []
    longer: list[Vertices] = [(start,) for start in starts]
    for _ in range(length):
        found += longer
        longer = [(*walk, v) for walk in longer for v in graph.neighbours(walk[-1]).tolist() if v not in walk]
    return found


WALKED: list[tuple[Graph, Iterable[int], int]] = [
    (Board(3, 4).graph, range(12), 5),
    (Board(4, 5).graph, (0, 7), 5),
    (Board(5).graph, (0, 6), 5),
    (Board(5, holes=["c3"]).graph, (0,), 5),
    *((graph_of(name), (0,), 2) for name in ("1x1", "1x2", "2x2", "3x3", "torus:3x3", "3x3x2", "GP(5,2)", "Q(3)")),
]


@pytest.mark.parametrize(("graph", "starts", "length"), WALKED, ids=str)
def test_every_walk_on_a_small_graph_is_judged_right(graph: Graph, starts: Iterable[int], length: int) -> None:
    """The verdict is that of a list of all tours; where a move of a board loses, the reason is true by its definition,
    and all moves but this one can stay."""
    for kind, closed in (("closed", True), ("open", False)):
        tours = {way for tour in brute_force(Problem(graph, closed)) for way in ways(tour, closed=closed)}
        alive = {tour[:size] for tour in tours for size in range(length + 1)}
        ours = judge(Problem(graph, closed))
        for walk in ((), *walks(graph, starts, length)):
            verdicts = ours.verdicts(walk, PATIENCE)
            assert verdicts[kind]["can"] is (walk in alive), walk
            if isinstance(graph.space, Board) and walk not in alive and walk[:-1] in alive and walk:
                told = ours.add_lengths_to_keep(walk, verdicts, PATIENCE)[kind]
                assert told["keep"] == len(walk) - 1
                assert fault_of(graph.space, walk, told["why"], closed=closed) == "", told["why"]["sentence"]


@pytest.mark.parametrize(("size", "kind"), [("4x5", "open"), ("3x10", "closed")])
def test_every_walk_with_two_ends_is_judged_right(size: str, kind: str) -> None:
    graph, closed = graph_of(size), kind == "closed"
    tours = [way for tour in brute_force(Problem(graph, closed)) for way in ways(tour, closed=closed)]
    start = min(tours)[0]
    for end in sorted({tour[-1] for tour in tours if tour[0] == start})[:3]:
        ours = judge(Problem(graph, closed, start, end))
        for walk in walks(graph, (start,), 5):
            verdict = ours.verdicts(walk, PATIENCE)[kind]["can"]
            assert verdict is any(tour[: len(walk)] == walk and tour[-1] == end for tour in tours), walk


KNIGHT, WAZIR = (1, 2), (0, 1)

WHYS = [
    ("stuck", 5, KNIGHT, "c2 e1 d3 e5 c4 a5 b3 a1", "open", "There is no way on from a1", 0),
    ("exits", 8, KNIGHT, "a1 c2 e1 g2 h4 g6 h8 f7 d8 b7 a5 b3", "closed", "There is no way back to a1", 11),
    ("exits", 6, KNIGHT, "f3 e1 c2 a1 b3 c1 a2 b4 c6", "closed", "a6 has one exit left", 8),
    ("exits", 6, KNIGHT, "a5 c6 b4 d5 c3 a2 c1", "open", "a6 and f6 have one exit left each", 4),
    ("colours", 5, KNIGHT, "e4 c3 d5 b4 a2", "open", "a2 is light, and 11 dark but 9 light squares are left", 0),
    ("colours", 5, KNIGHT, "b3 a5 c4", "open", "12 dark but 10 light squares are left", 0),
    ("board", 5, KNIGHT, "a1 b3", "closed", "13 dark and 12 light", -1),
    ("search", 6, KNIGHT, "f4 e6 c5 a6 b4 d3 c1 a2", "closed", "A search finds no way on over all squares", 6),
    ("cut off", 5, WAZIR, "a3 b3 c3 d3 e3 e2", "open", "cut off", 4),
]


@pytest.mark.parametrize(("kind", "side", "leaper", "names", "asked", "words", "keep"), WHYS)
def test_a_reason_names_what_is_wrong(
    kind: str, side: int, leaper: tuple[int, int], names: str, asked: Any, words: str, keep: int
) -> None:
    board = Board(side, leaper=leaper)
    walk = tuple(board.vertex(name) for name in names.split())
    assert check_walk(Problem(board.graph, True), walk) == walk
    ours = judge(Problem(board.graph, True))
    verdict = ours.add_lengths_to_keep(walk, ours.verdicts(walk, PATIENCE), PATIENCE)[asked]
    assert verdict["can"] is False
    assert words in verdict["why"]["sentence"]
    assert (verdict["why"]["kind"], verdict["keep"]) == (kind, keep)


def exits(board: Board, walk: tuple[int, ...], vertex: int, *, closed: bool) -> set[int]:
    """The squares that a move of the rest of the tour can join to this one, by the definition alone."""
    around, ends = set(board.graph.neighbours(vertex).tolist()), {walk[-1], *walk[: int(closed)]}
    unvisited = set(range(len(board))) - set(walk)
    return around & (unvisited if vertex in ends and unvisited else unvisited | ends)


Exits = dict[int, set[int]]


def fault_of(board: Board, walk: tuple[int, ...], why: dict[str, Any], *, closed: bool) -> str:
    """Return what is false in a reason by the definitions, or why it does not suffice; "" if it does."""
    kind, sentence, shown = why["kind"], why["sentence"], why["vertices"]
    ends, free = {walk[-1], *walk[: int(closed)]}, int(not closed)
    left = {v: exits(board, walk, v, closed=closed) for v in range(len(board)) if v not in walk[closed:-1]}
    single = [v for v in left if len(left[v]) == 1 and v not in ends]
    if kind == "board":
        return "" if len(board) % 2 and closed else "this board has a tour"
    if kind == "colours":
        return colours_fault(board, walk, sentence, closed=closed)
    if kind == "cut off":
        beyond = set(left) - reached(left, walk[-1])
        return "" if beyond and set(shown) == beyond else "these are not cut off"
    if kind == "stuck" or "out of exits" in sentence or "no way back" in sentence:
        return "" if shown and not any(left[v] for v in shown) else "there is an exit"
    if "one exit left" in sentence:
        return "" if shown == single and len(single) > free else "a tour may end there"
    if found := re.search(r"do without (\w\d), which can serve (one|two) of them", sentence):
        needed, serves = board.vertex(found[1]), ("one", "two").index(found[2]) + 1
        tight = all(needed in left[v] and len(left[v]) == 1 + (v not in ends) for v in shown)
        return "" if tight and len(shown) > serves + free and (serves == 1) is (needed in ends) else "it can serve them"
    if len(single) > free or not all(left.values()):
        return "a square shows it without a search"
    return "" if kind == "search" else "no such kind of reason"


def reached(left: Exits, start: int) -> set[int]:
    """The squares that ways from the start lead to."""
    found, front = {start}, [start]
    while front:
        front = list({w for v in front for w in left[v]} - found)
        found |= set(front)
    return found


def colours_fault(board: Board, walk: tuple[int, ...], sentence: str, *, closed: bool) -> str:
    """Return what is false in the numbers of colours, or why they do not suffice; "" if they do."""
    dark = board.layout.dark.tolist()
    unvisited = [dark[v] for v in range(len(board)) if v not in walk]
    for number, shade in re.findall(r"(\d+) (dark|light)", sentence):
        if int(number) != unvisited.count(shade == "dark"):
            return f"{number} {shade} ones are wrong"
    course = [dark[walk[-1]] ^ (step % 2 == 0) for step in range(len(unvisited))]
    fits = sorted(course) == sorted(unvisited) and not (closed and course[-1] == dark[walk[0]])
    return "the colours are right" if fits else ""


@pytest.mark.parametrize(
    "number", [*range(24), *(pytest.param(number, marks=pytest.mark.slow) for number in range(24, 500))]
)
def test_the_reason_is_true_and_comes_at_the_first_move_that_loses(number: int) -> None:
    board, rng = Board(5 + number % 4), random.Random(number)
    walk, problem = tuple(walked(board, len(board) - 1, rng)), Problem(board.graph, True)
    ours, losing = judge(problem), set[str]()
    for length in range(1, len(walk) + 1):
        verdicts = ours.verdicts(walk[:length], PATIENCE)
        for kind, verdict in verdicts.items():
            closed = kind == "closed"
            if verdict["can"]:
                verify(Problem(board.graph, closed), verdict["tour"])
                assert tuple(verdict["tour"][:length]) == walk[:length]
                continue
            assert verdict["can"] is False
            told = ours.add_lengths_to_keep(walk[:length], verdicts, PATIENCE)[kind]
            assert fault_of(board, walk[:length], told["why"], closed=closed) == "", told["why"]["sentence"]
            if kind not in losing:
                start, moves = None if closed else walk[0], tuple(itertools.pairwise(walk[:length]))
                assert run(Problem(board.graph, closed, start, None, moves), load("cpsat")).none
                assert told["keep"] == (-1 if closed and len(board) % 2 else length - 1)
            losing.add(kind)


def test_a_walk_along_a_found_tour_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = judge(Problem(Board(8).graph, True))
    tour = ours.verdicts((0,))["closed"]["tour"]
    monkeypatch.setattr("cpsat_tour.web.play.run", None)
    for length in range(1, 65):
        assert ours.verdicts(tuple(tour[:length]))["open"]["tour"] == tour


def test_walks_are_judged_with_the_given_ends() -> None:
    board = Board(6)
    a1, f1, b3, c2, f6 = (board.vertex(name) for name in ("a1", "f1", "b3", "c2", "f6"))
    tours = [judge(Problem(board.graph, False, a1, f1)).verdicts(walk)["open"]["tour"] for walk in ((), (a1, b3))]
    assert [(tour[0], tour[-1]) for tour in tours] == [(a1, f1)] * 2
    early = judge(Problem(board.graph, False, a1, b3)).verdicts((a1, b3))["open"]
    assert early["why"]["sentence"] == "b3, which is to be the last, is visited already."
    assert judge(Problem(board.graph, True, a1, b3)).verdicts((a1, c2))["closed"]["tour"][-1] == b3
    assert judge(Problem(board.graph, True, a1, f6)).verdicts((a1,))["closed"]["can"] is False


def test_a_walk_that_is_not_settled_in_time_has_no_verdict() -> None:
    walk = tuple(walked(Board(8), 20, random.Random(1)))
    verdicts = judge(Problem(Board(8).graph, True)).verdicts(walk, 0.0)
    assert [verdict["can"] for verdict in verdicts.values()] == [None, None]


def test_a_puzzle_is_judged_by_the_numbers_that_are_filled_in() -> None:
    """In any order: those of its one solution can be completed, by that alone; with another it can't be solved. The
    other kind of tour is not asked for."""
    made = make_puzzle(Problem(Board(5).graph, False), Limits(seed=3), grade=2)
    assert isinstance(made, Puzzle)
    solution = list(made.solution)
    missing = [vertex for vertex in solution if vertex not in dict(made.givens)]
    for count in range(len(missing)):
        filled = [(vertex, solution.index(vertex) + 1) for vertex in missing[::-1][:count]]
        verdicts = judge(replace(made.problem, givens=(*made.givens, *filled))).verdicts(())
        assert verdicts.keys() == {"open"}
        assert verdicts["open"]["tour"] == solution
    one, other = missing[:2]
    wrong = ((one, solution.index(other) + 1), (other, solution.index(one) + 1))
    verdicts = judge(replace(made.problem, givens=(*made.givens, *wrong))).verdicts(())
    assert verdicts["open"]["can"] is False
    with pytest.raises(BadInput, match="a puzzle has no walk"):
        check_walk(made.problem, tuple(solution[:2]))
