"""Draws moving pictures as GIF: the knight walking a tour.

The board with its coordinates, the looks of a square, which are laid over it, and at the end the line of the whole tour
are drawn as SVG and turned into pixels by resvg; Pillow draws the numbers and the trail behind the knight. A frame
redraws the smallest box round the squares that have changed, and is encoded at once: Pillow's own writer keeps all
frames until the end, 3 GB of the largest board. The walk takes at most `WALK_SECONDS`, on a large board with several
moves a frame.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from xml.etree import ElementTree as ET

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.GifImagePlugin import getdata

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.runs import Heartbeat, no_heartbeat
from cpsat_tour.core.space import Space, layout_of
from cpsat_tour.drawing import points
from cpsat_tour.drawing.canvas import Canvas, Squares
from cpsat_tour.drawing.images import font_file, rendered
from cpsat_tour.drawing.points import INK, KNIGHT, KNIGHT_COLOUR, PAPER, UNIT
from cpsat_tour.drawing.svg import svg

MAX_SIDE = 64
"""The longest side of a board whose numbers can be read in a picture of a reasonable size."""

FIRST_SECONDS, FRAME_SECONDS, LAST_SECONDS = 0.5, 1 / 6, 4.0

WALK_SECONDS, LEAST_SECONDS = 7.0, 0.02
"""The duration of the longest walk, and of the shortest frame that viewers show as asked."""

SIZE = 480
"""Pixels along the longer side, unless squares would be smaller than `_MIN_TILE`."""

_TINT = "#4169c8"
"""The colour of visited squares, where it is mostly transparent, and of the trail, where it is opaque."""

_MIN_TILE, _COLOURS = 14, 64


def check_gif(space: Space) -> None:
    """Raise `BadInput` unless a GIF of a walk on this board can be made."""
    if max(Squares(layout_of(space)).grid.shape) > MAX_SIDE:
        raise BadInput(
            f"a moving picture of {space.called()} would be too small to read: its sides may have {MAX_SIDE} squares"
        )


def gif_of_walk(graph: Graph, vertices: Iterable[int], *, closed: bool, heartbeat: Heartbeat = no_heartbeat) -> bytes:
    """Return a GIF of the knight on each of these vertices in turn, from the empty board to the line of the whole
    tour."""
    check_gif(graph.space)
    painter, course = _Painter(graph), list(vertices)
    board, last = painter.empty.copy(), painter.pixels(svg(graph, np.array(course, dtype=np.int32), closed=closed))
    palette = painter.palette(last)
    seconds = max(LEAST_SECONDS, min(FRAME_SECONDS, WALK_SECONDS / max(1, len(course))))
    moves = math.ceil(seconds * len(course) / WALK_SECONDS) if seconds == LEAST_SECONDS else 1

    def frame(picture: Image.Image, corner: tuple[int, int], seconds: float) -> bytes:
        """Return the block of a frame that covers a part of the one before, from the corner on, for these seconds."""
        picture = picture.quantize(palette=palette, dither=Image.Dither.NONE)
        return b"".join(getdata(picture, corner, duration=round(100 * seconds) * 10, disposal=1))

    colours = bytes(palette.getpalette() or []).ljust(3 * _COLOURS, b"\0")[: 3 * _COLOURS]
    screen = struct.pack("<HHBBB", *board.size, 0xF0 | (_COLOURS.bit_length() - 2), 0, 0)
    parts = [b"GIF89a" + screen + colours + b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"]  # shown for ever
    parts.append(frame(board, (0, 0), FIRST_SECONDS))
    for first in range(0, len(course), moves):
        heartbeat()
        changed = course[max(0, first - 1) : first + moves]
        for visit in range(max(1, first), min(first + moves, len(course))):
            painter.draw_move(board, course[visit - 1], course[visit], visit)
        shown, box = board.copy(), painter.box(changed)
        painter.draw_visit(shown, changed[-1], 0)
        parts.append(frame(shown.crop(box), box[:2], seconds))
    return b"".join([*parts, frame(last, (0, 0), LAST_SECONDS), b";"])


class _Painter:
    """Draws frames of a board as pixels, ``tile`` a side for a square; ``empty`` is the board without a tour."""

    def __init__(self, graph: Graph) -> None:
        ground = Squares(layout_of(graph.space))
        self._where, (self._left, self._top, *self._sides) = ground.where, ground.box
        self.tile = max(_MIN_TILE, int(SIZE * UNIT / max(self._sides)))
        self.empty = self.pixels(str(Canvas(graph, "", "")))
        self._looks = [_image_of(_square_svg(shape, self.tile)) for shape in _SHAPES]

    def pixels(self, drawing: str) -> Image.Image:
        """Render an SVG drawing of the board, without its legend, as an image."""
        root = ET.fromstring(drawing)
        width, height = (round(side * self.tile / UNIT) for side in self._sides)
        scale = UNIT / self.tile
        root.set("viewBox", f"{self._left} {self._top} {width * scale} {height * scale}")
        root.attrib |= {"width": str(width), "height": str(height)}
        return _image_of(ET.tostring(root, encoding="unicode")).convert("RGB")

    def palette(self, last: Image.Image) -> Image.Image:
        """Return an image whose palette suits all frames; ``last`` is the last frame, and one from half way is drawn
        too."""
        chart = Image.new("RGB", (last.width, 2 * last.height))
        chart.paste(last)
        chart.paste(self.empty, (0, last.height))
        for vertex in range(-(-len(self._where) // 2)):
            self.draw_visit(chart, vertex, {0: 1, 1: 0}.get(vertex, 8), last.height)
        return chart.quantize(_COLOURS, Image.Quantize.FASTOCTREE)

    def box(self, vertices: Iterable[int]) -> tuple[int, int, int, int]:
        """Return the smallest box round these squares, in pixels: left, top, right, bottom."""
        where = self.tile * (self._where[list(vertices), ::-1] - np.array([self._left, self._top]) / UNIT)
        left, top = where.min(axis=0).round().astype(int).tolist()
        right, bottom = (where.max(axis=0).round().astype(int) + self.tile).tolist()
        return left, top, right, bottom

    def draw_move(self, board: Image.Image, tail: int, head: int, number: int) -> None:
        """Draw the knight's move from one square to the next on the board image; ``number`` is the visit of the
        first."""
        self.draw_visit(board, tail, number)
        ends = [
            ((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in map(self.box, ([tail], [head]))
        ]
        (x, y), (to_x, to_y) = ends
        clear = 0.36 * self.tile / math.hypot(to_x - x, to_y - y)  # of the numbers
        across, down = clear * (to_x - x), clear * (to_y - y)
        line = [(x + across, y + down), (to_x - across, to_y - down)]
        ImageDraw.Draw(board).line(line, _TINT, max(1, self.tile // 24))

    def draw_visit(self, board: Image.Image, vertex: int, number: int, below: int = 0) -> None:
        """Draw a visit's number on a square of the board image, or for 0 the knight."""
        left, top, *_ = self.box([vertex])
        look = self._looks[min(number, 2)]
        board.paste(look, (left, top + below), look)
        if number:
            digit = 0.75  # the width of each, as a part of its height
            height = self.tile * (0.46 if number == 1 else 0.66) * min(0.6, 1 / (digit * len(str(number))))
            middle, foot = left + self.tile / 2, top + below + (self.tile + height) / 2
            font, colour = _font(round(points.SIZE * height)), PAPER if number == 1 else INK
            ImageDraw.Draw(board).text((middle, foot), str(number), colour, font, anchor="ms")


_SHAPES = (
    f'<path transform="translate(50 50) scale(0.84) translate(-47 -50)" fill="{KNIGHT_COLOUR}" d="{KNIGHT}"/>',
    f'<circle cx="50" cy="50" r="36" fill="{KNIGHT_COLOUR}"/>',
    "",
)
"""The SVG shapes on visited squares: the knight where it stands, a disc where it started, nothing elsewhere."""


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font at this size."""
    return ImageFont.truetype(font_file(), size)


def _square_svg(shape: str, tile: int) -> str:
    """Return an SVG drawing of a visited square, ``tile`` pixels a side, with this shape on it."""
    tint = f'<rect width="{UNIT}" height="{UNIT}" fill="{_TINT}" fill-opacity="0.3"/>'
    size = f'viewBox="0 0 {UNIT} {UNIT}" width="{tile}" height="{tile}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{tint}{shape}</svg>'


def _image_of(drawing: str) -> Image.Image:
    """Render an SVG drawing as an image."""
    return Image.open(BytesIO(rendered(drawing)))
