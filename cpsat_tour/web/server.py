"""The server of the page: static files, and a WebSocket for each page; Starlette on Uvicorn.

Everyone who can reach its address can have this machine search; by default that is this machine alone. The
Content-Security-Policy is strict, other origins and names are refused, messages and boards have a largest size, and an
error is one sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
import sys
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol

from cpsat_tour.core.errors import BadInput, reason
from cpsat_tour.drawing import ink
from cpsat_tour.web.connection import Connection

EVERYWHERE = ("0.0.0.0", "::")

MAX_BYTES = 64 * 1024
"""The length of the longest message that is accepted from a page."""

REQUEST_SECONDS = 30
"""How long the server waits for a whole request."""

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
    """Return the page as an ASGI application for a server that listens on this host."""

    async def page_at_work(websocket: WebSocket) -> None:
        await websocket.accept()
        await Connection(websocket).serve()

    # With these measures the page draws as the commands do.
    measures = {
        "knight": ink.KNIGHT,
        "ramp": ink.RAMP,
        "shades": ink.MAX_SHADES,
        "disc": ink.DISC,
        "legible": ink.MAX_LEGIBLE,
    }
    routes = [
        WebSocketRoute("/search", page_at_work),
        Route("/drawing.json", JSONResponse(measures)),
        Route("/knight.svg", Response(ink.knight_svg(), media_type="image/svg+xml")),
        Mount("/", StaticFiles(directory=str(files("cpsat_tour.web") / "static"), html=True)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, host=host)])


class Guard:
    """Refuses requests by foreign names and WebSockets of other origins; adds the security headers to every response.

    A site can let a name of its own point here, and then its pages have our origin (DNS rebinding). So the server
    answers to the name that it was started with and to those of this machine, and to any address: in an address there
    is no name to point elsewhere.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        machine = socket.gethostname().lower()
        self._app, self._names = app, {"localhost", host.lower(), machine, f"{machine}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            """Send the message, the start of a response with our headers."""
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers, app = Headers(scope=scope), self._app
        host = headers.get("host", "").lower()
        own = f"{scope['scheme'].replace('ws', 'http')}://{host}"
        name = re.sub(r":\d*$", "", host).strip("[]")
        if not (name in self._names or _address(name)):
            app = PlainTextResponse("The page has no such name: open it by this machine's name or address.", 400)
        elif scope["type"] == "websocket" and headers.get("origin", "").lower() != own:
            app = PlainTextResponse("Only the page itself may ask for this.", 403)
        await app(scope, receive, send_with_headers)


class TimedRequests(H11Protocol):
    """HTTP of Uvicorn, which would wait for ever for the rest of a request: here a connection ends when none has come
    whole in the time for which it is kept alive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        self.conn.receive_data(data)
        self.handle_events()  # a whole request ends the waiting


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
    return host == "localhost" if (address := _address(host)) is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that is written here; None if it is a name."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(name)
    return None


def serve(listener: socket.socket, host: str) -> None:
    """Serve the page until interrupted."""
    config = uvicorn.Config(
        application(host),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        http=TimedRequests,
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=REQUEST_SECONDS,
    )
    sys.setswitchinterval(SWITCH_INTERVAL)
    uvicorn.Server(config).run(sockets=[listener])
