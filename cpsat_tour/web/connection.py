"""One page's end of the line: it asks for a search, and then for so many of its lines, which are its credits.

Messages to the server are JSON objects: ``{"do": "ask", "setting": {…}}`` begins a search and ends the one before,
``{"do": "more", "events": k}`` gives k credits, ``{"do": "stop"}`` ends the search, ``{"do": "judge", "setting": {…}}``
asks what is known without a search, ``{"do": "plan", "setting": {…}}`` where the vertices lie (`cpsat_tour.web.plans`),
``{"do": "walk", "setting": {…}, "walk": [v, …], "number": k}`` whether a walk can be completed, ``{"do": "puzzle",
"setting": {…}, "seed": s, "grade": g}`` for a puzzle (`cpsat_tour.web.umpire`). To the page go text frames of one or
more lines, each an event as JSON. A search begins with the line ``problem``; ``refused`` says in a sentence what could
not be done, and the answer to an ask is one of these two. Without credits nothing is computed, so pause is none and
step is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.web.plans import plan
from cpsat_tour.web.settings import Setting, judgement, whole
from cpsat_tour.web.sources import LineSource, open_source
from cpsat_tour.web.umpire import Judges, Umpire

FRAME_LINES = 2000
MOST_CREDITS = 1_000_000
MOST_MESSAGES = 400
"""A connection may send so many messages at once, and half as many a second for ever; more is a flood, and ends it."""

POLICY_VIOLATION = 1008

_LOG = logging.getLogger(__name__)


class Searches:
    """What the connections share: the searches that may be under way at once, and the threads that they work in."""

    def __init__(self, searches: int) -> None:
        self.most = searches
        self.under_way = 0
        self.threads = ThreadPoolExecutor(max_workers=searches, thread_name_prefix="search")
        self.judges = Judges()


class Connection:
    """One page: at most one search, and its credits."""

    def __init__(self, socket: WebSocket, house: Searches) -> None:
        self._socket = socket
        self._house = house
        self._credits = 0
        self._asked = asyncio.Event()
        self._search: asyncio.Task[None] | None = None
        self._umpire = Umpire(house.judges, self._send)

    async def serve(self) -> None:
        """Answer messages until the page goes away, and then end its search."""
        allowance, last = float(MOST_MESSAGES), time.monotonic()
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                now = time.monotonic()
                allowance = min(MOST_MESSAGES, allowance + (now - last) * MOST_MESSAGES / 2) - 1
                last = now
                if allowance < 0:
                    await self._socket.close(POLICY_VIOLATION, "too many messages")
                    return
                await self._handle(message.get("text"))
        except (WebSocketDisconnect, RuntimeError):
            # Starlette's word for a page that went away while something was being sent to it.
            return
        finally:
            self._umpire.leave()
            await self._end_search()

    async def _handle(self, text: str | None) -> None:
        try:
            message = _read(text)
            match message.get("do"):
                case "ask":
                    await self._ask(Setting.read(message.get("setting")))
                case "judge":
                    await self._tell(judgement, Setting.read(message.get("setting")), message.get("setting"))
                case "plan":
                    await self._tell(plan, Setting.read(message.get("setting")), message.get("setting"))
                case "walk":
                    self._umpire.ask(Setting.read(message.get("setting")), message.get("walk"), message.get("number"))
                case "puzzle":
                    self._umpire.puzzle(Setting.read(message.get("setting")), message.get("seed"), message.get("grade"))
                case "more":
                    self._give(message.get("events"))
                case "stop":
                    await self._end_search()
                case _:
                    raise BadInput("a message asks to do one of ask, more, stop, judge, plan, walk and puzzle")
        except BadInput as fault:
            asking = isinstance(text, str) and '"ask"' in text
            await self._send({"event": "refused", "to": "ask" if asking else "other", "reason": str(fault)})

    async def _tell(self, what: Callable[[Setting], dict[str, Any]], setting: Setting, of: object) -> None:
        """Send what is known of a setting, worked out while other pages are served."""
        await self._send(
            {**await asyncio.get_running_loop().run_in_executor(self._house.threads, what, setting), "of": of}
        )

    async def _ask(self, setting: Setting) -> None:
        await self._end_search()
        if self._house.under_way >= self._house.most:
            raise BadInput(
                f"{self._house.under_way} searches are under way, and no more are allowed: close another page first"
            )
        self._house.under_way += 1
        source: LineSource | None = None
        try:
            source = await asyncio.get_running_loop().run_in_executor(self._house.threads, open_source, setting)
            # Sent at once: each ask has its one answer before the next message is looked at.
            await self._socket.send_text(source.first)
        except BaseException:
            self._leave(source)
            raise
        self._credits = 0
        self._search = asyncio.create_task(self._run(source))
        # Not in the task itself, which may be cancelled before it has begun.
        self._search.add_done_callback(lambda _: self._leave(source))

    def _leave(self, source: LineSource | None) -> None:
        """A search is over, or came to nothing."""
        if source is not None:
            source.stop()
        self._house.under_way -= 1

    def _give(self, events: object) -> None:
        wanted = whole("the number of events to send", events, 0, MOST_CREDITS)
        if self._search is None:
            raise BadInput("no search is under way: ask for one first")
        self._credits = min(MOST_CREDITS, self._credits + wanted)
        self._asked.set()

    async def _run(self, source: LineSource) -> None:
        """Send lines as there are credits for them."""
        loop = asyncio.get_running_loop()
        over = False
        try:
            while not over:
                while self._credits == 0:
                    self._asked.clear()
                    await self._asked.wait()
                taking = loop.run_in_executor(self._house.threads, source.take, min(self._credits, FRAME_LINES))
                try:
                    lines, over = await asyncio.shield(taking)
                except asyncio.CancelledError:
                    source.stop()
                    await taking
                    raise
                if lines:
                    self._credits -= len(lines)
                    await self._socket.send_text("\n".join(lines))
        except WebSocketDisconnect:
            return
        except Exception as fault:
            known = isinstance(fault, BadInput | BackendFault | MemoryError)
            if not known:
                _LOG.exception("a search failed")
            reason = str(fault) if known and str(fault) else "the search failed"
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self._send({"event": "refused", "to": "ask", "reason": reason})

    async def _end_search(self) -> None:
        if self._search is not None:
            self._search.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._search
            self._search = None

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message))


def _read(text: str | None) -> dict[str, Any]:
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        raise BadInput("a message is a JSON object, and this is none") from None
    if not isinstance(message, dict):
        raise BadInput("a message is a JSON object, and this is none")
    return message
