"""The cutting-plane loop for the best: each round has the best solution that no cut set so far rules out.

Its value is a bound, and the first that needs no cut set is a best one. What the cycles of the others merge into is a
solution too, though perhaps not the best; the loop ends as soon as one attains the bound.
"""

from __future__ import annotations

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.engines.best_search import AnyGoal, BestSearch, Conclusion, Goal
from cpsat_tour.formats.describe import plural
from cpsat_tour.models.loop.merging import Merging
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, Relaxation, Separation, cut_sets, cutting_planes


def best_by_cutting_planes(
    relaxation: Relaxation[EdgeNumbers],
    separation: Separation[EdgeNumbers],
    cycle: CycleProblem,
    run: BestSearch[AnyGoal],
) -> Conclusion:
    """Cut off the best solution, round by round, until what was found attains its value; return the `Conclusion` that
    nothing is better.

    `StoppedEarly` at a limit.
    """
    for _ in cutting_planes(relaxation, separation, cycle, run):
        if run.value is not None and run.value == run.bound:
            break
    cuts, solution = plural(run.work["cut_sets"], "cut set"), "solution" if run.best is None else "better solution"
    return Conclusion("claimed", f"CP-SAT reports that the degree constraints and {cuts} have no {solution}")


def tour_separation(run: BestSearch[Goal]) -> Separation[EdgeNumbers]:
    """Return the separation by the cycles of a 2-factor, which offers the run the tour that they merge into, if they
    do."""
    cycle = run.goal.cycle
    merging = Merging(cycle)

    def violated(edges: EdgeNumbers) -> list[CutSet]:
        merged = cycle.cycles(merging.merge(edges))
        if len(merged) == 1:
            run.offer(cycle.tour(merged[0]))
        return cut_sets(cycle, cycle.cycles(edges))

    return violated
