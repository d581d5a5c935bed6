"""The board as a drawing to which layers are added: lines, numbers, marks, outlines around sets of squares.

A square is 100 units wide, the origin is the board's top left corner, and the coordinates stand in a margin around it. The drawing is
made light: the dark squares of one row are one dashed stroke, all lines of one colour one path. Layers are groups with a class each
(``squares``, ``coordinates``, ``line``, ``numbers``, …), painted by presentation attributes on the group, which any style sheet
overrides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, pairwise
from xml.etree import ElementTree as ET

from cpsat_tour.drawing import glyphs
from cpsat_tour.spaces.board import Board, file_letters

UNIT = 100
"""The side of a square."""

LIGHT, DARK, FAINT, EDGE, INK, PAPER = "#f5f2ea", "#dde2e6", "#ebebe9", "#7d868f", "#22272e", "#ffffff"

MOST_LEGIBLE = 24
"""The longest side of a board whose squares are large enough for words in them; on larger ones the squares step back behind the lines."""

_LARGEST_SIDE, _LARGEST_SQUARE, _LEAST_SQUARE = 960, 64, 4
"""Pixels: the drawing's side, and how far its squares may grow and shrink to keep to it."""


class Canvas:
    """A board drawn as SVG; each method adds one layer above the ones before."""

    def __init__(self, board: Board, title: str, description: str) -> None:
        self.board = board
        side = self._side = max(board.rows, board.cols)
        # Labels keep a readable size on large boards, where not every rank has room for one.
        self._label_height = max(26, round(1.4 * side))
        margin = round(2.6 * self._label_height)
        width, height = (UNIT * squares + 2 * margin for squares in (board.cols, board.rows))
        pixels = min(_LARGEST_SQUARE, max(_LEAST_SQUARE, _LARGEST_SIDE / (side + 2 * margin / UNIT))) / UNIT
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "class": "cpsat-tour",
                "role": "img",
                "viewBox": f"{-margin} {-margin} {width} {height}",
                "width": str(round(width * pixels)),
                "height": str(round(height * pixels)),
            },
        )
        ET.SubElement(self.root, "title").text = title
        ET.SubElement(self.root, "desc").text = description
        paper = {"class": "paper", "x": str(-margin), "y": str(-margin), "width": str(width), "height": str(height), "fill": PAPER}
        ET.SubElement(self.root, "rect", paper)
        self._squares()
        self._coordinates(margin)

    def __str__(self) -> str:
        ET.indent(self.root, space="")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def layer(self, name: str, **attributes: str) -> ET.Element:
        """A new group of this class on top; underscores in the attributes stand for hyphens."""
        return ET.SubElement(self.root, "g", {"class": name, **{key.replace("_", "-"): value for key, value in attributes.items()}})

    def centre(self, square: int) -> tuple[int, int]:
        """The middle of a square, x to the right and y down."""
        row, col = self.board.row_col(square)
        return UNIT * col + UNIT // 2, UNIT * row + UNIT // 2

    def line(self, squares: Sequence[int]) -> str:
        """The ``d`` of the line through the middles of the squares."""
        points = [self.centre(square) for square in squares]
        steps = [f"{x1 - x0} {y1 - y0}" for (x0, y0), (x1, y1) in pairwise(points)]
        x, y = points[0]
        return f"M{x} {y}" + ("l" + " ".join(steps).replace(" -", "-") if steps else "")

    def outline(self, squares: Iterable[int]) -> str:
        """The ``d`` of the boundary of a set of squares: closed contours round it and round what it leaves out.

        Each square's side that borders on no other square of the set is walked with the set on its right, so contours end where they
        began; where two of them touch at a corner, the walk turns right and keeps them apart.
        """
        cols, members = self.board.cols, set(squares)
        ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for square in sorted(members):
            row, col = divmod(square, cols)
            corners = [(col, row), (col + 1, row), (col + 1, row + 1), (col, row + 1)]
            beyond = [
                square - cols if row else -1,
                square + 1 if col + 1 < cols else -1,
                square + cols,
                square - 1 if col else -1,
            ]
            for side in range(4):
                if beyond[side] not in members:
                    ahead.setdefault(corners[side], []).append(corners[(side + 1) % 4])
        contours = []
        while ahead:
            first = here = next(iter(ahead))
            direction, contour = (0, 0), ""
            while True:
                choices = ahead[here]
                turned = (-direction[1], direction[0])
                there = next((to for to in choices if (to[0] - here[0], to[1] - here[1]) == turned), choices[0])
                choices.remove(there)
                if not choices:
                    del ahead[here]
                step = (there[0] - here[0], there[1] - here[1])
                if step != direction:
                    contour += (
                        f"M{UNIT * here[0]} {UNIT * here[1]}"
                        if not contour
                        else f"{'H' if direction[0] else 'V'}{self._along(here, direction)}"
                    )
                here, direction = there, step
                if here == first:
                    break
            contours.append(contour + "Z")
        return "".join(contours)

    @staticmethod
    def _along(corner: tuple[int, int], direction: tuple[int, int]) -> int:
        return UNIT * (corner[0] if direction[0] else corner[1])

    def words(self, layer: ET.Element, words: Mapping[int, str], height: float) -> None:
        """Words of `glyphs` in the middles of squares, their digits so high; the layer says in which colour."""
        for square, word in words.items():
            ET.SubElement(layer, "path", {"d": glyphs.strokes(word, *self.centre(square), height)})

    def pen(self, name: str, colour: str, height: float) -> ET.Element:
        """A layer for words of this height."""
        return self.layer(
            name, fill="none", stroke=colour, stroke_width=f"{glyphs.PEN * height:.3g}", stroke_linecap="round", stroke_linejoin="round"
        )

    def _squares(self) -> None:
        board = self.board
        layer = self.layer("squares")
        shape = self.outline(board.squares.tolist())
        ET.SubElement(layer, "path", {"class": "light", "fill": LIGHT, "d": shape})
        # Dashes start anew with each stretch of a row, so a stretch begins at a dark square; a1, at the bottom left, is dark.
        stretches, vertices = [], board.vertices.tolist()
        for row in range(board.rows):
            playable = [vertex >= 0 for vertex in vertices[row * board.cols : (row + 1) * board.cols]]
            col = 0
            while col < board.cols:
                stop = col
                while stop < board.cols and playable[stop]:
                    stop += 1
                dark = col + (board.rows - 1 - row + col) % 2
                if dark < stop:
                    stretches.append(f"M{UNIT * dark} {UNIT * row + UNIT // 2}H{UNIT * stop}")
                col = stop + 1
        dashes = {"stroke": DARK if self._side <= MOST_LEGIBLE else FAINT, "stroke-width": str(UNIT), "stroke-dasharray": str(UNIT)}
        if stretches:
            ET.SubElement(layer, "path", {"class": "dark", **dashes, "d": "".join(stretches)})
        frame = {"fill": "none", "stroke": EDGE, "stroke-width": str(max(4, self._side // 5)), "stroke-linejoin": "round"}
        ET.SubElement(layer, "path", {"class": "edge", **frame, "d": shape})

    def _coordinates(self, margin: int) -> None:
        """File letters and rank numbers on all four sides, as many as there is room for."""
        board, height = self.board, self._label_height
        room = glyphs.width(file_letters(board.cols - 1)) * height + height
        step = next(step for step in (digit * 10**zeros for zeros in count() for digit in (1, 5)) if UNIT * step >= room)
        across, down = UNIT * board.cols, UNIT * board.rows
        layer = self.pen("coordinates", EDGE, height)
        for col in _every(step, board.cols):
            x = UNIT * col + UNIT // 2
            for y in (-margin / 2, down + margin / 2):
                ET.SubElement(layer, "path", {"d": glyphs.strokes(file_letters(col), x, y, height)})
        for rank in _every(step, board.rows):
            y = down - UNIT * rank - UNIT // 2
            for beside in (-margin / 2, across + margin / 2):
                ET.SubElement(layer, "path", {"d": glyphs.strokes(str(rank + 1), beside, y, height)})


def _every(step: int, side: int) -> list[int]:
    """The labelled ranks or files, from 0: the first and then every fifth, tenth, …"""
    return list(range(side)) if step == 1 else [0, *range(step - 1, side, step)]
