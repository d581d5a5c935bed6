"""``cpsat-tour check``: is a certificate valid, and what does it prove?"""

from __future__ import annotations

from pathlib import Path

import click
from click import Argument

from cpsat_tour.cli.messages import Exit, json_line, print_out, say
from cpsat_tour.cli.options import JSON, PROBLEM, TIME_LIMIT, Namespace, ProgressLine, command, option, read_problem
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.limits import Clock
from cpsat_tour.formats.describe import plural
from cpsat_tour.proofs.check.folder import KINDS, check as check_certificate


@command(
    groups={
        "Claim": [
            Argument(["folder"]),
            option(
                "--claim",
                "Accept only this claim: that there is no tour, how many there are, or which is best.",
                type=click.Choice(list(KINDS)),
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
        Exit.LIMIT: "The time limit was reached first.",
    },
)
def check(args: Namespace) -> Exit:
    """Check the certificate in FOLDER, beginning with the board, and print what it proves: that there is no tour, how
    many there are, or which is best.

    If BOARD is given, the certificate must be about this problem, with the options that are given too.
    """
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
            {
                "valid": verdict.valid,
                "kind": verdict.kind,
                "claim": verdict.claim,
                "method": verdict.method,
                "steps": verdict.steps,
                "fault": verdict.fault and str(verdict.fault),
            }
        )
    elif verdict.valid:
        print_out(f"valid: {verdict.claim} ({verdict.method}, {plural(verdict.steps, 'step')})")
    else:
        print_out(f"not valid: {verdict.fault}")
    return Exit.ANSWER if verdict.valid else Exit.FAULT
