"""``cpsat-tour count``: how many tours a board or a graph has, exactly or estimated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.backends.api import exact_count, lister_by
from cpsat_tour.cli.in_cubes import check_goes_with_cubes, cluster_option, count_in_cubes, resume_option
from cpsat_tour.cli.messages import Exit, json_line, say, stop_exit
from cpsat_tour.cli.options import Command, backend_option, limit_options, pairs_option, problem_options, read_in_time
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.counting.count import Count, Lister, count_each_start, count_without_search, directed_readings
from cpsat_tour.counting.frontier import GIB, Forecast, default_memory
from cpsat_tour.formats.describe import tour_sought, tours_sought
from cpsat_tour.spaces.problem_data import problem_data

if TYPE_CHECKING:
    from cpsat_tour.counting.estimate import Estimate

DEFAULT_SAMPLES = 1_000_000
FEW_EFFECTIVE = 30
"""An estimate that rests on fewer effective samples is worth little."""


@click.command(cls=Command)
@problem_options
@click.option("--directed", is_flag=True, help="Count a tour and its reverse as two.")
@click.option("--all-starts", is_flag=True, help="The number of open tours from each square.")
@backend_option(
    "List the tours by this backend.  [default: the frontier method, beside it the edge search if that takes long]"
)
@pairs_option
@click.option(
    "--memory",
    type=click.FloatRange(0, min_open=True),
    metavar="GIB",
    help="Most memory of the frontier method.  [default: half of what is free, 12 at most]",
)
@click.option("--estimate", "estimated", is_flag=True, help="Estimate by random probes instead.")
@click.option("--samples", type=click.IntRange(1), help="How many probes.  [default: 1000000, or until the time limit]")
@limit_options
@resume_option
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def count(
    ctx: click.Context,
    /,
    directed: bool,
    all_starts: bool,
    backend: str | None,
    options: dict[str, str],
    memory: float | None,
    estimated: bool,
    samples: int | None,
    resume: str | None,
    cluster: str | None,
    as_json: bool,
    **sought: Any,
) -> None:
    """Count the tours of BOARD: undirected paths or, with --closed, undirected cycles.

    Exit status: 0 counted, 3 stopped by a limit, or no probe ended in a tour.
    """
    problem, limits = read_in_time(**sought)
    free = not (problem.closed or problem.givens or problem.start is not None)
    if all_starts and (estimated or not free):
        raise BadInput(
            "--all-starts counts the open tours from each square: it can't go with --closed, --start, given numbers "
            "or --estimate"
        )
    if options and backend is None:
        raise BadInput(f"-O {next(iter(options))} is an option of a backend: name it with --backend")
    if samples is not None and not estimated:
        raise BadInput(f"--samples {samples} is for --estimate: an exact count makes no probes")
    if estimated and backend:
        raise BadInput(f"--estimate asks no backend: leave out --backend {backend}")
    if memory is not None and not math.isfinite(memory * GIB):
        raise BadInput(f"--memory can't be {memory:g}: give a number of GiB above 0, such as 12")
    readings = directed_readings(problem) if directed and not all_starts else 1
    if resume is not None or cluster is not None:
        others = {"--estimate": estimated, "--all-starts": all_starts, "-O": options}
        check_goes_with_cubes(resume, cluster, others | {"--backend": backend not in (None, "edges")})
        ctx.exit(count_in_cubes(resume, cluster, problem, limits, readings=readings, as_json=as_json))
    told = {"problem": problem_data(problem), "directed": directed or all_starts} if as_json else None
    if estimated:
        ctx.exit(_estimate(problem, samples, limits, readings, told))
    lister = None if backend is None else lister_by(backend, options)
    with ProgressLine(f"counting each {tour_sought(problem)}") as progress:
        count_one = _Counter(lister, None if memory is None else int(memory * GIB), progress)
        try:
            if all_starts:
                known, by_start = count_each_start(problem, limits, count_one)
            else:
                known, by_start = count_one(problem, limits), []
        except Interrupted as interrupted:
            known, by_start = interrupted.known, []
    if told is not None:
        json_line(
            told
            | _exact_data(problem, known, by_start, readings)
            | {"forecast": count_one.needs and vars(count_one.needs)}
        )
    elif known.number is not None:
        print(_grid(problem, by_start) if all_starts else known.number * readings)
    _say_exact(problem, known, readings)
    ctx.exit(Exit.ANSWER if known.number is not None else stop_exit(known.stopped_by))


@dataclass
class _Counter:
    """Counts the tours of a problem, by the lister if there is one; says what the frontier method needs at most."""

    lister: Lister | None
    memory: int | None
    progress: OnEvent
    needs: Forecast | None = None

    def __call__(self, problem: Problem, limits: Limits) -> Count:
        return exact_count(
            problem, self.lister, limits, self.progress, memory=self.memory, on_forecast=self._say_what_is_needed
        )

    def _say_what_is_needed(self, needs: Forecast) -> None:
        """Say what the frontier method needs, and that the tours are listed if that is too much."""
        if self.needs is None or needs.bytes > self.needs.bytes:
            self.needs = needs
            most = default_memory() if self.memory is None else self.memory
            instead = f"; the tours are listed, as it may use {most / GIB:.3g} GiB" if needs.bytes > most else ""
            say(f"the frontier method needs {needs}{instead}")


def _exact_data(problem: Problem, known: Count, by_start: list[int], readings: int) -> dict[str, Any]:
    whole = known.number is not None
    data: dict[str, Any] = {"method": known.method, "count": None if known.number is None else known.number * readings}
    if by_start:
        data["by_start"] = {problem.graph.name(vertex): number for vertex, number in enumerate(by_start)}
    data |= {"at_least": None if whole else known.at_least * readings, "stopped_by": known.stopped_by}
    return data | {"seconds": round(known.seconds, 6), "work": dict(known.work)}


def _say_exact(problem: Problem, known: Count, readings: int) -> None:
    """Say what was counted and how, or what is known of the number."""
    if known.number is not None:
        say(f"{tours_sought(problem, known.number * readings)} ({known.method}, {known.seconds:.3g} s)")
        return
    work = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in known.work.items())
    least = f"at least {known.at_least * readings:,}" if known.at_least else "an unknown number of"
    stopped = f"stopped by: {known.stopped_by}{f' ({work})' if work else ''}"
    say(f"{least} {tours_sought(problem, 2)}; {stopped}; --estimate tells about how many there are")


def _grid(problem: Problem, numbers: list[int]) -> str:
    """The number of each square in its place, or a line for each vertex where there are no places."""
    layers = problem.graph.space.layers()
    if not layers:
        return "\n".join(f"{problem.graph.name(vertex)} {number}" for vertex, number in enumerate(numbers))
    width = max(len(str(number)) for number in numbers)

    def line(row: list[int]) -> str:
        return " ".join(("." if vertex < 0 else str(numbers[vertex])).rjust(width) for vertex in row)

    return "\n\n".join("\n".join(map(line, layer.cells.tolist())) for layer in layers)


def _estimate(
    problem: Problem, samples: int | None, limits: Limits, readings: int, told: dict[str, Any] | None
) -> Exit:
    """Estimate, show the mean, as JSON after what is ``told`` already; the exit status."""
    from cpsat_tour.counting.estimate import Estimate, estimate  # loads the path search

    known, interrupted = count_without_search(problem), False
    seen = Estimate(log10_mean=0.0) if known and known.number else Estimate()
    if known is None:
        wanted = DEFAULT_SAMPLES if samples is None and limits.seconds is None else samples
        try:
            with ProgressLine(f"estimating how many {tours_sought(problem, 2)} there are") as progress:
                seen = estimate(problem, wanted, limits, progress)
            known = None if seen.samples else Count(0, "no vertex can begin one")
        except Interrupted as stopped:
            seen, interrupted = stopped.known, True
    unknown = known is None and not seen.tours
    if told is not None:
        number = None if known is None or known.number is None else known.number * readings
        told |= {"method": "estimate", "count": number, "seed": limits.seed}
        json_line(told | _estimate_data(seen, readings, known=not unknown))
    else:
        print("unknown" if unknown else _mean(seen, readings), flush=True)
    _say_estimate(tours_sought(problem, 2), seen, known)
    if interrupted:
        say("interrupted")
        return Exit.INTERRUPTED
    short = samples is not None and known is None and seen.samples < samples
    return Exit.LIMIT if short or unknown else Exit.ANSWER


def _estimate_data(seen: Estimate, readings: int, *, known: bool) -> dict[str, Any]:
    """The estimate as plain data; None for what is not known or does not fit into a float."""
    fits = known and math.isfinite(seen.mean * readings)
    return {
        "mean": seen.mean * readings if fits else None,
        "standard_error": seen.standard_error * readings if fits else None,
        "log10_mean": seen.log10_mean + math.log10(readings) if seen.mean else None,
        "relative_error": seen.relative_error if known else None,
        "samples": seen.samples,
        "tours": seen.tours,
        "effective_samples": seen.effective_samples,
        "largest_share": seen.largest_share,
        "samples_per_second": seen.samples / seen.seconds if seen.seconds else 0.0,
        "seconds": round(seen.seconds, 6),
    }


def _say_estimate(tours: str, seen: Estimate, known: Count | None) -> None:
    """Say how the number of the tours is known, or what the estimate rests on."""
    if known is not None:
        say(f"{tours}: known exactly ({known.method})")
        return
    if not seen.tours:
        say(f"none of {seen.samples:,} probes ended in a tour: nothing is known of the number of {tours}")
        return
    say(
        f"{tours}: {seen.samples:,} probes in {seen.seconds:.3g} s ({seen.samples / seen.seconds:,.0f} a second), "
        f"{seen.tours:,} tours, effective sample size {seen.effective_samples:,.0f}, largest weight "
        f"{seen.largest_share:.2%} of all"
    )
    if seen.effective_samples < FEW_EFFECTIVE:
        say(
            "the estimate is worth little: a few heavy probes carry it, and its error is itself a guess; take more "
            "with --samples"
        )


def _mean(seen: Estimate, readings: int) -> str:
    """The mean and its standard error, as ``9.81e+15 ± 4.2e+13 (0.43 %)``."""
    if math.isfinite(seen.mean * readings):
        return f"{seen.mean * readings:.6g} ± {seen.standard_error * readings:.2g} ({100 * seen.relative_error:.2g} %)"
    exponent, fraction = divmod(seen.log10_mean + math.log10(readings), 1)
    return f"{10**fraction:.3g}e+{exponent:.0f} ± {100 * seen.relative_error:.2g} %"
