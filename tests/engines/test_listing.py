"""Lists of tours: the course report's tours, order and calls; all tours of small boards; what the command prints and
writes."""

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from brute_force import brute_force
from commands import Command
from course_report import FIRST, TENTH
from numpy.typing import NDArray

from cpsat_tour import Answer, BackendFault, BadInput, Board, Problem, StoppedEarly, load
from cpsat_tour.core.runs import NO_LIMIT, Limits, OnEvent
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import TourRows, canonical
from cpsat_tour.engines.runner import Listing
from cpsat_tour.formats.boards import TourTexts, tour_text
from cpsat_tour.formats.files import writing_rows
from cpsat_tour.spaces.symmetry import TourClasses

REPORT = {"order": "fixed:48172635", "prune": "none"}
REPORT_CALL = "tours 8x8 -O order=fixed:48172635 -O prune=none"

# The course report's f(n): calls until n tours of 8x8 are found, on average over all starts, rounded there; and the
# sums that round to it.
F = {1: 64, 10: 194, 100: 3593, 1000: 76233, 10000: 1947984, 100000: 41985040}
SUMS = {1: 64 * 64, 10: 12384, 100: 229934, 1000: 4878924, 10000: 124670948, 100000: 2687042534}


def all_of(problem: Problem, backend: str = "dfs", most: int = NO_LIMIT, classes: TourClasses | None = None) -> Ints:
    """The tours of a list as one array."""
    listing = Listing(problem, load(backend), most=most, classes=classes, name=backend)
    tours = np.concatenate([np.zeros((0, problem.graph.order), dtype=np.int32), *listing])
    assert len(tours) == listing.count
    return tours


def as_set(tours: Ints) -> set[tuple[int, ...]]:
    found = {tuple(tour) for tour in tours.tolist()}
    assert len(found) == len(tours), "a tour came twice"
    return found


def boards(out: str) -> list[list[list[int]]]:
    """The visit numbers of printed boards."""
    return [
        [[int(word) for word in line.split()[1:-1]] for line in board.split("\n")[1:-1]]
        for board in out.strip("\n").split("\n\n")
    ]


def test_the_first_ten_tours_of_the_report(command: Command) -> None:
    shown = boards(command(f"{REPORT_CALL} --start 0,0 -n 10").out)
    assert len(shown) == 10
    for board, report in ((shown[0], FIRST), (shown[9], TENTH)):
        assert board == [[int(word) for word in line.split()] for line in report.strip().split("\n")]


@pytest.mark.parametrize(
    "number", [1, 10, 100, 1000, *(pytest.param(n, marks=pytest.mark.slow) for n in (10000, 100000))]
)
def test_calls_until_n_tours_over_all_starts_are_those_of_the_report(number: int) -> None:
    board = Board(8).graph
    listings = [Listing(Problem(board, False, start), load("dfs", REPORT), most=number) for start in range(64)]
    assert [sum(map(len, listing)) for listing in listings] == [number] * 64
    assert sum(listing.calls or 0 for listing in listings) == SUMS[number]
    assert round(SUMS[number] / 64) == F[number]


