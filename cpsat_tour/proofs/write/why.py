"""Why there is no tour, in words: an argument in a sentence, the sum of rows behind it, and the theorem that says the
same, if there is one; and the picture: the board with the multipliers on its squares and the cut sets outlined.

A linear combination of rows has a known argument if its multipliers have one of these shapes. Let P be the vertices
with multiplier +1 and Q those with -1 (or both halved), without the apex.

- one row: a vertex with fewer than two edges or more than two required ones, or vertices that no edge leaves;
- P and Q are all vertices: the two colours, and parity;
- P touches only Q, and Q is smaller, or has too little room beside required edges;
- P has few edges to others than Q: a count of edge ends;
- P touches only Q, Q is as large, and a cut set lies round both: Pósa's argument on 4 x n boards;
- P and the shores of cut sets are the parts into which the graph falls without Q, and these are too many (toughness,
  Chvátal 1973).

Of any other combination the sentence gives only the number of rows. Limits: the multipliers alone are looked at, so
that another combination for the same argument is not recognised.

In the picture squares with a positive multiplier and squares with a negative one have a colour each: on an odd board
these are the two colours of the chequers, on a 4 x n board the outer and the inner rows. Lines are the edges whose
bound ``x <= 1`` is used. The squares of a shore are shaded in its colour within a line of it, which lies on them; a
vertex of a graph has a ring for each shore that it is in. The apex, where the ends of an open tour meet, stands beside
the board. The title and the reason stand above, a legend below, which also says what is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from textwrap import fill
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.reduction import SplitVertices
from cpsat_tour.core.space import Space
from cpsat_tour.drawing import points
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.points import DISC, INK, MAX_PLACED, MINUS, OUTLINES, PLUS, RING
from cpsat_tour.formats.describe import joined, listed, plural, tour_sought, tours_sought
from cpsat_tour.presolve.conditions import why_colours_cannot_alternate
from cpsat_tour.proofs.check.claim import sentence_of
from cpsat_tour.proofs.write.combination import Combination, TreeProof
from cpsat_tour.proofs.write.veripb import ClausalProof, CycleRows
from cpsat_tour.spaces.theorems import why_no_tour, why_not_symmetric

Proved = Combination | ClausalProof | TreeProof

WIDTH = 100

MAX_NAMED = 16
"""The most vertices of an argument that are all named; of a larger set the first few are."""

MAX_SUMMED = 64
"""The most vertices, and twice the most edges, named in a line of the sum of rows."""


def in_a_sentence(cycle: CycleRows, proof: Proved) -> str:
    """Return the argument why there is no tour as a sentence without the full stop."""
    argued = _argument(cycle, proof) if isinstance(proof, Combination) else _argument_of_steps(cycle, proof)
    if not cycle.source.graph.directed or cycle.stated.contradiction is not None:
        return argued
    return f"{SplitVertices(cycle.source).meaning}: {argued}"


def _argument_of_steps(cycle: CycleRows, proof: ClausalProof | TreeProof) -> str:
    """Return a phrase about a proof of many steps: the rows that it refutes, and how."""
    parts, before, other = ["two edges at each vertex" + " visited" * bool(cycle.stated.left_out)], "", ""
    if ties := sum(bool(row.others) for row in cycle.stated.symmetric):
        parts.append(f"{plural(ties, 'pair')} of moves made together")
    if proof.cut_sets:
        parts.append(plural(len(proof.cut_sets), "cut set"))
    by = "branch and bound with sums of rows"
    if isinstance(proof, ClausalProof):
        by = f"a clausal proof of {plural(len(proof.lemmas), 'step')}"
    if proof.best is not None:
        better, counted = "more" if proof.best.maximize else "fewer", proof.best.objective.removesuffix("s")
        amount = plural(proof.best.value, cycle.source.graph.nouns[0] if counted == "length" else counted)
        before = f"a tour with {amount} is shown; " * proof.best.shown + f"with {better}, "
    elif proof.tours is not None:
        tours = "the tour is" if proof.tours == 1 else f"each of the {plural(proof.tours, 'tour')} is"
        before, other = f"{tours} shown and excluded, and then ", "other "
    return f"{before}{joined(parts)} have no {other}solution: {by} refutes them"


def in_words(cycle: CycleRows, proof: Proved) -> str:
    """Return the argument in paragraphs: what is impossible, why, and the sum of rows."""
    problem, reason = cycle.source, in_a_sentence(cycle, proof)
    claim = f"There is no {tour_sought(problem)}."
    if proof.best is not None:
        claim = f"N{sentence_of(problem, best=replace(proof.best, shown=False))[1:]}."
    elif proof.tours is not None:
        count, tours = proof.tours, tours_sought(problem, proof.tours)
        claim = f"There {'is' if count == 1 else 'are'} exactly {count:,} {tours}."
    paragraphs = [claim, f"{reason[:1].upper()}{reason[1:]}."]
    if isinstance(proof, Combination) and proof.term_count > 1:
        paragraphs.append(_sum_of_rows(cycle, proof))
    restricted = problem.require or problem.forbid or problem.start is not None or problem.end is not None
    if not proof.tours and proof.best is None and not restricted:
        space, closed = problem.graph.space, problem.closed
        name = "" if problem.symmetry is None else problem.symmetry.name
        paragraphs += filter(None, (why_no_tour(space, closed=closed), why_not_symmetric(space, name, closed=closed)))
    return "\n".join(map(wrapped, paragraphs))


def wrapped(paragraph: str) -> str:
    """Return the paragraph broken into lines of at most `WIDTH`.

    An indented line is indented further where it goes on.
    """
    lines = ""
    for line in paragraph.split("\n"):
        lines += fill(line, WIDTH, subsequent_indent="    " if line.startswith("  ") else "") + "\n"
    return lines


def _sum_of_rows(cycle: CycleRows, proof: Combination) -> str:
    """Return the sum of rows in words, a line for each kind of row and multiplier."""
    lines = ["Add up these rows, each times the number in front; every edge then cancels:"]

    def add(number: int, words: str) -> None:
        lines.append(f"  {'+' * (number > 0)}{proof.fraction_text(number)} x {words}")

    def add_alike(multipliers: Mapping[int, int], row: str, noun: str, name: Callable[[int], str]) -> None:
        most = MAX_SUMMED if noun == "vertex" else MAX_SUMMED // 2
        for number in sorted(set(multipliers.values()), reverse=True):
            alike = [name(key) for key in sorted(multipliers) if multipliers[key] == number]
            add(number, f"[{row}] for {plural(len(alike), noun)}: {listed(alike, most)}")

    add_alike(proof.vertices, "degree of v = 2", "vertex", cycle.name)
    for shore, number in proof.cut_sets.items():
        add(number, f"[at least 2 edges leave] {listed(map(cycle.name, shore), MAX_SUMMED)}")
    for multipliers, row in (
        (proof.required, "edge = 1, required"),
        (proof.forbidden, "edge = 0, forbidden"),
        (proof.lower, "edge >= 0"),
        (proof.upper, "edge <= 1"),
    ):
        add_alike(multipliers, row, "edge", cycle.edge_name)
    if cycle.apex is not None:
        lines.append(f"Here {cycle.name(cycle.apex)} is one more vertex, which joins the two ends of the tour.")
    lines.append(f"The sum says 0 >= {proof.fraction_text(proof.gain)}.")
    return "\n".join(lines)


# --- the argument behind a combination ---


def _argument(cycle: CycleRows, proof: Combination) -> str:
    """Return the argument as a sentence without the full stop: a well-known one if the multipliers have its shape, else
    how many rows are summed."""
    if proof.contradiction:
        return cycle.stated.contradiction or ""
    if len(proof.vertices) + len(proof.cut_sets) < 2:
        return _one_row_argument(cycle, proof)
    alike = len(set(map(abs, proof.vertices.values()))) == 1
    if (
        alike
        and (cycle.apex is None or proof.vertices.get(cycle.apex, 0) < 0)
        and (known := _Sides(cycle, proof).known_argument())
    ):
        return known
    rows = [plural(len(proof.vertices), "degree row")]
    if proof.cut_sets:
        rows.append(plural(len(proof.cut_sets), "cut set"))
    if fixed := len(proof.required) + len(proof.forbidden):
        rows.append(plural(fixed, "required or forbidden move"))
    return f"multiplied and added, {joined(rows)} say that 0 is at least {proof.fraction_text(proof.gain)}"


def _one_row_argument(cycle: CycleRows, proof: Combination) -> str:
    """Return the argument of a refutation by a single row: of a vertex, an edge or a cut set."""
    if proof.cut_sets:
        (shore,) = proof.cut_sets
        if not (proof.upper or proof.required):
            return f"no move leads out of {_words_for(cycle, shore)}"
        crossing = [cycle.edge_name(edge) for edge in cycle.cut_set(shore).tolist() if edge not in proof.forbidden]
        return f"a tour leaves {_words_for(cycle, shore)} and comes back, and only {listed(crossing)} leads out"
    if not proof.vertices:
        return f"the move {cycle.edge_name(next(iter(proof.required)))} is both required and forbidden"
    ((vertex, multiplier),) = proof.vertices.items()
    edges, name = cycle.incidence[vertex], _words_for(cycle, [vertex])
    if multiplier < 0:
        fixed = [edge for edge in edges if edge in proof.required]
        ends = sum(int(cycle.heads[edge]) == cycle.apex for edge in fixed)
        meet = f"{plural(len(fixed) - ends, 'required move')} meet at {name}{' and it is an end' * bool(ends)}"
        return f"{meet}, and a tour has two moves there, or one at an end"
    left = [edge for edge in edges if edge not in proof.forbidden and int(cycle.heads[edge]) != cycle.apex]
    if not left:
        return f"{name} has no move"
    return f"{name} has only the move {cycle.edge_name(left[0])}, and a tour comes and goes"


def _words_for(cycle: CycleRows, vertices: Collection[int]) -> str:
    """Return a phrase for a set of vertices, such as ``square a1`` or ``the 6 light squares of the outer rows``."""
    noun, nouns = cycle.problem.graph.nouns
    if len(vertices) == 1:
        return f"{noun} {cycle.name(next(iter(vertices)))}"
    if cycle.apex not in vertices and (words := region_words(cycle.problem.graph.space, vertices)):
        return f"the {len(vertices)} {words}"
    return f"the {len(vertices)} {nouns} {listed(map(cycle.name, sorted(vertices)), MAX_NAMED)}"


class _Sides:
    """A combination whose multipliers are +1 at the ``first`` vertices and -1 at the ``second`` ones, and at the apex
    if there is one."""

    def __init__(self, cycle: CycleRows, proof: Combination) -> None:
        self.cycle, self.proof = cycle, proof
        self.first = [vertex for vertex, number in proof.vertices.items() if number > 0]
        self.second = [vertex for vertex, number in proof.vertices.items() if number < 0 and vertex != cycle.apex]
        self.first_words, self.second_words = (_words_for(cycle, side) for side in (self.first, self.second))
        self.touch = f"{self.first_words} {'touches' if len(self.first) == 1 else 'touch'} only {self.second_words}"
        self.closed = cycle.problem.closed
        self.square, self.squares = cycle.problem.graph.nouns

    def known_argument(self) -> str | None:
        """Return the well-known argument whose shape the combination has, or None."""
        proof = self.proof
        if proof.cut_sets:
            return None if proof.upper or proof.required else self.posa_argument() or self.toughness_argument()
        if proof.upper:
            return self.degree_argument()
        return self.colour_argument() or (self.room_argument() if proof.required else self.neighbour_argument())

    def colour_argument(self) -> str | None:
        """Return the argument that the colours can't alternate; None unless the two sets are all vertices and every
        move leads from one to the other."""
        cycle, proof, problem = self.cycle, self.proof, self.cycle.problem
        within = any(int(cycle.heads[edge]) != cycle.apex for edge in (*proof.lower, *proof.required))
        if within or len(proof.vertices) < cycle.order:
            return None
        return why_colours_cannot_alternate(problem, problem.allowed)

    def neighbour_argument(self) -> str | None:
        """Return the argument that the first vertices touch only the second ones, which are too few; None without
        second ones."""
        if not self.second:
            return None
        if self.closed:
            return f"{self.touch}: a closed tour needs one of these after each of those, {len(self.first)} in all"
        return f"{self.touch}: an open tour needs one of these between any two of those, at least {len(self.first) - 1}"

    def room_argument(self) -> str | None:
        """Return the argument that required moves leave the second vertices, which alone the first ones touch, too
        little room; None without second ones, or on an open tour."""
        cycle = self.cycle
        if not self.second or cycle.apex is not None:
            return None
        ends = np.concatenate([cycle.tails[cycle.required], cycle.heads[cycle.required]])
        made = np.bincount(ends, minlength=cycle.order)
        needs, room = (2 * len(side) - int(made[side].sum()) for side in (self.first, self.second))
        moves = "required and forbidden moves" if self.proof.forbidden else "required moves"
        makes = f"a closed tour makes {plural(needs, 'other move')} there, and there is room for {room}"
        return f"but for {moves} {self.touch}: {makes}"

    def degree_argument(self) -> str | None:
        """Return the argument that the first vertices need more edges than the second ones and a few other edges can
        give.

        None if a set is empty, or required moves or the apex take part.
        """
        cycle, proof, first, second = self.cycle, self.proof, self.first, self.second
        at_the_apex = any(int(cycle.heads[edge]) == cycle.apex for edge in proof.upper)
        if proof.required or not first or not second or at_the_apex:
            return None
        ends = f"{2 * len(first)}" if self.closed else f"at least {2 * len(first) - 2}"
        beside = sum(proof.upper.values()) // abs(proof.vertices[first[0]])
        elsewhere = listed(map(cycle.edge_name, proof.upper), MAX_NAMED)
        needs = f"the moves of {'a closed' if self.closed else 'an open'} tour have {ends} ends at {self.first_words}"
        takes = f"{self.second_words} take{'s' * (len(second) == 1)} at most {2 * len(second)} of them"
        return f"{needs}: {takes}, and the other moves there, {elsewhere}, at most {beside}"

    def posa_argument(self) -> str | None:
        """Return Pósa's argument: a tour never leaves the two sets, as the first vertices use up all moves of the
        second ones. None if the sets don't fit it."""
        cycle, count, both = self.cycle, len(self.first), len(self.first) + len(self.second)
        if cycle.apex is not None or count != len(self.second):
            return None
        if list(self.proof.cut_sets) != [cycle.shore(self.first + self.second)]:
            return None
        return (
            f"{self.touch}: the {both} moves that a closed tour makes at the first {count} are "
            f"all its moves at the other {count}, so it never leaves these {both} {self.squares}, and there are "
            f"{cycle.order - both} others"
        )

    def toughness_argument(self) -> str | None:
        """Return the argument that the graph without the second vertices falls into too many parts; None if the parts
        touch."""
        first, second = self.first, self.second
        if not second or not self._parts_are_apart():
            return None
        parts, most = len(first) + len(self.proof.cut_sets), len(second) + (not self.closed)
        single = f", {len(first)} of them one {self.square} each" * bool(first)
        falls = f"without {self.second_words} the others fall into {parts} parts or more{single}"
        return f"{falls}, and {'a closed' if self.closed else 'an open'} tour into at most {plural(most, 'piece')}"

    def _parts_are_apart(self) -> bool:
        """Return True if the two sets and the parts that the shores cut off have no vertex in common, and all
        multipliers are of the same size."""
        proof, both, order = self.proof, set(self.proof.vertices), range(self.cycle.order)
        parts = [set(shore) if both.isdisjoint(shore) else set(order).difference(shore) for shore in proof.cut_sets]
        apart = sum(map(len, (both, *parts))) == len(both.union(*parts))
        return apart and len({*proof.cut_sets.values(), *map(abs, proof.vertices.values())}) == 1


