"""A constructed tour written to an ``.npy`` file while it is made: the board needs no graph, and the tour no memory."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.formats.files import check_place
from cpsat_tour.formats.tour_files import PLAIN, beside, write_beside
from cpsat_tour.formats.visits import write_visits
from cpsat_tour.native.blocks import tour_in_parts
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import sentence


def stream(board: Board, *, closed: bool, limits: Limits, path: Path, force: bool, as_json: bool) -> Exit:
    """Construct, verify and write the tour, and say what was done; the exit status."""
    if not board.plain:
        raise BadInput(
            f"backend construct does not take {board.called()}: it takes knight's boards without holes; choose "
            "another, such as sat"
        )
    for place in (path, beside(path)):
        check_place(place, force=force)
    asked, clock = f"{'closed' if closed else 'open'} tour of the {board} board", limits.clock()
    try:
        with ProgressLine(f"writing the {asked} to {path}") as progress:
            if why := sentence(board, closed=closed):
                raise StoppedEarly(why)
            chunks = tour_in_parts(board.rows, board.cols, closed=closed)
            spent = write_visits(path, chunks, board.rows, board.cols, closed=closed, clock=clock, on_event=progress)
    except StoppedEarly as stopped:
        say(
            f"unknown whether there is a{'' if closed else 'n'} {asked}; stopped by: {stopped} (construct), so "
            f"nothing is written to {path}"
        )
        return Exit.LIMIT
    except TourFault as fault:
        raise BackendFault(f"backend construct made a wrong tour: {fault}") from fault
    answer = {
        "problem": {"rows": board.rows, "cols": board.cols, "closed": closed} | PLAIN,
        "backend": "construct",
        "status": "tour",
        "tour": path.name,
        "seconds": round(clock.seconds, 6),
    }
    write_beside(path, answer)
    if as_json:
        json_line(answer)
    say(f"wrote {path}")
    words = ", ".join(f"{name} {seconds:.3g} s" for name, seconds in spent.items())
    say(f"{asked} by construct in {clock.seconds:.3g} s: {words}")
    return Exit.ANSWER
