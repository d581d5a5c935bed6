"""Files that pages export, as the command line writes them: a walk or the picture of a proof as SVG, the knight walking
as GIF, a tour file as JSON."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.tour_files import tour_file_data
from cpsat_tour.interface.answer import Answer
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.web.play import check_walk
from cpsat_tour.web.protocol import Export

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
