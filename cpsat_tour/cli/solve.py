"""``cpsat-tour solve``: one tour of a board or a graph, found by any backend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from cpsat_tour.backends import registry, runner
from cpsat_tour.cli.display import ProgressLine, output_path, show_answer, why_none
from cpsat_tour.cli.messages import BACKEND_FAILED, EXITS, Exit, is_quiet, json_line, say, stop_words
from cpsat_tour.cli.options import (
    LIMITS,
    PAIRS,
    PROBLEM,
    TOUR_OUTPUT,
    Namespace,
    backend_option,
    command,
    option,
    read_problem_and_limits,
)
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.run import Interrupted
from cpsat_tour.formats.describe import a_tour_sought, answer_data, event_data, tour_sought, work_words
from cpsat_tour.formats.files import check_place
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.symmetry import tour_kind


@command(
    groups={
        "Problem": PROBLEM,
        "Backend": [backend_option("Use only this backend; see cpsat-tour backends.  [default: auto]"), PAIRS],
        "Limits": LIMITS,
        "Output": [
            *TOUR_OUTPUT,
            option("--json-stream", "Print a JSON object for each event, and the answer last."),
            option("-v --verbose", "Print the solver's own log and the work counters on stderr."),
            option("--certificate DIR", "If there is no tour, write a certificate into this folder."),
        ],
    },
    exits={
        Exit.ANSWER: "A tour is found.",
        Exit.FAULT: BACKEND_FAILED,
        Exit.NONE: "There is no tour.",
        Exit.LIMIT: "A limit was reached first: it is unknown whether there is a tour.",
    },
)
def solve(args: Namespace) -> Exit:
    """Find one tour of BOARD, open unless --closed.

    BOARD is 8x8, a box 4x4x3, a wrapped board torus:5x5, a member of a family GP(17,2), or the path of a graph file.
    """
    if args.as_json and args.json_stream:
        raise BadInput("--json can't go with --json-stream: give one or the other")
    if is_quiet() and args.verbose:
        raise BadInput("--quiet can't go with --verbose: give one or the other")
    suffix = Path(args.output or "-").suffix.lower()
    name = args.backend or "auto"
    if name == "construct" and suffix == ".npy" and Board.written.fullmatch(args.board or ""):
        registry.load("construct", args.options)
        return _stream_large_board(args)
    problem, limits = read_problem_and_limits(args)
    path = output_path(args, problem.graph)
    if args.certificate is not None:
        from cpsat_tour.proofs.write.certificate import check_certificate_folder  # which takes a while to load

        check_certificate_folder(args.certificate, force=args.force)
        if problem.givens:
            words = f"can't write a certificate to {args.certificate}"
            raise BadInput(f"{words}: certificates are for tours without given numbers")
    if args.verbose and name.partition("@")[0] == "cpsat":
        args.options.setdefault("log", "true")
    engine = registry.load(name, args.options)
    with ProgressLine(f"seeking {a_tour_sought(problem)} with {name}") as progress:
        try:
            listen = (lambda event: json_line(event_data(event))) if args.json_stream else progress
            answer = runner.run(problem, engine, limits, listen, name)
        except Interrupted as interrupted:
            answer = interrupted.known
    none = why_none(problem, answer) if answer.none else ""
    as_json = args.as_json or args.json_stream
    described: dict[str, Any] = {"event": "answer"} if args.json_stream else {}
    if as_json or path is not None:
        described |= answer_data(problem, answer)
    show_answer(answer, described, path, none=none, as_json=as_json)
    took = f"{answer.seconds:.3g} s"
    if answer.tour is not None:
        kind = problem.symmetry and tour_kind(problem.symmetry, answer.tour.vertices, closed=problem.closed)
        say(f"{f'{kind} ' if kind else ''}{tour_sought(problem)} by {answer.backend} in {took}")
    if answer.unknown:
        unknown = f"{stop_words(answer.stopped_by)}: whether there is {a_tour_sought(problem)} is still unknown"
        say(f"{unknown} ({answer.backend}, {took}: {work_words(answer) or 'the backend counted no work'}).")
    if args.verbose and answer.work:
        say(work_words(answer))
    if args.certificate is not None and answer.none:
        from cpsat_tour.cli.prove import certify  # the prover takes a while to load

        left = None if limits.seconds is None else max(0.0, limits.seconds - answer.seconds)
        certify(problem, answer, Path(args.certificate), replace(limits, seconds=left))
    return Exit.INTERRUPTED if answer.stopped_by == "interrupt" else EXITS[answer.status]


def _stream_large_board(args: Namespace) -> Exit:
    """Construct the tour of a board of any size and write it as an array; return the exit status, `LIMIT` when the time
    is over or there is no such tour. `BadInput` for what ``construct`` does not take.

    The tour is verified while it is written, without a graph, and is never in memory as a whole.
    """
    # What compiles takes a while to load, and so does the room of all kinds of spaces.
    from cpsat_tour.formats.arrays import write_visits
    from cpsat_tour.formats.tour_files import PLAIN, tour_file_beside, write_tour_file
    from cpsat_tour.native.construct import LargeBoard, tour_in_parts
    from cpsat_tour.spaces.theorems import why_no_tour

    refusal = "backend construct does not take {}{}: choose another, such as sat"
    for name in ("start", "end", "require", "forbid", "symmetry", "at", "puzzle"):
        if getattr(args, name):
            raise BadInput(refusal.format(f"--{name}", " where it writes an .npy file"))
    board = LargeBoard.parse(args.board, args.holes, args.leaper or "1,2")
    path, closed = Path(args.output), args.closed
    if not board.plain:
        raise BadInput(refusal.format(board.called(), ": it takes knight's boards without holes"))
    for place in (path, tour_file_beside(path)):
        check_place(place, force=args.force)
    tour, clock = f"{'closed' if closed else 'open'} tour of the {board} board", Limits(args.time_limit).clock()
    try:
        with ProgressLine(f"writing the {tour} to {path}") as progress:
            if why := why_no_tour(board, closed=closed):
                raise StoppedEarly(why)
            chunks = tour_in_parts(board.rows, board.cols, closed=closed)
            write_visits(path, chunks, board.sides, closed=closed, clock=clock, on_event=progress)
    except StoppedEarly as stopped:
        say(f"{stop_words(str(stopped))}: construct has no {tour}, so nothing is written to {path}.")
        return Exit.LIMIT
    except TourFault as fault:
        raise BackendFault(f"backend construct made a wrong tour: {fault}") from fault
    problem = {"rows": board.rows, "cols": board.cols, "closed": closed} | PLAIN
    answer: dict[str, Any] = {"problem": problem, "backend": "construct", "status": "tour", "tour": path.name}
    answer["seconds"] = round(clock.seconds, 6)
    write_tour_file(tour_file_beside(path), answer)
    if args.as_json or args.json_stream:
        json_line(answer)
    say(f"wrote {path}")
    say(f"{tour} by construct in {clock.seconds:.3g} s")
    return Exit.ANSWER
