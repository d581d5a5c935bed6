"""Boards as other programs write them: read as they are meant, or refused with both readings."""

from contextlib import suppress
from pathlib import Path

import pytest
from commands import Command

from cpsat_tour import BadInput, Problem, TourFault, graph_of, load_puzzle
from cpsat_tour.formats.boards import HOLE
from cpsat_tour.formats.cells import cut_into_cells
from cpsat_tour.formats.grids import grid_of
from cpsat_tour.formats.tour_files import read_tours

READ = {
    "dots": (". 1 .\n6 . .\n", ".1./6.."),
    "our own signs": ("_ 1 . #\n? 06 __ ##\n", ".1.#/.6.#"),
    "zeros": ("0 1 0\n0 0 6\n", ".1./..6"),
    "one zero": ("2 1\n0 4\n", "21/.4"),
    "from zero": ("0 3 2\n4 # 1\n", "143/5#2"),
    "zeros, and dots for holes": (". 0 0 .\n1 0 0 6\n", "#..#/1..6"),
    "zeros, and -1 for holes": ("0 -1 3\n1 0 5\n", ".#3/1.5"),
    "-1 alone": ("-1 1 -1\n-1 -1 6\n", ".1./..6"),
    "-1 beside a whole numbering": ("-1 1 2\n4 3 -1\n", "#12/43#"),
    "stars": ("* 1 *\n* * 6\n", ".1./..6"),
    "underscores, and stars for holes": ("_ 1 *\n* _ 4\n", ".1#/#.4"),
    "pipes": ("0  | 1 |0\n0|0| 6\n", ".1./..6"),
    "a frame": ("+--+--+\n|04|  |\n+--+--+\n|  | 1|\n+--+--+\n", "4./.1"),
    "commas": ("0,1,0\n0,0,6", ".1./..6"),
    "nothing between commas": (",1,\n,,6\n", ".1./..6"),
    "nothing beside zeros": ("0,,1\n,0,0\n0,0,7\n", ".#1/#../..7"),
    "tabs": ("0\t1\t0\n0\t0\t6\n", ".1./..6"),
    "pipes before each": ("|0 | 1 |0\n|0|0| 6\n", ".1./..6"),
    "pipes behind each": ("0 | 1 |0|\n 0|0| 6|\n", ".1./..6"),
    "spaces for holes": (". .   .\n.   . .\n. . .  \n", "..#./.#../...#"),
    "spaces for holes, wide": (" 0    07\n 0  1  0\n    0  0\n", ".#7/.1./#.."),
    "loose spaces": ("1  . 3\n . 06 .\n", "1.3/.6."),
    "a row of tabs alone": ("1\t\t\n\t\t\n\t\t9\n", "1../.../..9"),
    "a line of tabs below spaces": ("1 . .\n. . 6\n\t\n", "1../..6"),
    "spaces for blanks": ("1   3\n  5 6\n", "1.3/.56"),
    "a hole's sign and nothing": ("1,,#\n2,,5\n", "1.#/2.5"),
    "a tight map": ("  ..#\n  1..\n  8..\n", "..#/1../8.."),
    "a column of two characters": ("..\n02\n..\n", "./2/."),
    "two blanks and a hole": (". _ x\n_ 1 .\n. 8 .\n", "..#/.1./.8."),
    "labels": ("  a b c\n2 . 1 0 2\n1 0 0 5 1\n  a b c\n", "#1./..5"),
}


@pytest.mark.parametrize("name", READ)
def test_a_grid_is_read_as_it_is_meant(name: str) -> None:
    text, rows = READ[name]
    grid = grid_of(cut_into_cells(text, "puzzle.txt"))
    whole = graph_of(grid.typed_board()).space
    holes = grid.holes(whole)
    graph = graph_of(grid.typed_board(), holes)
    numbers = dict(grid.givens(graph.space))
    cells = [
        [HOLE if vertex < 0 else str(numbers.get(vertex, ".")) for vertex in row] for row in whole_grid(graph.space)
    ]
    assert "/".join(map("".join, cells)) == rows


def whole_grid(space: object) -> list[list[int]]:
    return space.grid.tolist()  # type: ignore[attr-defined, no-any-return]


