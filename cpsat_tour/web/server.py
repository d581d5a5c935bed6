"""The server of the page: static files, and a WebSocket for each page, which answers questions and runs one search at a
time; Starlette on Uvicorn.

`cpsat_tour.web.protocol` has what a page sends. The page gets text frames of one or more lines, each an event as JSON.
A search begins with the line ``problem``, or ``refused`` with a sentence instead. The page then asks for a number of
further lines, its credits. Without credits nothing is computed: to pause is to send none, a step is one.

However many messages a page sends, it has at most one thread at work for each kind of question and one solver: of
questions of a kind the latest alone is answered, and a search begins when the one before has ended.

Everyone who can reach the server's address can have this machine search; by default that is this machine alone. The
Content-Security-Policy is strict, other origins and names are refused, messages and boards have a largest size, and an
error is one sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import re
import socket
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from cpsat_tour.core.errors import BadInput, reason
from cpsat_tour.core.runs import Event, detached
from cpsat_tour.drawing import points
from cpsat_tour.web import search as answers
from cpsat_tour.web.protocol import (
    KINDS,
    Ask,
    Envelope,
    Export,
    JudgeBoard,
    JudgeWalk,
    LayOut,
    MakePuzzle,
    OpenFile,
    Question,
    SendMore,
    Setting,
    Stop,
    decode,
    fault_sentence,
)
from cpsat_tour.web.search import Events, Heartbeat, Search, Shift

# --- the connection to a page ---

FRAME_SECONDS = 0.03
"""The time between two frames of a search."""


async def run_in_thread(work: Callable[..., Any], *arguments: object) -> Any:
    """Call a function on a new daemon thread and return its result. It waits for no other page, and the end of the
    server does not wait for it."""
    return await asyncio.wrap_future(detached(partial(work, *arguments)))


class Overtaken(Exception):
    """Raised in work on a question when a newer one has come."""


class Desk:
    """Answers the questions of one kind, one at a time, on a thread. A newer question replaces one that waits, and ends
    the work on the one before. Neither is answered, so that clicks do not pile up.

    ``events`` yields the events of an answer; it is given the question and `heartbeat`.
    """

    def __init__(
        self, send: Callable[[dict[str, Any]], Awaitable[None]], events: Callable[[Any, Heartbeat], Events]
    ) -> None:
        self._send, self._events = send, events
        self._shift = Shift()
        self._latest: Question | None = None
        self._taken: Question | None = None
        self._work: asyncio.Task[None] | None = None

    def put(self, question: Question | None) -> None:
        """Hand in a question to be answered; None ends the work."""
        self._latest = question
        if question is not None and (self._work is None or self._work.done()):
            self._work = asyncio.create_task(self._answer_latest())

    def heartbeat(self, _event: Event | None = None) -> None:
        """Raise `Overtaken` if a newer question has come, after letting other work go first."""
        self._shift.rest()
        if self._latest is not self._taken:
            raise Overtaken

    async def _answer_latest(self) -> None:
        """Answer the latest question by sending its events, until no newer question waits."""
        while (question := self._latest) is not None and question is not self._taken:
            self._taken, do = question, question.__struct_config__.tag
            events = self._events(question, self.heartbeat)
            try:
                while (event := await run_in_thread(self._shift(next), events, None)) is not None:
                    await self._send({"to": do, "number": question.number, **event})
            except Overtaken:
                continue
            except Exception as fault:
                await self._send(_refusal_event(do, question.number, fault))


class Connection:
    """The state of one page: at most one search, and a desk for each kind of question."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket, self._gone = socket, False
        self._search: tuple[Search, asyncio.Task[None], asyncio.Task[None]] | None = None
        self._shift = Shift()
        answered: dict[type[Question], Callable[[Any, Heartbeat], Events]] = {
            JudgeBoard: answers.judgement,
            LayOut: answers.layout,
            JudgeWalk: answers.WalkJudgements(),
            MakePuzzle: answers.puzzle,
            OpenFile: answers.opened,
            Export: answers.export,
        }
        self._desks = {kind: Desk(self._send, events) for kind, events in answered.items()}

    async def serve(self) -> None:
        """Answer messages until the page goes away, then end its search and the work on its questions."""
        try:
            while not self._gone and (message := await self._socket.receive())["type"] != "websocket.disconnect":
                await self._handle(message.get("text") or "")
                await asyncio.sleep(0)  # to other pages: what has come already is received without a pause
        finally:
            for desk in self._desks.values():
                desk.put(None)
            await self._end_search()

    async def _handle(self, text: str) -> None:
        """Do what a message asks, or send why it is refused."""
        envelope = Envelope()
        try:
            envelope = decode(text, Envelope)
            match message := decode(text, KINDS):
                case Ask():
                    await self._end_search()
                    await self._begin_search(message.setting)
                case SendMore():
                    if self._search is None:
                        raise BadInput("no search is under way: ask for one first")
                    self._search[0].give(message.events)
                case Stop():
                    await self._end_search()
                case _:
                    self._desks[type(message)].put(message)
        except Exception as fault:
            await self._send(_refusal_event(envelope.do, envelope.number, fault))

    async def _begin_search(self, setting: Setting) -> None:
        """Begin a search and send its lines in frames, at once when the search waits for that."""
        waits, loop = asyncio.Event(), asyncio.get_running_loop()
        search = await run_in_thread(Search, setting, self._shift, lambda: loop.call_soon_threadsafe(waits.set))
        # Sent at once: each ask has its one answer before the next message is looked at.
        await self._send_text(search.first)
        working = asyncio.create_task(run_in_thread(search.run))

        async def send_lines() -> None:
            over = False
            while not over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(waits.wait(), FRAME_SECONDS)
                waits.clear()
                over = working.done()
                if lines := search.take():
                    await self._send_text("\n".join(lines))

        self._search = search, working, asyncio.create_task(send_lines())

    async def _end_search(self) -> None:
        """End the search, and wait until its solver has ended."""
        if self._search is not None:
            search, working, sending = self._search
            search.stop()
            sending.cancel()
            await working
            self._search = None

    async def _send(self, message: dict[str, Any]) -> None:
        """Send a message as JSON."""
        await self._send_text(json.dumps(message))

    async def _send_text(self, text: str) -> None:
        """Send text; remember if the page is gone."""
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            self._gone = True  # while something was being sent to it: Starlette says so in two words


