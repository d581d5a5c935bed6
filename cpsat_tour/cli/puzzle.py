"""``cpsat-tour puzzle``: a puzzle with one solution, as text and as a sheet to print."""

from __future__ import annotations

from pathlib import Path

import click

from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, json_line, print_out, say, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    JSON,
    LIMITS,
    PROBLEM,
    Namespace,
    ProgressLine,
    command,
    option,
    read_problem_and_limits,
    why_none,
)
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.engines.puzzles import HARDEST, check_sheet, make_puzzle
from cpsat_tour.formats.describe import tour_sought, visits_data
from cpsat_tour.formats.tour_files import puzzle_file_text
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer


@command(
    groups={
        "Problem": PROBLEM,
        "Puzzle": [
            option(
                "--grade N",
                "Make it at most this hard; an easier puzzle gives more numbers.",
                type=click.IntRange(1, HARDEST),
                default=HARDEST,
            )
        ],
        "Limits": LIMITS,
        "Output": [
            option(
                "-o --output FILE",
                "Write a sheet with the rules and the solution to FILE, .pdf, .svg or .png, or the grid alone, .txt; "
                "- prints the grid.",
            ),
            FORCE,
            JSON,
        ],
    },
    refuses=("at", "columns", "graph_form", "order", "puzzle", "symmetry", "waypoints"),
    exits={
        Exit.ANSWER: "A puzzle is printed.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached before a puzzle was found.",
    },
)
def puzzle(args: Namespace) -> Exit:
    """Make a puzzle of BOARD: a few numbers of a tour, open unless --closed, that fit no other tour.

    Standard output is what --puzzle reads; the JSON object has the solution too.
    """
    problem, limits = read_problem_and_limits(args)
    path = None if args.output in (None, "-") else Path(args.output)
    if path is not None:
        check_sheet(path, problem.graph.space, force=args.force)
    try:
        with ProgressLine(f"making a puzzle: {tour_sought(problem)}") as progress:
            made = make_puzzle(problem, limits, progress, args.grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(stopped.limit)
    if isinstance(made, Answer):
        if args.as_json:
            json_line({"problem": problem_data(problem), "status": made.status, "stopped_by": made.stopped_by})
        elif made.none:
            print_out(why_none(problem, made))
        if made.unknown:
            say(f"{stop_words(made.stopped_by)} before a puzzle was found: allow more time.")
        return EXITS[made.status]
    if args.as_json:
        givens = [[problem.graph.space.vertex_data(vertex), number] for vertex, number in made.givens]
        json_line(
            {"problem": problem_data(made.problem), "status": "puzzle", "seed": limits.seed, "givens": givens}
            | {
                "solution": visits_data(made.solution.graph, made.solution.vertices),
                "minimal": made.minimal,
                "grade": made.grade,
            }
            | {"branchings": made.branchings, "conflicts": made.conflicts}
        )
    else:
        print_out(puzzle_file_text(made.problem), end="")
    if path is not None:
        made.save(path, force=args.force)
        say(f"wrote {path}")
    minimal = "each is needed" if made.minimal else "a harder puzzle could give fewer"
    say(f"{tour_sought(problem)}: {len(made.givens)} of {problem.graph.order} numbers given ({minimal}); {made.words}")
    return Exit.ANSWER
