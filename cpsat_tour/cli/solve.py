"""``cpsat-tour solve``: one tour of a board or a graph, by a backend of choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import click

from cpsat_tour.backends import registry, runner
from cpsat_tour.cli.messages import EXITS, Exit, is_quiet, json_line, say
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
from cpsat_tour.cli.results import show_tour, tour_file, why_none
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.describe import a_tour_sought, answer_data, tour_sought, work_words
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.progress import event_data
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.turns import kind_of


@click.command(cls=Command)
@problem_options
@backend_option("The backend to ask, and it alone; see cpsat-tour backends.  [default: auto]")
@pairs_option
@limit_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tour to FILE: .svg, .png, .gif, .txt, .json, .npy; - prints it."
)
@force_option
@click.option(
    "--animate",
    type=click.Choice(["walk", "search"]),
    help="What a .gif shows: the knight's walk, or the search of dfs.",
)
@click.option(
    "--certificate", "folder", metavar="DIR", help="Where there is none, write a certificate of that into this folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--json-stream", is_flag=True, help="Print one JSON object for each event, and the answer last.")
@click.option("-v", "--verbose", is_flag=True, help="The solver's own log and the work counters on stderr.")
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    backend: str | None,
    options: dict[str, str],
    output: str | None,
    force: bool,
    animate: str | None,
    folder: str | None,
    as_json: bool,
    json_stream: bool,
    verbose: bool,
    **sought: Any,
) -> None:
    """Find one tour of BOARD, open unless --closed.

    Exit status: 0 a tour, 20 there is none, 3 unknown (a limit was met).
    """
    if as_json and json_stream:
        raise BadInput("--json can't go with --json-stream: give one or the other")
    if is_quiet() and verbose:
        raise BadInput("--quiet can't go with --verbose: give one or the other")
    suffix = Path(output or "-").suffix.lower()
    if animate is not None and suffix != ".gif":
        raise BadInput(f"--animate {animate} is for moving pictures: write the tour to a .gif file with -o")
    to_array = output is not None and suffix == ".npy"
    if to_array and backend == "construct" and Board.written.fullmatch(sought["board"] or ""):
        registry.load("construct", options)
        ctx.exit(_stream(Path(str(output)), sought, force=force, as_json=as_json or json_stream))
    problem, limits = read_in_time(**sought)
    path = tour_file(output, problem.graph, force=force)
    if folder is not None:
        _check_certificate(problem, folder, force=force)
    name = backend or ("dfs" if animate == "search" else "auto")
    if verbose and name.partition("@")[0] == "cpsat":
        options.setdefault("log", "true")
    engine = registry.load(name, options)
    if animate == "search" and name != "dfs":
        raise BadInput(f"--animate search shows the search of dfs, not of {name}: leave out --backend {name}")
    with ProgressLine(f"seeking {a_tour_sought(problem)} with {name}") as progress:
        try:
            listen = (lambda event: json_line(event_data(event))) if json_stream else progress
            answer = runner.run(problem, engine, limits, listen, name)
        except Interrupted as interrupted:
            answer = interrupted.known
    printed = as_json or json_stream
    if printed:
        json_line(({"event": "answer"} if json_stream else {}) | answer_data(problem, answer))
    save = partial(_save_search, problem, engine, limits) if animate == "search" else None
    _show(problem, answer, path, printed=printed, save=save)
    if verbose and answer.work:
        say(work_words(answer))
    if folder is not None and answer.status == "none":
        from cpsat_tour.cli.prove import certify  # the prover takes a while to load

        left = None if limits.seconds is None else max(0.0, limits.seconds - answer.seconds)
        certify(problem, answer, Path(folder), replace(limits, seconds=left))
    ctx.exit(Exit.INTERRUPTED if answer.stopped_by == "interrupt" else EXITS[answer.status])


def _check_certificate(problem: Problem, folder: str, *, force: bool) -> None:
    """Raise `BadInput` if a certificate of the problem can't be written there."""
    from cpsat_tour.proofs.write.certificate import (
        check_certificate_folder,  # what writes folders takes a while to load
    )

    check_certificate_folder(folder, force=force)
    if problem.givens:
        raise BadInput(f"can't write a certificate to {folder}: certificates are for tours without given numbers")


