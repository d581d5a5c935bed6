"""``cpsat-tour count``: the number on stdout, the rest on stderr, JSON, limits and estimates."""

import json
from typing import Any

import pytest
from commands import Command

from cpsat_tour import Board
from cpsat_tour.cli.options import ProgressLine
from cpsat_tour.core.runs import Event, Progress
from cpsat_tour.engines.counts import Count


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("6x6 --closed", 9862),
        ("5x5", 864),
        ("5x5 --directed", 1728),
        ("5x5 --start a1", 304),
        ("5x5 --start a1 --directed", 304),
        ("5x6 --closed --backend dfs", 8),
        ("5x6 --closed --backend dfs --directed", 16),
        ("4x4", 0),
        ("1x1", 1),
        ("4x4 --leaper 0,1 --closed", 6),
        ("3x10 --closed --forbid a1-b3", 0),
    ],
)
def test_the_number_alone_is_on_stdout(call: str, number: int, command: Command) -> None:
    out, err = command(f"count {call}")
    assert out == f"{number}\n"
    assert "tour" in err


def data(command: Command, call: str, status: int = 0) -> dict[str, Any]:
    """The JSON object of a count."""
    read: dict[str, Any] = json.loads(command(f"count {call} --json", status).out)
    return read


def test_the_number_is_count_in_json(command: Command) -> None:
    seen = data(command, "5x20 --closed")
    assert seen["count"] == 53034853662012222798
    assert (seen["method"], seen["problem"]["cols"], seen["stopped_by"]) == ("frontier", 20, None)
    assert seen["forecast"]["bytes"] > 0


def test_a_start_counts_the_tours_from_there(command: Command) -> None:
    numbers = [int(command(f"count 3x4 --start {square}").out) for square in Board(3, 4)]
    assert numbers == [2, 0, 0, 2, 4, 0, 0, 4, 2, 0, 0, 2]


@pytest.mark.usefixtures("reading_takes_no_time")
@pytest.mark.parametrize("method", ["--memory 0.001", "--backend edges", "--backend dfs", "--backend sat"])
def test_each_method_keeps_a_limit(method: str, command: Command) -> None:
    seen = data(command, f"10x10 {method} --time-limit 0.3", 3)
    assert (seen["count"], bool(seen["stopped_by"])) == (None, True)


@pytest.mark.parametrize(("stopped_by", "status"), [("time", 3), ("interrupt", 130)])
def test_what_was_stopped_says_where_it_was(
    stopped_by: str, status: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = {"steps": 31, "of": 64, "states": 2_100_000}
    known = Count(None, "frontier", 0, stopped_by, 60.0, work, 90.04)
    monkeypatch.setattr("cpsat_tour.cli.count.exact_count", lambda *_, **__: known)
    assert (
        " after step 31 of 64 of the frontier method, with 2,100,000 states and about 90 s left: nothing is known of "
        "the number of closed tours of the 8x8 board. Estimate" in command("count 8x8 --closed", status).err
    )
    seen = data(command, "8x8 --closed", status)
    assert (seen["work"], seen["seconds_left"]) == (work, 90.0)


def test_an_estimate(command: Command) -> None:
    seen = data(command, "5x5 --estimate --samples 20000 --seed 3")
    assert abs(seen["mean"] - 864) < 4 * seen["standard_error"]
    twice = data(command, "5x5 --estimate --samples 20000 --seed 3 --directed --threads 1")
    assert twice["mean"] == pytest.approx(2 * seen["mean"])
    assert data(command, "7x7 --closed --estimate")["mean"] == 0
    assert "unreliable" not in command("count 5x5 --estimate --samples 5000").err


def test_ctrl_c_leaves_the_estimate_by_then(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_line: ProgressLine, event: Event) -> None:
        if isinstance(event, Progress) and event.work["tours"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    out, err = command("count 6x6 --estimate --samples 1000000000", 130)
    assert "±" in out
    assert "Interrupted" in err


def test_probes_without_a_tour_leave_the_number_unknown(command: Command) -> None:
    seen = data(command, "30x30 --estimate --samples 2", 3)
    assert {seen[key] for key in ("count", "mean", "standard_error", "relative_error")} == {None}
    known = data(command, "7x7 --closed --estimate --samples 2")
    assert known["count"] == known["mean"] == 0
