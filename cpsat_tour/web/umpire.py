"""Judges the walks of one page as they come: the latest alone counts, so that clicks do not pile up.

Each walk has at most two answers, both the event ``walk``: whether it can be completed, and, where it can't, why and
how far back. A newer walk ends the judging of the one before at the next event of its solver, and takes its place;
walks that were overtaken have no answer. It makes the puzzles of the page too, one at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from starlette.websockets import WebSocketDisconnect

from cpsat_tour.backends.puzzles import HARDEST, make_puzzle
from cpsat_tour.core.answer import MAX_SEED, Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.web.play import Judge, Overtaken, Walk, check_walk
from cpsat_tour.web.settings import Setting, whole

MAX_NUMBER = 1 << 53

MAX_JUDGED, MAX_PUZZLES = 4, 2
"""So many walks are judged, and so many puzzles made, at once for all pages together."""

PUZZLE_SECONDS = 30.0
NO_PUZZLE = f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _Wish:
    setting: Setting
    walk: object
    number: int


class Judges:
    """What the umpires share: the threads that walks are judged in, and how many puzzles are being made."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(max_workers=MAX_JUDGED, thread_name_prefix="judge")
        self.puzzles = 0


class Umpire:
    """``send`` takes the answers."""

    def __init__(self, judges: Judges, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._judges = judges
        self._send = send
        self._latest: _Wish | None = None
        self._judged: _Wish | None = None
        self._judge: tuple[Setting, Judge] | None = None
        self._work: asyncio.Task[None] | None = None
        self._making: asyncio.Task[None] | None = None

    def ask(self, setting: Setting, walk: object, number: object) -> None:
        """Judge this walk next; `BadInput` without a number, which comes back with the answers."""
        self._latest = _Wish(setting, walk, whole("the number of a walk", number, 0, MAX_NUMBER))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())

    def puzzle(self, setting: Setting, seed: object, grade: object) -> None:
        """Make a puzzle of the setting's board, one at a time; `BadInput` where there can be none."""
        limits = Limits(seconds=PUZZLE_SECONDS, seed=whole("the seed of a puzzle", seed, 0, MAX_SEED))
        hardest = whole("the grade of a puzzle", grade, 1, HARDEST)
        if self._making is not None and not self._making.done():
            raise BadInput("a puzzle is being made already: wait for it")
        if self._judges.puzzles >= MAX_PUZZLES:
            raise BadInput("puzzles are being made for others: try again in a moment")
        self._making = asyncio.create_task(self._make(setting, limits, hardest))

    async def _make(self, setting: Setting, limits: Limits, grade: int) -> None:
        """Make it in a thread that nobody waits for when the server ends, since it looks at its clock alone."""
        loop = asyncio.get_running_loop()
        made: asyncio.Future[dict[str, Any]] = loop.create_future()

        def settle(answer: dict[str, Any]) -> None:
            if not made.cancelled():
                made.set_result(answer)

        def work() -> None:
            answer = _puzzle(setting, limits, grade)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, answer)

        self._judges.puzzles += 1
        try:
            threading.Thread(target=work, daemon=True).start()
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self._send(await made)
        finally:
            self._judges.puzzles -= 1

    def leave(self) -> None:
        """The page has gone."""
        self._latest = None

    async def _serve(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while (wish := self._latest) is not None and wish is not self._judged:
                self._judged = wish
                with contextlib.suppress(Overtaken):
                    await self._answer(wish)

    async def _answer(self, wish: _Wish) -> None:
        loop = asyncio.get_running_loop()
        threads = self._judges.threads
        try:
            judge, walk = await loop.run_in_executor(threads, self._checked, wish)
            about: dict[str, Any] = {"event": "walk", "number": wish.number, "length": len(walk)}
            verdicts = await loop.run_in_executor(threads, judge.verdicts, walk)
            open_question = any(verdict["can"] is False for verdict in verdicts.values())
            await self._send(about | dict(verdicts.items()) | {"final": not open_question})
            if open_question:
                reasons = await loop.run_in_executor(threads, judge.reasons, walk, verdicts)
                await self._send(about | dict(reasons.items()) | {"final": True})
        except (BadInput, BackendFault, MemoryError) as fault:
            await self._send(
                {"event": "refused", "to": "walk", "reason": str(fault) or "there is not enough memory for this board"}
            )
        except (Overtaken, WebSocketDisconnect, RuntimeError):
            raise
        except Exception:
            _LOG.exception("a walk could not be judged")
            await self._send({"event": "refused", "to": "walk", "reason": "the walk could not be judged"})

    def _checked(self, wish: _Wish) -> tuple[Judge, Walk]:
        """The judge of the setting, who remembers the walks before, and the walk; `BadInput` where either is none."""
        if self._judge is None or self._judge[0] != wish.setting:
            self._judge = wish.setting, Judge(wish.setting.problem, lambda: self._latest is not self._judged)
        judge = self._judge[1]
        return judge, check_walk(judge.problem, wish.walk)


def _puzzle(setting: Setting, limits: Limits, grade: int) -> dict[str, Any]:
    """What the page is told: the givens, or in a sentence why there are none."""
    try:
        made = make_puzzle(replace(setting, givens=()).problem, limits, grade=grade)
        if not isinstance(made, Answer):
            return {
                "event": "puzzle",
                "givens": made.givens,
                "grade": made.grade,
                "words": made.words,
                "seed": limits.seed,
            }
        reason = "there is no tour here" if made.status == "none" else NO_PUZZLE
    except StoppedEarly:
        reason = NO_PUZZLE
    except (BadInput, BackendFault, MemoryError) as fault:
        return {"event": "refused", "to": "walk", "reason": str(fault) or "there is not enough memory for this board"}
    return {"event": "refused", "to": "walk", "reason": f"{reason}: try another board or another grade"}
