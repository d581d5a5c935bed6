"""What pages export, as the command line draws and writes it.

``/tour.svg`` is a walk on its board, or why there is no tour; ``/tour.gif`` the knight walking; ``/tour.json`` the tour
file.
"""

from __future__ import annotations

import json

import msgspec
import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.tour_files import tour_object
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.web.messages import Setting, decoded, in_thread, reason_of
from cpsat_tour.web.play import check_walk

MAX_BYTES = 64 * 1024
"""The longest message that a page sends."""

PROOF_SECONDS = 10.0


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be exported: the path on its board or, where ``proof`` is set, why there is no tour."""

    setting: Setting
    path: tuple[int, ...]
    proof: bool = False

    @property
    def closed(self) -> bool:
        """Whether the path is a whole closed tour."""
        graph, path = self.setting.graph, self.path
        return self.setting.closed and len(path) == graph.order and graph.has_arc(path[-1], path[0])


def _svg(wanted: Export) -> bytes:
    """The walk as SVG, or the picture of a proof."""
    if not wanted.proof:
        return svg(wanted.setting.graph, np.array(wanted.path, dtype=np.int32), closed=wanted.closed).encode()
    found = prove(wanted.setting.problem, limits=Limits(seconds=PROOF_SECONDS))
    if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, lambda: None)) is None:
        raise BadInput("there is no picture of a proof here")
    return drawn.encode()


def _gif(wanted: Export) -> bytes:
    """The knight's walk as a moving picture."""
    require("a GIF picture", "PIL")
    from cpsat_tour.drawing.gif import walk

    return walk(wanted.setting.source, wanted.path, closed=wanted.closed)


def _json(wanted: Export) -> bytes:
    """The tour file of the walk."""
    graph, walked = wanted.setting.graph, len(wanted.path)
    if walked < graph.order:
        has = f"this walk has {walked} of {graph.order} {graph.nouns[1]}"
        raise BadInput(f"a tour file holds a whole tour, and {has}: its link keeps it")
    tour = Tour(graph, wanted.closed, np.array(wanted.path, dtype=np.int32))
    return f"{json.dumps(tour_object(tour), ensure_ascii=False)}\n".encode()


FORMS = {
    "svg": (_svg, "image/svg+xml"),
    "gif": (_gif, "image/gif"),
    "json": (_json, "application/json"),
}


async def exported(request: Request) -> Response:
    """Answer a page that asks for ``/tour.svg``, ``/tour.gif`` or ``/tour.json``."""
    write, media_type = FORMS[request.url.path.rpartition(".")[2]]
    if int(request.headers.get("content-length", MAX_BYTES + 1)) > MAX_BYTES:
        return PlainTextResponse("That is too long.", 413)
    body = await request.body()

    def draw() -> Response:
        wanted: Export = decoded(body, Export)
        if not (wanted.path or wanted.proof):
            raise BadInput("a path needs a vertex: give one such as [0, 10]")
        check_walk(Problem(wanted.setting.graph, wanted.setting.closed), wanted.path)
        return Response(write(wanted), media_type=media_type)

    try:
        response: Response = await in_thread(draw)
        return response
    except BadInput as fault:
        return PlainTextResponse(reason_of(fault), 400)
