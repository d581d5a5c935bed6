"""``cpsat-tour trace``: every step of the native search, in words or as events."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, print_out
from cpsat_tour.cli.narrator import Narrator
from cpsat_tour.cli.options import LIMITS, PAIRS, PROBLEM, Namespace, command, option, read_problem_and_limits
from cpsat_tour.core.events import NoTour, SearchStopped, Step, TourFound, TraceEvent
from cpsat_tour.formats.describe import event_data
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.native import trace as engine


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [PAIRS],
        "Limits": LIMITS,
        "Output": [option("--json-stream", "Print a JSON object for each event, the problem first.")],
    },
    exits={
        Exit.ANSWER: "A tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first or, with -O backtrack=no, a dead end.",
    },
)
def trace(args: Namespace) -> Exit:
    """Show every step of the native search for one tour of BOARD.

    The backend is dfs: with -O order=plain this is the depth-first search of a textbook, with -O prune=none it prunes
    nothing, with -O backtrack=no it never goes back.
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
