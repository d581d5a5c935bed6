"""The connection to one page: it answers questions and runs one search at a time.

`cpsat_tour.web.messages` has what a page sends. The page gets text frames of one or more lines, each an event as JSON.
A search begins with the line ``problem``, or ``refused`` with a sentence instead. The page then asks for a number of
further lines, its credits. Without credits nothing is computed: to pause is to send none, a step is one.
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
    decode,
    fault_sentence,
    judgement,
    run_in_thread,
)
from cpsat_tour.web.play import Judge, Overtaken, check_walk
from cpsat_tour.web.shown import plan
from cpsat_tour.web.sources import LineSource, open_source

FRAME_LINES = 2000
PUZZLE_SECONDS = 30.0


class Connection:
    """The state of one page: at most one search with its credits, and the walk that is judged."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._credits = 0
        self._more_asked = asyncio.Event()
        self._search: asyncio.Task[None] | None = None
        self._puzzle: asyncio.Task[None] | None = None
        self._judging: asyncio.Task[None] | None = None
        self._latest: JudgeWalk | None = None
        self._judged: JudgeWalk | None = None
        self._judge: tuple[Setting, Judge] | None = None

    async def serve(self) -> None:
        """Answer messages until the page goes away, then end its search."""
        try:
            while (message := await self._socket.receive())["type"] != "websocket.disconnect":
                await self._handle(message.get("text") or "")
        finally:
            self._latest = None
            await self._end_search()

    async def _handle(self, text: str) -> None:
        envelope = Envelope()
        try:
            envelope = decode(text, Envelope)
            match message := decode(text, KINDS):
                case Search():
                    await self._begin(message.setting)
                case SendMore():
                    if self._search is None:
                        raise BadInput("no search is under way: ask for one first")
                    self._credits = min(MAX_CREDITS, self._credits + message.events)
                    self._more_asked.set()
                case Stop():
                    await self._end_search()
                case JudgeBoard():
                    await self._answer(message, lambda question: judgement(question.setting))
                case LayOut():
                    await self._answer(message, lambda question: plan(question.setting))
                case JudgeWalk():
                    self._latest = message
                    if self._judging is None or self._judging.done():
                        self._judging = asyncio.create_task(self._judge_latest_walk())
                case MakePuzzle():
                    self._puzzle = asyncio.create_task(self._answer(message, puzzle_event))
        except Exception as fault:
            await self._send(_refusal_event(envelope.do, envelope.number, fault))

    async def _answer(self, question: Question, work: Callable[[Any], dict[str, Any]]) -> None:
        """Send the answer to a question, or a refusal; it is computed on a thread."""
        do = str(question.__struct_config__.tag)
        try:
            answer = {"to": do, "number": question.number, **await run_in_thread(work, question)}
        except Exception as fault:
            answer = _refusal_event(do, question.number, fault)
        await self._send(answer)

    # --- a search ---

    async def _begin(self, setting: Setting) -> None:
        await self._end_search()
        source = await run_in_thread(open_source, setting)
        # Sent at once: each ask has its one answer before the next message is looked at.
        await self._send_text(source.first)
        self._credits = 0
        self._search = asyncio.create_task(self._run(source))
        # Not in the task itself, which may be cancelled before it has begun.
        self._search.add_done_callback(lambda _: source.stop())

    async def _run(self, source: LineSource) -> None:
        """Send the lines of a search, as many as there are credits for."""
        over = False
        while not over:
            while self._credits == 0:
                self._more_asked.clear()
                await self._more_asked.wait()
            taking = asyncio.ensure_future(asyncio.to_thread(source.take, min(self._credits, FRAME_LINES)))
            try:
                lines, over = await asyncio.shield(taking)
            except asyncio.CancelledError:
                source.stop()
                await taking
                raise
            except Exception as fault:
                lines, over = [json.dumps({"event": "refused", "reason": fault_sentence(fault)})], True
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

    async def _judge_latest_walk(self) -> None:
        """Judge the latest walk until no newer one has come: send whether it can be completed and, if it can't, then
        how many of its squares can stay. A newer walk ends the judging of the one before, which gets no answer, so that
        clicks do not pile up."""
        while (question := self._latest) is not None and question is not self._judged:
            self._judged, walk = question, question.walk
            about: dict[str, Any] = {"event": "walk", "to": "walk", "number": question.number, "length": len(walk)}
            try:
                judge = await run_in_thread(self._judge_for, question)
                verdicts = await run_in_thread(judge.verdicts, walk)
                final = all(verdict["can"] is not False or "keep" in verdict for verdict in verdicts.values())
                await self._send({**about, **verdicts, "final": final})
                if not final:
                    verdicts = await run_in_thread(judge.add_lengths_to_keep, walk, verdicts)
                    await self._send({**about, **verdicts, "final": True})
            except Overtaken:
                continue
            except Exception as fault:
                await self._send(_refusal_event("walk", question.number, fault))

    def _judge_for(self, question: JudgeWalk) -> Judge:
        """Return the judge of the setting, which remembers earlier walks; `BadInput` if this is not a walk."""
        if self._judge is None or self._judge[0] != question.setting:
            self._judge = question.setting, Judge(question.setting.problem, lambda: self._latest is not self._judged)
        judge = self._judge[1]
        check_walk(judge.problem, question.walk)
        return judge

    # --- the line ---

    async def _send(self, message: dict[str, Any]) -> None:
        await self._send_text(json.dumps(message))

    async def _send_text(self, text: str) -> None:
        # A page that went away while something was being sent to it: Starlette says so in two words.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.send_text(text)


def _refusal_event(do: object, number: object, fault: Exception) -> dict[str, Any]:
    return {"event": "refused", "to": do, "number": number, "reason": fault_sentence(fault)}


def puzzle_event(question: MakePuzzle) -> dict[str, Any]:
    """Return the event of a new puzzle on the setting's board; `BadInput` if there is none, or none in time."""
    problem = replace(question.setting, givens=()).problem
    try:
        made = make_puzzle(problem, Limits(seconds=PUZZLE_SECONDS, seed=question.seed), grade=question.grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(str(stopped))
    if isinstance(made, Answer):
        why = "there is no tour here" if made.none else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
        raise BadInput(f"{why}: try another board or another grade")
    return {"event": "puzzle", "givens": made.givens, "grade": made.grade}
