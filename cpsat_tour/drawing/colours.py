"""The colours and measures that all drawings share."""

from __future__ import annotations

UNIT = 100
"""The side of a square."""

LIGHT, DARK, FAINT, EDGE, INK, PAPER = "#f5f2ea", "#dde2e6", "#ebebe9", "#7d868f", "#22272e", "#ffffff"

MAX_LEGIBLE = 24
"""The longest side of a board whose squares are large enough for words in them; on larger ones the squares step back
behind the lines."""

RAMP = ((18, 54, 130), (98, 38, 158), (176, 36, 120), (201, 72, 12))
"""Red, green and blue of the colours that a line runs through; each stands out at 4:1 or better against the squares."""

MAX_SHADES = 48
"""How many colours a line has at most: each is one path."""

DISC = 27
"""The radius of a number's disc: lines to and from other squares pass a knight's square at 44 units or more."""

PLUS, MINUS = "#2f6fb5", "#d9822b"
"""Of multipliers: blue and orange, apart in every kind of colour blindness."""

OUTLINES = ("#1b7837", "#762a83", "#b2182b", "#01665e", "#8c510a", "#4d4d4d")
"""Of the shores of cut sets."""
