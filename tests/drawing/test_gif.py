"""Moving pictures: what stands in which frame, and how they are asked for."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cpsat_tour import Board, solve

Image = pytest.importorskip("PIL.Image", reason="GIF needs the extra gif")
gif = pytest.importorskip("cpsat_tour.drawing.gif")
BOARD = Board(5, 6)


def frames(picture: bytes, tmp_path: Path) -> Iterator[NDArray[np.uint8]]:
    """The frames as a viewer shows them."""
    path = tmp_path / "picture.gif"
    path.write_bytes(picture)
    with Image.open(path) as film:
        for number in range(film.n_frames):
            film.seek(number)
            yield np.asarray(film.convert("RGB")).copy()


def changed(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the part in which two frames differ."""
    rows, cols = np.nonzero((before != after).any(axis=2))
    return int(cols.min()), int(rows.min()), int(cols.max()) + 1, int(rows.max()) + 1


def test_the_knight_walks_square_by_square_and_leaves_a_trail(tmp_path: Path) -> None:
    tour = list(solve(BOARD, closed=True).tour or ())
    shown = list(frames(gif.gif_of_walk(BOARD.graph, tour, closed=True), tmp_path))
    assert len(shown) == len(tour) + 2
    painter = gif._Painter(BOARD.graph)
    for visit, before, after in zip(range(len(tour)), shown, shown[1:], strict=False):
        place, room = changed(before, after), painter.box(tour[max(0, visit - 1) : visit + 1])
        assert all(a >= b for a, b in zip(place[:2], room[:2], strict=True)), visit
        assert all(a <= b for a, b in zip(place[2:], room[2:], strict=True)), visit
        assert place[2] - place[0] >= painter.tile - 1
    left, top, right, bottom = painter.box([tour[0]])
    assert (shown[1][top:bottom, left:right] != shown[0][top:bottom, left:right]).any()


@pytest.mark.parametrize(("board", "least"), [(BOARD, 8.0), (Board(8), 10.0), (Board(24), 8.0)])
def test_a_film_takes_at_most_twelve_seconds(board: Board, least: float, tmp_path: Path) -> None:
    path = tmp_path / "walk.gif"
    path.write_bytes(gif.gif_of_walk(board.graph, list(solve(board).tour or ()), closed=False))
    with Image.open(path) as film:
        assert max(film.size) <= gif.SIZE + 1
        assert film.info["loop"] == 0
        seconds = 0.0
        for number in range(film.n_frames):
            film.seek(number)
            assert film.info["duration"] >= 20
            seconds += film.info["duration"] / 1000
    assert least <= seconds <= 12


def test_holes_and_one_square(tmp_path: Path) -> None:
    assert len(list(frames(gif.gif_of_walk(Board(1, 1).graph, [0], closed=False), tmp_path))) == 3
    assert len(list(frames(gif.gif_of_walk(Board(3, 4, holes=["a1"]).graph, [0, 5], closed=False), tmp_path))) == 4
