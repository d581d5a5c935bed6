"""Tour files: whatever a command writes of any space, `verify`, `draw` and `Tour.load` read back, the same tour; what
is wrong is refused or named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Command, needed
from pysat.formula import CNF
from pysat.solvers import Solver

from cpsat_tour import BadInput, Board, Problem, Puzzle, Tour, TourFault, draw, puzzle, solve
from cpsat_tour.formats.tour_files import Others, load_puzzle, read_tours
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.problem_data import problem_data

SPACES = {
    "board": "5x6 --closed",
    "holes": "6x6 --hole a1 --hole a2",
    "leaper": "10x10 --leaper 1,4",
    "torus": "torus:5x5 --closed",
    "mobius": "mobius:3x5",
    "box": "2x3x4 --closed --start a1.1",
    "family": "GP(5,2)",
    "graph": "{folder}/five.edges --closed",
    "arcs": "{folder}/arcs.edges --closed --start c",
    "required": "5x6 --closed --require c3-d5 --forbid c3-b5",
    "symmetric": "6x6 --closed --symmetry rot90",
    "given": "5x5 --at a1=1 --at e5=25",
}


def arguments_of(space: str, folder: Path) -> str:
    """Write the graph files; return the arguments that name the space and what is asked of it."""
    (folder / "five.edges").write_text("a b\nb c\nc d\nd e\ne a\na c\n")
    (folder / "arcs.edges").write_text("a -> b\nb -> c\nc -> d\nd -> a\nb -> a\n")
    return SPACES[space].replace("{folder}", str(folder))


@pytest.mark.parametrize("space", SPACES)
def test_what_solve_writes_is_read_back(space: str, tmp_path: Path, command: Command) -> None:
    asked, printed = arguments_of(space, tmp_path), tmp_path / "printed.json"
    printed.write_text(command(f"solve {asked} --json").out)
    first, data = Tour.load(printed), json.loads(printed.read_text())
    for suffix in [".json", ".txt", *[".npy"] * (first.graph.space.coordinates is not None)]:
        path, saved = (tmp_path / f"{name}{suffix}" for name in ("tour", "saved"))
        command(f"solve {asked} -o {path}")
        first.save(saved)
        assert Tour.load(path) == Tour.load(saved) == first, suffix
        drawn = tmp_path / f"{suffix[1:]}.svg"
        command(f"draw {path} -o {drawn}")
        assert drawn.read_text() == first.svg()
        assert json.loads(command(f"verify {path} --json").out)["problem"] == data["problem"]
    assert json.loads((tmp_path / "tour.json").read_text()).keys() == data.keys()


LISTED = ["board", "holes", "torus", "box", "family", "graph", "arcs"]


@pytest.mark.parametrize("space", LISTED)
def test_what_tours_writes_is_read_back(space: str, tmp_path: Path, command: Command) -> None:
    asked = arguments_of(space, tmp_path)
    (tmp_path / "printed.json").write_text(command(f"tours {asked} -n 6 --json").out)
    for name in ("six.npy", "six.json"):
        command(f"tours {asked} -n 6 -o {tmp_path / name}")
    read = {name: read_tours(tmp_path / name) for name in ("printed.json", "six.npy", "six.json", "six.npy.json")}
    rows = {
        name: [[tours.problem.graph.name(vertex) for vertex in row] for row in tours.rows.tolist()]
        for name, tours in read.items()
    }
    number = len(rows["six.npy"])
    for name, tours in read.items():
        assert tours.kind == "tours"
        assert rows[name] == rows["six.npy"] != []
        assert command(f"verify {tmp_path / name}").out.startswith(f"{number} tour{'s' * (number != 1)}, each a")


@pytest.mark.parametrize("space", LISTED)
def test_a_tour_file_gives_all_numbers(space: str, tmp_path: Path, command: Command) -> None:
    asked, path = arguments_of(space, tmp_path), tmp_path / "tour.json"
    command(f"solve {asked} -o {path}")
    again = json.loads(command(f"solve {asked} --at {path} --json").out)
    assert again["tour"] == json.loads(path.read_text())["tour"]
    path.write_text(path.read_text().replace('"tour": [', '"tour": [[0, 0], '))
    assert str(path) in command(f"solve {asked} --at {path}", 2).err


def test_what_best_writes_is_a_hint(tmp_path: Path, command: Command) -> None:
    path, asked = tmp_path / "best.json", "best 5x6 --closed --minimize turns"
    command(f"{asked} -o {path}")
    assert Tour.load(path).closed
    command(f"{asked} --hint {path}")


@pytest.mark.parametrize(("board", "suffix"), [("6x7", ".npy"), ("6x6", ".json"), ("10x10", ".txt")])
def test_verify_tells_symmetries_turns_and_crossings(board: str, suffix: str, tmp_path: Path, command: Command) -> None:
    """As the objectives of `best` count them, from each form of file."""
    path, name = tmp_path / f"tour{suffix}", "rot180-bergholtian" if board == "6x7" else "rot90"
    command(f"solve {board} --closed --symmetry {name} -o {path}")
    tour, told = Tour.load(path), json.loads(command(f"verify {path} --json").out)
    for name in ("turns", "crossings"):
        assert told[name] == OBJECTIVES[name].pair_sum(Problem(tour.graph, True)).values(tour.vertices[None, :])[0]
    assert told["symmetries"] == (["rot180"] if board == "6x7" else ["rot180", "rot90"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("solve 6x7 --closed --symmetry axial", "a closed tour of the 6x7 board with symmetry axial: 42 squares, ver"),
        ("solve torus:5x5 --closed", "a closed tour of the 5x5 torus: 25 squares, verified; no named symmetry\n"),
        ("solve 2x3x4 --closed", "a closed tour of the 2x3x4 box: 24 squares, verified; no named symmetry; 24 turns, "),
        (
            "solve 3x3 --hole b2 --closed",
            "a closed tour of the 3x3 board without 1 square: 8 squares, verified; mapped ",
        ),
        ("solve 1x1", "an open tour of the 1x1 board: 1 square, verified\n"),
        ("solve GP(5,2)", "an open tour of the graph GP(5,2): 10 vertices, verified\n"),
    ],
)
def test_verify_says_what_a_file_has(call: str, words: str, tmp_path: Path, command: Command) -> None:
    path = tmp_path / "answer.json"
    command(f"{call} -q -o {path}")
    assert command(f"verify {path}").out.startswith(words)


Forgery = Callable[[dict[str, Any]], object]


SHARING = [
    [[0, 0], [1, 1], [2, 2], [0, 3], [1, 0], [0, 1], [2, 0], [0, 2], [1, 3], [2, 1], [1, 2], [2, 3]],
    [[0, 0], [2, 2], [1, 1], [0, 3], [1, 0], [0, 1], [2, 0], [0, 2], [1, 3], [2, 1], [1, 2], [2, 3]],
]
"""Two tours of the 3x4 torus that make some moves both."""

WRITTEN: dict[str, tuple[str, dict[str, Forgery]]] = {
    "solve 5x6 --closed": (
        "a closed tour of the 5x6 board: 30 squares, verified",
        {"is not a move here": lambda data: data["tour"].pop()},
    ),
    "tours 5x6 --closed --distinct -n 3": (
        "3 tours, each a closed tour of the 5x6 board, verified",
        {
            "2 are listed, and the count is said to be 3": lambda data: data["tours"].pop(),
            "tour 2 is an image of one before it": lambda data: data["tours"].__setitem__(
                1, [[4 - row, col] for row, col in data["tours"][0]]
            ),
        },
    ),
    "best 5x6 --closed --minimize turns": (
        "a closed tour of the 5x6 board: 30 squares, verified",
        {"not a tour of 3 turns: it has": lambda data: data.update(value=3)},
    ),
    "best 3x3 --minimize paths": (
        "2 paths that together visit 9 of the 9 squares of the 3x3 board, verified",
        {
            "b2 is never visited": lambda data: data["routes"].pop(),
            "b2 is visited more than once": lambda data: data["routes"].append([[1, 1]]),
            "is not a move here": lambda data: (
                data["routes"][0].reverse() or data["routes"][0].append(data["routes"].pop()[0])
            ),
            "2 are listed, and the value is said to be 1": lambda data: data.update(value=1),
            "the forbidden move a3-b1 is made": lambda data: data["problem"].update(forbid=[["a3", "b1"]]),
        },
    ),
    "best 5x6 --closed --minimize paths": ("1 closed tour that visits 30 of the 30 squares of the 5x6 board, ver", {}),
    "best 3x3 --closed --maximize length": (
        "1 closed tour that visits 8 of the 9 squares of the 3x3 board, verified",
        {
            "b2 is never visited": lambda data: data.pop("optional"),
            "8 are listed, and the value is said to be 9": lambda data: data.update(value=9),
            "2 routes are not the longest one": lambda data: (
                data["routes"].append([[1, 1]]) or data["problem"].update(closed=False)
            ),
        },
    ),
    "decompose torus:3x4": (
        "3 disjoint closed tours with all moves of the 3x4 torus, verified",
        {
            "is made by no tour": lambda data: data["tours"].pop(),
            "is made by two tours": lambda data: data.update(most=True, tours=SHARING),
        },
    ),
    "decode {folder}/crt.sol {folder}/crt.cnf": ("a closed tour of the 5x6 board: 30 squares, verified", {}),
    "decompose {folder}/five.edges --most": ("1 disjoint closed tour of a graph of 5 vertices, verified", {}),
}
"""What the commands write with ``-o FILE.json``: what `verify` says of it; what it says of forgeries of it."""


@pytest.mark.parametrize("call", WRITTEN)
def test_what_is_written_is_verified_for_what_it_says_it_is(call: str, tmp_path: Path, command: Command) -> None:
    words, forgeries = WRITTEN[call]
    arguments_of("graph", tmp_path)
    path, text, forged = tmp_path / "written.json", tmp_path / "written.txt", tmp_path / "forged.json"
    command(f"export 5x6 --closed --backend sat:crt -q -o {tmp_path / 'crt.cnf'}")
    with Solver("cadical153", bootstrap_with=CNF(from_file=str(tmp_path / "crt.cnf")).clauses) as solver:
        assert solver.solve()
        (tmp_path / "crt.sol").write_text(f"s SATISFIABLE\nv {' '.join(map(str, solver.get_model()))} 0\n")
    command(f"{call.replace('{folder}', str(tmp_path))} -q -o {path}")
    assert command(f"verify {path}").out.startswith(words)
    if not call.startswith("tours"):
        command(f"{call.replace('{folder}', str(tmp_path))} -q -o {text}")
        assert command(f"verify {text}").out.startswith(words)
        if path.read_text() in text.read_text():
            text.write_text(text.read_text().replace(" ", "  ", 1))
            assert f"the lines of {text} are not the" in command(f"verify {text}", 1).out
    for fault, forge in forgeries.items():
        data = json.loads(path.read_text())
        forge(data)
        forged.write_text(json.dumps(data))
        assert fault in command(f"verify {forged}", 1).out


BAD_ANSWERS: list[tuple[dict[str, Any], int, str]] = [
    ({"tour": [[0, 0], [0, 0]]}, 1, "not an open tour of the 1x1 board: "),
    ({"tour": None, "status": "none"}, 2, "answer.json has no tour: its status is 'none'"),
    *(({"tour": tour}, 2, "") for tour in ([[0, {}]], [[[], 0]], [3], "nowhere.npy")),
    *(({"problem": problem}, 2, "") for problem in (3, {}, {"vertices": ["a", "a"], "edges": [], "closed": False})),
]
"""What stands in an answer about 1x1 instead of what is right."""


def test_a_wrong_answer_file_is_refused_in_one_sentence(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "answer.json"
    answer = json.loads(command("solve 1x1 --json").out)
    board = [{"rows": "1"}, {"colour": "red"}, {"rows": 4096, "cols": 4096}]
    for wrong, code, words in (*BAD_ANSWERS, *(({"problem": answer["problem"] | part}, 2, "") for part in board)):
        path.write_text(json.dumps(answer | wrong))
        told = command(f"verify {path}", code)
        assert words in told.out + told.err
        assert (told.out + told.err).count("\n") == 1, told
    for text in ('{"problem": ' + "[" * 100_000, "[", "three", "{}"):
        path.write_text(text)
        command(f"verify {path}", 2)


def test_a_list_of_no_tours_is_not_a_tour(tmp_path: Path, command: Command) -> None:
    command(f"tours 5x5 --closed -q -o {tmp_path / 'none.npy'}")
    assert command(f"verify {tmp_path / 'none.npy'}").out == "0 tours, each a closed tour of the 5x5 board, verified\n"
    with pytest.raises(BadInput, match="the file has 0 tours: give a file of one"):
        Tour.load(tmp_path / "none.npy")


def test_a_tour_of_a_list_is_drawn_by_its_number(tmp_path: Path, command: Command) -> None:
    path, picture = tmp_path / "eight.npy", tmp_path / "third.svg"
    command(f"tours 5x6 --closed -o {path}")
    assert f"{path} has 8 tours: choose one, such as --number 1" in command(f"draw {path} -o {picture}", 2).err
    assert "the file has 8 tours: there is no tour 9" in command(f"draw {path} -o {picture} --number 9", 2).err
    command(f"draw {path} -o {picture} --number 3")
    third = Tour(Board(5, 6).graph, True, np.load(path)[2])
    assert picture.read_text() == third.svg()
    third.save(tmp_path / "third.json")
    command(f"draw {tmp_path / 'third.json'} -o {picture} --number 1 --force")


@pytest.mark.parametrize("asked", ["best 4x4 --minimize paths", "decompose torus:5x5 --most"])
def test_routes_and_decompositions_are_drawn_as_they_were_found(asked: str, tmp_path: Path, command: Command) -> None:
    for form in ("json", "svg"):
        command(f"{asked} -o {tmp_path}/found.{form}")
    command(f"draw {tmp_path}/found.json -o {tmp_path}/drawn.svg")
    assert (tmp_path / "drawn.svg").read_text() == (tmp_path / "found.svg").read_text()


def test_a_list_with_a_wrong_tour_is_no_list_of_tours(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "six.npy"
    command(f"tours 6x6 -n 6 -o {path}")
    six = np.load(path)
    for wrong, words in (
        (six[:, ::2], "not an open tour of the 6x6 board: "),
        (six[[0, 1, 2, 3, 4, 0]], "1 of the 6 tours are repeats"),
        (np.where(six == 7, 36, six), "has 6 numbers that are no squares of the 6x6 board"),
        (six[:, [1, 0, *range(2, 36)]], "not an open tour of the 6x6 board: move"),
    ):
        np.save(path, wrong)
        assert words in command(f"verify {path}", 1).out


# --- tours of others ---


def test_tour_files_of_other_programs_are_read(tmp_path: Path) -> None:
    tour = needed(solve("10x12", closed=True, backend="construct").tour)
    squares = np.array([divmod(square, 12) for square in tour])
    board = np.argsort(tour.vertices).reshape(10, 12) + 1
    np.save(tmp_path / "tour.npy", squares)
    np.save(tmp_path / "board.npy", board)
    (tmp_path / "tour.json").write_text(json.dumps(squares.tolist()))
    (tmp_path / "tour.txt").write_text(tour.text())
    (tmp_path / "bare.txt").write_text("\n".join(" ".join(map(str, row)) for row in board.tolist()))
    for path in tmp_path.iterdir():
        assert Tour.load(path) == tour, path


@pytest.mark.parametrize(
    ("wrong", "fault", "words"),
    [
        *((number, TourFault, "do not have the numbers 1 to 120") for number in (1, 0, 121)),
        *((number, BadInput, "is not a square of a board") for number in (-5, 2**62)),
    ],
)
def test_a_repeated_or_impossible_visit_number_is_found(
    wrong: int, fault: type[Exception], words: str, tmp_path: Path
) -> None:
    board = np.arange(1, 121).reshape(10, 12)
    board[9, 10] = wrong
    np.save(tmp_path / "board.npy", board)
    with pytest.raises(fault, match=words):
        Tour.load(tmp_path / "board.npy")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npy", b"\x93NUMPY", "not a whole .npy array"),
        ("a.npy", b"", "is empty"),
        ("a.json", b"{}", "is not a tour file"),
        ("a.json", b"[[0,0],[1,2]", "they are not all closed"),
        ("a.json", b"[]", "not a grid of rows and columns"),
        ("a.json", b'["a1", 5]', "'a1' is not a square of a board"),
        ("a.json", b"[[0, 0], [1]]", "this row has 1 squares, and 2 are expected"),
        ("a.json", b"[[-2, 0], [1, 2], [0, 1]]", "'-2' is not a square of a board"),
        ("a.txt", b"0.5\n0.1\n2.3\n", "'0.5' is not a square of a board"),
        ("a.txt", b"a1 b3 c\n", "'a1' is not a square of a board"),
        ("a.txt", b"", "is empty"),
        ("a.txt", b"   a b\n", "not a grid of rows and columns"),
        ("a.txt", b"   a b\n2  1 2  2\n1  1  1\n   a b\n", "this row has 3 squares, and 4 are expected"),
        ("a.txt", b"hello, world\n", "not a grid of rows and columns"),
        ("a.txt", b"a\nb\n{}\n", "does not end with a problem"),
        ("a.svg", b"<svg>\n<title>1 2</title>\n</svg>\n", "not a grid of rows and columns"),
    ],
)
def test_files_that_hold_no_tour(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=words):
        Tour.load(tmp_path / name)


@pytest.mark.parametrize("closed", [False, True])
def test_a_puzzle_that_python_saved_is_loaded_with_its_numbers(closed: bool, tmp_path: Path) -> None:
    made = puzzle("5x6", closed=closed, seed=1)
    assert isinstance(made, Puzzle)
    made.save(tmp_path / "puzzle.txt")
    loaded = load_puzzle(tmp_path / "puzzle.txt")
    assert (loaded.closed, dict(loaded.givens)) == (closed, dict(made.givens))
    assert solve(loaded).tour == made.solution
    with pytest.raises(BadInput, match="load_puzzle"):
        solve(str(tmp_path / "puzzle.txt"))


@pytest.mark.parametrize(("text", "words"), [("...y..\n......\n", "'...y..' is not a square"), (". .\n. #x\n", "'#x'")])
def test_what_is_not_a_square_is_named(text: str, words: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "board.txt").write_text(text)
    assert words in command(f"solve --puzzle {tmp_path / 'board.txt'}", 2).err
    with pytest.raises(BadInput, match=words):
        load_puzzle(tmp_path / "board.txt")


def test_a_waypoint_that_is_given_twice_is_named(tmp_path: Path, command: Command) -> None:
    (tmp_path / "twice.txt").write_text(". 7 .\n. 7 .\n. . 9\n")
    assert "twice.txt has 7 twice" in command(f"solve --puzzle {tmp_path / 'twice.txt'} --waypoints", 2).err


def test_an_answer_is_drawn_if_it_has_a_tour(tmp_path: Path) -> None:
    draw(solve("5x5"), tmp_path / "tour.svg")
    assert (tmp_path / "tour.svg").read_text().startswith("<svg")
    with pytest.raises(BadInput, match="it is none"):
        draw(solve("4x4"), tmp_path / "none.svg")


def test_a_problem_alone_is_a_puzzle_with_its_givens(tmp_path: Path) -> None:
    """The list of its givens is not taken for the rows of a grid."""
    asked = Problem(Board(3, 3, leaper="wazir").graph, False, givens=((0, 1), (4, 5), (8, 9)))
    (tmp_path / "problem.json").write_text(json.dumps(problem_data(asked)))
    assert load_puzzle(tmp_path / "problem.json").givens == asked.givens


def test_a_grid_alone_asks_for_an_open_tour(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("# . . .\n. . . .\n. . . 1\n")
    loaded = load_puzzle(tmp_path / "board.txt")
    assert (str(loaded.graph.space), loaded.closed, loaded.graph.space) == ("3x4", False, Board(3, 4, ["a3"]))
    assert loaded.start == loaded.graph.space.vertex("d1"), "the number 1 is a start"


@pytest.mark.parametrize(
    "text", ["[[2, 0, 0],\n [0, 0, 5]]", "[\n [2,null,null],[null,null,5]]", "[[2,None,None],[None,None,5]]"]
)
def test_nested_lists_are_a_puzzle(text: str, tmp_path: Path) -> None:
    (tmp_path / "lists.txt").write_text(text)
    loaded = load_puzzle(tmp_path / "lists.txt")
    assert (str(loaded.graph.space), loaded.givens) == ("2x3", ((0, 2), (5, 5)))


@pytest.mark.parametrize(
    "grid", [[[2, 0, 0], [0, 0, 5]], np.array([[2, 0, 0], [0, 0, 5]]), "2 . .\n. . 5", "2..\n..5\n"]
)
def test_a_puzzle_is_given_as_it_is_posted(grid: Any) -> None:
    loaded = load_puzzle(grid)
    assert (str(loaded.graph.space), loaded.givens) == ("2x3", ((0, 2), (5, 5)))


@pytest.mark.parametrize("grid", [[], [[]], [[1, "y"]], [1, 2], {}, 7, "1 y\n. .", [[1], [2, 3]]])
def test_what_is_no_puzzle_is_refused(grid: Any) -> None:
    with pytest.raises(BadInput):
        load_puzzle(grid)


OTHERS = {
    "from_0.txt": ("0 11 16 5 20\n17 4 19 10 15\n12 1 8 21 6\n3 18 23 14 9\n24 13 2 7 22\n", "numbered from 0"),
    "from_0.json": ("[[0,11,16,5,20],[17,4,19,10,15],[12,1,8,21,6],[3,18,23,14,9],[24,13,2,7,22]]", "numbered from 0"),
    "from_1.csv": ("1,12,17,6,21\n18,5,20,11,16\n13,2,9,22,7\n4,19,24,15,10\n25,14,3,8,23\n", "a board of numbers"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_tour_of_others_is_verified_and_what_it_is_taken_for_is_said(
    name: str, tmp_path: Path, command: Command
) -> None:
    text, taken = OTHERS[name]
    (tmp_path / name).write_text(text)
    told = command(f"verify {tmp_path / name}")
    assert told.out.startswith("an open tour of the 5x5 board: 25 squares, verified")
    assert "is taken for a board of numbers" in told.err
    assert taken in told.err
    assert taken in json.loads(command(f"verify {tmp_path / name} --json").out)["taken_for"]


@pytest.mark.parametrize("name", ["ring.txt", "ring.npy"])
def test_a_0_that_no_move_leaves_is_a_hole(name: str, tmp_path: Path) -> None:
    """By a king the ring around it is numbered from 0."""
    ring = np.array([[1, 4, 7], [6, 0, 2], [3, 8, 5]])
    np.savetxt(tmp_path / "ring.txt", ring, fmt="%d")
    np.save(tmp_path / "ring.npy", ring)
    found = read_tours(tmp_path / name)
    assert (found.taken, found.problem.closed) == ("a board of numbers, 0 is a hole", True)
    (tmp_path / "king.txt").write_text("2 1 8\n3 0 7\n4 5 6\n")
    assert read_tours(tmp_path / "king.txt", Others("king")).taken == "a board of numbers, numbered from 0"


def test_a_row_of_tabs_is_a_row_of_a_tour_of_others(tmp_path: Path) -> None:
    (tmp_path / "tabs.txt").write_text("1\t4\t7\n\t\t\n")
    with pytest.raises(TourFault, match="2x3"):
        read_tours(tmp_path / "tabs.txt")


LISTS = {
    "names.txt": "a3 c2\na1 b3 d2 b1 c3, a2 -> c1 d3 b2 d1",
    "names.json": '["a3", "c2", "a1", "b3", "d2", "b1", "c3", "a2", "c1", "d3", "b2", "d1"]',
    "from_0.csv": "0,0\n1,2\n2,0\n0,1\n1,3\n2,1\n0,2\n1,0\n2,2\n0,3\n1,1\n2,3\n",
    "from_1.txt": "(1, 1)\n(2, 3)\n(3, 1)\n(1, 2)\n(2, 4)\n(3, 2)\n(1, 3)\n(2, 1)\n(3, 3)\n(1, 4)\n(2, 2)\n(3, 4)\n",
    "moves.txt": "a3-c2, c2-a1, a1-b3, b3-d2, d2-b1, b1-c3, c3-a2, a2-c1, c1-d3, d3-b2, b2-d1\n",
    "numbered.log": "1:a3 2:c2 3:a1\n4:b3 5:d2 6:b1\n7:c3 8:a2 9:c1\n10:d3 11:b2 12:d1\n",
    "headed.csv": "x,y\n0,0\n1,2\n2,0\n0,1\n1,3\n2,1\n0,2\n1,0\n2,2\n0,3\n1,1\n2,3\n",
    "columns.csv": "n,row,col\n1,0,0\n2,1,2\n3,2,0\n4,0,1\n5,1,3\n6,2,1\n7,0,2\n8,1,0\n9,2,2\n10,0,3\n11,1,1\n12,2,3\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_squares_is_verified(name: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / name).write_text(LISTS[name])
    told = command(f"verify {tmp_path / name}")
    assert told.out.startswith("an open tour of the 3x4 board: 12 squares, verified")
    assert "a list of squares, rows and columns from" in told.err
    (tmp_path / name).write_text(LISTS[name].replace("c2", "a2").replace("1,2\n", "1,1\n").replace("2, 3", "2, 4"))
    assert "not an open tour" in command(f"verify {tmp_path / name}", 1).out


def test_a_board_with_holes_and_other_moves_is_verified(tmp_path: Path, command: Command) -> None:
    (tmp_path / "king.txt").write_text("1 2 #\n3 4 5\n")
    (tmp_path / "king.json").write_text("[[0, 1, -1], [2, 3, 4]]")
    np.save(tmp_path / "king.npy", np.array([[0, 1, -1], [2, 3, 4]]))
    for name in ("king.txt", "king.json", "king.npy"):
        told = command(f"verify {tmp_path / name} --moves king")
        assert told.out.startswith("an open tour of the 2x3 board without 1 square by a king: 5 squares"), name
        assert "is not a move here" in command(f"verify {tmp_path / name}", 1).out


def test_zeros_on_a_numbered_board_may_be_holes_or_not(tmp_path: Path, command: Command) -> None:
    (tmp_path / "board.txt").write_text("1 2 0\n4 3 0\n")
    assert "'0' may be a hole, or a square without a number" in command(f"verify {tmp_path / 'board.txt'}", 2).err
