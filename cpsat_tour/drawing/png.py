"""Drawings as PNG, by resvg, with a font that the suite brings along, so that they look the same on every machine."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from cpsat_tour.core.errors import require

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""

PNG_NEEDS = ("resvg_py", "font_source_sans_pro")
"""The modules that pictures in pixels need."""


def png(svg: str) -> bytes:
    """Return a drawing as PNG, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", *PNG_NEEDS)
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return rendered(svg, wide, high)


def rendered(svg: str, width: int | None = None, height: int | None = None) -> bytes:
    """Return a drawing as PNG of its own width and height, or with one of them given."""
    import resvg_py

    # The font has Latin, Greek and Cyrillic letters. Others come from the fonts of this machine, if it has them, which
    # take a while to load.
    foreign = any(letter >= "\u0530" and letter not in "…→" for letter in svg)
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, font_files=[font_file()], skip_system_fonts=not foreign
    )
    return bytes(drawn)


def font_file() -> str:
    """Return the path of the font."""
    from font_source_sans_pro import font_files_ttf

    return str(font_files_ttf["SourceSansPro"])
