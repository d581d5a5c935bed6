"""``cpsat-tour trace``: every step of the native search, in words, as boards, or as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import numpy as np
from rich.console import Console

from cpsat_tour.backends.registry import load, read_pairs
from cpsat_tour.cli.messages import Exit, json_line
from cpsat_tour.cli.options import Command, limit_options, problem_options, read_in_time
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import NoTour, SearchStopped, Step, TourFound, TraceEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.formats.progress import event_data
from cpsat_tour.native import trace as engine
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.trace import BoardNarrator, Narrator


@click.command(cls=Command)
@problem_options
@click.option(
    "-O",
    "options",
    metavar="KEY=VALUE",
    multiple=True,
    callback=lambda _context, _option, pairs: read_pairs(pairs),
    help="An option of dfs, such as order=plain, prune=none, backtrack=no; may be repeated.",
)
@limit_options
@click.option("--boards", is_flag=True, help="Show the board after each step instead of words, coloured on a terminal.")
@click.option("--json-stream", is_flag=True, help="Print one JSON object for each event, the problem first.")
@click.pass_context
def trace(
    ctx: click.Context,
    /,
    options: dict[str, str],
    boards: bool,
    json_stream: bool,
    **sought: Any,
) -> None:
    """Show every step of the native search for one tour of BOARD.

    With -O order=plain this is the depth-first search of a textbook. Exit status: 0 a tour, 20 there is none, 3 unknown
    (a limit was met, or a dead end with -O backtrack=no).
    """
    problem, limits = read_in_time(**sought)
    textbook = {"prune": "none"} if options.get("order") == "plain" else {}
    dfs: Any = load("dfs", textbook | options)
    show = _printer(problem, dfs, boards=boards, json_stream=json_stream)
    positions = 0
    try:
        for event in engine.trace(problem, dfs, limits):
            show(event)
            positions += isinstance(event, Step)
    except KeyboardInterrupt:
        show(SearchStopped("interrupt", positions))
        ctx.exit(Exit.INTERRUPTED)
    ctx.exit(Exit.ANSWER if isinstance(event, TourFound) else Exit.NONE if isinstance(event, NoTour) else Exit.LIMIT)


def _printer(problem: Problem, dfs: Dfs, *, boards: bool, json_stream: bool) -> Callable[[TraceEvent], None]:
    """What prints an event in the form that was asked for."""
    if boards and json_stream:
        raise BadInput("--boards can't go with --json-stream: give one or the other")
    if json_stream:
        json_line(engine.opening(problem, dfs))
        return lambda event: json_line(event_data(event))
    return _board_printer(problem) if boards else _word_printer(problem)


def _word_printer(problem: Problem) -> Callable[[TraceEvent], None]:
    space = problem.graph.space
    narrator = Narrator(problem)

    def show(event: TraceEvent) -> None:
        for line in narrator.lines(event):
            print(line)
        if isinstance(event, TourFound) and space.layers():
            print(tour_text(space, np.array(event.vertices, dtype=np.int32)), end="")

    return show


def _board_printer(problem: Problem) -> Callable[[TraceEvent], None]:
    if not problem.graph.space.layers():
        raise BadInput("--boards needs a board, and this is a graph: leave it out")
    console = Console(highlight=False, soft_wrap=True)
    drawer, narrator = BoardNarrator(problem.graph.space), Narrator(problem)

    def show(event: TraceEvent) -> None:
        for board in drawer.boards(event):
            console.print(board)
        if isinstance(event, TourFound | NoTour | SearchStopped):
            console.print("\n".join(narrator.lines(event)), markup=False)

    return show
