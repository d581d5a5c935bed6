"""An SVG drawing, to which groups are added: lines, numbers, marks, outlines around sets of vertices, a legend.

Underneath lies the ground: the squares of a board or of the layers of a box one by one, with coordinates in the margin,
or the points of another graph (`points`). All layers lie in one plane of squares. A move to another layer is drawn as a
stub at both of its ends, towards the place above or below the other end, with the number of the layer where it lands:
whole lines would lie on each other, and on the squares between. A square is 100 units wide and the origin is the top
left corner. The dark squares of a row are one dashed stroke.

To keep files small, all lines of one colour are one path. Groups have a class
each (``squares``, ``coordinates``, ``line``, ``numbers``, …) and presentation attributes, which any style sheet
overrides.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Ints, Layer, Layout
from cpsat_tour.drawing import points
from cpsat_tour.drawing.points import DARK, EDGE, FAINT, INK, LIGHT, MAX_LEGIBLE, PAPER, UNIT, Points, Write

STUB, TURN = 0.4, math.radians(18)
"""The length, in squares, of the stub of a move to another layer, and how far it is turned for each layer up. Turned,
the two moves of a square don't share a stub."""


class Squares:
    """Draws the squares of a layout, and beside them a square for the vertex ``apex``, if that has a name.

    ``grid`` has the vertex at each row and column, -1 if there is none; ``where`` the row and column of each vertex;
    ``side`` is the longest side of a layer in squares, ``box`` left, top, width and height of the drawing, ``titles``
    the title of each vertex's layer.
    """

    grid: Ints
    where: Ints

    def __init__(self, layout: Layout, apex: str = "") -> None:
        self._dark, self._apex, self._segments = np.append(layout.dark, False), apex, layout.segments
        self.side = max(max(layer.cells.shape) for layer in layout.layers)
        # Labels keep a readable size on large boards, where not every rank has room for one.
        self.label_height = max(26, round(1.4 * self.side))
        self._margin = margin = round(2.6 * self.label_height)
        titles = 2 * self.label_height if layout.layers[0].title else 0
        self._arrange(layout.layers, gap=-(-(2 * margin + titles) // UNIT))
        if apex:
            rows, cols = self.grid.shape
            gap = -(-margin // UNIT)
            self.grid = np.pad(self.grid, ((0, 0), (0, gap + 1)), constant_values=-1)
            self.grid[rows // 2, -1] = len(self.where)
            self.where = np.vstack([self.where, np.array([[rows // 2, cols + gap]], dtype=np.int32)])
        rows, cols = self.grid.shape
        self.box = (-margin, -margin - titles, UNIT * cols + 2 * margin, UNIT * rows + 2 * margin + titles)

    def _arrange(self, layers: Sequence[Layer], gap: int) -> None:
        """Place the layers in a grid that is as near to a square as can be, ``gap`` squares apart."""
        rows, cols = (gap + max(layer.cells.shape[axis] for layer in layers) for axis in (0, 1))
        down, across = min(
            ((-(-len(layers) // across), across) for across in range(len(layers), 0, -1)),
            key=lambda shape: max(shape[0] * rows, shape[1] * cols),
        )
        self.grid = np.full((down * rows - gap, across * cols - gap), -1, dtype=np.int32)
        self._layers = {(place // across * rows, place % across * cols): layer for place, layer in enumerate(layers)}
        for (top, left), layer in self._layers.items():
            height, width = layer.cells.shape
            self.grid[top : top + height, left : left + width] = layer.cells
        self.where = np.argwhere(self.grid >= 0)[np.argsort(self.grid[self.grid >= 0])].astype(np.int32)
        blocks, self._within = np.divmod(self.where, (rows, cols))
        self._layer = blocks @ (across, 1)
        self.titles = [layers[number].title for number in self._layer.tolist()]

    def centre(self, vertex: int) -> tuple[int, int]:
        """Return the middle (x, y) of the vertex's square."""
        row, col = self.where[vertex].tolist()
        return UNIT * col + UNIT // 2, UNIT * row + UNIT // 2

    def segments(self, tail: int, head: int) -> list[list[tuple[float, float]]]:
        """Return the line segments, as lists of points (x, y), that show a move to another layer; empty for a move that
        is drawn as one straight line.

        A move over the border of a wrapped board has the segments of the layout, one to another layer a stub at either
        square.
        """
        if max(tail, head) >= len(self.titles):
            return []
        segments = list(self._segments(tail, head))
        if not segments and self._layer[tail] != self._layer[head]:
            for here, there in ((tail, head), (head, tail)):
                down, right = (self._within[there] - self._within[here]).tolist()
                angle = math.atan2(-down, right) + TURN * int(self._layer[there] - self._layer[here])
                row, col = (self.where[here] + 0.5).tolist()
                segments.append(((row, col), (row - STUB * math.sin(angle), col + STUB * math.cos(angle))))
        return [[(UNIT * col, UNIT * row) for row, col in segment] for segment in segments]

    def outline(self, vertices: Iterable[int], inset: int = 0) -> str:
        """Return SVG path data for the boundary of a set of squares, ``inset`` units inside it, holes included.

        Each side of a square on the boundary is walked with the set on its right, so contours end where they began;
        where two of them touch at a corner, the walk turns right and keeps them apart.
        """
        rows, cols = self.grid.shape
        inside = np.zeros((rows + 2, cols + 2), dtype=bool)
        where = self.where[list(vertices)] + 1
        inside[where[:, 0], where[:, 1]] = True
        beyond = (inside[:-2, 1:-1], inside[1:-1, 2:], inside[2:, 1:-1], inside[1:-1, :-2])
        open_sides = np.stack([inside[1:-1, 1:-1] & ~other for other in beyond], axis=2)
        # A corner (x, y) and a step along a side are complex numbers; a turn to the right is a multiplication by i.
        ahead: dict[complex, list[complex]] = {}
        for row, col, side in np.argwhere(open_sides).tolist():
            step = 1j**side
            ahead.setdefault(complex(col, row) + (0.5 + 0.5j) * (1 - step), []).append(step)
        contours = ""
        while ahead:
            first = here = next(iter(ahead))
            walk, step = list[tuple[complex, complex]](), 0j
            while not walk or here != first:
                ways = ahead[here]
                step = step * 1j if step * 1j in ways else ways[0]
                ways.remove(step)
                if not ways:
                    del ahead[here]
                walk.append((here, step))
                here += step
            turns = [
                UNIT * corner + inset * 1j * (before + step)
                for (_, before), (corner, step) in zip(walk[-1:] + walk, walk, strict=False)
                if before != step
            ]
            contours += f"M{'L'.join(f'{int(turn.real)} {int(turn.imag)}' for turn in turns)}Z"
        return contours

    def paint(self, layer: ET.Element) -> None:
        """Draw the ground, the dark squares and the border."""
        shape = self.outline(range(len(self.where)))
        ET.SubElement(layer, "path", {"class": "light", "fill": LIGHT, "d": shape})
        if stretches := "".join(self._dark_stretches()):
            dashes = {"fill": "none", "stroke-width": str(UNIT), "stroke-dasharray": str(UNIT)}
            colour = DARK if self.side <= MAX_LEGIBLE else FAINT
            ET.SubElement(layer, "path", {"class": "dark", "stroke": colour, **dashes, "d": stretches})
        frame = {"stroke": EDGE, "stroke-width": str(max(4, self.side // 5)), "stroke-linejoin": "round"}
        ET.SubElement(layer, "path", {"class": "edge", "fill": "none", **frame, "d": shape})

    def label(self, write: Write) -> None:
        """Write the labels of columns and rows on all four sides of each layer, its title above, and the name of the
        apex. Where there is no room for all labels, the first and every fifth, tenth, … are written."""
        steps = [digit * 10**zeros for zeros in range(7) for digit in (1, 5)]
        height, margin = self.label_height, self._margin
        if self._apex:
            x, y = self.centre(len(self.titles))
            write(self._apex, x, y - UNIT // 2 - margin / 2, height)
        for (row, col), layer in self._layers.items():
            rows, cols = layer.cells.shape
            room = points.text_width(layer.col_labels[-1]) * height + height
            step = next((step for step in steps if UNIT * step >= room), steps[-1])
            left, top = UNIT * col, UNIT * row
            across, down = left + UNIT * cols, top + UNIT * rows
            for file in sorted({0, *range(step - 1, cols, step)}):
                for y in (top - margin / 2, down + margin / 2):
                    write(layer.col_labels[file], left + UNIT * file + UNIT // 2, y, height)
            for rank in sorted({0, *range(step - 1, rows, step)}):
                for x in (left - margin / 2, across + margin / 2):
                    write(layer.row_labels[rows - 1 - rank], x, down - UNIT * rank - UNIT // 2, height)
            if layer.title:
                write(f"layer {layer.title}", (left + across) / 2, top - margin - height / 2, 1.3 * height)

    def _dark_stretches(self) -> Iterator[str]:
        """Yield SVG path data of a dashed line through each row of squares; its dashes are the dark squares."""
        for row, vertices in enumerate(self.grid.tolist()):
            for present, run in groupby(enumerate(vertices), key=lambda cell: cell[1] >= 0):
                (col, vertex), *rest = run
                first = col if self._dark[vertex] else col + 1
                if present and first < col + 1 + len(rest):
                    yield f"M{UNIT * first} {UNIT * row + UNIT // 2}l{UNIT * (col + 1 + len(rest) - first)} 0"


_MAX_SIDE, _MAX_SQUARE, _MIN_SQUARE = 960, 64, 4
"""Pixels: the longest side of the drawing, and the largest and the smallest square, which come first."""

LANDING_HEIGHT = 16
"""The height of the number of a layer at a stub, in units."""

_MIN_LEGEND, _MAX_LINES = 14, 8
"""The least height of the words in a legend, about nine pixels, and the most lines of a sentence in the heading."""


@dataclass(frozen=True)
class Key:
    """A line of a legend: a colour swatch, filled or as a line of the width ``stroke``, and its meaning. Without a
    colour there are only the words."""

    colour: str
    words: str
    stroke: int = 0


class Canvas:
    """An SVG drawing of a graph; each method adds a group on top. `BadInput` if the graph is too large.

    One more vertex, the ``apex``, is drawn beside the graph if it has a name. Points have their ``names`` beside them,
    with room for ``rings`` between.
    """

    def __init__(
        self,
        graph: Graph,
        title: str,
        description: str,
        *,
        apex: str = "",
        rings: int = 0,
        names: bool = True,
    ) -> None:
        layout = graph.space.layout
        self.ground = ground = Squares(layout, apex) if layout else Points(graph, apex, rings)
        self.side = ground.side
        self._legible = max(30.0, 1.4 * self.side)  # the height of words: squares of large boards have fewer pixels
        self._box = list(ground.box)
        self._pixels = min(_MAX_SQUARE, max(_MIN_SQUARE, _MAX_SIDE * UNIT / max(self._box[2:]))) / UNIT
        self.root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "cpsat-tour", "role": "img"})
        ET.SubElement(self.root, "title").text = title
        ET.SubElement(self.root, "desc").text = description
        paper = {"class": "paper", "x": "", "y": "", "width": "", "height": "", "fill": PAPER}
        self._paper = ET.SubElement(self.root, "rect", paper)
        self._size()
        ground.paint(self.layer("squares"))
        pen = self.pen("coordinates", EDGE, ground.label_height)
        if names or layout:
            ground.label(lambda word, x, y, height: self._write(pen, word, x, y, height))

    def __str__(self) -> str:
        ET.indent(self.root, space="")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _size(self) -> None:
        """Write the size of the drawing into the SVG's root and its background."""
        self.root.set("viewBox", " ".join(map(str, self._box)))
        for name, number in zip(("x", "y", "width", "height"), self._box, strict=True):
            self._paper.set(name, str(number))
            if name in ("width", "height"):
                self.root.set(name, str(round(number * self._pixels)))

    def layer(self, name: str, **attributes: str) -> ET.Element:
        """Add an empty SVG group of this class on top and return it; underscores in the attributes stand for
        hyphens."""
        with_hyphens = {key.replace("_", "-"): value for key, value in attributes.items()}
        return ET.SubElement(self.root, "g", {"class": name, **with_hyphens})

    def path_data(self, vertices: Sequence[int]) -> str:
        """Return SVG path data of the line through the middles of the vertices; moves that are not straight go in
        segments."""
        path, broken = "", True
        for tail, head in pairwise(vertices):
            segments = self.ground.segments(tail, head)
            if segments:
                path += "".join("M" + "L".join(f"{x:g} {y:g}" for x, y in segment) for segment in segments)
            else:
                (x, y), (to_x, to_y) = self.ground.centre(tail), self.ground.centre(head)
                step = f"{to_x - x} {to_y - y}".replace(" -", "-")
                path += f"M{x} {y}l{step}" if broken else step if step[0] == "-" else f" {step}"
            broken = bool(segments)
        return path

    def landings(self, vertices: Sequence[int]) -> None:
        """Write, at the stub of each move to another layer, the number of that layer."""
        titles = self.ground.titles
        moves = [(tail, head) for tail, head in pairwise(vertices) if titles[tail] != titles[head]]
        places = [(titles[head], *self.ground.segments(tail, head)[0][1]) for tail, head in moves]
        discs = self.layer("halo", stroke=PAPER, stroke_width=str(1.25 * LANDING_HEIGHT), stroke_linecap="round")
        ET.SubElement(discs, "path", {"d": "".join(f"M{x:g} {y:g}h0" for _, x, y in places)})
        pen = self.pen("landings", INK, LANDING_HEIGHT)
        for word, x, y in places:
            self._write(pen, word, x, y, LANDING_HEIGHT)

    def words(self, layer: ET.Element, words: Mapping[int, str], height: float) -> None:
        """Write words of this height in the middles of vertices; ``layer`` is a group that `pen` made."""
        for vertex, word in words.items():
            self._write(layer, word, *self.ground.centre(vertex), height)

    def pen(self, name: str, colour: str, height: float) -> ET.Element:
        """Add an empty group for words of this colour and height and return it."""
        return self.layer(name, **points.letters(colour, height))

    def _write(self, layer: ET.Element, word: str, x: float, y: float, height: float) -> None:
        """Write a word centred at (x, y) into a group that `pen` made."""
        ET.SubElement(layer, "text", {"x": f"{round(x, 2):.9g}", "y": f"{round(y + height / 2, 2):.9g}"}).text = word

    def legend(self, keys: Sequence[Key]) -> None:
        """Add a legend below the drawing, a line for each key; a small drawing is widened for it."""
        if not keys:
            return
        longest = max(points.text_width(key.words) for key in keys)
        lacking = max(0, math.ceil(3 * UNIT + _MIN_LEGEND * longest) - self._box[2])
        self._box[0] -= lacking // 2
        self._box[2] += lacking
        left, top, width, height = self._box
        size = min(self._legible, (width - 3 * UNIT) / longest)
        step, swatch = round(2.2 * size), round(1.5 * size)
        layer, pen = self.layer("legend"), self.pen("legend words", INK, size)
        pen.set("text-anchor", "start")
        for number, key in enumerate(keys):
            x, y = left + UNIT // 2, top + height + round((number + 0.5) * step)
            if key.colour:
                area = {"x": str(x), "y": str(y - swatch // 2), "width": str(swatch), "height": str(swatch)}
                look = {"fill": key.colour, "fill-opacity": "0.15" if key.stroke else "0.45"}
                if key.stroke:
                    look |= {"stroke": key.colour, "stroke-width": str(min(key.stroke, swatch // 3))}
                ET.SubElement(layer, "rect", area | look)
            self._write(pen, key.words, x + (swatch + size) * bool(key.colour), y, size)
        self._box[3] += len(keys) * step + round(size)
        self._size()

    def heading(self, title: str, *sentences: str) -> None:
        """Add a title and, below it, sentences above the drawing, wrapped to its width."""
        left, top, width, _ = self._box
        size = min(self._legible, (width - UNIT) / max(map(points.text_width, title.split())))

        def lines(words: str, height: float) -> list[str]:
            """Return the words wrapped into lines that fit the drawing's width in letters of this height."""
            letters = int((width - UNIT) / (height * points.text_width(words)) * len(words))
            return textwrap.wrap(words, letters, max_lines=_MAX_LINES, placeholder=" …")

        titles, said = lines(title, size), [line for each in sentences for line in lines(each, 0.75 * size)]
        height = round(size * (1.6 * len(titles) + 1.3 * len(said) + 1.4))
        self._box[1], self._box[3] = top - height, self._box[3] + height
        y = top - height - 0.4 * size
        for name, texts, share, step in (("title", titles, 1, 1.6), ("reason", said, 0.75, 1.3)):
            pen = self.pen(name, INK, share * size)
            for line in texts:
                y += step * size
                self._write(pen, line, left + width / 2, y, share * size)
            y += 0.3 * size
        self._size()
