"""A tour as an SVG drawing, and what a notebook shows of a space, a tour or an answer: a drawing where one can be made
and is not too large, else words.

The line changes colour from the first move to the last, so its course can be followed where it crosses itself; a closed
tour's colours come back to the first. The ramp runs from dark blue to orange and falls in no kind of colour blindness
together; the start is a disc and the end a square besides. On small boards each square shows the number of its visit on
a disc that the line passes under; on large ones, where numbers would be too small to read, there is the line alone.
"""

from __future__ import annotations

import math
from html import escape
from xml.etree import ElementTree as ET

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.ink import DISC, INK, MAX_LEGIBLE, MAX_SHADES, PAPER, RAMP
from cpsat_tour.drawing.points import MAX_VERTICES

MAX_SHOWN = 10_000
"""Squares of the largest board that is drawn without being asked for."""

MAX_WORDS = 100
"""Names of vertices that are listed."""


def svg(graph: Graph, vertices: Ints, *, closed: bool) -> str:
    """The tour, or a path, on its board or graph as SVG text; the vertices are in the order of the visit. `BadInput` on
    too large graphs.

    Visit numbers stand on the squares of boards of at most 24 squares a side.
    """
    whole = (
        f"{'Closed' if closed else 'Open'} tour of"
        if len(vertices) == graph.order
        else f"{'Cycle' if closed else 'Path'} on"
    )
    canvas = Canvas(graph, f"{whole} {graph.called}", _description(graph, vertices, closed))
    numbers = canvas.side <= MAX_LEGIBLE
    course = vertices.tolist()
    _line(canvas, course, closed, 6 if numbers else 10)
    if numbers:
        _numbers(canvas, course, closed)
    else:
        _mark(canvas, course[0], None if closed or len(course) == 1 else course[-1], max(30, round(0.9 * canvas.side)))
    if len(graph.space.layers()) > 1:
        canvas.legend([Key("", "a stub with a bar leads to another layer")])
    return str(canvas)


def _description(graph: Graph, vertices: Ints, closed: bool) -> str:
    names = [graph.name(vertex) for vertex in vertices[[0, -1]].tolist()]
    course = f"from {names[0]} and back to it" if closed else f"from {names[0]} to {names[1]}"
    if len(vertices) > 64:
        return f"{len(vertices)} {graph.nouns[1]}, {course}."
    return (
        f"{len(vertices)} {graph.nouns[1]}, {course}: {' '.join(graph.name(vertex) for vertex in vertices.tolist())}."
    )


def _line(canvas: Canvas, squares: list[int], closed: bool, width: int) -> None:
    course = squares + squares[:1] if closed else squares
    moves = len(course) - 1
    if not moves:
        return
    layer = canvas.layer("line", fill="none", stroke_width=str(width), stroke_linecap="round", stroke_linejoin="round")
    shades = min(MAX_SHADES, moves)
    stops = [moves * shade // shades for shade in range(shades + 1)]
    for shade in range(shades):
        part = course[stops[shade] : stops[shade + 1] + 1]
        ET.SubElement(layer, "path", {"stroke": ramp_colour((shade + 0.5) / shades, closed), "d": canvas.line(part)})


def ramp_colour(along: float, closed: bool) -> str:
    """The colour of the line at a place from 0, the first move, to 1, the last."""
    if closed:
        along = 1 - abs(2 * along - 1)
    leg, part = divmod(along * (len(RAMP) - 1), 1)
    one, other = RAMP[int(leg)], RAMP[min(int(leg) + 1, len(RAMP) - 1)]
    return "#" + "".join(f"{round(low + (high - low) * part):02x}" for low, high in zip(one, other, strict=True))


def _numbers(canvas: Canvas, squares: list[int], closed: bool) -> None:
    """Each square's visit on a white disc; the start's disc and the end's square are filled."""
    height = _height(len(str(len(squares))))
    first, last = squares[0], None if closed or len(squares) == 1 else squares[-1]
    dots = canvas.layer("discs", stroke=PAPER, stroke_width=str(2 * DISC), stroke_linecap="round")
    # A line of no length with round caps is a disc.
    inner = [canvas.centre(square) for square in squares if square not in (first, last)]
    if inner:
        ET.SubElement(dots, "path", {"d": "".join(f"M{x} {y}h0" for x, y in inner)})
    _mark(canvas, first, last, DISC + 3)
    visits = {square: str(visit) for visit, square in enumerate(squares, start=1)}
    ends = {square: visits.pop(square) for square in (first, last) if square is not None}
    if visits:
        canvas.words(canvas.pen("numbers", INK, height), visits, height)
    canvas.words(canvas.pen("numbers ends", PAPER, height), ends, height)


def _height(digits: int) -> float:
    """How high digits may be so that a number of so many of them lies within its disc, the corners of its box as
    well."""
    half_width, half_height = (ink.width("0" * digits) + ink.PEN) / 2, (1 + ink.PEN) / 2
    return min(28.0, (DISC - 2) / math.hypot(half_width, half_height))


def _mark(canvas: Canvas, first: int, last: int | None, radius: int) -> None:
    layer = canvas.layer("ends", stroke=PAPER, stroke_width=str(round(radius / 6)))
    if last is not None:
        x, y = canvas.centre(last)
        side = round(1.8 * radius)
        corner = {"x": str(x - side // 2), "y": str(y - side // 2), "rx": str(radius // 5)}
        colour = ramp_colour(1, closed=False)
        ET.SubElement(
            layer, "rect", {"class": "end", **corner, "width": str(side), "height": str(side), "fill": colour}
        )
    x, y = canvas.centre(first)
    ET.SubElement(
        layer,
        "circle",
        {"class": "start", "cx": str(x), "cy": str(y), "r": str(radius), "fill": ramp_colour(0, closed=False)},
    )


# --- in notebooks ---


def space_svg(space: Space) -> str | None:
    """The squares, or the graph, alone; None where that can't be shown."""
    if not isinstance(space, Source) or len(space) > (MAX_SHOWN if space.layers() else MAX_VERTICES):
        return None
    return str(Canvas(space.graph, space.called(), f"{len(space)} {space.nouns[1]}."))


def tour_svg(tour: Tour) -> str | None:
    """The tour on its board; None where that can't be shown."""
    if len(tour) > MAX_SHOWN:
        return None
    try:
        return svg(tour.graph, tour.vertices, closed=tour.closed)
    except BadInput:
        return None


def answer_html(answer: Answer) -> str:
    """The tour, or why there is none, or what stopped the search, and below it what found that out."""
    by = f" ({answer.backend}, {answer.seconds:.3g} s)" if answer.backend else ""
    if answer.tour is None:
        known = (
            f"There is no tour: {answer.refutation}"
            if answer.status == "none"
            else f"Unknown; stopped by {answer.stopped_by}"
        )
        return f"<p>{escape(known + by)}</p>"
    drawn = tour_svg(answer.tour)
    if drawn is not None:
        return small(drawn) + f"<p>{escape(f'{len(answer.tour)} {answer.tour.graph.nouns[1]}{by}')}</p>"
    names = answer.tour.names
    more = f" … ({len(names)})" if len(names) > MAX_WORDS else ""
    return f"<p>{escape(' '.join(names[:MAX_WORDS]) + more + by)}</p>"


def small(drawn: str) -> str:
    """A drawing as HTML, no wider than a column of text."""
    return drawn.replace("<svg ", '<svg style="max-width: 26em; height: auto" ', 1)
