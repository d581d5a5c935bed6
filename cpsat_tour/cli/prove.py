"""``cpsat-tour prove``: a proof that there is no tour, or of how many there are, with a certificate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    JSON,
    LIMITS,
    PROBLEM,
    VERIPB_VERSION,
    Namespace,
    command,
    option,
    read_problem_and_limits,
    run_with_progress,
    say_where_certificate_is,
    show_answer,
)
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.formats.describe import a_tour_sought, tour_sought, tours_sought
from cpsat_tour.proofs.write.certificate import check_certificate_folder
from cpsat_tour.proofs.write.prove import Method, prove as seek_proof, prove_and_check
from cpsat_tour.proofs.write.rocq import check_can_be_stated
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer, answer_data, run_interruptibly, work_words


@command(
    groups={
        "Problem": PROBLEM,
        "Proof": [
            option("--count", "Prove how many tours there are."),
            option(
                "--method", "Look only for this kind of proof.", type=click.Choice(get_args(Method)), default="auto"
            ),
        ],
        "Limits": LIMITS,
        "Output": [
            option("-o --output DIR", "Write the certificate into this folder."),
            option("--rocq", "Write the claim as a theorem for Rocq too: proof.v, and the files that it stands on."),
            FORCE,
            JSON,
            VERIPB_VERSION,
        ],
    },
    refuses=("at", "order", "waypoints"),
    exits={
        Exit.ANSWER: "The claim is proved.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.A_TOUR: "There is a tour, and it is shown.",
        Exit.LIMIT: "A limit was reached first.",
    },
)
def prove(args: Namespace) -> Exit:
    """Prove that BOARD has no tour, open unless --closed, or show one; with --count, prove how many it has."""
    problem, limits = read_problem_and_limits(args)
    if args.output is not None:
        check_certificate_folder(args.output, force=args.force)
    if args.rocq:
        if args.output is None or args.count:
            raise BadInput("--rocq writes the theorem that there is no tour into a folder: give -o DIR, and no --count")
        check_can_be_stated(problem)
    to = None if args.output is None else (args.output, args.version, args.rocq)
    proved = partial(prove_and_check, problem, args.method, limits, counted=args.count, to=to)
    number = f"the number of {tours_sought(problem, 2)}"
    claim = number if args.count else f"that there is no {tour_sought(problem)}"
    outcome = run_with_progress(f"proving {claim}", lambda progress: run_interruptibly(proved, progress, "prove"))
    if isinstance(outcome, Answer):
        show_answer(outcome, answer_data(problem, outcome), None, none="", as_json=args.as_json)
        if outcome.tour is not None:
            say(f"There is {a_tour_sought(problem)}, so there is nothing to prove.")
            return Exit.A_TOUR
        unknown = number if args.count else f"whether there is {a_tour_sought(problem)}"
        work = f" ({words})" if (words := work_words(outcome)) else ""
        say(f"{stop_words(outcome.stopped_by)}: {unknown} is still unknown{work}.")
        return stop_exit(outcome.stopped_by)
    if args.as_json:
        none = outcome.tours is None
        data: dict[str, Any] = {"status": "none"} if none else {"status": "count", "tours": outcome.tours}
        data |= {"method": outcome.method, "reason": outcome.refutation.reason, "certificate": args.output}
        json_line({"problem": problem_data(outcome.problem)} | data)
    else:
        print_out(outcome.words().rstrip("\n"))
    if args.output is not None:
        say_where_certificate_is(args.output)
    return Exit.ANSWER


def certify(problem: Problem, answer: Answer, folder: Path, limits: Limits) -> None:
    """Prove that there is no tour, as a backend answered, and write the certificate; `BackendFault` if a tour is
    found."""
    clock = limits.clock()
    evidence = answer.refutation.certificate if answer.refutation else None
    outcome = evidence or seek_proof(problem, limits=limits)
    if isinstance(outcome, Answer):
        if outcome.tour is not None:
            raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
        say(f"{stop_words(outcome.stopped_by)}: no certificate was found.")
        return
    try:
        outcome.write(folder, clock, force=True)
    except StoppedEarly as stopped:
        say(f"{stop_words(stopped.limit)}: no certificate was written.")
    else:
        say_where_certificate_is(folder)
