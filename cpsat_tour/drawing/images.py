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
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import PICTURES, require
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.points import FONT, PAPER
from cpsat_tour.drawing.tikz import tikz, ungrouped
from cpsat_tour.formats.files import write

if TYPE_CHECKING:
    from fpdf import FPDF

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

MAX_POINTS = 14_400
"""The longest side of a page of PDF, in points."""

PDF_LETTERS = "a PDF has Latin, Greek and Cyrillic letters, a .png others"


def pdf(svg: str) -> bytes:
    """Return an SVG drawing as a PDF of one page, as large as the drawing; `BadInput` without fpdf2."""
    root = ungrouped(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    scale = min(0.75, MAX_POINTS / max(width, height))
    document = _document(root[0].text or "")
    document.add_page(format=(scale * width / document.k, scale * height / document.k))
    _place(document, root, 0, 0, document.w, document.h)
    return bytes(document.output())


def sheets(title: str, kinds: Sequence[Sequence[Canvas]]) -> bytes:
    """Return a PDF of A4 pages with drawings, each as large as its part of the page allows: two by two if there are
    several of a kind. Each kind begins on a new page."""
    document = _document(title)
    document.set_margin(MARGIN)
    across = 1 + (len(kinds[0]) > 1)
    wide, high = document.epw / across, document.eph / across
    for place, drawing in chain(*map(enumerate, kinds)):
        if place % across**2 == 0:
            document.add_page()
        down, right = divmod(place % across**2, across)
        x, y = MARGIN + right * wide, MARGIN + down * high
        _place(document, ungrouped(str(drawing)), x, y, wide - 10 * (across - 1), high)
    return bytes(document.output())


def _document(title: str) -> FPDF:
    """Return an empty PDF with this title and our font; its bytes depend on its content alone."""
    require(*PICTURES[".pdf"])
    from fpdf import FPDF

    document = FPDF()
    document.set_title(title)
    document.set_producer("cpsat-tour")
    document.set_creation_date(datetime.fromtimestamp(0, UTC))
    document.add_font(FONT.partition(",")[0], fname=font_file())
    return document


def _place(document: FPDF, drawing: ET.Element, x: float, y: float, wide: float, high: float) -> None:
    """Draw an SVG drawing on the last page of a PDF, as large as the room allows."""
    # fpdf2 complains of words that are not shown, and forgets a line's width in its group if its colour is its own.
    del drawing[:2]
    document.image(BytesIO(ET.tostring(drawing)), x, y, wide, high, keep_aspect_ratio=True)


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

FORMS: Mapping[str, Callable[[str], str | bytes]] = {".svg": str, ".png": png, ".pdf": pdf, ".tikz": tikz}
"""The functions that make a picture of an SVG drawing, by suffix."""


def write_drawing(path: Path, svg: str) -> None:
    """Write an SVG drawing to a file, in the form that the suffix says."""
    write(path, FORMS[path.suffix.lower()](svg))
