"""``cpsat-tour puzzle``: a puzzle with one solution, as text and as a sheet to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends.puzzles import HARDEST, Puzzle, make_puzzle
from cpsat_tour.cli.messages import EXITS, json_line, say
from cpsat_tour.cli.options import Command, force_option, limit_options, problem_options, read_in_time
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.results import why_none
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.sheet import check_sheet, save_sheet
from cpsat_tour.formats.describe import tour_data, tour_sought
from cpsat_tour.formats.grids import puzzle_text
from cpsat_tour.spaces.problem_data import problem_data


@click.command(cls=Command)
@problem_options
@click.option(
    "--grade",
    type=click.IntRange(1, HARDEST),
    default=HARDEST,
    show_default=True,
    help="The hardest that it may be; easier puzzles give more numbers.",
)
@limit_options
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write a sheet with the puzzle and its solution: .svg, .png, .pdf; or .txt; - prints it.",
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with the solution.")
@click.pass_context
def puzzle(
    ctx: click.Context,
    /,
    grade: int,
    output: str | None,
    force: bool,
    as_json: bool,
    **sought: Any,
) -> None:
    """Make a puzzle of BOARD: a few numbers of a tour, open unless --closed, that no other tour has.

    The grid on standard output is what --puzzle reads. Exit status: 0 a puzzle, 20 there is no tour, 3 stopped by a
    limit.
    """
    problem, limits = read_in_time(**sought)
    path = None if output in (None, "-") else Path(output)
    if path is not None:
        check_sheet(path, problem.graph.space, force=force)
    try:
        with ProgressLine(f"making a puzzle: {tour_sought(problem)}") as progress:
            made = make_puzzle(problem, limits, progress, grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(str(stopped))
    if as_json:
        json_line(_data(problem, made, limits.seed))
    if isinstance(made, Answer):
        if made.status == "none" and not as_json:
            print(why_none(problem, made))
        if made.status == "unknown":
            say(f"there is no puzzle yet, stopped by: {made.stopped_by}; more time may make one")
        ctx.exit(EXITS[made.status])
    if not as_json:
        print(puzzle_text(problem.graph.space, made.givens), end="")
    if path is not None:
        save_sheet(path, made.givens, made.solution)
        say(f"wrote {path}")
    minimal = "each is needed" if made.minimal else "perhaps not each is needed: with fewer the puzzle would be harder"
    say(f"{tour_sought(problem)}: {len(made.givens)} of {problem.graph.order} numbers, and {minimal}; {made.words}")


def _data(problem: Problem, made: Puzzle | Answer, seed: int) -> dict[str, Any]:
    """The puzzle as plain data, or why there is none."""
    if isinstance(made, Answer):
        return {"problem": problem_data(problem), "status": made.status, "stopped_by": made.stopped_by}
    return {
        "problem": problem_data(made.problem),
        "status": "puzzle",
        "seed": seed,
        "givens": [[problem.graph.space.place(vertex), number] for vertex, number in made.givens],
        "solution": tour_data(made.solution),
        "minimal": made.minimal,
        "grade": made.grade,
        "branchings": made.branchings,
        "conflicts": made.conflicts,
    }
