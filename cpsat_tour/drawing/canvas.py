"""The drawing, to which groups are added: lines, numbers, marks, outlines around sets of vertices, a legend.

Underneath lies the ground: the squares of a board or of the layers of a box (`squares`), or the points of another graph
(`points`). A square is 100 units wide. The drawing is made light: all lines of one colour are one path. Groups have a
class each (``squares``, ``coordinates``, ``line``, ``numbers``, …) and are painted by presentation attributes, which
any style sheet overrides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

from cpsat_tour.core.graph import Graph
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.ink import EDGE, INK, PAPER, UNIT
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares

_MAX_SIDE, _MAX_SQUARE, _MIN_SQUARE = 960, 64, 4
"""Pixels: the drawing's side, and how far its squares may grow and shrink to keep to it."""

_LEAST_LEGEND = 14
"""The height of the legend's words, at least: some nine pixels."""


@dataclass(frozen=True)
class Key:
    """A line of a legend: what is shown by a swatch of the ``colour``, filled or as a ``stroke`` so wide, in words of
    `ink`; words alone without a colour."""

    colour: str
    words: str
    stroke: int = 0


class Canvas:
    """A graph drawn as SVG; each method adds one group above the ones before. `BadInput` where it is too large.

    Points are called by their ``names``, unless what is to be drawn round them would cover these.
    """

    def __init__(self, graph: Graph, title: str, description: str, *, names: bool = True) -> None:
        self.graph, self.space = graph, graph.space
        self._ground = ground = Squares(graph.space) if graph.space.layers() else Points(graph)
        self.side = ground.side
        left, top, width, height = ground.box
        self._box = [left, top, width, height]
        self._pixels = min(_MAX_SQUARE, max(_MIN_SQUARE, _MAX_SIDE * UNIT / max(width, height))) / UNIT
        self.root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "cpsat-tour", "role": "img"})
        ET.SubElement(self.root, "title").text = title
        ET.SubElement(self.root, "desc").text = description
        self._paper = ET.SubElement(
            self.root, "rect", {"class": "paper", "x": "", "y": "", "width": "", "height": "", "fill": PAPER}
        )
        self._size()
        ground.paint(self.layer("squares"))
        pen = self.pen("coordinates", EDGE, ground.label_height)
        if names or isinstance(ground, Squares):
            ground.label(lambda word, x, y, height: self._write(pen, word, x, y, height))

    def __str__(self) -> str:
        ET.indent(self.root, space="")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _size(self) -> None:
        left, top, width, height = self._box
        self.root.set("viewBox", f"{left} {top} {width} {height}")
        for what, length in (("width", width), ("height", height)):
            self.root.set(what, str(round(length * self._pixels)))
        for what, number in (("x", left), ("y", top), ("width", width), ("height", height)):
            self._paper.set(what, str(number))

    def layer(self, name: str, **attributes: str) -> ET.Element:
        """A new group of this class on top; underscores in the attributes stand for hyphens."""
        return ET.SubElement(
            self.root, "g", {"class": name, **{key.replace("_", "-"): value for key, value in attributes.items()}}
        )

    def centre(self, vertex: int) -> tuple[int, int]:
        return self._ground.centre(vertex)

    def outline(self, vertices: Iterable[int]) -> str:
        """The ``d`` of what encloses a set of vertices: on a board the boundary of their squares, else a ring round
        each."""
        return self._ground.outline(vertices)

    def line(self, vertices: Sequence[int]) -> str:
        """The ``d`` of the line through the middles of the vertices; a move that is not a straight line is drawn in its
        pieces."""
        path, broken = "", True
        for tail, head in pairwise(vertices):
            pieces = self._ground.pieces(tail, head)
            if pieces:
                path += "".join("M" + "L".join(f"{x:g} {y:g}" for x, y in piece) for piece in pieces)
            else:
                (x, y), (to_x, to_y) = self.centre(tail), self.centre(head)
                step = f"{to_x - x} {to_y - y}".replace(" -", "-")
                path += f"M{x} {y}l{step}" if broken else step if step[0] == "-" else f" {step}"
            broken = bool(pieces)
        return path

    def words(self, layer: ET.Element, words: Mapping[int, str], height: float) -> None:
        """Words of `ink` in the middles of vertices, their digits so high; the layer says in which colour."""
        for vertex, word in words.items():
            ET.SubElement(layer, "path", {"d": ink.strokes(word, *self.centre(vertex), height)})

    def pen(self, name: str, colour: str, height: float) -> ET.Element:
        """A layer for words of this height."""
        return self.layer(name, **ink.pen(colour, height))

    @staticmethod
    def _write(layer: ET.Element, word: str, x: float, y: float, height: float) -> None:
        ET.SubElement(layer, "path", {"d": ink.strokes(word, x, y, height)})

    def legend(self, keys: Sequence[Key]) -> None:
        """A line below the drawing for each key: a swatch and what it means, as large as the width allows; a small
        drawing is widened."""
        if not keys:
            return
        longest = max(ink.width(key.words) for key in keys)
        lacking = max(0, math.ceil(3 * UNIT + _LEAST_LEGEND * longest) - self._box[2])
        self._box[0] -= lacking // 2
        self._box[2] += lacking
        left, top, width, height = self._box
        size = min(30.0, (width - 3 * UNIT) / longest)
        step = round(2.2 * size)
        layer = self.layer("legend")
        pen = self.pen("legend words", INK, size)
        for place, key in enumerate(keys):
            y = top + height + round((place + 0.5) * step)
            x, swatch = left + UNIT // 2, round(1.5 * size)
            if not key.colour:
                self._write(pen, key.words, left + width / 2, y, size)
                continue
            area = {"x": str(x), "y": str(y - swatch // 2), "width": str(swatch), "height": str(swatch)}
            if key.stroke:
                line = {"fill": "none", "stroke": key.colour, "stroke-width": str(min(key.stroke, swatch // 3))}
                ET.SubElement(layer, "rect", {**area, **line})
            else:
                ET.SubElement(layer, "rect", {**area, "fill": key.colour, "fill-opacity": "0.45"})
            self._write(pen, key.words, x + swatch + size + ink.width(key.words) * size / 2, y, size)
        self._box[3] += len(keys) * step + round(size)
        self._size()