def _refusal_event(do: object, number: object, fault: Exception) -> dict[str, Any]:
    """Return the event that says why a message is refused."""
    return {"event": "refused", "to": do, "number": number, "reason": fault_sentence(fault)}


# --- the server ---

EVERYWHERE = ("0.0.0.0", "::")

MAX_BYTES = 64 * 1024
"""The length of the longest message that is accepted from a page."""

REQUEST_SECONDS = 30
"""How long the server waits for a whole request."""

SWITCH_INTERVAL = 0.001
"""Seconds after which Python switches threads, so that one that computes lets the one that answers pages go on; the
default is five times as long."""

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
        "knight": points.KNIGHT,
        "ramp": points.RAMP,
        "shades": points.MAX_SHADES,
        "disc": points.DISC,
        "legible": points.MAX_LEGIBLE,
    }
    routes = [
        WebSocketRoute("/search", page_at_work),
        Route("/drawing.json", JSONResponse(measures)),
        Route("/knight.svg", Response(points.knight_svg(), media_type="image/svg+xml")),
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
    """Uvicorn's HTTP protocol with a time limit on requests: a connection is closed if no whole request has come in the
    time for which it is kept alive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        """Process received bytes; the time limit ends with a whole request."""
        self.conn.receive_data(data)
        self.handle_events()  # a whole request ends the waiting


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this port, or for 0 on a free one; `BadInput` if that fails."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as fault:
        raise BadInput(f"can't listen on port {port} of {host}: {reason(fault)}") from fault


def url(listener: socket.socket, host: str) -> str:
    """Return the address of the page, for a browser."""
    name = socket.gethostname() if host in EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def is_local(host: str) -> bool:
    """Return True if a server on this host can only be reached from this machine."""
    return host == "localhost" if (address := _address(host)) is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address; None if the text is a name."""
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
