"""Boards as other programs write them: read as they are meant, or refused with both readings."""

from pathlib import Path

import pytest
from commands import Command

from cpsat_tour import BadInput, Problem, graph_of, load_puzzle
from cpsat_tour.formats.grids import HOLE, grid_of

READ = {
    "dots": (". 1 .\n9 . .\n", ".1./9.."),
    "our own signs": ("_ 1 . #\n? 12 __ ##\n", ".1.#/.12.#"),
    "zeros": ("0 1 0\n0 0 6\n", ".1./..6"),
    "one zero": ("2 1\n0 4\n", "21/.4"),
    "from zero": ("0 3 2\n4 # 1\n", "143/5#2"),
    "zeros, and dots for holes": (". 0 0 .\n1 0 0 4\n", "#..#/1..4"),
    "zeros, and -1 for holes": ("0 -1 3\n1 0 -1\n", ".#3/1.#"),
    "-1 alone": ("-1 1 -1\n-1 -1 7\n", ".1./..7"),
    "-1 beside a whole numbering": ("-1 1 2\n4 3 -1\n", "#12/43#"),
    "stars": ("* 1 *\n* * 7\n", ".1./..7"),
    "underscores, and stars for holes": ("_ 1 *\n* _ 4\n", ".1#/#.4"),
    "pipes": ("0  | 1 |0\n0|0| 6\n", ".1./..6"),
    "a frame": ("+--+--+\n|12|  |\n+--+--+\n|  | 1|\n+--+--+\n", "12./.1"),
    "commas": ("0,1,0\n0,0,6", ".1./..6"),
    "nothing between commas": (",1,\n,,6\n", ".1./..6"),
    "nothing beside zeros": ("0,,1\n,0,6\n", ".#1/#.6"),
    "tabs": ("0\t1\t0\n0\t0\t6\n", ".1./..6"),
    "pipes before each": ("|0 | 1 |0\n|0|0| 6\n", ".1./..6"),
    "pipes behind each": ("0 | 1 |0|\n 0|0| 6|\n", ".1./..6"),
    "spaces for holes": (". .   .\n.   . .\n. . .  \n", "..#./.#../...#"),
    "spaces for holes, wide": (" 0    10\n 0  0  0\n    0  0\n", ".#10/.../#.."),
    "loose spaces": ("1  . 3\n . 10 .\n", "1.3/.10."),
    "a row of tabs alone": ("1\t\t\n\t\t\n\t\t9\n", "1../.../..9"),
    "a line of tabs below spaces": ("1 . .\n. . 6\n\t\n", "1../..6"),
    "spaces for blanks": ("1   3\n  5 6\n", "1.3/.56"),
    "a hole's sign and nothing": ("1,,#\n2,,3\n", "1.#/2.3"),
    "a tight map": ("  ..#\n  1..\n  9..\n", "..#/1../9.."),
    "a column of two characters": ("..\n12\n..\n", "./12/."),
    "labels": ("  a b c\n2 . 1 . 2\n1 0 0 5 1\n  a b c\n", "#1#/..5"),
}


@pytest.mark.parametrize("name", READ)
def test_a_grid_is_read_as_it_is_meant(name: str) -> None:
    text, rows = READ[name]
    grid = grid_of(text.splitlines(), "puzzle.txt")
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
    "0 . .\n. . 8\n": "'0' may be the first number, if it is numbered from 0, or a blank",
    ". _ 5\n_ . 1\n": "'.' and '_' may be both blanks, or one of them holes",
    "* . 5\n. . 1\n": "'*' and '.' may be both blanks, or one of them holes",
    "-1 . 5\n. . 1\n": "'-1' and '.' may be both blanks, or one of them holes",
    "-1 * 5\n* -1 1\n": "'*' and '-1' may be both blanks, or one of them holes",
    "__ 3 ..\n.. __ 1\n": "'..' and '__' may be both blanks",
    "0 _ 0\n_ 0 1\n": "'0' may be a hole, or a square without a number",
    "1 4 7\n6 0 2\n3 8 5\n": "'0' may be the first number, if it is numbered from 0, or a blank, or a hole",
    "+-+-+-+\n|1| |2|\n+-+-+-+\n|3| |4|\n+-+-+-+\n": "an empty square may be a hole, or a blank",
    "1,*,\n,,8\n": "an empty square and '*' may be both blanks, or one of them holes",
    "1   3\n     \n  5 6\n": "a line between rows with spaces may be a row",
    "1     2\n3     4\n": "the spaces are so wide that squares may be missing",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_sign_with_two_readings_is_refused_with_both(text: str) -> None:
    with pytest.raises(BadInput, match=r"write \. for each blank and # for each hole") as refused:
        grid_of(text.splitlines(), "puzzle.txt")
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
    grid = grid_of(WAYPOINTS[name].splitlines(), "zip.txt", waypoints=True)
    space = graph_of(grid.typed_board()).space
    assert (str(space), grid.holes(space), grid.givens(space)) == ("3x3", [], ((0, 1), (4, 2), (8, 3)))


def test_the_command_reads_waypoints_between_commas(tmp_path: Path, command: Command) -> None:
    (tmp_path / "zip.csv").write_text("1,,,\n,3,,\n,,,\n4,,,2\n")
    assert command(f"count --puzzle {tmp_path / 'zip.csv'} --waypoints --moves wazir").out == "3\n"


def test_a_zero_among_waypoints_may_be_the_first() -> None:
    with pytest.raises(BadInput, match="'0' may be the first number"):
        grid_of(["2 1", "0 4"], "zip.txt", waypoints=True)


ABOVE = {
    "3 3 3\n1 0 0\n0 0 0\n0 0 9\n": "'3 3 3' is the size of the grid below it: give the grid alone",
    "3 3\n1 0 0\n0 0 0\n0 0 9\n": "'3 3' is the size of the grid below it",
    "3x3\n1 . .\n. . .\n. . 9\n": "line 1: this row has 1 squares, and 3 are expected: .*nothing above the grid",
    "# my puzzle\n1 . .\n. . .\n. . 9\n": "line 1: 'my' is not a square of a board: .*nothing above the grid",
}


@pytest.mark.parametrize("text", ABOVE)
def test_what_stands_above_the_grid_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "puzzle.txt").write_text(text)
    with pytest.raises(BadInput, match=ABOVE[text]):
        load_puzzle(tmp_path / "puzzle.txt", leaper="king")


def test_a_row_that_is_too_short_has_no_hole_at_its_end() -> None:
    grid = grid_of([". . .", ". ."], "puzzle.txt")
    with pytest.raises(BadInput, match="line 2: this row has 2 squares, and 3 are expected"):
        grid.givens(graph_of("2x3").space)


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
