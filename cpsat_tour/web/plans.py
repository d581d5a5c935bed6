"""Where the vertices of a space lie on the page: the ground of the command line's drawings, as JSON."""

from __future__ import annotations

from typing import Any

from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.spaces.board import Board
from cpsat_tour.web.settings import Setting


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
