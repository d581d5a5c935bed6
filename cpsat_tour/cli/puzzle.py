"""``cpsat-tour puzzle``: a puzzle with one solution, as text and as a sheet to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends.puzzles import HARDEST, Puzzle, make_puzzle
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.options import force_option, limit_options, problem_options, read_in_time
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.results import why_none
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import interruptible
from cpsat_tour.drawing.sheet import check_sheet, save_sheet
from cpsat_tour.formats.describe import asked, tour_data
from cpsat_tour.formats.puzzle_text import puzzle_text
from cpsat_tour.spaces.problem_data import problem_data


@click.command()
@problem_options
@click.option(
    "--grade",
    type=click.IntRange(1, HARDEST),
    default=HARDEST,
    show_default=True,
    help="At most so hard; easier ones give more.",
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
    limits: Limits,
    output: str | None,
    force: bool,
    as_json: bool,
    **sought: Any,
) -> None:
    """Make a puzzle of BOARD: so few numbers of a tour, open unless --closed, that no other tour has them.

    The grid on standard output is what --puzzle reads. Exit status: 0 a puzzle, 20 there is no tour, 3 stopped by a
    limit.
    """
    problem, limits = read_in_time(limits, **sought)
    path = None if output in (None, "-") else Path(output)
    if path is not None:
        check_sheet(path, problem.graph.space, force=force)
    try:
        with ProgressLine(f"making a puzzle: {asked(problem)}") as progress:
            made = interruptible(lambda listen: make_puzzle(problem, limits, listen, grade), progress, "puzzle")
    except StoppedEarly as stopped:
        made = Answer.stopped(str(stopped))
    if isinstance(made, Answer):
        ctx.exit(_no_puzzle(problem, made, as_json=as_json))
    if as_json:
        json_line(_data(made, limits.seed))
    else:
        print(puzzle_text(problem.graph.space, made.givens), end="")
    if path is not None:
        save_sheet(path, made.givens, made.solution)
        say(f"wrote {path}")
    minimal = "each is needed" if made.minimal else "perhaps not each is needed: with fewer the puzzle would be harder"
    say(f"{asked(problem)}: {len(made.givens)} of {problem.graph.order} numbers, and {minimal}; {made.words}")
    ctx.exit(Exit.ANSWER)


def _no_puzzle(problem: Problem, answer: Answer, *, as_json: bool) -> Exit:
    """Why there is no puzzle: no tour, or no time."""
    if as_json:
        json_line({"problem": problem_data(problem), "status": answer.status, "stopped_by": answer.stopped_by})
    elif answer.status == "none":
        print(why_none(problem, answer))
    if answer.status == "unknown":
        say(f"there is no puzzle yet, stopped by: {answer.stopped_by}; more time may make one")
    return Exit.of(answer.status)


def _data(made: Puzzle, seed: int) -> dict[str, Any]:
    place = made.problem.graph.space.place
    return {
        "problem": problem_data(made.problem),
        "status": "puzzle",
        "seed": seed,
        "givens": [[place(vertex), number] for vertex, number in made.givens],
        "solution": tour_data(made.solution),
        "minimal": made.minimal,
        "grade": made.grade,
        "branchings": made.branchings,
        "conflicts": made.conflicts,
    }
