"""``cpsat-tour decode``: an outside solver's answer back to a verified tour."""

from __future__ import annotations

import click

from cpsat_tour.cli.messages import EXITS, Exit, complain, json_line, plural, say
from cpsat_tour.cli.options import Command, force_option
from cpsat_tour.cli.results import show_tour, tour_file
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.decoding import NotATour, append_constraints, read_answer, read_map
from cpsat_tour.formats.describe import a_tour_sought, answer_data, tour_sought


@click.command(cls=Command)
@click.argument("answer")
@click.option(
    "--map", "formula", metavar="FILE", required=True, help="The formula that cpsat-tour export wrote, .cnf or .opb."
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tour to FILE: .svg, .png, .gif, .txt, .json, .npy; - prints it."
)
@force_option
@click.option("--append", is_flag=True, help="Where cut sets are lacking, add them to the formula, to be solved again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def decode(
    ctx: click.Context, answer: str, formula: str, append: bool, output: str | None, force: bool, as_json: bool
) -> None:
    """Turn ANSWER, the v lines that a solver printed for a formula, into a verified tour; - is standard input.

    If the formula is a relaxation and the answer no tour, the cut sets to append to it are printed, or with --append
    added to its file.

    Exit status: 0 a tour, 1 the answer is no tour, 20 the solver says that there is none, 3 it does not know.
    """
    if answer == formula == "-":
        raise BadInput("the formula and the answer can't both come from standard input: name one of the files")
    if append and formula == "-":
        raise BadInput("--append can't go with a formula from standard input: name its file")
    formula_map = read_map(formula)
    problem = formula_map.cycle.source
    path = tour_file(output, problem.graph, force=force)
    status, true = read_answer(answer)
    if status == "tour":
        try:
            found = Answer.with_tour(problem, formula_map.tour(true).vertices)
        except NotATour as fault:
            if append:
                _append(formula, fault)
            else:
                print("".join(f"{line}\n" for line in fault.cuts), end="")
                complain(f"{fault}{fault.remedy}", Exit.FAULT)
            ctx.exit(Exit.FAULT)
    elif status == "none":
        found = Answer.without_tour("claimed", "the solver reports that the formula is unsatisfiable")
    else:
        found = Answer.stopped("solver")
    described = answer_data(problem, found)
    if as_json:
        json_line(described)
    elif status == "none":
        print(f"There is no {tour_sought(problem)}.\n{found.refutation}.")
    elif status == "unknown":
        say(f"unknown whether there is {a_tour_sought(problem)}: the solver did not find out")
    if found.tour is not None:
        show_tour(found.tour, path, described, printed=as_json)
    ctx.exit(EXITS[status])


def _append(formula: str, fault: NotATour) -> None:
    """Add the cut sets to the formula; `BadInput` where none is lacking, for to solve it again would change nothing."""
    if not fault.cuts:
        raise BadInput(str(fault))
    append_constraints(formula, fault.cuts)
    say(f"{fault}; added {plural(len(fault.cuts), 'cut set')} to {formula}: solve it again")
