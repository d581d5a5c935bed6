"""The server of the page: static files, one WebSocket for each page, and pictures; Starlette on Uvicorn.

Whoever can reach the address that it listens on can have this machine search: by default nobody but this machine. It
has a strict Content-Security-Policy, no outside resources, origins checked (a foreign page can't connect), messages and
boards limited in size, and no error text beyond one sentence.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from importlib.resources import files
from threading import Thread
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.errors import BadInput, reason
from cpsat_tour.drawing import ink
from cpsat_tour.web.connection import Connection
from cpsat_tour.web.exports import FORMS, MAX_BYTES, exported
from cpsat_tour.web.messages import Setting
from cpsat_tour.web.sources import open_source

EVERYWHERE = ("0.0.0.0", "::")
LOCAL = ("localhost", "127.0.0.1", "[::1]")

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


def application(host: str) -> Starlette:
    """Return the page as an ASGI application, for a server that listens on this host.

    On this machine alone it answers to the machine's own names, so that no foreign page can reach it under a name of
    its own that it lets point here (DNS rebinding).
    """

    async def page_at_work(websocket: WebSocket) -> None:
        await websocket.accept()
        await Connection(websocket).serve()

    routes = [
        WebSocketRoute("/search", page_at_work),
        *(Route(f"/tour.{form}", exported, methods=["POST"]) for form in FORMS),
        Route("/drawing.json", the_drawing),
        Route("/knight.svg", the_knight),
        Mount("/", StaticFiles(directory=str(files("cpsat_tour.web") / "static"), html=True)),
    ]
    names = [*LOCAL, host] if is_local(host) else ["*"]
    guards = [Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False), Middleware(SameOrigin)]
    return Starlette(routes=routes, middleware=guards)


class SameOrigin:
    """Refuses what other origins ask for, and puts the security headers on what goes out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        asks_for_work = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if not asks_for_work or urlsplit(headers.get("origin", "")).netloc.lower() == headers.get("host", "").lower():
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await PlainTextResponse("Only the page itself may ask for this.", 403)(scope, receive, send)


async def the_knight(_request: Request) -> Response:
    """The one outline of the knight that all drawings share."""
    return Response(ink.knight_svg(), media_type="image/svg+xml")


async def the_drawing(_request: Request) -> Response:
    """The knight, the colours and the measures of all drawings, so that the page draws as the command line does."""
    return JSONResponse(
        {
            "knight": ink.KNIGHT,
            "ramp": ink.RAMP,
            "shades": ink.MAX_SHADES,
            "disc": ink.DISC,
            "legible": ink.MAX_LEGIBLE,
        }
    )


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, port 0 for any that is free; `BadInput` where that can't be."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as fault:
        raise BadInput(f"can't listen on port {port} of {host}: {reason(fault)}") from fault


def url(listener: socket.socket, host: str) -> str:
    """Return the address of the page for a browser that can reach this host."""
    name = socket.gethostname() if host in EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def is_local(host: str) -> bool:
    """Whether a server that listens on this host can be reached from this machine alone."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def serve(listener: socket.socket, host: str) -> None:
    """Serve the page until interrupted."""
    config = uvicorn.Config(
        application(host),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
    )
    Thread(target=_warm_up, daemon=True).start()
    uvicorn.Server(config).run(sockets=[listener])


def _warm_up() -> None:
    """Load the native engine's compiled code and the SAT solver, so that the first search begins at once, and the first
    walk is judged. What fails here will fail again, in words, when somebody asks for it."""
    with contextlib.suppress(Exception):
        setting = Setting(rows=6, cols=6, closed=True)
        open_source(setting).take(100)
        for backend in ("dfs", "sat"):
            run(setting.problem, load(backend))
