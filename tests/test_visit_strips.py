"""Tours written by several threads or on a cluster: the strips are the tour, and whatever is wrong with one is told."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour.cli.main import status
from cpsat_tour.compare.cluster import _own, cluster
from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.tour_files import about, answer_in, squares_in
from cpsat_tour.formats.visit_parts import write_parts
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


@pytest.mark.parametrize(
    "sides", [(6, 6), (24, 24), (13, 14), (17, 19), (29, 24), (40, 31), (5, 40), (3, 40), (25, 25)], ids=str
)
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
    good = list(strips_of(walk_of_24()))
    first, *others = good
    run = first.runs[0]
    wrong: list[tuple[list[Strip], str]] = [
        (others, "is not a knight's move from the visit before|do not number"),
        ([replace(first, runs=first.runs[1:]), *others], "visits to the"),
        ([replace(first, runs=(*first.runs, run)), *others], "was visited before"),
        (
            [replace(first, runs=(reversed_run(run), *first.runs[1:])), *others],
            "is not a knight's move from the visit before",
        ),
        (
            [replace(first, runs=(replace(run, first=run.first + 1), *first.runs[1:])), *others],
            "is not a knight's move|do not number",
        ),
    ]
    for what, words in wrong:
        with pytest.raises(TourFault, match=words):
            write_strips(path, what, 24, 24, closed=True, threads=2, clock=Clock(None))
        assert list(tmp_path.iterdir()) == []


def test_the_time_can_be_over_and_the_disk_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, good = tmp_path / "tour.npy", list(strips_of(walk_of_24()))
    with pytest.raises(StoppedEarly, match="time"):
        write_strips(path, good, 24, 24, closed=True, threads=2, clock=Clock(0.0))

    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(BadInput, match=r"can't write .*: no space left on device"):
        write_strips(path, good, 24, 24, closed=True, threads=2, clock=Clock(None))
    assert list(tmp_path.iterdir()) == []


# --- parts ---


def in_parts(folder: Path, strips: list[Strip], rows: int = 24, cols: int = 24) -> None:
    with ThreadPoolExecutor(2) as pool:
        write_parts(
            folder, strips, rows, cols, closed=True, workers=(pool, 2), clock=Clock(None), on_event=lambda _: None
        )


@pytest.mark.parametrize("sides", [(24, 30), (30, 24), (45, 28)], ids=str)
def test_a_folder_of_parts_is_the_walk(sides: tuple[int, int], tmp_path: Path) -> None:
    folder, walk = tmp_path / "tour.json", constructed(Board(*sides), closed=True)
    assert isinstance(walk, Walk)
    folder.mkdir()
    (folder / "my-data.npy").write_text("mine")
    for _ in range(2):  # the second replaces the first
        in_parts(folder, list(strips_of(walk)), *sides)
    assert answer_in(folder) is None
    found = about(folder)
    assert (found.rows, found.cols, found.closed) == (*sides, True)
    assert np.array_equal(squares_in(folder, found), visits(walk) @ (sides[1], 1))
    assert [path.name for path in tmp_path.iterdir()] == ["tour.json"]
    assert (folder / "my-data.npy").read_text() == "mine"


def test_no_folder_is_written_of_what_is_no_tour(tmp_path: Path) -> None:
    with pytest.raises(TourFault, match="do not number the 576"):
        in_parts(tmp_path / "tour", list(strips_of(walk_of_24()))[1:])
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_with_parts_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "tour"
    in_parts(folder, list(strips_of(walk_of_24())))
    index, part = folder / "index.json", folder / "12-0.npy"
    good, array = json.loads(index.read_text()), np.load(part)
    first, second, *_ = good["parts"]
    wrong: list[tuple[object, str]] = [
        ([], "is not the index"),
        ({}, "is not the index"),
        (good | {"parts": None}, "is not the index"),
        (good | {"rows": 1e9}, "is not the index"),
        (good | {"closed": "no"}, "is not the index"),
        (good | {"parts": [first | {"runs": [[0, True]]}]}, "is not the index"),
        (good | {"rows": 23}, "strips of the 23x24 board"),
        (good | {"parts": good["parts"][1:]}, "strips of the 24x24 board"),
        (good | {"parts": [first, *good["parts"]]}, "strips of the 24x24 board"),
        (good | {"parts": [first, second | {"runs": second["runs"][1:]}]}, "visits to the"),
        (good | {"parts": [first | {"runs": first["runs"][::-1]}, second]}, "knight's move|do not number"),
        (
            good | {"parts": [first, second | {"runs": [[at + 1, length] for at, length in second["runs"]]}]},
            "knight's move|do not number",
        ),
        (good | {"parts": [first, second | {"runs": [[0, 1 << 39]]}]}, "which is not what index.json says"),
    ]
    for told, words in wrong:
        index.write_text(json.dumps(told))
        with pytest.raises((BadInput, TourFault), match=words):
            about(folder)
    index.write_text(json.dumps(good))
    for changed, words in (
        (array[::-1], "move|visited"),
        (array.astype(float), "not what index.json says"),
        (array + 24, "is not on the"),
    ):
        np.save(part, changed)
        with pytest.raises((BadInput, TourFault), match=words):
            about(folder)
    part.unlink()
    with pytest.raises(BadInput, match="can't read"):
        about(folder)


def test_a_cluster_is_for_constructed_boards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "tour")
    for options, words in (
        (["8x8", "--cluster", "local:2", "-o", folder], "--backend construct alone"),
        (["8x8", "--cluster", "local:2", "--backend", "construct"], "that -o names"),
        (["8x8", "--cluster", "2", "--backend", "construct", "-o", folder], "local:N"),
        (["4x80", "--cluster", "local:2", "--backend", "construct", "-o", folder], "can't be written in parts"),
    ):
        assert status(["solve", *options]) == 2
        assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_that_cannot_be_started_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")

    def no_more_processes(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", no_more_processes)
    assert (
        status(
            [
                "solve",
                "40x40",
                "--closed",
                "--backend",
                "construct",
                "--cluster",
                "local:2",
                "-o",
                str(tmp_path / "tour"),
            ]
        )
        == 2
    )
    assert capsys.readouterr().err == "cpsat-tour: a cluster of 2 processes can't be started: Nanny failed to start.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("error:Port")
def test_clusters_may_run_beside_each_other() -> None:
    """The port that their pages have by default is taken, which the library would warn of."""
    pytest.importorskip("distributed", reason="distributed is optional")
    with socket.socket() as taken:
        with suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with _own(0) as own:
            assert not own.workers


@pytest.mark.slow
def test_a_cluster_writes_the_parts_though_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as own:
        with distributed.Client(own) as client:
            victims = [min(client.run(os.getpid).values())]

        def killing(event: Event) -> None:
            if isinstance(event, Progress) and event.work["squares"] and victims:
                os.kill(victims.pop(), signal.SIGKILL)

        with cluster(own.scheduler_address, None) as workers:
            hands = workers.executor, workers.number
            walk = constructed(Board(200), closed=True)
            assert isinstance(walk, Walk)
            write_parts(
                tmp_path / "tour",
                strips_of(walk),
                200,
                200,
                closed=True,
                workers=hands,
                clock=Clock(None),
                on_event=killing,
            )
    assert not victims
    found = about(tmp_path / "tour")
    assert np.array_equal(squares_in(tmp_path / "tour", found), visits(walk) @ (200, 1))
    assert not [path for path in (tmp_path / "tour").iterdir() if path.name.startswith(".")]


def test_solve_writes_by_threads_what_one_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for closed in ([], ["--closed"]):
        for name, threads in (("one.npy", []), ("two.npy", ["--threads", "2"])):
            assert (
                status(["solve", "40x60", *closed, "--backend", "construct", "-o", str(tmp_path / name), *threads]) == 0
            )
        assert "on 2 threads" in capsys.readouterr().err
        assert np.array_equal(np.load(tmp_path / "one.npy"), np.load(tmp_path / "two.npy"))
