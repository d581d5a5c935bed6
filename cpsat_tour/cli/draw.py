"""``cpsat-tour draw``: a picture of a tour."""

from __future__ import annotations

from click import Argument, IntRange

from cpsat_tour.api import draw as draw_tour
from cpsat_tour.cli.messages import Exit, say
from cpsat_tour.cli.options import FORCE, Namespace, command, option
from cpsat_tour.core.errors import TourFault


@command(
    groups={
        "Output": [
            Argument(["file"]),
            option("-o --output PICTURE", "Draw to PICTURE: .svg, .png or .gif.", required=True),
            option("--number N", "Draw tour N of a file with several.", type=IntRange(1)),
            FORCE,
        ]
    },
    exits={Exit.ANSWER: "The tour is drawn.", Exit.FAULT: "The file has no tour: the first fault is named."},
)
def draw(args: Namespace) -> Exit:
    """Draw the tour in FILE, or one of several, which are verified first: any .json, .npy or .txt that verify reads."""
    try:
        draw_tour(args.file, args.output, number=args.number, force=args.force)
    except TourFault as fault:
        say(str(fault))
        return Exit.FAULT
    say(f"wrote {args.output}")
    return Exit.ANSWER
