"""Draws tours, and several routes on one graph, as SVG; shows spaces, tours and answers in notebooks.

Routes have a colour each; the ends of a path are discs, and a path of one vertex is a disc alone. The eight colours
were chosen by exchange so that any two are at least 30 apart in CIELAB, seen as they are and by people with any of the
three kinds of colour blindness (Machado, Oliveira & Fernandes 2009). More routes take them again, first lighter, then
darker.

The line of a tour changes colour from the first move to the last, so it can be followed where it crosses itself; a
closed tour's colours come back to the first. The ramp runs from dark blue to orange, apart in every kind of colour
blindness; the start is a disc and the end a square besides. On small boards each square shows the number of its visit
on a disc above the line; on large ones, where numbers would be too small to read, there is only the line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from xml.etree import ElementTree as ET

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.problem import Move
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.drawing import points
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.points import DISC, INK, MAX_LEGIBLE, MAX_PLACED, MAX_SHADES, PAPER, RAMP

COLOURS = ("#002da5", "#b49600", "#960000", "#2da5b4", "#a587ff", "#e17869", "#5a2d69", "#5a001e")


def routes_svg(graph: Graph, routes: Sequence[Ints], *, closed: bool) -> str:
    """Return SVG of paths, or cycles, on their board or graph; `BadInput` if the graph is too large."""
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
    """Return the colour for the route with this number, from 0."""
    again, place = divmod(number, len(COLOURS))
    other, part = ((0, 0.0), (255, 0.45), (0, 0.45))[again % 3]
    mixed = (round(int(COLOURS[place][at : at + 2], 16) * (1 - part) + other * part) for at in (1, 3, 5))
    return "#" + "".join(f"{light:02x}" for light in mixed)


MAX_SHOWN = 10_000
"""The largest number of squares of a board that a notebook shows by itself."""


def svg(graph: Graph, vertices: Ints, *, closed: bool) -> str:
    """Return SVG of a tour, or a path, on its board or graph. Universal vertices are left out, and the paths between
    them drawn."""
    whole = closed and len(vertices) == graph.order
    apart = graph.space.apart(vertices) if whole and isinstance(graph.space, Source) else None
    return str(drawn_tour(graph, vertices, closed=closed)) if apart is None else routes_svg(*apart, closed=False)


def drawn_tour(graph: Graph, vertices: Ints, *, closed: bool) -> Canvas:
    """Return a canvas with a tour, or a path, on its board or graph; `BadInput` if the graph is too large.

    The vertices are in the order of the visit; boards of at most 24 squares a side have visit numbers.
    """
    whole = len(vertices) == graph.order
    kind = ("Closed tour of" if closed else "Open tour of") if whole else ("Cycle on" if closed else "Path on")
    names = [graph.name(vertex) for vertex in vertices.tolist()]
    ends = f"{len(names)} {graph.nouns[1]}, from {names[0]} {'and back to it' if closed else f'to {names[-1]}'}"
    description = f"{ends}: {' '.join(names)}." if len(names) <= 64 else f"{ends}."
    canvas = Canvas(graph, f"{kind} {graph.called}", description)
    squares, numbers = vertices.tolist(), canvas.side <= MAX_LEGIBLE
    course = squares + squares[:closed]
    _draw_line(canvas, course, closed, 6 if numbers else 10)
    first, last = squares[0], None if closed or len(squares) == 1 else squares[-1]
    if numbers:
        _draw_numbers(canvas, squares, first, last)
    else:
        _draw_ends(canvas, first, last, max(30, round(0.9 * canvas.side)))
    if graph.space.layout and len(graph.space.layout.layers) > 1:
        canvas.landings(course)
        canvas.legend([Key("", "a number at a stub: the layer where the next move lands")])
    return canvas


def _draw_line(canvas: Canvas, course: list[int], closed: bool, width: int) -> None:
    """Draw the line through these vertices, in a colour that changes along it."""
    moves = len(course) - 1
    if not moves:
        return
    layer = canvas.layer("line", fill="none", stroke_width=str(width), stroke_linecap="round", stroke_linejoin="round")
    shades = min(MAX_SHADES, moves)
    stops = [moves * shade // shades for shade in range(shades + 1)]
    for shade in range(shades):
        part = course[stops[shade] : stops[shade + 1] + 1]
        ET.SubElement(
            layer, "path", {"stroke": ramp_colour((shade + 0.5) / shades, closed), "d": canvas.path_data(part)}
        )


def ramp_colour(along: float, closed: bool) -> str:
    """Return the colour of a tour's line at the fraction ``along`` of its length, 0 to 1."""
    if closed:
        along = 1 - abs(2 * along - 1)
    leg, part = divmod(along * (len(RAMP) - 1), 1)
    ends = zip(RAMP[int(leg)], RAMP[min(int(leg) + 1, len(RAMP) - 1)], strict=True)
    return "#" + "".join(f"{round(low + (high - low) * part):02x}" for low, high in ends)


