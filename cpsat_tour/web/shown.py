"""What the page draws, as JSON: where the vertices of a space lie, as on the ground of the command line's drawings; and
a certificate, what stands on which vertex and the rows as they add up, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.proofs.write.arguments import counted
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.spaces.board import Board
from cpsat_tour.web.settings import Setting, as_sentence

MAX_ROWS = 100
"""Of a sum of more rows the steps are not shown one by one."""


def plan(setting: Setting) -> dict[str, Any]:
    """Return names and places of the vertices, then those of holes; their neighbours, their shades, the pieces of moves
    that are not one straight line, and what is written beside them."""
    graph, space = setting.graph, setting.source
    ground = Squares(space) if space.layers() else Points(graph)
    centres = [ground.centre(vertex) for vertex in range(graph.order)]
    if holes := space.without():
        whole = Board(setting.rows, setting.cols)
        centres += [Squares(whole).centre(whole.vertex(hole)) for hole in holes]
    labels: list[tuple[str, float, float, float]] = []
    ground.label(lambda *label: labels.append(label))
    dark = space.dark()
    moves = zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)
    return {
        "event": "plan",
        "called": graph.called,
        "nouns": graph.nouns,
        "order": graph.order,
        "names": [*(graph.name(vertex) for vertex in range(graph.order)), *holes],
        "x": [x for x, _ in centres],
        "y": [y for _, y in centres],
        "box": ground.box,
        "side": ground.side,
        "dark": None if dark is None else dark.astype(int).tolist(),
        "squares": isinstance(ground, Squares),
        "outline": ground.outline(range(graph.order)) if isinstance(ground, Squares) else "",
        "labels": labels,
        "label": ground.label_height,
        "neighbours": [graph.neighbours(vertex).tolist() for vertex in range(graph.order)],
        "pieces": [[tail, head, pieces] for tail, head in moves if (pieces := ground.pieces(tail, head))],
    }


def shown_certificate(certificate: Certificate) -> dict[str, Any]:
    """The event that ends a proof: multipliers as ``[vertex, "+1/2"]``, shores of cut sets and bounded edges as lists
    of vertices."""
    problem, cycle, proof = certificate.problem, certificate.cycle, certificate.proof
    multipliers: list[Any] = []
    bounds: list[Any] = []
    if isinstance(proof, Combination):
        multipliers = [
            [vertex, ("+" if number > 0 else "") + proof.value(number)]
            for vertex, number in proof.vertices.items()
            if vertex != cycle.apex
        ]
        ends = [(int(cycle.tails[edge]), int(cycle.heads[edge])) for edge in proof.upper]
        bounds = [[tail, head] for tail, head in ends if cycle.apex not in (tail, head)]
    return {
        "event": "certificate",
        "method": certificate.method,
        "asked": f"There is no {tour_sought(problem)}.",
        "sentence": as_sentence(certificate.refutation.reason),
        "words": certificate.words(),
        "multipliers": multipliers,
        "bounds": bounds,
        "rows": list(_rows(cycle, proof)) if isinstance(proof, Combination) and proof.terms <= MAX_ROWS else [],
        "cut_sets": [
            [vertex for vertex in shore if vertex != cycle.apex] for shore in certificate.cut_sets[:MAX_OUTLINED]
        ],
    }


def _rows(cycle: CycleRows, proof: Combination) -> Iterator[dict[str, Any]]:
    """Each row of the sum in words, with the squares it is about, and the sum so far: its right side and the edges with
    their coefficients."""
    coefficients = np.zeros(cycle.size, dtype=np.int64)
    right = 0
    ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))

    def row(words: str, vertices: Iterable[int], number: int) -> dict[str, Any]:
        left = [
            [*(-1 if end == cycle.apex else end for end in ends[edge]), proof.value(int(coefficients[edge]))]
            for edge in np.flatnonzero(coefficients).tolist()
        ]
        times = proof.value(abs(number))
        sign = ("" if number > 0 else "minus ") + ("" if times == "1" else f"{times} times ")
        shown = [vertex for vertex in vertices if vertex != cycle.apex]
        return {"words": f"{sign}{words}", "vertices": shown, "right": proof.value(right), "edges": left}

    def add(edges: Any, number: int, bound: int) -> None:
        nonlocal right
        coefficients[edges] += number
        right += bound * number

    for vertex, number in proof.vertices.items():
        add(list(cycle.incidence[vertex]), number, 2)
        yield row(f"two edges meet at {cycle.name(vertex)}", [vertex], number)
    for shore, number in proof.cut_sets.items():
        add(cycle.cut(shore), number, 2)
        yield row(f"at least two edges leave the shore of {len(shore)} {cycle.problem.graph.nouns[1]}", shore, number)
    for words, edges, bound in (("is required", proof.required, 1), ("is forbidden", proof.forbidden, 0)):
        for edge, number in edges.items():
            add(edge, number, bound)
            yield row(f"{cycle.edge_name(edge)} {words}", ends[edge], number)
    for words, edges, sign in (("at least 0", proof.lower, 1), ("at most 1", proof.upper, -1)):
        for edge, number in edges.items():
            add(edge, sign * number, int(sign < 0))
        if edges:
            yield row(f"{counted(len(edges), 'edge')} {'is' if len(edges) == 1 else 'are'} {words}", (), 1)
