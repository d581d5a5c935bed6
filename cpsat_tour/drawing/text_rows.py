"""Many tours as text at once: the boards that `cpsat_tour.drawing.text` draws one by one, written by NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Ints, Space
from cpsat_tour.drawing.text import framed, text


class BoardTexts:
    """Writes tours of one space: all texts have one frame, and only the visit numbers differ."""

    def __init__(self, space: Space) -> None:
        order = len(space)
        width = len(str(order))
        self._frame = _bytes(text(space, np.arange(order, dtype=np.int32)))
        # The numbers stand where two texts with other digits differ.
        ones, twos = (_bytes(framed(space, np.full(order, int(digit * width), dtype=np.int64), width)) for digit in "12")
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
