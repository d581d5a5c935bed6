"""Answers as plain data for JSON, and problems as sentences."""

from __future__ import annotations

from typing import Any

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.spaces.problem_data import problem_data


def tour_data(tour: Tour) -> list[Any]:
    """Return the vertices of a tour in order, as JSON writes them: by coordinates, or by name."""
    places = tour.graph.space.places()
    return [places[vertex] for vertex in tour]


def shown_tour(tour: Tour) -> str:
    """Return a tour as people read it: the board of visit numbers, or the names in order if there are no squares."""
    return tour.text().rstrip("\n") if tour.graph.space.layers() else str(tour)


def answer_data(problem: Problem, answer: Answer) -> dict[str, Any]:
    """Return the JSON object of an answer: what ``--json`` prints."""
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


def tour_sought(problem: Problem) -> str:
    """Return the name of the tour that a problem asks for: ``closed tour of the 8x8 board from a1``."""
    graph = problem.graph
    words = f"{problem.kind} tour of {graph.called}"
    if problem.start is not None:
        words += f" from {graph.name(problem.start)}"
    if problem.end is not None:
        words += f" to {graph.name(problem.end)}"
    conditions = []
    nouns = {"required move": problem.require, "forbidden move": problem.forbid, "given number": problem.givens}
    for noun, listed in nouns.items():
        if listed:
            conditions.append(f"{len(listed)} {noun}{'s' * (len(listed) > 1)}")
    if problem.symmetry is not None:
        conditions.append(f"symmetry {problem.symmetry.name}")
    return f"{words} with {' and '.join(conditions)}" if conditions else words


def a_tour_sought(problem: Problem) -> str:
    """Return the same with its article: ``an open tour of the 8x8 board``."""
    return f"{'a' if problem.closed else 'an'} {tour_sought(problem)}"


def tours_sought(problem: Problem, number: int) -> str:
    """Return the same in the plural, unless the number is 1: ``closed tours of the 8x8 board``."""
    words = tour_sought(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)


def work_words(answer: Answer) -> str:
    """Return the counters of an answer's work: ``positions 64, backtracks 0``."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.work.items())
