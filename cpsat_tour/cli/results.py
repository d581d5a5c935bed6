"""Answers as the command line shows them: tours, reasons why there is none, and what is known where a limit was met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cpsat_tour.cli.messages import say
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.describe import shown_tour, tour_sought


def tour_file(output: str | None, graph: Graph, *, force: bool) -> Path | None:
    """The file that a tour goes to, None for standard output; `BadInput` where it can't be written there."""
    if output in (None, "-"):
        return None
    from cpsat_tour.drawing.files import check_destination  # what draws takes a while to load

    path = Path(output)
    check_destination(path, graph, force=force)
    return path


def show_tour(
    tour: Tour,
    path: Path | None,
    described: Mapping[str, Any],
    *,
    printed: bool,
    save: Callable[[Tour, Path], None] | None = None,
) -> None:
    """Print the tour, unless it is printed in another form, or write it to the file, with all that JSON tells where
    that is one; a tour that can't be written is printed, not lost."""
    if path is None:
        if not printed:
            print(shown_tour(tour))
        return
    from cpsat_tour.drawing.files import save_tour  # what draws takes a while to load

    try:
        if save is not None:
            save(tour, path)
        else:
            save_tour(tour, path, described, force=True)  # what is there was looked at before the work
    except BadInput:
        if not printed:
            print(shown_tour(tour))
        raise
    say(f"wrote {path}")


def say_certificate(folder: str | Path) -> None:
    """Say where a certificate was written, and how to check it again."""
    say(f"wrote a certificate to {folder}, and checked it; check it again with: cpsat-tour check {folder}")


def why_none(problem: Problem, answer: Answer) -> str:
    """That there is no tour, how it is known, and what a theorem says."""
    from cpsat_tour.spaces.theorems import sentence  # with all kinds of spaces

    lines = [f"There is no {tour_sought(problem)}.", f"{answer.refutation}."]
    free = problem.closed or problem.start is None is problem.end
    if free and (theorem := sentence(problem.graph.space, closed=problem.closed)):
        lines.append(theorem)
    return "\n".join(lines)
