"""Answers as plain data for JSON, and problems as sentences."""

from __future__ import annotations

from typing import Any

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.spaces.problem_data import problem_data


def tour_data(tour: Tour) -> list[Any]:
    """The visits in order."""
    places = tour.graph.space.places()
    return [places[vertex] for vertex in tour]


def shown_tour(tour: Tour) -> str:
    """The tour as people read it: the board of visit numbers, or the names in order where vertices have no places."""
    return tour.text().rstrip("\n") if tour.graph.space.layers() else str(tour)


def answer_data(problem: Problem, answer: Answer) -> dict[str, Any]:
    """The one JSON object of an answer."""
    refutation = answer.refutation
    return {
        "problem": problem_data(problem),
        "backend": answer.backend,
        "status": answer.status,
        "tour": None if answer.tour is None else tour_data(answer.tour),
        "refutation": None if refutation is None else {"kind": refutation.kind, "reason": refutation.reason},
        "stopped_by": answer.stopped_by,
        "seconds": round(answer.seconds, 6),
        "work": dict(answer.work),
    }


def asked(problem: Problem) -> str:
    """Return what is sought, in words: ``closed tour of the 8x8 board``."""
    graph = problem.graph
    words = f"{problem.kind} tour of {graph.called}"
    if problem.start is not None:
        words += f" from {graph.name(problem.start)}"
    if problem.end is not None:
        words += f" to {graph.name(problem.end)}"
    conditions = []
    for listed, noun in ((problem.require, "required move"), (problem.forbid, "forbidden move")):
        if listed:
            conditions.append(f"{len(listed)} {noun}{'s' * (len(listed) > 1)}")
    if problem.givens:
        conditions.append(f"{len(problem.givens)} given number{'s' * (len(problem.givens) > 1)}")
    if problem.symmetry is not None:
        conditions.append(f"symmetry {problem.symmetry.name}")
    return f"{words} with {' and '.join(conditions)}" if conditions else words


def one(problem: Problem) -> str:
    """What is sought, with its article: ``an open tour of the 8x8 board``."""
    return f"{'a' if problem.closed else 'an'} {asked(problem)}"


def asked_of(problem: Problem, number: int) -> str:
    """What is sought, in the plural unless there is one: ``closed tours of the 8x8 board``."""
    words = asked(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)


def work_words(answer: Answer) -> str:
    """The counters as people read them: ``positions 64, backtracks 0``."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.work.items())
