"""What ``cpsat-tour best`` shows of several routes: the fewest paths or closed tours of everything, the longest one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cpsat_tour.backends.best_routes import BestRoutes, optimise_routes
from cpsat_tour.backends.routes_goal import routes_goal
from cpsat_tour.cli.display import ProgressLine, output_path, save_or_print, say_where_certificate_is
from cpsat_tour.cli.messages import Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import Namespace
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.interface.answer import Answer, Interrupted
from cpsat_tour.spaces.problem_data import problem_data


def best_routes(args: Namespace, problem: Problem, limits: Limits) -> Exit:
    """Find the fewest routes or the longest one, show them and how it is known that nothing is better; `BadInput` if
    the options don't go together."""
    if args.hint is not None:
        raise BadInput("--hint is for turns and crossings: leave it out")
    graph, optional = problem.graph, None
    if args.optional and "all" not in args.optional:
        optional = [graph.space.vertex(square) for square in args.optional]
    goal = routes_goal(problem, args.minimize or args.maximize, optional, maximize=args.minimize is None)
    path = output_path(args, graph, several=True)
    if args.certificate is not None:
        from cpsat_tour.proofs.write.certificate import check_certificate_folder

        check_certificate_folder(args.certificate, force=args.force)
    clock, certified = limits.clock(), False
    with ProgressLine(f"seeking the {goal.name}") as progress:
        try:
            found = optimise_routes(goal, limits, progress, args.backend)
        except Interrupted as interrupted:
            found = interrupted.known
        if args.certificate is not None and found.optimal and found.value != goal.ideal:
            found, certified = _with_certificate(found, args, Limits(clock.left), progress)
    described, on_board = _described(found), goal.maximize and graph.space.layout is not None
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
        print_out(_sentence(found))
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


def _with_certificate(
    found: BestRoutes, args: Namespace, limits: Limits, progress: ProgressLine
) -> tuple[BestRoutes, bool]:
    """Return the result with a certificate that nothing is better, written into the folder, and True; or as it was, or
    with what stopped the proof, and False. `BackendFault` if something is better."""
    from cpsat_tour.proofs.write.prove import prove_and_check  # Numba and PySAT take a while to load

    better = found.goal.problem_of_better(found.value or 0)
    if better is None:
        return found, False
    try:
        outcome = prove_and_check(better, "auto", limits, progress, to=(args.certificate, args.version, False))
    except KeyboardInterrupt:
        return replace(found, stopped_by="interrupt"), False
    if not isinstance(outcome, Answer):
        return replace(found, known=outcome.method, reason=outcome.refutation.reason), True
    if outcome.tour is not None:
        raise BackendFault(f"{found.goal.words(found.value or 0)} were said to be the {found.goal.name}, and are not")
    return replace(found, stopped_by=outcome.stopped_by), False


def _why_no_certificate(found: BestRoutes) -> str:
    """Return in words why there is no certificate."""
    if not found.optimal:
        return "nothing is known to be best"
    if found.value == found.goal.ideal:
        return "nothing can be better than one tour of everything"
    if found.stopped_by is not None:
        return "no proof was found in time"
    return "what has one is the fewest paths, and the longest route if it leaves out a single vertex"


def _described(found: BestRoutes) -> dict[str, Any]:
    """Return the JSON object of the result."""
    goal, graph = found.goal, found.goal.problem.graph
    return {
        "goal": goal.name,
        "problem": problem_data(goal.problem),
        **(
            {"optional": [graph.space.vertex_data(vertex) for vertex in sorted(goal.optional)]} if goal.maximize else {}
        ),
        "status": "tour" if found else "none" if found.none else "unknown",
        "routes": found.routes.data(),
        "value": found.value,
        "bound": found.bound,
        "known": found.known,
        "reason": found.reason,
        "stopped_by": found.stopped_by,
        "seconds": round(found.seconds, 6),
    }


def _sentence(found: BestRoutes) -> str:
    """Return the result in a sentence."""
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
