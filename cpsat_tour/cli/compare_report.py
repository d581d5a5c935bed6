"""``cpsat-tour compare report``: tables and pictures of the runs in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import plural, say
from cpsat_tour.cli.options import force_option
from cpsat_tour.compare import record
from cpsat_tour.compare.agreement import disagreements, judge
from cpsat_tour.compare.report import report as in_words
from cpsat_tour.compare.report import write_report
from cpsat_tour.compare.summary import summaries
from cpsat_tour.core.errors import BadInput


@click.command()
@click.argument("results")
@click.option(
    "-o", "--output", metavar="DIR", help="Write report.md, medians.csv and pictures (SVG, PNG, PDF) into DIR."
)
@force_option
@click.option("--baseline", metavar="SPEC", help="The backend that ratios are to.  [default: the first of each group]")
@click.option(
    "--measure",
    type=click.Choice(["seconds", "wall", "cpu"]),
    default="seconds",
    show_default=True,
    help="Which time is compared.",
)
@click.option(
    "--scatter",
    nargs=2,
    metavar="SPEC SPEC",
    help="The two backends of the scatter.  [default: the baseline and the best other]",
)
@click.pass_context
def report(
    ctx: click.Context,
    results: str,
    output: str | None,
    force: bool,
    baseline: str | None,
    measure: Any,
    scatter: tuple[str, str] | None,
) -> None:
    """Tables and pictures of the runs in the file RESULTS, which may still be growing.

    Without -o the tables are printed. Exit status: 0, or 1 if backends disagree.
    """
    runs = record.load(results)
    if half := record.unfinished(results):
        say(f"passed over the last line of {results}, which is half written ({half} bytes)")
    if not runs:
        raise BadInput(f"there are no runs in {results}: make some with cpsat-tour compare run")
    if baseline is not None and baseline not in (known := list(dict.fromkeys(run.backend for run in runs))):
        raise BadInput(f"no run is by {baseline!r}: there are {', '.join(known)}")
    found = summaries(runs, measure, baseline)
    if output is None:
        print(in_words(found), end="")
    else:
        files = write_report(found, Path(output), scatter, force=force)
        say(f"wrote {plural(len(files), 'file')} into {output}")
    ctx.exit(Exit.FAULT if disagreements(judge(runs)) else Exit.ANSWER)
