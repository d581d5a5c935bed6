"""``cpsat-tour solve``: one tour of a board or a graph, found by any backend; and ``prove``: a proof that there is no
tour, or of how many there are, with a certificate.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    FORM,
    JSON,
    LIMITS,
    PAIRS,
    PROBLEM,
    TOUR_OUTPUT,
    VERIPB_VERSION,
    Namespace,
    backend_option,
    check_certificate_place,
    command,
    option,
    output_path,
    read_problem_and_limits,
    run_with_progress,
    say_where_certificate_is,
    show_answer,
    why_none,
)
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.engines import registry, runner
from cpsat_tour.formats.describe import a_tour_sought, event_data, read_words, tour_sought, tours_sought
from cpsat_tour.proofs.write.certificate import check_certificate_folder
from cpsat_tour.proofs.write.prove import Method, prove as seek_proof, prove_and_check
from cpsat_tour.proofs.write.rocq import check_can_be_stated
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import tour_kind
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


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [backend_option("Use only this backend; see cpsat-tour backends.  [default: auto]"), PAIRS],
        "Limits": LIMITS,
        "Output": [
            *TOUR_OUTPUT,
            FORM,
            option("--json-stream", "Print a JSON object for each event, and the answer last."),
            option("-v --verbose", "Print the solver's own log and the work counters on stderr."),
            option("--certificate DIR", "If there is no tour, write a certificate into this folder."),
        ],
    },
    apart=(("as_json", "json_stream", "form"), ("quiet", "verbose")),
    exits={
        Exit.ANSWER: "A tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first: it is unknown whether there is a tour.",
    },
)
def solve(args: Namespace) -> Exit:
    """Find one tour of BOARD, open unless --closed.

    BOARD is 8x8, a box 4x4x3, a wrapped board torus:5x5, a member of a family GP(17,2), or the path of a graph file.
    """
    name = args.backend or "auto"
    problem, limits = read_problem_and_limits(args)
    path = output_path(args, problem.graph, args.form)
    check_certificate_place(args)
    if args.certificate is not None and problem.timed:
        words = f"can't write a certificate to {args.certificate}"
        raise BadInput(f"{words}: certificates are for tours without {problem.timed}")
    if args.verbose and name.partition("@")[0] == "cpsat":
        args.options.setdefault("log", "true")
    if args.verbose and problem.graph.form:
        say(read_words(problem.graph))
    engine = registry.load(name, args.options)
    stream = (lambda event: json_line(event_data(event))) if args.json_stream else None
    answer = run_with_progress(
        f"seeking {a_tour_sought(problem)} with {name}",
        lambda progress: runner.run(problem, engine, limits, stream or progress, name),
    )
    none = why_none(problem, answer) if answer.none else ""
    as_json = args.as_json or args.json_stream
    described: dict[str, Any] = {"event": "answer"} if args.json_stream else {}
    if as_json or path is not None:
        described |= answer_data(problem, answer)
    show_answer(answer, described, path, none=none, as_json=as_json, form=args.form)
    took = f"{answer.seconds:.3g} s"
    if answer.tour is not None:
        kind = problem.symmetry and tour_kind(problem.symmetry, answer.tour.vertices, closed=problem.closed)
        say(f"{f'{kind} ' if kind else ''}{tour_sought(problem)} by {answer.backend} in {took}")
    if answer.unknown:
        unknown = f"{stop_words(answer.stopped_by)}: whether there is {a_tour_sought(problem)} is still unknown"
        say(f"{unknown} ({answer.backend}, {took}: {work_words(answer) or 'the backend counted no work'}).")
    if args.verbose and answer.work:
        say(work_words(answer))
    if args.certificate is not None and answer.none:
        # the prover takes a while to load

        left = None if limits.seconds is None else max(0.0, limits.seconds - answer.seconds)
        certify(problem, answer, Path(args.certificate), replace(limits, seconds=left))
    return Exit.INTERRUPTED if answer.stopped_by == "interrupt" else EXITS[answer.status]
