"""Shifts of threads that work for pages, so that each page has a fair share of the machine.

As many threads work at a time as there are processors; the others wait, and the one that has worked least goes first
(the fair scheduling of operating systems, here for the threads of one interpreter). So forty pages with much work
hardly delay a short answer to another. Work that does not rest holds up the others for `LONGEST` at most.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ContextDecorator
from threading import Condition
from time import monotonic
from typing import ClassVar

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
