"""The server of the page: static files, a WebSocket for each page, and exports; Starlette on Uvicorn.

Everyone who can reach its address can have this machine search; by default that is this machine alone. The
Content-Security-Policy is strict, other origins are refused, messages and boards have a largest size, and an error is
one sentence.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from importlib.resources import files
from threading import Thread

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
from cpsat_tour.web.exports import FORMS, MAX_BYTES, answer_export
from cpsat_tour.web.protocol import Setting
from cpsat_tour.web.sources import LineSource

EVERYWHERE = ("0.0.0.0", "::")
LOCAL = ("localhost", "127.0.0.1", "[::1]")

SWITCH_INTERVAL = 0.001
"""Seconds after which a thread that computes lets the one that answers pages go on; by default five times as long."""

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
    """Return the page as an ASGI application for a server that listens on this host.

    If the server is local it answers only to local names, so that no foreign page reaches it by a name that points here
    (DNS rebinding).
    """

    async def page_at_work(websocket: WebSocket) -> None:
        await websocket.accept()
        await Connection(websocket).serve()

    routes = [
        WebSocketRoute("/search", page_at_work),
        *(Route(f"/tour.{form}", answer_export, methods=["POST"]) for form in FORMS),
        Route("/drawing.json", drawing_measures),
        Route("/knight.svg", knight_outline),
        Mount("/", StaticFiles(directory=str(files("cpsat_tour.web") / "static"), html=True)),
    ]
    names = [*LOCAL, host] if is_local(host) else ["*"]
    guards = [Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False), Middleware(SameOrigin)]
    return Starlette(routes=routes, middleware=guards)


class SameOrigin:
    """Refuses requests of other origins, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            """Send the message, the start of a response with our headers."""
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        asks_for_work = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        own = headers.get("origin", "").partition("://")[2].lower() == headers.get("host", "").lower()
        if own or not asks_for_work:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await PlainTextResponse("Only the page itself may ask for this.", 403)(scope, receive, send)


async def knight_outline(_request: Request) -> Response:
    """Answer with the outline of the knight as SVG, the icon of the page."""
    return Response(ink.knight_svg(), media_type="image/svg+xml")


async def drawing_measures(_request: Request) -> Response:
    """Answer with the outline, colours and measures of all drawings, so that the page draws as the commands do."""
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
    """Return a socket that listens on this port, or a free one for 0; `BadInput` if it can't."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as fault:
        raise BadInput(f"can't listen on port {port} of {host}: {reason(fault)}") from fault


def url(listener: socket.socket, host: str) -> str:
    """Return the address of the page."""
    name = socket.gethostname() if host in EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def is_local(host: str) -> bool:
    """Return True if a server that listens on this host can be reached from this machine alone."""
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
    sys.setswitchinterval(SWITCH_INTERVAL)
    Thread(target=_warm_up, daemon=True).start()
    uvicorn.Server(config).run(sockets=[listener])


def _warm_up() -> None:
    """Load the compiled search and the SAT solver, so that the first search begins at once. An error here is ignored:
    the first search meets it again and reports it."""
    with contextlib.suppress(Exception):
        setting = Setting(rows=6, cols=6, closed=True)
        source = LineSource(setting)
        source.take(100)
        source.stop()
        for backend in ("dfs", "sat"):
            run(setting.problem, load(backend))
