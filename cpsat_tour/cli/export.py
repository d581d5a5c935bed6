"""``cpsat-tour export`` and ``decode``: a formula for an outside solver, and the solver's answer as a verified tour."""

from __future__ import annotations

import click
from click import Argument

from cpsat_tour.backends.runner import export as write_formula
from cpsat_tour.cli.display import output_path, show_answer
from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, complain, say
from cpsat_tour.cli.options import (
    FORCE,
    PAIRS,
    PROBLEM,
    TOUR_OUTPUT,
    Namespace,
    backend_option,
    command,
    option,
    read_problem,
)
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import a_tour_sought, plural, tour_sought
from cpsat_tour.formats.graph_files import WRITTEN, write_graph
from cpsat_tour.interface.answer import answer_data
from cpsat_tour.interface.decoding import NotATour, append_constraints, read_map


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [
            backend_option("Write this formulation; see cpsat-tour backends.", default="sat:adder"),
            PAIRS,
            option("--seed N", "Seed the order of the variables with N.", type=click.IntRange(0, 2**31 - 1), default=0),
        ],
        "Output": [
            option("-o --output FILE", "Write the formula to FILE; - prints it.", default="-"),
            option(
                "--format FORM",
                "Write it as cnf, opb, pb, pbtxt or lp.  [default: the suffix of FILE, or the backend's first]",
                to="form",
            ),
            FORCE,
        ],
    },
    exits={Exit.ANSWER: "The formula is written.", Exit.FAULT: BACKEND_FAILED},
)
def export(args: Namespace) -> Exit:
    """Write the formula of BOARD, open unless --closed: DIMACS CNF or OPB from SAT backends, a model from CP-SAT ones,
    a program from asp.

    The comments of a .cnf or .opb file hold all that cpsat-tour decode needs to read a solver's answer. A FILE.edge or
    FILE.g6 gets the graph itself, in DIMACS or graph6.
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
    sizes = write_formula(read_problem(args), args.output, force=args.force, **choice)
    if args.output != "-":
        say(f"wrote {args.output}: {plural(sizes.variables, 'variable')}, {plural(sizes.clauses, 'clause')}")
    return Exit.ANSWER


@command(
    groups={
        "Formula": [
            Argument(["answer"]),
            Argument(["formula"]),
            option("--append", "Add cut sets that are lacking to the formula, to be solved again."),
        ],
        "Output": TOUR_OUTPUT,
    },
    exits={
        Exit.ANSWER: "The answer is a tour.",
        Exit.FAULT: "The answer is not a tour.",
        Exit.NONE: "The solver says that there is no tour.",
        Exit.LIMIT: "The solver does not know.",
    },
)
def decode(args: Namespace) -> Exit:
    """Turn ANSWER, the v lines that a solver printed for FORMULA, the .cnf or .opb file that export wrote, into a
    verified tour; - is standard input.

    If the formula is a relaxation and the answer no tour, the cut sets to append to it are printed, or with --append
    added to its file.
    """
    if args.answer == args.formula == "-":
        raise BadInput("the formula and the answer can't both come from standard input: name one of the files")
    if args.append and args.formula == "-":
        raise BadInput("--append can't go with a formula from standard input: name its file")
    formula = read_map(args.formula)
    problem = formula.cycle.source
    path = output_path(args, problem.graph)
    try:
        answer = formula.answer(args.answer)
    except NotATour as fault:
        if args.append:
            if not fault.cuts:
                raise BadInput(str(fault)) from None
            append_constraints(args.formula, fault.cuts)
            say(f"{fault}; added {plural(len(fault.cuts), 'cut set')} to {args.formula}: solve it again")
        else:
            print("".join(f"{line}\n" for line in fault.cuts), end="")
            complain(f"{fault}{fault.remedy}", Exit.FAULT)
        return Exit.FAULT
    if answer.unknown and not args.as_json:
        say(f"The solver did not find out whether there is {a_tour_sought(problem)}.")
    none = f"There is no {tour_sought(problem)}.\n{answer.refutation}." if answer.none else ""
    show_answer(answer, answer_data(problem, answer), path, none=none, as_json=args.as_json)
    return EXITS[answer.status]
