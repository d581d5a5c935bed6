"""The functions of the Python interface that list and count: `tours`, `count` and `estimate`."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import Unpack

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import Listing, default_lister
from cpsat_tour.core.errors import BadInput, StoppedEarly, quoted, whole_number
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.limits import NO_LIMIT, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import Count, Lister, count as frontier_count, count_by_listing, directed_readings
from cpsat_tour.counting.estimate import Estimate, estimate as estimate_by_probes
from cpsat_tour.formats.describe import tour_sought, tours_sought
from cpsat_tour.frontier.quotient import refusal
from cpsat_tour.frontier.sweep import Forecast
from cpsat_tour.interface.keywords import Asked, Where, problem_and_limits, with_keywords
from cpsat_tour.interface.notebook import progress_in_notebook
from cpsat_tour.interface.tour import Tour
from cpsat_tour.spaces.symmetry import TourClasses


@with_keywords
def tours(
    where: Where,
    *,
    most: int | None = None,
    distinct: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    **asked: Unpack[Asked],
) -> Generator[Tour, None, None]:
    """Yield the tours of a board or a graph as they are found, each once, verified: ``next(tours("8x8",
    closed=True))``.

    Raises `BadInput`, at once, for a wrong argument, and `StoppedEarly` when a limit ends the list.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``most`` (int, default None): how many tours are listed; None for all.
    - ``distinct`` (bool, default False): whether only the first is listed of tours that are rotations, reflections or
      reversals of each other.
    - ``backend`` (str, default None): the backend's name; by default ``dfs``, for all tours and symmetric ones
      ``edges``.
    - ``options`` (a dict, default None): the backend's own options; ``cpsat-tour backends NAME`` lists them.
    """
    problem, limits = problem_and_limits(where, asked)
    if most is not None:
        whole_number("the number of tours", most, 1)
    name = backend or default_lister(problem, everything=most is None)
    classes = TourClasses(problem) if distinct else None
    listing = partial(Listing, problem, load(name, options), limits, most=most or NO_LIMIT, classes=classes, name=name)
    listing()  # refuses wrong arguments now
    return _yield_tours(problem, listing)


def _yield_tours(problem: Problem, listing: Callable[..., Listing]) -> Generator[Tour, None, None]:
    """Yield the tours of a listing, with a line of progress in a notebook."""
    with progress_in_notebook(f"listing each {tour_sought(problem)}") as listen:
        for batch in listing(on_event=listen):
            for vertices in batch:
                yield Tour(problem.graph, problem.closed, vertices)


@with_keywords
def count(
    where: Where,
    *,
    directed: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    memory: int | None = None,
    **asked: Unpack[Asked],
) -> int:
    """Return how many tours a board or a graph has: ``count("6x6", closed=True)`` is 9862.

    The frontier method counts, and if it takes long or can't, the edge search lists the tours beside it; a named
    backend lists them alone. Raises `StoppedEarly`, which says how many tours there are at least, at a limit, and
    `BadInput` for a wrong argument.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``directed`` (bool, default False): whether a tour and its reverse count as two.
    - ``backend`` (str, default None): the backend that lists the tours; None for the frontier method.
    - ``options`` (a dict, default None): the backend's own options; ``cpsat-tour backends NAME`` lists them.
    - ``memory`` (int, default None): the most memory for the frontier method, in bytes; None for half of what is free,
      at most 12 GiB.
    """
    problem, limits = problem_and_limits(where, asked)
    number = isinstance(memory, int | float) and not isinstance(memory, bool)
    if memory is not None and not (number and 0 < memory < math.inf):
        raise BadInput(f"memory can't be {quoted(memory)}: give a number of bytes above 0, such as {1 << 30}")
    lister = None if backend is None else lister_of(backend, options)
    with progress_in_notebook(f"counting each {tour_sought(problem)}") as listen:
        known = exact_count(problem, lister, limits, listen, memory=memory)
    readings = directed_readings(problem) if directed else 1
    if known.number is None:
        least = f"; there are at least {known.at_least * readings:,}" if known.at_least else ""
        raise StoppedEarly(f"the count of each {tour_sought(problem)} ended early: {known.stopped_by}{least}")
    return known.number * readings


@with_keywords
def estimate(where: Where, *, samples: int | None = None, directed: bool = False, **asked: Unpack[Asked]) -> Estimate:
    """Return an `Estimate` of how many tours a board or a graph has, from random probes: ``estimate("8x8",
    closed=True).mean``.

    Raises `BadInput` for a wrong argument, for symmetric tours and for given numbers.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``samples`` (int, default None): the number of probes, 2 or more; None for 1,000,000, or all that the time allows.
    - ``directed`` (bool, default False): whether a tour and its reverse count as two.
    """
    problem, limits = problem_and_limits(where, asked)
    with progress_in_notebook(f"estimating how many {tours_sought(problem, 2)} there are") as listen:
        return estimate_by_probes(problem, samples, limits, listen, directed=directed)


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
    the search alone if the frontier method doesn't take the problem. Its number is None if a limit came first; on
    Ctrl-C `Interrupted`, with the count so far."""
    if lister is None:
        lister = lister_of(default_lister(problem, everything=True))
        symmetry = problem.symmetry
        if not problem.timed and (symmetry is None or refusal(problem, symmetry) is None):
            return frontier_count(problem, limits, on_event, lister=lister, memory=memory, on_forecast=on_forecast)
    return count_by_listing(problem, lister, limits, on_event)


def lister_of(backend: str, options: Mapping[str, object] | None = None) -> Lister:
    """Return the lister of this backend, which is loaded when it lists."""

    def listed(problem: Problem, limits: Limits, on_event: OnEvent | None) -> Iterator[int]:
        """Yield the number of tours in each batch."""
        for batch in Listing(problem, load(backend, options), limits, on_event=on_event, name=backend):
            yield len(batch)

    return Lister(backend, listed)
