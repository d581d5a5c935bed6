"""The shifts of the page's threads: few work at a time, who has worked least goes first, who does not rest does not
count for long."""

from __future__ import annotations

import threading

import pytest
from watching import PATIENCE

from cpsat_tour.web.search import ADVANTAGE, AT_ONCE, LONGEST, SLICE, Shift


class Clock:
    """A clock that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of all shifts, of which there are none at the beginning."""
    clock = Clock()
    monkeypatch.setattr("cpsat_tour.web.search.monotonic", clock)
    for name, empty in (("_working", {}), ("_waiting", []), ("_changed", threading.Condition())):
        monkeypatch.setattr(Shift, name, empty)
    return clock


class Waiter:
    """A thread that works a shift and, when told to, gives it back; ``order`` is of those that came to work."""

    def __init__(self, order: list[Waiter], worked: float) -> None:
        self.shift, self.go, self.has = Shift(), threading.Event(), threading.Event()
        self.shift._worked, self._order = worked, order
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        with self.shift:
            self._order.append(self)
            self.has.set()
            assert self.go.wait(PATIENCE)


@pytest.mark.usefixtures("clock")
def test_few_work_at_a_time_and_who_has_worked_least_goes_first() -> None:
    order: list[Waiter] = []
    first = [Waiter(order, 0.0) for _ in range(AT_ONCE)]
    assert all(waiter.has.wait(PATIENCE) for waiter in first)
    later = {worked: Waiter(order, worked) for worked in (0.3, 0.1, 0.2)}
    while len(Shift._waiting) < len(later):
        pass
    assert len(order) == len(Shift._working) == AT_ONCE, "there is no room"
    leaving = first[0]
    for worked in (0.1, 0.2, 0.3):
        leaving.go.set()
        leaving.thread.join(PATIENCE)
        assert later[worked].has.wait(PATIENCE)
        assert order[-1] is later[worked]
        leaving = later[worked]
    for waiter in order:
        waiter.go.set()
        waiter.thread.join(PATIENCE)
    assert not Shift._working
    assert not Shift._waiting


def test_work_that_does_not_rest_does_not_count_for_long(clock: Clock) -> None:
    order: list[Waiter] = []
    stuck = [Waiter(order, 0.0) for _ in range(AT_ONCE)]
    assert all(waiter.has.wait(PATIENCE) for waiter in stuck)
    clock.now = LONGEST
    with Shift():
        assert len(Shift._working) == AT_ONCE + 1
    for waiter in stuck:
        waiter.go.set()
        waiter.thread.join(PATIENCE)


def test_a_slice_ends_and_no_long_idleness_is_made_up_for(clock: Clock) -> None:
    busy, idle = Shift(), Shift()
    with busy:
        clock.now = SLICE / 2
        busy.rest()
        assert busy._worked == 0
        clock.now = 100.0
        busy.rest()
        assert busy._worked == pytest.approx(100)
        with idle:
            assert idle._worked == pytest.approx(100 - ADVANTAGE)
