"""Answers, problems and events as words and as plain data for JSON; in notebooks a line of text that shows progress.

The line is brought up to date while the run goes on, and removed at its end. Only IPython in a notebook's kernel shows
it; elsewhere nothing is shown, and nothing imported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.events import Compiling, Event, LogLine, OnEvent, PartAtWork, PartOut, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.spaces.problem_data import problem_data

MIN_DONE = 0.01
"""Shows no time estimate below 1 % done."""

SILENT_SECONDS = 1.0
"""A notebook shows nothing of a shorter run."""

SECONDS_BETWEEN_LINES = 0.2


def tour_data(tour: Tour) -> list[Any]:
    """Return the vertices of a tour in order, as JSON writes them: by coordinates, or by name."""
    places = tour.graph.space.all_vertex_data()
    return [places[vertex] for vertex in tour.vertices.tolist()]


def plural(number: int, noun: str) -> str:
    """Return the number with its noun: ``1 step``, ``1,024 steps``, ``2 vertices``."""
    several = "vertices" if noun == "vertex" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def shown_tour(tour: Tour) -> str:
    """Return a tour as people read it: the board of visit numbers, or the names in order if there are no squares."""
    return tour.text().rstrip("\n") if tour.graph.space.layout else str(tour)


def answer_data(problem: Problem, answer: Answer) -> dict[str, Any]:
    """Return the JSON object of an answer: what ``--json`` prints."""
    return {"problem": problem_data(problem)} | answer_members(answer)


def answer_members(answer: Answer) -> dict[str, Any]:
    """Return the members of an answer's JSON object, without its problem."""
    refutation = answer.refutation
    return {
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
    """Return the name of the tour that a problem asks for with its article: ``an open tour of the 8x8 board``."""
    return f"{'a' if problem.closed else 'an'} {tour_sought(problem)}"


def tours_sought(problem: Problem, number: int) -> str:
    """Return the name of such tours, in the plural unless the number is 1: ``closed tours of the 8x8 board``."""
    words = tour_sought(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)


def work_words(answer: Answer) -> str:
    """Return the counters of an answer's work: ``positions 64, backtracks 0``."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.work.items())


# --- events ---


def rough_time(seconds: float) -> str:
    """Return a time in the largest unit that it has two of: ``90 s``, ``30 min``, ``5 h``."""
    number, unit = (
        (seconds, "s") if seconds < 120 else (seconds / 60, "min") if seconds < 7200 else (seconds / 3600, "h")
    )
    return f"{number:.0f} {unit}"


class ProgressWords:
    """The counters of a run, collected from its events, as words."""

    def __init__(self) -> None:
        self._part = ""
        self._done: float | None = None
        self.work: dict[str, int] = {}

    def take(self, event: Event) -> None:
        """Let the counters of an event replace those of the same names; the start of another part clears them all."""
        if isinstance(event, PartAtWork):
            self._part, self.work = event.part, {}
        elif isinstance(event, Progress):
            self.work |= event.work
            self._done = event.done
        else:
            self.work[event_name(event)] = getattr(event, next(iter(event.__dataclass_fields__)))

    def line(self, what: str, seconds: float) -> str:
        """Return the task, its time and its counters: ``estimating, 12 s: samples 30, about 48 s left``."""
        counters = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.work.items())
        words = " ".join(filter(None, (self._part, counters)))
        if self._done is not None and MIN_DONE <= self._done < 1:
            left = seconds * (1 - self._done) / self._done
            words += f", about {rough_time(left)} left"
        return f"{what}, {seconds:.0f} s" + (f": {words}" if words else "")


def event_name(event: Event) -> str:
    """Return the kind of an event in lower case: ``cut_set_added``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__)[1:]


def event_data(event: Event) -> dict[str, Any]:
    """Return an event as one JSON object: its kind and its fields."""
    import msgspec  # only where events are printed

    return {"event": event_name(event), **msgspec.to_builtins(event)}


@contextmanager
def progress_in_notebook(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[OnEvent | None]:
    """Yield a listener that shows the progress of a run, and a solver's log, in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        yield None
        return
    display: Any = import_module("IPython.display").display
    handle: Any = None
    words, begun, last = ProgressWords(), clock(), 0.0

    def listen(event: Event) -> None:
        nonlocal handle, last
        if isinstance(event, LogLine):
            print(event.line, file=sys.stderr)
        if isinstance(event, Compiling | LogLine | PartOut):
            return
        words.take(event)
        now = clock()
        if now - begun < SILENT_SECONDS or now - last < SECONDS_BETWEEN_LINES:
            return
        last = now
        line = {"text/plain": words.line(what, now - begun)}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield listen
    finally:
        if handle is not None:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)
