"""The events of a search in words, and as boards: what ``cpsat-tour trace`` prints.

The words follow the report of the *foresight* program: for each step the current square, each direction that leads to
an unvisited square with the directions that lead on from there and their number, and the direction chosen. On graphs
without a layout vertices are named instead of directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.text import Text

from cpsat_tour.core.events import (
    Backtrack,
    Candidate,
    MoveRefused,
    NoTour,
    SearchBegun,
    SearchPath,
    SearchStopped,
    Step,
    TourFound,
    TraceEvent,
)
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Space
from cpsat_tour.drawing.text import HOLE
from cpsat_tour.spaces.symmetry import group_in_words

_WHY = {
    "stuck": "stuck: no unvisited {square} is a move away",
    "full": "every {square} is visited, and a tour can't end here",
    "refused": "every candidate is refused, by {prunings}",
    "tried": "no candidate led to a tour",
}


class Narrator:
    """Puts one event after the other into words; it keeps the path, for a move has a direction only from where one
    stands."""

    def __init__(self, problem: Problem) -> None:
        graph = self._graph = problem.graph
        self._closed = problem.closed
        self._octants = graph.space.directions(graph.tails, graph.indices)
        self._square = graph.nouns[0]
        self._path: list[int] = []

    def lines(self, event: TraceEvent) -> Iterator[str]:
        """The event as lines of text."""
        name = self._graph.name
        if isinstance(event, SearchBegun):
            yield ("enough of this search for now; " if event.gave_up else "") + f"search from {name(event.root)}"
            self._path.clear()
        elif isinstance(event, Step):
            if self._path:
                yield f"  goes {self._move(self._path[-1], event.vertex)}"
            yield f"visit {event.visit}: {name(event.vertex)}"
            self._path.append(event.vertex)
            yield from (f"    {self._candidate(event.vertex, candidate)}" for candidate in event.candidates)
        elif isinstance(event, MoveRefused):
            move = self._move(self._path[-1], event.vertex) if self._path else name(event.vertex)
            yield f"  not {move}: refused by {event.pruning}"
        elif isinstance(event, Backtrack):
            why = _WHY[event.why].format(square=self._square, prunings=" and ".join(event.prunings))
            yield f"  {why}; " + (
                f"visit {event.visit} is undone" if event.back_to is None else f"back to {name(event.back_to)}"
            )
            self._path.pop()
            if event.back_to is not None:
                yield (
                    f"visit {event.visit - 1}: {name(event.back_to)} again, visit {event.visit} at "
                    f"{name(event.vertex)} is undone"
                )
        else:
            yield self._ending(event)
            if isinstance(event, TourFound) and self._graph.space.turns():
                yield group_in_words(self._graph, np.array(event.vertices, dtype=np.int32), closed=self._closed)

    def _ending(self, event: TourFound | NoTour | SearchStopped) -> str:
        positions = f"after {event.positions} position{'s' * (event.positions != 1)}"
        if isinstance(event, TourFound):
            return f"tour found {positions}: {' '.join(map(self._graph.name, event.vertices))}"
        if isinstance(event, NoTour):
            return f"there is no tour: {event.kind}: {event.reason}"
        return f"stopped {positions}: {event.by}"

    def _candidate(self, here: int, candidate: Candidate) -> str:
        if self._octants is None:
            onward = map(self._graph.name, candidate.onward)
        else:
            onward = map(str, sorted(self._direction(candidate.vertex, vertex) for vertex in candidate.onward))
        exits = f"{candidate.exits} exit{'s' * (candidate.exits != 1)}"
        return f"{self._move(here, candidate.vertex)}: " + ", ".join(
            [" ".join(onward), exits] if candidate.exits else [exits]
        )

    def _move(self, tail: int, head: int) -> str:
        """The move by its direction, if directions are defined, and its square."""
        return ("" if self._octants is None else f"{self._direction(tail, head)} ") + f"to {self._graph.name(head)}"

    def _direction(self, tail: int, head: int) -> int:
        assert self._octants is not None
        return int(self._octants[self._graph.arc(tail, head)])


class BoardNarrator:
    """Shows the board after each step forwards or back: visit numbers, the knight in brackets, candidates' exits in
    parentheses."""

    def __init__(self, space: Space) -> None:
        self._space, self._here = space, SearchPath()

    def boards(self, event: TraceEvent) -> Iterator[Text]:
        """The board, where the event changes it."""
        if self._here.moved_by(event) and self._here.path:
            yield self._drawn(self._here.path, self._here.candidates[-1])

    def _drawn(self, path: Sequence[int], candidates: Sequence[Candidate]) -> Text:
        width = len(str(len(self._space)))
        shown = {vertex: (f"{visit:>{width}} ", "cyan") for visit, vertex in enumerate(path, start=1)}
        shown[path[-1]] = (f"[{len(path):>{width}}]", "bold reverse")
        shown |= {candidate.vertex: (f"({candidate.exits})".rjust(width + 1), "bold red") for candidate in candidates}
        shown[-1] = ((HOLE * 2).rjust(width) + " ", "dim")
        blank = ("·".rjust(width) + " ", "dim")
        drawn = Text()
        for number, layer in enumerate(self._space.layers()):
            drawn.append("\n" * (number > 0))
            for row in layer.cells.tolist():
                for cell, style in (shown.get(vertex, blank) for vertex in row):
                    drawn.append(cell.rjust(width + 2), style)
                drawn.append("\n")
        return drawn
