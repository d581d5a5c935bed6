"""Writes random puzzles, boards and tours as people write them, and judges how a file is read.

A meaning is a grid: visit numbers, . for a blank and # for a hole. A text is drawn from a walk that visits no square
twice, so that a puzzle has a solution; squares that it leaves out are holes. A text is *doubtful* if its signs may also
mean another grid, by the rules of `readings`. A text that would mean another grid alone is not kept: no reader can know
better. `python tests/support/grid_texts.py --number 20000` prints a table of what is read, by form.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from cpsat_tour import BadInput, load_puzzle
from cpsat_tour.core.errors import TourFault
from cpsat_tour.formats.tour_files import Others, read_tours

Cells = list[list[str]]
Written = tuple[list[str], Iterable[list[Cells]]]

# How far each piece goes, in rows and in columns.
STEPS = {
    piece: {(row, col) for row, col in product(range(-2, 3), repeat=2) if row * row + col * col in squared_lengths}
    for piece, squared_lengths in {"knight": [5], "king": [1, 2], "wazir": [1]}.items()
}

# What a sign may mean: a blank, a hole, or the first number. Any other may be a blank or a hole.
ROLES = {"0": ".#1"} | dict.fromkeys(["_", "?", "True"], ".") | dict.fromkeys(["#", "x", "X", " ", "██", "False"], "#")

# Pairs of signs for blanks and for holes that go together, by the kind of text: in a puzzle or a tour, and on a board
# without numbers.
ONE_LETTER = [(".", "#")] * 4 + [
    *[("_", "#"), ("?", "#"), ("0", "#"), ("-", "#"), ("*", "#"), (".", "x"), ("_", "X"), ("?", "x"), ("0", "x")],
    *[("-", "x"), ("0", "*"), (".", "*"), ("_", "*"), ("0", "."), ("_", "."), (".", "-"), ("-", "*"), (".", "0")],
]
NUMBERS = [("0", "-1")] * 4 + [("-1", "0")]
TEXT = [*ONE_LETTER, ("0", "-1"), ("0", "-1"), ("-1", "0"), ("-1", "#"), (".", "-1")]
EMPTY = [("", "#"), ("", "x"), ("", "*"), ("", "-"), ("", "-1"), ("", "0"), ("0", ""), (".", ""), ("_", "")]
VALUES = [
    *[("0", "-1"), ("0", "-1"), ("-1", "0"), ("None", "#"), ("None", "-1"), ("0", "None"), (".", "#"), ("", "#")],
    *[("_", "X"), ("0", "#")],
]
MASKS = [(".", "#")] * 9 + [(".", "x"), (".", "X"), ("_", "#"), ("-", "x"), ("0", "#"), ("?", "#"), ("*", "#")]
SIGNS = {
    "spaced": ([*TEXT, (".", " "), ("_", " "), ("0", " ")], [*MASKS, (".", " "), ("1", "0"), ("0", "1")]),
    "tight": (ONE_LETTER, [*MASKS, ("1", "0"), ("0", "1")]),
    "cells": (TEXT + EMPTY * 2, [*MASKS, ("", "#"), ("", "x")]),
    "framed": ([*TEXT, *EMPTY, ("", "██"), (".", "██")], [*MASKS, ("", "#"), ("", "██")]),
    "values": (VALUES, [("True", "False"), (".", "#"), ("_", "X"), ("0", "#")] * 4 + [("1", "0"), ("0", "1")]),
    "numpy": (NUMBERS, [("True", "False")]),
    "numbers": (NUMBERS, []),
}

# The signs of a form; what stands before all rows, before a row, between its cells, after it, between rows (one of
# several), and after all. Of frames the left end of a line, its sign, a crossing and the right end.
FORMS = {
    "plain": ("spaced", "", "", " ", "", ["\n"], ""),
    "tight": ("tight", "", "", "", "", ["\n"], ""),
    "CSV": ("cells", "", "", ",", "", ["\n"], ""),
    "CSV with spaces": ("cells", "", "", ", ", "", ["\n"], ""),
    "TSV": ("cells", "", "", "\t", "", ["\n"], ""),
    "semicolons": ("cells", "", "", ";", "", ["\n"], ""),
    "pipes between": ("cells", "", "", " | ", "", ["\n"], ""),
    "pipes around": ("cells", "", "| ", " | ", " |", ["\n"], ""),
    "Markdown": ("cells", "", "|", "|", "|", ["\n"], ""),
    "JSON": ("values", "[", "[", ", ", "]", [", ", ",\n", ",\n  "], "]"),
    "Python lists": ("values", "grid = [", "[", ", ", "]", [", ", ",\n", ",\n    "], "]"),
    "Python tuples": ("values", "(", "(", ", ", ")", [", ", ",\n "], ")"),
    "Python strings": ("tight", "board = [", '"', "", '"', [", ", ",\n    "], "]"),
    "numpy": ("numpy", "[", "[", " ", "]", ["\n "], "]"),
    "rows in brackets": ("numpy", "", "[", ", ", "]", ["\n"], ""),
    "C": ("numbers", "int board[{}][{}] = {{", "{", ", ", "}", [", ", ",\n    "], "};"),
    "braces": ("numbers", "{{", "{", ",", "}", [",", ",\n"], "}"),
    "Matlab": ("numbers", "A = [", "", " ", "", ["; ", ";\n", ";\n     "], "];"),
    "rows that end in ;": ("numbers", "", "", " ", "", [";\n"], ";"),
    "ASCII frame": ("framed", "+-++", "|", "|", "|", ["+-++"], "+-++"),
    "light frame": ("framed", "┌─┬┐", "│", "│", "│", ["├─┼┤"], "└─┴┘"),
    "heavy frame": ("framed", "┏━┳┓", "┃", "┃", "┃", ["┣━╋┫"], "┗━┻┛"),
    "heavy outside": ("framed", "┏━┯┓", "┃", "│", "┃", ["┠─┼┨"], "┗━┷┛"),
    "double frame": ("framed", "╔═╦╗", "║", "║", "║", ["╠═╬╣"], "╚═╩╝"),
    "double outside": ("framed", "╔═╤╗", "║", "│", "║", ["╟─┼╢"], "╚═╧╝"),
    "squares": ("numbers", "", "", "", "", [""], ""),
}

# What a form may have besides the cells, what its files are called, what may stand above.
MORE = {
    "labels": ("plain", "CSV", "TSV", "ASCII frame", "light frame", "double outside"),
    "size": ("plain", "tight", "CSV", "TSV", "semicolons"),
    "marks": ("CSV", "CSV with spaces", "TSV", "semicolons", "pipes between", "Python lists", "C"),
}
SUFFIXES = {"CSV": ".csv", "semicolons": ".csv", "TSV": ".tsv", "JSON": ".json"}
CAPTIONS = {
    **{"C": ["// the board"], "Matlab": ["% the board"], "Python lists": ["# the board"], "JSON": [""]},
    "": [
        "Knight's tour",
        "Puzzle 3:",
        "Hidato #12 (easy)",
        "# from a book",
        "Sunday",
        "% board 7",
        "Solution of day 5",
    ],
}
CONSTANTS = {"True": True, "False": False, "None": None}

# Before a list of squares, one of them (its letter and rank, or its row and column), between them, after them.
LISTS = [
    *[("", "{a}{n}", mark, "") for mark in [" ", ", ", " -> ", "->", "-", " - ", " → ", "→", " – ", "", "\n"]],
    *[("", "({r}, {c})", mark, "") for mark in [", ", " ", "\n"]],
    *[("", "({r},{c})", " -> ", ""), ("[", "({r}, {c})", ", ", "]"), ("[", "[{r}, {c}]", ", ", "]")],
    *[("", "{r} {c}", "\n", ""), ("row,col\n", "{r},{c}", "\n", ""), ("", "{r},{c}", "\n", "")],
]


def meaning_of(grid: Cells) -> str:
    """Return the grid as text, a line for each row."""
    return "\n".join(map(" ".join, grid))


def readings(cells: Cells, kind: str, leaper: str) -> Iterator[tuple[int, str]]:
    """Yield each grid that the cells may mean, with the number of reasons for it: its last number is given, and its
    first too. Numbers differ, and none is above the number of squares. Holes have one sign, a puzzle has blanks, a tour
    has none. A tour is numbered from 0 if a move leads from 0 to 1, and then not from 1. A board of 0 and 1 has its
    holes at one or the other."""
    places = {cell: (at, col) for at, row in enumerate(cells) for col, cell in enumerate(row)}
    signs = [cell for cell in places if not cell.isdigit() or cell == "0"]
    ways = [dict(zip(signs, roles, strict=True)) for roles in product(*(ROLES.get(sign, ".#") for sign in signs))]
    if kind == "board" and {*places} == {"0", "1"}:
        ways += [{"0": "#", "1": "."}, {"0": ".", "1": "#"}]
    for way in ways:
        first = way.get("0") == "1"
        grid = [[way.get(cell) or str(int(cell) + first) for cell in row] for row in cells]
        flat = [cell for row in grid for cell in row]
        numbers = [int(cell) for cell in flat if cell.isdigit()]
        squares = len(flat) - flat.count("#")
        fits = len({*numbers}) == len(numbers) and max(numbers, default=0) <= squares
        if fits and [*way.values()].count("#") < 2 and ("." in flat) == (kind != "tour"):
            reasons = (squares in numbers) * (1 + (1 in numbers))
            if kind == "tour" and first:
                (row, col), (to_row, to_col) = places["0"], places["1"]
                reasons += (to_row - row, to_col - col) in STEPS[leaper]
            yield reasons, meaning_of(grid)


def tables_within(seen: Cells) -> Iterator[list[Cells]]:
    """Yield the grids that a table may have: without an empty last column, if there is one, and else as it is; each
    with its first column and without it, if that numbers all rows."""
    for table in [seen] if any(row[-1] for row in seen) else [[row[:-1] for row in seen], seen]:
        numbers = [str(number) for number in range(1, len(table) + 1)]
        first, last = ([row[at] for row in table] for at in (0, -1))
        yield [table] + [[row[1 : -1 if last == first else None] for row in table]] * (
            first in (numbers, numbers[::-1])
        )


class GridText(Random):
    """A text in one of the `FORMS`: its kind and piece, what it means, and the file that has it."""

    def __init__(self, seed: int) -> None:
        super().__init__(f"grid {seed}")
        self.form = [*FORMS][seed % len(FORMS)]
        self.signs = FORMS[self.form][0]
        while not (self.is_walked() and self.is_written()):
            continue

    def is_walked(self) -> bool:
        """Draw a piece, a board and a walk of all its squares, or of most. The board ends where the walk does not go.
        Return False if the walk has ended too early, or the board is too small."""
        self.leaper = self.choice([*STEPS])
        free = {*product(range(self.randint(2, 7)), range(self.randint(3, 7)))}
        left_out = self.choice([0, 0, *range(1, len(free) // 3 + 1)]) * (self.form != "squares")
        near = {(row, col): {(row + down, col + right) for down, right in STEPS[self.leaper]} for row, col in free}
        walk, ways = list[tuple[int, int]](), {self.choice(sorted(free))}
        while ways and len(free) > left_out:
            walk.append(min(sorted(ways), key=lambda square: (len(near[square] & free), self.random())))
            free.remove(walk[-1])
            ways = near[walk[-1]] & free
        top, left = (min(square[axis] for square in walk) for axis in (0, 1))
        self.walk = [(row - top, col - left) for row, col in walk]
        self.rows, self.cols = (max(square[axis] for square in self.walk) + 1 for axis in (0, 1))
        return len(free) == left_out and self.rows > 1 and self.cols > 2

    def is_written(self) -> bool:
        """Draw what is told of the walk, and its text. Return False if that would mean another grid alone."""
        self.kind = self.choice(["puzzle"] * 6 + ["tour"] * 3 + ["board"])
        if self.form == "squares" or (self.kind == "board" and self.signs == "numbers"):
            self.kind = "tour"
        self.draw_cells()
        lines, tables = self.squares_written() if self.form == "squares" else self.rows_written()
        found = set[str]()
        for choice in tables:
            ranked = [reading for table in choice for reading in readings(table, self.kind, self.leaper)]
            found = found or {meaning for reasons, meaning in ranked if reasons == max(ranked)[0]}
        self.doubtful = len(found) > 1
        self.suffix = self.choice([".txt", SUFFIXES.get(self.form, ".txt")])
        self.data = self.with_surroundings(lines)
        wide = self.signs == "tight" and any(len(cell) > 1 for row in self.cells for cell in row)
        return self.meaning in found and not wide

    def draw_cells(self) -> None:
        """Draw which numbers are given and the signs for the other squares: the cells and their meaning."""
        last = len(self.walk)
        left_out = self.choice([last] + [1] * 10 + [0] * 60)
        some = {1, last, *self.sample(range(2, last), self.randint(1, last // 2))} - {left_out}
        given = {"puzzle": some, "tour": {*range(1, last + 1)}, "board": set[int]()}[self.kind]
        first = self.random() > {"puzzle": 0.04 * (1 in given), "tour": 0.25, "board": 0}[self.kind]
        blank, hole = self.choice(SIGNS[self.signs][self.kind == "board"])
        self.cells, grid = ([[sign] * self.cols for _ in range(self.rows)] for sign in (hole, "#"))
        for number, (row, col) in enumerate(self.walk, 1):
            self.cells[row][col] = str(number - 1 + first) if number in given else blank
            grid[row][col] = str(number) if number in given else "."
        self.meaning = meaning_of(grid)

    def rows_written(self) -> Written:
        """Write the cells in their form, perhaps with labels, with a line that gives the size, or with marks at the end
        of all rows, of all but the last, or of the last alone."""
        _, before, start, between, end, joints, after = FORMS[self.form]
        values = [[self.value(cell) for cell in row] for row in self.cells]
        aligned = {"spaced": 0.8, "framed": 1, "numbers": 1, "numpy": 1, "cells": 0.3 * ("|" in between)}.get(
            self.signs, 0
        )
        has_spaces = any(" " in row for row in values)
        width = max(len(value) for row in values for value in row) * (has_spaces or self.random() < aligned)
        more = self.choice([*[more for more in MORE if self.form in MORE[more]], "", "", ""])
        marked = self.choice([range(self.rows), range(self.rows - 1), [self.rows - 1]]) if more == "marks" else []
        marks = [between.strip(" ") * (at in marked) for at in range(self.rows)]
        rows = [start + between.join(value.rjust(width) for value in row) for row in values]
        rows = [row + mark + end for row, mark in zip(rows, marks, strict=True)]
        joint, around = self.choice(joints), ""
        if self.signs == "framed":
            before, joint, after = (
                line[0] + line[2].join([line[1] * width] * self.cols) + line[3] for line in (before, joint, after)
            )
            joint, around = self.choice(["\n", *[f"\n{joint}\n"] * 4]), "\n"
        elif before and joint[:2] in (",\n", ";\n"):
            around = self.choice(["", "\n"])
        lines = (before.format(self.rows, self.cols) + around + joint.join(rows) + around + after).split("\n")
        if self.form == "Markdown":
            lines.insert(1, "|---" * self.cols + "|")
        if more == "labels" and not has_spaces:
            return self.labelled(lines, rows, width, between if self.signs == "cells" else " ")
        if more == "size":
            sizes = ["{0} {1}", "{0}x{1}", "rows={0} cols={1}", "{1} {0}", *["{0}"] * (self.rows == self.cols)]
            size = self.choice([f"{{0}}{between}{{1}}"] if between.strip() else sizes)
            return [size.format(self.rows, self.cols), *lines], [[self.cells]]
        seen = [row + [""] * all(marks) for row in self.cells]
        return lines, tables_within(seen) if self.signs == "cells" else [[self.cells]]

    def labelled(self, lines: list[str], rows: list[str], width: int, gap: str) -> Written:
        """Write letters above, below or at both places, and numbers to the left of the rows or on both sides. A board
        without numbers is numbered only if it has letters too."""
        framed, cells = self.signs == "framed", self.signs == "cells"
        above, below = self.choice([(0, 0), (1, 0), (1, 0), *[(0, 1), (1, 1)] * (not cells)])
        sure = above or below or self.kind != "board"
        left, right = self.choice([(0, 0), (1, 0), (1, 0), (1, not cells)]) if sure else (0, 0)
        numbers = [str(number) for number in range(1, self.rows + 1)][:: self.choice([1, -1, -1])]
        sides = iter([((number + gap) * left, (gap + number) * right) for number in numbers])
        margin = (" " * (not cells) + gap) * left
        lines = [line.join(next(sides)) if line in rows else margin + line for line in lines]
        letters = self.choice(["abcdefg", "ABCDEFG"])[: self.cols]
        names = [letter.center(width) if framed else letter.rjust(width) for letter in letters]
        head = [margin + " " * framed + gap.join(names)]
        seen = [[number] * left + row + [number] * right for number, row in zip(numbers, self.cells, strict=True)]
        return head * above + lines + head * below, [[self.cells]] if above or below or framed else tables_within(seen)

    def value(self, cell: str) -> str:
        """Return the cell as it is written in the form: in most languages signs have quotes."""
        if self.signs != "values":
            return cell
        value = int(cell) if cell.lstrip("-").isdigit() else CONSTANTS.get(cell, cell)
        return json.dumps(value) if self.form == "JSON" else repr(value)

    def squares_written(self) -> Written:
        """List the squares of the walk, by their names or by row and column, which count from 0 or from 1."""
        before, name, mark, after = self.choice(LISTS)
        base, letters = self.choice([0, 1]), self.choice(["abcdefg", "ABCDEFG"])
        squares = [name.format(r=row + base, c=col + base, a=letters[col], n=self.rows - row) for row, col in self.walk]
        if mark.strip() and self.random() < 0.2:
            squares[9::10] = ["\n" + square for square in squares[9::10]]
        return (before + mark.join(squares) + after).split("\n"), [[self.cells]]

    def with_surroundings(self, lines: list[str]) -> bytes:
        """Return the lines as a file: with spaces around them, a caption, blank lines, a byte order mark, line ends."""
        indent, tail = self.choice(
            [("", "")] * 6 + [("  ", ""), ("", "  "), ("  ", " ")] * ("\t" not in "".join(lines))
        )
        caption = self.choice(CAPTIONS.get(self.form, CAPTIONS["" if lines[0][:1] != "[" else "JSON"]))
        above = self.choice([[], [], [], [caption], [caption, ""]])
        lines = [*above, *(indent + line + tail for line in lines)]
        lines = [*self.choice([[], [], [""]]), *lines, *[""] * self.choice([0, 1, 1, 3])]
        return self.choice(["\n", "\n", "\r\n"]).join(lines).encode(self.choice(["utf-8", "utf-8", "utf-8-sig"]))


# --- how a file is read ---


def grid_read(path: Path, kind: str, leaper: str) -> str:
    """Return the grid that a file is taken for. A file that is refused raises `BadInput`, a tour that is called wrong
    `TourFault`."""
    if kind == "tour":
        found = read_tours(path, Others(leaper))
        problem, numbers = found.problem, {vertex: at for at, vertex in enumerate(found.row().tolist(), 1)}
    else:
        problem = load_puzzle(path, leaper)
        numbers = dict([(problem.start, 1), (problem.end, problem.graph.order), *problem.givens])
    rows: list[list[int]] = problem.graph.space.grid.tolist()  # type: ignore[attr-defined]
    return meaning_of([["#" if vertex < 0 else str(numbers.get(vertex, ".")) for vertex in row] for row in rows])


def verdict_on(text: GridText, folder: Path) -> tuple[str, str]:
    """Return whether the text is `read`, `refused` or `misread`, and what was read or said against it."""
    path = folder / f"grid{text.suffix}"
    path.write_bytes(text.data)
    try:
        grid = grid_read(path, text.kind, text.leaper)
    except (BadInput, TourFault) as fault:
        return "refused" if isinstance(fault, BadInput) else "misread", str(fault)
    return "read" if grid == text.meaning else "misread", grid


def main() -> None:
    """Print texts that are not read, at most two of each form and verdict, and how many of each form are."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--number", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    counts = Counter[tuple[str, str]]()
    with TemporaryDirectory() as folder:
        for seed in range(asked.first, asked.first + asked.number):
            text = GridText(seed)
            verdict, said = verdict_on(text, Path(folder))
            counts.update(product((text.form, "all"), [verdict, *["doubtful"] * text.doubtful]))
            if verdict != "read" and counts[text.form, verdict] < 3:
                print(f"--- seed {seed}, {text.form}, {text.kind}, {verdict}: {said}\n{text.data.decode('utf-8-sig')}")
    for form in (*FORMS, "all"):
        print(f"{form:20}", *(f"{counts[form, word]:6} {word}" for word in ("read", "refused", "misread", "doubtful")))


if __name__ == "__main__":
    main()
