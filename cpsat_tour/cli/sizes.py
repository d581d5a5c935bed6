"""``cpsat-tour sizes``: how large the formulations are on some boards."""

from __future__ import annotations

import time
from typing import Any

import click

from cpsat_tour.backends import registry, runner
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.messages import json_line
from cpsat_tour.cli.options import backend_option, pairs_option
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import graph_of

MOST_BUILT = 5_000_000
"""Formulas of more clauses are counted and not built."""


@click.command()
@click.argument("boards", nargs=-1, required=True)
@click.option("--closed", is_flag=True, help="Closed tours; else open ones.")
@backend_option("Only this formulation; may be repeated.", several=True)
@pairs_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def sizes(
    boards: tuple[str, ...], closed: bool, backends: tuple[str, ...], options: dict[str, str], as_json: bool
) -> None:
    """Print variables, clauses (constraints of CP-SAT), literals and build time of each formulation on BOARDS.

    Clauses are counted as they are stated and not kept; of more than 5,000,000 none are built, and no time is given.
    """
    if options and len(backends) != 1:
        raise BadInput(f"-O {next(iter(options))} is an option of one backend: name it with --backend")
    problems = {board: Problem(graph_of(board), closed) for board in boards}
    if decided := next((board for board, problem in problems.items() if decide_degenerate(problem) is not None), None):
        raise BadInput(f"the board {decided} is decided without a formula: choose a larger one")
    engines = {name: registry.load(name, options) for name in backends or registry.formulated()}
    if not as_json:
        print(f"{'board':<9}{'formulation':<18}{'variables':>12}{'clauses':>14}{'literals':>14}{'build s':>10}")
    for board, problem in problems.items():
        for name, engine in engines.items():
            row = _row(problem, engine, name)
            if as_json:
                json_line({"board": board, "closed": closed, "backend": name, **row})
                continue
            seconds = "-" if row["build_seconds"] is None else f"{row['build_seconds']:.3f}"
            print(
                f"{board:<9}{name:<18}{row['variables']:>12,}{row['clauses']:>14,}{row['literals']:>14,}{seconds:>10}",
                flush=True,
            )


def _row(problem: Problem, engine: Backend, name: str) -> dict[str, Any]:
    """The sizes, and the seconds that building takes if it is not too much."""
    known = runner.sizes(problem, engine, name)
    seconds = None
    if known.clauses <= MOST_BUILT:
        begun = time.perf_counter()
        runner.formula(problem, engine, name)
        seconds = round(time.perf_counter() - begun, 6)
    return {
        "variables": known.variables,
        "clauses": known.clauses,
        "literals": known.literals,
        "build_seconds": seconds,
    }
