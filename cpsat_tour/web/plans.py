"""Where the vertices of a space lie on the page: the ground of the command line's drawings, as JSON.

The page makes the plans of boards itself, at once, and asks for those of other spaces.
"""

from __future__ import annotations

from typing import Any

from cpsat_tour.core.graph import Graph
from cpsat_tour.drawing.colours import UNIT
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.web.settings import Setting


def plan(setting: Setting) -> dict[str, Any]:
    """Names and places of the vertices, their neighbours, and how moves over a border are drawn; of squares their
    layers and shades."""
    graph, space = setting.graph, setting.source
    layers = space.layers()
    ground = Squares(space) if layers else Points(graph)
    centres = [ground.centre(vertex) for vertex in range(graph.order)]
    dark = space.dark()
    frames = ground.plane.frames if isinstance(ground, Squares) else ()
    return {
        "event": "plan",
        "called": graph.called,
        "nouns": graph.nouns,
        "box": ground.box,
        "side": ground.side,
        "label": ground.label_height,
        "names": [graph.name(vertex) for vertex in range(graph.order)],
        "x": [x for x, _ in centres],
        "y": [y for _, y in centres],
        "dark": None if dark is None else [int(shade) for shade in dark.tolist()],
        "squares": bool(layers),
        "frames": [
            {
                "left": UNIT * frame.left,
                "top": 0,
                "columns": list(frame.layer.col_labels),
                "rows": list(frame.layer.row_labels),
                "title": frame.layer.title,
            }
            for frame in frames
        ],
        "neighbours": [graph.neighbours(vertex).tolist() for vertex in range(graph.order)],
        "pieces": _pieces(graph, ground),
    }


def _pieces(graph: Graph, ground: Squares | Points) -> list[Any]:
    """Of each move that is not one straight line: tail, head, and the pieces that it is drawn in."""
    found = []
    for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True):
        if pieces := ground.pieces(tail, head):
            found.append([tail, head, pieces])
    return found
