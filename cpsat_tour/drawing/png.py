"""Drawings as PNG, by resvg."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from cpsat_tour.core.errors import require

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """Return a drawing as PNG, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", "resvg_py")
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts="<text" not in svg, width=wide, height=high))
