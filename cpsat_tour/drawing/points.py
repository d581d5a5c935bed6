"""Colours, measures and letters of all drawings, and the ground of a drawing of a graph without squares.

Vertices are points with their names beside them, edges faint lines, bent round the vertices in their way.

A graph may have places of its own. Of others with up to `MAX_STRESS` vertices the distances in the plane follow those
in the graph: the stress of Kamada & Kawai (1989), lessened by majorisation (Gansner, Koren & North 2004) from a circle,
so the same graph always looks the same. The vertices of larger graphs lie on a circle in the order of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Floats

UNIT = 100
"""The side of a square."""

LIGHT, DARK, FAINT, EDGE, INK, PAPER = "#f5f2ea", "#dde2e6", "#ebebe9", "#7d868f", "#22272e", "#ffffff"

MAX_LEGIBLE = 24
"""The longest side of a board whose squares are numbered; on larger boards the squares are fainter."""

RAMP = ((18, 54, 130), (98, 38, 158), (176, 36, 120), (201, 72, 12))
"""The colours along a tour's line as red, green and blue; each has a contrast of at least 4:1 with the squares."""

MAX_SHADES = 48
"""The most colours of a line: each is one path."""

DISC = 27
"""The radius of a number's disc; other lines pass at a distance of 44 units or more."""

PLUS, MINUS = "#2f6fb5", "#d9822b"
"""The colours of positive and negative multipliers, distinct in every kind of colour blindness."""

OUTLINES = ("#1b7837", "#762a83", "#b2182b", "#01665e", "#8c510a", "#4d4d4d")
"""The colours of the shores of cut sets."""

FONT = "Source Sans Pro, sans-serif"
"""The font of PNG and GIF, and a fallback for viewers of SVG."""

SIZE = 1.45
"""The font size for digits of height 1."""

NARROW, WIDE = " .,:;'|!()-/Iijlfrt", "mwMW@%½…→"

Write = Callable[[str, float, float, float], None]
"""A function that writes a word, centred at x and y, with a given height."""


def text_width(word: str) -> float:
    """Return the greatest width that a word can have, in any font, as a multiple of the height of its digits."""
    return sum(0.54 if letter in NARROW else 1.35 if letter in WIDE else 0.88 for letter in word)


def letters(colour: str, height: float) -> dict[str, str]:
    """Return SVG attributes for centred text in this colour whose digits have this height."""
    return {"fill": colour, "font-family": FONT, "font-size": f"{round(SIZE * height, 1):g}", "text-anchor": "middle"}


KNIGHT = (
    "M25 92 L79 92 L79 85 L72 79 C79 58 77 33 61 20 C57 17 54 15 51 14 L46 5 L41 16 C36 19 32 23 29 29 L15 "
    "52 C12 57 13 63 17 66 C20 69"
    " 24 68 27 65 L31 61 C37 61 43 59 47 55 C46 65 32 68 30 79 L25 85 Z"
)
"""The outline of the knight, for the page and the moving pictures, in a box of 100 by 100."""

KNIGHT_COLOUR = "#123682"


def knight_svg() -> str:
    """Return an SVG image of the knight; its outline has the id ``knight``."""
    path = f'<path id="knight" fill="{KNIGHT_COLOUR}" d="{KNIGHT}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{path}</svg>\n'


MAX_STRESS = 500

MAX_PLACED = 4096
"""The largest number of vertices of a graph that is drawn."""

ROUNDS = 150
"""The number of rounds of stress majorisation."""

MAX_BENT = 2000
"""The largest number of edges of a graph in which edges bend round vertices: with more, they hide the vertices
anyway."""

MAX_NAMES, MAX_NAME = 200, 16
"""The largest number of vertices that are named, and the longest name that is written in full."""

RING = 9
"""The distance between the rings round a point; it has one for each set that contains it."""

_APART, _MARGIN = 1.3 * UNIT, 74
_RADIUS, _CLEAR = DISC + 3, DISC + 12
"""The radius of a vertex's disc, and the distance that other lines and names keep from its middle."""

