"""The functions of the Python interface that list and count: `tours` and `count`; `solve` is in the runner."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import Unpack

from cpsat_tour.backends.listing import Listing, lister_with_givens
from cpsat_tour.backends.protocols import NO_LIMIT
from cpsat_tour.backends.registry import load
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly, whole_number
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.counting.count import Count, Lister, count_by_listing, directed_readings
from cpsat_tour.counting.count import count as frontier_count
from cpsat_tour.counting.frontier import Forecast
from cpsat_tour.counting.quotient import refusal
from cpsat_tour.formats.describe import progress_in_notebook, tour_sought
from cpsat_tour.formats.spaces import ProblemParts, Where, problem_of
from cpsat_tour.spaces.symmetry import TourClasses


def tours(
    where: Where,
    *,
    most: int | None = None,
    distinct: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    **parts: Unpack[ProblemParts],
) -> Generator[Tour, None, None]:
    """Yield the tours of a board or a graph as they are found, each once, verified: ``next(tours("8x8",
    closed=True))``.

    The arguments are those of `solve`. ``most`` is the number of tours, all by default. With ``distinct`` only the
    first comes of tours that are rotations, reflections or reversals of each other. The default backend is ``dfs``, for
    whole lists and symmetric tours ``edges``. `StoppedEarly` when a limit ends the list; `BadInput`, at once, for a
    wrong argument.
    """
    problem = problem_of(where, **parts)
    if most is not None:
        whole_number("the number of tours", most, 1)
    name = backend or ("edges" if most is None or problem.symmetry is not None else "dfs")
    if backend is None and problem.givens:
        name = lister_with_givens(problem)
    limits, classes = Limits(seconds=seconds, seed=seed, threads=threads), TourClasses(problem) if distinct else None
    listing = partial(Listing, problem, load(name, options), limits, most=most or NO_LIMIT, classes=classes, name=name)
    listing()  # refuses wrong arguments now
    return _one_by_one(problem, listing)


def _one_by_one(problem: Problem, listing: Callable[..., Listing]) -> Generator[Tour, None, None]:
    with progress_in_notebook(f"listing each {tour_sought(problem)}") as listen:
        for batch in listing(on_event=listen):
            for vertices in batch.tours:
                yield Tour(problem.graph, problem.closed, vertices)


def count(
    where: Where,
    *,
    directed: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    memory: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    **parts: Unpack[ProblemParts],
) -> int:
    """Return how many tours a board or a graph has: ``count("6x6", closed=True)`` is 9862.

    The arguments are those of `solve`. ``directed`` counts a tour and its reverse as two. The frontier method counts,
    within ``memory`` bytes (by default half of what is free), and if it takes long or can't, the edge search lists the
    tours beside it; a named backend lists them alone. `StoppedEarly` at a limit says how many there are at least.
    """
    problem = problem_of(where, **parts)
    number = isinstance(memory, int | float) and not isinstance(memory, bool)
    if memory is not None and not (number and 0 < memory < math.inf):
        raise BadInput(f"memory can't be {memory!r:.80}: give a number of bytes above 0, such as {1 << 30}")
    lister = None if backend is None else lister_of(backend, options)
    limits = Limits(seconds=seconds, seed=seed, threads=threads)
    with progress_in_notebook(f"counting each {tour_sought(problem)}") as listen:
        known = exact_count(problem, lister, limits, listen, memory=memory)
    readings = directed_readings(problem) if directed else 1
    if known.number is None:
        least = f"; there are at least {known.at_least * readings:,}" if known.at_least else ""
        raise StoppedEarly(f"the count of each {tour_sought(problem)} ended early: {known.stopped_by}{least}")
    return known.number * readings


def exact_count(
    problem: Problem,
    lister: Lister | None,
    limits: Limits,
    on_event: OnEvent | None = None,
    *,
    memory: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> Count:
    """Return the `Count` of tours by the lister if there is one, else by the frontier method and the edge search, or by
    the search alone if the frontier method doesn't take the problem."""
    if lister is None:
        lister = lister_of(lister_with_givens(problem) if problem.givens else "edges")
        symmetry = problem.symmetry
        if not problem.givens and (symmetry is None or refusal(problem, symmetry) is None):
            return frontier_count(problem, limits, on_event, lister=lister, memory=memory, on_forecast=on_forecast)
    return count_by_listing(problem, lister, limits, on_event)


def lister_of(backend: str, options: Mapping[str, object] | None = None) -> Lister:
    """Return the lister of this backend, which is loaded when it lists."""

    def listed(problem: Problem, limits: Limits, on_event: OnEvent | None) -> Iterator[int]:
        for batch in Listing(problem, load(backend, options), limits, on_event=on_event, name=backend):
            yield len(batch.tours)

    return Lister(backend, listed)
