"""Searches on threads of their own, as lines of JSON, and the shifts in which the threads of all pages work.

A page gives a search credits, one for each line; without credits nothing is computed. The native search has the lines
of ``cpsat-tour trace --json-stream``, byte by byte; the others have a line that names the problem, then those of
``solve --json-stream``.

Threads work for pages in shifts, so that each page has a fair share of the machine. As many threads work at a time as
there are processors; the others wait, and the one that has worked least goes first (the fair scheduling of operating
systems, here for the threads of one interpreter). So forty pages with much work hardly delay a short answer to another.
Work that does not rest holds up the others for `LONGEST` at most.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from contextlib import ContextDecorator
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
from cpsat_tour.web.answers import certificate_data
from cpsat_tour.web.protocol import MAX_CREDITS, Setting, fault_sentence

AT_ONCE = max(2, os.cpu_count() or 2)

SLICE, LONGEST = 0.05, 0.5
"""Seconds after which work lets others go first, and after which it is no longer counted as at work."""

ADVANTAGE = 1.0
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
            self._worked = max(self._worked, least - ADVANTAGE)
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


MAX_LINES = 2000
"""The largest number of lines that wait to be sent."""

PROOF_SECONDS = 30.0


class Stopped(BaseException):
    """Raised in the listener of a search to end it; no error."""


class Search:
    """The search that a setting asks for. The line ``first`` names the problem and is there before any work is done;
    the work is done by `run`, on another thread, which calls ``waits`` when it waits for the lines to be taken or for
    credits, and at its end. `BadInput` if the setting is wrong."""

    def __init__(self, setting: Setting, shift: Shift, waits: Callable[[], object]) -> None:
        self._setting, self._shift, self._waits = setting, shift, waits
        self._credits, self._stopped, self._lines = 0, False, list[str]()
        self._changed = Condition()
        problem = setting.problem
        if setting.backend == "dfs":
            self._engine: Any = Dfs(order=setting.order, prune=setting.prune, backtrack=setting.backtrack)
            Order.parse(self._engine.order).for_problem(problem)
            self.first = json.dumps(opening_data(problem, self._engine))
        else:
            self._engine = load(setting.backend, {"log": "true"} if setting.backend == "cpsat" else {})
            opening = {"event": "problem", **problem_data(problem), "backend": setting.backend}
            self.first = json.dumps(opening | {"places": setting.graph.space.all_vertex_data()})

    def give(self, events: int) -> None:
        """Let the search make this number of lines more."""
        with self._changed:
            self._credits = min(MAX_CREDITS, self._credits + events)
            self._changed.notify()

    def take(self) -> list[str]:
        """Return the lines that wait to be sent, and forget them."""
        with self._changed:
            lines, self._lines = self._lines, []
            self._changed.notify()
        return lines

    def stop(self) -> None:
        """End the search at its next event."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def run(self) -> None:
        """Make the lines of the whole search, the last of them its end."""
        with contextlib.suppress(Stopped):
            self._wait_for_room()
            if self._stopped:
                return
            with self._shift:
                try:
                    self._make_lines()
                except Exception as fault:
                    self._add({"event": "refused", "reason": fault_sentence(fault)})
            self._waits()

    def _make_lines(self) -> None:
        """Make a line of each event and, except for the native search, of the answer or the certificate."""
        problem, limits = self._setting.problem, Limits(seed=self._setting.seed)
        if self._setting.backend == "dfs":
            for event in trace(problem, self._engine, limits):
                self._listen(event)
            return
        if self._setting.backend == "proof":
            outcome = prove(problem, limits=Limits(seconds=PROOF_SECONDS), on_event=self._listen)
        else:
            outcome = run(problem, self._engine, limits, self._listen, self._setting.backend)
        if isinstance(outcome, Answer):
            self._add({"event": "answer", **answer_data(problem, outcome)})
        else:
            self._add(certificate_data(outcome))

    def _listen(self, event: Event) -> None:
        """Make a line of the event, and wait until there is room for the next; `Stopped` once the search is to end."""
        if not isinstance(event, Progress) or event.work:
            self._add(event_data(event))
        self._shift.rest(None if self._has_room() else self._wait_for_room)
        if self._stopped:
            raise Stopped

    def _add(self, event: dict[str, Any]) -> None:
        """Add a line."""
        with self._changed:
            self._credits -= 1
            self._lines.append(json.dumps(event))

    def _has_room(self) -> bool:
        """Return True if there are credits and no crowd of lines waits, or the search is to end."""
        return self._stopped or (self._credits > 0 and len(self._lines) < MAX_LINES)

    def _wait_for_room(self) -> None:
        """Wait for credits, and for lines to be taken."""
        self._waits()
        with self._changed:
            self._changed.wait_for(self._has_room)
