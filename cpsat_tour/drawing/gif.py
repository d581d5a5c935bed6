"""Moving pictures: the knight walking a tour, or the native search with every step and every return, as GIF.

A frame redraws the squares that have changed and nothing else: it is the smallest box round them, transparent in
between. So a picture of thousands of frames is written as it comes, in memory for one frame, and a walk over the
chessboard takes 115 kB. Every look of a square is drawn once, four times too large, and kept. The picture ends on the
whole line of the tour, as `cpsat_tour.drawing.svg` draws it.

The container is GIF89a with one palette for all frames; Pillow packs the pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import require
from cpsat_tour.core.search_events import SearchPath, TraceEvent
from cpsat_tour.core.space import Space
from cpsat_tour.drawing import glyphs
from cpsat_tour.drawing.colours import DARK, EDGE, INK, LIGHT, PAPER
from cpsat_tour.drawing.squares import Plane, check_drawable
from cpsat_tour.drawing.svg import ramp_colour

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 64
"""The longest side of a board whose numbers can be read in a picture of a reasonable size."""

MAX_FRAMES = 5000

LAST_SECONDS = 4.0

_TINT, _DARK_TINT, _RED = "#b9c9ea", "#adbee4", "#b3261e"
_FINER, _BORDER, _MIN_TILE, _COLOURS, _GAP = 4, 6, 14, 63, 1

Look = tuple[str, int]
"""What a square shows: ``visited`` or ``start`` with the number of the visit, ``exits`` with how many, ``knight``, or
nothing."""

BLANK: Look = ("blank", 0)


@dataclass(frozen=True)
class Manner:
    """How a picture is made: frames a second, pixels along its longer side, and who hears the number of each frame."""

    frame_rate: float = 6.0
    size: int = 480
    on_frame: Callable[[int], None] | None = None


USUAL = Manner()


def check_film(space: Space, manner: Manner = USUAL) -> None:
    """Raise `BadInput` unless a picture of the board can be made like this, also where Pillow is not installed."""
    require("a GIF picture", "PIL")
    if not 0.1 <= manner.frame_rate <= 50:
        raise BadInput(f"a frame rate of {manner.frame_rate:g} can't be shown: give 0.1 to 50 frames a second")
    if not 64 <= manner.size <= 4096:
        raise BadInput(f"a picture can't be {manner.size} pixels wide: give 64 to 4096")
    check_drawable(space)
    if max(Plane(space, _GAP).grid.shape) > MAX_SIDE:
        raise BadInput(
            f"a moving picture of {space.called()} would be too small to read: its sides may have {MAX_SIDE} squares"
        )


def walk(space: Space, vertices: Iterable[int], *, closed: bool, manner: Manner = USUAL) -> bytes:
    """The knight walking over these vertices, a GIF."""
    course = list(vertices)
    return _film(space, (_looks(course[:visit]) for visit in range(1, len(course) + 1)), course, closed, manner)


def search(
    space: Space, events: Iterable[TraceEvent], tour: Iterable[int], *, closed: bool, manner: Manner = USUAL
) -> bytes:
    """The search of these events: each step with the exits of the candidates, each return; ends on the tour, if there
    is one.

    `BadInput` beyond `MAX_FRAMES` frames.
    """
    return _film(space, _searched(events), list(tour), closed, manner)


def _looks(path: Sequence[int], candidates: Iterable[tuple[int, int]] = ()) -> dict[int, Look]:
    """What the squares show while the knight stands at the end of the path."""
    looks: dict[int, Look] = {square: ("exits", exits) for square, exits in candidates}
    looks |= {square: ("visited", visit) for visit, square in enumerate(path, start=1)}
    if path:
        looks[path[0]] = ("start", 1)
        looks[path[-1]] = ("knight", len(path))
    return looks


def _searched(events: Iterable[TraceEvent]) -> Iterator[dict[int, Look]]:
    here = SearchPath()
    for number, _ in enumerate(filter(here.moved_by, events), start=1):
        if number > MAX_FRAMES:
            raise BadInput(
                f"the search takes more than {MAX_FRAMES} steps, too many to show: choose other prunings, or "
                "show the walk"
            )
        yield _looks(
            here.path, [(candidate.vertex, candidate.exits) for candidate in here.candidates[-1]] if here.path else ()
        )


def _film(space: Space, frames: Iterable[dict[int, Look]], tour: Sequence[int], closed: bool, manner: Manner) -> bytes:
    check_film(space, manner)
    painter = _Painter(space, manner.size)
    empty = painter.assembled({})
    last = painter.finished(tour, closed) if tour else empty
    palette = painter.palette(last)
    film = _Gif(painter.width, painter.height, palette)
    film.add(_in(palette, empty), (0, 0), 0.5)
    shown: dict[int, Look] = {}
    for number, looks in enumerate(frames, start=1):
        changed = [
            square for square in shown.keys() | looks.keys() if shown.get(square, BLANK) != looks.get(square, BLANK)
        ]
        box, picture = painter.changes(changed, looks, palette)
        film.add(picture, box, 1 / manner.frame_rate)
        shown = looks
        if manner.on_frame is not None:
            manner.on_frame(number)
    film.add(_in(palette, last), (0, 0), LAST_SECONDS)
    return film.bytes()


@dataclass
class _Painter:
    """Draws squares, each look once, and the finished tour."""

    space: Space
    size: int
    _kept: dict[tuple[bool, Look], Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._plane, self._dark = Plane(self.space, _GAP), self.space.dark()
        rows, cols = self._plane.grid.shape
        self.tile: int = max(_MIN_TILE, (self.size - 2 * _BORDER) // max(rows, cols))
        self.width, self.height = (self.tile * squares + 2 * _BORDER for squares in (cols, rows))

    def changes(self, squares: Sequence[int], looks: dict[int, Look], palette: Image) -> tuple[tuple[int, int], Image]:
        """Where the box round the squares begins, and the box with what they show now, transparent elsewhere."""
        from PIL import Image

        places = [self._place(square) for square in squares] or [(_BORDER, _BORDER)]
        left, top = (min(place[axis] for place in places) for axis in (0, 1))
        width, height = (max(place[axis] for place in places) + self.tile - low for axis, low in ((0, left), (1, top)))
        box = Image.new("P", (width, height), _COLOURS)
        for square in squares:
            x, y = self._place(square)
            box.paste(_in(palette, self._tile(square, looks.get(square, BLANK))), (x - left, y - top))
        return (left, top), box

    def finished(self, tour: Sequence[int], closed: bool) -> Image:
        """The tour as a line that changes colour along its way, the numbers on top."""
        whole = len(tour) == len(self.space)
        picture = self.assembled(dict.fromkeys(tour, ("passed", 0)))
        large = picture.resize((_FINER * picture.width, _FINER * picture.height))
        pen = self._pen(large)
        course = [*tour, tour[0]] if closed and whole else list(tour)
        for move, (one, other) in enumerate(pairwise(course)):
            colour = ramp_colour((move + 0.5) / (len(course) - 1), closed)
            pieces = self._plane.pieces(one, other)
            over_border = [
                [(_BORDER + self.tile * col, _BORDER + self.tile * row) for row, col in piece] for piece in pieces
            ]
            for ends in over_border or [[self._middle(one), self._middle(other)]]:
                pen.line(
                    [(_FINER * x, _FINER * y) for x, y in ends],
                    fill=colour,
                    width=max(2, round(0.06 * _FINER * self.tile)),
                )
        for visit, square in enumerate(tour, start=1):
            self._disc(pen, self._middle(square), visit, filled=visit == 1)
        return large.reduce(_FINER)

    def palette(self, last: Image) -> Image:
        """The colours of all frames, from the last one and one square of each look."""
        from PIL import Image

        looks: list[Look] = [BLANK, ("visited", 8), ("start", 1), ("knight", 1), ("exits", 6), ("hole", 0)]
        samples = [self._look(dark, look) for look in looks for dark in (False, True)]
        sheet = Image.new("RGB", (max(last.width, self.tile * len(samples)), last.height + self.tile), EDGE)
        sheet.paste(last, (0, 0))
        for place, sample in enumerate(samples):
            sheet.paste(sample, (place * self.tile, last.height))
        return sheet.quantize(_COLOURS)

    def assembled(self, looks: dict[int, Look]) -> Image:
        """The board whose squares show this, those that are not named nothing."""
        from PIL import Image

        picture = Image.new("RGB", (self.width, self.height), PAPER)
        hole = self._look(False, ("hole", 0))
        for frame in self._plane.frames:
            rows, cols = frame.layer.cells.shape
            left, top = self._corner(0, frame.left)
            picture.paste(Image.new("RGB", (self.tile * cols + 4, self.tile * rows + 4), EDGE), (left - 2, top - 2))
            for row, col in np.argwhere(frame.layer.cells < 0).tolist():
                picture.paste(hole, self._corner(row, frame.left + col))
        for vertex in range(len(self.space)):
            picture.paste(self._tile(vertex, looks.get(vertex, BLANK)), self._place(vertex))
        return picture

    def _tile(self, vertex: int, look: Look) -> Image:
        return self._look(self._dark is not None and bool(self._dark[vertex]), look)

    def _look(self, dark: bool, look: Look) -> Image:
        if (dark, look) not in self._kept:
            self._kept[dark, look] = self._drawn(dark, look)
        return self._kept[dark, look]

    def _drawn(self, dark: bool, look: Look) -> Image:
        from PIL import Image

        kind, number = look
        side = _FINER * self.tile
        visited = kind in ("visited", "start", "knight")
        ground = PAPER if kind == "hole" else (_DARK_TINT if dark else _TINT) if visited else DARK if dark else LIGHT
        picture = Image.new("RGB", (side, side), ground)
        pen = self._pen(picture)
        middle = (self.tile / 2, self.tile / 2)
        if kind == "start":
            self._disc(pen, middle, number, filled=True)
        elif kind == "knight":
            scale = 0.0084 * side
            for outline in glyphs.polylines(glyphs.KNIGHT):
                pen.polygon(
                    [((x - 47) * scale + side / 2, (y - 50) * scale + side / 2) for x, y in outline],
                    fill=glyphs.KNIGHT_COLOUR,
                )
        elif kind in ("visited", "exits"):
            self._word(pen, middle, str(number), INK if kind == "visited" else _RED, 1.0 if kind == "visited" else 1.5)
        return picture.reduce(_FINER)

    def _disc(self, pen: Any, middle: glyphs.Point, visit: int, *, filled: bool) -> None:
        x, y = (_FINER * part for part in middle)
        radius = _FINER * self.tile * (0.36 if filled else 0.27)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=glyphs.KNIGHT_COLOUR if filled else PAPER)
        self._word(pen, middle, str(visit), PAPER if filled else INK, 1.0, disc=True)

    def _word(
        self, pen: Any, middle: glyphs.Point, word: str, colour: str, weight: float, *, disc: bool = False
    ) -> None:
        """Digits with round strokes; on a disc, small enough for it."""
        room = 0.44 if disc else 0.66
        height = _FINER * self.tile * min(0.3 if disc else 0.38, room / (glyphs.width(word) + glyphs.PEN))
        x, y = (_FINER * part for part in middle)
        width = max(2, round(glyphs.PEN * height * weight))
        for line in glyphs.lines(word, x, y, height):
            pen.line(line, fill=colour, width=width, joint="curve")
            for px, py in (line[0], line[-1]):
                pen.ellipse((px - width / 2, py - width / 2, px + width / 2, py + width / 2), fill=colour)

    def _place(self, vertex: int) -> tuple[int, int]:
        return self._corner(*self._plane.where[vertex].tolist())

    def _corner(self, row: int, col: int) -> tuple[int, int]:
        """Where the square at this row and column of the plane begins, in pixels."""
        return _BORDER + col * self.tile, _BORDER + row * self.tile

    def _middle(self, square: int) -> glyphs.Point:
        x, y = self._place(square)
        return x + self.tile / 2, y + self.tile / 2

    @staticmethod
    def _pen(picture: Image) -> Any:
        from PIL import ImageDraw

        return ImageDraw.Draw(picture)


def _in(palette: Image, picture: Image) -> Image:
    """The picture in the colours of the palette."""
    return picture.quantize(palette=palette, dither=0)  # type: ignore[arg-type]


_COMMENT = b"!\xfe\x0acpsat-tour\0"
"""A comment block that says which program made the picture."""


class _Gif:
    """A GIF89a file, frame by frame; colour `_COLOURS` is transparent."""

    def __init__(self, width: int, height: int, palette: Image) -> None:
        colours = bytes(palette.getpalette() or []).ljust(3 * (_COLOURS + 1), b"\0")[: 3 * (_COLOURS + 1)]
        sizes = 0xF0 | ((_COLOURS + 1).bit_length() - 2)
        for_ever = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
        self._parts = [b"GIF89a" + struct.pack("<HHBBB", width, height, sizes, 0, 0) + colours + for_ever + _COMMENT]

    def add(self, picture: Image, corner: tuple[int, int], seconds: float) -> None:
        """A frame that is put over the one before, and stands so long."""
        from PIL import GifImagePlugin

        pause = max(20, round(100 * seconds) * 10)
        self._parts += GifImagePlugin.getdata(picture, corner, duration=pause, disposal=1, transparency=_COLOURS)

    def bytes(self) -> bytes:
        """The whole file."""
        return b"".join(self._parts) + b";"
