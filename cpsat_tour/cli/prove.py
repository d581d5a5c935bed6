"""``cpsat-tour prove``: that there is no tour, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from cpsat_tour.cli.display import ProgressLine, say_certificate
from cpsat_tour.cli.messages import Exit, json_line, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    JSON,
    LIMITS,
    PROBLEM,
    VERIPB_VERSION,
    Namespace,
    command,
    option,
    read_in_time,
)
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted, interruptible
from cpsat_tour.formats.describe import a_tour_sought, answer_data, shown_tour, tour_sought, tours_sought, work_words
from cpsat_tour.proofs.write.certificate import Certificate, check_certificate_folder
from cpsat_tour.proofs.write.prove import Method
from cpsat_tour.proofs.write.prove import prove as seek_proof
from cpsat_tour.spaces.problem_data import problem_data


@command(
    groups={
        "Problem": PROBLEM,
        "Proof": [
            option("--count", "Prove how many tours there are."),
            option(
                "--method", "Look for this kind of proof alone.", type=click.Choice(get_args(Method)), default="auto"
            ),
        ],
        "Limits": LIMITS,
        "Output": [
            option("-o --output DIR", "Write the certificate into this folder."),
            FORCE,
            JSON,
            VERIPB_VERSION,
        ],
    },
    exits={
        Exit.ANSWER: "It is proved.",
        Exit.A_TOUR: "There is a tour, and it is shown.",
        Exit.LIMIT: "A limit was met first.",
    },
)
def prove(args: Namespace) -> Exit:
    """Prove that BOARD has no tour, open unless --closed; or, with --count, how many it has."""
    problem, limits = read_in_time(args)
    if args.count and args.method != "auto":
        raise BadInput(f"--count can't go with --method {args.method}: a count has one method")
    if args.output is not None:
        check_certificate_folder(args.output, force=args.force)
    clock = limits.clock()

    def proved(listen: OnEvent) -> Certificate | Answer:
        """A certificate that the checker has accepted, and that is in the folder if there is one; or an answer."""
        if args.count:
            from cpsat_tour.proofs.write.shown import prove_count  # Numba and PySAT take a while to load

            outcome = prove_count(problem, limits, listen)
        else:
            outcome = seek_proof(problem, args.method, limits, listen)
        if isinstance(outcome, Certificate):
            if args.output is None:
                outcome.check(clock, listen)
            else:  # the folder was looked at before
                outcome.write(Path(args.output), clock, listen, args.version, force=True)
        return outcome

    claim = f"the count of each {tour_sought(problem)}" if args.count else f"that there is no {tour_sought(problem)}"
    try:
        with ProgressLine(f"proving {claim}") as progress:
            outcome = interruptible(proved, progress, "prove")
    except StoppedEarly as stopped:
        outcome = Answer.stopped(str(stopped))
    except Interrupted as interrupted:
        outcome = interrupted.known
    if isinstance(outcome, Answer):
        return _show_answer(problem, outcome, counted=args.count, as_json=args.as_json)
    if args.as_json:
        none = outcome.tours is None
        data: dict[str, Any] = {"status": "none"} if none else {"status": "count", "tours": outcome.tours}
        data |= {"method": outcome.method, "reason": outcome.refutation.reason, "certificate": args.output}
        json_line({"problem": problem_data(outcome.problem)} | data)
    else:
        print(outcome.words().rstrip("\n"))
    if args.output is not None:
        say_certificate(args.output)
    return Exit.ANSWER


def certify(problem: Problem, answer: Answer, folder: Path, limits: Limits) -> None:
    """Prove what the backend said, and write the certificate; a tour found on the way convicts the backend."""
    clock = limits.clock()
    evidence = answer.refutation.certificate if answer.refutation else None
    outcome = evidence or seek_proof(problem, limits=limits)
    if isinstance(outcome, Answer):
        if outcome.tour is not None:
            raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
        say(f"no certificate was found within the limit: {outcome.stopped_by}")
        return
    try:
        outcome.write(folder, clock, force=True)
    except StoppedEarly as stopped:
        say(f"no certificate was written within the limit: {stopped}")
    else:
        say_certificate(folder)


def _show_answer(problem: Problem, answer: Answer, *, counted: bool, as_json: bool) -> Exit:
    """Show the tour that there is, or say what is unknown; the exit status."""
    if as_json:
        json_line(answer_data(problem, answer))
    if answer.tour is not None:
        if not as_json:
            print(shown_tour(answer.tour))
        say(f"there is {a_tour_sought(problem)}, so there is nothing to prove")
        return Exit.A_TOUR
    number = f"the number of {tours_sought(problem, 2)}"
    unknown = number if counted else f"whether there is {a_tour_sought(problem)}"
    work = work_words(answer) or "no work is done yet"
    say(f"{stop_words(answer.stopped_by)}: {unknown} is still unknown ({work}).")
    return stop_exit(answer.stopped_by)
