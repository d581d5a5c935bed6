"""The inks and the pen of all drawings: colours, measures, and glyphs as strokes of a round pen, so that a drawing
needs no font.

Each glyph is given by its centre lines in a box 100 high: digits and tall letters stand on the baseline at 100 and
reach 0, small letters reach 34, and g, j, p, q, y go down to 128. The grammar is SVG's, with absolute M, L, C and Z
alone, so every number is a coordinate. `strokes` writes a word as the ``d`` of one path, to be drawn with the `pen`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from cpsat_tour.core.space import Point

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

PEN = 0.13
"""The width of the pen, as a part of the height of a digit."""

Command = tuple[str, list[Point]]

Write = Callable[[str, float, float, float], None]
"""Writes a word centred at x and y, of a height."""

GAP = 26.0
"""The gap between the centre lines of neighbouring glyphs, as a hundredth of the height of a digit."""

_BOWL = "C48 49 38 34 24 34 C10 34 0 49 0 67 C0 85 10 100 24 100 C38 100 48 85 48 67"

GLYPHS = {
    "0": "M28 0 C45 0 56 20 56 50 C56 80 45 100 28 100 C11 100 0 80 0 50 C0 20 11 0 28 0 Z",
    "1": "M0 21 L25 0 L25 100",
    "2": "M2 27 C2 11 13 0 28 0 C43 0 54 11 54 26 C54 38 48 46 39 56 L0 100 L57 100",
    "3": (
        "M3 14 C8 5 17 0 28 0 C42 0 52 10 52 24 C52 38 41 47 24 47 C43 47 56 57 56 73 C56 89 43 100 27 100 C15 "
        "100 5 95 0 84"
    ),
    "4": "M43 100 L43 0 L0 71 L60 71",
    "5": "M52 0 L10 0 L5 46 C11 40 19 36 28 36 C44 36 56 49 56 68 C56 87 44 100 27 100 C15 100 6 95 0 86",
    "6": "M43 0 C22 20 0 43 0 69 C0 87 12 100 28 100 C44 100 56 87 56 69 C56 51 44 39 28 39 C15 39 5 47 1 60",
    "7": "M0 0 L56 0 L20 100",
    "8": "M28 47 C14 47 4 38 4 24 C4 10 14 0 28 0 C42 0 52 10 52 24 C52 38 42 47 28 47"
    " C12 47 0 57 0 73 C0 89 12 100 28 100 C44 100 56 89 56 73 C56 57 44 47 28 47 Z",
    "9": "M13 100 C34 80 56 57 56 31 C56 13 44 0 28 0 C12 0 0 13 0 31 C0 49 12 61 28 61 C41 61 51 53 55 40",
    "a": f"M48 36 L48 100 M48 67 {_BOWL}",
    "b": "M0 0 L0 100 M0 67 C0 49 10 34 24 34 C38 34 48 49 48 67 C48 85 38 100 24 100 C10 100 0 85 0 67",
    "c": "M44 46 C39 38 33 34 25 34 C11 34 0 49 0 67 C0 85 11 100 25 100 C33 100 39 96 44 88",
    "d": f"M48 0 L48 100 M48 67 {_BOWL}",
    "e": "M0 65 L47 65 C47 46 38 34 24 34 C10 34 0 48 0 67 C0 86 10 100 25 100 C34 100 40 96 45 88",
    "f": "M37 1 C35 0 32 0 29 0 C19 0 14 7 14 18 L14 100 M0 36 L33 36",
    "g": f"M48 36 L48 102 C48 119 39 128 24 128 C16 128 9 126 4 121 M48 67 {_BOWL}",
    "h": "M0 0 L0 100 M0 62 C0 46 10 34 24 34 C38 34 46 43 46 60 L46 100",
    "i": "M0 36 L0 100 M0 11 L0 12",
    "j": "M14 36 L14 108 C14 121 9 128 0 127 M14 11 L14 12",
    "k": "M0 0 L0 100 M42 36 L0 76 M17 61 L44 100",
    "l": "M0 0 L0 100",
    "m": (
        "M0 36 L0 100 M0 60 C0 44 8 34 19 34 C30 34 36 42 36 57 L36 100 M36 60 C36 44 44 34 55 34 C66 34 72 42 "
        "72 57 L72 100"
    ),
    "n": "M0 36 L0 100 M0 62 C0 46 10 34 24 34 C38 34 46 43 46 60 L46 100",
    "o": "M24 34 C38 34 48 48 48 67 C48 86 38 100 24 100 C10 100 0 86 0 67 C0 48 10 34 24 34 Z",
    "p": "M0 36 L0 128 M0 67 C0 49 10 34 24 34 C38 34 48 49 48 67 C48 85 38 100 24 100 C10 100 0 85 0 67",
    "q": f"M48 36 L48 128 M48 67 {_BOWL}",
    "r": "M0 36 L0 100 M0 64 C0 46 12 34 30 35",
    "s": (
        "M40 45 C36 38 30 34 22 34 C10 34 3 41 3 50 C3 60 11 64 22 67 C34 70 42 74 42 84 C42 94 33 100 21 100 "
        "C12 100 4 96 0 89"
    ),
    "t": "M14 12 L14 82 C14 94 19 100 28 100 C31 100 34 99 36 98 M0 36 L34 36",
    "u": "M46 36 L46 100 M46 72 C46 88 36 100 22 100 C8 100 0 91 0 74 L0 36",
    "v": "M0 36 L24 100 L48 36",
    "w": "M0 36 L18 100 L36 38 L54 100 L72 36",
    "x": "M0 36 L44 100 M44 36 L0 100",
    "y": "M0 36 L24 98 M48 36 L20 114 C16 124 11 128 2 127",
    "z": "M2 36 L44 36 L0 100 L46 100",
    "A": "M0 100 L29 0 L58 100 M10 66 L48 66",
    "B": "M0 47 L28 47 C44 47 54 58 54 74 C54 90 44 100 28 100 L0 100 L0 0 L26 0 C41 0 50 9 50 23 C50 38 41 47 26 47",
    "C": "M58 17 C52 6 43 0 32 0 C13 0 0 20 0 50 C0 80 13 100 32 100 C43 100 52 94 58 83",
    "D": "M0 0 L22 0 C44 0 58 18 58 50 C58 82 44 100 22 100 L0 100 Z",
    "E": "M48 0 L0 0 L0 100 L48 100 M0 48 L42 48",
    "F": "M48 0 L0 0 L0 100 M0 48 L42 48",
    "G": "M58 17 C52 6 43 0 32 0 C13 0 0 20 0 50 C0 80 13 100 32 100 C45 100 55 94 60 86 L60 54 L36 54",
    "H": "M0 0 L0 100 M54 0 L54 100 M0 48 L54 48",
    "I": "M0 0 L0 100",
    "J": "M36 0 L36 72 C36 91 29 100 17 100 C9 100 3 96 0 89",
    "K": "M0 0 L0 100 M52 0 L0 58 M19 38 L54 100",
    "L": "M0 0 L0 100 L46 100",
    "M": "M0 100 L0 0 L34 68 L68 0 L68 100",
    "N": "M0 100 L0 0 L54 100 L54 0",
    "O": "M33 0 C53 0 66 20 66 50 C66 80 53 100 33 100 C13 100 0 80 0 50 C0 20 13 0 33 0 Z",
    "P": "M0 100 L0 0 L26 0 C43 0 54 11 54 28 C54 45 43 56 26 56 L0 56",
    "Q": "M33 0 C53 0 66 20 66 50 C66 80 53 100 33 100 C13 100 0 80 0 50 C0 20 13 0 33 0 Z M42 78 L66 104",
    "R": "M0 100 L0 0 L26 0 C43 0 54 11 54 27 C54 43 43 54 26 54 L0 54 M28 54 L56 100",
    "S": (
        "M52 15 C46 5 38 0 28 0 C13 0 3 9 3 23 C3 38 14 43 28 48 C43 53 55 59 55 75 C55 90 43 100 28 100 C15 100 6 "
        "95 0 84"
    ),
    "T": "M28 0 L28 100 M0 0 L56 0",
    "U": "M0 0 L0 66 C0 88 10 100 27 100 C44 100 54 88 54 66 L54 0",
    "V": "M0 0 L28 100 L56 0",
    "W": "M0 0 L20 100 L42 14 L64 100 L84 0",
    "X": "M0 0 L54 100 M54 0 L0 100",
    "Y": "M0 0 L28 50 L56 0 M28 50 L28 100",
    "Z": "M2 0 L54 0 L0 100 L56 100",
    "ö": (
        "M24 34 C38 34 48 48 48 67 C48 86 38 100 24 100 C10 100 0 86 0 67 C0 48 10 34 24 34 Z M11 11 L11 12 M37 11 "
        "L37 12"
    ),
    ".": "M0 97 L0 99",
    ":": "M0 45 L0 47 M0 96 L0 98",
    ",": "M6 98 L1 116",
    ";": "M4 45 L4 47 M6 98 L1 116",
    "'": "M0 0 L0 24",
    " ": "M0 100 M12 100",
    "(": "M18 -8 C5 8 0 30 0 50 C0 70 5 92 18 108",
    ")": "M0 -8 C13 8 18 30 18 50 C18 70 13 92 0 108",
    "_": "M0 112 L50 112",
    "/": "M0 104 L36 -4",
    "=": "M0 38 L50 38 M0 66 L50 66",
    "→": "M0 52 L58 52 M38 32 L58 52 L38 72",
    "…": "M0 97 L0 99 M22 97 L22 99 M44 97 L44 99",
    "+": "M0 52 L54 52 M27 25 L27 79",
    "-": "M0 52 L46 52",
    "½": (
        "M0 11 L14 0 L14 46 M66 2 L20 98 M53 68 C53 59 59 54 67 54 C75 54 81 59 81 67 C81 73 78 77 73 82 L53 100 "
        "L82 100"
    ),
}
"""The centre lines of each glyph."""


def width(word: str) -> float:
    """Return the width of a word between its outermost centre lines, as a part of the height of a digit."""
    return (sum(map(_breadth, word)) + GAP * (len(word) - 1)) / 100


def pen(colour: str, height: float) -> dict[str, str]:
    """Return the SVG attributes for `strokes` of this height: a round pen of this colour."""
    measures = {"stroke": colour, "stroke-width": f"{PEN * height:.3g}"}
    return {"fill": "none", **measures, "stroke-linecap": "round", "stroke-linejoin": "round"}


def strokes(word: str, x: float, y: float, height: float) -> str:
    """Return a word of the `GLYPHS`, centred at (x, y), with digits of this height, as the ``d`` of an SVG path.

    Points are rounded where they lie and then written as steps, so errors don't add up.
    """
    written = ""
    first = here = (0, 0)
    for command, points in _placed_commands(word, x, y, height):
        placed = [(round(px), round(py)) for px, py in points]
        first = placed[0] if command == "M" else first
        written += command.lower() + " ".join(f"{px - here[0]} {py - here[1]}" for px, py in placed)
        here = placed[-1] if placed else first
    # A step needs no space before its minus sign, and the first step of a path is from the origin.
    return written.replace(" -", "-").replace("m", "M", 1)


def _placed_commands(word: str, x: float, y: float, height: float) -> list[Command]:
    """Return the commands of a word's path, centred at (x, y), with digits of this height."""
    scale = height / 100
    left, top = x - width(word) * height / 2, y - height / 2
    placed = []
    for glyph in word:
        for command, points in commands(GLYPHS[glyph]):
            placed.append((command, [(left + px * scale, top + py * scale) for px, py in points]))
        left += (_breadth(glyph) + GAP) * scale
    return placed


@cache
def commands(path: str) -> list[Command]:
    """Return the commands of a path: pairs of M, L, C or Z and a list of points."""
    found = []
    for command, numbers in re.findall(r"([MLCZ])([^MLCZ]*)", path):
        flat = [float(number) for number in numbers.split()]
        found.append((command, list(zip(flat[::2], flat[1::2], strict=True))))
    return found


def _breadth(glyph: str) -> float:
    """Return how far the centre lines of a glyph reach to the right; about so if the pen lacks it."""
    if glyph not in GLYPHS:
        return 50
    return max(px for _, points in commands(GLYPHS[glyph]) for px, _ in points)


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
