"""How backends and verdicts look, the same in every picture and in the terminal.

Colours are from the palette of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart; a
marker besides tells backends of one colour apart and serves print without colour. A backend keeps both whatever else is
in the picture: those of the registry have theirs by their place in it, all others by a checksum of their name. With 7
colours and 10 markers no two of 70 look alike.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from cpsat_tour.backends.registry import BACKENDS
from cpsat_tour.compare.agreement import CERTIFIED, Verdict

BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
)
GREY = "#7f7f7f"

_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")


@dataclass(frozen=True)
class Look:
    """A colour and a Matplotlib marker."""

    colour: str
    marker: str


VIRTUAL_BEST = "virtual best"


def look(backend: str) -> Look:
    """The colour and marker of a backend."""
    if backend == VIRTUAL_BEST:
        return Look(GREY, "")
    number = list(BACKENDS).index(backend) if backend in BACKENDS else zlib.crc32(backend.encode())
    return Look(_COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)])


def label(backend: str) -> str:
    """What a backend is called in tables and legends: as it was asked for, since two modules may have a class of one
    name."""
    return "certificate" if backend == CERTIFIED else backend


SHADES: dict[Verdict, str] = {
    "tour": "green",
    "none": "blue",
    "claimed": "yellow",
    "unknown": "dim",
    "refused": "dim",
    "timeout": "magenta",
    "memory": "magenta",
    "crash": "magenta",
    "garbage": "magenta",
    "DISAGREE": "bold white on red",
}
"""How a verdict looks in the terminal, from what is answered to what should not be."""
