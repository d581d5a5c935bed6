"""Moving pictures for pages: drawn a few at a time while others wait in a short queue, so that no flood of wishes keeps the server busy."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing.gif import walk
from cpsat_tour.spaces.board import Board
from cpsat_tour.web.settings import Setting

MAX_BODY_BYTES = 64 * 1024
MAX_AT_ONCE = 2
MAX_WAITING = 8
RETRY_SECONDS = 5
"""What a page that is turned away is told to wait."""

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
        if self._accepted >= MAX_AT_ONCE + MAX_WAITING:
            words = f"{self._accepted} moving pictures are being drawn already: try again in a few seconds."
            return PlainTextResponse(words, 503, headers={"Retry-After": str(RETRY_SECONDS)})
        self._accepted += 1
        try:
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    return PlainTextResponse("That is too long.", 413)
            return Response(await self._drawn(request, body), media_type="image/gif")
        except BadInput as fault:
            return PlainTextResponse(str(fault), 400)
        except GoneAway:
            return Response(status_code=499)
        finally:
            self._accepted -= 1

    async def _drawn(self, request: Request, body: bytes) -> bytes:
        """The picture, unless the page goes away meanwhile."""
        gone = Event()
        drawing = asyncio.get_running_loop().run_in_executor(self._threads, _picture, body, gone)
        try:
            while not drawing.done():
                await asyncio.wait([drawing], timeout=_LOOK_SECONDS)
                if not drawing.done() and await request.is_disconnected():
                    gone.set()
            return await drawing
        except BaseException:
            gone.set()
            raise


def _picture(body: bytes, gone: Event) -> bytes:
    """The picture that a page asks for, drawn frame by frame while it is wanted."""
    board, vertices, closed = _read(body)

    def on_frame(_number: int) -> None:
        if gone.is_set():
            raise GoneAway

    on_frame(0)
    return walk(board, vertices, closed=closed, on_frame=on_frame)


def _read(body: bytes) -> tuple[Board, list[int], bool]:
    """The board, the vertices of the walk, and whether it closes; `BadInput` where that is not what the page sends."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadInput("a picture is asked for by a JSON object, and this is none") from None
    if not isinstance(data, dict) or not isinstance(data.get("path"), list):
        raise BadInput("a picture needs a setting and a path")
    setting = Setting.read(data.get("setting"))
    board = setting.board
    path = [square for square in data["path"] if isinstance(square, list) and len(square) == 2]
    if len(path) != len(data["path"]) or not path or len(path) > len(board):
        raise BadInput("a path is a list of squares, such as [[0, 0], [1, 2]], each once")
    vertices = [board.vertex((row, col)) for row, col in path]
    if len(set(vertices)) < len(vertices):
        raise BadInput("a path enters no square twice")
    return board, vertices, setting.closed and len(vertices) == len(board)