# --- numbers of things, lists of names, sets of squares ---


def region_words(space: Space, vertices: Collection[int]) -> str | None:
    """Return a phrase for a set of squares, such as ``light squares of the outer rows``; None if none fits."""
    where, layout = space.coordinates, space.layout
    if where is None or layout is None or len(layout.layers) != 1:
        return None
    dark = layout.dark
    chosen = set(vertices)
    lines = where[list(chosen)]
    for axis, side in enumerate(("rows", "files")):
        length = layout.layers[0].cells.shape[axis]
        here, outer = set(lines[:, axis].tolist()), {0, length - 1}
        place = "outer" if here == outer else "inner" if here == set(range(length)) - outer else None
        if length < 3 or place is None:
            continue
        there = np.isin(where[:, axis], list(here))
        for shade, word in ((np.True_, ""), (~dark, "light "), (dark, "dark ")):
            if set(np.flatnonzero(there & shade).tolist()) == chosen:
                return f"{word}{space.nouns[1]} of the {place} {side}"
    return None


MAX_NUMBERED = 24
"""The longest side of a board whose multipliers are written out."""

MAX_OUTLINED = 4
"""The most cut sets that are outlined; more would be a tangle."""

MIN_NAME = 12
"""The least height of a name on a point; longer ones stand beside it."""


