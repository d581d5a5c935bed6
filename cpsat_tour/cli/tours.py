"""``cpsat-tour tours``: a list of the first tours of a board or a graph, or of all.

They are written batch by batch, as text boards, as JSON, or to a ``.json`` or ``.npy`` file.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, repeat
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from cpsat_tour.cli.messages import BACKEND_FAILED, Exit, json_line, say, stop_exit, stop_words, write_at_once
from cpsat_tour.cli.options import (
    FORCE,
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
)
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.runs import NO_LIMIT, Clock, OnEvent
from cpsat_tour.core.space import Ints
from cpsat_tour.engines import registry
from cpsat_tour.engines.runner import Listing, check_takes, default_lister
from cpsat_tour.formats.boards import TourTexts
from cpsat_tour.formats.describe import plural, tours_sought
from cpsat_tour.formats.files import check_place, writing, writing_rows
from cpsat_tour.formats.tour_files import tour_file_beside, write_tour_file
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import TourClasses, symmetry_groups, symmetry_noun

DEFAULT_COUNT = 10
PRINTED = 1000  # tours that are written between two counts, at most
FILES = (".json", ".npy")


@command(
    groups={
        "Problem": PROBLEM,
        "List": [
            option(
                "-n K",
                f"List the first K tours.  [default: {DEFAULT_COUNT}]",
                to="most",
                type=click.IntRange(1),
            ),
            option("--all", "List all tours.", to="everything"),
            option(
                "--distinct", "List only the first of tours that are rotations, reflections or reversals of each other."
            ),
        ],
        "Backend": [
            backend_option(
                "Ask this backend; see cpsat-tour backends.  [default: dfs; edges for --all; numbers for many --at]"
            ),
            PAIRS,
        ],
        "Limits": LIMITS,
        "Output": [
            option("-o --output FILE", "Write the tours to FILE.json or .npy, - prints them."),
            FORCE,
            JSON,
            option("--json-stream", "Print a JSON object for each tour, and the counts last."),
        ],
    },
    apart=(("as_json", "json_stream"), ("most", "everything")),
    exits={
        Exit.ANSWER: "All tours that were asked for are listed.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.LIMIT: "A limit was reached first.",
    },
)
def tours(args: Namespace) -> Exit:
    """List the first tours of BOARD, or all of them, open unless --closed.

    An open tour of an undirected graph is listed once, not once from either end, unless a start is given.
    """
    problem, limits = read_problem_and_limits(args)
    dfs_alone = args.options and problem.symmetry is None
    backend = args.backend or ("dfs" if dfs_alone else default_lister(problem, everything=args.everything))
    engine = registry.load(backend, args.options)
    path = _output_path(args)
    check_takes(problem, engine, backend, every=True)
    most = NO_LIMIT if args.everything else args.most or DEFAULT_COUNT
    classes = TourClasses(problem) if args.distinct else None
    listed = _TourList(args, Listing(problem, engine, limits, most=most, classes=classes, name=backend))
    opening = {"problem": problem_data(problem), "backend": backend}
    printed: Form | None = "json" if args.as_json else "stream" if args.json_stream else None if path else "text"
    with ExitStack() as stack:
        outputs = stack.enter_context(open_sinks(problem.graph, opening, listed.summary, path, printed))
        progress = stack.enter_context(ProgressLine(f"listing {listed.sought()} with {backend}"))
        listed.run(outputs, limits.clock(), None if sys.stdout.isatty() else progress)
    if args.json_stream:
        json_line({"event": "tours"} | opening | listed.summary())
    if path is not None:
        written = is_result(listed.summary())
        say(f"wrote {path}" if written else f"No tour was found, so nothing is written to {path}.")
    say(listed.outcome())
    return stop_exit(listed.stopped_by)


@dataclass
class _TourList:
    """The tours that the command lists."""

    args: Namespace
    listing: Listing
    count: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    groups: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """How many of the distinct tours have each group of symmetries."""

    def run(self, outputs: list[Sink], clock: Clock, on_event: OnEvent | None) -> None:
        """Run the search and pass its tours to the outputs; a limit or Ctrl-C ends the list early."""
        problem, self.listing.on_event, groups = self.listing.problem, on_event, None
        try:
            for tours in self.listing:
                if self.args.distinct:
                    groups = symmetry_groups(problem.graph, tours, closed=problem.closed)
                    self.groups.update(groups)
                for first in range(0, len(tours), PRINTED):
                    printed = slice(first, first + PRINTED)
                    for put in outputs:
                        put(tours[printed], None if groups is None else groups[printed])
                    self.count += len(tours[printed])
        except StoppedEarly as stopped:
            self.stopped_by = stopped.limit or "limit"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        self.seconds = clock.seconds

    def summary(self) -> dict[str, Any]:
        """Return the counts, what ended the list early, and the seconds as data for JSON; distinct tours are counted by
        symmetry."""
        data: dict[str, Any] = {"count": self.count, "distinct": self.args.distinct, "stopped_by": self.stopped_by}
        if self.args.distinct:
            data["groups"] = [{"symmetries": group, "count": number} for group, number in sorted(self.groups.items())]
        return data | {"seconds": round(self.seconds, 6)}

    def outcome(self) -> str:
        """Return in words how many tours were listed, how long it took, and what ended the list early."""
        words = f"{self.count:,} {self.sought(self.count)} by {self.listing.name} in {self.seconds:.3g} s"
        if self.listing.calls:
            words += f": {plural(self.listing.calls, 'position')}"
        if any(self.groups):
            without = f"without {symmetry_noun(self.listing.problem.graph.space)}"
            named = {group: f"with {' and '.join(group)}" if group else without for group in self.groups}
            words += "; " + ", ".join(f"{number:,} {named[group]}" for group, number in sorted(self.groups.items()))
        space = self.listing.problem.graph.space
        words += "; distinct up to reversal, as the symmetries of a graph are not known" * (
            self.args.distinct and not space.layout and len(space.symmetries()) == 1
        )
        if self.stopped_by == "interrupt":  # some of those that were being written may have been printed
            words = f"At least {words}"
        return f"{words}. {stop_words(self.stopped_by)}." if self.stopped_by else words

    def sought(self, number: int = 2) -> str:
        """Return in words which tours are listed, in the plural unless the number is 1: ``distinct closed tours of the
        6x6 board``."""
        return f"{'distinct ' * self.args.distinct}{tours_sought(self.listing.problem, number)}"


def _output_path(args: Namespace) -> Path | None:
    """Return the path of ``--output``, None for standard output; `BadInput` if tours can't be written there, or not
    with its suffix."""
    if args.output in (None, "-"):
        return None
    path = Path(args.output)
    if path.suffix.lower() not in FILES:
        raise BadInput(f"can't write tours to {path}: give it the suffix {' or '.join(FILES)}")
    for place in (path, tour_file_beside(path)) if path.suffix.lower() == ".npy" else (path,):
        check_place(place, force=args.force)
    return path


Sink = Callable[[Ints, Sequence[tuple[str, ...]] | None], None]
"""Writes tours, which are rows of vertices, with the symmetries of each unless None."""

Form = Literal["text", "json", "stream"]
"""How tours are printed: as boards, as one JSON object, or as an object a line."""


@contextmanager
def open_sinks(
    graph: Graph,
    opening: dict[str, Any],
    summary: Callable[[], dict[str, Any]],
    path: Path | None,
    printed: Form | None,
) -> Iterator[list[Sink]]:
    """Yield the sinks for tours, one each for stdout and for a file if wanted. The file is kept if the block ends
    without an error and has a result (`is_result`)."""
    chosen: list[Sink] = []
    with ExitStack() as stack, suppress(_NothingFound), ExitStack() as files:
        if printed == "json":
            chosen.append(stack.enter_context(_json_object_sink(graph, opening, summary, write_at_once)))
        elif printed is not None:
            chosen.append(_json_lines_sink(graph) if printed == "stream" else _text_sink(graph))
        if path is not None and path.suffix.lower() == ".npy":
            chosen.append(files.enter_context(_array_sink(graph, opening, summary, path)))
        elif path is not None:
            file = files.enter_context(writing(path))
            put = files.enter_context(
                _json_object_sink(graph, opening, summary, lambda text: file.write(text.encode()))
            )
            chosen.append(put)
        yield chosen
        if not is_result(summary()):
            raise _NothingFound


def is_result(summary: Mapping[str, Any]) -> bool:
    """Return True if tours were found, or it is known that there are none."""
    return bool(summary["count"]) or summary["stopped_by"] is None


class _NothingFound(Exception):
    """Raised to discard a file that would have no result."""


def _text_sink(graph: Graph) -> Sink:
    """Return a sink that prints tours as boards of visit numbers, or, if there is no board, as lines of names."""
    if graph.space.layout:
        boards = TourTexts(graph.space)
        return lambda tours, _: write_at_once(boards.text(tours))
    return lambda tours, _: write_at_once("".join(graph.space.line(tour) + "\n" for tour in tours.tolist()))


def _json_lines_sink(graph: Graph) -> Sink:
    """Return a sink that prints each tour as a JSON object on its own line."""
    places, numbers = graph.space.all_vertex_data(), count(1)

    def put(tours: Ints, groups: Sequence[tuple[str, ...]] | None) -> None:
        for tour, group in zip(tours.tolist(), groups or repeat(()), strict=False):
            line = {"event": "tour", "number": next(numbers), "tour": [places[vertex] for vertex in tour]}
            write_at_once(json.dumps(line if groups is None else line | {"symmetries": group}) + "\n")

    return put


@contextmanager
def _json_object_sink(
    graph: Graph, opening: dict[str, Any], summary: Callable[[], dict[str, Any]], write: Callable[[str], object]
) -> Iterator[Sink]:
    """Yield a sink that writes all tours as one JSON object, a line for each tour."""
    places, before = [json.dumps(place) for place in graph.space.all_vertex_data()], "\n"

    def put(tours: Ints, _groups: object) -> None:
        """Write the tours as items of a JSON array."""
        nonlocal before
        for tour in tours.tolist():
            write(f"{before}[{', '.join([places[vertex] for vertex in tour])}]")
            before = ",\n"

    write(json.dumps(opening)[:-1] + ', "tours": [')
    yield put
    write("\n], " + json.dumps(summary())[1:] + "\n")


@contextmanager
def _array_sink(
    graph: Graph, opening: dict[str, Any], summary: Callable[[], dict[str, Any]], path: Path
) -> Iterator[Sink]:
    """Yield a sink that writes tours to an ``.npy`` array, a row of vertices each, and a JSON file that describes
    it."""
    with writing_rows(path, graph.order, np.min_scalar_type(max(graph.order - 1, 0))) as rows:
        yield lambda tours, _: rows.append(tours)
        write_tour_file(tour_file_beside(path), opening | {"tours": path.name} | summary())