_CHORDS, _NAME, _WAYS, _SPOTS = 12, 20, 16, 5
"""Chords of a bent edge; the height of a name; the directions from its vertex in which a name may stand; the points of
a name from which others keep away."""

Polyline = list[tuple[float, float]]
"""A line through points (x, y), x to the right and y down."""


class Points:
    """Draws a graph without squares: its vertices at the points ``where``. ``side`` is the longer side of the drawing
    in hundreds of units, ``box`` its left, top, width and height. `BadInput` if the graph is too large.

    A vertex ``apex``, if it has a name, is a point on the right; names leave room for ``rings`` round each point.
    """

    label_height, titles = _NAME, ()

    def __init__(self, graph: Graph, apex: str = "", rings: int = 0) -> None:
        if graph.order > MAX_PLACED:
            raise BadInput(f"can't draw {graph.called}: graphs of more than {MAX_PLACED} vertices are a blot")
        self._graph = graph.underlying
        self.where = _scaled(graph, layout_points(graph), rings).round().astype(int)
        self._names, self._radius = _shown_names(self._graph), _RADIUS + rings * RING
        longest = int(max(map(text_width, self._names), default=0) * _NAME)
        beside, above = (max(_MARGIN, self._radius + part) for part in (14 + longest, 28 + longest // 4))
        if apex:
            right, middle = self.where[:, 0].max() + 2 * beside, (self.where[:, 1].min() + self.where[:, 1].max()) // 2
            self.where, self._names = np.vstack([self.where, (right, middle)]), [*self._names, apex]
        margins = np.array((beside, above))
        left, top = (self.where.min(axis=0) - margins).tolist()
        width, height = (np.ptp(self.where, axis=0) + 2 * margins).tolist()
        self.box = (left, top, width, height)
        self.side = max(width, height) // UNIT
        self._bent = graph.order <= MAX_STRESS and graph.size <= MAX_BENT

    def centre(self, vertex: int) -> tuple[int, int]:
        """Return the point (x, y) of the vertex."""
        x, y = self.where[vertex].tolist()
        return x, y

    def outline(self, vertices: Iterable[int], inset: int = 0) -> str:
        """Return SVG path data of a circle round each vertex, ``inset`` units away from its disc."""
        radius = _RADIUS + inset
        ring = f"a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0Z"
        return "".join(f"M{x - radius} {y}{ring}" for x, y in map(self.centre, vertices))

    def segments(self, tail: int, head: int) -> list[Polyline]:
        """Return a curve, as a list of points, for a move whose straight line would hit other vertices; empty if none
        is in the way. The curve is a parabola on the side where it can be flatter."""
        if tail > head:
            return [segment[::-1] for segment in self.segments(head, tail)]
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
        part = np.linspace(0, 1, _CHORDS + 1)[:, None]
        curve = begin + part * across + 4 * part * (1 - part) * height * normal
        return [[(x, y) for x, y in curve.round().tolist()]]

    def _edge_lines(self) -> list[Polyline]:
        """Return each edge as a line through points."""
        lines = []
        for tail, head in self._graph.pairs():
            lines += self.segments(tail, head) or [[self.centre(tail), self.centre(head)]]
        return lines

    def paint(self, layer: ET.Element) -> None:
        """Draw the edges, and over them the discs of the vertices."""
        if edges := "".join("M" + "L".join(f"{x:g} {y:g}" for x, y in line) for line in self._edge_lines()):
            ET.SubElement(
                layer, "path", {"class": "edges", "fill": "none", "stroke": DARK, "stroke-width": "4", "d": edges}
            )
        dots = "".join(f"M{x} {y}h0" for x, y in self.where.tolist())
        for name, colour, width in (("edge", EDGE, 2 * _RADIUS), ("light", LIGHT, 2 * DISC)):
            pen = {"fill": "none", "stroke": colour, "stroke-width": str(width), "stroke-linecap": "round"}
            ET.SubElement(layer, "path", {"class": name, **pen, "d": dots})

    def label(self, write: Write) -> None:
        """Write the name of each vertex beside it, where there is most room."""
        if not self._names:
            return
        lines = map(np.array, self._edge_lines())
        samples = [line if len(line) > 2 else np.linspace(line[0], line[1], _CHORDS + 1) for line in lines]
        taken = np.insert(np.vstack([self.where, *samples]), 2, 0.0, axis=1)  # the third column is a radius
        taken[: len(self.where), 2] = _CLEAR + self._radius - _RADIUS
        turn = 2 * math.pi * np.arange(_WAYS) / _WAYS
        ways = np.stack([np.sin(turn), -np.cos(turn)], axis=1)
        for name, middle in zip(self._names, self.where, strict=True):
            half = np.array((text_width(name), 1)) * _NAME / 2
            places = middle + ways * (self._radius + 8 + abs(ways) @ half)[:, None]
            others = taken[(taken[:, :2] != middle).any(axis=1)]
            beyond = np.maximum(abs(places[:, None] - others[:, :2]) - half, 0)
            apart = np.linalg.norm(beyond, axis=2) - others[:, 2]
            x, y = places[apart.min(axis=1, initial=np.inf).argmax()].tolist()
            taken = np.vstack([taken, *((x + right, y, _NAME / 2) for right in np.linspace(-half[0], half[0], _SPOTS))])
            write(name, x, y, _NAME)


def _shown_names(graph: Graph) -> list[str]:
    """Return the names of the vertices, long ones cut off; an empty list if there are too many vertices."""
    names = map(graph.name, range(graph.order if graph.order <= MAX_NAMES else 0))
    return [name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…" for name in names]


def layout_points(graph: Graph) -> Floats:
    """Return a point for each vertex, an ``(n, 2)`` array: where people place it, or such that neighbours are about 1
    apart."""
    if (places := graph.space.places) is not None:
        return np.asarray((places - places.mean(axis=0)) * (1, -1))
    turn = 2 * math.pi * np.arange(graph.order) / max(graph.order, 1)
    circle = max(1.0, graph.order / (2 * math.pi)) * np.stack([np.sin(turn), -np.cos(turn)], axis=1)  # the first on top
    return (
        circle
        if graph.order > MAX_STRESS or graph.order < 3
        else _moved_to_distances(_graph_distances(graph.underlying), circle)
    )


def _graph_distances(graph: Graph) -> Floats:
    """Return the matrix of distances in the graph, as numbers of edges (Floyd 1962). Vertices in different components
    are one further apart than any others."""
    steps = np.full((graph.order, graph.order), np.inf)
    np.fill_diagonal(steps, 0)
    steps[graph.tails, graph.indices] = 1
    for vertex in range(graph.order):
        np.minimum(steps, steps[:, vertex, None] + steps[None, vertex, :], out=steps)
    whole = np.isfinite(steps)
    steps[~whole] = steps[whole].max() + 1
    return steps


def _moved_to_distances(wanted: Floats, points: Floats) -> Floats:
    """Return the points moved so that their distances come near to the wanted ones; short distances weigh more."""
    np.fill_diagonal(wanted, 1)
    weights = wanted**-2
    np.fill_diagonal(weights, 0)
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        pull = weights * wanted / np.maximum(_point_distances(points), 1e-9)
        points = (weights @ points + pull.sum(axis=1, keepdims=True) * points - pull @ points) / total
    return points


def _point_distances(points: Floats) -> Floats:
    """Return the matrix of distances between the points."""
    return np.asarray(np.linalg.norm(points[:, None] - points, axis=2))


def _scaled(graph: Graph, points: Floats, rings: int) -> Floats:
    """Return the points scaled to the units of the drawing, so that neighbours, and if possible all discs with their
    rings, are far enough apart."""
    tails, heads = graph.edges()
    lengths = np.linalg.norm(points[tails] - points[heads], axis=1)
    scale = _APART / max(float(np.median(lengths)) if len(lengths) else 1.0, 1e-9)
    if 1 < graph.order <= MAX_STRESS:
        least = float((_point_distances(points) + np.diag(np.full(graph.order, np.inf))).min())
        apart = _APART if graph.space.places is not None else 2.6 * (DISC + rings * RING)
        scale = min(3 * scale, max(scale, apart / max(least, 1e-9)))
    return points * min(scale, UNIT * MAX_PLACED / float(np.ptp(points, axis=0).max(initial=1)))
