"""``compare report``: medians, ratios, PAR-2, the virtual best, exponents, tables and pictures, on records made by
hand."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from commands import Command

from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.compare.report import medians_csv, report
from cpsat_tour.compare.summary import VIRTUAL_BEST, fitted_exponent, summaries


def run(
    backend: str, side: int, seconds: float | None, seed: int = 0, kind: str = "closed", group: str = "g"
) -> RecordedRun:
    """A run on a square board; without seconds it met the limit of 10 s."""
    plain = RecordedRun(
        backend, f"{side}x{side}", kind, seed=seed, group=group, vertices=side * side, stopped_by="time"
    )
    return plain if seconds is None else replace(plain, status="tour", seconds=seconds, wall=1 + seconds)


RUNS = [
    *(run("dfs", 6, seconds, seed) for seed, seconds in enumerate([1.0, 3.0, 2.0])),
    *(run("sat", 6, seconds, seed) for seed, seconds in enumerate([4.0, 4.0, 1.0])),
    *(run("dfs", 8, seconds, seed) for seed, seconds in enumerate([8.0, None, None])),
    *(run("sat", 8, seconds, seed) for seed, seconds in enumerate([2.0, 4.0, 6.0])),
]


def test_scores_are_what_they_are_by_hand() -> None:
    (group,) = summaries(RUNS, baseline="dfs")
    best, sat, dfs = group.scores()
    assert [score.backend for score in (best, sat, dfs)] == [VIRTUAL_BEST, "sat", "dfs"]
    assert (dfs.solved, dfs.runs, sat.solved, best.solved) == (4, 6, 6, 6)
    assert dfs.par2 == pytest.approx((1 + 3 + 2 + 8 + 20 + 20) / 6)
    assert best.par2 == pytest.approx((1 + 3 + 1 + 2 + 4 + 6) / 6)
    assert (dfs.best, sat.best) == (2, 4)
    assert [str(score.largest) for score in (best, sat, dfs)] == ["closed 8x8", "closed 8x8", "closed 6x6"]
    assert sat.ratio == pytest.approx(4 / 2)
    assert sat.compared == 1
    assert dfs.ratio == 1
    assert {str(question): medians for question, medians in group.medians.items()} == {
        "closed 6x6": {"dfs": 2.0, "sat": 4.0},
        "closed 8x8": {"dfs": math.inf, "sat": 4.0},
    }


def test_only_what_every_backend_has_run_is_scored() -> None:
    (group,) = summaries(RUNS[:-2])
    assert len(group.instances) == 4
    assert "2 instances that not every backend has run are left out" in report([group])
    (group,) = summaries([run("dfs", 6, 1.0), run("sat", 8, 1.0)])
    assert group.scores() == []
    assert "No instance was run by every backend yet." in report([group])


def test_other_measures_of_time() -> None:
    (group,) = summaries(RUNS, "wall")
    assert group.medians[RUNS[0].question]["dfs"] == 3.0
    (group,) = summaries(RUNS, "cpu")
    assert group.medians[RUNS[0].question]["dfs"] == math.inf


def test_the_exponent_of_a_power_law_is_found_again() -> None:
    sizes = [36, 64, 100, 400, 900]
    assert fitted_exponent({size: 1e-5 * size**1.7 for size in sizes}) == pytest.approx(1.7)
    assert fitted_exponent({size: 1e-5 * size**1.7 for size in sizes} | {1600: math.inf}) == pytest.approx(1.7)
    assert fitted_exponent({36: 1.0, 144: 2.0}) is None
    assert fitted_exponent({36: 1.0, 49: 2.0, 64: 3.0}) is None


def test_the_tables_in_markdown_and_csv() -> None:
    found = summaries(RUNS)
    text = report(found)
    assert "| median | dfs | sat |" in text
    assert "| closed 6x6 | 2 | 4 (2×) |" in text
    assert "| closed 8x8 | > | 4 |" in text
    assert "| sat | 6/6 | 3.5 | 4 | 2 (1) | 4 |" in text
    rows = list(csv.DictReader(medians_csv(found).splitlines()))
    assert [
        (row["board"], row["backend"], row["runs"], row["answered"], row["median_seconds"], row["ratio_to_baseline"])
        for row in rows
    ] == [
        ("6x6", "dfs", "3", "3", "2", "1"),
        ("6x6", "sat", "3", "3", "4", "2"),
        ("8x8", "dfs", "3", "1", "", ""),
        ("8x8", "sat", "3", "3", "4", ""),
    ]


def test_seven_backends_of_a_picture_have_seven_colours_and_no_two_of_70_look_alike() -> None:
    plots = pytest.importorskip("cpsat_tour.compare.plots", reason="plots need Matplotlib")
    assert len({look["color"] for look in plots.styles_of("abcdefg").values()}) == 8
    assert len({tuple(look.values()) for look in plots.styles_of(map(str, range(70))).values()}) == 71


def test_each_curve_of_a_plot_has_a_colour_of_its_own() -> None:
    backends = ["sat", "cpsat", "dfs", "sat:crt"]
    group = summaries([run(backend, 6, 1.0 + place) for place, backend in enumerate(backends)])[0]
    plots = pytest.importorskip("cpsat_tour.compare.plots", reason="plots need Matplotlib")
    for figure in (plots.cactus(group), plots.growth(group)):
        (legend,) = figure.legends
        assert len({line.get_color() for line in legend.get_lines() if line.get_linestyle() == "-"}) >= len(backends)


def test_the_report_of_a_partial_file(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    more = [run(name, 5, seconds, kind="open", group="h") for name, seconds in (("dfs", 0.5), ("sat", None))]
    results.write_text(
        "".join(entry.line() for entry in [*RUNS, *more, run("sat", 6, 0.1, group="h")]) + '{"key": "half'
    )
    call = f"compare report {results} -o {tmp_path / 'out'} --baseline sat --scatter dfs sat"
    assert "half written (13 bytes)" in command(call).err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    begin = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}
    plots = {"".join(name): begin[name[2]] for name in product("gh", ("-cactus", "-growth", "-scatter"), begin)}
    assert names == {"report.md", "medians.csv", *plots}
    text = (tmp_path / "out" / "report.md").read_text()
    assert "![g cactus](g-cactus.svg)" in text
    assert "times sat (tasks)" in text
    for name, start in plots.items():
        assert (tmp_path / "out" / name).read_bytes().startswith(start)


def test_a_file_is_no_folder_for_a_report(tmp_path: Path, command: Command) -> None:
    results, picture = tmp_path / "runs.jsonl", tmp_path / "tour.svg"
    results.write_text("".join(entry.line() for entry in RUNS))
    picture.touch()
    err = command(f"compare report {results} -o {picture}", 2).err
    assert f"{picture}: it is a file, so name a folder\n" in err


def test_a_backend_that_has_no_run_is_named(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    results.write_text("".join(entry.line() for entry in RUNS))
    for option in ("--baseline cpsat", f"--scatter dfs cpsat -o {tmp_path}"):
        assert "'cpsat'" in command(f"compare report {results} {option}", 2).err


def test_a_wrong_tour_and_a_false_none_are_told_and_are_exit_status_1(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    wrong = RecordedRun("bad", "6x6", "closed", group="g", status="wrong", fault="move 3 is none")
    false = RecordedRun("sat", "6x6", "closed", seed=9, group="g", status="none", refutation="claimed")
    for entry in (wrong, false):
        results.write_text("".join(one.line() for one in [*RUNS, entry]))
        out = command(f"compare report {results}", 1).out
        assert "## Disagreements" in out
        assert f"**DISAGREE**: {entry.backend}, closed 6x6, seed {entry.seed}" in out
