"""Moving pictures: the knight walking a tour, or the native search with every step and every return, as GIF.

A frame redraws the smallest box round the squares that have changed. So a picture of thousands of frames is written as
it comes, in memory for one frame; Pillow's own writer keeps all of them until the end, 3 GB of the largest board. Each
look of a square is drawn once, four times too large, and kept. The picture ends on the whole line of the tour, as
`cpsat_tour.drawing.svg` draws it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import SearchPath, TraceEvent
from cpsat_tour.core.libraries import require
from cpsat_tour.core.space import Space
from cpsat_tour.drawing import glyphs
from cpsat_tour.drawing.colours import DARK, EDGE, INK, LIGHT, PAPER
from cpsat_tour.drawing.squares import Plane
from cpsat_tour.drawing.svg import ramp_colour
from cpsat_tour.formats.grids import layers_of

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 64
"""The longest side of a board whose numbers can be read in a picture of a reasonable size."""

MAX_FRAMES = 5000

FIRST_SECONDS, FRAME_SECONDS, LAST_SECONDS = 0.5, 1 / 6, 4.0

SIZE = 480
"""Pixels along the longer side, unless that leaves a square less than `_MIN_TILE`."""

_TINT, _DARK_TINT, _RED = "#b9c9ea", "#adbee4", "#b3261e"
_FINER, _BORDER, _MIN_TILE, _COLOURS, _GAP = 4, 6, 14, 64, 1

Shown = tuple[str, int]
"""What a square shows: ``visited`` or ``start`` with the number of the visit, ``exits`` with how many, ``knight``, or
nothing."""

BLANK: Shown = ("blank", 0)
HOLE: Shown = ("hole", 0)

OnFrame = Callable[[int], None]
"""Hears the number of each frame."""


def check_film(space: Space) -> None:
    """Raise `BadInput` unless a picture of the board can be made, also where Pillow is not installed."""
    require("a GIF picture", "PIL")
    layers_of(space)
    if max(Plane(space, _GAP).grid.shape) > MAX_SIDE:
        raise BadInput(
            f"a moving picture of {space.called()} would be too small to read: its sides may have {MAX_SIDE} squares"
        )


def walk(space: Space, vertices: Iterable[int], *, closed: bool, on_frame: OnFrame | None = None) -> bytes:
    """The knight walking over these vertices, a GIF."""
    course = list(vertices)
    frames = (_squares_shown(course[:visit]) for visit in range(1, len(course) + 1))
    return _film(space, frames, course, closed, on_frame)


def search(
    space: Space, events: Iterable[TraceEvent], tour: Iterable[int], *, closed: bool, on_frame: OnFrame | None = None
) -> bytes:
    """The search of these events: each step with the exits of the candidates, each return; ends on the tour, if there
    is one.

    `BadInput` beyond `MAX_FRAMES` frames.
    """
    return _film(space, _searched(events), list(tour), closed, on_frame)


def _squares_shown(path: Sequence[int], candidates: Iterable[tuple[int, int]] = ()) -> dict[int, Shown]:
    """What the squares show while the knight stands at the end of the path."""
    shown: dict[int, Shown] = {square: ("exits", exits) for square, exits in candidates}
    shown |= {square: ("visited", visit) for visit, square in enumerate(path, start=1)}
    if path:
        shown[path[0]] = ("start", 1)
        shown[path[-1]] = ("knight", len(path))
    return shown


def _searched(events: Iterable[TraceEvent]) -> Iterator[dict[int, Shown]]:
    """What the squares show after each step and each return."""
    here = SearchPath()
    for number, _ in enumerate(filter(here.moved_by, events), start=1):
        if number > MAX_FRAMES:
            raise BadInput(
                f"the search takes more than {MAX_FRAMES} steps, too many to show: choose other prunings, or "
                "show the walk"
            )
        candidates = here.candidates[-1] if here.path else ()
        yield _squares_shown(here.path, [(candidate.vertex, candidate.exits) for candidate in candidates])


def _film(
    space: Space, frames: Iterable[dict[int, Shown]], tour: Sequence[int], closed: bool, on_frame: OnFrame | None
) -> bytes:
    """The picture: the empty board, the frames, the tour as a whole."""
    check_film(space)
    painter = _Painter(space)
    last = painter.finished(tour, closed)
    painter.use_palette_for(last)
    parts = [painter.header(), painter.frame(painter.board, (0, 0), FIRST_SECONDS)]
    before: dict[int, Shown] = {}
    for number, now in enumerate(frames, start=1):
        changed = [
            square for square in before.keys() | now.keys() if before.get(square, BLANK) != now.get(square, BLANK)
        ]
        parts.append(painter.frame(*painter.redrawn(changed, now), FRAME_SECONDS))
        before = now
        if on_frame is not None:
            on_frame(number)
    parts.append(painter.frame(painter.in_palette(last), (0, 0), LAST_SECONDS))
    return b"".join([*parts, b";"])


class _Painter:
    """Draws squares, each look once, the finished tour, and the blocks of the file."""

    def __init__(self, space: Space) -> None:
        self._space, self._plane, self._dark = space, Plane(space, _GAP), space.dark()
        rows, cols = self._plane.grid.shape
        self._tile = max(_MIN_TILE, (SIZE - 2 * _BORDER) // max(rows, cols))
        self._size = (self._tile * cols + 2 * _BORDER, self._tile * rows + 2 * _BORDER)
        self._tiles: dict[tuple[bool, Shown], Image] = {}
        self._palette: Image | None = None
        self.board = self._board({})

    def use_palette_for(self, last: Image) -> None:
        """Choose the colours of all frames, from the last one and one square of each look."""
        looks: list[Shown] = [BLANK, ("visited", 8), ("start", 1), ("knight", 1), ("exits", 6), HOLE]
        samples = [self._drawn(dark, shown) for shown in looks for dark in (False, True)]
        sheet = _blank((max(last.width, self._tile * len(samples)), last.height + self._tile), EDGE)
        sheet.paste(last, (0, 0))
        for place, sample in enumerate(samples):
            sheet.paste(sample, (place * self._tile, last.height))
        self._palette = sheet.quantize(_COLOURS)
        self._tiles.clear()
        self.board = self.in_palette(self.board)

    def in_palette(self, picture: Image) -> Image:
        """The picture in the colours that were chosen; itself before."""
        if self._palette is None:
            return picture
        return picture.quantize(palette=self._palette, dither=0)  # type: ignore[arg-type]

    def header(self) -> bytes:
        """The beginning of the file: its size and palette, and that it is shown for ever."""
        colours = bytes(self.board.getpalette() or []).ljust(3 * _COLOURS, b"\0")[: 3 * _COLOURS]
        screen = struct.pack("<HHBBB", *self._size, 0xF0 | (_COLOURS.bit_length() - 2), 0, 0)
        return b"GIF89a" + screen + colours + b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"

    @staticmethod
    def frame(picture: Image, corner: tuple[int, int], seconds: float) -> bytes:
        """The block of a frame that is put over the one before, and stands so long."""
        from PIL import GifImagePlugin

        pause = max(20, round(100 * seconds) * 10)
        return b"".join(GifImagePlugin.getdata(picture, corner, duration=pause, disposal=1))

    def redrawn(self, squares: Iterable[int], shown: dict[int, Shown]) -> tuple[Image, tuple[int, int]]:
        """Draw the squares that have changed; the box round them, and where it begins."""
        corners = [self._corner(square) for square in squares] or [(_BORDER, _BORDER)]
        for square in squares:
            self.board.paste(self._square(square, shown.get(square, BLANK)), self._corner(square))
        (left, right), (top, bottom) = ((min(parts), max(parts) + self._tile) for parts in zip(*corners, strict=True))
        return self.board.crop((left, top, right, bottom)), (left, top)

    def finished(self, tour: Sequence[int], closed: bool) -> Image:
        """The tour as a line that changes colour along its way, the numbers on top."""
        picture = self._board(dict.fromkeys(tour, ("passed", 0)))
        large = picture.resize((_FINER * picture.width, _FINER * picture.height))
        pen = _pen(large)
        course = [*tour, *tour[:1]] if closed and len(tour) == len(self._space) else tour
        for move, (tail, head) in enumerate(pairwise(course)):
            straight = [[(row + 0.5, col + 0.5) for row, col in self._plane.where[[tail, head]].tolist()]]
            for piece in self._plane.pieces(tail, head) or straight:
                ends = [
                    (_FINER * (_BORDER + self._tile * col), _FINER * (_BORDER + self._tile * row)) for row, col in piece
                ]
                colour = ramp_colour((move + 0.5) / (len(course) - 1), closed)
                pen.line(ends, fill=colour, width=max(2, round(0.06 * _FINER * self._tile)))
        for visit, square in enumerate(tour, start=1):
            x, y = self._corner(square)
            self._disc(pen, (x + self._tile / 2, y + self._tile / 2), visit, filled=visit == 1)
        return large.reduce(_FINER)

    def _board(self, shown: dict[int, Shown]) -> Image:
        """The board whose squares show this, those that are not named nothing."""
        picture = _blank(self._size, PAPER)
        for frame in self._plane.frames:
            rows, cols = frame.layer.cells.shape
            left, top = _BORDER + frame.left * self._tile, _BORDER
            picture.paste(_blank((self._tile * cols + 4, self._tile * rows + 4), EDGE), (left - 2, top - 2))
            for row, col in np.argwhere(frame.layer.cells < 0).tolist():
                picture.paste(self._drawn(False, HOLE), (left + col * self._tile, top + row * self._tile))
        for vertex in range(len(self._space)):
            picture.paste(self._square(vertex, shown.get(vertex, BLANK)), self._corner(vertex))
        return picture

    def _square(self, vertex: int, shown: Shown) -> Image:
        """A square, drawn when it is first asked for."""
        dark = self._dark is not None and bool(self._dark[vertex])
        if (dark, shown) not in self._tiles:
            self._tiles[dark, shown] = self.in_palette(self._drawn(dark, shown))
        return self._tiles[dark, shown]

    def _drawn(self, dark: bool, shown: Shown) -> Image:
        kind, number = shown
        side = _FINER * self._tile
        visited = kind in ("visited", "start", "knight")
        ground = PAPER if kind == "hole" else (_DARK_TINT if dark else _TINT) if visited else DARK if dark else LIGHT
        picture = _blank((side, side), ground)
        pen, middle = _pen(picture), (self._tile / 2, self._tile / 2)
        if kind == "start":
            self._disc(pen, middle, number, filled=True)
        elif kind == "knight":
            scale = 0.0084 * side
            for outline in glyphs.polylines(glyphs.KNIGHT):
                points = [((x - 47) * scale + side / 2, (y - 50) * scale + side / 2) for x, y in outline]
                pen.polygon(points, fill=glyphs.KNIGHT_COLOUR)
        elif kind in ("visited", "exits"):
            self._word(pen, middle, str(number), INK if kind == "visited" else _RED, 1.0 if kind == "visited" else 1.5)
        return picture.reduce(_FINER)

    def _disc(self, pen: Any, middle: glyphs.Point, visit: int, *, filled: bool) -> None:
        x, y = (_FINER * part for part in middle)
        radius = _FINER * self._tile * (0.36 if filled else 0.27)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=glyphs.KNIGHT_COLOUR if filled else PAPER)
        self._word(pen, middle, str(visit), PAPER if filled else INK, 1.0, disc=True)

    def _word(
        self, pen: Any, middle: glyphs.Point, word: str, colour: str, weight: float, *, disc: bool = False
    ) -> None:
        """Digits with round strokes; on a disc, small enough for it."""
        room = 0.44 if disc else 0.66
        height = _FINER * self._tile * min(0.3 if disc else 0.38, room / (glyphs.width(word) + glyphs.PEN))
        x, y = (_FINER * part for part in middle)
        width = max(2, round(glyphs.PEN * height * weight))
        for line in glyphs.lines(word, x, y, height):
            pen.line(line, fill=colour, width=width, joint="curve")
            for px, py in (line[0], line[-1]):
                pen.ellipse((px - width / 2, py - width / 2, px + width / 2, py + width / 2), fill=colour)

    def _corner(self, vertex: int) -> tuple[int, int]:
        """Where the square begins, in pixels to the right and down."""
        row, col = self._plane.where[vertex].tolist()
        return _BORDER + col * self._tile, _BORDER + row * self._tile


def _blank(size: tuple[int, int], colour: str) -> Image:
    from PIL import Image

    return Image.new("RGB", size, colour)


def _pen(picture: Image) -> Any:
    from PIL import ImageDraw

    return ImageDraw.Draw(picture)
