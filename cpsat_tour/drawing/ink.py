"""Colours, measures and letters of all drawings."""

from __future__ import annotations

from collections.abc import Callable

UNIT = 100
"""The side of a square."""

LIGHT, DARK, FAINT, EDGE, INK, PAPER = "#f5f2ea", "#dde2e6", "#ebebe9", "#7d868f", "#22272e", "#ffffff"

MAX_LEGIBLE = 24
"""The longest side of a board whose squares have numbers in them; on larger boards the squares are fainter."""

RAMP = ((18, 54, 130), (98, 38, 158), (176, 36, 120), (201, 72, 12))
"""Red, green and blue of the colours along a line; each has a contrast of 4:1 or better with the squares."""

MAX_SHADES = 48
"""The most colours of a line: each is one path."""

DISC = 27
"""The radius of a number's disc: other lines pass at 44 units or more."""

PLUS, MINUS = "#2f6fb5", "#d9822b"
"""The colours of multipliers, apart in every kind of colour blindness."""

OUTLINES = ("#1b7837", "#762a83", "#b2182b", "#01665e", "#8c510a", "#4d4d4d")
"""The colours of the shores of cut sets."""

FONT = "Source Sans Pro, sans-serif"
"""The font of PNG and GIF, and what viewers of SVG take if they lack it."""

SIZE = 1.45
"""The size of the font for digits of height 1."""

NARROW, WIDE = " .,:;'|!()-/Iijlfrt", "mwMW@%½…→"

Write = Callable[[str, float, float, float], None]
"""Writes a word centred at x and y, of a height."""


def width(word: str) -> float:
    """Return how wide a word can be, as a part of the height of its digits: fonts differ, the widest counts."""
    return sum(0.54 if letter in NARROW else 1.35 if letter in WIDE else 0.88 for letter in word)


def letters(colour: str, height: float) -> dict[str, str]:
    """Return the SVG attributes of centred words of this colour, with digits of this height."""
    return {"fill": colour, "font-family": FONT, "font-size": f"{SIZE * height:.3g}", "text-anchor": "middle"}


KNIGHT = (
    "M25 92 L79 92 L79 85 L72 79 C79 58 77 33 61 20 C57 17 54 15 51 14 L46 5 L41 16 C36 19 32 23 29 29 L15 "
    "52 C12 57 13 63 17 66 C20 69"
    " 24 68 27 65 L31 61 C37 61 43 59 47 55 C46 65 32 68 30 79 L25 85 Z"
)
"""The outline of the knight, for the page and the moving pictures, in a box of 100 by 100."""

KNIGHT_COLOUR = "#123682"


def knight_svg() -> str:
    """Return an SVG of the knight; the outline has the id ``knight``."""
    path = f'<path id="knight" fill="{KNIGHT_COLOUR}" d="{KNIGHT}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{path}</svg>\n'
