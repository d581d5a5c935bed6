"""The default of `count` against each of its methods, on 200 boards, leapers, wrapped boards and graphs: it answers
wherever one of them does, in about twice its time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import pytest

from cpsat_tour.backends.api import exact_count, lister_by
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import HEAD_START, Count, count, count_by_listing, decided
from cpsat_tour.formats.spaces import graph_of, problem_of

SECONDS = 20.0
START_UP = 2.0
"""Seconds to load the engines, and for machines that do other things beside."""


def spaces(rng: random.Random) -> Iterator[tuple[str, dict[str, object]]]:
    """Spaces with few tours and with very many, narrow ones and wide ones, each with what else is asked."""
    for rows in range(3, 9):
        for cols in range(rows, 40 // rows + rows):
            yield f"{rows}x{cols}", {}
    for leaper in ("1,3", "2,3", "1,4", "0,1", "3,4"):
        for rows, cols in ((5, 6), (6, 6), (6, 8), (8, 8), (9, 10), (10, 10), (10, 12), (4, 16)):
            yield f"{rows}x{cols}", {"leaper": leaper}
    for wrapped in ("torus:3x6", "torus:4x5", "torus:5x5", "cylinder:3x9", "cylinder:4x6", "cylinder:6x4", "klein:3x6"):
        yield wrapped, {}
    yield from ((f"mobius:{rows}x{cols}", {}) for rows, cols in ((3, 6), (4, 5), (3, 12)))
    for order in (16, 30, 44, 58, 72, 86, 100, 150, 200):
        yield from ((f"cubic({order},{rng.randrange(1000)})", {}) for _ in range(3))
    yield from ((f"GP({order},{step})", {}) for order in (9, 20, 31, 60, 120) for step in (1, 2, 3))
    yield from ((box, {}) for box in ("2x3x4", "3x3x3", "2x4x4"))


def problems() -> list[Problem]:
    """200 problems that need counting, closed and open."""
    rng = random.Random(200)
    asks = [(*space, closed) for space in spaces(rng) for closed in (True, False)]
    rng.shuffle(asks)
    found = []
    for name, parts, closed in asks:
        leaper = str(parts["leaper"]) if parts else None
        problem = problem_of(graph_of(name, leaper=leaper), closed=closed)
        if decided(problem) is None:
            found.append(problem)
    assert len(found) >= 200
    return found[:200]


def seconds_of(method: Callable[[], Count]) -> tuple[float, int | None]:
    """The seconds that a count took, and the number."""
    begun = time.perf_counter()
    try:
        number = method().number
    except StoppedEarly:
        number = None
    return time.perf_counter() - begun, number


def measured(problem: Problem, seconds: float) -> dict[str, tuple[float, int | None]]:
    """The seconds and the number of each method, and of the default."""
    limits = Limits(seconds=seconds)
    methods: dict[str, Callable[[], Count]] = {
        "frontier": lambda: count(problem, limits),
        "edges": lambda: count_by_listing(problem, lister_by("edges"), limits),
        "dfs": lambda: count_by_listing(problem, lister_by("dfs"), limits),
        "default": lambda: exact_count(problem, None, Limits(seconds=2 * seconds + HEAD_START + START_UP)),
    }
    return {name: seconds_of(method) for name, method in methods.items()}


@pytest.mark.slow
def test_the_default_is_never_far_from_its_best_part() -> None:
    measured(Problem(graph_of("6x6"), closed=True), SECONDS)
    for problem in problems():
        seen = measured(problem, SECONDS)
        answered = {name: (took, number) for name, (took, number) in seen.items() if number is not None}
        assert len({number for _, number in answered.values()}) <= 1, (problem, seen)
        if answered:
            assert "default" in answered, (problem, seen)
            best = min(took for took, _ in answered.values())
            assert answered["default"][0] <= 2 * best + HEAD_START + START_UP, (problem, seen)
