"""Judges the walks of one page as they come: the latest alone counts, so that clicks do not pile up.

Each walk has at most two answers, both the event ``walk``: whether it can be completed, and, where it can't, why and how far back. A newer walk
ends the judging of the one before at the next event of its solver, and takes its place; walks that were overtaken have no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from starlette.websockets import WebSocketDisconnect

from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.web.play import Judge, Overtaken, Walk, check_walk
from cpsat_tour.web.settings import Setting

MAX_NUMBER = 1 << 53

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

    def ask(self, setting: Setting, walk: object, number: object) -> None:
        """Judge this walk next; `BadInput` where it is none. The number comes back with the answers."""
        if type(number) is not int or not 0 <= number <= MAX_NUMBER:
            raise BadInput(f"the number of a walk can't be {str(number)[:80]}: give a whole number, 0 or more")
        self._latest = _Wish(setting, check_walk(setting.problem, walk), number)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())

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