REFUSED = {
    "0 . 1\n. . 4\n": "0 is a hole; or numbered from 0",
    ". _ 3\n_ . 1\n": ". is a blank, _ is a blank; or _ is a blank, . is a hole",
    "* . 3\n. . 1\n* . .\n": ". is a blank, * is a hole; or * is a blank, . is a hole",
    "-1 -1 1\n. . 3\n": ". is a blank, -1 is a hole; or -1 is a blank, . is a hole",
    "-1 * 3\n* -1 1\n": "-1 is a blank, * is a hole; or * is a blank, -1 is a hole",
    "__ 3 ..\n.. __ 1\n": "__ is a blank, .. is a hole; or .. is a blank, __ is a hole",
    "0 _ 0\n_ 0 1\n": "_ is a blank, 0 is a hole; or 0 is a blank, _ is a hole",
    "0 -1 3\n1 0 -1\n": "0 is a blank, -1 is a hole; or -1 is a blank, 0 is a hole",
    "-1 -1 0\n-1 1 -1\n0 2 -1\n": "0 is a blank, -1 is a hole; or -1 is a blank, 0 is a hole",
    ". 0 0 .\n1 0 0 3\n": "0 is a blank, . is a hole; or . is a blank, 0 is a hole",
    "0 0 0\n0 1 0\n": "1 is a hole; or none of this",
    "0 0 1\n0 1 0\n": "1 is a blank, 0 is a hole; or 0 is a blank, 1 is a hole",
    "1 4 7\n6 0 2\n3 8 5\n": "0 is a hole; or numbered from 0",
    "+-+-+-+\n|1| |2|\n+-+-+-+\n|3| |4|\n+-+-+-+\n": "an empty square is a blank; or an empty square is a hole",
    "1,*,\n,*,4\n": "an empty square is a blank, * is a hole; or * is a blank, an empty square is a hole",
    "1   3\n     \n  5 6\n": "a line between rows with spaces may be a row",
    "1     2\n3     4\n": "the spaces are so wide that squares may be missing",
    "1,,3,\n,5,,\n": "a separator ends each row",
    "1 . . 4\n2 . . .\n3 . . .\n": "a label is beside each row",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_two_readings_is_refused_with_both(text: str) -> None:
    with pytest.raises(BadInput, match=r"write \. for each blank and # for each hole") as refused:
        load_puzzle(text)
    assert REFUSED[text] in str(refused.value)


WAYPOINTS = {
    "nothing between commas": "1,,\n,2,\n,,3\n",
    "nothing between pipes": "|1| | |\n| |2| |\n| | |3|\n",
    "nothing between tabs": "1\t\t\n\t2\t\n\t\t3\n",
    "spaces": "1    \n  2  \n    3\n",
    "minus": "1 - -\n- 2 -\n- - 3\n",
    "stars": "1 * *\n* 2 *\n* * 3\n",
}


@pytest.mark.parametrize("name", WAYPOINTS)
def test_a_square_between_waypoints_is_blank(name: str) -> None:
    grid = grid_of(cut_into_cells(WAYPOINTS[name], "zip.txt"), waypoints=True)
    space = graph_of(grid.typed_board()).space
    assert (str(space), grid.holes(space), grid.givens(space)) == ("3x3", [], ((0, 1), (4, 2), (8, 3)))


def test_the_command_reads_waypoints_between_commas(tmp_path: Path, command: Command) -> None:
    (tmp_path / "zip.csv").write_text("1,,,\n,3,,\n,,,\n4,,,2\n")
    assert command(f"count --puzzle {tmp_path / 'zip.csv'} --waypoints --moves wazir").out == "3\n"


def test_a_zero_among_waypoints_may_be_the_first() -> None:
    with pytest.raises(BadInput, match=r"\. is a blank, 0 is a hole; or numbered from 0, \. is a blank"):
        grid_of(cut_into_cells("3 1 .\n0 4 .", "zip.txt"), waypoints=True).typed_board()


AROUND = {
    "3 3\n1 0 0\n0 0 0\n0 0 9\n": "a line above is the size, 0 is a blank.",
    "3x3\n1 . .\n. . .\n. . 9\n": "a line above is the size.",
    "3\n1,,\n,,\n,,9\n": "a line above is the size, an empty square is a blank.",
    "# my puzzle\n1 . .\n. . .\n. . 9\n": "line 1 is a title.",
    "Q,C,3,3\n1,0,0\n0,0,0\n0,0,9\n": "a line above is a title, 0 is a blank.",
    "The 3x3 (easy)\n\n1 . .\n. . .\n. . 9\nof Sunday\n": "line 1 is a title, line 6 is a title.",
    "1,,,\n,,,\n,,9,\n": "a separator ends each row, an empty square is a blank.",
    "  1 2 3\n3 1 . .\n2 . . .\n1 . . 9\n": "numbers label the columns, a label is beside each row.",
    "  a b c\n  1 . .\n  . . .\n  . . 9\n": None,
    "[[1, 0, 0],\n [0, 0, 0],\n [0, 0, 9],\n]\n": "0 is a blank.",
    "int grid[3][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 9}};\n": "0 is a blank.",
    "grid = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 9]], dtype=int64)\n": "0 is a blank.",
    "A = [1 0 0; 0 0 0; 0 0 9];\n": "0 is a blank.",
    '["1..", "...", "..9"]\n': None,
    '{"rows": 3, "puzzle": [[1, 0, 0], [0, 0, 0], [0, 0, 9]]}\n': "0 is a blank.",
    "1 . .\n\n. . .\n\n. . 9\n": None,
    "┏━┯━┯━┓\n┃1│ │ ┃\n┠─┼─┼─┨\n┃ │ │ ┃\n┠─┼─┼─┨\n┃ │ │9┃\n┗━┷━┷━┛\n": "an empty square is a blank.",
}
"""One puzzle in many dresses, and what is said of how it was read: nothing where there is nothing to say."""


@pytest.mark.parametrize("text", AROUND)
def test_what_stands_around_a_grid_is_left_out_and_said(text: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "puzzle.txt").write_text(text)
    loaded = load_puzzle(tmp_path / "puzzle.txt", leaper="king")
    assert (str(loaded.graph.space), loaded.start, loaded.end) == ("king:3x3", 0, 8)
    said = command(f"solve --puzzle {tmp_path / 'puzzle.txt'} --moves king").err
    assert said.startswith(f"{tmp_path / 'puzzle.txt'}: {AROUND[text]}\n" if AROUND[text] else "open tour of")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0 3\n1 1 0 0\n2 0 0 0\n3 0 0 9\n", "line 1: this row has 3 squares, and 4 are expected"),
        ("4 3\n1 . .\n. . .\n. . 9\n", "line 1: this row has 2 squares, and 3 are expected"),
        ("A\n1 . .\n. . .\n. . 9\n", "labels name 1 of 3 columns: label all, or none"),
        ("1 . .\n. 4 .\n\n. 5 .\n. . 6\n", "line 3: an empty line stands between rows, as between two grids: give one"),
        ("[[1, 0], [0, 4]]\n[[0, 2], [3, 0]]", "has several lists of rows: give one"),
        ("B . .\n. 1 .\n. . 9\n", "line 1: 'B' is not a square"),
        ("1 . ab .\n. . . .\n. . . 12\n", "line 1: 'ab' is not a square"),
        ("1 . .\nhere\n. . 9\n", "line 2: 'here' stands between rows"),
        ("[[1, 0], [0, 4]", "they are not all closed"),
        ("[[1, 0] and [0, 4]]", "'and' stands between them"),
    ],
)
def test_what_fits_nothing_is_named(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        load_puzzle(f"{text}\n")


MASKS = {
    "1 1 1\n1 0 1\n1 1 1\n": ["b2"],
    "- - - -\n- x x -\n- - - -\n": ["b2", "c2"],
    "███\n█.█\n..█\n": ["a3", "b3", "c3", "a2", "c2", "c1"],
}


@pytest.mark.parametrize("text", MASKS)
def test_a_board_without_numbers_has_holes(text: str) -> None:
    assert (
        grid_of(cut_into_cells(text, "mask.txt")).holes(graph_of("3x4" if "x" in text else "3x3").space) == MASKS[text]
    )


def test_a_row_that_is_too_short_has_no_hole_at_its_end() -> None:
    with pytest.raises(BadInput, match="line 2: this row has 2 squares, and 3 are expected"):
        grid_of(cut_into_cells(". . .\n. .", "puzzle.txt"))


def test_a_known_board_decides_between_readings() -> None:
    grid = grid_of(cut_into_cells("0 -1 3\n1 0 -1\n", "puzzle.txt"))
    for holes, words in ((["b2", "c1"], "-1 is a hole"), (["a2", "b1"], "0 is a hole")):
        assert grid.givens(graph_of("2x3", holes).space) == ((1, 3), (2, 1)) or holes == ["a2", "b1"]
        assert words in grid.taken
    with pytest.raises(BadInput, match="'0' stands where the 2x3 board without 1 square has a hole"):
        grid.givens(graph_of("2x3", ["a2"]).space)


def test_walls_stand_below_the_grid(tmp_path: Path, command: Command) -> None:
    puzzle = tmp_path / "walls.txt"
    puzzle.write_text("1 . .\n. . .\nforbid a2-a1 b2-b1\n--forbid b1-c1\n")
    loaded = load_puzzle(puzzle, leaper="wazir")
    assert loaded.forbid == ((0, 3), (1, 4), (4, 5)) == Problem(loaded.graph, False, forbid=loaded.forbid).forbid
    assert "There is no open tour" in command(f"solve --puzzle {puzzle} --moves wazir", 20).out


def test_what_was_taken_is_said(tmp_path: Path, command: Command) -> None:
    puzzle = tmp_path / "puzzle.txt"
    puzzle.write_text("0   0\n0 0 0\n1 0\n")
    assert command(f"solve --puzzle {puzzle} --moves king -q").err == ""
    said = command(f"solve --puzzle {puzzle} --moves king").err
    assert said.startswith(f"{puzzle}: 0 is a blank, a space in the grid is a hole.\n")


@pytest.mark.parametrize("text", ["=", "-", "(1 ", "[", "(", "a ", "1 ", "\\a{", "x = ", "1\n", " \n1"])
@pytest.mark.parametrize("end", ["", "y", "\n1 2\n"])
def test_a_long_text_is_read_or_refused_soon(text: str, end: str, tmp_path: Path) -> None:
    """A pattern that looked at the rest from each place would not come back."""
    (tmp_path / "long.txt").write_text(text * 10_000 + end)
    with suppress(BadInput):
        load_puzzle(tmp_path / "long.txt")
    with suppress(BadInput, TourFault):
        read_tours(tmp_path / "long.txt")
