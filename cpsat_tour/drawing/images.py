"""Drawings as PNG, by resvg, with a font that the suite brings along, so that they look the same on every machine; and
as the pages of a PDF, by fpdf2: shapes, and words as text that can be searched and copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from xml.etree import ElementTree as ET

from cpsat_tour.core.errors import PNG_NEEDS, require
from cpsat_tour.drawing.canvas import Canvas

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """Render an SVG drawing as PNG, at twice its size, up to 4096 pixels a side; `BadInput` without resvg-py."""
    require("a PNG picture", *PNG_NEEDS)
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return rendered(svg, wide, high)


def rendered(svg: str, width: int | None = None, height: int | None = None) -> bytes:
    """Render an SVG drawing as PNG in its own size, or with this width or height."""
    import resvg_py

    # The font has Latin, Greek and Cyrillic letters. Others come from the fonts of this machine, if it has them, which
    # take a while to load.
    foreign = any(letter >= "\u0530" and letter not in "…→" for letter in svg)
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, font_files=[font_file()], skip_system_fonts=not foreign
    )
    return bytes(drawn)


def font_file() -> str:
    """Return the path of the font file."""
    from font_source_sans_pro import font_files_ttf

    return str(font_files_ttf["SourceSansPro"])


MARGIN = 15
"""The margin of an A4 page, in millimetres."""


def pdf(title: str, drawings: Iterable[Canvas]) -> bytes:
    """Return a PDF with an A4 page for each drawing, as large as the page allows."""
    from fpdf import FPDF

    document = FPDF()
    document.set_margin(MARGIN)
    document.set_title(title)
    document.set_producer("cpsat-tour")
    for drawing in drawings:
        # fpdf2 complains of words that are not shown, and forgets a line's width in its group if its colour is its own.
        root = ET.Element("svg", drawing.root.attrib)
        root.extend(part for part in drawing.root if part.tag not in ("title", "desc"))
        for group in root.iter("g"):
            for shape in group:
                shape.attrib = {**group.attrib, **shape.attrib}
        document.add_page()
        picture = BytesIO(ET.tostring(root))
        document.image(picture, MARGIN, MARGIN, document.epw, document.eph, keep_aspect_ratio=True)
    return bytes(document.output())
