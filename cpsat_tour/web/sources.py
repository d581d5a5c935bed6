"""Searches as lines of JSON that are taken a few at a time: a search goes little further than its lines are taken.

It works on a thread of its own and waits at an event while too many earlier ones have not been taken. The native search
has the lines of ``cpsat-tour trace --json-stream``, byte by byte; the others have a line that names the problem, then
those of ``solve --json-stream``.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from typing import Any

from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.limits import Limits
from cpsat_tour.formats.describe import event_data
from cpsat_tour.interface.answer import Answer, answer_data
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.web.protocol import Setting, fault_sentence
from cpsat_tour.web.shifts import Shift

SLICE_SECONDS = 0.03
"""The longest time that a call of `LineSource.take` waits."""

WAITING = 64
"""The largest number of events that wait to be taken."""

PROOF_SECONDS = 30.0


class Stopped(BaseException):
    """Raised in the listener of a search to end it; no error."""


class LineSource:
    """The search that a setting asks for, as lines. The line ``first`` names the problem and is there before any work
    is done, which is done in the ``shift``. `BadInput` if the setting is wrong."""

    def __init__(self, setting: Setting, shift: Shift) -> None:
        from cpsat_tour.backends.registry import load

        self._setting, self._shift, self._stopped = setting, shift, False
        self._waiting: Queue[str | None] = Queue(WAITING)
        self._thread: threading.Thread | None = None
        problem = setting.problem
        if setting.backend == "dfs":
            from cpsat_tour.native.dfs import Dfs
            from cpsat_tour.native.orders import Order
            from cpsat_tour.native.trace import opening_data

            self._engine: Any = Dfs(order=setting.order, prune=setting.prune, backtrack=setting.backtrack)
            Order.parse(self._engine.order).for_problem(problem)
            self.first = json.dumps(opening_data(problem, self._engine))
        else:
            self._engine = load(setting.backend, {"log": "true"} if setting.backend == "cpsat" else {})
            opening = {"event": "problem", **problem_data(problem), "backend": setting.backend}
            self.first = json.dumps(opening | {"places": setting.graph.space.all_vertex_data()})

    def take(self, most: int) -> tuple[list[str], bool]:
        """Return a list of at most ``most`` next lines, perhaps empty, and True if the search is over."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        lines: list[str] = []
        until = time.monotonic() + SLICE_SECONDS
        with contextlib.suppress(Empty):
            while len(lines) < most and (left := until - time.monotonic()) > 0:
                line = self._waiting.get(timeout=left)
                if line is None:
                    return lines, True
                lines.append(line)
        return lines, False

    def stop(self) -> None:
        """End the search at its next event; another thread may be taking lines."""
        self._stopped = True

    def join(self) -> None:
        """Wait until the search has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        """Queue the lines of the whole search, the last of them its end; the thread's task."""
        with self._shift, contextlib.suppress(Stopped):
            try:
                last = self._last_event(self._listen)
            except Exception as fault:
                last = {"event": "refused", "reason": fault_sentence(fault)}
            if last is not None:
                self._queue_line(json.dumps(last))
            self._queue_line(None)

    def _last_event(self, listen: Callable[[Event], None]) -> dict[str, Any] | None:
        """Return the last event, which the listener does not hear: the answer of a backend, or the certificate that
        there is no tour; None of the native search."""
        problem, limits = self._setting.problem, Limits(seed=self._setting.seed)
        if self._setting.backend == "dfs":
            from cpsat_tour.native.trace import trace

            for event in trace(problem, self._engine, limits):
                listen(event)
            return None
        if self._setting.backend == "proof":
            from cpsat_tour.proofs.write.prove import prove
            from cpsat_tour.web.drawing_data import shown_certificate

            outcome = prove(problem, limits=Limits(seconds=PROOF_SECONDS), on_event=listen)
            if not isinstance(outcome, Answer):
                return shown_certificate(outcome)
        else:
            from cpsat_tour.backends.runner import run

            outcome = run(problem, self._engine, limits, listen, self._setting.backend)
        return {"event": "answer", **answer_data(problem, outcome)}

    def _listen(self, event: Event) -> None:
        """Queue the event as a line, progress only while there is room; `Stopped` once the search is to end."""
        self._shift.rest()
        if self._stopped:
            raise Stopped
        if isinstance(event, Progress) and (not event.work or self._waiting.qsize() > WAITING // 2):
            return
        self._queue_line(json.dumps(event_data(event)))

    def _queue_line(self, line: str | None) -> None:
        """Put the line into the queue when there is room; `Stopped` if the search is to end first."""
        while not self._stopped:
            with contextlib.suppress(Full):
                return self._waiting.put_nowait(line)
            self._shift.rest(self._wait_for_room)
        raise Stopped

    def _wait_for_room(self) -> None:
        """Wait a moment for a line to be taken."""
        with self._waiting.not_full:
            self._waiting.not_full.wait(SLICE_SECONDS)
