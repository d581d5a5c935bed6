"""f(n): the calls that a search makes until it has found n tours, as a course report tabulates them over all starts of
the chessboard.

A call is one entry of a square, the start included; dead ends and full boards count.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from cpsat_tour.backends.listing import Batch


class CallCounts:
    """The calls of one search: ``until[n]`` for every n of `milestones` that it has reached."""

    def __init__(self) -> None:
        self.until: dict[int, int] = {}
        self._count = 0
        self._milestones = milestones()
        self._next = next(self._milestones)

    def add(self, batch: Batch) -> None:
        """Take the next tours into account."""
        assert batch.calls is not None
        while self._next <= self._count + len(batch.calls):
            self.until[self._next] = int(batch.calls[self._next - self._count - 1])
            self._next = next(self._milestones)
        self._count += len(batch.calls)


def milestones() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, …"""
    for power in itertools.count():
        yield from (digit * 10**power for digit in (1, 2, 5))


def curve(searches: Iterable[CallCounts]) -> dict[int, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """For every n that all searches have reached the calls that each of them made."""
    counted = [search.until for search in searches]
    shared = min(counted, key=len, default={})
    return {n: np.array([until[n] for until in counted], dtype=np.int64) for n in shared}
