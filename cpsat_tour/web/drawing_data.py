"""Data for the page's drawings: where the vertices of a space lie, as in the command line's drawings, and the parts of
a certificate by their vertices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED
from cpsat_tour.spaces.board import Board
from cpsat_tour.web.protocol import Setting, as_sentence


def layout_event(setting: Setting, heartbeat: Callable[..., None]) -> dict[str, Any]:
    """Return the event that lays out a space: names and coordinates of the vertices and then of holes, neighbours,
    shades, labels, the pieces of moves that are not one straight line, and the titles of the vertices' layers.

    The heartbeat, which may raise an exception, comes at each label and between moves: in a dense graph they take
    seconds.
    """
    graph, space = setting.graph, setting.source
    ground = Points(graph) if space.layout is None else Squares(space.layout)
    centres = [ground.centre(vertex) for vertex in range(graph.order)]
    if holes := space.hole_names():
        whole = Board(setting.rows, setting.cols)
        centres += [Squares(whole.layout).centre(whole.vertex(hole)) for hole in holes]
    labels: list[tuple[str, float, float, float]] = []

    def write(*label: Any) -> None:
        """Keep a label."""
        heartbeat()
        labels.append(label)

    ground.label(write)
    moves = with_heartbeats(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), heartbeat, graph.order)
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
        "dark": space.layout and space.layout.dark.astype(int).tolist(),
        "squares": isinstance(ground, Squares),
        "outline": ground.outline(range(graph.order)) if isinstance(ground, Squares) else "",
        "labels": labels,
        "label": ground.label_height,
        "neighbours": [graph.neighbours(vertex).tolist() for vertex in range(graph.order)],
        "pieces": [[*move, pieces] for move in moves if (pieces := ground.segments(*move))],
        "titles": ground.titles,
    }


def shown_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return the event that ends a proof: multipliers as ``[vertex, "+1/2"]``, the shores of cut sets and the bounded
    edges as lists of vertices."""
    problem, cycle, proof = certificate.problem, certificate.cycle, certificate.proof
    multipliers: list[Any] = []
    bounds: list[Any] = []
    if isinstance(proof, Combination):
        multipliers = [
            [vertex, ("+" if number > 0 else "") + proof.fraction_text(number)]
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
        "cut_sets": [
            [vertex for vertex in shore if vertex != cycle.apex] for shore in list(proof.cut_sets)[:MAX_OUTLINED]
        ],
    }
