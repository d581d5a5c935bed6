"""How many tours a problem has, exactly: by the frontier method, or by listing them with a backend that can.

Conventions differ in print. Here a problem has as many tours as `cpsat_tour.runner.run_all` lists: closed tours are undirected cycles, open
ones undirected paths, those whose ends are a move apart included. Read as directed there are twice as many, unless a fixed end or a
directed graph tells the two readings of a tour apart already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cpsat_tour.answer import Limits
from cpsat_tour.board import Board
from cpsat_tour.conditions import violated_condition
from cpsat_tour.counting.frontier import DEFAULT_MEMORY, count_by_frontier
from cpsat_tour.events import OnEvent, Progress
from cpsat_tour.problem import HamiltonProblem
from cpsat_tour.reduction import decide_degenerate
from cpsat_tour.registry import Backend, StoppedEarly
from cpsat_tour.runner import run_all

PROGRESS_EVERY = 1 << 10


@dataclass(frozen=True)
class Count:
    """The number of tours, how it is known, and the work; ``number`` is None and ``stopped_by`` says why where it is not known."""

    number: int | None
    method: str
    at_least: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    work: Mapping[str, int] = field(default_factory=dict)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a count; what was known by then."""

    def __init__(self, known: Count) -> None:
        super().__init__()
        self.known = known


def count(
    problem: HamiltonProblem,
    backend: Backend | None = None,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    *,
    name: str = "",
    memory: int = DEFAULT_MEMORY,
) -> Count:
    """The number of tours of a problem by the frontier method, within ``memory`` bytes, or of those that a backend lists.

    `BadInput` where the frontier method is given a directed graph or the backend can't list tours; `Interrupted` on Ctrl-C.
    """
    limits = limits or Limits()
    clock = limits.clock()
    known = Count(None, name or "frontier")

    def listen(event: object) -> None:
        nonlocal known
        assert isinstance(event, Progress)
        known = replace(known, work=event.work, at_least=event.work.get("tours", 0))
        if on_event is not None:
            on_event(event)

    try:
        trivial = None if backend is not None else decided(problem)
        if trivial is not None:
            known = trivial
        elif backend is None:
            known = replace(known, number=count_by_frontier(problem, limits, listen, memory=memory))
        else:
            tours = 0
            for tours, _ in enumerate(run_all(problem, backend, limits, name), 1):  # noqa: B007
                if tours % PROGRESS_EVERY == 0:
                    listen(Progress({"tours": tours}))
            known = replace(known, number=tours, work={"tours": tours})
    except StoppedEarly as why:
        known = replace(known, stopped_by=str(why))
    except KeyboardInterrupt:
        raise Interrupted(replace(known, stopped_by="interrupt", seconds=clock.seconds)) from None
    return replace(known, seconds=clock.seconds)
