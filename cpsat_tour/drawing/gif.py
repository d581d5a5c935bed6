"""Draws moving pictures as GIF: the knight walking a tour.

A frame redraws the smallest box round the squares that have changed, and is encoded at once: Pillow's own writer keeps
all frames until the end, 3 GB of the largest board. Each look of a square is drawn once, four times too large, and
kept. The picture ends on the whole line of the tour, as `cpsat_tour.drawing.svg` draws it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from PIL.GifImagePlugin import getdata

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Layout, Space, layout_of
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.ink import DARK, EDGE, INK, LIGHT, PAPER
from cpsat_tour.drawing.squares import Plane
from cpsat_tour.drawing.svg import ramp_colour

MAX_SIDE = 64
"""The longest side of a board whose numbers can be read in a picture of a reasonable size."""

FIRST_SECONDS, FRAME_SECONDS, LAST_SECONDS = 0.5, 1 / 6, 4.0

SIZE = 480
"""Pixels along the longer side, unless that leaves a square less than `_MIN_TILE`."""

_TINT, _DARK_TINT = "#b9c9ea", "#adbee4"
_FINER, _BORDER, _MIN_TILE, _COLOURS, _GAP = 4, 6, 14, 64, 1

Shown = tuple[str, int]
"""What a square shows: ``visited``, ``start`` or ``knight`` with the number of the visit, ``passed``, ``blank`` or
``hole``."""

BLANK: Shown = ("blank", 0)
HOLE: Shown = ("hole", 0)


def check_film(space: Space) -> None:
    """Raise `BadInput` unless a picture of the board can be made."""
    if max(Plane(layout_of(space), _GAP).grid.shape) > MAX_SIDE:
        raise BadInput(
            f"a moving picture of {space.called()} would be too small to read: its sides may have {MAX_SIDE} squares"
        )


def gif_of_walk(space: Space, vertices: Iterable[int], *, closed: bool) -> bytes:
    """Return a GIF: the empty board, the knight on each of these vertices in turn, and the line of the whole tour."""
    check_film(space)
    painter, course = _Painter(layout_of(space)), list(vertices)
    last, board = painter.finished_picture(course, closed), painter.empty_board()
    palette = painter.palette(last)

    def frame(picture: Image.Image, corner: tuple[int, int], seconds: float) -> bytes:
        """Return the block of a frame that covers a part of the one before, from the corner on, for these seconds."""
        picture = picture.quantize(palette=palette, dither=Image.Dither.NONE)
        return b"".join(getdata(picture, corner, duration=round(100 * seconds) * 10, disposal=1))

    colours = bytes(palette.getpalette() or []).ljust(3 * _COLOURS, b"\0")[: 3 * _COLOURS]
    screen = struct.pack("<HHBBB", *board.size, 0xF0 | (_COLOURS.bit_length() - 2), 0, 0)
    parts = [b"GIF89a" + screen + colours + b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"]  # shown for ever
    parts.append(frame(board, (0, 0), FIRST_SECONDS))
    for visit, vertex in enumerate(course):
        changed = {vertex: ("knight", visit + 1)}
        if visit:
            changed[course[visit - 1]] = ("visited" if visit > 1 else "start", visit)
        for square, shown in changed.items():
            board.paste(painter.square(square, shown), painter.corner(square))
        left, top, right, bottom = painter.box(changed)
        parts.append(frame(board.crop((left, top, right, bottom)), (left, top), FRAME_SECONDS))
    return b"".join([*parts, frame(last, (0, 0), LAST_SECONDS), b";"])


class _Painter:
    """Draws squares, each look once, and the finished tour."""

    def __init__(self, layout: Layout) -> None:
        self._plane, self._dark = Plane(layout, _GAP), layout.dark
        rows, cols = self._plane.grid.shape
        self.tile = max(_MIN_TILE, (SIZE - 2 * _BORDER) // max(rows, cols))
        self._size = (self.tile * cols + 2 * _BORDER, self.tile * rows + 2 * _BORDER)
        self._squares: dict[tuple[bool, Shown], Image.Image] = {}

    def palette(self, last: Image.Image) -> Image.Image:
        """Return a picture whose palette has the colours of all frames, chosen from the last and a square of each
        look."""
        looks: list[Shown] = [BLANK, ("visited", 8), ("start", 1), ("knight", 1), HOLE]
        samples = [self._drawn_square(dark, shown) for shown in looks for dark in (False, True)]
        chart = Image.new("RGB", (max(last.width, self.tile * len(samples)), last.height + self.tile), EDGE)
        chart.paste(last, (0, 0))
        for number, sample in enumerate(samples):
            chart.paste(sample, (number * self.tile, last.height))
        return chart.quantize(_COLOURS)

    def corner(self, vertex: int) -> tuple[int, int]:
        """Return the left and the top of the square, in pixels."""
        row, col = self._plane.where[vertex].tolist()
        return _BORDER + col * self.tile, _BORDER + row * self.tile

    def box(self, vertices: Iterable[int]) -> tuple[int, int, int, int]:
        """Return the left, top, right and bottom of the smallest box round these squares, in pixels."""
        (left, top), (right, bottom) = (map(pick, zip(*map(self.corner, vertices), strict=True)) for pick in (min, max))
        return left, top, right + self.tile, bottom + self.tile

    def empty_board(self) -> Image.Image:
        """Return the empty board."""
        picture = Image.new("RGB", self._size, PAPER)
        for corner, layer in self._plane.layers.items():
            rows, cols = layer.cells.shape
            top, left = (_BORDER + part * self.tile for part in corner)
            picture.paste(EDGE, (left - 2, top - 2, left + self.tile * cols + 2, top + self.tile * rows + 2))
            for row, col in np.argwhere(layer.cells < 0).tolist():
                picture.paste(self._drawn_square(False, HOLE), (left + col * self.tile, top + row * self.tile))
        for vertex in range(len(self._dark)):
            picture.paste(self.square(vertex, BLANK), self.corner(vertex))
        return picture

    def square(self, vertex: int, shown: Shown) -> Image.Image:
        """Return a square with what it shows, drawn once."""
        look = bool(self._dark[vertex]), shown
        if look not in self._squares:
            self._squares[look] = self._drawn_square(*look)
        return self._squares[look]

    def finished_picture(self, tour: Sequence[int], closed: bool) -> Image.Image:
        """Return the tour as a line that changes colour along its way, the numbers on top."""
        picture = self.empty_board()
        for vertex in tour:
            picture.paste(self.square(vertex, ("passed", 0)), self.corner(vertex))
        large = picture.resize((_FINER * picture.width, _FINER * picture.height))
        pen = ImageDraw.Draw(large)
        course = [*tour, *tour[:1]] if closed and len(tour) == len(self._dark) else tour
        for move, (tail, head) in enumerate(pairwise(course)):
            straight = [(self._plane.where[[tail, head]] + 0.5).tolist()]
            colour = ramp_colour((move + 0.5) / (len(course) - 1), closed)
            for segment in self._plane.segments(tail, head) or straight:
                ends = [(_FINER * (_BORDER + self.tile * part)) for row, col in segment for part in (col, row)]
                pen.line(ends, fill=colour, width=max(2, round(0.06 * _FINER * self.tile)))
        for visit, vertex in enumerate(tour, start=1):
            x, y = self.corner(vertex)
            self._draw_disc(pen, (x + self.tile / 2, y + self.tile / 2), visit, filled=visit == 1)
        return large.reduce(_FINER)

    def _drawn_square(self, dark: bool, shown: Shown) -> Image.Image:
        """Return a square, dark or light, with what it shows."""
        kind, number = shown
        side = _FINER * self.tile
        ground = DARK if dark else LIGHT
        if kind in ("visited", "start", "knight"):
            ground = _DARK_TINT if dark else _TINT
        picture = Image.new("RGB", (side, side), PAPER if kind == "hole" else ground)
        pen, middle = ImageDraw.Draw(picture), (self.tile / 2, self.tile / 2)
        if kind == "start":
            self._draw_disc(pen, middle, number, filled=True)
        elif kind == "knight":
            scale = 0.0084 * side
            for outline in ink.polylines(ink.commands(ink.KNIGHT)):
                points = [((x - 47) * scale + side / 2, (y - 50) * scale + side / 2) for x, y in outline]
                pen.polygon(points, fill=ink.KNIGHT_COLOUR)
        elif kind == "visited":
            self._draw_word(pen, middle, str(number), INK, 0.66)
        return picture.reduce(_FINER)

    def _draw_disc(self, pen: Any, middle: ink.Point, visit: int, *, filled: bool) -> None:
        """Write the number of a visit on a disc: light on the knight's colour if ``filled``, else dark on paper."""
        x, y = (_FINER * part for part in middle)
        radius = _FINER * self.tile * (0.36 if filled else 0.27)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink.KNIGHT_COLOUR if filled else PAPER)
        self._draw_word(pen, middle, str(visit), PAPER if filled else INK, 0.46)

    def _draw_word(self, pen: Any, middle: ink.Point, word: str, colour: str, room: float) -> None:
        """Write digits with round strokes into this part of a square, at most 0.6 of it high."""
        x, y = (_FINER * part for part in middle)
        size = _FINER * self.tile * room * min(0.6, 1 / (ink.width(word) + ink.PEN))
        stroke = max(2, round(ink.PEN * size))
        for line in ink.lines(word, x, y, size):
            pen.line(line, fill=colour, width=stroke, joint="curve")
            for px, py in (line[0], line[-1]):
                pen.ellipse((px - stroke / 2, py - stroke / 2, px + stroke / 2, py + stroke / 2), fill=colour)
