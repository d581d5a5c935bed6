"""The ground of a drawing of a graph without squares: its vertices as points in the plane, with their names beside
them, its edges as faint lines between them, bent round the vertices that lie in their way.

Up to `MAX_STRESS` vertices the distances in the plane follow those in the graph: the stress of Kamada & Kawai (1989),
lessened by majorisation (Gansner, Koren & North 2004) from a circle, so the same graph always looks the same. Larger
graphs are a circle in the order of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.ink import DARK, DISC, EDGE, LIGHT, UNIT

MAX_STRESS = 500

MAX_VERTICES = 4096
"""A graph with more is not drawn."""

ROUNDS = 150

MAX_BENT = 2000
"""Edges of a graph whose edges are bent: more hide the vertices anyway."""

MAX_NAMES = 200
"""Vertices of a graph that are called by their names."""

_APART, _RING, _MARGIN = 1.3 * UNIT, 40, 74
_RADIUS, _CLEAR = DISC + 3, DISC + 12
"""Of a vertex's disc, and how far from its middle other lines and names keep."""

_CHORDS, _NAME, _WAYS = 12, 20, 16
"""Chords of a bent edge; the height of a name; the directions from its vertex in which it may stand."""

Floats = NDArray[np.float64]
Write = Callable[[str, float, float, float], None]
Piece = list[tuple[float, float]]
"""A line through some points, each how far it lies to the right and how far down."""


class Points:
    """Where the vertices of a graph lie; ``side`` is the longer side of the drawing in hundreds of units, ``box`` left,
    top, width, height."""

    label_height = _NAME

    def __init__(self, graph: Graph) -> None:
        if graph.order > MAX_VERTICES:
            raise BadInput(f"can't draw {graph.called}: graphs of more than {MAX_VERTICES} vertices are a blot")
        self._graph = graph
        self.where = _scaled(graph, laid_out(graph)).round().astype(int)
        left, top = (int(part) - _MARGIN for part in self.where.min(axis=0))
        width, height = (int(part) + 2 * _MARGIN for part in np.ptp(self.where, axis=0))
        self.box = (left, top, width, height)
        self.side = max(width, height) // UNIT
        self._bent = graph.order <= MAX_STRESS and graph.size <= MAX_BENT

    def centre(self, vertex: int) -> tuple[int, int]:
        """Where a vertex lies, x to the right and y down."""
        x, y = self.where[vertex].tolist()
        return x, y

    def outline(self, vertices: Iterable[int]) -> str:
        """A ring round each of the vertices."""
        return "".join(
            f"M{x - _RING} {y}a{_RING} {_RING} 0 1 0 {2 * _RING} 0a{_RING} {_RING} 0 1 0 {-2 * _RING} 0Z"
            for x, y in map(self.centre, vertices)
        )

    def pieces(self, tail: int, head: int) -> list[Piece]:
        """The curve of a move past the vertices in its way; none where the straight line is free.

        It is a parabola over the straight line, on the side where it need not rise as high.
        """
        if tail > head:
            return [piece[::-1] for piece in self.pieces(head, tail)]
        begin, across = self.where[tail], self.where[head] - self.where[tail]
        length = float(np.hypot(*across))
        if not self._bent or not length:
            return []
        normal = np.array((-across[1], across[0])) / length
        beside = np.delete(self.where, (tail, head), axis=0) - begin
        along, aside = beside @ across / length**2, beside @ normal
        near = (along > 0) & (along < 1) & (abs(aside) < _CLEAR)
        if not near.any():
            return []
        rise = 4 * along[near] * (1 - along[near])
        heights = [float(((side * aside[near] + _CLEAR) / rise).max()) for side in (1, -1)]
        height = min(heights[0], length / 2) if heights[0] < heights[1] else -min(heights[1], length / 2)
        at = np.linspace(0, 1, _CHORDS + 1)[:, None]
        return [[(x, y) for x, y in (begin + at * across + 4 * at * (1 - at) * height * normal).round().tolist()]]

    def _lines(self) -> list[Piece]:
        lines = []
        for tail, head in zip(*(end.tolist() for end in self._graph.edges()), strict=True):
            lines += self.pieces(tail, head) or [[self.centre(tail), self.centre(head)]]
        return lines

    def paint(self, layer: ET.Element) -> None:
        if edges := "".join("M" + "L".join(f"{x:g} {y:g}" for x, y in line) for line in self._lines()):
            ET.SubElement(
                layer, "path", {"class": "edges", "fill": "none", "stroke": DARK, "stroke-width": "4", "d": edges}
            )
        dots = "".join(f"M{x} {y}h0" for x, y in self.where.tolist())
        for name, colour, width in (("edge", EDGE, 2 * _RADIUS), ("light", LIGHT, 2 * DISC)):
            pen = {"fill": "none", "stroke": colour, "stroke-width": str(width), "stroke-linecap": "round"}
            ET.SubElement(layer, "path", {"class": name, **pen, "d": dots})

    def label(self, write: Write) -> None:
        """Write the name of each vertex beside it, where lines and other vertices leave it most room; none where they
        are too many or too long."""
        names = [self._graph.name(vertex) for vertex in range(self._graph.order)]
        if len(names) > MAX_NAMES or not all(len(name) <= 4 and set(name) <= ink.GLYPHS.keys() for name in names):
            return
        turn = 2 * math.pi * np.arange(_WAYS) / _WAYS
        ways = np.stack([np.sin(turn), -np.cos(turn)], axis=1)
        taken = np.vstack([np.insert(self.where, 2, _CLEAR, axis=1), *(_samples(line) for line in self._lines())])
        for name, middle in zip(names, self.where, strict=True):
            half = np.array((ink.width(name), 1)) * _NAME / 2
            places = middle + ways * (_RADIUS + 8 + abs(ways) @ half)[:, None]
            beside = abs(taken[:, :2] - middle)
            near = taken[(beside < 2 * UNIT).all(axis=1) & beside.any(axis=1)]
            apart = np.sqrt(((places[:, None] - near[None, :, :2]) ** 2).sum(axis=2)) - near[:, 2]
            x, y = places[int(apart.min(axis=1, initial=np.inf).argmax())].tolist()
            taken = np.vstack([taken, (x, y, _NAME)])
            write(name, x, y, _NAME)


