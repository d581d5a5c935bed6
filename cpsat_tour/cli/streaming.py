"""A constructed tour written to a file while it is made: the board needs no graph, and the tour no memory."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.cli.cube_options import read_cluster
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.formats.bundles import files_named
from cpsat_tour.formats.files import check_place
from cpsat_tour.formats.visit_parts import FILES, PARTS, write_parts
from cpsat_tour.formats.visit_strips import write_strips
from cpsat_tour.formats.visits import write_visits
from cpsat_tour.native.construct.backend import plain_board, turns_of
from cpsat_tour.native.construct.pieces import Chunks
from cpsat_tour.native.construct.strips import strips_of
from cpsat_tour.native.construct.tours import LargeBoard, NoConstruction, constructed
from cpsat_tour.native.construct.walk import Walk
from cpsat_tour.spaces.board import Board


def stream(
    size: str,
    holes: tuple[str, ...],
    leaper: str | None,
    ends: tuple[str | None, str | None],
    closed: bool,
    symmetry: str | None,
    limits: Limits,
    path: Path,
    cluster: tuple[str | None, str | None],
    *,
    force: bool,
    as_json: bool,
) -> Exit:
    """Construct, verify and write the tour, and say what was done; the exit status."""
    board = plain_board(LargeBoard.parse(size, holes, leaper or "1,2"))
    start, end = (None if square is None else board.row_col(board.square(square)) for square in ends)
    if start is None is not end:
        raise BadInput(
            f"a tour that is written while it is made needs a start before its end {ends[1]}: give --start too"
        )
    turns = 1 if symmetry is None else turns_of(symmetry)
    in_parts = cluster != (None, None)
    if in_parts:
        PARTS.check_place(path, files_named(FILES, path), force=force)
    else:
        check_place(path, force=force)
    symmetric = f" with symmetry {symmetry}" if symmetry else ""
    asked, clock = f"{'closed' if closed else 'open'} tour of the {board} board{symmetric}", limits.clock()
    try:
        with ProgressLine(f"writing the {asked} to {path}") as progress:
            tour = constructed(board, closed=closed, start=start, end=end, turns=turns)
            threads = limits.threads or 1
            if in_parts:
                parts = {
                    (
                        f"on {_write_on_cluster(path, tour, board, closed, cluster, clock, progress)} workers"
                    ): clock.seconds
                }
            elif threads > 1 and isinstance(tour, Walk):
                write_strips(
                    path,
                    strips_of(tour),
                    board.rows,
                    board.cols,
                    closed=closed,
                    threads=threads,
                    clock=clock,
                    on_event=progress,
                )
                parts = {f"on {threads} threads": clock.seconds}
            else:
                parts = write_visits(
                    path,
                    tour.chunks(),
                    board.rows,
                    board.cols,
                    closed=closed,
                    turns=turns,
                    clock=clock,
                    on_event=progress,
                )
    except (NoConstruction, StoppedEarly) as why:
        say(
            f"unknown whether there is a{'' if closed else 'n'} {asked}; stopped by: {why} (construct), so "
            f"nothing is written to {path}"
        )
        return Exit.LIMIT
    except TourFault as fault:
        raise BackendFault(f"backend construct made a wrong tour: {fault}") from fault
    if as_json:
        json_line(
            {
                "rows": board.rows,
                "cols": board.cols,
                "closed": closed,
                "symmetry": symmetry,
                "file": str(path),
                "seconds": parts,
            }
        )
    say(f"wrote {path}")
    say(
        f"{asked} by construct in {clock.seconds:.3g} s: "
        + ", ".join(f"{name} {seconds:.3g} s" for name, seconds in parts.items())
    )
    return Exit.ANSWER


def _write_on_cluster(
    folder: Path,
    tour: Chunks,
    board: Board,
    closed: bool,
    cluster: tuple[str | None, str | None],
    clock: Clock,
    on_event: OnEvent,
) -> int:
    """Write the tour in parts, on the cluster of a scheduler or one of our own; how many workers there were."""
    entered = read_cluster(*cluster)
    if entered is None or not isinstance(tour, Walk):
        raise BadInput(f"the tour of the {board} board can't be written in parts: leave out --cluster and --scheduler")
    with entered as workers:
        hands = workers.executor, workers.number
        write_parts(
            folder,
            strips_of(tour),
            board.rows,
            board.cols,
            closed=closed,
            workers=hands,
            clock=clock,
            on_event=on_event,
        )
        return workers.number
