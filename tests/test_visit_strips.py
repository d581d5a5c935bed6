"""Tours written by several threads: the strips are the tour, and whatever is wrong with one is told."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.visit_strips import Strip, StripRun, write_strips
from cpsat_tour.native.construct import strips
from cpsat_tour.native.construct.strips import strips_of
from cpsat_tour.native.construct.tours import constructed
from cpsat_tour.native.construct.walk import Walk
from cpsat_tour.spaces.board import Board


@pytest.fixture(autouse=True)
def _small_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "STRIP", 300)
    monkeypatch.setattr(strips, "CHUNK", 100)


def visits(walk: Walk) -> Ints:
    return np.concatenate([chunk.copy() for chunk in walk.chunks()])


@pytest.mark.parametrize("sides", [(6, 6), (24, 24), (13, 14), (17, 19), (29, 24), (40, 31), (5, 40), (3, 40), (25, 25)], ids=str)
def test_the_strips_of_a_walk_are_the_walk(sides: tuple[int, int], tmp_path: Path) -> None:
    """From any start, reflected and transposed, with chains and without."""
    board, chance, path = Board(*sides), random.Random(4), tmp_path / "tour.npy"
    for closed in (False, True):
        if closed and (len(board) % 2 or sides[0] == 5):
            continue
        for _ in range(4):
            start = board.row_col(chance.randrange(len(board)))
            if len(board) % 2 and sum(start) % 2:
                continue
            walk = constructed(board, closed=closed, start=start)
            assert isinstance(walk, Walk)
            write_strips(path, strips_of(walk), *sides, closed=closed, threads=2, clock=Clock(None))
            assert np.array_equal(np.load(path), visits(walk))


def walk_of_24() -> Walk:
    walk = constructed(Board(24), closed=True)
    assert isinstance(walk, Walk)
    return walk


def reversed_run(run: StripRun) -> StripRun:
    whole = np.concatenate([chunk.copy() for chunk in run.chunks()])[::-1]
    return replace(run, chunks=lambda: iter([whole]))


def test_what_is_wrong_with_strips_is_told(tmp_path: Path) -> None:
    path = tmp_path / "tour.npy"
    good = strips_of(walk_of_24())
    first, *others = good
    run = first.runs[0]
    wrong: list[tuple[list[Strip], str]] = [
        (others, "is no knight's move from the visit before|do not number"),
        ([replace(first, runs=first.runs[1:]), *others], "visits to the"),
        ([replace(first, runs=(*first.runs, run)), *others], "was visited before"),
        ([replace(first, runs=(reversed_run(run), *first.runs[1:])), *others], "is no knight's move from the visit before"),
        ([replace(first, runs=(replace(run, first=run.first + 1), *first.runs[1:])), *others], "is no knight's move|do not number"),
    ]
    for what, words in wrong:
        with pytest.raises(TourFault, match=words):
            write_strips(path, what, 24, 24, closed=True, threads=2, clock=Clock(None))
        assert list(tmp_path.iterdir()) == []


def test_the_time_can_be_over_and_the_disk_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, good = tmp_path / "tour.npy", strips_of(walk_of_24())
    with pytest.raises(StoppedEarly, match="time"):
        write_strips(path, good, 24, 24, closed=True, threads=2, clock=Clock(0.0))

    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(BadInput, match=r"can't write .*: no space left on device"):
        write_strips(path, good, 24, 24, closed=True, threads=2, clock=Clock(None))
    assert list(tmp_path.iterdir()) == []


def test_solve_writes_by_threads_what_one_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for closed in ([], ["--closed"]):
        for name, threads in (("one.npy", []), ("two.npy", ["--threads", "2"])):
            assert status(["solve", "40x60", *closed, "--backend", "construct", "-o", str(tmp_path / name), *threads]) == 0
        assert "on 2 threads" in capsys.readouterr().err
        assert np.array_equal(np.load(tmp_path / "one.npy"), np.load(tmp_path / "two.npy"))
