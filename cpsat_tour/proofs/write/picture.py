"""Why there is no tour, as a picture: the board with the multipliers on its squares and the cut sets outlined.

Squares with a positive multiplier and squares with a negative one have a colour each: on an odd board these are the two
colours of the chequers, on a 4 x n board the outer and the inner rows. Lines are the edges whose bound ``x <= 1`` is
used. A legend says so below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.ink import INK, MINUS, OUTLINES, PLUS
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.rows import CycleRows, Vertices
from cpsat_tour.proofs.write.why import Proved, in_a_sentence

MAX_NUMBERED = 24
"""The longest side of a board whose multipliers are written out."""

MAX_OUTLINED = 6
"""So many cut sets are outlined; more would be a tangle."""


def picture(cycle: CycleRows, proof: Proved, tick: Callable[[], None]) -> str | None:
    """The picture as SVG text; None of a graph that is too large, or has no vertices. ``tick`` is called between its
    parts."""
    graph = cycle.problem.graph
    if not graph.order or (not graph.space.layers() and graph.order > MAX_VERTICES):
        return None
    title = f"Why there is no {cycle.source.kind} tour of {cycle.source.graph.called}"
    canvas = Canvas(graph, title, in_a_sentence(cycle, proof), names=False)
    tick()
    if isinstance(proof, Combination):
        for name, colour, sign in (("plus", PLUS, 1), ("minus", MINUS, -1)):
            _colour(
                canvas,
                name,
                colour,
                [vertex for vertex, number in proof.vertices.items() if number * sign > 0 and vertex != cycle.apex],
            )
            tick()
        _bounds(canvas, cycle, proof)
    _cut_sets(canvas, cycle, list(proof.cut_sets)[:MAX_OUTLINED])
    tick()
    if isinstance(proof, Combination) and canvas.side <= MAX_NUMBERED:
        words = {
            vertex: _word(proof.value(number)) for vertex, number in proof.vertices.items() if vertex != cycle.apex
        }
        canvas.words(canvas.pen("multipliers", INK, 30), words, 30)
    canvas.legend(list(_keys(cycle, proof)))
    return str(canvas)


def _keys(cycle: CycleRows, proof: Proved) -> Iterator[Key]:
    """What the colours and lines of the picture mean."""
    noun = cycle.problem.graph.nouns[0]
    if isinstance(proof, Combination):
        multipliers = [number for vertex, number in proof.vertices.items() if vertex != cycle.apex]
        if any(number > 0 for number in multipliers):
            yield Key(PLUS, f"added: two edges meet at each {noun}")
        if any(number < 0 for number in multipliers):
            yield Key(MINUS, f"taken away: two edges meet at each {noun}")
        if len(proof.upper):
            yield Key(INK, "added: an edge is used at most once", 5)
    for place, _ in zip(range(MAX_OUTLINED), proof.cut_sets, strict=False):
        yield Key(
            OUTLINES[place],
            "added: at least two edges leave this shore"
            if isinstance(proof, Combination)
            else "at least two edges leave this shore",
            8,
        )


def _colour(canvas: Canvas, name: str, colour: str, vertices: list[int]) -> None:
    if vertices:
        ET.SubElement(
            canvas.layer(name, fill=colour, fill_opacity="0.45"), "path", {"d": canvas.ground.outline(vertices)}
        )


def _word(value: str) -> str:
    """A multiplier in the signs there are: ``+1``, ``-½``."""
    return ("" if value.startswith("-") else "+") + value.replace("1/2", "½")


def _bounds(canvas: Canvas, cycle: CycleRows, proof: Combination) -> None:
    layer = canvas.layer(
        "bounds", fill="none", stroke=INK, stroke_width="5", stroke_linecap="round", stroke_opacity="0.6"
    )
    for edge in proof.upper:
        ends = int(cycle.tails[edge]), int(cycle.heads[edge])
        if cycle.apex not in ends:
            ET.SubElement(layer, "path", {"d": canvas.line(ends)})


def _cut_sets(canvas: Canvas, cycle: CycleRows, shores: list[Vertices]) -> None:
    """Outline the shores, the first one broadest, so that where lines lie on each other all are seen."""
    layer = canvas.layer("cut-sets", fill="none", stroke_linejoin="round")
    for place, (shore, colour) in enumerate(zip(shores, OUTLINES, strict=False)):
        vertices = [vertex for vertex in shore if vertex != cycle.apex]
        width = str(4 + 5 * (len(shores) - place))
        ET.SubElement(layer, "path", {"stroke": colour, "stroke-width": width, "d": canvas.ground.outline(vertices)})
