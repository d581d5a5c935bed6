"""Pictures for pages, as the command line draws them: a few at a time, while others wait in a short queue, so that no
flood does harm.

``/tour.svg`` is a walk on its board, or why there is no tour; ``/tour.gif`` the knight walking.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing.gif import Manner, walk
from cpsat_tour.drawing.svg import svg
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.web.settings import Setting

MAX_BODY_BYTES = 64 * 1024
MAX_AT_ONCE = 2
MAX_WAITING = 8
RETRY_SECONDS = 5
"""What a page that is turned away is told to wait."""

PROOF_SECONDS = 10.0

Draw = Callable[[bytes, Event], bytes]

_LOOK_SECONDS = 0.2
"""Seconds between two looks whether the page that wants a picture is still there."""


class GoneAway(Exception):
    """The page that wanted the picture is no longer there."""


class Studio:
    """Draws what pages ask for, `MAX_AT_ONCE` at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="picture")
        self._accepted = 0

    async def picture(self, request: Request) -> Response:
        """A GIF of the knight's walk over the squares that the page shows; 503 where too many wait for theirs."""
        return await self._served(request, _film, "image/gif")

    async def drawing(self, request: Request) -> Response:
        """The walk as SVG, or the picture of a proof."""
        return await self._served(request, _drawing, "image/svg+xml")

    async def _served(self, request: Request, draw: Draw, media_type: str) -> Response:
        if self._accepted >= MAX_AT_ONCE + MAX_WAITING:
            words = f"{self._accepted} pictures are being drawn already: try again in a few seconds."
            return PlainTextResponse(words, 503, headers={"Retry-After": str(RETRY_SECONDS)})
        self._accepted += 1
        try:
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    return PlainTextResponse("That is too long.", 413)
            return Response(await self._drawn(request, body, draw), media_type=media_type)
        except BadInput as fault:
            return PlainTextResponse(str(fault), 400)
        except GoneAway:
            return Response(status_code=499)
        finally:
            self._accepted -= 1

    async def _drawn(self, request: Request, body: bytes, draw: Draw) -> bytes:
        """The picture, unless the page goes away meanwhile."""
        gone = Event()
        drawing = asyncio.get_running_loop().run_in_executor(self._threads, draw, body, gone)
        try:
            while not drawing.done():
                await asyncio.wait([drawing], timeout=_LOOK_SECONDS)
                if not drawing.done() and await request.is_disconnected():
                    gone.set()
            return await drawing
        except BaseException:
            gone.set()
            raise


def _film(body: bytes, gone: Event) -> bytes:
    """The moving picture that a page asks for, drawn frame by frame while it is wanted."""
    setting, vertices, _ = _read(body)

    def on_frame(_number: int) -> None:
        if gone.is_set():
            raise GoneAway

    on_frame(0)
    return walk(setting.source, vertices, closed=_closes(setting, vertices), manner=Manner(on_frame=on_frame))


def _drawing(body: bytes, gone: Event) -> bytes:
    """The drawing of a walk or of a proof."""
    setting, vertices, proof = _read(body)
    if not proof:
        return svg(setting.graph, np.array(vertices, dtype=np.int32), closed=_closes(setting, vertices)).encode()

    def listen(_event: object = None) -> None:
        if gone.is_set():
            raise GoneAway

    found = prove(setting.problem, limits=Limits(seconds=PROOF_SECONDS), on_event=listen)
    if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, listen)) is None:
        raise BadInput("there is no picture of a proof here")
    return drawn.encode()


def _closes(setting: Setting, vertices: list[int]) -> bool:
    return setting.closed and len(vertices) == len(setting.source) and setting.graph.has_arc(vertices[-1], vertices[0])


def _read(body: bytes) -> tuple[Setting, list[int], bool]:
    """The setting, the vertices of the walk, and whether a proof is to be drawn; `BadInput` where that is not what the
    page sends."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadInput("a picture is asked for by a JSON object, and this is none") from None
    if not isinstance(data, dict) or not isinstance(data.get("path"), list):
        raise BadInput("a picture needs a setting and a path")
    setting = Setting.read(data.get("setting"))
    proof = data.get("proof") is True
    path, order = data["path"], len(setting.source)
    if not all(type(vertex) is int and 0 <= vertex < order for vertex in path) or not (path or proof):
        raise BadInput(f"a path is a list of vertices, such as [0, 10], each once and below {order}")
    if len(set(path)) < len(path):
        raise BadInput("a path enters no square twice")
    return setting, path, proof
