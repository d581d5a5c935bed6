"""``cpsat-tour count``: how many tours a board or a graph has, exactly or estimated."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.cli.options import limit_options, problem_options, read_backend_options, read_problem
from cpsat_tour.cli.progress import INTERRUPTED, say

if TYPE_CHECKING:
    from cpsat_tour.core.answer import Limits
    from cpsat_tour.core.problem import HamiltonProblem
    from cpsat_tour.counting.count import Count
    from cpsat_tour.counting.estimate import Estimate

STOPPED = 3
DEFAULT_SAMPLES = 1_000_000
GIB = 1 << 30


@click.command()
@problem_options
@click.option("--directed", is_flag=True, help="Count a tour and its reverse as two.")
@click.option("--all-starts", is_flag=True, help="The number of open tours from each square.")
@click.option("--backend", metavar="NAME[@SOLVER]", help="List the tours by this backend.  [default: the frontier method]")
@click.option("-O", "pairs", metavar="KEY=VALUE", multiple=True, help="An option of the backend; may be repeated.")
@click.option("--memory", type=click.FloatRange(0, min_open=True), metavar="GIB", default=12.0, show_default=True, help="Most memory.")
@click.option("--estimate", "estimated", is_flag=True, help="Estimate by random probes instead.")
@click.option("--samples", type=click.IntRange(1), help="How many probes.  [default: 1000000, or until the time limit]")
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def count(
    ctx: click.Context,
    /,
    directed: bool,
    all_starts: bool,
    backend: str | None,
    pairs: tuple[str, ...],
    memory: float,
    estimated: bool,
    samples: int | None,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Count the tours of BOARD: undirected paths or, with --closed, undirected cycles.

    Exit status: 0 counted, 3 stopped by a limit, or no probe ended in a tour.
    """
    from cpsat_tour.backends import registry
    from cpsat_tour.core.answer import Limits
    from cpsat_tour.core.errors import BadInput

    problem = read_problem(**asked)
    limits = Limits(seconds=time_limit, threads=threads, seed=seed)
    if all_starts and (estimated or problem.closed or problem.start is not None):
        clash = "--estimate" if estimated else "--closed" if problem.closed else "--start"
        raise BadInput(f"--all-starts counts the open tours from each square: it can't go with {clash}")
    if samples is not None and not estimated:
        raise BadInput(f"--samples {samples} is for --estimate: an exact count makes no probes")
    if not math.isfinite(memory * GIB):
        raise BadInput(f"--memory can't be {memory:g}: give a number of GiB above 0, such as 12")
    if estimated:
        if backend:
            raise BadInput(f"--estimate asks no backend: leave out --backend {backend}")
        ctx.exit(_estimate(problem, samples, limits, directed=directed, as_json=as_json))
    if backend is None and problem.graph.directed:
        backend = "dfs"
    options = read_backend_options(pairs)
    engine = {"backend": None if backend is None else registry.load(backend, options), "name": backend or "", "memory": int(memory * GIB)}
    ctx.exit(_exact(problem, limits, engine, directed=directed, all_starts=all_starts, as_json=as_json))


def _exact(problem: HamiltonProblem, limits: Limits, engine: dict[str, Any], *, directed: bool, all_starts: bool, as_json: bool) -> int:
    """Count, show the number, and tell the exit status."""
    from cpsat_tour.cli.progress import ProgressLine
    from cpsat_tour.counting.count import Interrupted, alike, directed_readings
    from cpsat_tour.counting.count import count as counted
    from cpsat_tour.counting.frontier import forecast_of
    from cpsat_tour.formats.describe import problem_data

    needs = forecast_of(problem) if engine["backend"] is None else None
    if needs is not None:
        say(f"the frontier method needs {needs}")
    classes = alike(problem) if all_starts else [0]
    clock = limits.clock()
    found: dict[int, Count] = {}
    try:
        with ProgressLine(f"counting each {_tours(problem, 1)}") as progress:
            for start in sorted(set(classes)):
                one = problem.with_ends(start, problem.end) if all_starts else problem
                rest = type(limits)(seconds=clock.left, threads=limits.threads, seed=limits.seed)
                found[start] = counted(one, on_event=progress, limits=rest, **engine)
                if found[start].number is None:
                    break
    except Interrupted as interrupted:
        found[-1] = interrupted.known
    last = list(found.values())[-1]
    whole = last.number is not None
    readings = 1 if all_starts else directed_readings(problem) if directed else 1
    numbers = [found[start].number for start in classes] if whole else []
    total = sum(number * readings for number in numbers if number is not None)
    if as_json:
        data = {"problem": problem_data(problem), "directed": directed or all_starts, "method": last.method, "count": total if whole else None}
        if all_starts:
            data["by_start"] = {problem.graph.name(vertex): number for vertex, number in enumerate(numbers)} if whole else None
        data |= {"at_least": None if whole else last.at_least * readings, "stopped_by": last.stopped_by, "seconds": round(clock.seconds, 6)}
        data |= {"forecast": None if needs is None else vars(needs), "work": dict(last.work)}
        print(json.dumps(data), flush=True)
    elif whole:
        print(_grid(problem, numbers) if all_starts else total)
    if whole:
        say(f"{_tours(problem, total)} ({last.method}, {clock.seconds:.3g} s)")
        return 0
    work = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in last.work.items())
    known = f"at least {last.at_least:,}" if last.at_least else "unknown"
    say(f"{known} {_tours(problem, 2)}; stopped by: {last.stopped_by}" + (f" ({work})" if work else ""))
    return INTERRUPTED if last.stopped_by == "interrupt" else STOPPED


