"""``cpsat-tour tours``: the first tours of a board or a graph, or all of them."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from cpsat_tour.backends import registry
from cpsat_tour.backends.listing import CallCounts, Listing, curve, lister_with_givens
from cpsat_tour.backends.protocols import NO_LIMIT, Backend, ListingSearch
from cpsat_tour.backends.runner import refuse
from cpsat_tour.cli.cube_options import CubeOptions, cluster_options, resume_option
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, plural, say
from cpsat_tour.cli.options import (
    backend_option,
    force_option,
    limit_options,
    pairs_option,
    problem_options,
    read_in_time,
    refuse_together,
)
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.tour_sinks import Sink, sinks
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import asked
from cpsat_tour.formats.files import check_place
from cpsat_tour.formats.tour_files import beside
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import TourClasses, none_of, symmetry_groups

DEFAULT_COUNT = 10
FILES, PLOTS = (".json", ".npy"), (".svg", ".png")


@click.command()
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
@cluster_options
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
    limits: Limits,
    resume: str | None,
    scheduler: str | None,
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
    refuse_together({"--json": as_json, "--json-stream": json_stream})
    if everything and most is not None:
        raise BadInput(f"-n {most} can't go with --all: give one or the other")
    problem, limits = read_in_time(limits, **sought)
    if all_starts and (problem.start is not None or problem.givens):
        clash = "given numbers" if problem.givens or sought["start"] is None else f"--start {sought['start']}"
        raise BadInput(f"--all-starts can't go with {clash}: give one or the other")
    in_cubes = CubeOptions(resume, scheduler, cluster)
    if in_cubes.given:
        in_cubes.refuse_with(n=most, all_starts=all_starts, count_calls=count_calls, O=options, o=output)
        in_cubes.refuse_with(backend=backend not in (None, "edges"), json_stream=json_stream)
        if not everything:
            raise BadInput(f"{in_cubes.given} is for whole lists: give --all")
        from cpsat_tour.cli.in_cubes import count_in_cubes  # loads the compiled search

        ctx.exit(count_in_cubes(in_cubes, problem, limits, distinct=distinct, as_json=as_json))
    if backend is None:
        ordered = most is not None or not everything or count_calls or options
        backend = "dfs" if ordered and problem.symmetry is None else "edges"
        if problem.givens and not (count_calls or options):
            backend = lister_with_givens(problem)
    engine = registry.load(backend, options)
    run = _Listing(
        problem, engine, backend, distinct, all_starts, count_calls, None if everything else most or DEFAULT_COUNT
    )
    path = None if output in (None, "-") else _checked_path(Path(output), count_calls, force)
    run.carry_out(limits, path, as_json=as_json, json_stream=json_stream)
    ctx.exit(Exit.INTERRUPTED if run.stopped_by == "interrupt" else Exit.LIMIT if run.stopped_by else Exit.ANSWER)


@dataclass
class _FromStart:
    """What came of the search from one start."""

    problem: Problem
    count: int
    calls: int | None
    counts: CallCounts


@dataclass
class _Listing:
    """The searches of one command: one, or one from each start."""

    problem: Problem
    engine: Backend
    backend: str
    distinct: bool
    all_starts: bool
    count_calls: bool
    most: int | None
    searches: list[_FromStart] = field(default_factory=list)
    stopped_by: str | None = None
    seconds: float = 0.0
    groups: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Of distinct tours how many have each group of symmetries."""

    def carry_out(self, limits: Limits, path: Path | None, *, as_json: bool, json_stream: bool) -> None:
        """List the tours to where they are wanted, then say what there were."""
        refuse(self.problem, self.engine, self.backend, every=True)
        if self.count_calls and not isinstance(self.engine, ListingSearch):
            raise BadInput(f"backend {self.backend} does not count calls: --count-calls is for dfs")
        told = {"problem": problem_data(self.problem), "all_starts": self.all_starts, "backend": self.backend}
        plot = path if path is not None and path.suffix.lower() in PLOTS else None
        with ExitStack() as stack:
            places = stack.enter_context(
                sinks(
                    self.problem.graph,
                    told,
                    None if plot else path,
                    printed=not self.count_calls,
                    as_json=as_json,
                    json_stream=json_stream,
                )
            )
            quiet = sys.stdout.isatty() and not self.count_calls
            progress = (
                None
                if quiet
                else stack.enter_context(
                    ProgressLine(f"listing {self._kinds(asked(self.problem))} with {self.backend}")
                )
            )
            self._list(limits, places, progress)
            for place in places:
                place.finish(self._summary())
        if json_stream:
            json_line({"event": "tours"} | told | self._summary())
        elif self.count_calls and not as_json:
            self._print_calls()
        if plot is not None:
            self._plot(plot)
        if path is not None:
            say(f"wrote {path}")
        self._say()

    def _list(self, limits: Limits, places: list[Sink], on_event: OnEvent | None) -> None:
        """Go through the searches; a limit or Ctrl-C leaves what has come by then."""
        clock = limits.clock()
        classes = TourClasses(self.problem) if self.distinct else None
        starts = range(self.problem.graph.order) if self.all_starts else [self.problem.start]
        try:
            for start in starts:
                problem = self.problem.with_ends(start, self.problem.end)
                listing = Listing(
                    problem,
                    self.engine,
                    replace(limits, seconds=clock.left),
                    most=self.most or NO_LIMIT,
                    classes=classes,
                    on_event=on_event,
                    name=self.backend,
                )
                search = _FromStart(problem, 0, listing.calls, CallCounts())
                self.searches.append(search)
                for batch in listing:
                    groups = (
                        symmetry_groups(problem.graph, batch.tours, closed=problem.closed) if self.distinct else None
                    )
                    self.groups.update(groups or ())
                    for place in places:
                        place.take(batch.tours, groups)
                    search.count, search.calls = listing.count, listing.calls
                    if batch.calls is not None:
                        search.counts.add(batch)
                search.calls = listing.calls
        except StoppedEarly as stopped:
            self.stopped_by = str(stopped) or "limit"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        self.seconds = clock.seconds

    @property
    def _count(self) -> int:
        return sum(search.count for search in self.searches)

    def _summary(self) -> dict[str, Any]:
        """The counts as plain data; the calls of each start, and their mean."""
        data: dict[str, Any] = {"count": self._count, "distinct": self.distinct, "stopped_by": self.stopped_by}
        if self.distinct:
            data["groups"] = [
                {"symmetries": list(group), "count": number} for group, number in sorted(self.groups.items())
            ]
        calls = [search.calls for search in self.searches]
        if self.count_calls:
            data |= {"calls": calls, "calls_mean": sum(call or 0 for call in calls) / max(1, len(calls))}
            if self.all_starts:
                data["counts"] = [search.count for search in self.searches]
        return data | {"seconds": round(self.seconds, 6)}

    def _print_calls(self) -> None:
        name = self.problem.graph.name
        for search in self.searches:
            start = search.problem.start
            print(f"{'anywhere' if start is None else name(start)} {search.calls} calls {search.count} tours")
        if self.all_starts:
            print(f"mean {self._summary()['calls_mean']:.3f} calls")

    def _plot(self, path: Path) -> None:
        from cpsat_tour.compare.figures import save
        from cpsat_tour.compare.plots import calls_plot

        points = curve(search.counts for search in self.searches)
        if not points:
            raise BadInput(
                f"there is nothing to draw in {path}: the curve goes as far as every start has tours, and one has none"
            )
        save(calls_plot(points, self.problem.graph.order), path)

    def _say(self) -> None:
        """How many there were, how long it took, and what stopped it."""
        calls = [search.calls for search in self.searches if search.calls is not None]
        words = (
            f"{self._count:,} {self._kinds(asked(self.problem), self._count)} by {self.backend} in {self.seconds:.3g} s"
        )
        if calls:
            words += f": {plural(sum(calls), 'position')}"
            if self.seconds > 0:
                words += (
                    f", {sum(calls) / self.seconds:,.0f} positions and {self._count / self.seconds:,.0f} tours a second"
                )
        if self.distinct and any(self.groups):
            words += (
                f"; {', '.join(f'{number:,} {self._with(group)}' for group, number in sorted(self.groups.items()))}"
            )
        if self.stopped_by:
            words += "; interrupted" if self.stopped_by == "interrupt" else f"; stopped by: {self.stopped_by}"
        say(words)

    def _kinds(self, kind: str, number: int = 2) -> str:
        """The kind of tour, in the plural unless there is one."""
        kinds = (
            kind if number == 1 else kind.replace(" tour of ", " tours of ", 1)
        ) + " from every start" * self.all_starts
        return f"distinct {kinds}" if self.distinct else kinds

    def _with(self, group: tuple[str, ...]) -> str:
        return f"with {' and '.join(group)}" if group else f"without {none_of(self.problem.graph.space)}"


def _checked_path(path: Path, count_calls: bool, force: bool) -> Path:
    """The path, if it can be written as its suffix says."""
    suffixes = (*FILES, *PLOTS) if count_calls else FILES
    if path.suffix.lower() not in suffixes:
        hint = "" if count_calls or path.suffix.lower() not in PLOTS else "; a plot needs --count-calls"
        raise BadInput(f"can't write tours to {path}: give it the suffix {' or '.join(suffixes)}{hint}")
    if path.suffix.lower() in PLOTS:
        from cpsat_tour.compare import figures  # noqa: F401
    for place in (path, beside(path)) if path.suffix.lower() == ".npy" else (path,):
        check_place(place, force=force)
    return path
