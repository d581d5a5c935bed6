"""Draws several routes on one graph as SVG, one colour each; the ends of a path are discs, and a path of one vertex is
a disc alone.

The eight colours were chosen by exchange so that any two are at least 30 apart in CIELAB, seen as they are and by
people with any of the three kinds of colour blindness (Machado, Oliveira & Fernandes 2009). More routes take them
again, first lighter, then darker.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Ints
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.ink import MAX_LEGIBLE, PAPER

COLOURS = ("#002da5", "#b49600", "#960000", "#2da5b4", "#a587ff", "#e17869", "#5a2d69", "#5a001e")


def routes_svg(graph: Graph, routes: Sequence[Ints], *, closed: bool) -> str:
    """Return paths, or cycles, drawn on their board or graph, as SVG; `BadInput` if the graph is too large."""
    name, courses = graph.space.line, [route.tolist() for route in routes]
    what = f"{len(courses)} {'cycle' if closed else 'path'}{'s' * (len(courses) != 1)}"
    short = sum(map(len, courses)) <= 4 * 64
    canvas = Canvas(graph, f"{what} of {graph.called}", "; ".join(map(name, courses)) if short else what)
    legible = canvas.side <= MAX_LEGIBLE
    radius = 18 if legible else max(22, round(0.7 * canvas.side))
    look = {"fill": "none", "stroke_width": "8" if legible else "12", "stroke_linejoin": "round"}
    lines = canvas.layer("line", **look, stroke_linecap="round")
    for number, course in enumerate(courses):
        if drawn := canvas.path_data(course + course[:1] * closed):
            ET.SubElement(lines, "path", {"stroke": route_colour(number), "d": drawn})
    ends = canvas.layer("ends", stroke=PAPER, stroke_width=str(radius // 6))
    for number, course in enumerate([] if closed else courses):
        for x, y in map(canvas.ground.centre, dict.fromkeys((course[0], course[-1]))):
            disc = {"cx": str(x), "cy": str(y), "r": str(radius), "fill": route_colour(number)}
            ET.SubElement(ends, "circle", disc)
    if graph.space.layout and len(graph.space.layout.layers) > 1:
        for course in courses:
            canvas.landings(course + course[:1] * closed)
    return str(canvas)


def route_colour(number: int) -> str:
    """Return the colour of the route of this number, from 0."""
    again, place = divmod(number, len(COLOURS))
    other, part = ((0, 0.0), (255, 0.45), (0, 0.45))[again % 3]
    mixed = (round(int(COLOURS[place][at : at + 2], 16) * (1 - part) + other * part) for at in (1, 3, 5))
    return "#" + "".join(f"{light:02x}" for light in mixed)
