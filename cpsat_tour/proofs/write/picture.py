"""The picture of why there is no tour: the board with the multipliers on its squares and the cut sets outlined.

Squares with a positive multiplier and squares with a negative one have a colour each: on an odd board these are the two
colours of the chequers, on a 4 x n board the outer and the inner rows. Lines are the edges whose bound ``x <= 1`` is
used. The squares of a shore are shaded in its colour within a line of it, which lies on them; a vertex of a graph has a
ring for each shore that it is in. The apex, where the ends of an open tour meet, stands beside the board. The title and
the reason stand above, a legend below, which also says what is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from xml.etree import ElementTree as ET

from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.ink import DISC, INK, MINUS, OUTLINES, PLUS
from cpsat_tour.drawing.points import MAX_PLACED, RING
from cpsat_tour.formats.describe import joined, plural, tour_sought
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.veripb import CycleRows
from cpsat_tour.proofs.write.why import Proved, in_a_sentence

MAX_NUMBERED = 24
"""The longest side of a board whose multipliers are written out."""

MAX_OUTLINED = 4
"""So many cut sets are outlined; more would be a tangle."""

MIN_NAME = 12
"""The least height of a name on a point; longer ones stand beside it."""


def picture(cycle: CycleRows, proof: Proved, tick: Callable[[], None]) -> str | None:
    """Return the picture as SVG text; None if the graph is too large or has no vertices. ``tick`` is called between its
    parts."""
    graph, layout = cycle.problem.graph, cycle.problem.graph.space.layout
    if not graph.order or (layout is None and graph.order > MAX_PLACED):
        return None
    shores = list(proof.cut_sets)[:MAX_OUTLINED]
    apex = "" if cycle.apex is None else cycle.name(cycle.apex)
    title, reason = f"Why there is no {tour_sought(cycle.source)}", in_a_sentence(cycle, proof)
    height = min(24.0, 1.7 * DISC / max(map(ink.width, cycle.stated.names)))
    on_points = not layout and not isinstance(proof, Combination) and height >= MIN_NAME
    canvas = Canvas(graph, title, reason, apex=apex, rings=len(shores), names=not on_points)
    tick()
    keys, left_out = list[Key](), {"other cut set": len(proof.cut_sets) - MAX_OUTLINED}
    if isinstance(proof, Combination):
        keys += _draw_multipliers(canvas, cycle, proof, tick)
        left_out |= {"required edge": len(proof.required), "forbidden edge": len(proof.forbidden)}
        left_out["lower bound"] = len(proof.lower)
    shade = "0.15" if layout else "0"
    layer = canvas.layer("cut-sets", fill_opacity=shade, fill_rule="evenodd", stroke_linejoin="round")
    lines = defaultdict[int, int](int)  # at each vertex, so that those of two cut sets don't lie on each other
    for colour, shore in zip(OUTLINES, shores, strict=False):
        drawn = ""
        for part in [shore] if layout else [(vertex,) for vertex in shore]:
            before = max(lines[vertex] for vertex in part)
            drawn += canvas.ground.outline(part, 5 + RING * before)
            lines |= dict.fromkeys(part, before + 1)
        ET.SubElement(layer, "path", {"fill": colour, "stroke": colour, "stroke-width": str(RING - 2), "d": drawn})
        times = f"{_signed(proof, proof.cut_sets[shore])}: " if isinstance(proof, Combination) else ""
        keys.append(Key(colour, f"{times}at least two edges leave these {graph.nouns[1]}", 8))
    tick()
    if on_points:
        canvas.words(canvas.pen("names", INK, height), dict(enumerate(cycle.stated.names)), height)
    if apex:
        keys.append(Key("", f"{apex}: one more vertex, joined to all others; the ends of the tour meet there"))
    if rows := [plural(number, what) for what, number in left_out.items() if number > 0]:
        keys.append(Key("", f"left out: {joined(rows)}"))
    canvas.legend(keys)
    canvas.heading(title, f"{reason[:1].upper()}{reason[1:]}.")
    return str(canvas)


def _signed(proof: Combination, multiplier: int) -> str:
    """Return a multiplier with its sign."""
    return f"{'+' * (multiplier > 0)}{proof.fraction_text(multiplier).replace('1/2', '½')}"


def _draw_multipliers(canvas: Canvas, cycle: CycleRows, proof: Combination, tick: Callable[[], None]) -> list[Key]:
    """Colour vertices by the signs of their multipliers, draw the edges whose bound is used, write the multipliers, and
    return the legend's keys."""
    keys = []
    noun = cycle.problem.graph.nouns[0]
    for name, colour, sign, done in (("plus", PLUS, 1, "added"), ("minus", MINUS, -1, "taken away")):
        vertices = [v for v, number in proof.vertices.items() if number * sign > 0]
        if vertices:
            layer = canvas.layer(name, fill=colour, fill_opacity="0.45")
            ET.SubElement(layer, "path", {"d": canvas.ground.outline(vertices)})
            keys.append(Key(colour, f"{done}: two edges meet at each {noun}"))
        tick()
    if proof.upper:
        pen = {"stroke": INK, "stroke_width": "5", "stroke_linecap": "round", "stroke_opacity": "0.4"}
        layer = canvas.layer("bounds", fill="none", **pen)
        for edge in proof.upper:
            ends = int(cycle.tails[edge]), int(cycle.heads[edge])
            ET.SubElement(layer, "path", {"d": canvas.path_data(ends)})
        keys.append(Key(INK, "added: an edge is used at most once", 5))
    if canvas.side <= MAX_NUMBERED:
        words = {v: _signed(proof, number) for v, number in proof.vertices.items()}
        canvas.words(canvas.pen("multipliers", INK, 30), words, 30)
    return keys
