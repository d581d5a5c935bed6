"""A limit is kept, and Ctrl-C answered, while a formulation is still built: by a clock that is over at a given look."""

from __future__ import annotations

import threading

import pytest

from cpsat_tour.backends.protocols import Formulation
from cpsat_tour.backends.registry import load, missing
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.background import unstoppable
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run, paced
from cpsat_tour.models.drivers import asp
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.spaces.board import Board

EAGER = ("sat:adder", "sat:onehot", "sat:relative", "sat:elimination")

SOLVED_BY = {
    **dict.fromkeys(["sat", "sat:lazy", *EAGER], "cpsat_tour.models.drivers.sat.SatSolver.solve"),
    **dict.fromkeys(["cpsat", "cpsat:positions"], "cpsat_tour.models.drivers.arc_model.solve"),
    "cpsat:lazy": "cpsat_tour.models.lazy_cpsat.solve",
    **dict.fromkeys(["milp", "pb"], "cpsat_tour.models.drivers.own_process.Worker.hear"),
    "asp": "cpsat_tour.models.drivers.asp.answer_sets",
}
"""By which function each formulation asks its solver, when all is built."""


class Looks(Clock):
    """A clock whose time is over from a given look at it on."""

    def __init__(self, allowed: int) -> None:
        super().__init__(None)
        self.allowed = allowed

    @property
    def left(self) -> float:
        """The looks that are left."""
        self.allowed -= 1
        return float(max(0, self.allowed))


def unreachable(*_arguments: object) -> None:
    raise AssertionError("the solver was asked although the time was over before")


@pytest.mark.parametrize("name", SOLVED_BY)
def test_the_clock_is_looked_at_while_a_formulation_is_built(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if absent := missing(name):
        pytest.skip(f"backend {name} needs {', '.join(absent)}")
    monkeypatch.setattr(SOLVED_BY[name], unreachable)
    formulation = load(name)
    assert isinstance(formulation, Formulation)
    run = Run(to_cycle(HamiltonProblem(Board(40).graph, True)), Limits(), Looks(1))
    with pytest.raises(StoppedEarly, match="time"):
        next(formulation.cycles(run))


def test_a_grounding_that_takes_long_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(asp, "_ground", lambda *_arguments: goes_on.wait())
    run = Run(to_cycle(HamiltonProblem(Board(6).graph, True)), Limits(), Looks(1))
    with pytest.raises(StoppedEarly, match="time"):
        next(asp.answer_sets("", "auto", run))
    goes_on.set()


@pytest.mark.parametrize("slow", ["cpsat_tour.native.rooted.Roots.vertices", "cpsat_tour.native.orders.Order.ties"])
def test_a_search_of_a_large_board_that_takes_long_to_prepare_is_left_behind(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(slow, property(lambda _: goes_on.wait()) if slow.endswith("vertices") else lambda *_arguments: goes_on.wait())
    monkeypatch.setattr(Limits, "clock", lambda _: Looks(3))
    answer = Dfs().solve(HamiltonProblem(Board(80).graph, True), Limits(seconds=300))
    assert answer.stopped_by == "time"
    goes_on.set()


def test_what_an_unstoppable_task_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        unstoppable(lambda: 1 // 0, lambda: None)
    assert unstoppable(lambda: 7, lambda: None) == 7


def test_the_heart_beats_while_items_go_by() -> None:
    beats: list[None] = []
    assert list(paced(range(10_000), lambda: beats.append(None))) == list(range(10_000))
    assert len(beats) == 2
