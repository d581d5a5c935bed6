"""Limits and clocks: the budget of every run."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from cpsat_tour.core.errors import BadInput, StoppedEarly, quoted, whole_number

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
            raise BadInput(f"the time limit can't be {quoted(seconds)}: give seconds from 0 to {MAX_SECONDS}")
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
    """The wall time of a run."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float | None:
        """Seconds until the limit, 0 or more; None without a limit."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    @property
    def expired(self) -> bool:
        """True if the limit is over."""
        return self.left == 0.0

    def check(self) -> None:
        """Raise `StoppedEarly` if the limit is over."""
        if self.expired:
            raise StoppedEarly("time")
