"""``cpsat-tour export``: a formula for an outside solver."""

from __future__ import annotations

import click

from cpsat_tour.api import export as write_formula
from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, say
from cpsat_tour.cli.options import FORCE, PAIRS, PROBLEM, Namespace, backend_option, command, option, read_problem
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.graph_files import WRITTEN, write_graph
from cpsat_tour.spaces.objectives import OBJECTIVES

NOUNS = dict.fromkeys(("cnf", "wcnf"), ("variable", "clause")) | dict.fromkeys(("hcp", "tsp"), ("vertex", "edge"))
"""What is counted in files of these forms; in others variables and constraints."""


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
                "--format FORM",
                "Write it as cnf, wcnf, opb, lp, mps, mzn, xml, asp, pb, pbtxt, hcp or tsp.  [default: the suffix of "
                "FILE, or the backend's first]",
                to="form",
            ),
            FORCE,
        ],
    },
    exits={Exit.ANSWER: "The formula is written.", Exit.FAULT: BACKEND_FAILED},
)
def export(args: Namespace) -> Exit:
    """Write the formula of BOARD, open unless --closed: DIMACS CNF, WCNF or OPB from SAT backends, LP or MPS from
    linear programs, a model from CP-SAT ones, MiniZinc or XCSP3 from cpsat:successor, a program from asp.

    The comments of a file hold all that cpsat-tour decode needs to read a program's answer. A FILE.hcp or FILE.tsp
    gets the problem in TSPLIB, as edges or as weights; a FILE.edge or FILE.g6 the graph itself, in DIMACS or graph6.
    """
    if args.output.lower().endswith(WRITTEN):
        problem = read_problem(args)
        graph = problem.graph
        if vars(problem) != vars(Problem(graph, problem.closed)):
            raise BadInput(f"can't write {args.output}: a graph file holds no ends, moves, symmetry or numbers")
        digest = write_graph(graph, args.output, force=args.force)
        say(f"wrote {args.output}: {plural(graph.order, 'vertex')}, {plural(graph.size, 'edge')}, SHA-256 {digest}")
        return Exit.ANSWER
    choice = {"backend": args.backend, "options": args.options, "form": args.form, "seed": args.seed}
    choice |= {"minimize": args.minimize, "maximize": args.maximize}
    sizes = write_formula(read_problem(args), args.output, force=args.force, **choice)
    if args.output != "-":
        nouns = NOUNS.get(args.form or args.output.rpartition(".")[2].lower(), ("variable", "constraint"))
        say(f"wrote {args.output}: {plural(sizes.variables, nouns[0])}, {plural(sizes.clauses, nouns[1])}")
    return Exit.ANSWER
