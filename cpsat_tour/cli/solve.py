"""``cpsat-tour solve``: one tour of a board or a graph, found by any backend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, json_line, say, stop_words
from cpsat_tour.cli.options import (
    FORM,
    LIMITS,
    PAIRS,
    PROBLEM,
    TOUR_OUTPUT,
    Namespace,
    backend_option,
    check_certificate_place,
    command,
    option,
    output_path,
    read_problem_and_limits,
    run_with_progress,
    show_answer,
    why_none,
)
from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines import registry, runner
from cpsat_tour.formats.describe import a_tour_sought, event_data, read_words, tour_sought
from cpsat_tour.spaces.symmetry import tour_kind
from cpsat_tour.tour import answer_data, work_words


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
        Exit.LIMIT: "A limit was reached first.",
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
        left = None if limits.seconds is None else max(0.0, limits.seconds - answer.seconds)
        from cpsat_tour.cli.prove import certify  # what proves takes a while to load

        certify(problem, answer, Path(args.certificate), replace(limits, seconds=left))
    return Exit.INTERRUPTED if answer.stopped_by == "interrupt" else EXITS[answer.status]
