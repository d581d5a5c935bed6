"""``cpsat-tour count``: how many tours a board or a graph has, exactly or estimated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import click

from cpsat_tour.backends import registry
from cpsat_tour.backends.asking import listed, lister
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.cube_options import CubeOptions, cluster_options, resume_option
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.options import backend_option, limit_options, pairs_option, problem_options, read_in_time
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.interrupts import Interrupted
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import Count, count_each_start, decided, directed_readings
from cpsat_tour.counting.count import count as counted
from cpsat_tour.counting.estimate import Estimate, estimate
from cpsat_tour.counting.frontier import Forecast, forecast_of
from cpsat_tour.formats.describe import asked
from cpsat_tour.spaces.problem_data import problem_data

DEFAULT_SAMPLES = 1_000_000
FEW_EFFECTIVE = 30
"""An estimate that rests on fewer effective samples is worth little."""

GIB = 1 << 30


@click.command()
@problem_options
@click.option("--directed", is_flag=True, help="Count a tour and its reverse as two.")
@click.option("--all-starts", is_flag=True, help="The number of open tours from each square.")
@backend_option("List the tours by this backend.  [default: the frontier method]")
@pairs_option
@click.option(
    "--memory",
    type=click.FloatRange(0, min_open=True),
    metavar="GIB",
    default=12.0,
    show_default=True,
    help="Most memory.",
)
@click.option("--estimate", "estimated", is_flag=True, help="Estimate by random probes instead.")
@click.option("--samples", type=click.IntRange(1), help="How many probes.  [default: 1000000, or until the time limit]")
@limit_options
@resume_option
@cluster_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def count(
    ctx: click.Context,
    /,
    directed: bool,
    all_starts: bool,
    backend: str | None,
    options: dict[str, str],
    memory: float,
    estimated: bool,
    samples: int | None,
    limits: Limits,
    resume: str | None,
    scheduler: str | None,
    cluster: str | None,
    as_json: bool,
    **sought: Any,
) -> None:
    """Count the tours of BOARD: undirected paths or, with --closed, undirected cycles.

    Exit status: 0 counted, 3 stopped by a limit, or no probe ended in a tour.
    """
    problem, limits = read_in_time(limits, **sought)
    if all_starts:
        _refuse_all_starts(problem, estimated=estimated)
    if options and backend is None:
        raise BadInput(f"-O {next(iter(options))} is an option of a backend: name it with --backend")
    if samples is not None and not estimated:
        raise BadInput(f"--samples {samples} is for --estimate: an exact count makes no probes")
    if not math.isfinite(memory * GIB):
        raise BadInput(f"--memory can't be {memory:g}: give a number of GiB above 0, such as 12")
    in_cubes = CubeOptions(resume, scheduler, cluster)
    if estimated:
        if in_cubes.given:
            raise BadInput(f"--estimate lists no tours: leave out {in_cubes.given}")
        if backend:
            raise BadInput(f"--estimate asks no backend: leave out --backend {backend}")
        ctx.exit(_estimate(problem, samples, limits, directed=directed, as_json=as_json))
    if in_cubes.given:
        in_cubes.refuse_with(all_starts=all_starts, O=options, backend=backend not in (None, "edges"))
        from cpsat_tour.cli.in_cubes import count_in_cubes  # loads the compiled search

        ctx.exit(
            count_in_cubes(
                in_cubes, problem, limits, readings=directed_readings(problem) if directed else 1, as_json=as_json
            )
        )
    backend = backend or lister(problem)
    engine = None if backend is None else registry.load(backend, options)
    exact = _Exact(problem, engine, backend or "", int(memory * GIB), directed, all_starts)
    ctx.exit(exact.carry_out(limits, as_json=as_json))


def _refuse_all_starts(problem: Problem, *, estimated: bool) -> None:
    """Raise `BadInput` unless the open tours from each square can be counted."""
    if estimated or problem.closed or problem.start is not None or problem.givens:
        clash = (
            "--estimate"
            if estimated
            else "--closed"
            if problem.closed
            else "given numbers"
            if problem.givens
            else "--start"
        )
        raise BadInput(f"--all-starts counts the open tours from each square: it can't go with {clash}")


@dataclass(frozen=True)
class _Exact:
    """An exact count, by the frontier method or, if there is an engine, by listing: of the problem, or of its open
    tours from each start."""

    problem: Problem
    engine: Backend | None
    name: str
    memory: int
    directed: bool
    all_starts: bool

    def carry_out(self, limits: Limits, *, as_json: bool) -> Exit:
        """Count, show the number, and tell the exit status."""
        clock = limits.clock()
        needs = forecast_of(self.problem, clock) if self.engine is None else None
        if needs is not None:
            say(f"the frontier method needs {needs}")
        known, by_start = self._counted(replace(limits, seconds=clock.left))
        if as_json:
            json_line(self._data(known, by_start, needs))
        elif known.number is not None:
            print(_grid(self.problem, by_start) if self.all_starts else known.number * self._readings)
        self._say(known)
        return (
            Exit.ANSWER
            if known.number is not None
            else Exit.INTERRUPTED
            if known.stopped_by == "interrupt"
            else Exit.LIMIT
        )

    def _counted(self, limits: Limits) -> tuple[Count, list[int]]:
        """What was counted, and the number from each start if that is asked for."""
        listing = None if self.engine is None else partial(listed, self.engine, self.name)
        with ProgressLine(f"counting each {asked(self.problem)}") as progress:

            def count_one(problem: Problem, limits: Limits) -> Count:
                return counted(
                    problem, limits, progress, listing=listing, name=self.name or "frontier", memory=self.memory
                )

            try:
                return (
                    count_each_start(self.problem, limits, count_one)
                    if self.all_starts
                    else (count_one(self.problem, limits), [])
                )
            except Interrupted as interrupted:
                return interrupted.known, []

    @property
    def _readings(self) -> int:
        """How many of the tours that people count each tour of ours stands for."""
        return directed_readings(self.problem) if self.directed and not self.all_starts else 1

    def _data(self, known: Count, by_start: list[int], needs: Forecast | None) -> dict[str, Any]:
        whole = known.number is not None
        data = {
            "problem": problem_data(self.problem),
            "directed": self.directed or self.all_starts,
            "method": known.method,
        }
        data["count"] = None if known.number is None else known.number * self._readings
        if self.all_starts:
            name = self.problem.graph.name
            data["by_start"] = {name(vertex): number for vertex, number in enumerate(by_start)} if whole else None
        data |= {"at_least": None if whole else known.at_least * self._readings, "stopped_by": known.stopped_by}
        return data | {
            "seconds": round(known.seconds, 6),
            "forecast": None if needs is None else vars(needs),
            "work": dict(known.work),
        }

    def _say(self, known: Count) -> None:
        if known.number is not None:
            say(f"{_tours(self.problem, known.number * self._readings)} ({known.method}, {known.seconds:.3g} s)")
            return
        work = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in known.work.items())
        least = f"at least {known.at_least * self._readings:,}" if known.at_least else "unknown"
        hint = "; --estimate tells about how many there are"
        say(
            f"{least} {_tours(self.problem, 2)}; stopped by: {known.stopped_by}" + (f" ({work})" if work else "") + hint
        )


def _grid(problem: Problem, numbers: list[int]) -> str:
    """The number of each square in its place, or a line for each vertex where there are no places."""
    layers = problem.graph.space.layers()
    if not layers:
        return "\n".join(f"{problem.graph.name(vertex)} {number}" for vertex, number in enumerate(numbers))
    width = max(len(str(number)) for number in numbers)

    def line(row: list[int]) -> str:
        return " ".join(("." if vertex < 0 else str(numbers[vertex])).rjust(width) for vertex in row)

    return "\n\n".join("\n".join(map(line, layer.cells.tolist())) for layer in layers)


def _estimate(problem: Problem, samples: int | None, limits: Limits, *, directed: bool, as_json: bool) -> Exit:
    """Estimate, show the mean, and tell the exit status."""
    wanted = DEFAULT_SAMPLES if samples is None and limits.seconds is None else samples
    known = decided(problem)
    if known is not None:
        seen = Estimate(float(known.number or 0), 0.0, 0.0, 0, 0, 0.0, 0.0, known.seconds)
    else:
        with ProgressLine(f"estimating how many {_tours(problem, 2)} there are") as progress:
            seen = estimate(problem, wanted, limits, progress)
        if not seen.samples:
            known = Count(0, "no vertex can begin one")
    readings = directed_readings(problem) if directed else 1
    rate = seen.samples / seen.seconds if seen.seconds else 0.0
    short = samples is not None and known is None and 0 < seen.samples < samples
    unknown = known is None and not seen.tours
    if as_json:
        fits = not unknown and math.isfinite(seen.mean * readings)
        data = {"problem": problem_data(problem), "directed": directed, "method": "estimate"}
        data |= {"count": None if known is None or known.number is None else known.number * readings}
        data |= {
            "mean": seen.mean * readings if fits else None,
            "standard_error": seen.standard_error * readings if fits else None,
        }
        data |= {"log10_mean": seen.log10_mean + math.log10(readings) if seen.scaled_mean else None}
        data |= {"relative_error": None if unknown else seen.relative_error}
        data |= {"samples": seen.samples, "tours": seen.tours, "effective_samples": seen.effective_samples}
        data |= {
            "largest_share": seen.largest_share,
            "samples_per_second": rate,
            "seconds": round(seen.seconds, 6),
            "seed": limits.seed,
        }
        json_line(data)
    else:
        print("unknown" if unknown else _mean(seen, readings))
    if known is not None:
        say(f"{_tours(problem, 2)}: known exactly ({known.method})")
    elif unknown:
        say(f"none of {seen.samples:,} probes ended in a tour: nothing is known of the number of {_tours(problem, 2)}")
    else:
        say(
            f"{_tours(problem, 2)}: {seen.samples:,} probes in {seen.seconds:.3g} s ({rate:,.0f} a second), "
            f"{seen.tours:,} tours,"
            f" effective sample size {seen.effective_samples:,.0f}, largest weight {seen.largest_share:.2%} of all"
        )
        if seen.effective_samples < FEW_EFFECTIVE:
            say(
                "the estimate is worth little: a few heavy probes carry it, and its error is itself a guess; "
                "take more with --samples"
            )
    return Exit.LIMIT if short or unknown else Exit.ANSWER


def _mean(seen: Estimate, readings: int) -> str:
    """The mean and its standard error, as ``9.81e+15 ± 4.2e+13 (0.43 %)``."""
    if math.isfinite(seen.mean * readings):
        return f"{seen.mean * readings:.6g} ± {seen.standard_error * readings:.2g} ({100 * seen.relative_error:.2g} %)"
    exponent, fraction = divmod(seen.log10_mean + math.log10(readings), 1)
    return f"{10**fraction:.3g}e+{exponent:.0f} ± {100 * seen.relative_error:.2g} %"


def _tours(problem: Problem, number: int) -> str:
    """What is counted, in the plural unless there is one."""
    words = asked(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)
