"""``cpsat-tour best``: the tour with the fewest or the most turns or crossings, and how it is known that no tour is
better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends.best import WAYS, WAYS_TO_ROUTES, Best, optimise
from cpsat_tour.backends.best_goal import goal_of
from cpsat_tour.backends.routes_goal import ROUTES_OBJECTIVES
from cpsat_tour.cli.display import ProgressLine, output_path, say_where_certificate_is, show_answer, why_none
from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    LIMITS,
    PROBLEM,
    TOUR_OUTPUT,
    VERIPB_VERSION,
    Namespace,
    backend_option,
    command,
    option,
    read_problem_and_limits,
    read_tour,
)
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.limits import Clock, Limits
from cpsat_tour.formats.describe import plural
from cpsat_tour.interface.answer import Interrupted, answer_data
from cpsat_tour.proofs.write.veripb import Version
from cpsat_tour.spaces.objectives import OBJECTIVES


@command(
    groups={
        "Problem": PROBLEM,
        "Goal": [
            option(
                f"--minimize {'|'.join(OBJECTIVES)}|paths", "Find the tour with the fewest of these, or the fewest."
            ),
            option(
                f"--maximize {'|'.join(OBJECTIVES)}|length", "Find the tour with the most of these, or the longest."
            ),
            option(
                "--optional SQUARE",
                "For length: only this square may be left out; may be repeated, or all.  [default: all]",
                multiple=True,
            ),
            option("--hint FILE", "Start from the tour in FILE: .json, .npy or .txt."),
        ],
        "Backend": [backend_option(f"Use this method: auto, {', '.join(WAYS | WAYS_TO_ROUTES)}.", default="auto")],
        "Limits": LIMITS,
        "Output": [
            *TOUR_OUTPUT,
            option("--certificate DIR", "Prove that no tour is better, and write a certificate into this folder."),
            VERIPB_VERSION,
        ],
    },
    refuses=("at",),
    exits={
        Exit.ANSWER: "The best tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first: the tour that is printed is the best so far, or has no certificate.",
    },
)
def best(args: Namespace) -> Exit:
    """Find the best tour of BOARD, open unless --closed.

    A turn is a square where the two moves are not in line; a crossing is a pair of moves that cross. The fewest paths,
    or with --closed closed tours, together visit each square once; the longest path or closed tour may leave squares
    out.
    """
    given = [name for name in (args.minimize, args.maximize) if name is not None]
    known = ", ".join(names := [*OBJECTIVES, *ROUTES_OBJECTIVES])
    if not given:
        raise click.UsageError(f"no goal is given: add --minimize or --maximize with one of {known}")
    if len(given) > 1:
        raise BadInput(f"2 goals are given: minimize or maximize one of {known}")
    if given[0] not in names:
        raise BadInput(f"{given[0]!r:.40} is not an objective: choose one of {known}")
    problem, limits = read_problem_and_limits(args)
    if given[0] in ROUTES_OBJECTIVES:
        from cpsat_tour.cli.best_routes import best_routes

        return best_routes(args, problem, limits)
    if args.optional:
        raise BadInput("--optional is for --maximize length: leave it out")
    goal = goal_of(problem, args.minimize, args.maximize)
    path = output_path(args, problem.graph)
    if args.certificate is not None:
        from cpsat_tour.proofs.write.certificate import check_certificate_folder  # which takes a while to load

        check_certificate_folder(args.certificate, force=args.force)
    begin = None if args.hint is None else read_tour(problem.graph, args.hint, "")
    clock, unwritten = limits.clock(), None
    with ProgressLine(f"seeking the {goal.name}") as progress:
        try:
            found = optimise(goal, args.backend, limits, progress, begin)
        except Interrupted as interrupted:
            found = interrupted.known
        if args.certificate is not None and found.optimal and not found.answer.stopped_by:
            try:
                found = _write_certificate(found, Path(args.certificate), args.version, clock, progress)
            except BadInput as fault:
                unwritten = fault  # the tour is not lost
    _show(found, path, as_json=args.as_json)
    if unwritten is not None:
        raise unwritten
    if args.certificate is not None and found.answer.status == "none":
        say(f"There is no tour, so nothing is written to {args.certificate}: prove writes a certificate of that.")
    if args.certificate is not None and found.known == "lp" and not found.answer.stopped_by:
        say_where_certificate_is(args.certificate)
    return stop_exit(found.answer.stopped_by) or EXITS[found.answer.status]


def _write_certificate(found: Best, folder: Path, version: Version, clock: Clock, progress: OnEvent) -> Best:
    """Write a certificate that no tour is better, which the checker has accepted, and return the result with it.

    If a limit or Ctrl-C comes first, nothing is written and the result says what stopped it.
    """
    from cpsat_tour.proofs.write.tour_certificates import prove_best  # Numba and PySAT take a while to load

    goal, tour = found.goal, found.answer.tour
    assert tour is not None
    try:
        certificate = found.certificate or prove_best(goal, tour.vertices, Limits(clock.left), progress)
        certificate.write(folder, clock, progress, version, force=True)  # the place was looked at before
        return replace(found, known="lp", reason=certificate.refutation.reason)
    except StoppedEarly as stopped:
        stopped_by = str(stopped)
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    return replace(found, answer=replace(found.answer, stopped_by=stopped_by))


def _show(found: Best, path: Path | None, *, as_json: bool) -> None:
    """Show the tour, its value and what is known of others, or say why there is no tour or what stopped the search."""
    answer, goal = found.answer, found.goal
    described: dict[str, Any] = {"goal": goal.name}
    if as_json or path is not None:
        values = {"value": found.value, "bound": found.bound, "known": found.known, "attained": found.attained}
        described |= answer_data(goal.problem, answer) | values
    none = why_none(goal.problem, answer) if answer.status == "none" else ""
    show_answer(answer, described, path, none=none, as_json=as_json)
    took = f"{answer.backend}, {answer.seconds:.3g} s"
    if answer.tour is not None:
        if not as_json:
            many, words = found.attained, goal.words(found.value or 0)
            if found.optimal:
                attained = "" if many is None else f", which {plural(many, 'tour')} attain{'s' * (many == 1)}"
                known = f", the {goal.name.partition(' ')[0]}{attained} ({found.known}: {found.reason})"
            elif found.bound is None:
                known = "; no bound is known"
            else:
                than = f"{'more' if goal.maximize else 'fewer'} than {found.bound:,} ({found.known})"
                known = f"; no tour has {than}"
            print_out(f"{words}{known}")
        say(f"{took}. {stop_words(answer.stopped_by)}." if answer.stopped_by else took)
    if answer.status == "unknown":
        say(f"{stop_words(answer.stopped_by)}: no {goal.problem.kind} tour was found ({took}).")
