"""Answers to problems that need no search: a few vertices, or a violated necessary condition."""

from __future__ import annotations

from contextlib import suppress
from itertools import permutations

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.timetable import timetable
from cpsat_tour.core.verify import verify
from cpsat_tour.interface.answer import Answer
from cpsat_tour.presolve.conditions import violated_condition


def decide_by_conditions(problem: Problem) -> Answer | None:
    """Return the answer if the problem is degenerate or violates a necessary condition, else None."""
    if (decided := decide_degenerate(problem)) is not None:
        return decided
    violated = violated_condition(problem)
    return None if violated is None else Answer("none", refutation=violated)


def decide_degenerate(problem: Problem) -> Answer | None:
    """Return the answer if the problem is too small for the reduction or contradicts itself; None if a backend has to
    find it.

    Decided here: fewer than three vertices (but a directed open problem on two is left open); a vertex without moves;
    equal ends; a move both required and forbidden; a closed tour whose end has no move to its start; an open tour that
    requires the move between its own ends; givens that no walk can reach in time.
    """
    graph, order, name, closed = problem.graph, problem.graph.order, problem.graph.name, problem.closed
    start, end, both = problem.start, problem.end, set(problem.require) & set(problem.forbid)
    allowed, reason = graph.without(problem.forbid), None
    if order > 1 and start is not None and start == end:
        reason = f"the tour can't both start and end at {name(start)} and visit another vertex"
    elif both:
        reason = "the move {}-{} is both required and forbidden".format(*map(name, min(both)))
    elif order > 1 and not allowed.underlying.degrees.all():
        reason = f"{name(int(allowed.underlying.degrees.argmin()))} has no move at all"
    elif order < 2 or (order == 2 and (closed or not graph.directed)):
        for tour in permutations(range(order)):
            with suppress(TourFault):
                verify(problem, tour)
                return Answer.with_tour(problem, tour)
        reason = "neither order of the two vertices is a tour" if order else "a graph without vertices has no tour"
        if closed and order and (order == 1 or not graph.directed):
            there = "there is 1" if order == 1 else "there are 2"
            reason = f"a closed tour needs at least 3 {graph.nouns[1]}, and {there}"
    elif start is not None and end is not None and closed and not allowed.has_arc(end, start):
        reason = f"there is no move from the end {name(end)} to the start {name(start)}"
    elif start is not None and end is not None and not closed:
        closing = {(end, start)} if graph.directed else {(end, start), (start, end)}
        if closing & set(problem.require):
            reason = f"the required move {name(end)}-{name(start)} would close the tour between its own ends"
    if reason is None and problem.givens:
        reason = timetable(problem).contradiction
    return None if reason is None else Answer.without_tour("condition", reason)
