"""``cpsat-tour trace`` and ``watch``: show the native search step by step, in words or as events, or any search on a
page.

The words follow the report of the *foresight* program: for each step the current square, each direction that leads to
an unvisited square with the directions that lead on from there and their number, and the direction chosen. On graphs
without a layout vertices are named instead of directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from click import IntRange

from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, print_out, say, write_at_once
from cpsat_tour.cli.options import LIMITS, PAIRS, PROBLEM, Namespace, command, option, read_problem_and_limits
from cpsat_tour.core.errors import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import (
    Backtrack,
    Candidate,
    MoveRefused,
    NoTour,
    SearchBegun,
    SearchStopped,
    Step,
    TourFound,
    TraceEvent,
)
from cpsat_tour.engines.registry import load
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.formats.describe import event_data
from cpsat_tour.native import trace as engine
from cpsat_tour.spaces.symmetry import group_in_words

_WHY = {
    "stuck": "stuck: no unvisited {square} is a move away",
    "full": "every {square} is visited, and a tour can't end here",
    "refused": "every candidate is refused, by {prunings}",
    "tried": "no candidate led to a tour",
}


class Narrator:
    """Puts the events of a search into words. It follows the path, as a direction depends on where a move begins."""

    def __init__(self, problem: Problem) -> None:
        graph = self._graph = problem.graph
        self._closed = problem.closed
        self._octants = graph.space.directions(graph.tails, graph.indices)
        self._square = graph.nouns[0]
        self._path: list[int] = []

    def lines(self, event: TraceEvent) -> Iterator[str]:
        """Yield lines of text that describe the event."""
        name = self._graph.name
        if isinstance(event, SearchBegun):
            yield ("enough of this search for now; " if event.gave_up else "") + f"search from {name(event.root)}"
            self._path.clear()
        elif isinstance(event, Step):
            if self._path:
                yield f"  goes {self._move_words(self._path[-1], event.vertex)}"
            yield f"visit {event.visit}: {name(event.vertex)}"
            self._path.append(event.vertex)
            yield from (f"    {self._candidate_words(event.vertex, candidate)}" for candidate in event.candidates)
        elif isinstance(event, MoveRefused):
            move = self._move_words(self._path[-1], event.vertex) if self._path else name(event.vertex)
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
            positions = f"after {event.positions} position{'s' * (event.positions != 1)}"
            if isinstance(event, NoTour):
                yield f"there is no tour: {event.kind}: {event.reason}"
            elif isinstance(event, SearchStopped):
                yield f"stopped {positions}: {event.by}"
            else:
                yield f"tour found {positions}: {' '.join(map(name, event.vertices))}"
                if self._graph.space.named_symmetries():
                    yield group_in_words(self._graph, np.array(event.vertices, dtype=np.int32), closed=self._closed)

    def _candidate_words(self, here: int, candidate: Candidate) -> str:
        """Return a candidate move in words: the move, its vertex, and the number of exits there."""
        if self._octants is None:
            onward = map(self._graph.name, candidate.onward)
        else:
            onward = map(str, sorted(self._octant(candidate.vertex, vertex) for vertex in candidate.onward))
        exits = f"{candidate.exits} exit{'s' * (candidate.exits != 1)}"
        return f"{self._move_words(here, candidate.vertex)}: " + ", ".join(
            [" ".join(onward), exits] if candidate.exits else [exits]
        )

    def _move_words(self, tail: int, head: int) -> str:
        """Return a move in words: its direction, if there are directions, and its square."""
        return ("" if self._octants is None else f"{self._octant(tail, head)} ") + f"to {self._graph.name(head)}"

    def _octant(self, tail: int, head: int) -> int:
        """Return the number of the move's direction, an octant."""
        assert self._octants is not None
        return int(self._octants[self._graph.arc(tail, head)])


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [PAIRS],
        "Limits": LIMITS,
        "Output": [option("--json-stream", "Print a JSON object for each event, the problem first.")],
    },
    refuses=("symmetry",),
    exits={
        Exit.ANSWER: "A tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first, or with -O backtrack=no a dead end.",
    },
)
def trace(args: Namespace) -> Exit:
    """Show every step of the native search for one tour of BOARD.

    The backend is dfs. -O order=plain makes it the depth-first search of a textbook, -O prune=none leaves out all
    prunings, and -O backtrack=no never goes back.
    """
    problem, limits = read_problem_and_limits(args)
    space, narrator, positions = problem.graph.space, Narrator(problem), 0
    textbook = {"prune": "none"} if args.options.get("order") == "plain" else {}
    dfs: Any = load("dfs", textbook | args.options)

    def show(event: TraceEvent) -> None:
        """Print the event, as JSON or in words."""
        if args.json_stream:
            json_line(event_data(event))
            return
        for line in narrator.lines(event):
            print_out(line)
        if isinstance(event, TourFound) and space.layout:
            print_out(tour_text(space, np.array(event.vertices, dtype=np.int32)), end="")

    if args.json_stream:
        json_line(engine.opening_data(problem, dfs))
    try:
        for event in engine.trace(problem, dfs, limits):
            show(event)
            positions += isinstance(event, Step)
    except KeyboardInterrupt:
        show(SearchStopped("interrupt", positions))
        return Exit.INTERRUPTED
    return Exit.ANSWER if isinstance(event, TourFound) else Exit.NONE if isinstance(event, NoTour) else Exit.LIMIT


@command(
    groups={
        "Server": [
            option("--port N", "Listen on port N; 0 picks a free one.", type=IntRange(0, 65535), default=8064),
            option("--host HOST", "Listen on this address; 0.0.0.0 means all.", default="127.0.0.1"),
            option("--open", "Open the page in a browser.", to="open_page"),
        ]
    },
    exits={},
)
def watch(args: Namespace) -> None:
    """Show searches at work on a page in the browser, until Ctrl-C."""
    require("the page", "starlette", "uvicorn", "websockets")
    import webbrowser

    from cpsat_tour.web.server import bind, is_local, serve, url  # the server's libraries are an extra

    listener = bind(args.host, args.port)
    address = url(listener, args.host)
    if not is_local(args.host):
        say(f"Listening on {args.host}: everyone who can reach {address} can have this machine search.")
    write_at_once(f"{address}\n")
    if args.open_page:
        webbrowser.open(address)
    serve(listener, args.host)
