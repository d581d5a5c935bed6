"""Files that pages export, as the command line writes them: ``/tour.svg``, a walk or the picture of a proof;
``/tour.gif``, the knight walking; ``/tour.json``, a tour file."""

from __future__ import annotations

import asyncio
import json

import msgspec
import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import require
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.tour_files import tour_file_data
from cpsat_tour.interface.answer import Answer
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.web.play import check_walk
from cpsat_tour.web.protocol import Setting, decode, fault_sentence, run_in_thread

MAX_BYTES = 64 * 1024
"""The length of the longest message that is accepted from a page."""

PROOF_SECONDS = 10.0

MAX_EXPORTS = 4
"""Exports that are made at a time for all pages; others are refused at once, so that they hold up nothing else."""


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to export the path on its board or, if ``proof`` is set, the picture of why there is no tour."""

    setting: Setting
    path: tuple[int, ...]
    proof: bool = False

    @property
    def closed(self) -> bool:
        """True if the path is a whole closed tour."""
        graph, path = self.setting.graph, self.path
        return self.setting.closed and len(path) == graph.order and graph.has_arc(path[-1], path[0])


def _svg_bytes(export: Export) -> bytes:
    """Return the path as SVG, or the picture of a proof; `BadInput` if there is no such picture."""
    if not export.proof:
        return svg(export.setting.graph, np.array(export.path, dtype=np.int32), closed=export.closed).encode()
    found = prove(export.setting.problem, limits=Limits(seconds=PROOF_SECONDS))
    if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, lambda: None)) is None:
        raise BadInput("there is no picture of a proof here")
    return drawn.encode()


def _gif_bytes(export: Export) -> bytes:
    """Return the path as a GIF of the knight walking; `BadInput` without Pillow or resvg-py."""
    require("a GIF picture", "PIL", "resvg_py")
    from cpsat_tour.drawing.gif import gif_of_walk

    return gif_of_walk(export.setting.graph, export.path, closed=export.closed)


def _tour_file_bytes(export: Export) -> bytes:
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


_at_work = asyncio.Semaphore(MAX_EXPORTS)


async def answer_export(request: Request) -> Response:
    """Answer a request for ``/tour.svg``, ``/tour.gif`` or ``/tour.json``; a bad one with status 400 or 413, one too
    many at a time with 503."""
    write, media_type = FORMS[request.scope["path"].rpartition(".")[2]]
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            return PlainTextResponse("That is too long.", 413)
    if _at_work.locked():
        return PlainTextResponse("Other exports are being made: try again in a moment.", 503)

    def exported() -> Response:
        """Return the file that the page asks for."""
        export: Export = decode(body, Export)
        if not (export.path or export.proof):
            raise BadInput("a path needs a vertex: give one such as [0, 10]")
        check_walk(Problem(export.setting.graph, export.setting.closed), export.path)
        return Response(write(export), media_type=media_type)

    try:
        async with _at_work:
            response: Response = await run_in_thread(exported)
            return response
    except BadInput as fault:
        return PlainTextResponse(fault_sentence(fault), 400)
