"""Searches as lines of JSON that are taken a few at a time: a search goes little further than its lines are taken.

It works on a thread of its own and waits at an event while too many earlier ones have not been taken. The native search
has the lines of ``cpsat-tour trace --json-stream``, byte by byte; the others have a line that names the problem, then
those of ``solve --json-stream``.

Threads work for pages in shifts, so that each page has a fair share of the machine. As many threads work at a time as
there are processors; the others wait, and the one that has worked least goes first (the fair scheduling of operating
systems, here for the threads of one interpreter). So forty pages with much work hardly delay a short answer to another.
Work that does not rest holds up the others for `LONGEST` at most.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from queue import Empty, Full, Queue
from threading import Condition
from time import monotonic
from typing import Any, ClassVar

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.limits import Limits
from cpsat_tour.formats.describe import event_data
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.orders import Order
from cpsat_tour.native.trace import opening_data, trace
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer, answer_data
from cpsat_tour.web.drawing_data import shown_certificate
from cpsat_tour.web.protocol import Setting, fault_sentence

AT_ONCE = max(2, os.cpu_count() or 2)

SLICE, LONGEST = 0.05, 0.5
"""Seconds after which work lets others go first, and after which it is no longer counted as at work."""

CREDIT = 1.0
"""Seconds that work which begins may have worked less than all others, however long it has waited."""


class Shift(ContextDecorator):
    """The shifts of one kind of work of a page, on one thread at a time: ``with shift:`` waits until one begins."""

    _changed: ClassVar[Condition] = Condition()
    _working: ClassVar[dict[Shift, float]] = {}
    _waiting: ClassVar[list[Shift]] = []

    _worked = 0.0

    def __enter__(self) -> None:
        with self._changed:
            least = min((shift._worked for shift in (*self._working, *self._waiting)), default=0.0)
            self._worked = max(self._worked, least - CREDIT)
            self._waiting.append(self)
            while not self._is_next():
                self._changed.wait(SLICE)
            self._waiting.remove(self)
            self._working[self] = monotonic()

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._worked += (now := monotonic()) - self._working.pop(self, now)
            self._changed.notify_all()

    def rest(self, until: Callable[[], object] | None = None) -> None:
        """Let others go first after a slice of work, or ``until`` something else has been waited for; called several
        times a second, perhaps by a solver's own thread."""
        if until or (now := monotonic()) - self._working.get(self, now) >= SLICE:
            self.__exit__()
            if until:
                until()
            self.__enter__()

    def _is_next(self) -> bool:
        """Return True if there is room for one more, and this has worked least of those that wait."""
        at_work = sum(monotonic() - since < LONGEST for since in self._working.values())
        return at_work < AT_ONCE and self is min(self._waiting, key=lambda shift: shift._worked)


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
        self._setting, self._shift, self._stopped = setting, shift, False
        self._waiting: Queue[str | None] = Queue(WAITING)
        self._thread: threading.Thread | None = None
        problem = setting.problem
        if setting.backend == "dfs":
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
        until = monotonic() + SLICE_SECONDS
        with contextlib.suppress(Empty):
            while len(lines) < most and (left := until - monotonic()) > 0:
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
            for event in trace(problem, self._engine, limits):
                listen(event)
            return None
        if self._setting.backend == "proof":
            outcome = prove(problem, limits=Limits(seconds=PROOF_SECONDS), on_event=listen)
            if not isinstance(outcome, Answer):
                return shown_certificate(outcome)
        else:
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