def test_all_closed_tours_of_6x6_and_their_classes(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "tours.npy"
    assert "9,862 closed tours" in command(f"tours 6x6 --closed --all -o {path}").err
    tours = np.load(path)
    assert (tours.shape, tours.dtype) == ((9862, 36), np.uint8)
    problem = Problem(Board(6).graph, True)
    assert as_set(tours) == as_set(np.array([canonical(problem, tour) for tour in tours]))
    TourRows(problem).verify(tours.astype(np.int32))
    out, err = command("tours 6x6 --closed --all --distinct")
    assert "1,245 distinct closed tours" in err
    assert "; 1,223 without symmetry, 17 with rot180, 5 with rot180 and rot90" in err
    assert len(boards(out)) == 1245


def test_open_tours_of_5x5_from_every_start(command: Command) -> None:
    counts = [json.loads(command(f"tours 5x5 --all --start {at} --json").out)["count"] for at in Board(5)]
    assert [counts[0], counts[12], counts[1], sum(counts)] == [304, 64, 0, 1728]


def test_the_first_tours_are_the_head_of_the_list() -> None:
    problem = Problem(Board(6).graph, True)
    everything = all_of(problem)
    for most in (1, 2, 7, 100, 9862, 20000):
        assert all_of(problem, most=most).tolist() == everything[:most].tolist()
    some = all_of(problem, most=50, classes=TourClasses(problem))
    assert (some == everything[TourClasses(problem).are_new(everything)][:50]).all()


def test_calls_of_a_whole_list_are_those_of_the_whole_search() -> None:
    problem = Problem(Board(5).graph, False, 0)
    listing = Listing(problem, load("dfs", REPORT))
    up_to_the_last = Listing(problem, load("dfs", REPORT), most=sum(map(len, listing)))
    assert list(up_to_the_last)
    assert (listing.calls or 0) > (up_to_the_last.calls or 0) > 1000
    without_tours = Listing(replace(problem, start=1, end=None), load("dfs", REPORT))
    assert not list(without_tours)
    assert (without_tours.calls or 0) > 1000


class Liar:
    """A backend whose second tour is wrong."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "every"})

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:  # noqa: ARG002
        return Answer.stopped("nothing")

    def batches(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, NDArray[np.int64]], None, int]:
        for tours, calls in load("dfs").batches(problem, limits, on_event, most):  # type: ignore[union-attr]
            yield tours, calls
            yield np.roll(tours, 1, axis=1), calls
        return 0


def test_a_wrong_tour_of_a_backend_is_an_error(command: Command) -> None:
    found: list[Ints] = []
    with pytest.raises(BackendFault, match="backend liar returned a wrong tour"):
        found.extend(Listing(Problem(Board(5).graph, False, 0), Liar()))
    assert len(found) == 1
    assert "wrong tour" in command("tours 5x5 --start a1 --backend py:test_listing:Liar", 1).err


@pytest.mark.parametrize(
    "board",
    [
        Board(5),
        Board(3, 4),
        Board(5, holes=["c3", "a1"]),
        Board(12, 3),
        Board(1, leaper=(0, 1)),
        Board(2, 30, leaper=(0, 1)),
    ],
)
def test_boards_are_written_as_one_by_one(board: Board) -> None:
    rng = np.random.default_rng(1)
    tours = np.stack([rng.permutation(len(board)).astype(np.int32) for _ in range(5)])
    assert TourTexts(board).text(tours) == "".join(tour_text(board, tour) + "\n" for tour in tours)


def test_json_is_one_object_with_a_tour_a_line(command: Command) -> None:
    out = command("tours 5x6 --closed --all --json").out
    answer = json.loads(out)
    problem = Problem(Board(5, 6).graph, True)
    assert {tuple(row * 6 + col for row, col in tour) for tour in answer["tours"]} == brute_force(problem)
    assert len(out.splitlines()) == 10
    assert (answer["count"], answer["stopped_by"], answer["distinct"], answer["backend"]) == (8, None, False, "edges")
    assert answer["problem"]["closed"] is True
    assert json.loads(command("tours 3x3 --json").out)["tours"] == []


def test_the_json_stream_is_a_tour_a_line(tmp_path: Path, command: Command) -> None:
    six = tmp_path / "six.edges"
    six.write_text("A -> B\nA -> D\nB -> C\nB -> D\nD -> E\nE -> F\nF -> C\n")
    for backend in ("dfs", "cpsat"):
        tour, counts = map(json.loads, command(f"tours {six} --json-stream --backend {backend}").out.splitlines())
        assert tour == {"event": "tour", "number": 1, "tour": ["A", "B", "D", "E", "F", "C"]}
        assert (counts["event"], counts["count"]) == ("tours", 1)
    assert command(f"tours {six}").out == "A B D E F C\n"


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    with writing_rows(path, 3, np.dtype(np.uint16)) as file:
        for number in range(1200):
            file.append(np.full((1, 3), number))
    assert (np.load(path) == np.arange(1200)[:, None]).all()
    with pytest.raises(ValueError, match="3x3"), writing_rows(path, 3, np.dtype(np.uint16)) as file:
        file.append(np.array([["3x3"]]))
    assert len(np.load(path)) == 1200
    with (
        pytest.raises(BadInput, match="nowhere"),
        writing_rows(tmp_path / "nowhere" / "rows.npy", 3, np.dtype(np.uint16)),
    ):
        pass
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("reading_takes_no_time")
@pytest.mark.parametrize(("backend", "seconds"), [("dfs", 0.05), ("sat", 0.4), ("cpsat", 0.4)])
def test_a_limit_ends_the_list_with_status_3(backend: str, seconds: float, tmp_path: Path, command: Command) -> None:
    path = tmp_path / "tours.npy"
    call = f"tours 8x8 --closed --all --time-limit {seconds} --json --backend {backend} -o {path}"
    answer = json.loads(command(call, 3).out)
    assert answer["stopped_by"]
    assert answer["count"] == len(answer["tours"]) == len(np.load(path))


@pytest.mark.usefixtures("reading_takes_no_time")
def test_a_limit_ends_a_stream_of_tours(command: Command) -> None:
    out = command("tours 8x8 --start a8 -n 1000000000 --time-limit 0.5 --json-stream", 3).out
    assert {tuple(json.loads(line)["tour"][0]) for line in out.splitlines()[:-1]} == {(0, 0)}
    with pytest.raises(StoppedEarly):
        list(Listing(Problem(Board(8).graph, True), load("dfs"), Limits(work=1000)))
