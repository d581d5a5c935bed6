"""``cpsat-tour export``: the formula of a formulation, in a file for an outside solver."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends import registry
from cpsat_tour.backends.runner import formula as formula_of
from cpsat_tour.cli.messages import plural, say
from cpsat_tour.cli.options import Command, backend_option, force_option, pairs_option, problem_options, read_problem
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_place, writing

DEFAULT_BACKEND = "sat:adder"


@click.command(cls=Command)
@problem_options
@backend_option("The formulation; see cpsat-tour backends.", default=DEFAULT_BACKEND)
@pairs_option
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    show_default=True,
    help="Seed of the order of the variables.",
)
@click.option(
    "--format",
    "form",
    metavar="FORM",
    help="cnf, opb, pb, pbtxt or lp.  [default: the suffix of FILE, or the backend's first]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    show_default=True,
    help="Where to write the formula; - is standard output.",
)
@force_option
def export(
    backend: str, options: dict[str, str], seed: int, form: str | None, output: str, force: bool, **asked: Any
) -> None:
    """Write the formula of BOARD, open unless --closed: DIMACS CNF or OPB from SAT backends, a model from CP-SAT ones,
    a program from asp.

    The comments of a .cnf or .opb file hold all that cpsat-tour decode needs to read a solver's answer.
    """
    if output != "-":
        check_place(output, force=force)
    problem = read_problem(**asked)
    engine = registry.load(backend, options)
    formula = formula_of(problem, engine, backend, seed)
    suffix = form or Path(output).suffix.lstrip(".").lower()
    if not suffix and output == "-":
        suffix = next(iter(formula.forms))
    if suffix not in formula.forms:
        known = ", ".join(f"{known} ({meaning})" for known, meaning in formula.forms.items())
        raise BadInput(f"backend {backend} can't be written as {suffix or output!r}: choose {known}")
    if output == "-":
        formula.write(suffix, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with writing(output) as file:
        formula.write(suffix, file)
    sizes = formula.sizes
    say(f"wrote {output}: {plural(sizes.variables, 'variable')}, {plural(sizes.clauses, 'clause')}")
