"""How backends and verdicts are drawn, in pictures and in the terminal.

Colours are from the palette of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart; a
marker besides tells backends apart where there are more than seven, and serves print without colour. Each picture deals
them out anew, in the order of its backends, so no two of its first seven share a colour and no two of 70 look alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
class Style:
    """A colour and a Matplotlib marker."""

    colour: str
    marker: str


VIRTUAL_BEST = "virtual best"


def styles_of(backends: Iterable[str]) -> dict[str, Style]:
    """A colour and a marker for each backend of a picture, by its place among them; grey for the virtual best."""
    dealt = {
        backend: Style(_COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)])
        for place, backend in enumerate(backends)
    }
    return {VIRTUAL_BEST: Style(GREY, ""), **dealt}


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
