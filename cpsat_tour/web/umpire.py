"""Judges the walks of one page as they come: the latest alone counts, so that clicks do not pile up.

Each walk has at most two answers, both the event ``walk``: whether it can be completed, and, where it can't, why and how far back. A newer walk
ends the judging of the one before at the next event of its solver, and takes its place; walks that were overtaken have no answer. It makes the
puzzles of the page too, one at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from starlette.websockets import WebSocketDisconnect

from cpsat_tour.backends.puzzles import HARDEST, make_puzzle
from cpsat_tour.core.answer import MAX_SEED, Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import Event
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.web.play import Judge, Overtaken, Walk, check_walk
from cpsat_tour.web.settings import Setting

MAX_NUMBER = 1 << 53

PUZZLE_SECONDS = 30.0

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _Wish:
    setting: Setting
    walk: Walk
    number: int


class Umpire:
    """``send`` takes the answers; ``judges`` are the threads that the judging is done in."""

    def __init__(self, judges: ThreadPoolExecutor, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._judges = judges
        self._send = send
        self._latest: _Wish | None = None
        self._judged: _Wish | None = None
        self._judge: tuple[Setting, Judge] | None = None
        self._work: asyncio.Task[None] | None = None
        self._making: asyncio.Task[None] | None = None
        self._gone = False

    def ask(self, setting: Setting, walk: object, number: object) -> None:
        """Judge this walk next; `BadInput` where it is none. The number comes back with the answers."""
        if type(number) is not int or not 0 <= number <= MAX_NUMBER:
            raise BadInput(f"the number of a walk can't be {str(number)[:80]}: give a whole number, 0 or more")
        self._latest = _Wish(setting, check_walk(setting.problem, walk), number)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())

    def puzzle(self, setting: Setting, seed: object, grade: object) -> None:
        """Make a puzzle of the setting's board, one at a time; `BadInput` where there can be none."""
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise BadInput(f"the seed of a puzzle can't be {str(seed)[:80]}: give a whole number from 0 to {MAX_SEED}")
        if type(grade) is not int or not 1 <= grade <= HARDEST:
            raise BadInput(f"the grade of a puzzle can't be {str(grade)[:80]}: give a whole number from 1 to {HARDEST}")
        if self._making is not None and not self._making.done():
            raise BadInput("a puzzle is being made already: wait for it")
        problem = replace(setting, givens=()).problem
        self._making = asyncio.create_task(self._make(problem, Limits(seconds=PUZZLE_SECONDS, seed=seed), grade))

    async def _make(self, problem: HamiltonProblem, limits: Limits, grade: int) -> None:
        def listen(_event: Event) -> None:
            if self._gone:
                raise Overtaken

        def make() -> dict[str, Any]:
            try:
                made = make_puzzle(problem, limits, listen, grade)
            except StoppedEarly:
                made = Answer.unknown("time")
            except BadInput as fault:
                return {"event": "refused", "to": "walk", "reason": str(fault)}
            if isinstance(made, Answer):
                known = "there is no tour here" if made.status == "none" else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
                return {"event": "refused", "to": "walk", "reason": f"{known}: try another board or another grade"}
            return {"event": "puzzle", "givens": made.givens, "grade": made.grade, "words": made.words, "seed": limits.seed}

        with contextlib.suppress(WebSocketDisconnect, RuntimeError, Overtaken):
            await self._send(await asyncio.get_running_loop().run_in_executor(self._judges, make))

    def leave(self) -> None:
        """The page has gone."""
        self._latest = None
        self._gone = True

    async def _serve(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while (wish := self._latest) is not None and wish is not self._judged:
                self._judged = wish
                with contextlib.suppress(Overtaken):
                    await self._answer(wish)

    async def _answer(self, wish: _Wish) -> None:
        loop = asyncio.get_running_loop()
        about: dict[str, Any] = {"event": "walk", "number": wish.number, "length": len(wish.walk)}
        try:
            judge = await loop.run_in_executor(self._judges, self._judge_of, wish.setting)
            verdicts = await loop.run_in_executor(self._judges, judge.verdicts, wish.walk)
            open_question = any(verdict["can"] is False for verdict in verdicts.values())
            await self._send(about | dict(verdicts.items()) | {"final": not open_question})
            if open_question:
                reasons = await loop.run_in_executor(self._judges, judge.reasons, wish.walk, verdicts)
                await self._send(about | dict(reasons.items()) | {"final": True})
        except (BadInput, BackendFault, MemoryError) as fault:
            await self._send({"event": "refused", "to": "walk", "reason": str(fault) or "there is not enough memory for this board"})
        except (Overtaken, WebSocketDisconnect, RuntimeError):
            raise
        except Exception:
            _LOG.exception("a walk could not be judged")
            await self._send({"event": "refused", "to": "walk", "reason": "the walk could not be judged"})

    def _judge_of(self, setting: Setting) -> Judge:
        """The judge of the setting, who remembers the walks before."""
        if self._judge is None or self._judge[0] != setting:
            self._judge = setting, Judge(setting.problem, lambda: self._latest is not self._judged)
        return self._judge[1]
