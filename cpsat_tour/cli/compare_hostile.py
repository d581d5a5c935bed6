"""``cpsat-tour compare hostile``: graphs that were drawn to break something, through every way to an answer, for as
long as one likes."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import say
from cpsat_tour.cli.options import Seconds
from cpsat_tour.compare.hostile import WAYS, Case, Trial, trials
from cpsat_tour.core.errors import BadInput

COLUMNS = ("tour", "none", "unknown", "interrupted", "crash", "overrun", "wrong")
FAULTS = COLUMNS[-3:]


@click.command()
@click.option("--seconds", type=Seconds(), default=60.0, show_default=True, help="Begin no case after so many seconds.")
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="The number of the first case.")
@click.option("--case", "only", type=click.IntRange(min=0), help="Run the case of this number and no other.")
@click.option("--keep", metavar="DIR", help="Write the graphs of failed cases into this folder.")
@click.pass_context
def hostile(ctx: click.Context, seconds: float, first: int, only: int | None, keep: str | None) -> None:
    """Draw sparse graphs with bridges, cut vertices, snarks and planted cycles, and ask auto, sat, sat:lazy, dfs and
    prove about each.

    Limits, solver seeds and Ctrl-C are drawn too; case N is the same each time. A line is printed for each crash,
    overrun and wrong answer, and a table at the end. Exit status: 0, or 1 if anything failed.
    """
    if keep is not None and not Path(keep).is_dir():
        raise BadInput(f"can't keep graphs in {keep}: there is no such folder")
    cases = (Case.drawn(number) for number in (count(first) if only is None else [only]))
    counts: Counter[tuple[str, str]] = Counter()

    def report(trial: Trial) -> None:
        counts[trial.way, trial.fault or trial.answer] += 1
        if trial.fault is not None:
            click.echo(trial)

    try:
        trials(cases, seconds if only is None else None, None if keep is None else Path(keep), report)
    finally:
        failed = _print_table(counts)
        say(
            f"{counts.total() // len(WAYS):,} cases from {first if only is None else only} on, "
            f"{counts.total():,} runs, {failed:,} failed"
        )
    ctx.exit(Exit.FAULT if failed else Exit.ANSWER)


def _print_table(counts: Counter[tuple[str, str]]) -> int:
    """Print how often each way gave each answer or fault, also after Ctrl-C; the number of faults."""
    click.echo("".join(f"{column:>13}" for column in ("", *COLUMNS)))
    for way in WAYS:
        click.echo(f"{way:>13}" + "".join(f"{counts[way, column]:13,}" for column in COLUMNS))
    return sum(counts[way, column] for way in WAYS for column in FAULTS)
