"""``cpsat-tour trace``: every step of the native search, in words or as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.cli.messages import Exit, json_line
from cpsat_tour.cli.options import LIMITS, PROBLEM, Namespace, command, option, pairs_option, read_in_time
from cpsat_tour.core.events import NoTour, SearchStopped, Step, TourFound, TraceEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import event_data
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.native import trace as engine
from cpsat_tour.native.trace import Narrator


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [
            pairs_option("Set an option of dfs, such as order=plain, prune=none, backtrack=no; may be repeated.")
        ],
        "Limits": LIMITS,
        "Output": [
            option("--json-stream", "Print each event as a JSON object, the problem first."),
        ],
    },
    exits={
        Exit.ANSWER: "A tour is found.",
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was met first or, with -O backtrack=no, a dead end.",
    },
)
def trace(args: Namespace) -> Exit:
    """Show every step of the native search for one tour of BOARD.

    With -O order=plain this is the depth-first search of a textbook.
    """
    problem, limits = read_in_time(args)
    textbook = {"prune": "none"} if args.options.get("order") == "plain" else {}
    dfs: Any = load("dfs", textbook | args.options)
    if args.json_stream:
        json_line(engine.opening(problem, dfs))
        show: Callable[[TraceEvent], None] = _print_json
    else:
        show = _word_printer(problem)
    positions = 0
    try:
        for event in engine.trace(problem, dfs, limits):
            show(event)
            positions += isinstance(event, Step)
    except KeyboardInterrupt:
        show(SearchStopped("interrupt", positions))
        return Exit.INTERRUPTED
    return Exit.ANSWER if isinstance(event, TourFound) else Exit.NONE if isinstance(event, NoTour) else Exit.LIMIT


def _print_json(event: TraceEvent) -> None:
    json_line(event_data(event))


def _word_printer(problem: Problem) -> Callable[[TraceEvent], None]:
    space = problem.graph.space
    narrator = Narrator(problem)

    def show(event: TraceEvent) -> None:
        for line in narrator.lines(event):
            print(line)
        if isinstance(event, TourFound) and space.layers():
            print(tour_text(space, np.array(event.vertices, dtype=np.int32)), end="")

    return show
