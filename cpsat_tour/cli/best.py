"""``cpsat-tour best``: the tour with the fewest or the most turns or crossings, and how it is known that there is none
better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends.best import WAYS, Best, goal_of, optimise
from cpsat_tour.backends.best_goals import MagicGoal, PairGoal
from cpsat_tour.cli.messages import EXITS, json_line, plural, say, stop_exit
from cpsat_tour.cli.options import (
    Command,
    backend_option,
    force_option,
    limit_options,
    problem_options,
    read_in_time,
    read_tour,
    version_option,
)
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.results import say_certificate, show_tour, tour_file, why_none
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.run import Interrupted
from cpsat_tour.formats.describe import answer_data
from cpsat_tour.proofs.write.dialects import Version
from cpsat_tour.spaces.magic import KINDS
from cpsat_tour.spaces.objectives import OBJECTIVES


@click.command(cls=Command)
@problem_options
@click.option("--minimize", metavar="|".join(OBJECTIVES), help="The fewest of these.")
@click.option("--maximize", metavar="|".join(OBJECTIVES), help="The most of these.")
@click.option(
    "--longest", metavar="uncrossed", help="The longest path, or with --closed cycle, no two moves of which cross."
)
@click.option(
    "--magic",
    metavar="|".join(KINDS),
    help="Instead: a tour with equal sums in the rows, the columns, both, or the diagonals too.",
)
@click.option("--hint", metavar="FILE", help="Begin at the tour in FILE: .json, .npy or .txt.")
@backend_option(f"How: auto, {', '.join(WAYS)}.", default="auto")
@limit_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tour to FILE: .svg, .png, .gif, .txt, .json, .npy; - prints it."
)
@click.option(
    "--certificate", metavar="DIR", help="Prove that none is better, and write a certificate into this folder."
)
@version_option
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def best(
    ctx: click.Context,
    /,
    minimize: str | None,
    maximize: str | None,
    longest: str | None,
    magic: str | None,
    hint: str | None,
    backend: str,
    output: str | None,
    certificate: str | None,
    version: Version,
    force: bool,
    as_json: bool,
    **sought: Any,
) -> None:
    """Find the best tour of BOARD, open unless --closed.

    A turn is a square where the two moves are not in line; a crossing is a pair of moves that meet inside both. An
    uncrossed path need not visit every square. Exit status: 0 the best, 20 there is none, 3 a limit was met: what is
    printed is the best so far, or has no certificate.
    """
    if minimize is maximize is longest is magic is None:
        raise click.UsageError(
            "no goal is given: add --minimize or --maximize turns or crossings, --longest uncrossed, or --magic rows"
        )
    problem, limits = read_in_time(**sought)
    goal = goal_of(problem, minimize, maximize, longest, magic)
    path = tour_file(output, problem.graph, force=force)
    if certificate is not None:
        from cpsat_tour.proofs.write.certificate import check_certificate_folder  # which takes a while to load

        check_certificate_folder(certificate, force=force)
        if not isinstance(goal, PairGoal):
            raise BadInput(f"--certificate: there are no certificates of the {goal.name}")
    begin = None if hint is None else read_tour(problem.graph, hint, "")
    clock, unwritten = limits.clock(), None
    with ProgressLine(f"seeking the {goal.name}") as progress:
        try:
            found = optimise(goal, backend, limits, progress, begin)
        except Interrupted as interrupted:
            found = interrupted.known
        if certificate is not None and found.optimal and not found.answer.stopped_by:
            try:
                found = _certified(found, Path(certificate), version, clock, progress)
            except BadInput as fault:
                unwritten = fault  # the tour is not lost
    _show(found, path, as_json=as_json)
    if unwritten is not None:
        raise unwritten
    if certificate is not None and found.answer.status == "none":
        say(f"no tour, so nothing is written to {certificate}: prove writes a certificate that there is none")
    if certificate is not None and found.known == "clausal":
        say_certificate(certificate)
    ctx.exit(stop_exit(found.answer.stopped_by) or EXITS[found.answer.status])


def _certified(found: Best, folder: Path, version: Version, clock: Clock, progress: OnEvent) -> Best:
    """The best with a certificate in the folder that none is better, which the checker has accepted; as before but for
    a limit that was met, or Ctrl-C."""
    from cpsat_tour.proofs.write.shown import prove_best  # Numba and PySAT take a while to load

    goal, tour = found.goal, found.answer.tour
    assert isinstance(goal, PairGoal)
    assert tour is not None
    try:
        outcome = prove_best(goal, tour.vertices, Limits(clock.left), progress)
        if not isinstance(outcome, Answer):
            outcome.write(folder, clock, progress, version, force=True)  # the place was looked at before
            return replace(found, known="clausal", reason=outcome.refutation.reason)
        stopped_by = outcome.stopped_by
    except StoppedEarly as stopped:
        stopped_by = str(stopped)
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    return replace(found, answer=replace(found.answer, stopped_by=stopped_by))


def _show(found: Best, path: Path | None, *, as_json: bool) -> None:
    """Show the tour and what is known of its value."""
    answer, problem = found.answer, found.goal.problem
    values = {"value": found.value, "bound": found.bound, "known": found.known, "attained": found.attained}
    described = {"goal": found.goal.name} | answer_data(problem, answer) | values
    took = f"{answer.backend}, {answer.seconds:.3g} s"
    if as_json:
        json_line(described)
    if answer.tour is not None:
        show_tour(answer.tour, path, described, printed=as_json)
        if not as_json:
            print(_worth(found))
        say(f"{took}, stopped by: {answer.stopped_by}" if answer.stopped_by else took)
        return
    if answer.status == "none" and not as_json:
        whole = isinstance(found.goal, PairGoal)
        print(why_none(problem, answer) if whole else f"There is no {found.goal.sought}.\n{answer.refutation}.")
    if path is not None:
        say(f"no tour, so nothing is written to {path}")
    if answer.status == "unknown":
        say(f"no {found.goal.sought} was found; stopped by: {answer.stopped_by} ({took})")


def _worth(found: Best) -> str:
    """The value of the tour, and what is known of others: ``45 turns, the fewest (claimed: …)``."""
    assert found.value is not None
    goal, many = found.goal, found.attained
    words = goal.words(found.value)
    if isinstance(goal, MagicGoal):
        return (
            words if many is None else f"{words}, as in {many:,} numbering{'s' * (many != 1)} in all ({found.reason})"
        )
    if found.optimal:
        attained = "" if many is None else f", which {plural(many, goal.noun)} attain{'s' * (many == 1)}"
        return f"{words}, the {goal.name.partition(' ')[0]}{attained} ({found.known}: {found.reason})"
    if found.bound is None:
        return f"{words}; no bound is known"
    return f"{words}; no {goal.noun} has {'more' if goal.maximize else 'fewer'} than {found.bound:,} ({found.known})"
