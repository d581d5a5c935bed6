"""Answers as people hold them: a tour, a reason why there is none, or the limit that ended the search."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from cpsat_tour.core.errors import BackendFault, TourFault
from cpsat_tour.core.events import Event, LogLine, OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.refutation import Refutation, RefutationKind, Status, Work
from cpsat_tour.core.run import Result
from cpsat_tour.core.verify import canonical, verify
from cpsat_tour.formats.describe import input_data, visits_data
from cpsat_tour.interface.tour import Tour
from cpsat_tour.spaces.problem_data import problem_data

MAX_WORDS = 100
"""Names of vertices that a notebook lists."""

MAX_REASON = 120
"""Characters of a reason in an answer's short form."""


@dataclass(frozen=True)
class Answer:
    """The answer to a problem, true if there is a tour: ``if solve("5x5"): ...``.

    - ``status`` (str): ``tour``, ``none`` or ``unknown``.
    - ``tour`` (`Tour`, or None): the verified tour.
    - ``refutation`` (a refutation, or None): why there is no tour: its ``kind``, its ``reason`` in words, and for some
      kinds its ``certificate``.
    - ``work`` (a dict): the backend's counters; the same run has the same.
    - ``stopped_by`` (str, or None): the limit that an ``unknown`` is due to.
    - ``seconds`` (float): the wall time of the run, in seconds.
    - ``backend`` (str): the name of the backend that answered.
    """

    status: Status
    tour: Tour | None = None
    refutation: Refutation | None = None
    work: Work = field(default_factory=dict)
    stopped_by: str | None = None
    seconds: float = 0.0
    backend: str = ""

    @property
    def none(self) -> bool:
        """True if there is no tour, for the reason in ``refutation``."""
        return self.status == "none"

    @property
    def unknown(self) -> bool:
        """True if a limit, ``stopped_by``, ended the search before an answer."""
        return self.status == "unknown"

    def __bool__(self) -> bool:
        return self.status == "tour"

    def __repr__(self) -> str:
        what = f"unknown, stopped by {self.stopped_by}"
        if self.tour is not None:
            what = f"{'closed' if self.tour.closed else 'open'} tour of {self.tour.graph.called}"
        elif self.refutation is not None:
            reason = str(self.refutation)
            what = f"no tour, {reason if len(reason) <= MAX_REASON else f'{reason[:MAX_REASON]}…'}"
        return (
            f"<{type(self).__name__}: {what}{f', by {self.backend} in {self.seconds:.3g} s' if self.backend else ''}>"
        )

    def _repr_html_(self) -> str | None:
        """Return the tour, or why there is none, or what stopped the search; then backend and time."""
        from html import escape

        from cpsat_tour.drawing.svg import small_html

        drawn = None if self.tour is None else self.tour._repr_svg_()
        if self.tour is None:
            stopped = f"Unknown; stopped by {self.stopped_by}"
            words = f"There is no tour: {self.refutation}" if self.status == "none" else stopped
        elif drawn is not None:
            words = f"{len(self.tour)} {self.tour.graph.nouns[1]}"
        else:
            names = self.tour.names
            words = " ".join(names[:MAX_WORDS]) + (f" … ({len(names)})" if len(names) > MAX_WORDS else "")
        by = f" ({self.backend}, {self.seconds:.3g} s)" if self.backend else ""
        return (small_html(drawn) if drawn else "") + f"<p>{escape(words + by)}</p>"

    @classmethod
    def with_tour(cls, problem: Problem, vertices: Sequence[int] | Ints, work: Work | None = None) -> Answer:
        """Return the answer with this tour, which the runner will verify and write in canonical form."""
        return cls("tour", Tour(problem.graph, problem.closed, np.asarray(vertices, dtype=np.int32)), work=work or {})

    @classmethod
    def without_tour(cls, kind: RefutationKind, reason: str, work: Work | None = None) -> Answer:
        """Return the answer that there is no tour, for this reason."""
        return cls("none", refutation=Refutation(kind, reason), work=work or {})

    @classmethod
    def stopped(cls, stopped_by: str, work: Work | None = None) -> Answer:
        """Return the answer that a limit, or Ctrl-C, ended the search first."""
        return cls("unknown", work=work or {}, stopped_by=stopped_by)

    def verified(self, problem: Problem) -> Answer:
        """Return the answer with its tour verified and in canonical form; `BackendFault` if the tour is wrong, or an
        answer of this status lacks its tour or its reason."""
        kinds = get_args(RefutationKind)
        wrong = {
            "tour": self.tour is None and "that there is a tour and gave none",
            "none": (self.refutation is None or self.refutation.kind not in kinds)
            and f"that there is no tour and gave no reason of a kind among {', '.join(kinds)}",
            "unknown": "",
        }.get(self.status, f"{self.status!r}, not one of {', '.join(get_args(Status))}")
        if wrong:
            raise BackendFault(f"backend {self.backend} answered {wrong}")
        if self.tour is None or self.status != "tour":
            return self
        try:
            verify(problem, self.tour.vertices)
        except TourFault as fault:
            raise BackendFault(f"backend {self.backend} returned a wrong tour: {fault}") from fault
        return replace(self, tour=Tour(problem.graph, problem.closed, canonical(problem, self.tour.vertices)))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a task; ``known`` is its answer or count so far."""

    def __init__(self, known: Any) -> None:
        super().__init__()
        self.known = known


def run_interruptibly(task: Callable[[OnEvent], Result], on_event: OnEvent | None, name: str) -> Result:
    """Return the result of the task, called with a listener, which prints the log of a solver if nobody else listens;
    Ctrl-C raises `Interrupted` with the latest counters."""
    clock, work = Clock(None), dict[str, int]()

    def listen(event: Event) -> None:
        """Keep the counters and pass the event on; without a listener print a solver's log."""
        if isinstance(event, Progress):
            work.update(event.work)
        if on_event is not None:
            on_event(event)
        elif isinstance(event, LogLine):
            print(event.line, file=sys.stderr)

    try:
        return task(listen)
    except KeyboardInterrupt:
        raise Interrupted(
            Answer("unknown", work=work, stopped_by="interrupt", seconds=clock.seconds, backend=name)
        ) from None


def answer_data(problem: Problem, answer: Answer) -> dict[str, Any]:
    """Return the JSON object of an answer: what ``--json`` prints."""
    return {"problem": problem_data(problem)} | input_data(problem.graph) | answer_members(answer)


def answer_members(answer: Answer) -> dict[str, Any]:
    """Return the members of an answer's JSON object, without its problem."""
    refutation = answer.refutation
    return {
        "backend": answer.backend,
        "status": answer.status,
        "tour": None if answer.tour is None else visits_data(answer.tour.graph, answer.tour.vertices),
        "refutation": None if refutation is None else {"kind": refutation.kind, "reason": refutation.reason},
        "stopped_by": answer.stopped_by,
        "seconds": round(answer.seconds, 6),
        "work": dict(answer.work),
    }


def work_words(answer: Answer) -> str:
    """Return the counters of an answer's work: ``positions 64, backtracks 0``."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.work.items())
