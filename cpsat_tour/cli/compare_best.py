"""``cpsat-tour compare best``: the best tours of many boards, or how many tours of each have each value, as a table in
Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cpsat_tour.backends.best import goal_of, optimise
from cpsat_tour.backends.best_listed import distribution
from cpsat_tour.backends.best_run import Goal
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.options import backend_option, limit_options
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.boards import expand, graph_of
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.objectives import OBJECTIVES


@click.command()
@click.argument("boards", nargs=-1, required=True)
@click.option("--open", "is_open", is_flag=True, help="Open tours, not closed ones.")
@click.option("--minimize", metavar="|".join(OBJECTIVES), help="The fewest of these.")
@click.option("--maximize", metavar="|".join(OBJECTIVES), help="The most of these.")
@click.option("--longest", metavar="uncrossed", help="The longest path, or cycle, no two moves of which cross.")
@click.option(
    "--values",
    metavar="|".join(OBJECTIVES),
    help="List all tours: the fewest and the most of these, and how many tours have them.",
)
@backend_option("How; may be repeated.  [default: auto]", several=True)
@limit_options
@click.pass_context
def best(
    ctx: click.Context,
    boards: tuple[str, ...],
    is_open: bool,
    minimize: str | None,
    maximize: str | None,
    longest: str | None,
    values: str | None,
    backends: tuple[str, ...],
    limits: Limits,
) -> None:
    """Find the best tours of all BOARDS, such as 5..8x6..10, closed unless --open; limits hold for each board.

    A row is printed as it comes. Exit status: 0, or 3 if a limit was met.
    """
    if values is not None and (minimize or maximize or longest or backends):
        raise BadInput(f"--values {values} lists all tours: it can't go with another goal or a backend")
    problems = [Problem(graph_of(board), not is_open) for board in expand(boards)]
    rows = (
        _spread(problems, values, limits)
        if values
        else _best(
            [goal_of(problem, minimize, maximize, longest) for problem in problems], backends or ("auto",), limits
        )
    )
    header = next(rows)
    print("| " + " | ".join(header) + " |\n|" + "---|" + "---:|" * (len(header) - 1), flush=True)
    stopped = False
    for row in rows:
        stopped |= row[-1] is None
        print(
            "| "
            + " | ".join(
                "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row[:-1]
            )
            + " |",
            flush=True,
        )
    ctx.exit(Exit.LIMIT if stopped else Exit.ANSWER)


def _best(goals: list[Goal], ways: tuple[str, ...], limits: Limits) -> Iterator[list[Any]]:
    """The header, then a row for each board and way, and at its end whether it is whole, None where it is not."""
    yield ["board", "by", goals[0].name, "bound", "known", "attained by", "seconds"]
    for goal in goals:
        for way in ways:
            with ProgressLine(f"seeking the {goal.name} of {goal.problem.graph.called}") as progress:
                found = optimise(goal, way, limits, progress)
            answer = found.answer
            value, known = (found.value, found.known) if answer.refutation is None else ("none", answer.refutation.kind)
            cells = [
                str(goal.problem.graph.space),
                answer.backend,
                value,
                found.bound,
                known,
                found.attained,
                f"{answer.seconds:.3g}",
            ]
            yield [*cells, None if answer.stopped_by else True]


def _spread(problems: list[Problem], objective: str, limits: Limits) -> Iterator[list[Any]]:
    """The header, then a row for each board, likewise."""
    goal_of(problems[0], objective, None)
    yield ["board", "tours", f"fewest {objective}", "tours", f"most {objective}", "tours", "seconds"]
    for problem in problems:
        clock = limits.clock()
        try:
            with ProgressLine(f"counting the {objective} of the tours of {problem.graph.called}") as progress:
                counts = distribution(problem, objective, limits, progress)
        except StoppedEarly as limit:
            yield [
                str(problem.graph.space),
                f"stopped by: {limit}",
                None,
                None,
                None,
                None,
                f"{clock.seconds:.3g}",
                None,
            ]
            continue
        ends = [cell for end in (min, max) for cell in ((end(counts), counts[end(counts)]) if counts else (None, None))]
        yield [str(problem.graph.space), sum(counts.values()), *ends, f"{clock.seconds:.3g}", True]
