"""Drawings as PNG, by resvg, with a font that the suite brings along, so that they look the same on every machine; as
the pages of a PDF, by fpdf2: shapes, and words as text that can be searched and copied; and as one page of SVG.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from itertools import chain
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import PNG_NEEDS, require
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.points import PAPER

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


def pdf(title: str, kinds: Sequence[Sequence[Canvas]]) -> bytes:
    """Return a PDF of A4 pages with drawings, each as large as its part of the page allows: two by two if there are
    several of a kind. Each kind begins on a new page."""
    from fpdf import FPDF

    document = FPDF()
    document.set_margin(MARGIN)
    document.set_title(title)
    document.set_producer("cpsat-tour")
    across = 1 + (len(kinds[0]) > 1)
    wide, high = document.epw / across, document.eph / across
    for place, drawing in chain(*map(enumerate, kinds)):
        # fpdf2 complains of words that are not shown, and forgets a line's width in its group if its colour is its own.
        root = ET.Element("svg", drawing.root.attrib)
        root.extend(part for part in drawing.root if part.tag not in ("title", "desc"))
        for group in root.iter("g"):
            for shape in group:
                shape.attrib = {**group.attrib, **shape.attrib}
        if place % across**2 == 0:
            document.add_page()
        down, right = divmod(place % across**2, across)
        picture, x, y = BytesIO(ET.tostring(root)), MARGIN + right * wide, MARGIN + down * high
        document.image(picture, x, y, wide - 10 * (across - 1), high, keep_aspect_ratio=True)
    return bytes(document.output())


WIDTH, HEIGHT, BORDER, FOOT = 840, 1188, 60, 210
"""The page in the proportions of A4, four to a millimetre, and the longer side of the drawing at its foot."""


def page(title: str, drawing: Canvas, at_foot: Canvas | None = None) -> str:
    """Return a page as SVG: a drawing, and perhaps another at the foot, small and upside down."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{_placed(drawing, WIDTH - 2 * BORDER, HEIGHT - 3 * BORDER - FOOT, BORDER)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{"" if at_foot is None else _placed(at_foot, FOOT, FOOT, BORDER // 2)}</g>
</svg>
"""


def _placed(canvas: Canvas, wide: int, high: int, top: int) -> str:
    """Return a drawing as SVG text, scaled to at most ``wide`` by ``high``, in the middle of the page below its
    ``top``."""
    *_, width, height = map(int, canvas.root.attrib["viewBox"].split())
    scale = min(wide / width, high / height)
    place = f'x="{(WIDTH - scale * width) / 2:g}" y="{top}" width="{scale * width:g}" height="{scale * height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, str(canvas), count=1)
