"""Puzzles: one solution by two backends, each given needed, the same seed the same puzzle, and what is refused."""

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from commands import Command

from cpsat_tour import Answer, BackendFault, Board, Box, Graph, Problem, StoppedEarly, graph_of, load
from cpsat_tour.core.runs import Clock, Event, Limits, Progress
from cpsat_tour.drawing import images
from cpsat_tour.engines import puzzles
from cpsat_tour.engines.puzzles import FIRST, Puzzle, make_puzzle, two_tours
from cpsat_tour.engines.runner import Listing
from cpsat_tour.formats.tour_files import load_puzzle


def make(problem: Problem, seed: int = 0, grade: int = puzzles.HARDEST) -> Puzzle:
    puzzle = make_puzzle(problem, Limits(seed=seed), grade=grade)
    assert isinstance(puzzle, Puzzle)
    return puzzle


def solutions(problem: Problem, givens: puzzles.Givens, backend: str) -> list[list[int]]:
    """Return up to two solutions of a puzzle, by this backend."""
    asked = Problem(problem.graph, problem.closed, problem.start, problem.end, givens=givens)
    return [tour for batch in Listing(asked, load(backend), most=2) for tour in batch.tolist()]


BOARDS = [
    (Board(5), False, None),
    (Board(5, 6), True, None),
    (Board(6), True, None),
    (Board(6), False, "a1"),
    (Board(4, 5, holes=["a1"]), False, None),
    (Box(2, 3, 4), True, None),
    (Board(3, 4), False, None),
    *(
        pytest.param(Board(side, side + side % 2 * closed), closed, None, marks=pytest.mark.slow)
        for side in (7, 8)
        for closed in (False, True)
    ),
]


@pytest.mark.parametrize(("board", "closed", "start"), BOARDS, ids=str)
def test_one_solution_and_no_given_to_spare(board: Board | Box, closed: bool, start: str | None) -> None:
    problem = Problem(board.graph, closed, None if start is None else board.vertex(start))
    for seed in range(2):
        puzzle = make(problem, seed)
        assert puzzle.minimal
        for backend in ("dfs", "sat:onehot"):
            assert solutions(problem, puzzle.givens, backend) == [puzzle.solution.vertices.tolist()]
        for spared in puzzle.givens:
            fewer = tuple(given for given in puzzle.givens if given != spared)
            if start is not None and spared[1] == 1:
                continue
            assert not fewer or len(solutions(problem, fewer, "dfs")) == 2


def test_puzzles_differ_by_their_seed_and_the_rules_alone_settle_one_of_grade_1() -> None:
    problem = Problem(Board(6).graph, True)
    easy, hard, again = make(problem, 3, 1), make(problem, 3), make(problem, 3)
    assert hard.givens == again.givens != make(problem, 4).givens
    assert (easy.branchings, easy.grade, hard.grade) == (0, 1, 5)
    assert len(easy.givens) > len(hard.givens)
    assert solutions(problem, easy.givens, "sat:crt") == [easy.solution.vertices.tolist()]


