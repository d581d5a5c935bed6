"""The knight, for the page and the moving pictures: one outline in a box of 100 by 100, in the grammar of `glyphs`."""

from __future__ import annotations

OUTLINE = (
    "M25 92 L79 92 L79 85 L72 79 C79 58 77 33 61 20 C57 17 54 15 51 14 L46 5 L41 16 C36 19 32 23 29 29 L15 "
    "52 C12 57 13 63 17 66 C20 69"
    " 24 68 27 65 L31 61 C37 61 43 59 47 55 C46 65 32 68 30 79 L25 85 Z"
)

COLOUR = "#123682"


def svg() -> str:
    """The knight alone; the outline has the id ``knight``."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><path id="knight" fill="{COLOUR}" '
        f'd="{OUTLINE}"/></svg>\n'
    )
