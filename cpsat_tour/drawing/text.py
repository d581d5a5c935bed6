"""A tour as text: the board, or one layer after the other, with the number of each square's visit and coordinates round
it; or many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Ints, Layer, Space
from cpsat_tour.drawing.squares import check_drawable

HOLE = "#"


def text(space: Space, vertices: Ints) -> str:
    """The layers as lines of aligned visit numbers from 1, holes as ``##``, with their rows' labels on both sides and
    the columns' above and below; `BadInput` where the space has no layers."""
    visits = np.zeros(len(space), dtype=np.int32)
    visits[vertices] = np.arange(1, len(vertices) + 1, dtype=np.int32)
    return framed(space, visits, len(str(len(vertices))))


def framed(space: Space, numbers: NDArray[np.integer], width: int) -> str:
    """The layers with the number of each vertex in its place, ``#`` for 0, none of more digits than the width."""
    check_drawable(space)
    layers = space.layers()
    has_holes = any(int(layer.cells.min()) < 0 for layer in layers)
    width = max(width, 1 + has_holes, *(len(layer.col_labels[-1]) for layer in layers))
    hole = (HOLE * (1 + has_holes)).rjust(width)
    # A hole, vertex -1, has the last of the numbers.
    numbers = np.append(numbers, np.int32(0))
    return "\n".join(_layer(layer, numbers[layer.cells], width, hole) for layer in layers)


def _layer(layer: Layer, numbers: NDArray[np.integer], width: int, hole: str) -> str:
    margin = max(map(len, layer.row_labels))
    header = " " * (margin + 2) + " ".join(label.rjust(width) for label in layer.col_labels)
    lines = [f"layer {layer.title}", header] if layer.title else [header]
    all_there = " ".join([f"%{width}d"] * numbers.shape[1])
    for label, row in zip(layer.row_labels, numbers.tolist(), strict=True):
        cells = (
            all_there % tuple(row)
            if all(row)
            else " ".join([str(number).rjust(width) if number else hole for number in row])
        )
        lines.append(f"{label.rjust(margin)}  {cells}  {label.rjust(margin)}")
    return "\n".join([*lines, header]) + "\n"


class BoardTexts:
    """Writes tours of one space: all texts have one frame, and only the visit numbers differ."""

    def __init__(self, space: Space) -> None:
        order = len(space)
        width = len(str(order))
        self._frame = _bytes(text(space, np.arange(order, dtype=np.int32)))
        # The numbers stand where two texts with other digits differ.
        ones, twos = (
            _bytes(framed(space, np.full(order, int(digit * width), dtype=np.int64), width)) for digit in "12"
        )
        shown = np.concatenate([layer.cells.ravel() for layer in space.layers()])
        self._places = np.empty(order, dtype=np.int64)
        self._places[shown[shown >= 0]] = np.flatnonzero(ones != twos)[::width]
        words = "".join(str(visit).rjust(width) for visit in range(1, order + 1))
        self._words = _bytes(words).reshape(order, width)

    def text(self, tours: Ints) -> str:
        """The boards of these tours (a row each), an empty line after each."""
        size = len(self._frame) + 1
        page = np.full((len(tours), size), ord("\n"), dtype=np.uint8)
        page[:, :-1] = self._frame
        places = self._places[tours] + size * np.arange(len(tours))[:, None]
        flat = page.reshape(-1)
        for digit in range(self._words.shape[1]):
            flat[places + digit] = self._words[:, digit]
        return page.tobytes().decode("ascii")


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
