"""Many tours as text at once: the boards that `cpsat_tour.drawing.text` draws one by one, written by NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.drawing.text import text
from cpsat_tour.spaces.board import Board


class BoardTexts:
    """Writes tours of one board: all boards have one frame, and only the visit numbers differ."""

    def __init__(self, board: Board) -> None:
        visits = np.arange(len(board), dtype=np.int32)
        self._frame = np.frombuffer(text(board, visits).encode("ascii"), dtype=np.uint8)
        header, first, *_ = text(board, visits).split("\n")
        margin = len(first) - len(header)
        width = (len(header) - margin + 1) // board.cols - 1
        row, col = np.divmod(board.squares.astype(np.int64), board.cols)
        self._places = len(header) + 1 + row * (len(first) + 1) + margin + col * (width + 1)
        words = "".join(str(visit).rjust(width) for visit in range(1, len(board) + 1))
        self._words: NDArray[np.uint8] = np.frombuffer(words.encode("ascii"), dtype=np.uint8).reshape(len(board), width)

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