def test_a_puzzle_says_if_it_may_not_be_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within hardly any budget givens stay that may not be needed, and there is one solution all the same."""
    monkeypatch.setattr(puzzles, "BUDGET", 5)
    monkeypatch.setattr(puzzles, "LONG_BUDGET", 5)
    puzzle = make(Problem(Board(6).graph, True), 1)
    assert not puzzle.minimal
    assert len(solutions(puzzle.problem, puzzle.givens, "sat:onehot")) == 1


def test_two_solvers_that_differ_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, nothing = puzzles.two_tours, (np.zeros((0, 36), dtype=np.int32), True, 0)
    monkeypatch.setattr(puzzles, "two_tours", lambda *given: nothing if given[1] == "sat:crt" else asked(*given))
    with pytest.raises(BackendFault, match="numbers found one solution of a puzzle, and sat:crt 0, or another"):
        make_puzzle(Problem(Board(6).graph, True))


def test_without_a_tour_or_without_time_there_is_no_puzzle() -> None:
    two_parts = Graph.from_edges(28, [(part + a, part + b) for part in (0, 14) for a, b in combinations(range(14), 2)])
    for problem, limits, words in (
        (Problem(Board(4).graph, True), Limits(), "'none'"),
        (Problem(two_parts, False), Limits(seconds=120.0), "fall apart into 2 parts"),
        (Problem(Board(8).graph, True), Limits(seconds=1e-9), "'stopped_by': 'time'"),
    ):
        answer = make_puzzle(problem, limits)
        assert isinstance(answer, Answer)
        assert words in str(vars(answer))


def test_the_time_can_be_over_between_two_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Event] = []
    monkeypatch.setattr(Clock, "expired", property(lambda _: any(isinstance(event, Progress) for event in told)))
    with pytest.raises(StoppedEarly, match="time"):
        make_puzzle(Problem(Board(6).graph, True), Limits(seconds=300), told.append)


# --- one's own, and those of waypoints ---


@pytest.mark.parametrize("closed", [False, True])
def test_a_puzzle_of_ones_own_is_graded_as_one_that_is_made(closed: bool, tmp_path: Path, command: Command) -> None:
    made, mine = make(Problem(Board(5, 6).graph, closed), 1), tmp_path / "mine.txt"
    made.save(mine)
    again = Puzzle.graded(load_puzzle(mine))
    assert isinstance(again, Puzzle)
    assert (again.givens, again.words) == (made.givens, made.words)
    data = json.loads(command(f"puzzle --puzzle {mine} --json -o {tmp_path / 'mine.svg'} --title Mine --author Me").out)
    assert [data["branchings"], data["grade"]] == [made.branchings, made.grade]
    words = (tmp_path / "mine.svg").read_text()
    assert all(word in words for word in ("Mine", "By Me.", f"Grade {made.grade}"))


GRIDS = {
    "1 . .\n. . .\n. . .\n": (1, "the puzzle has several solutions: a1 has the number 7 in one and 9 in another"),
    "1 . 2\n. . .\n. . .\n": (20, "There is no open tour of the 3x3 board by a wazir"),
    ". . .\n. . .\n": (2, "a puzzle gives numbers, and this one has none"),
    "1 . #\n. . .\n. . .\n": (1, "several solutions"),
    "layer 1\n1 .\n. .\nlayer 2\n2 .\n. .\n": (1, "several solutions"),
    "1 2 3\n. . .\n. . .\nforbid c2-b2 b1-b2\n": (0, "3 of 9 numbers given; grade 1 of 5"),
}


@pytest.mark.parametrize("grid", GRIDS)
def test_what_is_no_puzzle_is_told_with_its_status(grid: str, tmp_path: Path, command: Command) -> None:
    code, words = GRIDS[grid]
    (tmp_path / "mine.txt").write_text(grid)
    told = command(f"puzzle --puzzle {tmp_path / 'mine.txt'} --moves wazir -o {tmp_path / 'mine.pdf'}", code)
    assert words in told.out + told.err
    assert (tmp_path / "mine.pdf").exists() is (code == 0)


ZIPS = [("4x4", False, 0), ("5x5", False, 5), ("4x5", True, 3), ("2x3x2", False, 2)]


@pytest.mark.parametrize(("space", "closed", "walls"), ZIPS)
def test_the_waypoints_of_a_puzzle_determine_its_path_and_none_is_spare(space: str, closed: bool, walls: int) -> None:
    """By searches that know nothing of waypoints: all tours are listed, and those that visit them in order counted."""
    graph = graph_of(space, leaper="wazir")
    for seed in range(3):
        made = make_puzzle(Problem(graph, closed), Limits(seed=seed), waypoints=True, walls=walls)
        assert isinstance(made, Puzzle)
        assert (made.minimal, len(made.problem.forbid)) == (True, walls)
        shown = [vertex for vertex, _ in made.givens]
        listing = Listing(Problem(graph, closed, forbid=made.problem.forbid), load("edges"))
        paths = [way for rows in listing for tour in rows.tolist() for way in (tour, tour[::-1])]
        at = [way.index(shown[0]) * closed for way in paths]
        paths = [way[first:] + way[:first] for way, first in zip(paths, at, strict=True)]
        ends = [way for way in paths if way[0] == shown[0] and (closed or way[-1] == shown[-1])]
        orders = {
            spared: [each for each in shown if each != spared] for spared in (-1, *shown[1 : len(shown) - 1 + closed])
        }
        met = {
            spared: [way for way in ends if [each for each in way if each in order] == order]
            for spared, order in orders.items()
        }
        assert met.pop(-1) == [made.solution.vertices.tolist()]
        assert len(shown) == 3 or all(len(ways) > 1 for ways in met.values())


def test_a_zip_is_printed_and_read_back_with_its_walls(tmp_path: Path, command: Command) -> None:
    asked = "puzzle 5x5 --moves wazir --waypoints --walls 4 --seed 2"
    command(f"{asked} -o {tmp_path / 'zip.txt'}")
    data = json.loads(command(f"{asked} --json -o {tmp_path / 'zip.svg'} --no-solution").out)
    solved = json.loads(command(f"solve --puzzle {tmp_path / 'zip.txt'} --json").out)
    assert (solved["tour"], data["link"]) == (data["solution"], "")
    root = ET.parse(tmp_path / "zip.svg")
    numbers = root.findall(f".//{SVG}g[@class='numbers']/{SVG}text")
    assert [text.text for text in numbers] == [str(number + 1) for number in range(len(data["givens"]))]
    assert len(root.findall(f".//{SVG}g[@class='walls']/{SVG}path")) == len(data["problem"]["forbid"]) == 4
    assert not root.findall(f".//{SVG}g[@class='line']"), "no solution"


def test_five_puzzles_are_four_on_a_page_with_their_numbers(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf")
    made = command(f"puzzle 3x4 --count 5 --seed 7 -o {tmp_path / 'five.pdf'} --author Ann").out
    assert made.split("\n\n")[1] == command("puzzle 3x4 --seed 8").out.rstrip("\n")
    pages = [page.extract_text() for page in pypdf.PdfReader(tmp_path / "five.pdf").pages]
    assert [page.count("An open tour") for page in pages] == [4, 1, 4, 1]
    assert [page.count("By Ann.") + page.count("5. ") for page in pages] == [4, 2, 0, 1]


# --- the command ---

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("board", "asked"),
    [("5x5", ""), ("4x5 --hole a1", ""), ("2x3x4", "--closed"), ("3x4", "--leaper 0,1 --closed"), ("5x6", "--closed")],
)
def test_the_command_prints_what_the_option_reads(board: str, asked: str, tmp_path: Path, command: Command) -> None:
    """The file of a puzzle is read back, as its numbers and as its board."""
    grid, page = tmp_path / "puzzle.txt", tmp_path / "sheet.svg"
    assert command(f"puzzle {board} {asked} --seed 2 -o {grid}").out == grid.read_text()
    data = json.loads(command(f"puzzle {board} {asked} --seed 2 -o {page} --json").out)
    assert data["minimal"]
    assert all(data["solution"][number - 1] == place for place, number in data["givens"])
    (tmp_path / "puzzle.json").write_text(json.dumps(data))
    for which in (f"{grid}", f"{tmp_path / 'puzzle.json'}", f"{grid} {asked}", f"{grid} {board} {asked}"):
        assert json.loads(command(f"solve --puzzle {which} --json").out)["tour"] == data["solution"]
    assert command(f"count --puzzle {grid}").out == "1\n"
    if "--closed" in asked:
        assert "is a puzzle of a closed tour: add --closed" in command(f"solve {board} --puzzle {grid}", 2).err
    puzzle, solution = ET.parse(page).findall(f".//{SVG}svg")
    assert len(puzzle.find(f"{SVG}g[@class='numbers']") or ()) == len(data["givens"])
    assert puzzle.find(f"{SVG}g[@class='line']") is None, "the solution is not on the puzzle"
    assert "tour of the" in str(solution.findtext(f"{SVG}title"))
    below, above = (float(picture.attrib["y"]) + float(picture.attrib["height"]) for picture in (puzzle, solution))
    assert below < images.HEIGHT - above, "the solution, upside down at the foot, leaves the puzzle free"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(
            (text, "puzzle.txt is not a grid of rows and columns: give the board too")
            for text in ("", "layer 1\n. .\nlayer 2\n. .\n. .\n", "layer 1\nlayer 2\n")
        ),
        (". 1 .\n. .\n", "line 2: this row has 2 squares, and 3 are expected"),
    ],
)
def test_a_board_is_asked_for_where_the_puzzle_is_none(text: str, words: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "puzzle.txt").write_text(text)
    assert words in command(f"solve --puzzle {tmp_path / 'puzzle.txt'}", 2).err


def test_the_rules_of_a_sheet_say_what_is_sought() -> None:
    knight = "A knight's move, two squares one way and one to the side, leads from each number to the next"
    for graph, closed, title, *sentences in (
        (Board(5, 6).graph, True, "A closed tour of the 5x6 board", f"{knight}, and from 30 back to 1."),
        (
            graph_of("mobius:1x3"),
            False,
            "An open tour of the 1x3 Möbius strip",
            f"{knight}.",
            "A move over the left or the right border comes in again over the other one, upside down.",
        ),
        (
            graph_of("klein:4x4"),
            False,
            "An open tour of the 4x4 Klein bottle",
            f"{knight}.",
            "A move over the left or the right border comes in again over the other one, upside down; over the upper "
            "or the lower one, likewise, but upright.",
        ),
        (
            Box(2, 2, 2, leaper=(1, 1)).graph,
            False,
            "An open tour of the 2x2x2 box",
            "A move by 1 and 1 squares leads from each number to the next.",
            "The layers lie on one another, and moves lead from one to another too.",
        ),
        (
            Board(5, leaper="king").graph,
            False,
            "An open tour of the 5x5 board",
            "A king's move, one square in any direction, leads from each number to the next.",
        ),
        (
            Board(5, leaper=[(0, 3), (2, 2)]).graph,
            True,
            "A closed tour of the 5x5 board",
            "A move by 0 and 3, or by 2 and 2 squares leads from each number to the next, and from 25 back to 1.",
        ),
    ):
        first = f"Write the numbers 1 to {graph.order} into the squares, each once."
        assert puzzles.rules(Problem(graph, closed)) == [title, first, *sentences]


def test_a_png_is_written(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("resvg_py", reason="pictures need resvg-py")
    command(f"puzzle 5x5 -o {tmp_path / 'sheet.png'} -q")
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("space", "closed"), [("6x6", True), ("8x5", False), ("klein:4x5", False), ("2x3x4", True)])
def test_a_pdf_has_words_to_copy_and_shapes_that_fill_its_two_pages(space: str, closed: bool, tmp_path: Path) -> None:
    """The rules, the grade and each number are text; nothing is a picture of pixels; what is drawn is wide or high."""
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf")
    puzzle = make(Problem(graph_of(space), closed))
    puzzle.save(tmp_path / "sheet.pdf")
    reader = pypdf.PdfReader(tmp_path / "sheet.pdf")
    title, *rules = puzzles.rules(puzzle.problem)
    assert (reader.metadata.title, len(reader.pages)) == (title, 2)
    numbers = [number for _, number in puzzle.givens], range(1, len(puzzle.solution) + 1)
    headings = [title, *rules, "Grade"], [title, "The solution."]
    for page, told, shown in zip(reader.pages, headings, numbers, strict=True):
        placed: list[tuple[str, float, float]] = []
        page.extract_text(visitor_text=lambda word, cm, tm, *_, at=placed: at.append((word.strip(), *_place(cm, tm))))
        placed = [(word, x, y) for word, x, y in placed if word]
        words = [word for word, *_ in placed]
        first = next(at for at, word in enumerate(words) if word[2:] and title.startswith(word))
        assert " ".join(words[first:]).startswith(" ".join(told))
        assert not Counter(map(str, shown)) - Counter(word for word, *_ in placed[:first])
        (across, down), (width, height) = np.ptp([place for _, *place in placed], axis=0), page.mediabox[2:]
        assert list(map(round, (width, height))) == [595, 842], "A4, in points"
        assert across > 0.7 * width or down > 0.7 * height
        assert not page.images
        assert b"100] 0 d" in page.get_contents().get_data(), "the dark squares are dashes"


def _place(user: list[float], text: list[float]) -> tuple[float, float]:
    """Return where a word stands on its page, by the matrices of the page and of the text."""
    placed = np.array(text).reshape(3, 2)[2] @ np.array(user[:4]).reshape(2, 2) + user[4:]
    return float(placed[0]), float(placed[1])


FIFTY = (Path(__file__).parents[1] / "support" / "fifty_puzzles.txt").read_text().split("\n\n")
"""Ten puzzles of each kind, which this program made."""

MOVES_OF = {"hidato": "king", "numbrix": "wazir", "hopido": "0,3+2,2", "knight": "knight", "zip": "wazir"}

FEW = 20_000
"""Conflicts of the solver, or branchings of the search over numbers, that a puzzle takes at most: about a second."""


@pytest.mark.parametrize("number", range(len(FIFTY)))
def test_fifty_puzzles_have_one_solution_each_found_with_little_work(
    number: int, tmp_path: Path, command: Command
) -> None:
    head, _, text = FIFTY[number].partition("\n")
    kind, file = head.split()[0], tmp_path / "puzzle.txt"
    file.write_text(text)
    asked = f"--puzzle {file} --moves {MOVES_OF[kind]}{' --waypoints' * (kind == 'zip')}"
    assert command(f"count {asked}").out == "1\n"
    problem = load_puzzle(file, MOVES_OF[kind])
    if kind == "zip":
        waypoints = [vertex for vertex, _ in problem.givens]
        problem = replace(problem, givens=(), start=waypoints[0], end=waypoints[-1], waypoints=tuple(waypoints))
    found, whole, work = two_tours(problem, "sat" if kind == "zip" else FIRST, Limits(work=FEW))
    assert (len(found), whole) == (1, True)
    assert work <= FEW
    solved = json.loads(command(f"solve {asked} --json").out)
    assert [problem.graph.space.vertex_from_data(place) for place in solved["tour"]] == found[0].tolist()
