"""``cpsat-tour tours``: the first tours of a board or a graph, or all of them."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends import registry
from cpsat_tour.backends.listing import CallCounts, Listing, curve, lister_with_givens
from cpsat_tour.backends.protocols import NO_LIMIT, Backend, ListingSearch
from cpsat_tour.backends.runner import refuse
from cpsat_tour.cli.in_cubes import check_goes_with_cubes, cluster_option, count_in_cubes, resume_option
from cpsat_tour.cli.messages import json_line, plural, say, stop_exit
from cpsat_tour.cli.options import (
    Command,
    backend_option,
    force_option,
    limit_options,
    pairs_option,
    problem_options,
    read_in_time,
)
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.tour_sinks import Form, Sink, sinks
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import tours_sought
from cpsat_tour.formats.files import check_place
from cpsat_tour.formats.tour_files import beside
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import TourClasses, none_of, symmetry_groups

DEFAULT_COUNT = 10
FILES, PLOTS = (".json", ".npy"), (".svg", ".png")


@click.command(cls=Command)
@problem_options
@click.option(
    "-n",
    "most",
    type=click.IntRange(1),
    metavar="K",
    help=f"The first K tours, of each start.  [default: {DEFAULT_COUNT}]",
)
@click.option("--all", "everything", is_flag=True, help="All tours.")
@click.option(
    "--distinct",
    is_flag=True,
    help="Of tours that are rotations, reflections or reversals of each other only the first.",
)
@click.option("--all-starts", is_flag=True, help="From every square in turn.")
@click.option(
    "--count-calls", is_flag=True, help="For dfs: no tours, but the calls (squares entered) that it took to find them."
)
@backend_option(
    "The backend to ask; see cpsat-tour backends.  [default: numbers for many --at, edges for --all and "
    "--symmetry, else dfs]"
)
@pairs_option
@limit_options
@resume_option
@cluster_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the tours to FILE.json or .npy, - prints them; with --count-calls a plot to .svg or .png.",
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--json-stream", is_flag=True, help="Print one JSON object for each tour, and the counts last.")
@click.pass_context
def tours(
    ctx: click.Context,
    /,
    most: int | None,
    everything: bool,
    distinct: bool,
    all_starts: bool,
    count_calls: bool,
    backend: str | None,
    options: dict[str, str],
    resume: str | None,
    cluster: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
    json_stream: bool,
    **sought: Any,
) -> None:
    """List the first tours of BOARD, or all of them, open unless --closed.

    An open tour of an undirected graph is listed once, not once from either end, unless a start is given. With --resume
    or a cluster the tours are counted, and not shown. Exit status: 0, or 3 if a limit ended the list.
    """
    if as_json and json_stream:
        raise BadInput("--json can't go with --json-stream: give one or the other")
    if everything and most is not None:
        raise BadInput(f"-n {most} can't go with --all: give one or the other")
    problem, limits = read_in_time(**sought)
    if all_starts and (problem.start is not None or problem.givens):
        clash = "given numbers" if problem.givens or sought["start"] is None else f"--start {sought['start']}"
        raise BadInput(f"--all-starts can't go with {clash}: give one or the other")
    if resume is not None or cluster is not None:
        others = {"-n": most, "--all-starts": all_starts, "--count-calls": count_calls, "-O": options, "-o": output}
        others |= {"--backend": backend not in (None, "edges"), "--json-stream": json_stream}
        check_goes_with_cubes(resume, cluster, others)
        if not everything:
            raise BadInput("--resume and --cluster are for whole lists: give --all")
        ctx.exit(count_in_cubes(resume, cluster, problem, limits, distinct=distinct, as_json=as_json))
    backend = backend or _default_backend(problem, dfs_alone=count_calls or bool(options), ordered=not everything)
    engine = registry.load(backend, options)
    path = None if output in (None, "-") else _checked_path(Path(output), count_calls, force)
    refuse(problem, engine, backend, every=True)
    if count_calls and not isinstance(engine, ListingSearch):
        raise BadInput(f"backend {backend} does not count calls: --count-calls is for dfs")
    listed = _Listed(problem, backend, distinct, all_starts, count_calls)
    plot = path if path is not None and path.suffix.lower() in PLOTS else None
    told = {"problem": problem_data(problem), "all_starts": all_starts, "backend": backend}
    printed: Form | None = "json" if as_json else "stream" if json_stream else None if path else "text"
    with ExitStack() as stack:
        outputs = stack.enter_context(
            sinks(problem.graph, told, listed.summary, None if plot else path, None if count_calls else printed)
        )
        progress = stack.enter_context(ProgressLine(f"listing {listed.kinds()} with {backend}"))
        run_by = sys.stdout.isatty() and not count_calls
        listed.carry_out(
            engine, limits, NO_LIMIT if everything else most or DEFAULT_COUNT, outputs, None if run_by else progress
        )
    if json_stream or (count_calls and as_json):
        json_line(({"event": "tours"} if json_stream else {}) | told | listed.summary())
    elif count_calls:
        listed.print_calls()
    if plot is not None:
        listed.plot(plot)
    if path is not None:
        say(f"wrote {path}")
    say(listed.words())
    ctx.exit(stop_exit(listed.stopped_by))


def _default_backend(problem: Problem, *, dfs_alone: bool, ordered: bool) -> str:
    """The backend that lists such tours where none is named: dfs for what it alone does and for the first tours."""
    if problem.givens and not dfs_alone:
        return lister_with_givens(problem)
    return "dfs" if (dfs_alone or ordered) and problem.symmetry is None else "edges"


@dataclass
class _Listed:
    """What came of the searches of one command: one, or one from each start."""

    problem: Problem
    backend: str
    distinct: bool
    all_starts: bool
    count_calls: bool
    searches: list[tuple[int | None, Listing, CallCounts]] = field(default_factory=list)
    """The start of each, the list itself, and the calls until so many tours were found."""
    count: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    groups: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Of distinct tours how many have each group of symmetries."""

    def carry_out(
        self, engine: Backend, limits: Limits, most: int, outputs: list[Sink], on_event: OnEvent | None
    ) -> None:
        """Go through the searches; a limit or Ctrl-C leaves what has come by then."""
        clock = limits.clock()
        ask = partial(Listing, backend=engine, most=most, on_event=on_event, name=self.backend)
        classes = TourClasses(self.problem) if self.distinct else None
        groups = None
        try:
            for start in range(self.problem.graph.order) if self.all_starts else [self.problem.start]:
                problem = replace(self.problem, start=start)
                listing = ask(problem, limits=replace(limits, seconds=clock.left), classes=classes)
                self.searches.append((start, listing, CallCounts()))
                for batch in listing:
                    if self.distinct:
                        groups = symmetry_groups(problem.graph, batch.tours, closed=problem.closed)
                        self.groups.update(groups)
                    for put in outputs:
                        put(batch.tours, groups)
                    self.count += len(batch.tours)
                    if batch.calls is not None:
                        self.searches[-1][2].add(batch)
        except StoppedEarly as stopped:
            self.stopped_by = str(stopped) or "limit"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        self.seconds = clock.seconds

    @property
    def _calls(self) -> list[int | None]:
        return [listing.calls for _, listing, _ in self.searches]

    def summary(self) -> dict[str, Any]:
        """The counts as plain data; the calls of each start, and their mean."""
        data: dict[str, Any] = {"count": self.count, "distinct": self.distinct, "stopped_by": self.stopped_by}
        if self.distinct:
            data["groups"] = [{"symmetries": group, "count": number} for group, number in sorted(self.groups.items())]
        if self.count_calls:
            mean = sum(call or 0 for call in self._calls) / max(1, len(self._calls))
            data |= {"calls": self._calls, "calls_mean": mean}
            if self.all_starts:
                data["counts"] = [listing.count for _, listing, _ in self.searches]
        return data | {"seconds": round(self.seconds, 6)}

    def print_calls(self) -> None:
        """Print the calls of each start, and their mean."""
        for start, listing, _ in self.searches:
            where = "anywhere" if start is None else self.problem.graph.name(start)
            print(f"{where} {listing.calls} calls {listing.count} tours")
        if self.all_starts:
            print(f"mean {self.summary()['calls_mean']:.3f} calls")

    def plot(self, path: Path) -> None:
        """Draw how many calls the tours took."""
        from cpsat_tour.compare.plots import calls_plot, save

        points = curve(counts for _, _, counts in self.searches)
        if not points:
            raise BadInput(
                f"there is nothing to draw in {path}: the curve goes as far as every start has tours, and one has none"
            )
        save(calls_plot(points, self.problem.graph.order), path)

    def words(self) -> str:
        """How many there were, how long it took, and what stopped it."""
        words = f"{self.count:,} {self.kinds(self.count)} by {self.backend} in {self.seconds:.3g} s"
        calls = [call for call in self._calls if call is not None]
        if calls:
            words += f": {plural(sum(calls), 'position')}"
        if calls and self.seconds > 0:
            positions, tours = sum(calls) / self.seconds, self.count / self.seconds
            words += f", {positions:,.0f} positions and {tours:,.0f} tours a second"
        if any(self.groups):
            without = f"without {none_of(self.problem.graph.space)}"
            named = {group: f"with {' and '.join(group)}" if group else without for group in self.groups}
            words += "; " + ", ".join(f"{number:,} {named[group]}" for group, number in sorted(self.groups.items()))
        if self.stopped_by:
            words += "; interrupted" if self.stopped_by == "interrupt" else f"; stopped by: {self.stopped_by}"
        return words

    def kinds(self, number: int = 2) -> str:
        """The kind of tour, in the plural unless there is one."""
        return (
            f"{'distinct ' * self.distinct}{tours_sought(self.problem, number)}{' from every start' * self.all_starts}"
        )


def _checked_path(path: Path, count_calls: bool, force: bool) -> Path:
    """The path, if it can be written as its suffix says."""
    suffixes = (*FILES, *PLOTS) if count_calls else FILES
    if path.suffix.lower() not in suffixes:
        hint = "" if count_calls or path.suffix.lower() not in PLOTS else "; a plot needs --count-calls"
        raise BadInput(f"can't write tours to {path}: give it the suffix {' or '.join(suffixes)}{hint}")
    if path.suffix.lower() in PLOTS:
        from cpsat_tour.compare import plots  # noqa: F401
    for place in (path, beside(path)) if path.suffix.lower() == ".npy" else (path,):
        check_place(place, force=force)
    return path
