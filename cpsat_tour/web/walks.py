"""Judges the walks of one page as they come: the latest alone counts, so that clicks do not pile up.

Each walk has at most two answers: whether it can be completed, and, where it can't, why and how far back. A newer walk
ends the judging of the one before at the next event of its solver, and takes its place; walks that were overtaken have
no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from cpsat_tour.backends.puzzles import make_puzzle
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.web.messages import JudgeWalk, MakePuzzle, in_thread, reason_of
from cpsat_tour.web.play import Judge, Overtaken, Walk, check_walk
from cpsat_tour.web.settings import Setting

PUZZLE_SECONDS = 30.0


class Walks:
    """The walks of one page, of which the latest is judged; ``send`` takes the answers."""

    def __init__(self, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._send = send
        self._latest: JudgeWalk | None = None
        self._judged: JudgeWalk | None = None
        self._judge: tuple[Setting, Judge] | None = None
        self._work: asyncio.Task[None] | None = None

    def judge(self, walk: JudgeWalk) -> None:
        """Judge this walk next."""
        self._latest = walk
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._judge_the_latest())

    def leave(self) -> None:
        """End the judging: the page has gone."""
        self._latest = None

    async def _judge_the_latest(self) -> None:
        while (walk := self._latest) is not None and walk is not self._judged:
            self._judged = walk
            with contextlib.suppress(Overtaken):
                await self._answer(walk)

    async def _answer(self, asked: JudgeWalk) -> None:
        about: dict[str, Any] = {"event": "walk", "to": "walk", "number": asked.number}
        try:
            judge, walk = await in_thread(self._checked, asked)
            about["length"] = len(walk)
            verdicts = await in_thread(judge.verdicts, walk)
            final = all(verdict["can"] is not False or "keep" in verdict for verdict in verdicts.values())
            await self._send(about | dict(verdicts.items()) | {"final": final})
            if not final:
                reasons = await in_thread(judge.reasons, walk, verdicts)
                await self._send(about | dict(reasons.items()) | {"final": True})
        except Overtaken:
            raise
        except Exception as fault:
            await self._send({**about, "event": "refused", "reason": reason_of(fault)})

    def _checked(self, asked: JudgeWalk) -> tuple[Judge, Walk]:
        """The judge of the setting, who remembers the walks before, and the walk; `BadInput` where it is not one."""
        if self._judge is None or self._judge[0] != asked.setting:
            self._judge = asked.setting, Judge(asked.setting.problem, lambda: self._latest is not self._judged)
        judge = self._judge[1]
        return judge, check_walk(judge.problem, asked.walk)


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
