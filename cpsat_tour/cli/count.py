"""``cpsat-tour count``: the number of tours of a board or a graph, exact or estimated."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import click
from click import IntRange

from cpsat_tour.cli.messages import (
    BACKEND_FAILED,
    Exit,
    json_line,
    print_out,
    say,
    stop_exit,
    stop_words,
    write_at_once,
)
from cpsat_tour.cli.options import (
    JSON,
    LIMITS,
    PAIRS,
    PROBLEM,
    Namespace,
    ProgressLine,
    backend_option,
    command,
    option,
    read_problem_and_limits,
    run_with_progress,
)
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.engines.counts import (
    Estimate,
    directed_readings,
    estimate,
    exact_count,
)
from cpsat_tour.formats.describe import plural, rough_time, tour_sought, tours_sought
from cpsat_tour.frontier.sweep import GIB, Forecast, default_memory
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Interrupted

FEW_EFFECTIVE = 30
"""The number of effective samples below which an estimate is reported as unreliable."""


@command(
    groups={
        "Problem": PROBLEM,
        "Count": [
            option("--directed", "Count a tour and its reverse as two."),
        ],
        "Backend": [
            backend_option("List the tours by this backend.  [default: the frontier method, later edges too]"),
            PAIRS,
        ],
        "Estimate": [
            option("--estimate", "Estimate the number by random probes instead."),
            option("--samples N", "Make N probes.  [default: 1000000, or until the time limit]", type=IntRange(2)),
        ],
        "Limits": [
            *LIMITS,
            option(
                "--memory GIB",
                "Let the frontier method use this much memory.  [default: half of the free memory, at most 12]",
                type=click.FloatRange(0, min_open=True),
            ),
        ],
        "Output": [JSON],
    },
    apart=(("estimate", "backend", "memory"),),
    exits={
        Exit.ANSWER: "The tours are counted.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.LIMIT: "A limit was reached first, or no probe ended in a tour.",
    },
)
def count(args: Namespace) -> Exit:
    """Count the tours of BOARD: undirected paths or, with --closed, undirected cycles."""
    problem, limits = read_problem_and_limits(args)
    if args.options and args.backend is None:
        raise BadInput(f"-O {next(iter(args.options))} is an option of a backend: name it with --backend")
    if args.samples is not None and not args.estimate:
        raise BadInput(f"--samples {args.samples} is for --estimate: an exact count makes no probes")
    if args.backend == "frontier":
        raise BadInput("--backend lists the tours, and frontier finds one: it counts by itself, so leave --backend out")
    if args.memory is not None and not math.isfinite(args.memory * GIB):
        raise BadInput(f"--memory can't be {args.memory:g}: give a number of GiB above 0, such as 12")
    if args.estimate:
        return _estimate(args, problem, limits)
    readings = directed_readings(problem) if args.directed else 1
    return _count_exactly(args, problem, limits, readings)


def _count_exactly(args: Namespace, problem: Problem, limits: Limits, readings: int) -> Exit:
    """Count exactly, print the number or the bounds known of it, and return the exit status."""
    memory = None if args.memory is None else int(args.memory * GIB)
    most: Forecast | None = None

    def say_forecast(needs: Forecast) -> None:
        """Say what the frontier method needs, if that is more than was said before."""
        nonlocal most
        if most is None or needs.bytes > most.bytes:
            most, allowed = needs, default_memory() if memory is None else memory
            instead = (
                f"; it may use {allowed / GIB:.3g} GiB, so the tours are listed instead"
                if needs.bytes > allowed
                else ""
            )
            if needs.bytes > min(allowed, GIB):
                say(f"The frontier method, a sweep over the vertices, needs {needs}{instead}.")

    known = run_with_progress(
        f"counting each {tour_sought(problem)}",
        lambda progress: exact_count(
            problem, args.backend, limits, progress, options=args.options, memory=memory, on_forecast=say_forecast
        ),
    )
    number = None if known.number is None else known.number * readings
    if args.as_json:
        json_line(
            {"problem": problem_data(problem), "directed": args.directed, "method": known.method, "count": number}
            | {"at_least": known.at_least * readings if number is None else None, "stopped_by": known.stopped_by}
            | {"seconds": round(known.seconds, 6), "seconds_left": known.seconds_left and round(known.seconds_left, 1)}
            | {"work": dict(known.work), "forecast": most and vars(most)}
        )
    elif number is not None:
        print_out(number)
    if number is not None:
        say(f"{tours_sought(problem, number)} ({known.method}, {known.seconds:.3g} s)")
        return Exit.ANSWER
    least = (
        f"there are at least {known.at_least * readings:,}" if known.at_least else "nothing is known of the number of"
    )
    stop = stop_words(known.stopped_by)
    if known.seconds_left:
        stop += (
            f" after step {known.work['steps']:,} of {known.work['of']:,} of the frontier method, with "
            f"{plural(known.work['states'], 'state')} and about {rough_time(known.seconds_left)} left"
        )
    say(f"{stop}: {least} {tours_sought(problem, 2)}. Estimate the number with --estimate.")
    return stop_exit(known.stopped_by)


def _estimate(args: Namespace, problem: Problem, limits: Limits) -> Exit:
    """Estimate the number, print the mean of the probes, and return the exit status."""
    interrupted, tours = False, tours_sought(problem, 2)
    try:
        with ProgressLine(f"estimating how many {tours} there are") as progress:
            seen = estimate(problem, args.samples, limits, progress, directed=args.directed)
    except Interrupted as stopped:
        seen, interrupted = stopped.known, True
    if args.as_json:
        number = round(seen.mean) if seen.known else None
        opening = {"problem": problem_data(problem), "directed": args.directed, "method": "estimate", "count": number}
        json_line(opening | {"seed": limits.seed} | _estimate_data(seen))
    else:
        write_at_once(f"{seen}\n")
    if seen.known:
        say(f"The number of {tours} is known exactly ({seen.known}).")
    elif seen.unknown:
        say(f"None of {seen.samples:,} probes ended in a tour: nothing is known of the number of {tours}.")
    else:
        say(
            f"{tours}: {seen.samples:,} probes in {seen.seconds:.3g} s, {plural(seen.tours, 'tour')}, "
            f"effective sample size {seen.effective_samples:,.0f}, largest weight {seen.largest_share:.2%} of all"
        )
        if seen.effective_samples < FEW_EFFECTIVE:
            say("The estimate is unreliable, as a few probes dominate it: make more probes with --samples.")
    if interrupted:
        say("Interrupted.")
        return Exit.INTERRUPTED
    short = args.samples is not None and not seen.known and seen.samples < args.samples
    return Exit.LIMIT if short or seen.unknown else Exit.ANSWER


def _estimate_data(seen: Estimate) -> dict[str, Any]:
    """Return the estimate as data for JSON; a value that is unknown or too large for a float is None."""
    fits = not seen.unknown and math.isfinite(seen.mean)
    data = asdict(seen) | {
        "mean": seen.mean if fits else None,
        "standard_error": seen.standard_error if fits else None,
        "log10_mean": seen.log10_mean if seen.mean else None,
        "relative_error": None if seen.unknown else seen.relative_error,
        "samples_per_second": seen.samples / seen.seconds if seen.seconds else 0.0,
        "seconds": round(seen.seconds, 6),
    }
    del data["known"]
    return data
