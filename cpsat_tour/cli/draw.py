"""``cpsat-tour draw``: a picture of the tour in a file."""

from __future__ import annotations

from pathlib import Path

import click

from cpsat_tour.cli.messages import Exit, say
from cpsat_tour.cli.options import Command, force_option
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.drawing.files import DRAWN, save_tour
from cpsat_tour.formats.tour_files import load_tour


@click.command(cls=Command)
@click.argument("file")
@click.option("-o", "--output", metavar="PICTURE", required=True, help="Draw to PICTURE: .svg, .png or .gif.")
@force_option
@click.pass_context
def draw(ctx: click.Context, /, file: str, output: str, force: bool) -> None:
    """Draw the tour in FILE, which is verified first: any .json, .npy or .txt that verify reads.

    Exit status: 0 it is drawn, 1 it is not a tour (the first fault is named).
    """
    if (suffix := Path(output).suffix.lower()) not in DRAWN:
        raise BadInput(f"can't draw to {output}: {suffix or 'no suffix'} is not one of {', '.join(DRAWN)}")
    try:
        tour = load_tour(file)
    except TourFault as fault:
        say(str(fault))
        ctx.exit(Exit.FAULT)
    save_tour(tour, output, force=force)
    say(f"wrote {output}")
