"""``cpsat-tour draw``: a large tour as a map, to be looked at in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import plural, say
from cpsat_tour.cli.options import force_option
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.events import Progress
from cpsat_tour.drawing.tiles import PAGE, Map, check_map
from cpsat_tour.formats.tour_files import about, squares_in


@click.command()
@click.argument("file")
@click.option(
    "--tiles",
    "folder",
    metavar="DIR",
    required=True,
    help="The folder that the pictures and their page are written into.",
)
@force_option
@click.pass_context
def draw(ctx: click.Context, /, file: str, folder: str, force: bool) -> None:
    """Draw the knight's tour in FILE, which is verified first, as a map: pictures at every level of zoom, and a page to
    look at them.

    FILE is one of squares or visit numbers, or a folder of parts, as about reads them. Exit status: 0 it is drawn, 1 it
    is not a tour (the first fault is named).
    """
    try:
        found = about(Path(file))
    except TourFault as fault:
        say(str(fault))
        ctx.exit(Exit.FAULT)
    check_map(found.rows, found.cols, Path(folder), force=force)
    tour, tiles = Map(squares_in(Path(file), found), found.rows, found.cols, found.closed), 0
    with ProgressLine(f"drawing {file}") as progress:

        def heartbeat() -> None:
            nonlocal tiles
            tiles += 1
            progress(Progress({"tiles": tiles}))

        tour.write(Path(folder), heartbeat)
    say(f"wrote {plural(tiles, 'tile')}: open {Path(folder) / PAGE} in a browser")
