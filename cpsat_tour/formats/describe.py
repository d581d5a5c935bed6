"""Answers, problems and events as words and as plain data for JSON; in notebooks a line of text that shows progress.

The line is brought up to date while the run goes on, and removed at its end. Only IPython in a notebook's kernel shows
it; elsewhere nothing is shown, and nothing imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Event, PartAtWork, Progress, Spent
from cpsat_tour.core.space import Ints

MIN_DONE = 0.001
"""The share of the work that has to be done before a time estimate is shown."""


def visits_data(graph: Graph, vertices: Ints) -> list[Any]:
    """Return the vertices as JSON, in their order: as coordinates, or as names."""
    places = graph.space.all_vertex_data()
    return [places[vertex] for vertex in vertices.tolist()]


def plural(number: int, noun: str) -> str:
    """Return the number with its noun: ``1 step``, ``1,024 steps``, ``2 vertices``."""
    several = "vertices" if noun == "vertex" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def listed(given: Iterable[str], most: int = 8) -> str:
    """Return the names in words, ``a, b and c``; of more than ``most`` names, the first ones and the number of the
    others."""
    names = list(given)
    if len(names) <= most:
        return joined(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def joined(names: list[str]) -> str:
    """Return the names in words: ``a, b and c``."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + "".join(names[-1:])


def tour_sought(problem: Problem) -> str:
    """Return in words which tour a problem asks for: ``closed tour of the 8x8 board from a1``."""
    graph = problem.graph
    words = f"{problem.kind} tour of {graph.called}"
    if problem.start is not None:
        words += f" from {graph.name(problem.start)}"
    if problem.end is not None:
        words += f" to {graph.name(problem.end)}"
    asked: dict[str, Sized] = {
        "required move": problem.require,
        "forbidden move": problem.forbid,
        "given number": problem.givens,
        "waypoint": problem.waypoints,
    }
    conditions = [f"{len(these)} {noun}{'s' * (len(these) > 1)}" for noun, these in asked.items() if these]
    if problem.symmetry is not None:
        conditions.append(f"symmetry {problem.symmetry.name}")
    return f"{words} with {' and '.join(conditions)}" if conditions else words


def a_tour_sought(problem: Problem) -> str:
    """Return in words, with the article, which tour a problem asks for: ``an open tour of the 8x8 board``."""
    return f"{'a' if problem.closed else 'an'} {tour_sought(problem)}"


def tours_sought(problem: Problem, number: int) -> str:
    """Return in words which tours a problem asks for, singular if the number is 1: ``closed tours of the 8x8
    board``."""
    words = tour_sought(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)


# --- events ---


def rough_time(seconds: float) -> str:
    """Return a time in words, rounded to a unit of which it has two or more: ``90 s``, ``30 min``, ``5 h``."""
    number, unit = (
        (seconds, "s") if seconds < 120 else (seconds / 60, "min") if seconds < 7200 else (seconds / 3600, "h")
    )
    return f"{number:.0f} {unit}"


class ProgressWords:
    """Collects the counters of a run from its events, and puts them into words."""

    def __init__(self) -> None:
        self._part = ""
        self._done: float | None = None
        self.work: dict[str, int] = {}

    def take(self, event: Event) -> None:
        """Update the counters from an event; when another part begins, clear them."""
        if isinstance(event, PartAtWork):
            self._part, self._done, self.work = event.part, None, {}
        elif isinstance(event, Progress):
            self.work |= event.work
            self._done = self._done if event.done is None else event.done
        elif not isinstance(event, Spent):
            self.work[event_name(event)] = getattr(event, next(iter(event.__dataclass_fields__)))

    def line(self, what: str, seconds: float) -> str:
        """Return a progress line with task, time and counters: ``estimating, 12 s: samples 30, about 48 s left``."""
        counters = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.work.items())
        words = " ".join(filter(None, (self._part, counters.replace(", of ", " of "))))
        if self._done is not None and MIN_DONE <= self._done < 1:
            left = seconds * (1 - self._done) / self._done
            words += f", about {rough_time(left)} left"
        return f"{what}, {seconds:.0f} s" + (f": {words}" if words else "")


def event_name(event: Event) -> str:
    """Return the name of the event's class in snake case: ``cut_set_added``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__)[1:]


def event_data(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object, with its name and its fields."""
    import msgspec  # only where events are printed

    return {"event": event_name(event), **msgspec.to_builtins(event)}


def input_data(graph: Graph) -> dict[str, Any]:
    """Return as JSON how a graph file was read; an empty object for other graphs."""
    if not graph.form:
        return {}
    sizes = {"vertices": graph.order, "arcs" if graph.directed else "edges": graph.size, "loops": graph.loops}
    return {"input": {"form": graph.form} | sizes}


def read_words(graph: Graph) -> str:
    """Return in words how a graph file was read: ``read as counts: 5 vertices, 6 edges, 1 loop passed over``."""
    moves, loops = plural(graph.size, "arc" if graph.directed else "edge"), plural(graph.loops, "loop")
    return f"read as {graph.form}: {graph.order:,} {graph.nouns[graph.order != 1]}, {moves}, {loops} passed over"