def _draw_numbers(canvas: Canvas, squares: list[int], first: int, last: int | None) -> None:
    """Write the number of its visit on each square, and mark the first and the last."""
    # A number of the most digits lies within its disc with the corners of its box.
    height = min(28.0, 2 * (DISC - 2) / math.hypot(points.text_width(str(len(squares))), 1))
    dots = canvas.layer("discs", stroke=PAPER, stroke_width=str(2 * DISC), stroke_linecap="round")
    # A line of no length with round caps is a disc.
    if inner := [canvas.ground.centre(square) for square in squares if square not in (first, last)]:
        ET.SubElement(dots, "path", {"d": "".join(f"M{x} {y}h0" for x, y in inner)})
    _draw_ends(canvas, first, last, DISC + 3)
    visits = {square: str(visit) for visit, square in enumerate(squares, start=1)}
    ends = {square: visits.pop(square) for square in (first, last) if square is not None}
    canvas.words(canvas.pen("numbers", INK, height), visits, height)
    canvas.words(canvas.pen("numbers ends", PAPER, height), ends, height)


def _draw_ends(canvas: Canvas, first: int, last: int | None, radius: int) -> None:
    """Mark the first square by a disc, and the last, unless it is None, by a square."""
    layer = canvas.layer("ends", stroke=PAPER, stroke_width=str(round(radius / 6)))
    if last is not None:
        x, y = canvas.ground.centre(last)
        side = round(1.8 * radius)
        corner = {"x": str(x - side // 2), "y": str(y - side // 2), "rx": str(radius // 5)}
        look = {"width": str(side), "height": str(side), "fill": ramp_colour(1, closed=False)}
        ET.SubElement(layer, "rect", {"class": "end", **corner, **look})
    x, y = canvas.ground.centre(first)
    disc = {"cx": str(x), "cy": str(y), "r": str(radius), "fill": ramp_colour(0, closed=False)}
    ET.SubElement(layer, "circle", {"class": "start", **disc})


# --- puzzles ---


def drawn_puzzle(graph: Graph, title: str, numbers: Mapping[int, str], *, discs: bool) -> Canvas:
    """Return the drawing of a board with some numbers, perhaps on discs."""
    canvas = Canvas(graph, title, f"{len(numbers)} of {graph.order} numbers are given.")
    if discs:
        layer = canvas.layer("discs", stroke=INK, stroke_width=str(3 * DISC), stroke_linecap="round")
        ET.SubElement(layer, "path", {"d": "".join(f"M{x} {y}h0" for x, y in map(canvas.ground.centre, numbers))})
    canvas.words(canvas.pen("numbers", PAPER if discs else INK, 38), numbers, 38)
    return canvas


def draw_walls(canvas: Canvas, walls: Sequence[Move]) -> None:
    """Draw a thick line on the side between the two squares of each wall."""
    layer = canvas.layer("walls", stroke=INK, stroke_width="14", stroke_linecap="round")
    for ends in walls:
        (x, y), (u, v) = map(canvas.ground.centre, ends)
        side = f"M{(x + u + v - y) // 2} {(y + v + u - x) // 2}L{(x + u - v + y) // 2} {(y + v - u + x) // 2}"
        ET.SubElement(layer, "path", {"d": side})


# --- in notebooks ---


def space_svg(space: Space) -> str | None:
    """Return SVG of the squares, or of the graph, without a tour, for a notebook; None if there are too many vertices,
    or no graph."""
    if not isinstance(space, Source) or len(space) > (MAX_SHOWN if space.layout else MAX_PLACED):
        return None
    return str(Canvas(space.graph, space.called(), f"{len(space)} {space.nouns[1]}."))


def shown_svg(graph: Graph, vertices: Ints, *, closed: bool) -> str | None:
    """Return SVG of a tour for a notebook; None if it is too large to be shown."""
    with suppress(BadInput):
        return svg(graph, vertices, closed=closed) if len(vertices) <= MAX_SHOWN else None
    return None


def small_html(drawn: str) -> str:
    """Return HTML that shows an SVG drawing at most as wide as a column of text."""
    return drawn.replace("<svg ", '<svg style="max-width: 26em; height: auto" ', 1)
