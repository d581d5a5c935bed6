"""Drawings as the pages of a PDF, by fpdf2: shapes, and words as text that can be searched and copied."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from xml.etree import ElementTree as ET

from cpsat_tour.drawing.canvas import Canvas

MARGIN = 15
"""Millimetres of an A4 page."""


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
