"""The shifts of the page's threads: few work at a time, who has worked least goes first, who does not rest does not
count for long."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from watching import PATIENCE

from cpsat_tour.web.search import ADVANTAGE, AT_ONCE, LONGEST, SLICE, Shift


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock of all shifts, of which there are none at the beginning."""
    times = [0.0]
    monkeypatch.setattr("cpsat_tour.web.search.monotonic", lambda: times[-1])
    for name, empty in (("_working", {}), ("_waiting", []), ("_changed", threading.Condition())):
        monkeypatch.setattr(Shift, name, empty)
    return times.append


class Worker(threading.Thread):
    """Works a shift until it is told to leave; ``order`` is of those that came to work."""

    def __init__(self, order: list[Worker], worked: float) -> None:
        super().__init__(daemon=True)
        self.shift, self.go, self.has, self.order = Shift(), threading.Event(), threading.Event(), order
        self.shift._worked = worked
        self.start()

    def run(self) -> None:
        with self.shift:
            self.order.append(self)
            self.has.set()
            assert self.go.wait(PATIENCE)

    def leave(self) -> None:
        self.go.set()
        self.join(PATIENCE)


@pytest.mark.usefixtures("set_clock")
def test_few_work_at_a_time_and_who_has_worked_least_goes_first() -> None:
    order: list[Worker] = []
    working = [Worker(order, 0.0) for _ in range(AT_ONCE)]
    assert all(worker.has.wait(PATIENCE) for worker in working)
    later = {worked: Worker(order, worked) for worked in (0.3, 0.1, 0.2)}
    while len(Shift._waiting) < len(later):
        pass
    assert len(order) == len(Shift._working) == AT_ONCE, "there is no room"
    for worked in (0.1, 0.2, 0.3):
        order[-1].leave()
        assert later[worked].has.wait(PATIENCE)
        assert order[-1] is later[worked]
    for worker in order:
        worker.leave()
    assert not Shift._working
    assert not Shift._waiting


def test_work_that_does_not_rest_does_not_count_for_long(set_clock: Callable[[float], None]) -> None:
    order: list[Worker] = []
    stuck = [Worker(order, 0.0) for _ in range(AT_ONCE)]
    assert all(worker.has.wait(PATIENCE) for worker in stuck)
    set_clock(LONGEST)
    with Shift():
        assert len(Shift._working) == AT_ONCE + 1
    for worker in stuck:
        worker.leave()


def test_a_slice_ends_and_no_long_idleness_is_made_up_for(set_clock: Callable[[float], None]) -> None:
    busy, idle = Shift(), Shift()
    with busy:
        set_clock(SLICE / 2)
        busy.rest()
        assert busy._worked == 0
        set_clock(100.0)
        busy.rest()
        assert busy._worked == pytest.approx(100)
        with idle:
            assert idle._worked == pytest.approx(100 - ADVANTAGE)