def picture(cycle: CycleRows, proof: Proved, tick: Callable[[], None]) -> str | None:
    """Draw the argument and return it as SVG text; None if the graph is too large or has no vertices.

    ``tick`` is called between its parts.
    """
    graph, layout = cycle.problem.graph, cycle.problem.graph.space.layout
    if not graph.order or (layout is None and graph.order > MAX_PLACED):
        return None
    shores = list(proof.cut_sets)[:MAX_OUTLINED]
    apex = "" if cycle.apex is None else cycle.name(cycle.apex)
    title, reason = f"Why there is no {tour_sought(cycle.source)}", in_a_sentence(cycle, proof)
    height = min(24.0, 1.7 * DISC / max(map(points.text_width, cycle.stated.names)))
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
        keys.append(Key(colour, f"{times}at least two edges leave these {plural(len(shore), graph.nouns[0])}", 8))
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
    """Return a multiplier as text with its sign."""
    return f"{'+' * (multiplier > 0)}{proof.fraction_text(multiplier).replace('1/2', '½')}"


def _draw_multipliers(canvas: Canvas, cycle: CycleRows, proof: Combination, tick: Callable[[], None]) -> list[Key]:
    """Colour vertices by the signs of their multipliers, write the multipliers, draw the edges whose bounds are used,
    and return the legend's keys."""
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
