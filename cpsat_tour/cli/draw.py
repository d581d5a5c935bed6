"""``cpsat-tour draw``, ``export`` and ``decompose``: a picture of a tour, a formula for an outside solver, all moves in
disjoint closed tours, each written to a file.

What one of them alone needs is imported in its function, so that the others start sooner.
"""

from __future__ import annotations

import click
from click import Argument

from cpsat_tour.api import draw as draw_tour, export as write_formula
from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, print_out, say, stop_exit, stop_words
from cpsat_tour.cli.options import (
    FORCE,
    JSON,
    LIMITS,
    PAIRS,
    PROBLEM,
    Namespace,
    backend_option,
    command,
    option,
    output_path,
    read_problem,
    read_problem_and_limits,
    run_with_progress,
    save_or_print,
)
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import plural
from cpsat_tour.spaces.objectives import OBJECTIVES

NOUNS = dict.fromkeys(("cnf", "wcnf"), ("variable", "clause")) | dict.fromkeys(("hcp", "tsp"), ("vertex", "edge"))
"""The names of variables and constraints in files of these forms; in others they are called so."""

OF_SPACE = ("board", "holes", "leaper", "graph_form", "columns")


@command(
    groups={
        "Output": [
            Argument(["file"]),
            option("-o --output PICTURE", "Draw to PICTURE: .svg, .png, .pdf, .tikz or .gif.", required=True),
            option("--number N", "Draw tour N of a file with several.", type=click.IntRange(1)),
            FORCE,
        ]
    },
    exits={Exit.ANSWER: "The tour is drawn.", Exit.FAULT: "The file has no tour: the first fault is named."},
)
def draw(args: Namespace) -> Exit:
    """Draw the tour in FILE, one of several, or all routes, after verifying them: any .json, .npy or .txt that verify
    reads.

    FILE may also be an .svg that cpsat-tour has drawn, to get it as .png, .pdf or .tikz.
    """
    try:
        draw_tour(args.file, args.output, number=args.number, force=args.force)
    except TourFault as fault:
        say(str(fault))
        return Exit.FAULT
    say(f"wrote {args.output}")
    return Exit.ANSWER


@command(
    groups={
        "Problem": PROBLEM,
        "Goal": [
            option(f"--minimize {'|'.join(OBJECTIVES)}", "Ask for the tour with the fewest of these."),
            option(f"--maximize {'|'.join(OBJECTIVES)}", "Ask for the tour with the most of these."),
        ],
        "Backend": [
            backend_option("Write this formulation; see cpsat-tour backends.", default="sat:adder"),
            PAIRS,
            option("--seed N", "Seed the order of the variables with N.", type=click.IntRange(0, 2**31 - 1), default=0),
        ],
        "Output": [
            option("-o --output FILE", "Write the formula to FILE; - prints it.", default="-"),
            option(
                "--all DIR",
                "Write all formulations in all forms (with --format in one) to DIR, and to DIR/answers.csv the answer "
                "to expect, sought for a minute. Other problems can be added.",
            ),
            option(
                "--format FORM",
                "Write it as cnf, wcnf, opb, qubo, lp, mps, mzn, dzn, xml, asp, smt2, pb, pbtxt, hcp or tsp.  "
                "[default: the suffix of FILE, or the backend's first]",
                to="form",
            ),
            FORCE,
        ],
    },
    exits={Exit.ANSWER: "The formula is written.", Exit.FAULT: BACKEND_FAILED},
)
def export(args: Namespace) -> None:
    """Write the formula of BOARD, open unless --closed, for another solver: DIMACS CNF, WCNF or OPB from SAT backends,
    LP or MPS from linear programs, MiniZinc from cpsat and cpsat:successor, XCSP3 from cpsat, a model from every CP-SAT
    backend, a program from asp, SMT-LIB from smt.

    FILE.hcp or FILE.tsp gets the problem in TSPLIB, as edges or as weights; FILE.edge or FILE.g6 the graph alone, in
    DIMACS or graph6.
    """
    from cpsat_tour.formats.graph_files import WRITTEN, write_graph

    if args.output.lower().endswith(WRITTEN):
        problem = read_problem(args)
        graph = problem.graph
        if vars(problem) != vars(Problem(graph, problem.closed)):
            raise BadInput(f"can't write {args.output}: a graph file holds no ends, moves, symmetry or numbers")
        digest = write_graph(graph, args.output, force=args.force)
        say(f"wrote {args.output}: {plural(graph.order, 'vertex')}, {plural(graph.size, 'edge')}, SHA-256 {digest}")
        return
    if args.all is not None:
        from cpsat_tour.engines.benchmark import write_benchmark

        others = {"--backend": args.backend != "sat:adder", "-O": args.options, "-o": args.output != "-"}
        others |= {"--minimize": args.minimize, "--maximize": args.maximize}
        if given := [name for name, value in others.items() if value]:
            raise BadInput(f"--all writes each formulation as it is by default: leave {given[0]} out")
        names, lacking = write_benchmark(read_problem(args), args.all, args.form, args.seed, force=args.force)
        left_out = f"; left out, since they can't state it: {', '.join(lacking)}" if lacking else ""
        say(f"wrote {plural(len(names), 'file')} and answers.csv to {args.all}{left_out}")
        return
    choice = {"backend": args.backend, "options": args.options, "form": args.form, "seed": args.seed}
    choice |= {"minimize": args.minimize, "maximize": args.maximize}
    sizes = write_formula(read_problem(args), args.output, force=args.force, **choice)
    if args.output != "-":
        nouns = NOUNS.get(args.form or args.output.rpartition(".")[2].lower(), ("variable", "constraint"))
        say(f"wrote {args.output}: {plural(sizes.variables, nouns[0])}, {plural(sizes.clauses, nouns[1])}")


@command(
    groups={
        "Problem": PROBLEM,
        "Tours": [option("--most", "Find as many disjoint closed tours as possible, and leave other moves over.")],
        "Limits": LIMITS,
        "Output": [
            option(
                "-o --output FILE",
                "Write the tours to FILE: .svg, .png, .pdf or .tikz in a colour each, .txt or .json.",
            ),
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
    """Split all moves of BOARD into closed tours: each move is in exactly one of them.

    That needs the same even number of moves at every square, or as many arcs into as out of every vertex.
    """
    from cpsat_tour.engines.decompose import disjoint_tours

    problem, limits = read_problem_and_limits(args)
    graph = problem.graph
    path = output_path(args, graph, several=True)
    found = run_with_progress(
        f"seeking disjoint closed tours of {graph.called}",
        lambda progress: disjoint_tours(problem, limits, progress, most=args.most),
    )
    tours, why = found.tours, found.refutation
    if args.as_json:
        json_line(found.data())
    elif found.status == "none":
        none = "closed tour" if found.most else "decomposition into closed tours"
        print_out(f"There is no {none} of {graph.called}.\n{why}.")
    if tours:
        save_or_print(
            path,
            lambda path: found.save(path, force=True),  # the place was looked at before
            lambda: f"{tours}\n",
            as_json=args.as_json,
        )
    if found.stopped_by:
        say(f"{stop_words(found.stopped_by)}: {found.words if tours else 'no tours were found'}.")
    elif tours:
        more = f"; there are no more ({why})" if why else ""
        say(f"{found.words} in {found.seconds:.3g} s{more}")
    return stop_exit(found.stopped_by) or (Exit.ANSWER if found else Exit.NONE)
