"""Data for the page's drawings and the files that it exports: where the vertices of a space lie, as in the command
line's drawings, and the parts of a certificate by their vertices.

Files are as the command line writes them: a walk or the picture of a proof as SVG, the knight walking as GIF, a tour
file as JSON.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.tour_files import tour_file_data
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED, picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.tour import Answer
from cpsat_tour.web.play import check_walk
from cpsat_tour.web.protocol import Export, Setting, as_sentence


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


PROOF_SECONDS = 10.0


def _svg_bytes(export: Export, heartbeat: Callable[..., None]) -> bytes:
    """Return the path as SVG, or the picture of a proof; `BadInput` if there is no such picture."""
    if not export.proof:
        return svg(export.setting.graph, np.array(export.path, dtype=np.int32), closed=export.closed).encode()
    found = prove(export.setting.problem, limits=Limits(seconds=PROOF_SECONDS), on_event=heartbeat)
    if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, heartbeat)) is None:
        raise BadInput("there is no picture of a proof here")
    return drawn.encode()


def _gif_bytes(export: Export, heartbeat: Callable[..., None]) -> bytes:
    """Return the path as a GIF of the knight walking; `BadInput` without Pillow or resvg-py."""
    require("a GIF picture", "PIL", "resvg_py")
    from cpsat_tour.drawing.gif import gif_of_walk

    return gif_of_walk(export.setting.graph, export.path, closed=export.closed, heartbeat=heartbeat)


def _tour_file_bytes(export: Export, _heartbeat: Callable[..., None]) -> bytes:
    """Return the tour file of the path; `BadInput` if it is not a whole tour."""
    graph, walked = export.setting.graph, len(export.path)
    if walked < graph.order:
        raise BadInput(
            f"a tour file holds a whole tour, and this walk has {walked} of {graph.order} {graph.nouns[1]}: its link "
            "keeps it"
        )
    told = tour_file_data(Problem(graph, export.closed), np.array(export.path, dtype=np.int32))
    return f"{json.dumps(told, ensure_ascii=False)}\n".encode()


FORMS = {
    "svg": (_svg_bytes, "image/svg+xml"),
    "gif": (_gif_bytes, "image/gif"),
    "json": (_tour_file_bytes, "application/json"),
}


def export_event(question: Export, heartbeat: Callable[..., None]) -> dict[str, Any]:
    """Return the event that has the file in base 64, and its media type; the heartbeat may raise an exception."""
    if not (question.path or question.proof):
        raise BadInput("a path needs a vertex: give one such as [0, 10]")
    check_walk(Problem(question.setting.graph, question.setting.closed), question.path)
    write, media_type = FORMS[question.form]
    return {"event": "file", "type": media_type, "data": b64encode(write(question, heartbeat)).decode()}
