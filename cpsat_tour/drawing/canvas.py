"""An SVG drawing, to which groups are added: lines, numbers, marks, outlines around sets of vertices, a legend.

Underneath lies the ground: the squares of a board or of the layers of a box (`squares`), or the points of another graph
(`points`). A square is 100 units wide. To keep files small, all lines of one colour are one path. Groups have a class
each (``squares``, ``coordinates``, ``line``, ``numbers``, …) and presentation attributes, which any style sheet
overrides.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

from cpsat_tour.core.graph import Graph
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.ink import EDGE, INK, PAPER, UNIT
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares

_MAX_SIDE, _MAX_SQUARE, _MIN_SQUARE = 960, 64, 4
"""Pixels: the longest side of the drawing, and the largest and the smallest square, which come first."""

LANDING_HEIGHT = 20
"""The height of the number of a layer at a stub, in units."""

_MIN_LEGEND, _MAX_LINES = 14, 8
"""The least height of the legend's words, some nine pixels, and the most lines of a sentence in the heading."""


@dataclass(frozen=True)
class Key:
    """A line of a legend: a swatch of the ``colour``, filled or as a line of the width ``stroke``, and its meaning;
    without a colour the words alone."""

    colour: str
    words: str
    stroke: int = 0


class Canvas:
    """A graph drawn as SVG; each method adds one group above the ones before. `BadInput` if the graph is too large.

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
        """Write the box into the root and the paper."""
        self.root.set("viewBox", " ".join(map(str, self._box)))
        for name, number in zip(("x", "y", "width", "height"), self._box, strict=True):
            self._paper.set(name, str(number))
            if name in ("width", "height"):
                self.root.set(name, str(round(number * self._pixels)))

    def layer(self, name: str, **attributes: str) -> ET.Element:
        """Return a new group of this class on top; underscores in the attributes stand for hyphens."""
        with_hyphens = {key.replace("_", "-"): value for key, value in attributes.items()}
        return ET.SubElement(self.root, "g", {"class": name, **with_hyphens})

    def path_data(self, vertices: Sequence[int]) -> str:
        """Return the ``d`` of an SVG path through the middles of the vertices; a move that is not straight is drawn
        in its segments."""
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
        """Write at the stub of each move to another layer which layer that is."""
        titles = self.ground.titles
        moves = [(tail, head) for tail, head in pairwise(vertices) if titles[tail] != titles[head]]
        places = [(titles[head], *self.ground.segments(tail, head)[0][1]) for tail, head in moves]
        discs = self.layer("halo", stroke=PAPER, stroke_width=str(1.25 * LANDING_HEIGHT), stroke_linecap="round")
        ET.SubElement(discs, "path", {"d": "".join(f"M{x:g} {y:g}h0" for _, x, y in places)})
        pen = self.pen("landings", INK, LANDING_HEIGHT)
        for word, x, y in places:
            self._write(pen, word, x, y, LANDING_HEIGHT)

    def words(self, layer: ET.Element, words: Mapping[int, str], height: float) -> None:
        """Write words of this height in the middles of vertices, into a layer of `pen`."""
        for vertex, word in words.items():
            self._write(layer, word, *self.ground.centre(vertex), height)

    def pen(self, name: str, colour: str, height: float) -> ET.Element:
        """Return a new group for words of this height."""
        return self.layer(name, **ink.letters(colour, height))

    def _write(self, layer: ET.Element, word: str, x: float, y: float, height: float) -> None:
        """Write a word, centred there, into a layer of `pen`."""
        ET.SubElement(layer, "text", {"x": f"{x:g}", "y": f"{y + height / 2:g}"}).text = word

    def legend(self, keys: Sequence[Key]) -> None:
        """Add a line below the drawing for each key, as large as the width allows; a small drawing is widened."""
        if not keys:
            return
        longest = max(ink.width(key.words) for key in keys)
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
        """Write a title above the drawing, and below it each sentence in lines as wide as the drawing."""
        left, top, width, _ = self._box
        size = min(self._legible, (width - UNIT) / ink.width(title))
        lines = list[str]()
        for sentence in sentences:
            letters = int((width - UNIT) / (0.75 * size * ink.width(sentence)) * len(sentence))
            lines += textwrap.wrap(sentence, letters, max_lines=_MAX_LINES, placeholder=" …")
        height = round(size * (1.3 * len(lines) + 3))
        self._box[1], self._box[3] = top - height, self._box[3] + height
        self._write(self.pen("title", INK, size), title, left + width / 2, top - height + 1.2 * size, size)
        pen = self.pen("reason", INK, 0.75 * size)
        for number, line in enumerate(lines):
            self._write(pen, line, left + width / 2, top - height + (2.8 + 1.3 * number) * size, 0.75 * size)
        self._size()
