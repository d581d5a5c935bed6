"""``cpsat-tour check``, ``verify`` and ``decode``: checks a certificate, verifies the tours of a file, reads the answer
of an outside solver.

What one of them alone needs is imported in its function, so that the others start sooner.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click import Argument

from cpsat_tour.cli.messages import EXITS, Exit, complain, json_line, print_out, say
from cpsat_tour.cli.options import (
    HOLES,
    JSON,
    LEAPER,
    PROBLEM,
    TIME_LIMIT,
    TOUR_OUTPUT,
    Namespace,
    ProgressLine,
    command,
    option,
    output_path,
    read_problem,
    show_answer,
)
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.runs import Clock
from cpsat_tour.formats.describe import a_tour_sought, plural, tour_sought
from cpsat_tour.formats.formula import NotATour, read_map
from cpsat_tour.formats.tour_files import Others, read_tours
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import group_in_words
from cpsat_tour.tour import Tour, answer_data

MAX_DESCRIBED = 1 << 18
"""The largest number of squares of a tour whose symmetries, turns and crossings are counted, which takes half a
second."""


@command(
    groups={
        "Claim": [
            Argument(["folder"]),
            option(
                "--claim",
                "Accept only this claim.",
                type=click.Choice(["none", "count", "best", "bound"]),
            ),
        ],
        "Problem": PROBLEM,
        "Limits": [TIME_LIMIT],
        "Output": [JSON],
    },
    refuses=("at", "order", "waypoints"),
    exits={
        Exit.ANSWER: "The certificate is valid.",
        Exit.FAULT: "The certificate is not valid: its first wrong line is named.",
        Exit.LIMIT: "A limit was reached first.",
    },
)
def check(args: Namespace) -> Exit:
    """Check the certificate in FOLDER, and print what it proves: that there is no tour, how many there are, or which is
    best.

    If BOARD is given, the certificate must be about this board with these options.
    """
    from cpsat_tour.proofs.check.folder import check as check_certificate

    expected = read_problem(args) if any(getattr(args, str(option.name)) for option in PROBLEM) else None
    try:
        with ProgressLine(f"checking {args.folder}") as progress:
            clock = Clock(args.time_limit)
            verdict = check_certificate(Path(args.folder), progress, expected, kind=args.claim, clock=clock)
    except StoppedEarly:
        say(f"Stopped at the time limit: whether {args.folder} is valid is still unknown.")
        return Exit.LIMIT
    if args.as_json:
        json_line(
            {name: getattr(verdict, name) for name in ("valid", "kind", "claim", "method", "steps")}
            | {"fault": verdict.fault and str(verdict.fault)}
        )
    elif verdict.valid:
        print_out(f"valid: {verdict.claim} ({verdict.method}, {plural(verdict.steps, 'step')})")
    else:
        print_out(f"not valid: {verdict.fault}")
    return Exit.ANSWER if verdict.valid else Exit.FAULT


@command(
    groups={"Problem": [Argument(["file"]), HOLES, LEAPER], "Output": [JSON]},
    exits={Exit.ANSWER: "All tours in the file are valid.", Exit.FAULT: "A tour is wrong: its first fault is named."},
)
def verify(args: Namespace) -> Exit:
    """Verify the tours in FILE: a .json, .npy or .txt that this program wrote, or a tour of a board that another
    program wrote (also a .csv), as a list of squares or as a board of numbers, from 0 or 1. There a knight moves, or
    the piece that --moves names.

    A decomposition must have all moves in its tours, or with --most no move twice; routes must visit no square twice.
    Of a single tour the symmetries, turns and crossings are printed too, unless it is very large.
    """
    try:
        words, data = _verify_file(Path(args.file), Others("+".join(args.leaper) or "1,2", args.holes))
    except TourFault as fault:
        print_out(json.dumps({"valid": False, "fault": str(fault)}) if args.as_json else fault)
        return Exit.FAULT
    print_out(json.dumps({"valid": True} | data) if args.as_json else words)
    return Exit.ANSWER


def _verify_file(path: Path, others: Others) -> tuple[str, dict[str, Any]]:
    """Verify the tours in a file and return its content, in words and as data for JSON; `TourFault` if a tour is
    wrong."""
    found = read_tours(path, others)
    graph, told = found.problem.graph, dict[str, Any](problem=problem_data(found.problem))
    if found.taken:
        told |= {"taken_for": found.taken}
        say(f"{path} is taken for {found.taken}.")
    if found.kind != "tour":
        return f"{found.words}, verified", told | {"count": len(found.routes or found.rows)}
    words = f"{found.words}: {graph.order:,} {graph.nouns[graph.order != 1]}, verified"
    if not 3 <= graph.order <= MAX_DESCRIBED:
        return words, told
    tour = Tour(graph, found.problem.closed, found.row())
    looks: dict[str, Any] = {"symmetries": tour.symmetries}
    with suppress(BadInput):  # the moves are not straight lines
        looks |= {"turns": tour.turns, "crossings": tour.crossings}
    value, objective = found.told.get("value"), str(found.told.get("goal")).rpartition(" ")[2]
    if looks.get(objective, value) != value:
        raise TourFault(f"not a tour of {value!r:.40} {objective}: it has {looks[objective]:,}")
    crossed = (
        f"; {plural(looks['turns'], 'turn')}, {plural(looks['crossings'], 'crossing')}" if "turns" in looks else ""
    )
    kept = f"; {group_in_words(graph, found.rows[0], closed=found.problem.closed)}" if graph.space.layout else ""
    return f"{words}{kept}{crossed}", told | looks


@command(
    groups={
        "Formula": [
            Argument(["answer"]),
            Argument(["formula"]),
            option("--append", "Add the violated cut sets to the formula, to be solved again."),
        ],
        "Output": TOUR_OUTPUT,
    },
    exits={
        Exit.ANSWER: "The answer is a tour.",
        Exit.FAULT: "The answer is not a tour.",
        Exit.NONE: "The solver says that there is no tour.",
        Exit.LIMIT: "The solver does not know.",
    },
)
def decode(args: Namespace) -> Exit:
    """Turn a solver's ANSWER to FORMULA, a file that export wrote, into a verified tour. ANSWER has what the solver
    printed or wrote; - is stdin.

    If the formula is a relaxation and the answer is not a tour, the violated cut sets are printed, or with --append
    added to the formula.
    """
    from cpsat_tour.engines.decoding import answer_of, append_constraints

    if args.answer == args.formula == "-":
        raise BadInput("the formula and the answer can't both come from standard input: name one of the files")
    if args.append and args.formula == "-":
        raise BadInput("--append can't go with a formula from standard input: name its file")
    formula = read_map(args.formula)
    problem = formula.cycle.source
    path = output_path(args, problem.graph)
    try:
        answer = answer_of(formula, args.answer)
    except NotATour as fault:
        if not args.append:
            print_out("".join(f"{line}\n" for line in fault.cuts), end="")
            return complain(f"{fault}{fault.remedy}", Exit.FAULT)
        if not fault.cuts:
            raise BadInput(str(fault)) from None
        append_constraints(args.formula, fault.cuts)
        say(f"{fault}; added {plural(len(fault.cuts), 'cut set')} to {args.formula}: solve it again")
        return Exit.FAULT
    if answer.unknown and not args.as_json:
        say(f"The solver did not find out whether there is {a_tour_sought(problem)}.")
    none = f"There is no {tour_sought(problem)}.\n{answer.refutation}." if answer.none else ""
    show_answer(answer, answer_data(problem, answer), path, none=none, as_json=args.as_json)
    return EXITS[answer.status]
