"""Moving pictures: what stands in which frame, and how they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cpsat_tour import Board, solve

Image = pytest.importorskip("PIL.Image", reason="GIF needs the extra gif")
gif = pytest.importorskip("cpsat_tour.drawing.gif")
BOARD = Board(5, 6)
TILE = (gif.SIZE - 12) // 6


def frames(picture: bytes, tmp_path: Path) -> Iterator[NDArray[np.uint8]]:
    """The frames as a viewer shows them."""
    path = tmp_path / "picture.gif"
    path.write_bytes(picture)
    with Image.open(path) as film:
        for number in range(film.n_frames):
            film.seek(number)
            yield np.asarray(film.convert("RGB")).copy()


def changed_squares(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> set[int]:
    """The squares of the board on which two frames differ; nothing else may."""
    differ = (before != after).any(axis=2)
    squares = set()
    for square in range(len(BOARD)):
        row, col = divmod(square, BOARD.cols)
        part = differ[6 + row * TILE : 6 + (row + 1) * TILE, 6 + col * TILE : 6 + (col + 1) * TILE]
        if part.any():
            squares.add(square)
            part[:] = False
    assert not differ.any()
    return squares


def test_the_knight_walks_square_by_square_and_only_they_are_redrawn(tmp_path: Path) -> None:
    tour = list(solve(BOARD, closed=True).tour or ())
    shown = list(frames(gif.gif_of_walk(BOARD.graph, tour, closed=True), tmp_path))
    assert len(shown) == len(tour) + 2
    assert changed_squares(shown[0], shown[1]) == {tour[0]}
    for visit in range(2, len(tour) + 1):
        assert changed_squares(shown[visit - 1], shown[visit]) == set(tour[visit - 2 : visit])


def test_frames_last_a_sixth_of_a_second(tmp_path: Path) -> None:
    tour = list(solve(BOARD, closed=True).tour or ())
    path = tmp_path / "walk.gif"
    path.write_bytes(gif.gif_of_walk(BOARD.graph, tour, closed=True))
    with Image.open(path) as film:
        assert max(film.size) <= gif.SIZE
        film.seek(3)
        assert film.info["duration"] == 170
        assert film.info["loop"] == 0


def test_holes_and_one_square(tmp_path: Path) -> None:
    assert len(list(frames(gif.gif_of_walk(Board(1, 1).graph, [0], closed=False), tmp_path))) == 3
    assert len(list(frames(gif.gif_of_walk(Board(3, 4, holes=["a1"]).graph, [0, 5], closed=False), tmp_path))) == 4
