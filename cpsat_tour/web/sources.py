"""Searches as lines of JSON that are taken a few at a time: a search goes no further than its lines are taken.

The native search is a generator, so it works only while lines are taken from it. A solver works in a thread of its own
and tells what it does; it is held up at its next event while earlier ones wait to be taken. The lines of the native
search are those of ``cpsat-tour trace --json-stream``, byte by byte, the others those of ``cpsat-tour solve
--json-stream`` after one that names the problem.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from typing import Any

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.formats.describe import answer_data, event_data
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.web.messages import Setting, reason_of

SLICE_SECONDS = 0.03
"""So long one call of `LineSource.take` works at most, or waits for a first line."""

WAITING = 64
"""So many events of a solver may wait to be taken."""

PROOF_SECONDS = 30.0


class LineSource:
    """A search as lines: ``first``, before all others, costs no work, and says what is searched."""

    first: str
    _stopped = False

    def take(self, most: int) -> tuple[list[str], bool]:
        """Return the next lines, ``most`` at most and perhaps none yet, and whether the search is over."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the search, at its next event; may be called while another thread takes lines."""
        self._stopped = True


def open_source(setting: Setting) -> LineSource:
    """The search that a setting asks for; `BadInput` where there is none such."""
    return NativeSource(setting) if setting.backend == "dfs" else SolverSource(setting)


class NativeSource(LineSource):
    """The native search, step by step."""

    def __init__(self, setting: Setting) -> None:
        from cpsat_tour.native.dfs import Dfs
        from cpsat_tour.native.orders import Order
        from cpsat_tour.native.trace import opening, trace

        dfs = Dfs(order=setting.order, prune=setting.prune, backtrack=setting.backtrack)
        Order.parse(dfs.order).for_problem(setting.problem)
        self.first = json.dumps(opening(setting.problem, dfs))
        self._events = trace(setting.problem, dfs, Limits(seed=setting.seed))

    def take(self, most: int) -> tuple[list[str], bool]:
        lines: list[str] = []
        until = time.perf_counter() + SLICE_SECONDS
        while len(lines) < most and not self._stopped and time.perf_counter() < until:
            event = next(self._events, None)
            if event is None:
                return lines, True
            lines.append(json.dumps(event_data(event)))
        return lines, False


class Stopped(Exception):
    """Raised in a solver's listener to end its search."""


class SolverSource(LineSource):
    """A solver, or the prover, in a thread of its own."""

    def __init__(self, setting: Setting) -> None:
        from cpsat_tour.backends.registry import load

        self._setting = setting
        self._engine = load(setting.backend, {"log": "true"} if setting.backend == "cpsat" else {})
        self._waiting: Queue[str | None] = Queue(WAITING)
        problem, places = setting.problem, setting.graph.space.places()
        opening = {"event": "problem", **problem_data(problem), "backend": setting.backend, "places": places}
        self.first = json.dumps(opening)
        self._thread: threading.Thread | None = None

    def take(self, most: int) -> tuple[list[str], bool]:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        lines: list[str] = []
        with contextlib.suppress(Empty):
            while len(lines) < most:
                line = self._waiting.get(timeout=0 if lines else SLICE_SECONDS)
                if line is None:
                    return lines, True
                lines.append(line)
        return lines, False

    def _run(self) -> None:
        with contextlib.suppress(Stopped):
            try:
                last = self._answer(self._listen)
            except Stopped:
                raise
            except Exception as fault:
                last = {"event": "refused", "reason": reason_of(fault)}
            self._tell(json.dumps(last))
            self._tell(None)

    def _answer(self, listen: Callable[[Event], None]) -> dict[str, Any]:
        """Return the last line: the answer of the backend, or the certificate that there is no tour."""
        problem, limits = self._setting.problem, Limits(seed=self._setting.seed)
        if self._setting.backend == "proof":
            from cpsat_tour.proofs.write.prove import prove
            from cpsat_tour.web.shown import shown_certificate

            outcome = prove(problem, limits=Limits(seconds=PROOF_SECONDS), on_event=listen)
            if not isinstance(outcome, Answer):
                return shown_certificate(outcome)
        else:
            from cpsat_tour.backends.runner import run

            outcome = run(problem, self._engine, limits, listen, self._setting.backend)
        return {"event": "answer", **answer_data(problem, outcome)}

    def _listen(self, event: Event) -> None:
        if self._stopped:
            raise Stopped
        if isinstance(event, Progress) and (not event.work or self._waiting.qsize() > WAITING // 2):
            return
        self._tell(json.dumps(event_data(event)))

    def _tell(self, line: str | None) -> None:
        while not self._stopped:
            with contextlib.suppress(Full):
                self._waiting.put(line, timeout=SLICE_SECONDS)
                return
        raise Stopped
