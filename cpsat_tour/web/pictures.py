"""Pictures for pages, as the command line draws them.

``/tour.svg`` is a walk on its board, or why there is no tour; ``/tour.gif`` the knight walking.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing.gif import Manner, walk
from cpsat_tour.drawing.svg import svg
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.web.messages import decoded, in_thread, reason_of
from cpsat_tour.web.settings import Setting

MAX_BYTES = 64 * 1024
"""The longest message that a page sends."""

PROOF_SECONDS = 10.0


class Picture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be drawn: the path on its board or, where ``proof`` is set, why there is no tour."""

    setting: Setting
    path: tuple[Annotated[int, Meta(ge=0)], ...]
    proof: bool = False

    def check(self) -> None:
        """`BadInput` where the path is not a walk."""
        graph = self.setting.graph
        if not all(vertex < graph.order for vertex in self.path) or not (self.path or self.proof):
            raise BadInput(f"a path is a list of vertices below {graph.order}, such as [0, 10]")
        if len(set(self.path)) < len(self.path):
            raise BadInput(f"a path enters no {graph.nouns[0]} twice")
        if jumps := [move for move in pairwise(self.path) if not graph.has_arc(*move)]:
            raise BadInput(f"{graph.name(jumps[0][0])}-{graph.name(jumps[0][1])} is not a move here")

    @property
    def closed(self) -> bool:
        """Whether the path is a whole closed tour."""
        graph, path = self.setting.graph, self.path
        return self.setting.closed and len(path) == graph.order and graph.has_arc(path[-1], path[0])

    def svg(self) -> bytes:
        """Return the walk as SVG, or the picture of a proof."""
        if not self.proof:
            return svg(self.setting.graph, np.array(self.path, dtype=np.int32), closed=self.closed).encode()
        found = prove(self.setting.problem, limits=Limits(seconds=PROOF_SECONDS))
        if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, lambda: None)) is None:
            raise BadInput("there is no picture of a proof here")
        return drawn.encode()

    def gif(self) -> bytes:
        """Return the knight's walk as a moving picture."""
        return walk(self.setting.source, list(self.path), closed=self.closed, manner=Manner())


async def drawn(request: Request) -> Response:
    """Answer a page that asks for ``/tour.svg`` or ``/tour.gif``."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            return PlainTextResponse("That is too long.", 413)

    def draw() -> Response:
        wanted: Picture = decoded(body, Picture)
        wanted.check()
        if request.url.path == "/tour.gif":
            return Response(wanted.gif(), media_type="image/gif")
        return Response(wanted.svg(), media_type="image/svg+xml")

    try:
        return await in_thread(draw)
    except BadInput as fault:
        return PlainTextResponse(reason_of(fault), 400)
