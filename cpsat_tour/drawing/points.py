"""The ground of a drawing of a graph without squares: its vertices as points in the plane, its edges as faint lines
between them.

Up to `MAX_STRESS` vertices the distances in the plane follow those in the graph: the stress of Kamada & Kawai (1989),
lessened by majorisation (Gansner, Koren & North 2004) from a circle, so the same graph always looks the same. Larger
graphs are a circle in the order of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.drawing.colours import DARK, DISC, EDGE, LIGHT, UNIT

MAX_STRESS = 500

MAX_VERTICES = 4096
"""A graph with more is not drawn."""

ROUNDS = 150

_APART, _RING, _MARGIN = 1.3 * UNIT, 40, 70

Floats = NDArray[np.float64]


class Points:
    """Where the vertices of a graph lie; ``side`` is the longer side of the drawing in hundreds of units, ``box`` left,
    top, width, height."""

    label_height = 26

    def __init__(self, graph: Graph) -> None:
        if graph.order > MAX_VERTICES:
            raise BadInput(f"can't draw {graph.called}: graphs of more than {MAX_VERTICES} vertices are a blot")
        self._graph = graph
        self.where = _scaled(graph, laid_out(graph)).round().astype(int)
        left, top = (int(part) - _MARGIN for part in self.where.min(axis=0))
        width, height = (int(part) + 2 * _MARGIN for part in np.ptp(self.where, axis=0))
        self.box = (left, top, width, height)
        self.side = max(width, height) // UNIT

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

    def paint(self, layer: ET.Element) -> None:
        """Draw the edges, and a disc for each vertex."""
        ends = np.hstack([self.where[end] for end in self._graph.edges()]).tolist()
        if edges := "".join(f"M{x} {y}L{to_x} {to_y}" for x, y, to_x, to_y in ends):
            ET.SubElement(
                layer, "path", {"class": "edges", "fill": "none", "stroke": DARK, "stroke-width": "4", "d": edges}
            )
        dots = "".join(f"M{x} {y}h0" for x, y in self.where.tolist())
        for name, colour, width in (("edge", EDGE, 2 * DISC + 6), ("light", LIGHT, 2 * DISC)):
            pen = {"fill": "none", "stroke": colour, "stroke-width": str(width), "stroke-linecap": "round"}
            ET.SubElement(layer, "path", {"class": name, **pen, "d": dots})

    def label(self, _write: object) -> None:
        """Vertices have no coordinates to be labelled with."""


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
