"""``cpsat-tour solve``: one tour of a board or a graph, by a backend of choice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.backends import registry, runner
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import is_quiet, json_line, say
from cpsat_tour.cli.options import (
    backend_option,
    force_option,
    limit_options,
    pairs_option,
    problem_options,
    read_in_time,
    refuse_together,
)
from cpsat_tour.cli.progress import ProgressLine, print_event
from cpsat_tour.cli.results import say_unknown, show_tour, tour_file, why_none
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.describe import answer_data, asked, one, work_words
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.turns import kind_of

if TYPE_CHECKING:
    from cpsat_tour.cli.film import Film


@click.command()
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
    limits: Limits,
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
    refuse_together({"--json": as_json, "--json-stream": json_stream})
    refuse_together({"--quiet": is_quiet(), "--verbose": verbose})
    if _is_streamed(backend, sought["board"], output):
        assert output is not None
        _is_film(Path(output), animate)
        registry.load("construct", options)
        ctx.exit(_streamed(Path(output), sought, limits, force=force, as_json=as_json or json_stream))
    problem, limits = read_in_time(limits, **sought)
    path = tour_file(output, problem.graph, force=force)
    if folder is not None:
        _certificate_can_be_written(problem, folder, force=force)
    name = backend or ("dfs" if animate == "search" else "auto")
    engine = _engine(name, options, verbose=verbose)
    film = None
    if _is_film(path, animate):
        from cpsat_tour.cli.film import read_film  # what draws takes a while to load

        film = read_film(problem, (name, engine), limits, animate=animate)
    shown = _Output(problem, path, film, as_json, json_stream, verbose)
    try:
        with ProgressLine(f"seeking {one(problem)} with {name}") as progress:
            answer = runner.run(problem, engine, limits, print_event if json_stream else progress, name)
    except Interrupted as interrupted:
        shown.show(interrupted.known)
        ctx.exit(Exit.INTERRUPTED)
    shown.show(answer)
    if folder is not None and answer.status == "none":
        from cpsat_tour.cli.prove import certify  # the prover takes a while to load

        left = None if limits.seconds is None else max(0.0, limits.seconds - answer.seconds)
        certify(problem, answer, Path(folder), replace(limits, seconds=left))
    ctx.exit(Exit.of(answer.status))


def _is_streamed(backend: str | None, board: str | None, output: str | None) -> bool:
    """Whether this tour is written while it is made: a constructed one of a board, to an array."""
    to_array = output is not None and Path(output).suffix.lower() == ".npy"
    return backend == "construct" and to_array and bool(board and Board.written.fullmatch(board))


def _streamed(path: Path, sought: dict[str, Any], limits: Limits, *, force: bool, as_json: bool) -> Exit:
    for option in ("start", "end", "require", "forbid", "symmetry", "at", "puzzle"):
        if sought[option]:
            raise BadInput(
                f"backend construct does not take --{option} where it writes an .npy file: choose another, such as sat"
            )
    from cpsat_tour.cli.streaming import stream  # it loads a compiler
    from cpsat_tour.native.construct import LargeBoard

    board = LargeBoard.parse(sought["board"], sought["holes"], sought["leaper"] or "1,2")
    return stream(board, closed=sought["closed"], limits=limits, path=path, force=force, as_json=as_json)


def _is_film(path: Path | None, animate: str | None) -> bool:
    """Whether the tour becomes a moving picture; `BadInput` where it does not and ``--animate`` says what is in it."""
    if path is not None and path.suffix.lower() == ".gif":
        return True
    if animate is not None:
        raise BadInput(f"--animate {animate} is for moving pictures: write the tour to a .gif file with -o")
    return False


def _certificate_can_be_written(problem: Problem, folder: str, *, force: bool) -> None:
    from cpsat_tour.proofs.write.folder import check_certificate_folder  # what writes folders takes a while to load

    check_certificate_folder(folder, force=force)
    if problem.givens:
        raise BadInput(f"can't write a certificate to {folder}: certificates are for tours without given numbers")


def _engine(name: str, options: dict[str, str], *, verbose: bool) -> Backend:
    """The backend with its options; CP-SAT logs its search if people want to see it."""
    if verbose and name.partition("@")[0] == "cpsat":
        options.setdefault("log", "true")
    return registry.load(name, options)


@dataclass(frozen=True)
class _Output:
    """Where the answer goes: to stdout or a file, with messages beside it on stderr."""

    problem: Problem
    path: Path | None
    film: Film | None
    as_json: bool
    json_stream: bool
    verbose: bool

    def show(self, answer: Answer) -> None:
        """Show the answer, then say what there is to say about it."""
        printed = self.as_json or self.json_stream
        if printed:
            json_line(({"event": "answer"} if self.json_stream else {}) | answer_data(self.problem, answer))
        if answer.tour is not None:
            listed = self.path is not None and self.path.suffix.lower() == ".json"
            described = answer_data(self.problem, answer if listed else replace(answer, tour=None))
            show_tour(answer.tour, self.path, described, printed=printed, save=self.film.save if self.film else None)
            say(f"{self._kind(answer.tour)}{asked(self.problem)} by {answer.backend} in {answer.seconds:.3g} s")
        elif answer.status == "none" and not printed:
            print(why_none(self.problem, answer))
        if answer.tour is None and self.path is not None:
            say(f"no tour, so nothing is written to {self.path}")
        if answer.status == "unknown":
            say_unknown(self.problem, answer)
        if self.verbose and answer.work:
            say(work_words(answer))

    def _kind(self, tour: Tour) -> str:
        """What people call a symmetric tour: ``Eulerian ``; nothing where there is no name for it."""
        symmetry = self.problem.symmetry
        kind = None if symmetry is None else kind_of(symmetry, tour.vertices, closed=tour.closed)
        return "" if kind is None else f"{kind} "
