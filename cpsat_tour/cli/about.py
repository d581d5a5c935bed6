"""``cpsat-tour about``: what tour a file has, verified."""

from __future__ import annotations

import json
from pathlib import Path

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import plural
from cpsat_tour.core.errors import TourFault
from cpsat_tour.formats.tour_files import about as about_file
from cpsat_tour.formats.tour_files import portrait

MAX_LOOKED_AT = 1 << 18
"""Of tours of up to so many squares symmetries, turns and crossings are told: half a second."""

TURNS = {1: "", 2: ", moved along itself by a half turn", 4: ", moved along itself by a quarter turn"}


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def about(ctx: click.Context, /, file: str, as_json: bool) -> None:
    """Verify the knight's tour in FILE, of any size: .npy or .json with the squares in order, or the board of visit numbers as .npy or .txt.

    Of tours that are not very large it tells symmetries, turns and crossings too.

    Exit status: 0 it is a tour, 1 it is not (the first fault is named).
    """
    try:
        found = about_file(Path(file))
    except TourFault as fault:
        print(json.dumps({"valid": False, "fault": str(fault)}) if as_json else f"not a tour: {fault}")
        ctx.exit(Exit.FAULT)
    looks = portrait(Path(file), found) if 3 <= found.rows * found.cols <= MAX_LOOKED_AT else None
    board = {"rows": found.rows, "cols": found.cols, "closed": found.closed, "form": found.form, "turned_by": found.turns}
    kind = "a closed tour" if found.closed else "an open tour"
    words = f"{kind} of the {found.rows}x{found.cols} board{TURNS[found.turns]}: {plural(found.rows * found.cols, 'square')}, verified"
    if looks is not None:
        words += f"; {looks.words}; {plural(looks.turns, 'turn')}, {plural(looks.crossings, 'crossing')}"
    told = {} if looks is None else {"symmetries": looks.symmetries, "turns": looks.turns, "crossings": looks.crossings}
    print(json.dumps({"valid": True} | board | told) if as_json else words)
