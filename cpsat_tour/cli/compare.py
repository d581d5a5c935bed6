"""``cpsat-tour compare``: do the backends agree, how long do they take, and what do the records say."""

from __future__ import annotations

import click

from cpsat_tour.cli.lazy import LazyGroup, Row

COMMANDS = {
    "agree": Row("cpsat_tour.cli.compare_agree:agree", "Ask every backend about every board and compare the answers."),
    "run": Row("cpsat_tour.cli.compare_run:run", "Time backends on boards, and record every run."),
    "report": Row("cpsat_tour.cli.compare_report:report", "Tables and pictures of the runs that were recorded."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def compare() -> None:
    """Compare backends: agree, run, report."""
