"""``cpsat-tour solve``: one tour of a board or a graph, by a backend of choice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.cli.options import limit_options, problem_options, read_backend_options, read_problem
from cpsat_tour.cli.progress import INTERRUPTED, say

if TYPE_CHECKING:
    from cpsat_tour.core.answer import Answer, Limits
    from cpsat_tour.core.problem import HamiltonProblem
    from cpsat_tour.core.tour import Tour

EXIT = {"tour": 0, "none": 20, "unknown": 3}


@click.command()
@problem_options
@click.option("--backend", metavar="NAME[@SOLVER]", help="The backend to ask, and it alone; see cpsat-tour backends.  [default: auto]")
@click.option("-O", "pairs", metavar="KEY=VALUE", multiple=True, help="An option of the backend; may be repeated.")
@click.option("--order", help="For dfs: the move order, such as fixed:48172635, pohl, centre, random.")
@click.option("--prune", help="For dfs: the prunings, such as none, all, or degree,colour.")
@click.option("--no-backtrack", is_flag=True, help="For dfs: never go back; stop at the first dead end.")
@limit_options
@click.option("-o", "--output", metavar="FILE", help="Write the tour to FILE: .svg, .png, .gif, .txt or .json.")
@click.option("--animate", type=click.Choice(["walk", "search"]), help="What a .gif shows: the knight's walk, or the search of dfs.")
@click.option("--frame-rate", type=float, metavar="N", help="Frames a second of a .gif.  [default: 6]")
@click.option("--size", type=int, metavar="PIXELS", help="The longer side of a .gif.  [default: 480]")
@click.option("--certificate", "folder", metavar="DIR", help="Where there is none, write a certificate of that into this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--json-stream", is_flag=True, help="Print one JSON object for each event, and the answer last.")
@click.option("-v", "--verbose", is_flag=True, help="The solver's own log and the work counters on stderr.")
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    backend: str | None,
    pairs: tuple[str, ...],
    order: str | None,
    prune: str | None,
    no_backtrack: bool,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output: str | None,
    animate: str | None,
    frame_rate: float | None,
    size: int | None,
    folder: str | None,
    as_json: bool,
    json_stream: bool,
    verbose: bool,
    **asked: Any,
) -> None:
    """Find one tour of BOARD, open unless --closed.

    Exit status: 0 a tour, 20 there is none, 3 unknown (a limit was met).
    """
    from cpsat_tour.backends import registry, runner
    from cpsat_tour.cli.film import read_film
    from cpsat_tour.cli.progress import ProgressLine, print_event
    from cpsat_tour.cli.prove import check_folder
    from cpsat_tour.core.answer import Limits
    from cpsat_tour.core.errors import BadInput
    from cpsat_tour.core.interrupts import Interrupted
    from cpsat_tour.drawing.files import check_destination
    from cpsat_tour.formats.describe import one

    problem = read_problem(**asked)
    path = None if output is None else Path(output)
    if path is not None:
        check_destination(path, problem.graph)
    if folder is not None:
        check_folder(folder)
        if problem.graph.directed:
            raise BadInput(f"can't write a certificate to {folder}: certificates are for undirected graphs")
    options = read_backend_options(pairs)
    native = {"order": order, "prune": prune, "backtrack": "false" if no_backtrack else None}
    options |= {key: value for key, value in native.items() if value is not None}
    name = backend or ("dfs" if any(native.values()) or animate == "search" else "auto")
    if verbose and name.partition("@")[0] == "cpsat":
        options.setdefault("log", "true")
    engine = registry.load(name, options)
    limits = Limits(seconds=time_limit, threads=threads, seed=seed)
    film = read_film(problem, path, (name, engine), limits, animate=animate, frame_rate=frame_rate, size=size)
    try:
        with ProgressLine(f"seeking {one(problem)} with {name}") as progress:
            answer = runner.run(problem, engine, limits, print_event if json_stream else progress, name)
    except Interrupted as interrupted:
        _show(problem, interrupted.answer, None, as_json=as_json, json_stream=json_stream, verbose=verbose)
        ctx.exit(INTERRUPTED)
    _show(problem, answer, path, as_json=as_json, json_stream=json_stream, verbose=verbose, save=film.save if film else None)
    if folder is not None and answer.status == "none":
        left = None if time_limit is None else max(0.0, time_limit - answer.seconds)
        _certify(problem, answer, Path(folder), replace(limits, seconds=left))
    ctx.exit(EXIT[answer.status])


def _show(
    problem: HamiltonProblem,
    answer: Answer,
    path: Path | None,
    *,
    as_json: bool,
    json_stream: bool,
    verbose: bool,
    save: Callable[[Tour, Path], None] | None = None,
) -> None:
    """The result on stdout or in the file, and what there is to say about it on stderr."""
    from cpsat_tour.formats.describe import answer_data, asked, one, work_words

    if as_json or json_stream:
        print(json.dumps(({"event": "answer"} if json_stream else {}) | answer_data(problem, answer)), flush=True)
    if answer.tour is not None:
        show_tour(answer, path, printed=as_json or json_stream, save=save)
        say(f"{asked(problem)} by {answer.backend} in {answer.seconds:.3g} s")
    elif not (as_json or json_stream) and answer.status == "none":
        print(_why_none(problem, answer))
    if answer.tour is None and path is not None:
        say(f"no tour, so nothing is written to {path}")
    if answer.status == "unknown":
        stopped = "interrupted" if answer.stopped_by == "interrupt" else f"stopped by: {answer.stopped_by}"
        known = work_words(answer) or "nothing is known yet"
        say(f"unknown whether there is {one(problem)}; {stopped} after {answer.seconds:.3g} s ({answer.backend}: {known})")
    if verbose and answer.work:
        say(work_words(answer))


def show_tour(answer: Answer, path: Path | None, *, printed: bool, save: Callable[[Tour, Path], None] | None = None) -> None:
    from cpsat_tour.core.errors import BadInput
    from cpsat_tour.drawing.files import save_tour
    from cpsat_tour.formats.describe import shown_tour

    assert answer.tour is not None
    shown = "" if printed else shown_tour(answer.tour)
    if path is None:
        if not printed:
            print(shown)
        return
    try:
        (save or save_tour)(answer.tour, path)
    except BadInput:
        if not printed:
            print(shown)
        raise
    say(f"wrote {path}")


def _certify(problem: HamiltonProblem, answer: Answer, folder: Path, limits: Limits) -> None:
    """Prove what the backend said, and write the certificate; a tour found on the way convicts the backend."""
    from cpsat_tour.core.answer import Answer as Other
    from cpsat_tour.core.errors import BackendFault
    from cpsat_tour.proofs.write.certificate import write_certificate
    from cpsat_tour.proofs.write.prove import prove

    certificate = answer.refutation.certificate if answer.refutation else None
    outcome = certificate or prove(problem, limits=limits)
    if not isinstance(outcome, Other):
        write_certificate(outcome, folder)
        say(f"wrote a certificate to {folder}; check it with: cpsat-tour check {folder}")
    elif outcome.status == "tour":
        raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
    elif outcome.status == "none":
        say("no certificate is written: this goes without saying")
    else:
        say(f"no certificate was found within the limit: {outcome.stopped_by}")


def _why_none(problem: HamiltonProblem, answer: Answer) -> str:
    """That there is no tour, how it is known, and what a theorem says."""
    from cpsat_tour.formats.describe import asked
    from cpsat_tour.spaces.board import Board
    from cpsat_tour.spaces.theorems import sentence

    lines = [f"There is no {asked(problem)}.", f"{answer.refutation}."]
    space = problem.graph.space
    free = problem.closed or problem.start is None is problem.end
    if isinstance(space, Board) and free and (theorem := sentence(space, closed=problem.closed)):
        lines.append(theorem)
    return "\n".join(lines)
