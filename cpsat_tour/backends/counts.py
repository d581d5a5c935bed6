"""Counts tours: by the frontier method and the edge search beside it, or by a backend that lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import Listing, default_lister
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import Count, Lister, count as frontier_count, count_by_listing
from cpsat_tour.frontier.quotient import refusal
from cpsat_tour.frontier.sweep import Forecast


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
