"""How many open tours begin at each vertex: one count for each class of starts that the symmetries of the board take to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.interrupts import Interrupted
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.counting.count import Count, alike

CountOne = Callable[[HamiltonProblem, Limits], Count]


def count_each_start(problem: HamiltonProblem, limits: Limits, count_one: CountOne) -> tuple[Count, list[int]]:
    """The number of tours from all starts together, and from each vertex; the list is empty where a limit ended the count.

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
