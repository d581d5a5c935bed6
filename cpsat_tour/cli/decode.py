"""``cpsat-tour decode``: the answer of an outside solver as a verified tour."""

from __future__ import annotations

from click import Argument

from cpsat_tour.backends.decoding import answer_of, append_constraints
from cpsat_tour.cli.messages import EXITS, Exit, complain, print_out, say
from cpsat_tour.cli.options import TOUR_OUTPUT, Namespace, command, option, output_path, show_answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.describe import a_tour_sought, plural, tour_sought
from cpsat_tour.formats.formula import NotATour, read_map
from cpsat_tour.tour import answer_data


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
    """Turn ANSWER, what a program printed or wrote for FORMULA, the file that export wrote, into a verified tour; - is
    standard input.

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
        answer = answer_of(formula, args.answer)
    except NotATour as fault:
        if args.append:
            if not fault.cuts:
                raise BadInput(str(fault)) from None
            append_constraints(args.formula, fault.cuts)
            say(f"{fault}; added {plural(len(fault.cuts), 'cut set')} to {args.formula}: solve it again")
        else:
            print_out("".join(f"{line}\n" for line in fault.cuts), end="")
            complain(f"{fault}{fault.remedy}", Exit.FAULT)
        return Exit.FAULT
    if answer.unknown and not args.as_json:
        say(f"The solver did not find out whether there is {a_tour_sought(problem)}.")
    none = f"There is no {tour_sought(problem)}.\n{answer.refutation}." if answer.none else ""
    show_answer(answer, answer_data(problem, answer), path, none=none, as_json=args.as_json)
    return EXITS[answer.status]
