"""The connection to one page: it answers questions and runs one search at a time.

`cpsat_tour.web.protocol` has what a page sends. The page gets text frames of one or more lines, each an event as JSON.
A search begins with the line ``problem``, or ``refused`` with a sentence instead. The page then asks for a number of
further lines, its credits. Without credits nothing is computed: to pause is to send none, a step is one.

However many messages a page sends, it has at most one thread at work for each kind of question and one solver: of
questions of a kind the latest alone is answered, and a search begins when the one before has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from msgspec.structs import replace
from starlette.websockets import WebSocket, WebSocketDisconnect

from cpsat_tour.backends.puzzles import make_puzzle
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import Event
from cpsat_tour.core.limits import Limits
from cpsat_tour.tour import Answer
from cpsat_tour.web.drawing_data import export_event, layout_event
from cpsat_tour.web.play import Judge, check_walk
from cpsat_tour.web.protocol import (
    KINDS,
    MAX_CREDITS,
    Envelope,
    Export,
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
from cpsat_tour.web.sources import LineSource, Shift

FRAME_LINES = 2000
PUZZLE_SECONDS = 30.0

Events = Iterator[dict[str, Any]]


class Overtaken(Exception):
    """Raised in work whose answer is no longer asked for."""


class Desk:
    """Answers the questions of one kind, one at a time, on a thread. A newer question takes the place of one that waits
    and ends the work on the one before; neither gets an answer, so that clicks do not pile up.

    ``events`` yields the events of an answer; it is given `heartbeat`, and calls it several times a second.
    """

    def __init__(
        self, send: Callable[[dict[str, Any]], Awaitable[None]], events: Callable[[Any, Callable[..., None]], Events]
    ) -> None:
        self._send, self._events = send, events
        self._shift = Shift()
        self._latest: Question | None = None
        self._taken: Question | None = None
        self._work: asyncio.Task[None] | None = None

    def put(self, question: Question | None) -> None:
        """Have a question answered, or, for None, end the work."""
        self._latest = question
        if question is not None and (self._work is None or self._work.done()):
            self._work = asyncio.create_task(self._answer_latest())

    def heartbeat(self, _event: Event | None = None) -> None:
        """Let others work; raise `Overtaken` if the answer that is worked on is no longer asked for."""
        self._shift.rest()
        if self._latest is not self._taken:
            raise Overtaken

    async def _answer_latest(self) -> None:
        """Send the events that answer the latest question, until there is no newer one."""
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
    """The state of one page: at most one search with its credits, and a desk for each kind of question, whose answers
    are worked out when the desk asks for them, on a thread."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._gone = False
        self._credits = 0
        self._more_asked = asyncio.Event()
        self._search: tuple[LineSource, asyncio.Task[None]] | None = None
        self._shift = Shift()
        self._judge: tuple[Setting, Judge] | None = None
        self._desks: dict[type[Question], Desk] = {
            JudgeBoard: Desk(self._send, lambda question, _: map(judgement, [question.setting])),
            LayOut: Desk(self._send, lambda question, heartbeat: map(layout_event, [question.setting], [heartbeat])),
            JudgeWalk: Desk(self._send, self._walk_events),
            MakePuzzle: Desk(self._send, puzzle_events),
            Export: Desk(self._send, lambda question, heartbeat: map(export_event, [question], [heartbeat])),
        }

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
        """Do what a message asks; send why it is refused if it can't be done."""
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
                case _:
                    self._desks[type(message)].put(message)
        except Exception as fault:
            await self._send(_refusal_event(envelope.do, envelope.number, fault))

    # --- a search ---

    async def _begin(self, setting: Setting) -> None:
        """End the search that goes on, and begin another."""
        await self._end_search()
        source = await run_in_thread(LineSource, setting, self._shift)
        # Sent at once: each ask has its one answer before the next message is looked at.
        await self._send_text(source.first)
        self._credits = 0
        self._search = source, asyncio.create_task(self._run(source))

    async def _run(self, source: LineSource) -> None:
        """Send the lines of a search, as many as there are credits for."""
        over = False
        while not over:
            while self._credits == 0:
                self._more_asked.clear()
                await self._more_asked.wait()
            taking = asyncio.ensure_future(run_in_thread(source.take, min(self._credits, FRAME_LINES)))
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
        """End the search, and wait until its solver has ended."""
        if self._search is not None:
            source, running = self._search
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            source.stop()
            await run_in_thread(source.join)
            self._search = None

    # --- walks ---

    def _walk_events(self, question: JudgeWalk, heartbeat: Callable[..., None]) -> Events:
        """Yield whether a walk can be completed and, if it can't, then how many of its squares can stay."""
        if self._judge is None or self._judge[0] != question.setting:
            self._judge = question.setting, Judge(question.setting.problem, heartbeat)
        judge = self._judge[1]  # which remembers earlier walks
        walk = check_walk(judge.problem, question.walk)
        verdicts = judge.verdicts(walk)
        final = all(verdict["can"] is not False or "keep" in verdict for verdict in verdicts.values())
        about = {"event": "walk", "length": len(walk)}
        yield {**about, **verdicts, "final": final}
        if not final:
            yield {**about, **judge.add_lengths_to_keep(walk, verdicts), "final": True}

    # --- the line ---

    async def _send(self, message: dict[str, Any]) -> None:
        """Send a message as JSON."""
        await self._send_text(json.dumps(message))

    async def _send_text(self, text: str) -> None:
        """Send text; if the page is gone, note that."""
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            self._gone = True  # while something was being sent to it: Starlette says so in two words


def _refusal_event(do: object, number: object, fault: Exception) -> dict[str, Any]:
    """Return the event that says why a message is refused."""
    return {"event": "refused", "to": do, "number": number, "reason": fault_sentence(fault)}


def puzzle_events(question: MakePuzzle, heartbeat: Callable[..., None]) -> Events:
    """Yield the event of a new puzzle on the setting's board; `BadInput` if there is none, or none in time."""
    problem = replace(question.setting, givens=()).problem
    try:
        made = make_puzzle(problem, Limits(seconds=PUZZLE_SECONDS, seed=question.seed), heartbeat, question.grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(stopped.limit)
    if isinstance(made, Answer):
        why = "there is no tour here" if made.none else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
        raise BadInput(f"{why}: try another board or another grade")
    yield {"event": "puzzle", "givens": made.givens, "grade": made.grade}
