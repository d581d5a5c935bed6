"""SVG to PNG, by resvg."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from cpsat_tour.core.errors import BadInput

_LARGEST_SIDE = 4096
"""Pixels; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """The drawing as a PNG picture, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without resvg-py."""
    require_resvg()
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    longer = min(2 * max(width, height), _LARGEST_SIDE)
    wide = width >= height
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=longer if wide else None, height=None if wide else longer))


def require_resvg() -> None:
    """Raise `BadInput`, saying how to get it, unless resvg-py is installed."""
    from importlib.util import find_spec

    if find_spec("resvg_py") is None:
        raise BadInput("PNG pictures need resvg-py: install it with pip install 'cpsat-tour[png]', or write an .svg")
