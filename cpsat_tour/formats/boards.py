"""Writes boards as text: puzzles with their numbers and a sign in each other square, tours with the numbers of visits.

Whatever prints a tour loads this file, so what reads such texts is another, `grids`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np

from cpsat_tour.core.space import Ints, Space, layout_of

HOLE, BLANK = "#", "."


def puzzle_text(space: Space, givens: Iterable[tuple[int, int]]) -> str:
    """Return the board as lines of text, the given numbers in their squares and a dot in each other."""
    words = {-1: HOLE} | {vertex: str(number) for vertex, number in givens}
    width, lines = len(str(len(space))), list[str]()
    for layer in layout_of(space).layers:
        lines += [f"layer {layer.title}"] * bool(layer.title)
        lines += [" ".join(words.get(vertex, BLANK).rjust(width) for vertex in row) for row in layer.cells.tolist()]
    return "\n".join(lines) + "\n"


def tour_text(space: Space, vertices: Ints) -> str:
    """Return the board of visit numbers from 1 as aligned lines, with labels on all four sides and ``#`` for holes;
    `BadInput` if the space has no layers."""
    return TourTexts(space).text(vertices[None, :])[:-1]


class TourTexts:
    """Writes tours of one space as boards: all have one frame, and only the visit numbers differ."""

    def __init__(self, space: Space) -> None:
        width = len(str(len(space)))
        layers, lines = layout_of(space).layers, list[str]()
        has_holes = any(int(layer.cells.min()) < 0 for layer in layers)
        cell = max(width, 1 + has_holes, *(len(layer.col_labels[-1]) for layer in layers))
        words = [("\0" * width).rjust(cell), (HOLE * (1 + has_holes)).rjust(cell)]
        for layer in layers:
            margin = max(map(len, layer.row_labels))
            header = " " * (margin + 2) + " ".join(map(str.rjust, layer.col_labels, repeat(cell)))
            lines += [""] * bool(lines) + [f"layer {layer.title}"] * bool(layer.title) + [header]
            for label, row in zip(layer.row_labels, (layer.cells < 0).tolist(), strict=True):
                lines.append(f"{label.rjust(margin)}  {' '.join(map(words.__getitem__, row))}  {label.rjust(margin)}")
            lines.append(header)
        # The board as text, with null characters in place of each number.
        frame = np.frombuffer(bytearray("\n".join(lines) + "\n", "ascii"), dtype=np.uint8)
        shown = np.concatenate([layer.cells.ravel() for layer in layers])
        self._slots = np.empty(len(space), dtype=np.int64)
        self._slots[shown[shown >= 0]] = np.flatnonzero((frame == 0) & (np.roll(frame, 1) != 0))
        frame[frame == 0] = ord(" ")
        frame[self._slots + width - 1] = ord(HOLE)
        self._frame = frame
        rest = np.arange(1, len(space) + 1)
        self._words = np.full((len(space), width), ord(" "), dtype=np.uint8)
        for digit in range(width - 1, -1, -1):
            self._words[rest > 0, digit] = ord("0") + rest[rest > 0] % 10
            rest //= 10

    def text(self, tours: Ints) -> str:
        """Return each tour (a row) as a board of visit numbers, with an empty line after it; an unvisited square has a
        ``#``."""
        size = len(self._frame) + 1
        page = np.full((len(tours), size), ord("\n"), dtype=np.uint8)
        page[:, :-1] = self._frame
        slots = self._slots[tours] + size * np.arange(len(tours))[:, None]
        flat = page.reshape(-1)
        for digit in range(self._words.shape[1]):
            flat[slots + digit] = self._words[: tours.shape[1], digit]
        return page.tobytes().decode("ascii")