def _save_search(problem: Problem, engine: object, limits: Limits, tour: Tour, path: Path) -> None:
    """Draw the search of dfs, which ends on the tour."""
    from cpsat_tour.drawing.gif import search
    from cpsat_tour.native.dfs import Dfs
    from cpsat_tour.native.trace import trace  # Numba takes a while to load

    events = trace(problem, cast(Dfs, engine), limits)
    write(path, search(problem.graph.space, events, tour, closed=tour.closed))


def _show(
    problem: Problem, answer: Answer, path: Path | None, *, printed: bool, save: Callable[[Tour, Path], None] | None
) -> None:
    """Show the tour, or say why there is none or what stopped the search; all but what JSON has ``printed``."""
    took = f"{answer.seconds:.3g} s"
    if answer.tour is not None:
        show_tour(answer.tour, path, answer_data(problem, replace(answer, tour=None)), printed=printed, save=save)
        symmetry = problem.symmetry
        kind = symmetry and kind_of(symmetry, answer.tour.vertices, closed=problem.closed)
        say(f"{f'{kind} ' if kind else ''}{tour_sought(problem)} by {answer.backend} in {took}")
        return
    if answer.status == "none" and not printed:
        print(why_none(problem, answer))
    if path is not None:
        say(f"no tour, so nothing is written to {path}")
    if answer.status == "unknown":
        stopped = "interrupted" if answer.stopped_by == "interrupt" else f"stopped by: {answer.stopped_by}"
        known = work_words(answer) or "nothing is known yet"
        say(f"unknown whether there is {a_tour_sought(problem)}; {stopped} ({answer.backend}, {took}: {known})")


def _stream(path: Path, sought: dict[str, Any], *, force: bool, as_json: bool) -> Exit:
    """Construct the tour of a board, verify it and write it while it is made: it needs no graph and is never in memory
    as a whole."""
    # What compiles takes a while to load, and so does the room of all kinds of spaces.
    from cpsat_tour.formats.arrays import write_visits
    from cpsat_tour.formats.tour_files import PLAIN, beside, write_object
    from cpsat_tour.native.construct import LargeBoard, tour_in_parts
    from cpsat_tour.spaces.theorems import sentence

    refusal = "backend construct does not take {}{}: choose another, such as sat"
    for option in ("start", "end", "require", "forbid", "symmetry", "at", "puzzle"):
        if sought[option]:
            raise BadInput(refusal.format(f"--{option}", " where it writes an .npy file"))
    board, closed = LargeBoard.parse(sought["board"], sought["holes"], sought["leaper"] or "1,2"), sought["closed"]
    if not board.plain:
        raise BadInput(refusal.format(board.called(), ": it takes knight's boards without holes"))
    for place in (path, beside(path)):
        check_place(place, force=force)
    tour, clock = f"{'closed' if closed else 'open'} tour of the {board} board", Limits(sought["time_limit"]).clock()
    try:
        with ProgressLine(f"writing the {tour} to {path}") as progress:
            if why := sentence(board, closed=closed):
                raise StoppedEarly(why)
            chunks = tour_in_parts(board.rows, board.cols, closed=closed)
            write_visits(path, chunks, board.rows, board.cols, closed=closed, clock=clock, on_event=progress)
    except StoppedEarly as stopped:
        stop = f"stopped by: {stopped} (construct), so nothing is written to {path}"
        say(f"unknown whether there is a{'' if closed else 'n'} {tour}; {stop}")
        return Exit.LIMIT
    except TourFault as fault:
        raise BackendFault(f"backend construct made a wrong tour: {fault}") from fault
    problem = {"rows": board.rows, "cols": board.cols, "closed": closed} | PLAIN
    answer: dict[str, Any] = {"problem": problem, "backend": "construct", "status": "tour", "tour": path.name}
    answer["seconds"] = round(clock.seconds, 6)
    write_object(beside(path), answer)
    if as_json:
        json_line(answer)
    say(f"wrote {path}")
    say(f"{tour} by construct in {clock.seconds:.3g} s")
    return Exit.ANSWER