def _grid(problem: HamiltonProblem, numbers: list[int | None]) -> str:
    """The number of each square in its place, or a line for each vertex where there is no board."""
    from cpsat_tour.spaces.board import Board

    board = problem.graph.space
    if not isinstance(board, Board):
        return "\n".join(f"{problem.graph.name(vertex)} {number}" for vertex, number in enumerate(numbers))
    width = max(len(str(number)) for number in numbers)
    cells = ["." * bool(vertex < 0) or str(numbers[vertex]) for vertex in board.vertices.tolist()]
    rows = [cells[first : first + board.cols] for first in range(0, len(cells), board.cols)]
    return "\n".join(" ".join(cell.rjust(width) for cell in row) for row in rows)


def _estimate(problem: HamiltonProblem, samples: int | None, limits: Limits, *, directed: bool, as_json: bool) -> int:
    """Estimate, show the mean, and tell the exit status."""
    from cpsat_tour.cli.progress import ProgressLine
    from cpsat_tour.counting.count import Count, decided, directed_readings
    from cpsat_tour.counting.estimate import Estimate, estimate
    from cpsat_tour.formats.describe import problem_data

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
        data |= {"mean": seen.mean * readings if fits else None, "standard_error": seen.standard_error * readings if fits else None}
        data |= {"log10_mean": seen.log10_mean + math.log10(readings) if seen.scaled_mean else None}
        data |= {"relative_error": None if unknown else seen.relative_error}
        data |= {"samples": seen.samples, "tours": seen.tours, "effective_samples": seen.effective_samples}
        data |= {"largest_share": seen.largest_share, "samples_per_second": rate, "seconds": round(seen.seconds, 6), "seed": limits.seed}
        print(json.dumps(data), flush=True)
    else:
        print("unknown" if unknown else _mean(seen, readings))
    if known is not None:
        say(f"{_tours(problem, 2)}: known exactly ({known.method})")
    elif unknown:
        say(f"none of {seen.samples:,} probes ended in a tour: nothing is known of the number of {_tours(problem, 2)}")
    else:
        say(
            f"{_tours(problem, 2)}: {seen.samples:,} probes in {seen.seconds:.3g} s ({rate:,.0f} a second), {seen.tours:,} tours,"
            f" effective sample size {seen.effective_samples:,.0f}, largest weight {seen.largest_share:.2%} of all"
        )
    return STOPPED if short or unknown else 0


def _mean(seen: Estimate, readings: int) -> str:
    """The mean and its standard error, as ``9.81e+15 ± 4.2e+13 (0.43 %)``."""
    if math.isfinite(seen.mean * readings):
        return f"{seen.mean * readings:.6g} ± {seen.standard_error * readings:.2g} ({100 * seen.relative_error:.2g} %)"
    exponent, fraction = divmod(seen.log10_mean + math.log10(readings), 1)
    return f"{10**fraction:.3g}e+{exponent:.0f} ± {100 * seen.relative_error:.2g} %"


def _tours(problem: HamiltonProblem, number: int) -> str:
    """What is counted, in the plural unless there is one."""
    from cpsat_tour.formats.describe import asked

    words = asked(problem)
    return words if number == 1 else words.replace(" tour of ", " tours of ", 1)
