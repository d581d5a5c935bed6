"""The ground of a drawing whose vertices are squares: the board, or the layers of a box beside each other, with
coordinates in the margin.

All layers lie in one plane of squares. A move to another layer is drawn as a stub at both of its ends, towards the
place above or below the other end: whole lines would lie on each other, and on the squares between. A square is 100
units wide and the origin is the top left corner. The dark squares of a row are one dashed stroke.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.space import Ints, Segment, Space
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.ink import DARK, EDGE, FAINT, LIGHT, MAX_LEGIBLE, UNIT

Write = Callable[[str, float, float, float], None]

STUB, BAR = 0.41, 0.07
"""The length of the stub of a move to another layer, and half the bar at its end, in squares."""


class Plane:
    """The layers of a space side by side in one rectangle, with a gap of ``gap`` columns between two of them.

    ``grid`` has the vertex at each row and column, -1 if there is none; ``where`` the row and column of each vertex;
    ``layers`` each layer by the column where it begins.
    """

    def __init__(self, space: Space, gap: int) -> None:
        self._space, layers = space, space.layers()
        rows, cols = (max(layer.cells.shape[axis] for layer in layers) for axis in (0, 1))
        self.period = cols + gap
        self.grid: Ints = np.full((rows, len(layers) * self.period - gap), -1, dtype=np.int32)
        self.layers = {number * self.period: layer for number, layer in enumerate(layers)}
        for left, layer in self.layers.items():
            height, width = layer.cells.shape
            self.grid[:height, left : left + width] = layer.cells
        self.where: Ints = np.empty((len(space), 2), dtype=np.int32)
        self.where[self.grid[self.grid >= 0]] = np.argwhere(self.grid >= 0)

    def segments(self, tail: int, head: int) -> list[Segment]:
        """Return the straight segments of a move that leaves its layer, by rows and columns; an empty list if it is one
        straight line.

        A move over the border of a wrapped board has the segments of the space; one to another layer a stub with a bar
        at either square, a bar alone if the squares lie straight above each other.
        """
        segments = list(self._space.segments(tail, head))
        ((row, col), (to_row, to_col)) = self.where[[tail, head]].tolist()
        if segments or col // self.period == to_col // self.period:
            return segments
        down, right = to_row - row, to_col % self.period - col % self.period
        length = math.hypot(down, right) or 1.0
        down, right = down / length, right / length
        for (y, x), way in (((row + 0.5, col + 0.5), 1), ((to_row + 0.5, to_col + 0.5), -1)):
            tip = (y + way * STUB * down, x + way * STUB * right)
            bar = (BAR * right, -BAR * down)
            segments += [((y, x), tip), ((tip[0] - bar[0], tip[1] - bar[1]), (tip[0] + bar[0], tip[1] + bar[1]))]
        return segments


class Squares:
    """The squares of a space as they are drawn; ``side`` is the longest side in squares, ``box`` left, top, width and
    height of the drawing."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self.side = max(max(layer.cells.shape) for layer in space.layers())
        # Labels keep a readable size on large boards, where not every rank has room for one.
        self.label_height = max(26, round(1.4 * self.side))
        self._margin = margin = round(2.6 * self.label_height)
        self.plane = Plane(space, gap=-(-2 * margin // UNIT))
        rows, cols = self.plane.grid.shape
        titles = 2 * self.label_height if space.layers()[0].title else 0
        self.box = (-margin, -margin - titles, UNIT * cols + 2 * margin, UNIT * rows + 2 * margin + titles)

    def centre(self, vertex: int) -> tuple[int, int]:
        """Return the middle (x, y) of a square."""
        row, col = self.plane.where[vertex].tolist()
        return UNIT * col + UNIT // 2, UNIT * row + UNIT // 2

    def segments(self, tail: int, head: int) -> list[list[tuple[float, float]]]:
        """Return the segments of a move, as `Plane.segments` has them, by points (x, y)."""
        return [[(UNIT * col, UNIT * row) for row, col in segment] for segment in self.plane.segments(tail, head)]

    def outline(self, vertices: Iterable[int]) -> str:
        """Return the ``d`` of the boundary of a set of squares: closed contours round it and round its holes.

        Each side of a square on the boundary is walked with the set on its right, so contours end where they began;
        where two of them touch at a corner, the walk turns right and keeps them apart.
        """
        rows, cols = self.plane.grid.shape
        inside = np.zeros((rows + 2, cols + 2), dtype=bool)
        where = self.plane.where[list(vertices)] + 1
        inside[where[:, 0], where[:, 1]] = True
        beyond = (inside[:-2, 1:-1], inside[1:-1, 2:], inside[2:, 1:-1], inside[1:-1, :-2])
        open_sides = np.stack([inside[1:-1, 1:-1] & ~other for other in beyond], axis=2)
        ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for row, col, side in np.argwhere(open_sides).tolist():
            corners = [(col, row), (col + 1, row), (col + 1, row + 1), (col, row + 1)]
            ahead.setdefault(corners[side], []).append(corners[(side + 1) % 4])
        contours = ""
        while ahead:
            first = here = next(iter(ahead))
            contour, direction = "", (0, 0)
            while not contour or here != first:
                to_the_right = (here[0] - direction[1], here[1] + direction[0])
                there = to_the_right if to_the_right in ahead[here] else ahead[here][0]
                ahead[here].remove(there)
                if not ahead[here]:
                    del ahead[here]
                step = (there[0] - here[0], there[1] - here[1])
                if step != direction:
                    x, y = UNIT * here[0], UNIT * here[1]
                    contour += f"M{x} {y}" if not contour else f"H{x}" if direction[0] else f"V{y}"
                here, direction = there, step
            contours += contour + "Z"
        return contours

    def paint(self, layer: ET.Element) -> None:
        """Draw the squares: light ground, dark squares, and the edge."""
        shape = self.outline(range(len(self._space)))
        ET.SubElement(layer, "path", {"class": "light", "fill": LIGHT, "d": shape})
        if stretches := "".join(self._dark_stretches()):
            dashes = {"stroke-width": str(UNIT), "stroke-dasharray": str(UNIT)}
            colour = DARK if self.side <= MAX_LEGIBLE else FAINT
            ET.SubElement(layer, "path", {"class": "dark", "stroke": colour, **dashes, "d": stretches})
        frame = {"stroke": EDGE, "stroke-width": str(max(4, self.side // 5)), "stroke-linejoin": "round"}
        ET.SubElement(layer, "path", {"class": "edge", "fill": "none", **frame, "d": shape})

    def label(self, write: Write) -> None:
        """Write the labels of columns and rows, as many as there is room for, on all four sides of each layer, and its
        title above."""
        steps = [digit * 10**zeros for zeros in range(7) for digit in (1, 5)]
        height, margin = self.label_height, self._margin
        for column, layer in self.plane.layers.items():
            rows, cols = layer.cells.shape
            room = ink.width(layer.col_labels[-1]) * height + height
            step = next((step for step in steps if UNIT * step >= room), steps[-1])
            left, top = UNIT * column, 0
            across, down = left + UNIT * cols, UNIT * rows
            for col in _every(step, cols):
                for y in (top - margin / 2, down + margin / 2):
                    write(layer.col_labels[col], left + UNIT * col + UNIT // 2, y, height)
            for rank in _every(step, rows):
                for x in (left - margin / 2, across + margin / 2):
                    write(layer.row_labels[rows - 1 - rank], x, down - UNIT * rank - UNIT // 2, height)
            if layer.title:
                write(layer.title, (left + across) / 2, top - margin - height / 2, 1.6 * height)

    def _dark_stretches(self) -> Iterator[str]:
        """Yield the middle line of each stretch of squares in a row, from its first dark square: its dashes are the
        dark squares."""
        shades = self._space.dark()
        if shades is None:
            return
        for row, vertices in enumerate(self.plane.grid.tolist()):
            for present, run in groupby(enumerate(vertices), key=lambda cell: cell[1] >= 0):
                (col, vertex), *rest = run
                first = col if shades[vertex] else col + 1
                if present and first < col + 1 + len(rest):
                    yield f"M{UNIT * first} {UNIT * row + UNIT // 2}H{UNIT * (col + 1 + len(rest))}"


def _every(step: int, side: int) -> list[int]:
    """Return the ranks or files, from 0, that are labelled: all, or the first and then every fifth, tenth, …"""
    return list(range(side)) if step == 1 else [0, *range(step - 1, side, step)]
