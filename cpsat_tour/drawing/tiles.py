"""A large tour as a map: square tiles at every level of zoom, and a page to look at them.

A square is 8 pixels wide on the deepest level, where a line leads from square to square and changes its colour from the
first move to the last, as in `cpsat_tour.drawing.svg`. Squares have a tint of the same colour, so that where a part of
the tour lies is seen from afar. A tile of any other level is the four tiles below it, at half their size; level 0 is
one tile. Tiles are painted one by one: memory holds the tour and, of each level, one tile.

Limits: tours of at most 2^23 squares, which take some tens of thousands of files. It needs Pillow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.libraries import require
from cpsat_tour.drawing.colours import PAPER
from cpsat_tour.drawing.svg import ramp_colour
from cpsat_tour.formats.bundles import Bundle, files_named
from cpsat_tour.formats.files import naming

TILE = 512
"""Pixels of a tile's side."""

SQUARE = 8
"""Pixels of a square's side on the deepest level."""

MAX_TILED = 1 << 23

SHADES = 256
WIDTH = 1.6
"""Pixels of the line."""
TINT = 0.25
"""How much of the line's colour a light square has; a dark one has twice that."""

PAGE = "index.html"
BUNDLE = Bundle("a map", PAGE, b"cpsat-tour")
FILES = r"\d+-\d+-\d+\.png|index\.html"
"""What the files of a map are called; all others in its folder are somebody else's, and stay."""

Pixels = NDArray[np.float32]
"""Of shape ``(TILE, TILE, 3)``, from 0 to 255."""


@dataclass(frozen=True, eq=False)
class Map:
    """The tiles of a tour: ``squares`` in the order of the visit."""

    squares: Ints
    rows: int
    cols: int
    closed: bool

    @cached_property
    def deepest(self) -> int:
        """The level where nothing is made smaller."""
        tiles = -(-max(self.rows, self.cols) * SQUARE // TILE)
        return (tiles - 1).bit_length()

    @cached_property
    def _numbers(self) -> Ints:
        numbers = np.empty(self.rows * self.cols, dtype=np.int32)
        numbers[self.squares] = np.arange(len(self.squares), dtype=np.int32)
        return numbers.reshape(self.rows, self.cols)

    @cached_property
    def _shades(self) -> Pixels:
        colours = [ramp_colour((shade + 0.5) / SHADES, self.closed) for shade in range(SHADES)]
        return np.array([_channels(colour) for colour in colours], dtype=np.float32)

    def write(self, folder: Path, heartbeat: Callable[[], None]) -> None:
        """Write the tiles and the page into the folder; the heart beats after each tile."""
        from PIL import Image  # Pillow is an extra

        def save(pixels: Pixels, name: str) -> None:
            Image.fromarray(np.rint(pixels).astype(np.uint8)).save(staged / name, compress_level=3)
            heartbeat()

        with BUNDLE.writing(folder, retired=files_named(FILES, folder)) as staged, naming(folder):
            self._tile(0, 0, 0, save)
            about = {"rows": self.rows, "cols": self.cols, "deepest": self.deepest, "tile": TILE, "square": SQUARE}
            page = Path(__file__).with_name("tiles.html").read_text(encoding="utf-8")
            (staged / PAGE).write_text(page.replace("{}", json.dumps(about), 1), encoding="utf-8")

    def _tile(self, level: int, down: int, right: int, save: Callable[[Pixels, str], None]) -> Pixels | None:
        """The tile so far down and to the right, saved with all that it shows; None where the board is not."""
        here = TILE << (self.deepest - level)
        if down * here >= self.rows * SQUARE or right * here >= self.cols * SQUARE:
            return None
        pixels = np.empty((TILE, TILE, 3), dtype=np.float32)
        pixels[:] = _channels(PAPER)
        if level == self.deepest:
            paint(self._numbers, self.squares, self._shades, self.closed, down * TILE, right * TILE, pixels)
        else:
            half = TILE // 2
            for below, aside in ((0, 0), (0, 1), (1, 0), (1, 1)):
                part = self._tile(level + 1, 2 * down + below, 2 * right + aside, save)
                if part is not None:
                    smaller = part.reshape(half, 2, half, 2, 3).mean(axis=(1, 3))
                    pixels[half * below : half * (below + 1), half * aside : half * (aside + 1)] = smaller
        save(pixels, f"{level}-{down}-{right}.png")
        return pixels


def check_map(rows: int, cols: int, folder: Path, *, force: bool) -> None:
    """Raise `BadInput` if such a map can't be written there."""
    require("a map", "PIL")
    if rows * cols > MAX_TILED:
        raise BadInput(
            f"can't draw a map of the {rows}x{cols} board: it would be too many files; at most {MAX_TILED:,} "
            "squares are drawn"
        )
    BUNDLE.check_place(folder, files_named(FILES, folder), force=force)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


@allocation_free
def paint(numbers: Ints, order: Ints, shades: Pixels, closed: bool, top: int, left: int, pixels: Pixels) -> None:
    """Paint what lies below and to the right of this pixel of the board: tinted squares, then the lines that begin in
    or beside them."""
    rows, cols = numbers.shape
    squares = len(order)
    side = len(pixels)
    for y in range(min(side, rows * SQUARE - top)):
        for x in range(min(side, cols * SQUARE - left)):
            row, col = (top + y) // SQUARE, (left + x) // SQUARE
            tint = TINT * (1 + (row + col) % 2)
            shade = numbers[row, col] * SHADES // squares
            for channel in range(3):
                pixels[y, x, channel] += np.float32(tint) * (shades[shade, channel] - pixels[y, x, channel])
    for row in range(max(0, top // SQUARE - 2), min(rows, (top + side) // SQUARE + 3)):
        for col in range(max(0, left // SQUARE - 2), min(cols, (left + side) // SQUARE + 3)):
            number = numbers[row, col]
            if number + 1 < squares or closed:
                following = order[(number + 1) % squares]
                shade = number * SHADES // squares
                middle = (row + 0.5) * SQUARE - top - 0.5, (col + 0.5) * SQUARE - left - 0.5
                line(
                    pixels,
                    middle[0],
                    middle[1],
                    (following // cols - row) * SQUARE,
                    (following % cols - col) * SQUARE,
                    shades[shade],
                )


@allocation_free
def line(pixels: Pixels, y: float, x: float, down: int, right: int, colour: Pixels) -> None:
    """Paint a line from a pixel to the one so far down and to the right; a pixel beside it takes as much of the colour
    as the line covers."""
    long = down * down + right * right
    reach = WIDTH / 2 + 1
    for row in range(max(0, int(min(y, y + down) - reach)), min(len(pixels), int(max(y, y + down) + reach) + 1)):
        for col in range(max(0, int(min(x, x + right) - reach)), min(len(pixels), int(max(x, x + right) + reach) + 1)):
            along = min(1.0, max(0.0, ((row - y) * down + (col - x) * right) / long))
            apart = np.sqrt((row - y - along * down) ** 2 + (col - x - along * right) ** 2)
            covered = np.float32(min(1.0, max(0.0, WIDTH / 2 + 0.5 - apart)))
            for channel in range(3):
                pixels[row, col, channel] += covered * (colour[channel] - pixels[row, col, channel])
