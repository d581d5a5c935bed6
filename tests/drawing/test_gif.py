"""Moving pictures: what stands in which frame, and how they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from commands import Command
from numpy.typing import NDArray

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import Backtrack, Step, TourFound, TraceEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.trace import trace
from cpsat_tour.spaces.board import Board

Image = pytest.importorskip("PIL.Image", reason="GIF needs the extra gif")
gif = pytest.importorskip("cpsat_tour.drawing.gif")
BOARD = Board(5, 6)
TILE = (gif.SIZE - 12) // 6


def events_of_search(prune: str = "default") -> list[TraceEvent]:
    return list(trace(Problem(BOARD.graph, True, start=0), Dfs(prune=prune), Limits()))


def tour_of(events: list[TraceEvent]) -> list[int]:
    last = events[-1]
    assert isinstance(last, TourFound)
    return list(last.vertices)


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
        row, col = BOARD.row_col(square)
        part = differ[6 + row * TILE : 6 + (row + 1) * TILE, 6 + col * TILE : 6 + (col + 1) * TILE]
        if part.any():
            squares.add(square)
            part[:] = False
    assert not differ.any()
    return squares


def test_the_knight_walks_square_by_square_and_only_they_are_redrawn(tmp_path: Path) -> None:
    tour = tour_of(events_of_search())
    shown = list(frames(gif.walk(BOARD, tour, closed=True), tmp_path))
    assert len(shown) == len(tour) + 2
    assert changed_squares(shown[0], shown[1]) == {tour[0]}
    for visit in range(2, len(tour) + 1):
        assert changed_squares(shown[visit - 1], shown[visit]) == set(tour[visit - 2 : visit])


def test_the_search_is_shown_with_every_step_and_return(tmp_path: Path) -> None:
    events = events_of_search("applet")[:60]
    shown = list(frames(gif.search(BOARD, events, (), closed=True), tmp_path))
    moves = [event for event in events if isinstance(event, Step | Backtrack)]
    assert any(isinstance(event, Backtrack) for event in moves)
    assert len(shown) == len(moves) + 2
    path: list[int] = []
    for event, (before, after) in zip(moves, pairwise(shown[: len(moves) + 1]), strict=True):
        if isinstance(event, Step):
            path.append(event.vertex)
        else:
            assert path.pop() == event.vertex
        assert event.vertex in changed_squares(before, after)


def test_frames_last_a_sixth_of_a_second(tmp_path: Path) -> None:
    tour = tour_of(events_of_search())
    path = tmp_path / "walk.gif"
    path.write_bytes(gif.walk(BOARD, tour, closed=True))
    with Image.open(path) as film:
        assert max(film.size) <= gif.SIZE
        film.seek(3)
        assert film.info["duration"] == 170
        assert film.info["loop"] == 0


def test_the_search_by_the_command_line(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "search.gif"
    assert "by dfs" in command(f"solve 5x6 --closed --start 0,0 --animate search -o {path}").err
    with Image.open(path) as film:
        assert film.n_frames == sum(isinstance(event, Step | Backtrack) for event in events_of_search()) + 2


def test_holes_and_one_square(tmp_path: Path) -> None:
    assert len(list(frames(gif.walk(Board(1, 1), [0], closed=False), tmp_path))) == 3
    board = Board(3, 4, holes=["a1"])
    assert len(list(frames(gif.walk(board, [0, 5], closed=False), tmp_path))) == 4


def test_a_search_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gif, "MAX_FRAMES", 50)
    events = trace(Problem(Board(8, 8).graph, True, start=0), Dfs(order="plain", prune="none"))
    with pytest.raises(BadInput, match="more than 50 steps"):
        gif.search(Board(8, 8), events, (), closed=True)
