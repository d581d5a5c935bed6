"""The server of the page: static files, one WebSocket for each search, and moving pictures; Starlette on Uvicorn.

It serves what is on this machine to whoever may reach the address it listens on, so it is careful: a strict
Content-Security-Policy, no outside resources, hosts and origins checked (a foreign page can neither connect nor find
the server under a name of its own), messages and boards limited in size, searches limited in number, and no error text
beyond one sentence.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future
from importlib.resources import files
from importlib.util import find_spec
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from cpsat_tour.core.errors import BadInput, reason
from cpsat_tour.drawing import colours, glyphs, knight
from cpsat_tour.web.connection import Connection, Searches
from cpsat_tour.web.hosts import Hosts, reachable
from cpsat_tour.web.pictures import MAX_BODY_BYTES, Studio
from cpsat_tour.web.play import warm_up
from cpsat_tour.web.settings import Setting

MAX_SEARCHES = 16

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def application(hosts: Hosts, searches: int = MAX_SEARCHES) -> Starlette:
    """The page as an ASGI application, for a server that goes by these names."""
    house = Searches(searches)

    async def page_at_work(websocket: WebSocket) -> None:
        await websocket.accept()
        await Connection(websocket, house).serve()

    studio = Studio()
    static = StaticFiles(directory=str(files("cpsat_tour.web") / "static"), html=True)
    routes = [
        WebSocketRoute("/search", page_at_work),
        Route("/tour.gif", studio.picture, methods=["POST"]),
        Route("/tour.svg", studio.drawing, methods=["POST"]),
        Route("/drawing.json", the_drawing),
        Route("/knight.svg", the_knight),
        Mount("/", static),
    ]
    app = Starlette(routes=routes, exception_handlers={500: _apologise})
    app.state.house = house
    app.add_middleware(Guard, hosts=hosts)
    return app


class Guard:
    """Refuses other hosts' names and other origins, and puts the security headers on what goes out."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        here = headers.get("host", "")
        if not self._hosts.allow(here):
            words = (
                "This server does not go by that name: whoever runs it can allow it with cpsat-tour watch --name NAME."
            )
            await PlainTextResponse(words, 421)(scope, receive, send)
            return
        asks_for_work = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if asks_for_work and urlsplit(headers.get("origin", "")).netloc.lower() != here.lower():
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": ""})
            else:
                await PlainTextResponse("Only the page itself may ask for this.", 403)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _apologise(_request: Request, _fault: Exception) -> Response:
    return PlainTextResponse("Something went wrong on the server.", 500)


async def the_knight(_request: Request) -> Response:
    """The one outline of the knight that all drawings share."""
    return Response(knight.svg(), media_type="image/svg+xml")


async def the_drawing(_request: Request) -> Response:
    """The glyphs, colours and measures of all drawings, so that the page draws as the command line does."""
    return JSONResponse(
        {
            "glyphs": glyphs.GLYPHS,
            "gap": glyphs.GAP,
            "pen": glyphs.PEN,
            "ramp": colours.RAMP,
            "shades": colours.MAX_SHADES,
            "disc": colours.DISC,
            "legible": colours.MAX_LEGIBLE,
        }
    )


class Server(uvicorn.Server):
    """Uvicorn that says when it listens."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there, port 0 for any that is free; `BadInput` where that can't be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as fault:
        raise BadInput(f"can't listen on {host}: {reason(fault)}") from fault
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as fault:
        listener.close()
        raise BadInput(f"can't listen on port {port} of {host}: {reason(fault)}") from fault
    return listener


def url(listener: socket.socket, host: str) -> str:
    """The address of the page for a browser that can reach this host."""
    name = reachable(host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def serve(listener: socket.socket, hosts: Hosts, on_ready: Callable[[], None]) -> None:
    """Serve the page until interrupted."""
    app = application(hosts)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws_max_size=MAX_BODY_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
    )
    warming = app.state.house.threads.submit(_warm_up)
    warming.add_done_callback(_nobody_minds)
    Server(config, on_ready).run(sockets=[listener])


def _warm_up() -> None:
    """Load the native engine's compiled code and the SAT solver, so that the first search begins at once, and the first
    walk is judged."""
    if find_spec("numba") is not None:
        from cpsat_tour.web.sources import open_source

        setting = Setting(rows=6, cols=6, closed=True)
        open_source(setting).take(100)
        warm_up(setting.problem)


def _nobody_minds(done: Future[None]) -> None:
    """A warm-up that failed will fail again, in words, when somebody asks for a search."""
    done.exception()
