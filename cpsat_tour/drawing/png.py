"""SVG to PNG, by resvg."""

from __future__ import annotations

from xml.etree import ElementTree as ET
from zlib import crc32

from cpsat_tour.core.libraries import require

_HEADER = 33
"""Bytes of a PNG's signature and its header chunk."""

_MAX_SIDE = 4096
"""Pixels; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """The drawing as a PNG picture, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", "resvg_py")
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    longer = min(2 * max(width, height), _MAX_SIDE)
    wide = width >= height
    picture = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, width=longer if wide else None, height=None if wide else longer
    )
    return _signed(bytes(picture))


def _signed(picture: bytes) -> bytes:
    """The picture with a text chunk behind its header that says which program made it."""
    text = b"tEXtSoftware\0cpsat-tour"
    chunk = (len(text) - 4).to_bytes(4) + text + crc32(text).to_bytes(4)
    return picture[:_HEADER] + chunk + picture[_HEADER:]
