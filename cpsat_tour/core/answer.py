"""Answers, refutations, limits and clocks: the results and the budget of every backend."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault, whole_number
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour, canonical, verify

Status = Literal["tour", "none", "unknown"]
Work = Mapping[str, int]

RefutationKind = Literal["exhausted", "condition", "lp", "clausal", "claimed"]


@dataclass(frozen=True)
class Refutation:
    """The evidence that there is no tour.

    ``exhausted``: a search tried every possibility; ``condition``: a necessary condition is violated, which can be
    checked by hand; ``lp`` and ``clausal``: there is a `cpsat_tour.proofs.write.certificate.Certificate`, or was for a
    piece of the graph that the reason names; ``claimed``: the solver says so, which is no evidence.
    """

    kind: RefutationKind
    reason: str
    certificate: Any = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


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
    - ``seconds`` (float): the wall time that the run took, in seconds, without that of the compiler.
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
        from cpsat_tour.drawing.svg import answer_html

        return answer_html(self)

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


MAX_SEED = 2**31 - 1

MAX_THREADS = 1024

MAX_SECONDS = 2_000_000
"""23 days: the system waits for no longer than 2^31 milliseconds at a time."""

NO_LIMIT = 1 << 62
"""The most work: solvers count it in 64 bits with a sign."""


@dataclass(frozen=True)
class Limits:
    """The limits of a run, and the seed of its choices. Raises `BadInput` for a value out of range.

    - ``seconds`` (float, default None): the limit on wall time in seconds; None for no limit.
    - ``work`` (int, default None): the limit on work, in the backend's own unit; None for no limit.
    - ``threads`` (int, default None): how many threads are used; None for the backend's choice.
    - ``seed`` (int, default 0): the seed of all random choices.
    - ``simplify`` (bool, default True): whether formulations get what is left of a problem when forced moves are
      contracted, instead of the whole.
    """

    seconds: float | None = None
    work: int | None = None
    threads: int | None = None
    seed: int = 0
    simplify: bool = True

    def __post_init__(self) -> None:
        seconds = self.seconds
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and 0 <= seconds <= MAX_SECONDS):
            raise BadInput(
                f"the time limit can't be {seconds!r}: give seconds from 0 to {MAX_SECONDS}, or None for no limit"
            )
        bounds = {
            "work": ("the limit on work", 0, NO_LIMIT),
            "threads": ("the number of threads", 1, MAX_THREADS),
            "seed": ("the seed", 0, MAX_SEED),
        }
        for name, (called, least, most) in bounds.items():
            if (value := getattr(self, name)) is not None or name == "seed":
                object.__setattr__(self, name, whole_number(called, value, least, most))  # NumPy's overflow in sums

    def clock(self) -> Clock:
        """Return a clock that starts now."""
        return Clock(self.seconds)

    def after(self, used: int) -> Limits:
        """Return the limits that are left when this much of the work is done."""
        return self if self.work is None else replace(self, work=max(0, self.work - used))


UNLIMITED = Limits()


class Clock:
    """The wall time of a run, without that of the compiler; but the limit includes it, and so does the time of a run
    that it or Ctrl-C ended: as long as people waited."""

    compiling: ClassVar[float] = 0.0
    """Seconds that this process spent compiling kernels; `cpsat_tour.core.compiled` adds to them."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._start, self._compiled_before = time.perf_counter(), Clock.compiling

    @property
    def waited(self) -> float:
        """Seconds since the start, with those of the compiler."""
        return time.perf_counter() - self._start

    @property
    def seconds(self) -> float:
        """Seconds since the start, never negative; without those of the compiler until the limit, which includes them,
        is over."""
        compiled = 0.0 if self.expired else Clock.compiling - self._compiled_before
        return max(0.0, self.waited - compiled)

    @property
    def left(self) -> float | None:
        """Seconds until the limit, 0 or more; None without a limit."""
        return None if self.limit is None else max(0.0, self.limit - self.waited)

    @property
    def expired(self) -> bool:
        """True if the limit is over."""
        return self.left == 0.0

    def check(self) -> None:
        """Raise `StoppedEarly` if the limit is over."""
        if self.expired:
            raise StoppedEarly("time")
