"""``cpsat-tour count``: the number on stdout, the rest on stderr, JSON, exit statuses and bad calls."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from cpsat_tour.cli.main import status
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.events import Event, Progress


def data(call: str, capsys: pytest.CaptureFixture[str], expected: int = 0) -> dict[str, Any]:
    """The JSON object of a call that ends with this status."""
    assert status([*call.split(), "--json"]) == expected
    read: dict[str, Any] = json.loads(capsys.readouterr().out)
    return read


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("count 6x6 --closed", 9862),
        ("count 5x5", 864),
        ("count 5x5 --directed", 1728),
        ("count 5x5 --start a1", 304),
        ("count 5x5 --start a1 --directed", 304),
        ("count 5x6 --closed --backend dfs", 8),
        ("count 5x6 --closed --backend dfs --directed", 16),
        ("count 4x4", 0),
        ("count 1x1", 1),
        ("count 4x4 --leaper 0,1 --closed", 6),
        ("count 3x10 --closed --forbid a1-b3", 0),
    ],
)
def test_the_number_alone_is_on_stdout(call: str, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(call.split()) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{number}\n"
    assert "tour" in shown.err


def test_the_number_is_count_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    seen = data("count 5x20 --closed", capsys)
    assert seen["count"] == 53034853662012222798
    assert seen["method"] == "frontier"
    assert seen["problem"]["cols"] == 20
    assert seen["forecast"]["bytes"] > 0
    assert seen["stopped_by"] is None


def test_each_start_in_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["count", "3x4", "--all-starts"]) == 0
    assert capsys.readouterr().out == "2 0 0 2\n4 0 0 4\n2 0 0 2\n"
    assert status(["count", "3x4", "--all-starts", "--hole", "b2"]) == 0
    assert capsys.readouterr().out.split()[5] == "."
    seen = data("count 3x4 --all-starts", capsys)
    assert seen["count"] == sum(seen["by_start"].values()) == 16


@pytest.mark.usefixtures("reading_takes_no_time")
def test_a_limit_ends_with_status_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["count", "8x8", "--time-limit", "2"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "GiB; the tours are listed" in shown.err
    assert "at least" in shown.err
    for method in ("--memory 0.001", "--backend edges", "--backend dfs", "--backend sat", "--all-starts", "--estimate"):
        begun = time.perf_counter()
        closed = "" if "all" in method else "--closed"
        assert status(f"count 10x10 {closed} {method} --time-limit 1 -q".split()) in (0, 3), method
        assert time.perf_counter() - begun < 20, method
    capsys.readouterr()
    assert data("count 6x10 --closed --time-limit 0.001", capsys, 3)["count"] is None
    stopped = data("count 8x8 --backend dfs --time-limit 0.2", capsys, 3)
    assert stopped["stopped_by"]
    assert stopped["count"] is None
    assert stopped["at_least"] >= 0


def test_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    seen = data("count 5x5 --estimate --samples 20000 --seed 3", capsys)
    assert abs(seen["mean"] - 864) < 4 * seen["standard_error"]
    assert data("count 5x5 --estimate --samples 20000 --seed 3 --directed --threads 1", capsys)[
        "mean"
    ] == pytest.approx(2 * seen["mean"])
    assert data("count 7x7 --closed --estimate", capsys)["mean"] == 0
    assert status(["count", "5x5", "--estimate", "--samples", "1000"]) == 0
    shown = capsys.readouterr()
    assert "±" in shown.out
    assert "effective sample size" in shown.err


def test_ctrl_c_leaves_the_estimate_by_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_line: ProgressLine, event: Event) -> None:
        if isinstance(event, Progress) and event.work["tours"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    assert status(["count", "6x6", "--estimate", "--samples", "1000000000"]) == 130
    shown = capsys.readouterr()
    assert "±" in shown.out
    assert "interrupted" in shown.err


def test_probes_without_a_tour_leave_the_number_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["count", "60x60", "--estimate", "--samples", "1"]) == 3
    shown = capsys.readouterr()
    assert shown.out == "unknown\n"
    assert "nothing is known" in shown.err
    seen = data("count 30x30 --estimate --samples 1", capsys, 3)
    assert {seen[key] for key in ("count", "mean", "standard_error", "relative_error")} == {None}
    known = data("count 7x7 --closed --estimate --samples 1", capsys)
    assert known["count"] == known["mean"] == 0


@pytest.mark.parametrize(
    ("call", "word"),
    [
        ("count", "no board"),
        ("count 5x5 --samples 10", "--estimate"),
        ("count 5x5 -O restarts=no", "-O restarts is an option of a backend"),
        ("count 5x5 --estimate --samples 0", "--samples"),
        ("count 5x5 --estimate --backend dfs", "leave out"),
        ("count 5x5 --closed --all-starts", "--closed"),
        ("count 5x5 --start a1 --all-starts", "--start"),
        ("count 5x5 --memory 0", "--memory"),
        ("count 5x5 --memory inf", "--memory can't be inf"),
        ("count 5x5 --memory nan", "--memory can't be nan"),
        ("count 5x5 --memory 1e305", "--memory can't be 1e+305"),
        ("count 5x5 --backend auto", "does not take lists of all tours"),
    ],
)
def test_bad_calls(call: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(call.split()) == 2
    shown = capsys.readouterr()
    assert word in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert shown.out == ""


def test_an_estimate_that_rests_on_little_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["count", "8x8", "--closed", "--estimate", "--samples", "5000"]) == 0
    assert "worth little" in capsys.readouterr().err
    assert status(["count", "5x5", "--estimate", "--samples", "5000"]) == 0
    assert "worth little" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("tours 3x4 -n 1", "1 open tour of"),
        ("tours 3x4 -n 2", "2 open tours of"),
        ("count 1x1", "open tour of the 1x1"),
        ("tours 3x4 -n 1 -o -", "1 open tour of"),
    ],
)
def test_one_is_not_several(command: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(command.split()) == 0
    assert capsys.readouterr().err.startswith(words)
