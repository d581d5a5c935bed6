"""``cpsat-tour solve``: one tour of a board or a graph, by a backend of choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.backends import registry, runner
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.cube_options import cluster_options
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.options import (
    backend_option,
    force_option,
    limit_options,
    pairs_option,
    problem_options,
    read_in_time,
)
from cpsat_tour.cli.progress import ProgressLine, print_event
from cpsat_tour.cli.results import say_unknown, show_tour, tour_file, why_none
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.interrupts import Interrupted
from cpsat_tour.core.problem import Problem
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
@click.option("--order", help="For dfs: the move order, such as fixed:48172635, pohl, centre, random.")
@click.option("--prune", help="For dfs: the prunings, such as none, all, or degree,colour.")
@click.option("--no-backtrack", is_flag=True, help="For dfs: never go back; stop at the first dead end.")
@limit_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tour to FILE: .svg, .png, .gif, .txt, .json, .npy; - prints it."
)
@force_option
@cluster_options
@click.option(
    "--animate",
    type=click.Choice(["walk", "search"]),
    help="What a .gif shows: the knight's walk, or the search of dfs.",
)
@click.option("--frame-rate", type=float, metavar="N", help="Frames a second of a .gif.  [default: 6]")
@click.option("--size", type=int, metavar="PIXELS", help="The longer side of a .gif.  [default: 480]")
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
    order: str | None,
    prune: str | None,
    no_backtrack: bool,
    limits: Limits,
    output: str | None,
    force: bool,
    scheduler: str | None,
    cluster: str | None,
    animate: str | None,
    frame_rate: float | None,
    size: int | None,
    folder: str | None,
    as_json: bool,
    json_stream: bool,
    verbose: bool,
    **sought: Any,
) -> None:
    """Find one tour of BOARD, open unless --closed.

    Exit status: 0 a tour, 20 there is none, 3 unknown (a limit was met).
    """
    native = {"order": order, "prune": prune, "backtrack": "false" if no_backtrack else None}
    chosen = {key: value for key, value in native.items() if value is not None}
    moving = {"--animate": animate, "--frame-rate": frame_rate, "--size": size}
    if _can_stream(backend, sought["board"], output, (scheduler, cluster)):
        assert output is not None
        _is_film(None, moving)
        registry.load("construct", options | chosen)
        ctx.exit(
            _streamed(Path(output), sought, limits, (scheduler, cluster), force=force, as_json=as_json or json_stream)
        )
    problem, limits = read_in_time(limits, **sought)
    path = tour_file(output, problem.graph, force=force)
    if folder is not None:
        _certificate_can_be_written(problem, folder, force=force)
    name = backend or ("dfs" if chosen or animate == "search" else "auto")
    engine = _engine(name, options | chosen, verbose=verbose)
    film = None
    if _is_film(path, moving):
        from cpsat_tour.cli.film import read_film  # what draws takes a while to load

        film = read_film(problem, (name, engine), limits, animate=animate, frame_rate=frame_rate, size=size)
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


def _can_stream(
    backend: str | None, board: str | None, output: str | None, cluster: tuple[str | None, str | None]
) -> bool:
    """Whether this tour is written while it is made: to an array, or on a cluster into a folder."""
    constructed = (
        backend == "construct" and output not in (None, "-") and bool(board and Board.written.fullmatch(board))
    )
    if cluster != (None, None) and not constructed:
        raise BadInput(
            "tours are written on a cluster by --backend construct alone, a board's into a folder that -o names"
        )
    return constructed and (cluster != (None, None) or Path(str(output)).suffix.lower() == ".npy")


def _streamed(
    path: Path, sought: dict[str, Any], limits: Limits, cluster: tuple[str | None, str | None], **show: bool
) -> Exit:
    for option in ("graph", "require", "forbid", "at", "puzzle"):
        if sought[option]:
            raise BadInput(f"backend construct does not take --{option}: choose another, such as sat")
    from cpsat_tour.cli.streaming import stream  # it loads a compiler

    ends = sought["start"], sought["end"]
    return stream(
        sought["board"],
        sought["holes"],
        sought["leaper"],
        ends,
        sought["closed"],
        sought["symmetry"],
        limits,
        path,
        cluster,
        **show,
    )


def _is_film(path: Path | None, options: Mapping[str, object]) -> bool:
    """Whether the tour becomes a moving picture; `BadInput` where it does not and one of the options is for that."""
    if path is not None and path.suffix.lower() == ".gif":
        return True
    for option, value in options.items():
        if value is not None:
            raise BadInput(f"{option} {value} is for moving pictures: write the tour to a .gif file with -o")
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
            show_tour(answer.tour, self.path, printed=printed, save=self.film.save if self.film else None)
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
