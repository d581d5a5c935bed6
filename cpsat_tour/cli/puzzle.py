"""``cpsat-tour puzzle``: puzzles with one solution, made or one's own, as text and as a sheet to print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, complain, json_line, print_out, say, stop_words
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
    show_answer,
    why_none,
)
from cpsat_tour.core.errors import StoppedEarly, TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import MAX_SEED
from cpsat_tour.engines.puzzles import HARDEST, Puzzle, check_sheet, make_puzzle, page_link
from cpsat_tour.formats.describe import tour_sought, visits_data
from cpsat_tour.formats.tour_files import puzzle_file_text
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer


@command(
    groups={
        "Problem": [part for part in PROBLEM if part.name not in ("puzzle", "waypoints")],
        "Puzzle": [
            option(
                "--puzzle FILE",
                "Grade this puzzle of your own; may be repeated.",
                multiple=True,
            ),
            option("--waypoints", "The numbers are only an order, as in Zip."),
            option("--walls N", "Put at most N walls between squares.", type=click.IntRange(0, 1000), default=0),
            option(
                "--grade N",
                "Make it at most this hard; an easier puzzle gives more numbers.",
                type=click.IntRange(1, HARDEST),
                default=HARDEST,
            ),
            option("--count N", "Make N puzzles, with seeds in sequence.", type=click.IntRange(1, 1000), default=1),
        ],
        "Limits": LIMITS,
        "Output": [
            option(
                "-o --output FILE",
                "Write a sheet with the rules and the solution to FILE: .pdf, .svg or .png; or the grid alone: .txt. "
                "- prints the grid.",
            ),
            option("--title TEXT", "Give the sheet this title."),
            option("--author NAME", "Name the author on the sheet."),
            option("--no-solution", "Leave the solution out of the sheet."),
            FORCE,
            JSON,
        ],
    },
    refuses=("at", "columns", "graph_form", "order", "symmetry"),
    apart=[("puzzle", other) for other in ("walls", "grade", "count")],
    exits={
        Exit.ANSWER: "Each puzzle is printed.",
        Exit.FAULT: f"A puzzle of your own has several solutions. {BACKEND_FAILED}",
        Exit.NONE: "There is no tour, or no solution.",
        Exit.LIMIT: "A limit was reached before a puzzle was found, or graded.",
    },
)
def puzzle(args: Namespace) -> Exit:
    """Make a puzzle of BOARD: a few numbers of a tour, open unless --closed, that fit no other tour. With --puzzle,
    grade a puzzle of your own.

    Standard output is what --puzzle reads. With --json it has the solution too.
    """
    asked, files, order = list[Problem](), args.puzzle, args.waypoints
    for name in files or [None]:
        args.puzzle, args.waypoints = name, order and name is not None
        problem, limits = read_problem_and_limits(args)
        asked.append(problem)
    asked *= args.count
    path = None if args.output in (None, "-") else Path(args.output)
    title, author = args.title or "", args.author or ""
    if path is not None:
        check_sheet(path, [problem.graph.space for problem in asked], title + author, force=args.force)
    clock, made = limits.clock(), list[Puzzle]()
    for number, problem in enumerate(asked):
        bounded = replace(limits, seconds=clock.left, seed=(limits.seed + number) % (MAX_SEED + 1))
        try:
            with ProgressLine(f"{'grading' if files else 'making'} a puzzle: {tour_sought(problem)}") as progress:
                if files:
                    found = Puzzle.graded(problem, bounded, progress)
                else:
                    found = make_puzzle(problem, bounded, progress, args.grade, waypoints=order, walls=args.walls)
        except TourFault as fault:
            return complain(f"{files[number]}: {fault}", Exit.FAULT)
        except StoppedEarly as stopped:
            found = Answer.stopped(stopped.limit)
        if isinstance(found, Answer):
            described = {"problem": problem_data(problem), "status": found.status, "stopped_by": found.stopped_by}
            none = why_none(problem, found) if found.none else ""
            show_answer(found, described, path, none=none, as_json=args.as_json)
            if found.unknown:
                done = "graded" if files else "found"
                say(f"{stop_words(found.stopped_by)} before a puzzle was {done}: allow more time.")
            return EXITS[found.status]
        made.append(found)
        link = page_link(found.problem)
        if args.as_json:
            givens = [[problem.graph.space.vertex_data(vertex), number] for vertex, number in found.givens]
            json_line(
                {"problem": problem_data(found.problem), "status": "puzzle", "seed": bounded.seed, "givens": givens}
                | {"solution": visits_data(problem.graph, found.solution.vertices), "minimal": found.minimal}
                | {name: getattr(found, name) for name in ("grade", "branchings", "conflicts")}
                | {"link": link}
            )
        else:
            print_out("\n" * (number > 0) + puzzle_file_text(found.problem), end="")
        minimal = " (each is needed)" if found.minimal else " (a harder puzzle could give fewer)" * (not files)
        given = f"{len(found.givens)} of {problem.graph.order} numbers given{minimal}"
        say(f"{tour_sought(problem)}: {given}; {found.words}")
        if link:
            say(f"play it on the page of cpsat-tour watch: http://127.0.0.1:8064/{link}")
    if path is not None:
        shown = not args.no_solution
        made[0].save(path, *made[1:], title=title, author=author, solution=shown, force=args.force)
        say(f"wrote {path}")
    return Exit.ANSWER
