"""Pages as PDF, by fpdf2: lines of words and a drawing on each, as shapes and text that can be searched and copied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from xml.etree import ElementTree as ET

MARGIN = 15
"""Millimetres of an A4 page."""

Page = tuple[Sequence[str], str]
"""The lines above a drawing, and the drawing as SVG: a `Canvas` with ``text``."""


def pdf(title: str, pages: Iterable[Page]) -> bytes:
    """Return an A4 page for each drawing, which is as large as the page allows, below the title and its lines."""
    from fpdf import FPDF

    document = FPDF()
    document.set_margin(MARGIN)
    document.set_title(title)
    document.set_producer("cpsat-tour")
    for lines, drawing in pages:
        document.add_page()
        for size, words in ((22, title), (13, "\n".join(lines))):
            document.set_font("helvetica", size=size)
            document.multi_cell(0, 0.55 * size, words, align="C", new_x="LMARGIN", new_y="NEXT", padding=(0, 0, 4, 0))
        room = document.h - MARGIN - document.y
        picture = BytesIO(_with_own_attributes(drawing))
        document.image(picture, MARGIN, document.y, document.epw, room, keep_aspect_ratio=True)
    return bytes(document.output())


def _with_own_attributes(drawing: str) -> bytes:
    """Return an SVG drawing in which each shape has the attributes of its group, because fpdf2 forgets the width of a
    line whose colour is its own; without words that are not shown, of which it complains."""
    root = ET.fromstring(drawing)
    for group in root.findall("{*}g"):
        for shape in group:
            shape.attrib = {**group.attrib, **shape.attrib}
    for words in root.findall("{*}title") + root.findall("{*}desc"):
        root.remove(words)
    return bytes(ET.tostring(root, "utf-8", xml_declaration=True))
