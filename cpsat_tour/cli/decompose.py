"""``cpsat-tour decompose``: all moves of a board or a graph in disjoint closed tours, or as many such tours as there
are."""

from __future__ import annotations

from cpsat_tour.backends.decompose import disjoint_tours
from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    JSON,
    LIMITS,
    PROBLEM,
    Namespace,
    ProgressLine,
    command,
    option,
    output_path,
    read_problem_and_limits,
    save_or_print,
)
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import input_data
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Interrupted

OF_SPACE = ("board", "holes", "leaper", "graph_form", "columns")


@command(
    groups={
        "Problem": PROBLEM,
        "Tours": [option("--most", "Find as many disjoint closed tours as possible, and leave other moves over.")],
        "Limits": LIMITS,
        "Output": [
            option("-o --output FILE", "Write the tours to FILE: .svg or .png in a colour each, .txt or .json."),
            FORCE,
            JSON,
        ],
    },
    refuses=[each.name or "" for each in PROBLEM if each.name not in OF_SPACE],
    exits={
        Exit.ANSWER: "The tours are found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no decomposition, or with --most no closed tour.",
        Exit.LIMIT: "A limit was reached first; with --most the tours that are printed are the most so far.",
    },
)
def decompose(args: Namespace) -> Exit:
    """Make all moves of BOARD in closed tours, each move in exactly one of them.

    That needs the same even number of moves at every square, or as many arcs into as out of every vertex.
    """
    problem, limits = read_problem_and_limits(args)
    graph = problem.graph
    path = output_path(args, graph, several=True)
    try:
        with ProgressLine(f"seeking disjoint closed tours of {graph.called}") as progress:
            found = disjoint_tours(problem, limits, progress, most=args.most)
    except Interrupted as interrupted:
        found = interrupted.known
    tours, why = found.tours, found.refutation
    described = {
        "problem": problem_data(Problem(graph, closed=True)),
        **input_data(graph),
        "status": found.status,
        "tours": tours.data(),
        "most": found.most,
        "bound": found.bound,
        "refutation": None if why is None else {"kind": why.kind, "reason": why.reason},
        "stopped_by": found.stopped_by,
        "seconds": round(found.seconds, 6),
        "work": dict(found.work),
    }
    if args.as_json:
        json_line(described)
    elif found.status == "none":
        none = "closed tour" if found.most else "decomposition into closed tours"
        print_out(f"There is no {none} of {graph.called}.\n{why}.")
    if tours:
        save_or_print(
            path,
            lambda path: tours.save(path, described, force=True),  # the place was looked at before
            lambda: f"{tours}\n",
            as_json=args.as_json,
        )
    if found.stopped_by:
        say(f"{stop_words(found.stopped_by)}: {found.words if tours else 'no tours were found'}.")
    elif tours:
        more = f"; there are no more ({why})" if why else ""
        say(f"{found.words} in {found.seconds:.3g} s{more}")
    return stop_exit(found.stopped_by) or (Exit.ANSWER if found else Exit.NONE)
