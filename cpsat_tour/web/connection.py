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

from msgspec.structs import replace
from starlette.websockets import WebSocket, WebSocketDisconnect

from cpsat_tour.backends.puzzles import make_puzzle
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
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
    Setting,
    Stop,
    decoded,
    in_thread,
    judgement,
    reason_of,
)
from cpsat_tour.web.play import Judge, Overtaken, check_walk
from cpsat_tour.web.shown import plan
from cpsat_tour.web.sources import LineSource, open_source

FRAME_LINES = 2000
PUZZLE_SECONDS = 30.0


class Connection:
    """One page: at most one search, its credits, and the walk that it judges."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._credits = 0
        self._asked = asyncio.Event()
        self._search: asyncio.Task[None] | None = None
        self._puzzle: asyncio.Task[None] | None = None
        self._judging: asyncio.Task[None] | None = None
        self._latest: JudgeWalk | None = None
        self._judged: JudgeWalk | None = None
        self._judge: tuple[Setting, Judge] | None = None

    async def serve(self) -> None:
        """Answer messages until the page goes away, and then end its search."""
        try:
            while (message := await self._socket.receive())["type"] != "websocket.disconnect":
                await self._handle(message.get("text") or "")
        finally:
            self._latest = None
            await self._end_search()

    async def _handle(self, text: str) -> None:
        envelope = Envelope()
        try:
            envelope = decoded(text, Envelope)
            match message := decoded(text, KINDS):
                case Search():
                    await self._begin(message.setting)
                case SendMore():
                    if self._search is None:
                        raise BadInput("no search is under way: ask for one first")
                    self._credits = min(MAX_CREDITS, self._credits + message.events)
                    self._asked.set()
                case Stop():
                    await self._end_search()
                case JudgeBoard():
                    await self._answer(message, lambda asked: judgement(asked.setting))
                case LayOut():
                    await self._answer(message, lambda asked: plan(asked.setting))
                case JudgeWalk():
                    self._latest = message
                    if self._judging is None or self._judging.done():
                        self._judging = asyncio.create_task(self._judge_the_latest())
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

    # --- a search ---

    async def _begin(self, setting: Setting) -> None:
        await self._end_search()
        source = await in_thread(open_source, setting)
        # Sent at once: each ask has its one answer before the next message is looked at.
        await self._send_text(source.first)
        self._credits = 0
        self._search = asyncio.create_task(self._run(source))
        # Not in the task itself, which may be cancelled before it has begun.
        self._search.add_done_callback(lambda _: source.stop())

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

    # --- walks ---

    async def _judge_the_latest(self) -> None:
        """Judge the walks as they come. The latest alone counts, so that clicks do not pile up: it ends the judging of
        the one before, which has no answer, at the next event of its solver."""
        while (walk := self._latest) is not None and walk is not self._judged:
            self._judged = walk
            with contextlib.suppress(Overtaken):
                await self._judge_walk(walk)

    async def _judge_walk(self, asked: JudgeWalk) -> None:
        """Send whether the walk can be completed, and then, where it can't, how far back."""
        about: dict[str, Any] = {"event": "walk", "to": "walk", "number": asked.number, "length": len(asked.walk)}
        try:
            judge = await in_thread(self._judge_of, asked)
            verdicts = await in_thread(judge.verdicts, asked.walk)
            final = all(verdict["can"] is not False or "keep" in verdict for verdict in verdicts.values())
            await self._send({**about, **verdicts, "final": final})
            if not final:
                verdicts = await in_thread(judge.reasons, asked.walk, verdicts)
                await self._send({**about, **verdicts, "final": True})
        except Overtaken:
            raise
        except Exception as fault:
            await self._send(_refusal("walk", asked.number, fault))

    def _judge_of(self, asked: JudgeWalk) -> Judge:
        """The judge of the setting, who remembers the walks before; `BadInput` where this is not a walk."""
        if self._judge is None or self._judge[0] != asked.setting:
            self._judge = asked.setting, Judge(asked.setting.problem, lambda: self._latest is not self._judged)
        judge = self._judge[1]
        check_walk(judge.problem, asked.walk)
        return judge

    # --- the line ---

    async def _send(self, message: dict[str, Any]) -> None:
        await self._send_text(json.dumps(message))

    async def _send_text(self, text: str) -> None:
        # A page that went away while something was being sent to it: Starlette says so in two words.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.send_text(text)


def _refusal(do: object, number: object, fault: Exception) -> dict[str, Any]:
    return {"event": "refused", "to": do, "number": number, "reason": reason_of(fault)}


def puzzle(asked: MakePuzzle) -> dict[str, Any]:
    """Make a puzzle of the setting's board; `BadInput` where there is none, or none in time."""
    problem, again = replace(asked.setting, givens=()).problem, "try another board or another grade"
    try:
        made = make_puzzle(problem, Limits(seconds=PUZZLE_SECONDS, seed=asked.seed), grade=asked.grade)
        none = isinstance(made, Answer) and made.none
    except StoppedEarly:
        made, none = None, False
    if made is None or isinstance(made, Answer):
        what = "there is no tour here" if none else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
        raise BadInput(f"{what}: {again}")
    return {"event": "puzzle", "givens": made.givens, "grade": made.grade}
