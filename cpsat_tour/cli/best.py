"""``cpsat-tour best``: the best tour by turns or crossings, the fewest paths or closed tours that cover everything, the
longest route; and how it is known that nothing is better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    LIMITS,
    PROBLEM,
    TOUR_OUTPUT,
    VERIPB_VERSION,
    Namespace,
    ProgressLine,
    backend_option,
    check_certificate_place,
    command,
    option,
    output_path,
    read_problem_and_limits,
    read_tour,
    run_with_progress,
    save_or_print,
    say_where_certificate_is,
    show_answer,
    why_none,
)
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Clock, Limits
from cpsat_tour.engines.best import WAYS, WAYS_TO_ROUTES, Best, BestRoutes, optimise, optimise_routes
from cpsat_tour.engines.best_search import ROUTES_OBJECTIVES, goal_of, routes_goal
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.formats.describe import plural
from cpsat_tour.proofs.write.veripb import Version
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer, answer_data


@command(
    groups={
        "Problem": PROBLEM,
        "Goal": [
            option(
                f"--minimize {'|'.join(OBJECTIVES)}|paths",
                "Ask for the tour with the fewest of these, or the fewest paths.",
                type=click.Choice([*OBJECTIVES, "paths"]),
            ),
            option(
                f"--maximize {'|'.join(OBJECTIVES)}|length",
                "Ask for the tour with the most of these, or the longest.",
                type=click.Choice([*OBJECTIVES, "length"]),
            ),
            option(
                "--optional SQUARE",
                "With length, let the tour leave out only this square; may be repeated.  [default: all]",
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
    refuses=("at", "order", "waypoints"),
    apart=(("minimize", "maximize"),),
    exits={
        Exit.ANSWER: "The best tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first: the tour is the best so far, or has no certificate.",
    },
)
def best(args: Namespace) -> Exit:
    """Find the best tour of BOARD, open unless --closed.

    A turn is a square where the two moves are not in line; a crossing is a pair of moves that cross. The fewest paths
    (or closed tours) together visit each square once. The longest path (or closed tour) may leave squares out.
    """
    if not (goal_name := args.minimize or args.maximize):
        known = ", ".join([*OBJECTIVES, *ROUTES_OBJECTIVES])
        raise click.UsageError(f"no goal is given: add --minimize or --maximize with one of {known}")
    problem, limits = read_problem_and_limits(args)
    if args.hint is not None and goal_name not in OBJECTIVES:
        raise BadInput("--hint is for turns and crossings: leave it out")
    if args.optional and goal_name in OBJECTIVES:
        raise BadInput("--optional is for --maximize length: leave it out")
    check_certificate_place(args)
    return best_routes(args, problem, limits) if goal_name in ROUTES_OBJECTIVES else best_tour(args, problem, limits)


def best_tour(args: Namespace, problem: Problem, limits: Limits) -> Exit:
    """Find the best tour, print it with what is known of its optimality, and write the certificate if one is asked
    for."""
    goal = goal_of(problem, args.minimize, args.maximize)
    path = output_path(args, problem.graph)
    begin = None if args.hint is None else read_tour(problem.graph, args.hint, "")
    clock = limits.clock()
    found = run_with_progress(
        f"seeking the {goal.name}", lambda progress: optimise(goal, args.backend, limits, progress, begin)
    )
    try:
        if args.certificate is not None and found.optimal and not found.answer.stopped_by:
            found = _write_certificate(found, Path(args.certificate), args.version, clock)
    finally:  # the tour is not lost, whatever becomes of the certificate
        _show_tour(found, path, as_json=args.as_json)
    if args.certificate is not None and found.answer.status == "none":
        say(f"There is no tour, so nothing is written to {args.certificate}: prove writes a certificate of that.")
    if args.certificate is not None and found.known == "lp" and not found.answer.stopped_by:
        say_where_certificate_is(args.certificate)
    return stop_exit(found.answer.stopped_by) or EXITS[found.answer.status]


def _write_certificate(found: Best, folder: Path, version: Version, clock: Clock) -> Best:
    """Prove that no tour is better, write the certificate, and return the result with it.

    If a limit or Ctrl-C comes first, nothing is written and the result says what stopped it.
    """
    from cpsat_tour.proofs.write.tour_certificates import prove_best  # PySAT takes a while to load

    goal, tour = found.goal, found.answer.tour
    assert tour is not None
    try:
        with ProgressLine(f"proving the {goal.name}") as progress:
            certificate = found.certificate or prove_best(goal, tour.vertices, Limits(clock.left), progress)
            certificate.write(folder, clock, progress, version, force=True)  # the place was looked at before
        return replace(found, known="lp", reason=certificate.refutation.reason)
    except (StoppedEarly, KeyboardInterrupt) as stopped:
        stopped_by = stopped.limit if isinstance(stopped, StoppedEarly) else "interrupt"
        return replace(found, answer=replace(found.answer, stopped_by=stopped_by))


def _show_tour(found: Best, path: Path | None, *, as_json: bool) -> None:
    """Print the tour, its value and what is known of better ones; without a tour, why there is none or what stopped the
    search."""
    answer, goal = found.answer, found.goal
    described: dict[str, Any] = {"goal": goal.name}
    if as_json or path is not None:
        described |= answer_data(goal.problem, answer)
        described |= {name: getattr(found, name) for name in ("value", "bound", "known", "attained")}
    none = why_none(goal.problem, answer) if answer.status == "none" else ""
    show_answer(answer, described, path, none=none, as_json=as_json)
    took = f"{answer.backend}, {answer.seconds:.3g} s"
    if answer.status == "unknown":
        say(f"{stop_words(answer.stopped_by)}: no {goal.problem.kind} tour was found ({took}).")
    elif answer.tour is not None:
        if not as_json:
            print_out(f"{goal.words(found.value or 0)}{_known_words(found)}")
        say(f"{took}. {stop_words(answer.stopped_by)}." if answer.stopped_by else took)


def _known_words(found: Best) -> str:
    """Return in words whether a better tour may exist; the words follow the value of this one."""
    goal, many = found.goal, found.attained
    if found.optimal:
        attained = "" if many is None else f", which {plural(many, 'tour')} attain{'s' * (many == 1)}"
        return f", the {goal.name.partition(' ')[0]}{attained} ({found.known}: {found.reason})"
    if found.bound is None:
        return "; no bound is known"
    return f"; no tour has {'more' if goal.maximize else 'fewer'} than {found.bound:,} ({found.known})"


def best_routes(args: Namespace, problem: Problem, limits: Limits) -> Exit:
    """Find the fewest routes or the longest one, print them with what is known of their optimality, and write the
    certificate if one is asked for."""
    graph, optional = problem.graph, None
    if args.optional and "all" not in args.optional:
        optional = [graph.space.vertex(square) for square in args.optional]
    goal = routes_goal(problem, args.minimize or args.maximize, optional, maximize=args.minimize is None)
    path = output_path(args, graph, several=True)
    clock, certified = limits.clock(), False
    found = run_with_progress(
        f"seeking the {goal.name}", lambda progress: optimise_routes(goal, limits, progress, args.backend)
    )
    if args.certificate is not None and found.optimal and found.value != goal.ideal:
        found, certified = _with_certificate(found, args, clock)
    described, on_board = _routes_data(found), goal.maximize and graph.space.layout is not None
    if args.as_json:
        json_line(described)
    if found.value is not None:
        save_or_print(
            path,
            lambda path: found.routes.save(path, described, force=True),
            lambda: tour_text(graph.space, found.routes.routes[0]) if on_board else f"{found.routes}\n",
            as_json=args.as_json,
        )
    if not args.as_json:
        print_out(_routes_sentence(found))
    if args.certificate is not None and not certified:
        say(f"Nothing is written to {args.certificate}: {_why_no_certificate(found)}.")
    elif certified:
        say_where_certificate_is(args.certificate)
    if found.stopped_by:
        say(f"{stop_words(found.stopped_by)} ({found.seconds:.3g} s).")
        return stop_exit(found.stopped_by)
    if args.certificate is not None and not certified and found.value not in (None, goal.ideal):
        return Exit.LIMIT
    return Exit.NONE if found.none else Exit.ANSWER


def _with_certificate(found: BestRoutes, args: Namespace, clock: Clock) -> tuple[BestRoutes, bool]:
    """Prove that nothing is better and write a certificate. Return the result and True if that succeeded; the result
    may say what stopped the proof. `BackendFault` if something is better."""
    from cpsat_tour.proofs.write.prove import prove_and_check  # PySAT takes a while to load
    from cpsat_tour.proofs.write.tour_certificates import prove_longest

    better = found.goal.problem_of_better(found.value or 0)
    if better is None and (not found.goal.maximize or found.goal.problem.graph.directed or found.value == 1):
        return found, False
    try:
        with ProgressLine(f"proving the {found.goal.name}") as progress:
            if better is not None:
                outcome = prove_and_check(
                    better, "auto", Limits(clock.left), progress, to=(args.certificate, args.version, False)
                )
            else:
                outcome = prove_longest(found.goal, found.routes.routes[0], Limits(clock.left), progress)
                outcome.write(args.certificate, clock, progress, args.version, force=True)
    except (StoppedEarly, KeyboardInterrupt) as stopped:
        return replace(found, stopped_by=stopped.limit if isinstance(stopped, StoppedEarly) else "interrupt"), False
    if not isinstance(outcome, Answer):
        return replace(found, known=outcome.method, reason=outcome.refutation.reason), True
    if outcome.tour is not None:
        raise BackendFault(f"{found.goal.words(found.value or 0)} were said to be the {found.goal.name}, and are not")
    return replace(found, stopped_by=outcome.stopped_by), False


def _why_no_certificate(found: BestRoutes) -> str:
    """Return a sentence on why there is no certificate."""
    if not found.optimal:
        return "nothing is known to be best"
    if found.value == found.goal.ideal:
        return "nothing can be better than one tour of everything"
    if found.stopped_by is not None:
        return "no proof was found in time"
    return "only the fewest paths, and the longest route in an undirected graph, can be certified"


def _routes_data(found: BestRoutes) -> dict[str, Any]:
    """Return the JSON object that ``--json`` prints for the routes found."""
    goal, space = found.goal, found.goal.problem.graph.space
    described: dict[str, Any] = {"goal": goal.name, "problem": problem_data(goal.problem)}
    if goal.maximize:
        described["optional"] = [space.vertex_data(vertex) for vertex in sorted(goal.optional)]
    described |= {"status": "tour" if found else "none" if found.none else "unknown", "routes": found.routes.data()}
    described |= {name: getattr(found, name) for name in ("value", "bound", "known", "reason", "stopped_by")}
    return described | {"seconds": round(found.seconds, 6)}


def _routes_sentence(found: BestRoutes) -> str:
    """Return a sentence on the routes found: how many or how long, and whether that is optimal."""
    goal, adjective = found.goal, found.goal.name.partition(" ")[0]
    if found.none:
        kind = goal.name.removeprefix(f"{adjective} ").removesuffix("s")
        graph, all_optional = goal.problem.graph, len(goal.optional) == goal.problem.graph.order
        what = f"{kind} of {graph.called}{'' if all_optional else ' that leaves out optional squares alone'}"
        what = what if goal.maximize else f"set of {kind}s that visits each {graph.nouns[0]} once"
        return f"There is no {what} ({found.known}: {found.reason})."
    better = "longer" if goal.maximize else "fewer"
    bound = "no bound is known" if found.bound is None else f"nothing {better} than {goal.words(found.bound)}"
    if found.value is None:
        return f"nothing was found; {bound}"
    if found.optimal:
        return f"{goal.words(found.value)}, the {adjective} ({found.known}: {found.reason})"
    return f"{goal.words(found.value)}, the {adjective} so far; {bound} ({found.known})"
