"""Drawings as PNG, by resvg; as the pages of a PDF, by fpdf2: shapes, and words as text that can be searched and
copied; and as one page of SVG. PNG and PDF have a font that the suite brings along, so that they look the same on every
machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import PICTURES, require
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.points import FONT, PAPER
from cpsat_tour.drawing.tikz import tikz, ungrouped
from cpsat_tour.formats.files import write

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """Render an SVG drawing as PNG, at twice its size, up to 4096 pixels a side; `BadInput` without resvg-py."""
    require(*PICTURES[".png"])
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return rendered(svg, wide, high)


def rendered(svg: str, width: int | None = None, height: int | None = None) -> bytes:
    """Render an SVG drawing as PNG in its own size, or with this width or height."""
    import resvg_py

    # Other letters come from the fonts of this machine, if it has them, which take a while to load.
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, font_files=[font_file()], skip_system_fonts=in_font(svg)
    )
    return bytes(drawn)


def in_font(words: str) -> bool:
    """Return True if the font has all these letters: Latin, Greek and Cyrillic ones."""
    return all(letter < "\u0530" or letter in "…→" for letter in words)


def font_file() -> str:
    """Return the path of the font file."""
    from font_source_sans_pro import font_files_ttf

    return str(font_files_ttf["SourceSansPro"])


# --- PDF ---

MARGIN = 15
"""The margin of an A4 page, in millimetres."""

PIXEL, MAX_PAGE = 25.4 / 96, 5080
"""The size of a pixel in millimetres, and the longest side of a page that viewers of PDF open."""

PDF_LETTERS = "a PDF has Latin, Greek and Cyrillic letters, a .png others"


def pdf(svg: str) -> bytes:
    """Return an SVG drawing as a PDF of one page, as large as the drawing; `BadInput` without fpdf2."""
    title, root = ungrouped(svg)
    width, height = (PIXEL * int(root.attrib[side]) for side in ("width", "height"))
    shrink = max(1.0, width / MAX_PAGE, height / MAX_PAGE)
    document = _document(title, (width / shrink, height / shrink))
    document.add_page()
    document.image(BytesIO(ET.tostring(root)), 0, 0, document.w, document.h)
    return bytes(document.output())


def sheets(title: str, kinds: Sequence[Sequence[Canvas]]) -> bytes:
    """Return a PDF of A4 pages with drawings, each as large as its part of the page allows: two by two if there are
    several of a kind. Each kind begins on a new page."""
    document = _document(title, "A4")
    document.set_margin(MARGIN)
    across = 1 + (len(kinds[0]) > 1)
    wide, high = document.epw / across, document.eph / across
    for place, drawing in chain(*map(enumerate, kinds)):
        if place % across**2 == 0:
            document.add_page()
        down, right = divmod(place % across**2, across)
        picture, x, y = ungrouped(str(drawing))[1], MARGIN + right * wide, MARGIN + down * high
        document.image(BytesIO(ET.tostring(picture)), x, y, wide - 10 * (across - 1), high, keep_aspect_ratio=True)
    return bytes(document.output())


def _document(title: str, page_size: str | tuple[float, float]) -> Any:
    """Return an empty PDF of fpdf2, whose bytes will depend on its content alone."""
    require(*PICTURES[".pdf"])
    from fpdf import FPDF

    document = FPDF(format=page_size)
    document.set_title(title)
    document.set_producer("cpsat-tour")
    document.set_creation_date(datetime.fromtimestamp(0, UTC))
    document.add_font(FONT.partition(",")[0], fname=font_file())
    return document


# --- a page of SVG ---

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


# --- files ---


def write_drawing(path: Path, svg: str) -> None:
    """Write an SVG drawing to a file, in the form that the suffix says."""
    forms: Mapping[str, Callable[[str], str | bytes]] = {".png": png, ".pdf": pdf, ".tikz": tikz}
    write(path, forms.get(path.suffix.lower(), str)(svg))
