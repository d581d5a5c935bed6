"""What a notebook shows of a space, a tour or an answer: a drawing where one can be made and is not too large, else
words."""

from __future__ import annotations

from html import escape

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Source
from cpsat_tour.core.space import Space
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.points import MAX_VERTICES

MAX_SHOWN = 10_000
"""Squares of the largest board that is drawn without being asked for."""

MAX_WORDS = 100
"""Names of vertices that are listed."""


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
        return tour.svg()
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
