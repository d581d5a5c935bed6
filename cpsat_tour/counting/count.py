"""How many tours a problem has, exactly: by the frontier method, or by listing them; and how many begin at each vertex.

Conventions differ in print. Here closed tours are undirected cycles, open ones undirected paths, those whose ends are a
move apart included. Read as directed there are twice as many, unless a fixed end or a directed graph tells the two
readings of a tour apart already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.conditions import decide_degenerate, violated_condition
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.interrupts import Interrupted
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.frontier import DEFAULT_MEMORY, count_by_frontier

PROGRESS_EVERY = 1 << 10

Listed = Callable[[Problem, Limits], Iterable[int]]
"""Lists the tours of a problem, each once, and tells again and again how many more it has found; or raises
`StoppedEarly`."""


@dataclass(frozen=True)
class Count:
    """The number of tours, how it is known, and the work; ``number`` is None and ``stopped_by`` says why where it is
    not known."""

    number: int | None
    method: str
    at_least: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    work: Mapping[str, int] = field(default_factory=dict)


def count(
    problem: Problem,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    *,
    listing: Listed | None = None,
    name: str = "frontier",
    memory: int = DEFAULT_MEMORY,
) -> Count:
    """The number of tours of a problem by the frontier method, within ``memory`` bytes, or, by name, of those that a
    listing gives.

    `BadInput` where the frontier method does not take the problem; `Interrupted` on Ctrl-C, with the count as far as it
    is known.
    """
    limits = limits or Limits()
    clock = limits.clock()
    known = Count(None, name)

    def listen(event: Event) -> None:
        nonlocal known
        if isinstance(event, Progress):
            known = replace(known, work=event.work)
        if on_event is not None:
            on_event(event)

    tours = told = 0
    try:
        if listing is None:
            known = decided(problem) or replace(
                known, number=count_by_frontier(problem, limits, listen, memory=memory), work=known.work
            )
        else:
            for listed in listing(problem, limits):
                tours += listed
                if tours >= told + PROGRESS_EVERY:
                    told = tours
                    listen(Progress({"tours": tours}))
            known = replace(known, number=tours, work={"tours": tours})
    except StoppedEarly as why:
        known = replace(known, stopped_by=str(why) or "a limit", at_least=tours)
    except KeyboardInterrupt:
        raise Interrupted(replace(known, stopped_by="interrupt", at_least=tours, seconds=clock.seconds)) from None
    return replace(known, seconds=clock.seconds)


def decided(problem: Problem) -> Count | None:
    """The number of tours where the reduction or a necessary condition settles it, else None."""
    answer = decide_degenerate(problem)
    if answer is not None:
        return Count(int(answer.tour is not None), "reduction")
    return Count(0, "condition") if violated_condition(problem) else None


def directed_readings(problem: Problem) -> int:
    """How many directed tours each tour stands for: 1 or 2."""
    fixed = bool(problem.givens) or problem.end is not None or (problem.start is not None and not problem.closed)
    return 1 if fixed or problem.graph.directed or problem.graph.order == 1 else 2


def alike(problem: Problem) -> list[int]:
    """For each vertex the least one that a symmetry of the space takes it to; with moves set apart, givens, an end or a
    symmetry, itself."""
    if problem.require or problem.forbid or problem.givens or problem.end is not None or problem.symmetry is not None:
        return list(range(problem.graph.order))
    least: list[int] = problem.graph.space.symmetries().min(axis=0).tolist()
    return least


CountOne = Callable[[Problem, Limits], Count]


def count_each_start(problem: Problem, limits: Limits, count_one: CountOne) -> tuple[Count, list[int]]:
    """The number of tours from all starts together, and from each vertex; the list is empty where a limit ended the
    count.

    `Interrupted` on Ctrl-C, with what was known by then.
    """
    classes = alike(problem)
    clock = limits.clock()
    known: dict[int, int] = {}

    def so_far(last: Count) -> Count:
        counted = sum(known.get(least, 0) for least in classes)
        return replace(last, at_least=counted + last.at_least, seconds=clock.seconds)

    last = Count(0, "reduction")
    for start in sorted(set(classes)):
        try:
            last = count_one(problem.with_ends(start, problem.end), replace(limits, seconds=clock.left))
        except Interrupted as interrupted:
            raise Interrupted(so_far(interrupted.known)) from None
        if last.number is None:
            return so_far(last), []
        known[start] = last.number
    by_start = [known[least] for least in classes]
    return replace(last, number=sum(by_start), seconds=clock.seconds), by_start
