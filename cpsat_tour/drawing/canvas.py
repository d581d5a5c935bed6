"""The board as a drawing to which groups are added: lines, numbers, marks, outlines around sets of squares.

A square is 100 units wide, the origin is the board's top left corner, and the coordinates stand in a margin around it; the layers of a box
are boards beside each other. The drawing is made light: the dark squares of one row are one dashed stroke, all lines of one colour one path.
Groups have a class each (``squares``, ``coordinates``, ``line``, ``numbers``, …) and are painted by presentation attributes, which any style
sheet overrides. Squares are given as vertices of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, pairwise
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Space
from cpsat_tour.drawing import glyphs
from cpsat_tour.drawing.plane import LayerPlace, laid_out

UNIT = 100
"""The side of a square."""

LIGHT, DARK, FAINT, EDGE, INK, PAPER = "#f5f2ea", "#dde2e6", "#ebebe9", "#7d868f", "#22272e", "#ffffff"

MAX_LEGIBLE = 24
"""The longest side of a board whose squares are large enough for words in them; on larger ones the squares step back behind the lines."""

_MAX_SIDE, _MAX_SQUARE, _MIN_SQUARE = 960, 64, 4
"""Pixels: the drawing's side, and how far its squares may grow and shrink to keep to it."""


class Canvas:
    """A board drawn as SVG, or the layers of another space; each method adds one group above the ones before."""

    def __init__(self, space: Space, title: str, description: str) -> None:
        self.space = space
        self.side = side = max(max(layer.cells.shape) for layer in space.layers())
        # Labels keep a readable size on large boards, where not every rank has room for one.
        self._label_height = max(26, round(1.4 * side))
        margin = round(2.6 * self._label_height)
        self.plane = laid_out(space, gap=-(-2 * margin // UNIT))
        rows, cols = self.plane.grid.shape
        titles = 2 * self._label_height if self.plane.frames[0].layer.title else 0
        width, height = UNIT * cols + 2 * margin, UNIT * rows + 2 * margin + titles
        pixels = min(_MAX_SQUARE, max(_MIN_SQUARE, _MAX_SIDE / (max(rows, cols) + 2 * margin / UNIT))) / UNIT
        left, top = -margin, -margin - titles
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "class": "cpsat-tour",
                "role": "img",
                "viewBox": f"{left} {top} {width} {height}",
                "width": str(round(width * pixels)),
                "height": str(round(height * pixels)),
            },
        )
        ET.SubElement(self.root, "title").text = title
        ET.SubElement(self.root, "desc").text = description
        paper = {"class": "paper", "x": str(left), "y": str(top), "width": str(width), "height": str(height), "fill": PAPER}
        ET.SubElement(self.root, "rect", paper)
        self._squares()
        pen = self.pen("coordinates", EDGE, self._label_height)
        for frame in self.plane.frames:
            self._coordinates(pen, frame, margin)

    def __str__(self) -> str:
        ET.indent(self.root, space="")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def layer(self, name: str, **attributes: str) -> ET.Element:
        """A new group of this class on top; underscores in the attributes stand for hyphens."""
        return ET.SubElement(self.root, "g", {"class": name, **{key.replace("_", "-"): value for key, value in attributes.items()}})

    def centre(self, vertex: int) -> tuple[int, int]:
        """The middle of a square, x to the right and y down."""
        row, col = self.plane.where[vertex].tolist()
        return UNIT * col + UNIT // 2, UNIT * row + UNIT // 2

    def line(self, vertices: Sequence[int]) -> str:
        """The ``d`` of the line through the middles of the squares; moves over the border of a wrapped board leave it and come in again."""
        path, broken = "", True
        for tail, head in pairwise(vertices):
            pieces = self.space.pieces(tail, head)
            if pieces:
                path += "".join("M" + "L".join(f"{UNIT * col:g} {UNIT * row:g}" for row, col in piece) for piece in pieces)
            else:
                (x, y), (to_x, to_y) = self.centre(tail), self.centre(head)
                step = f"{to_x - x} {to_y - y}".replace(" -", "-")
                path += f"M{x} {y}l{step}" if broken else step if step[0] == "-" else f" {step}"
            broken = bool(pieces)
        return path

    def outline(self, vertices: Iterable[int]) -> str:
        """The ``d`` of the boundary of a set of squares: closed contours round it and round what it leaves out.

        Each square's side that borders on no other square of the set is walked with the set on its right, so contours end where they
        began; where two of them touch at a corner, the walk turns right and keeps them apart.
        """
        open_sides = self._open_sides(vertices)
        alone = open_sides.all(axis=2)
        contours = [f"M{x} {y}H{x + UNIT}V{y + UNIT}H{x}Z" for y, x in (UNIT * np.argwhere(alone)).tolist()]
        open_sides[alone] = False
        ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for row, col, side in np.argwhere(open_sides).tolist():
            corners = [(col, row), (col + 1, row), (col + 1, row + 1), (col, row + 1)]
            ahead.setdefault(corners[side], []).append(corners[(side + 1) % 4])
        for corner in list(ahead):
            while corner in ahead:
                contours.append(self._contour(corner, ahead))
        return "".join(contours)

    def _open_sides(self, vertices: Iterable[int]) -> NDArray[np.bool_]:
        """For each row and column, for a square of the set, whether it borders on none of the set above, to the right, below, to the left."""
        rows, cols = self.plane.grid.shape
        inside = np.zeros((rows + 2, cols + 2), dtype=bool)
        where = self.plane.where[list(vertices)] + 1
        inside[where[:, 0], where[:, 1]] = True
        beyond = (inside[:-2, 1:-1], inside[1:-1, 2:], inside[2:, 1:-1], inside[1:-1, :-2])
        return np.stack([inside[1:-1, 1:-1] & ~other for other in beyond], axis=2)

    def _contour(self, first: tuple[int, int], ahead: dict[tuple[int, int], list[tuple[int, int]]]) -> str:
        """The closed contour from a corner; the sides that it walks are taken out of those ahead."""
        here, direction, contour = first, (0, 0), ""
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
                    f"M{UNIT * here[0]} {UNIT * here[1]}" if not contour else f"{'H' if direction[0] else 'V'}{self._along(here, direction)}"
                )
            here, direction = there, step
            if here == first:
                return contour + "Z"

    @staticmethod
    def _along(corner: tuple[int, int], direction: tuple[int, int]) -> int:
        return UNIT * (corner[0] if direction[0] else corner[1])

    def words(self, layer: ET.Element, words: Mapping[int, str], height: float) -> None:
        """Words of `glyphs` in the middles of squares, their digits so high; the layer says in which colour."""
        for vertex, word in words.items():
            ET.SubElement(layer, "path", {"d": glyphs.strokes(word, *self.centre(vertex), height)})

    def pen(self, name: str, colour: str, height: float) -> ET.Element:
        """A layer for words of this height."""
        return self.layer(
            name, fill="none", stroke=colour, stroke_width=f"{glyphs.PEN * height:.3g}", stroke_linecap="round", stroke_linejoin="round"
        )

    def _squares(self) -> None:
        layer = self.layer("squares")
        shape = self.outline(range(len(self.space)))
        ET.SubElement(layer, "path", {"class": "light", "fill": LIGHT, "d": shape})
        if stretches := "".join(self._dark_stretches()):
            dashes = {"stroke": DARK if self.side <= MAX_LEGIBLE else FAINT, "stroke-width": str(UNIT), "stroke-dasharray": str(UNIT)}
            ET.SubElement(layer, "path", {"class": "dark", **dashes, "d": stretches})
        frame = {"fill": "none", "stroke": EDGE, "stroke-width": str(max(4, self.side // 5)), "stroke-linejoin": "round"}
        ET.SubElement(layer, "path", {"class": "edge", **frame, "d": shape})

    def _dark_stretches(self) -> Iterator[str]:
        """The middle line of each stretch of squares in a row, from its first dark square on: dashes start anew with each of them."""
        shades = self.space.dark()
        if shades is None:
            return
        for row, vertices in enumerate(self.plane.grid.tolist()):
            for present, run in groupby(enumerate(vertices), key=lambda at: at[1] >= 0):
                (col, vertex), *rest = run
                first = col if shades[vertex] else col + 1
                if present and first < col + 1 + len(rest):
                    yield f"M{UNIT * first} {UNIT * row + UNIT // 2}H{UNIT * (col + 1 + len(rest))}"

    def _coordinates(self, pen: ET.Element, frame: LayerPlace, margin: int) -> None:
        """Labels of the columns and rows on all four sides of a layer, as many as there is room for, and its title above."""
        layer, height = frame.layer, self._label_height
        rows, cols = layer.cells.shape
        room = glyphs.width(layer.col_labels[-1]) * height + height
        step = next(step for step in (digit * 10**zeros for zeros in count() for digit in (1, 5)) if UNIT * step >= room)
        left, top = UNIT * frame.left, UNIT * frame.top
        across, down = left + UNIT * cols, top + UNIT * rows

        def write(word: str, x: float, y: float, height: float = height) -> None:
            ET.SubElement(pen, "path", {"d": glyphs.strokes(word, x, y, height)})

        for col in _every(step, cols):
            for y in (top - margin / 2, down + margin / 2):
                write(layer.col_labels[col], left + UNIT * col + UNIT // 2, y)
        for rank in _every(step, rows):
            for x in (left - margin / 2, across + margin / 2):
                write(layer.row_labels[rows - 1 - rank], x, down - UNIT * rank - UNIT // 2)
        if layer.title:
            write(layer.title, (left + across) / 2, top - margin - height / 2, 1.6 * height)


def _every(step: int, side: int) -> list[int]:
    """The labelled ranks or files, from 0: the first and then every fifth, tenth, …"""
    return list(range(side)) if step == 1 else [0, *range(step - 1, side, step)]
