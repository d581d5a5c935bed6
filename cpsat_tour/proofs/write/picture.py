"""The picture of why there is no tour: the board with the multipliers on its squares and the cut sets outlined.

Squares with a positive multiplier and squares with a negative one have a colour each: on an odd board these are the two
colours of the chequers, on a 4 x n board the outer and the inner rows. Lines are the edges whose bound ``x <= 1`` is
used. The squares of a shore have its colour. A title and a legend below say so.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.ink import INK, MINUS, OUTLINES, PLUS
from cpsat_tour.drawing.points import MAX_PLACED
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.cycle_rows import CycleRows
from cpsat_tour.proofs.write.why import Proved, in_a_sentence

MAX_NUMBERED = 24
"""The longest side of a board whose multipliers are written out."""

MAX_OUTLINED = 6
"""So many cut sets are outlined; more would be a tangle."""


def picture(cycle: CycleRows, proof: Proved, tick: Callable[[], None]) -> str | None:
    """Return the picture as SVG text; None if the graph is too large or has no vertices. ``tick`` is called between its
    parts."""
    graph = cycle.problem.graph
    if not graph.order or (graph.space.layout is None and graph.order > MAX_PLACED):
        return None
    title = f"Why there is no {cycle.source.kind} tour of {cycle.source.graph.called}"
    canvas = Canvas(graph, title, in_a_sentence(cycle, proof), names=False)
    tick()
    keys = _draw_multipliers(canvas, cycle, proof, tick) if isinstance(proof, Combination) else []
    layer = canvas.layer("cut-sets", fill_opacity="0.15", fill_rule="evenodd", stroke_linejoin="round")
    noun = cycle.problem.graph.nouns[1]
    meaning = f"{'added: ' * isinstance(proof, Combination)}at least two edges leave these {noun}"
    shores = list(proof.cut_sets)[:MAX_OUTLINED]
    for place, shore in enumerate(shores):  # the first line is the broadest, so that all of them are seen
        outline = canvas.ground.outline([vertex for vertex in shore if vertex != cycle.apex])
        width = str(4 + 5 * (len(shores) - place))
        ET.SubElement(
            layer, "path", {"fill": OUTLINES[place], "stroke": OUTLINES[place], "stroke-width": width, "d": outline}
        )
        keys.append(Key(OUTLINES[place], meaning, 8))
    tick()
    if isinstance(proof, Combination) and canvas.side <= MAX_NUMBERED:
        signed = {v: f"{'+' * (number > 0)}{proof.fraction_text(number)}" for v, number in proof.vertices.items()}
        words = {v: number.replace("1/2", "½") for v, number in signed.items() if v != cycle.apex}
        canvas.words(canvas.pen("multipliers", INK, 30), words, 30)
    canvas.legend([Key("", title), *keys])
    return str(canvas)


def _draw_multipliers(canvas: Canvas, cycle: CycleRows, proof: Combination, tick: Callable[[], None]) -> list[Key]:
    """Colour vertices by the signs of their multipliers, draw the edges whose bound is used, and return the legend's
    keys."""
    keys = []
    noun = cycle.problem.graph.nouns[0]
    for name, colour, sign, done in (("plus", PLUS, 1, "added"), ("minus", MINUS, -1, "taken away")):
        vertices = [v for v, number in proof.vertices.items() if number * sign > 0 and v != cycle.apex]
        if vertices:
            layer = canvas.layer(name, fill=colour, fill_opacity="0.45")
            ET.SubElement(layer, "path", {"d": canvas.ground.outline(vertices)})
            keys.append(Key(colour, f"{done}: two edges meet at each {noun}"))
        tick()
    layer = canvas.layer(
        "bounds", fill="none", stroke=INK, stroke_width="5", stroke_linecap="round", stroke_opacity="0.6"
    )
    for edge in proof.upper:
        ends = int(cycle.tails[edge]), int(cycle.heads[edge])
        if cycle.apex not in ends:
            ET.SubElement(layer, "path", {"d": canvas.path_data(ends)})
    if proof.upper:
        keys.append(Key(INK, "added: an edge is used at most once", 5))
    return keys
