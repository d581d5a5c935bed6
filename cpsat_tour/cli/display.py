"""How commands show a run: a line with live counters on a terminal while it works, then the tour or why there is
none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from cpsat_tour.cli.messages import is_quiet, json_line, print_out, say, write_at_once
from cpsat_tour.cli.options import Namespace
from cpsat_tour.core.errors import BadInput, printable
from cpsat_tour.core.events import Compiling, Event, LogLine, PartOut
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import layout_of
from cpsat_tour.formats.describe import ProgressWords, tour_sought
from cpsat_tour.formats.tour_forms import FORMS
from cpsat_tour.interface.answer import Answer

QUIET_SECONDS = 1.0


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line on stderr with the seconds and the counters so far. Nothing is shown if stderr is not a terminal, or
    before `QUIET_SECONDS`; but that the search is compiled is said anywhere."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._words = ProgressWords()
        self._compiling = False
        self._status: Any = None
        self._spinner: Any = None
        self._shown = sys.stderr.isatty() and not is_quiet()

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        """Update the counters that are shown. A line of a solver's log, and a backend that leaves a portfolio, are
        printed on a line of their own."""
        if isinstance(event, LogLine):
            say(event.line)
        elif isinstance(event, PartOut) and (event.fault or self._shown):
            say(f"{event.part} is out: {event.why}")
        elif isinstance(event, Compiling) and not self._compiling:
            where = f"in every run, since {event.unwritable} can't be written" if event.unwritable else "once"
            say(f"Compiling the search, for some seconds; this happens {where}.")
            self._compiling = True
        elif self._shown:
            if not isinstance(event, Compiling):
                self._words.take(event)
            seconds = time.monotonic() - self._begun
            if seconds < QUIET_SECONDS:
                return
            from rich.text import Text  # only where there is a terminal

            if self._status is None:
                from rich.console import Console
                from rich.live import Live
                from rich.spinner import Spinner

                self._spinner, console = Spinner("dots"), Console(stderr=True)
                # Results are not redirected to the terminal: stdout may be a pipe.
                self._status = Live(self._spinner, console=console, transient=True, redirect_stdout=False)
                self._status.start()
            self._spinner.update(text=Text(printable(self._words.line(self._what, seconds))))


def output_path(args: Namespace, graph: Graph, form: str | None = None, *, several: bool = False) -> Path | None:
    """Return the file that ``--output`` names, for ``several`` routes or for one tour, None for standard output;
    `BadInput` if it can't be written, or the graph has no tours in this form."""
    if form is not None and args.as_json:
        raise BadInput(f"--json can't go with --format {form}: give one or the other")
    if form == "board":
        layout_of(graph.space)
    if args.output in (None, "-"):
        return None
    from cpsat_tour.formats.saving import ROUTES, SUFFIXES, check_destination  # what draws takes a while to load

    check_destination(args.output, graph, form=form, force=args.force, suffixes=ROUTES if several else SUFFIXES)
    return Path(args.output)


def show_answer(
    answer: Answer,
    described: Mapping[str, Any],
    path: Path | None,
    *,
    none: str,
    as_json: bool,
    form: str | None = None,
) -> None:
    """Print the answer: ``described`` as JSON, or else the tour, perhaps in a form of `FORMS`, or ``none``, which says
    why there is no tour; with a path as in `save_or_print`."""
    if as_json:
        json_line(described)
    if answer.tour is None:
        if none and not as_json:
            print_out(none)
        if path is not None:
            say(f"No tour was found, so nothing is written to {path}.")
        return
    problem, vertices = Problem(answer.tour.graph, answer.tour.closed), answer.tour.vertices
    text = FORMS[form or ("board" if problem.graph.space.layout else "line")]

    def save(path: Path) -> None:
        from cpsat_tour.formats.saving import save_tour  # what draws takes a while to load

        save_tour(problem, vertices, path, described, form=form, force=True)  # what is there was looked at before

    save_or_print(path, save, lambda: text(problem, vertices), as_json=as_json)


def save_or_print(path: Path | None, save: Callable[[Path], None], text: Callable[[], str], *, as_json: bool) -> None:
    """Save a result in the file, and say so; without one, or if that fails, print its text, so that it is not lost,
    unless it was printed ``as_json``."""
    shown = as_json
    try:
        if path is not None:
            save(path)
            shown = True
            say(f"wrote {path}")
    finally:
        if not shown:
            write_at_once(text())


def say_where_certificate_is(folder: str | Path) -> None:
    """Say where the certificate is, and how to check it again."""
    say(f"The certificate in {folder} is checked. Check it again with: cpsat-tour check {folder}")


def why_none(problem: Problem, answer: Answer) -> str:
    """Return in words that there is no tour, how this is known, and the theorem that says so, if any."""
    from cpsat_tour.spaces.theorems import why_no_tour  # with all kinds of spaces

    lines = [f"There is no {tour_sought(problem)}.", f"{answer.refutation}."]
    free = problem.closed or problem.start is None is problem.end
    if free and (theorem := why_no_tour(problem.graph.space, closed=problem.closed)):
        lines.append(theorem)
    return "\n".join(lines)