def _samples(line: Piece) -> Floats:
    """Points along a line, some ten units apart; the third column is 0, for they have no radius."""
    corners = np.array(line, dtype=float)
    steps = max(1, round(float(np.hypot(*(corners[-1] - corners[0]))) / 10))
    at = np.linspace(0, len(line) - 1, steps + 1)
    x, y = (np.interp(at, range(len(line)), corners[:, axis]) for axis in (0, 1))
    return np.stack([x, y, np.zeros_like(x)], axis=1)


def laid_out(graph: Graph) -> Floats:
    """A place in the plane for each vertex; neighbours are about 1 apart. An ``(n, 2)`` array."""
    turn = 2 * math.pi * np.arange(graph.order) / max(graph.order, 1)
    circle = max(1.0, graph.order / (2 * math.pi)) * np.stack([np.sin(turn), -np.cos(turn)], axis=1)  # the first on top
    return circle if graph.order > MAX_STRESS or graph.order < 3 else _stressed(_distances(graph), circle)


def _distances(graph: Graph) -> Floats:
    """How many edges lie between any two vertices (Floyd 1962); parts of the graph lie a little further apart than they
    are wide."""
    graph = graph.symmetric
    steps = np.full((graph.order, graph.order), np.inf)
    np.fill_diagonal(steps, 0)
    steps[graph.tails, graph.indices] = 1
    for vertex in range(graph.order):
        np.minimum(steps, steps[:, vertex, None] + steps[None, vertex, :], out=steps)
    whole = np.isfinite(steps)
    steps[~whole] = steps[whole].max() + 1
    return steps


def _stressed(wanted: Floats, points: Floats) -> Floats:
    """The points moved so that their distances come near those that are wanted, each weighted by its inverse square."""
    np.fill_diagonal(wanted, 1)
    weights = wanted**-2
    np.fill_diagonal(weights, 0)
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        apart = points[:, None, :] - points[None, :, :]
        length = np.sqrt((apart**2).sum(axis=2))
        pull = weights * wanted / np.maximum(length, 1e-9)
        points = (weights @ points + pull.sum(axis=1, keepdims=True) * points - pull @ points) / total
    middle: Floats = points.mean(axis=0)
    return points - middle


def _scaled(graph: Graph, points: Floats) -> Floats:
    """The points in units: neighbours far enough apart for a line between their discs, and no two discs on each other
    if that can be had."""
    tails, heads = graph.edges()
    lengths = np.sqrt(((points[tails] - points[heads]) ** 2).sum(axis=1))
    scale = _APART / max(float(np.median(lengths)) if len(lengths) else 1.0, 1e-9)
    if 1 < graph.order <= MAX_STRESS:
        apart = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
        np.fill_diagonal(apart, np.inf)
        scale = min(3 * scale, max(scale, 2.6 * DISC / max(float(apart.min()), 1e-9)))
    return scale * points
