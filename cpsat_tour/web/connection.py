"""One page's end of the line: it asks for a search, and then for so many of its lines, which are its credits.

What a page sends is in `cpsat_tour.web.messages`. To the page go text frames of one or more lines, each an event as
JSON. A search begins with the line ``problem``; ``refused`` says in a sentence what could not be done, and the answer
to an ask is one of these two. Without credits nothing is computed, so pause is none and step is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from cpsat_tour.core.errors import BadInput
from cpsat_tour.web.messages import (
    KINDS,
    MAX_CREDITS,
    Envelope,
    JudgeBoard,
    JudgeWalk,
    LayOut,
    MakePuzzle,
    Question,
    Search,
    SendMore,
    Stop,
    decoded,
    in_thread,
    reason_of,
)
from cpsat_tour.web.plans import plan
from cpsat_tour.web.settings import Setting, judgement
from cpsat_tour.web.sources import LineSource, open_source
from cpsat_tour.web.walks import Walks, puzzle

FRAME_LINES = 2000


class Connection:
    """One page: at most one search, and its credits."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._credits = 0
        self._asked = asyncio.Event()
        self._search: asyncio.Task[None] | None = None
        self._puzzle: asyncio.Task[None] | None = None
        self._walks = Walks(self._send)

    async def serve(self) -> None:
        """Answer messages until the page goes away, and then end its search."""
        try:
            while (message := await self._socket.receive())["type"] != "websocket.disconnect":
                await self._handle(message.get("text") or "")
        finally:
            self._walks.leave()
            await self._end_search()

    async def _handle(self, text: str) -> None:
        envelope = Envelope()
        try:
            envelope = decoded(text, Envelope)
            if envelope.do not in ("ask", "more", "stop", "judge", "plan", "walk", "puzzle"):
                raise BadInput("a message asks to do one of ask, more, stop, judge, plan, walk and puzzle")
            match message := decoded(text, KINDS):
                case Search():
                    await self._begin(message.setting)
                case SendMore():
                    self._give(message.events)
                case Stop():
                    await self._end_search()
                case JudgeBoard():
                    await self._answer(message, lambda asked: judgement(asked.setting))
                case LayOut():
                    await self._answer(message, lambda asked: plan(asked.setting))
                case JudgeWalk():
                    self._walks.judge(message)
                case MakePuzzle():
                    self._puzzle = asyncio.create_task(self._answer(message, puzzle))
        except Exception as fault:
            await self._send(_refusal(envelope.do, envelope.number, fault))

    async def _answer(self, asked: Question, work: Callable[[Any], dict[str, Any]]) -> None:
        """Send the answer to a question, worked out while other pages are served."""
        do = str(asked.__struct_config__.tag)
        try:
            answer = {"to": do, "number": asked.number, **await in_thread(work, asked)}
        except Exception as fault:
            answer = _refusal(do, asked.number, fault)
        await self._send(answer)

    async def _begin(self, setting: Setting) -> None:
        await self._end_search()
        source = await in_thread(open_source, setting)
        # Sent at once: each ask has its one answer before the next message is looked at.
        await self._send_text(source.first)
        self._credits = 0
        self._search = asyncio.create_task(self._run(source))
        # Not in the task itself, which may be cancelled before it has begun.
        self._search.add_done_callback(lambda _: source.stop())

    def _give(self, events: int) -> None:
        if self._search is None:
            raise BadInput("no search is under way: ask for one first")
        self._credits = min(MAX_CREDITS, self._credits + events)
        self._asked.set()

    async def _run(self, source: LineSource) -> None:
        """Send lines as there are credits for them."""
        over = False
        while not over:
            while self._credits == 0:
                self._asked.clear()
                await self._asked.wait()
            taking = asyncio.ensure_future(asyncio.to_thread(source.take, min(self._credits, FRAME_LINES)))
            try:
                lines, over = await asyncio.shield(taking)
            except asyncio.CancelledError:
                source.stop()
                await taking
                raise
            except Exception as fault:
                lines, over = [json.dumps({"event": "refused", "reason": reason_of(fault)})], True
            if lines:
                self._credits -= len(lines)
                await self._send_text("\n".join(lines))

    async def _end_search(self) -> None:
        if self._search is not None:
            self._search.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._search
            self._search = None

    async def _send(self, message: dict[str, Any]) -> None:
        await self._send_text(json.dumps(message))

    async def _send_text(self, text: str) -> None:
        # A page that went away while something was being sent to it: Starlette says so in two words.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.send_text(text)


def _refusal(do: object, number: object, fault: Exception) -> dict[str, Any]:
    return {"event": "refused", "to": do, "number": number, "reason": reason_of(fault)}
