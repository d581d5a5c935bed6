"""``compare report``: means, ratios and their intervals, PAR-2, the virtual best, tables and pictures, on records made
by hand."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from commands import Command

from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.compare.report import Comparison, duration_text, ratio_words, report, speed_words, times_csv, times_json
from cpsat_tour.compare.summary import MIN_QUESTIONS, VIRTUAL_BEST, ratio_of, summaries
from cpsat_tour.core.errors import BadInput


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
    best, sat, dfs = group.scores
    assert [score.backend for score in (best, sat, dfs)] == [VIRTUAL_BEST, "sat", "dfs"]
    assert (dfs.solved, dfs.runs, sat.solved, best.solved) == (4, 6, 6, 6)
    assert dfs.par2 == pytest.approx((1 + 3 + 2 + 8 + 20 + 20) / 6)
    assert best.par2 == pytest.approx((1 + 3 + 1 + 2 + 4 + 6) / 6)
    assert (dfs.wins, sat.wins) == (2, 4)
    assert [str(score.largest) for score in (best, sat, dfs)] == ["closed 8x8", "closed 8x8", "closed 6x6"]
    assert sat.ratio.value == pytest.approx(3 / 2)
    assert list(map(str, sat.compared)) == ["closed 6x6"], "timeouts are in no mean"
    assert dfs.ratio.value == 1
    assert {str(question): medians for question, medians in group.medians.items()} == {
        "closed 6x6": {"dfs": 2.0, "sat": 4.0},
        "closed 8x8": {"dfs": math.inf, "sat": 4.0},
    }


def test_nobody_is_fastest_where_nobody_answers() -> None:
    (group,) = summaries([run("dfs", 6, 1.0), run("sat", 6, 2.0), run("dfs", 8, None), run("sat", 8, None)])
    assert {score.backend: score.wins for score in group.scores} == {VIRTUAL_BEST: 1, "dfs": 1, "sat": 0}


def test_the_scores_on_each_kind_of_graph_follow_those_on_all() -> None:
    runs = [
        *(replace(entry, plan="sparse") for entry in (run("dfs", 6, 1.0), run("sat", 6, 3.0))),
        *(replace(entry, plan="dense") for entry in (run("dfs", 8, None), run("sat", 8, 5.0))),
    ]
    first, *lines = [line.split(" | ") for line in report(summaries(runs)).splitlines() if line.startswith("| ")][:9]
    assert first[3:8] == ["by wall time", "questions", "PAR-2", "slowest answer", "wins"]
    assert {words[0].removeprefix("| "): (words[1], words[6]) for words in lines[1:]} == {
        "virtual best": ("2/2", "5.00 s"),
        "sat": ("2/2", "5.00 s"),
        "dfs": ("1/2", "1.00 s"),
        "sat, dense": ("1/1", "5.00 s"),
        "dfs, dense": ("0/1", "–"),
        "dfs, sparse": ("1/1", "1.00 s"),
        "sat, sparse": ("1/1", "3.00 s"),
    }
    assert [row["plan"] for row in summaries(runs)[0].rows()] == ["sparse", "sparse", "dense", "dense"]


def test_only_what_every_backend_has_run_is_scored() -> None:
    (group,) = summaries(RUNS[:-2])
    assert len(group.instances) == 4
    assert "Left out: 2 instances that not every backend has run." in report([group])
    assert "Left out: 1 instance that" in report(summaries(RUNS[:-1]))
    (group,) = summaries([run("dfs", 6, 1.0), run("sat", 8, 1.0)])
    assert group.scores == []
    assert "No instance was run by every backend yet." in report([group])


def test_other_measures_of_time() -> None:
    (group,) = summaries(RUNS, "wall")
    assert group.medians[RUNS[0].question]["dfs"] == 3.0
    (group,) = summaries(RUNS, "cpu")
    assert group.medians[RUNS[0].question]["dfs"] == math.inf


def test_the_sentence_says_how_many_times_faster_with_its_interval_and_names_timeouts() -> None:
    (group,) = summaries(RUNS[:6])
    said = "By the solver's own seconds, sat took 1.50 times as long as dfs on 1 question (closed 6x6), too few for an"
    assert speed_words(group) == f"{said} interval."
    (group,) = summaries(RUNS)  # the baseline answers more, and took longer where both answered
    missed = "Runs without an answer in 10 s, left out of the means: dfs 2 of 6."
    assert speed_words(group) == f"{said} interval. {missed}"
    assert speed_words(summaries(RUNS[:3])[0]) == ""
    (group,) = summaries([run("dfs", 6, 1.0), run("sat", 6, None)])
    assert speed_words(group) == "Runs without an answer in 10 s, left out of the means: sat 1 of 1."


def test_a_later_run_with_a_shorter_limit_leaves_the_answer_of_the_longer_one() -> None:
    long = [run("sat", 6, 5.0), run("edges", 6, 4.0)]
    short = [replace(run(name, 6, None), time_limit=1.0) for name in ("sat", "edges")]
    for runs in ([*long, *short], [*short, *long]):
        by_name = {group.name: group for group in summaries(runs)}
        assert set(by_name) == {"g, 1 thread, 10 s", "g, 1 thread, 1 s"}
        assert [score.solved for score in by_name["g, 1 thread, 10 s"].scores] == [1, 1, 1]
        assert [score.par2 for score in by_name["g, 1 thread, 1 s"].scores] == [2, 2, 2]
        text = report(list(by_name.values()))
        assert "g, 1 thread, 10 s: By the solver's own seconds, sat took 1.25 times as long as edges on 1 qu" in text
        assert "g, 1 thread, 1 s: Runs without an answer in 1 s" in text


def test_an_answer_after_the_limit_is_none() -> None:
    late = replace(run("sat", 6, 0.353), time_limit=0.2)
    in_time = replace(run("dfs", 6, 0.2), time_limit=0.2)
    assert (late.solved, in_time.solved) == (False, True)
    (group,) = summaries([late, in_time])
    assert speed_words(group) == "Runs without an answer in 0.2 s, left out of the means: sat 1 of 1."


def test_a_sentence_has_one_clock_and_the_table_the_other() -> None:
    """The process of edges takes 3 s to start."""
    runs = [run("edges", 6, 0.1), run("sat", 6, 1.0)]
    edges, sat = replace(runs[0], wall=3.1), replace(runs[1], wall=1.55, user=1.0, system=1.0)
    for measure, clock, words, head, row in (
        ("seconds", "the solver's own seconds", "sat took 10.0 times as long as edges", "by wall time", "10.0 | 0.500"),
        (
            "wall",
            "wall time, the start of Python included",
            "edges took 2.00",
            "by the solver's own seconds",
            "1.00 | 1.00",
        ),
    ):
        (group,) = summaries([edges, sat], measure)  # type: ignore[arg-type]
        assert speed_words(group).startswith(f"By {clock}, {words}")
        assert speed_words(group).count(" took ") == speed_words(group).count("By ") == 1
        assert f"times {group.baseline} | {head} | questions" in report([group])
        assert f"| sat | 1/1 | {row} | 1 |" in report([group])
    (group,) = summaries([*runs[:1], replace(sat, wall=None)])
    assert "| sat | 1/1 | 10.0 | – | 1 |" in report([group]), "a clock that was not read"


def drawn(ratios: Sequence[float], seeds: int = 1) -> list[RecordedRun]:
    """Runs on as many questions, on which sat takes so many times as long as dfs."""
    return [
        run(backend, 6 + place, seconds, seed)
        for place, ratio in enumerate(ratios)
        for backend, seconds in (("dfs", 1.0), ("sat", ratio))
        for seed in range(seeds)
    ]


@pytest.mark.parametrize(
    ("ratios", "seeds", "words"),
    [
        ([2.0], 1, "sat took 2.00 times as long as dfs on 1 question (closed 6x6), too few for an interval."),
        ([2.0], 30, "sat took 2.00 times as long as dfs on 1 question (closed 6x6), too few for an interval."),
        ([4.0, 9.0], 2, "sat took 6.00 times as long as dfs on 2 questions, too few for an interval."),
        ([1.01, 0.99, 1.2, 0.9], 2, "on 4 questions, too few for an interval."),
        ([2.0] * 5, 1, "sat took 2.00 times as long as dfs on 5 questions."),
        ([2, 2, 2, 2, 8], 1, "sat took 2.64 (1.22 to 5.69) times as long as dfs on 5 questions."),
        ([0.5, 0.5, 0.5, 0.5, 0.125], 1, "dfs took 2.64 (1.22 to 5.69) times as long as sat on 5 questions."),
        ([1.3, 0.8, 1.2, 0.9, 1.1], 1, "no difference is shown between dfs and sat on 5 questions: 1.04 (0.81"),
        ([1.0] * 6, 1, "no difference is shown between dfs and sat on 6 questions: 1.00."),
    ],
)
def test_noise_is_no_finding(ratios: list[float], seeds: int, words: str) -> None:
    (group,) = summaries(drawn(ratios, seeds), baseline="dfs")
    assert words in speed_words(group)


def test_several_questions_have_the_geometric_mean_of_the_ratios_of_their_means() -> None:
    times = {6: ([0.5, 1.0, 1.5], [2.0, 4.0, 6.0]), 8: ([1.0, 1.0, 1.0], [8.0, 10.0, 9.0])}
    (group,) = summaries(
        run(backend, side, seconds, seed)
        for side, both in times.items()
        for backend, of_side in zip(("sat", "cpsat"), both, strict=True)
        for seed, seconds in enumerate(of_side)
    )
    assert group.scores[-1].ratio.value == pytest.approx(math.sqrt(4 * 9))


@pytest.mark.parametrize("questions", [MIN_QUESTIONS, 12, 100])
def test_nineteen_of_twenty_intervals_hold_the_ratio(questions: int) -> None:
    """Of two backends whose times differ by a factor of 2 in the mean and from question to question by chance."""
    random = np.random.default_rng(0)
    drawings = np.exp(random.normal(math.log(2), 0.5, (2000, questions)))
    intervals = [ratio_of([[(time, 1.0)] for time in times]) for times in drawings.tolist()]
    assert np.mean([low <= 2 <= high for _, low, high in intervals]) == pytest.approx(0.95, abs=0.015)


def test_a_fast_backend_that_misses_runs_is_not_the_winner_and_many_are_not_all_named() -> None:
    many = [run(f"sat:{place}", 6, 2.0 + place) for place in range(6)]
    (group,) = summaries(
        [*many, *(run(f"sat:{place}", 8, 3.0) for place in range(6)), run("dfs", 6, 1.0), run("dfs", 8, None)]
    )
    words = speed_words(group)
    assert "sat:1 took 1.22 times as long as sat:0 on 2 questions, too few for an interval. By the solver's" in words
    assert words.count("By ") == 3
    assert "interval. The table has the others. Runs without an answer in 10 s" in words
    assert "sat:4" not in words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.00511, "5.11 ms"),
        (0.5, "500 ms"),
        (12.34, "12.3 s"),
        (1234.5, "1,234 s"),
        (4.2e-5, "42.0 µs"),
        (0.0, "0 µs"),
        (math.nan, "–"),
    ],
)
def test_times_have_three_digits_and_a_unit(seconds: float, words: str) -> None:
    assert duration_text(seconds) == words


def test_the_tables_in_markdown_csv_and_json_have_the_same_numbers() -> None:
    found = summaries(RUNS, baseline="dfs")
    text = report(found)
    assert text.splitlines()[2] == speed_words(found[0]), "the report opens with the sentence"
    ratio = ratio_words(found[0].scores[1].ratio)
    assert f"| sat | 6/6 | {ratio} | 1.33 | 1 | 3.50 s | 6.00 s | 4 | closed 8x8 |" in text
    assert "| closed 6x6 | dfs | 3/3 | 2.00 s | 1.00 s … 3.00 s | 1.00 |" in text
    assert f"| closed 6x6 | sat | 3/3 | 3.00 s | 1.00 s … 4.00 s | {ratio} |" in text
    assert "In brackets is its 95 % interval" in text
    assert "| closed 8x8 | dfs | 1/3 | 8.00 s | 8.00 s | – |" in text
    rows = list(csv.DictReader(times_csv(found).splitlines()))
    shown = ("board", "backend", "status", "runs", "answered", "mean", "stddev", "least", "greatest", "median", "ratio")
    assert [tuple(row[name] for name in shown) for row in rows] == [
        ("6x6", "dfs", "tour", "3", "3", "2.0", "1.0", "1.0", "3.0", "2.0", "1.0"),
        ("6x6", "sat", "tour", "3", "3", "3.0", str(math.sqrt(3)), "1.0", "4.0", "4.0", "1.5"),
        ("8x8", "dfs", "tour", "3", "1", "8.0", "", "8.0", "8.0", "", ""),
        ("8x8", "sat", "tour", "3", "3", "4.0", "2.0", "2.0", "6.0", "4.0", ""),
    ]
    data = json.loads(times_json(found))
    assert data["summary"] == [speed_words(found[0])]
    assert [row["times"] for row in data["results"]] == [[1, 3, 2], [4, 4, 1], [8], [2, 4, 6]]
    assert data["results"][2]["ratio"] is None
    comparison = Comparison(RUNS)
    assert [row["mean"] for row in comparison.rows] == [2, 3, 8, 4]
    assert repr(comparison).startswith(f"{speed_words(comparison.summaries[0])}\n\n| backend |")


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


def test_a_backend_has_the_same_colour_in_every_plot() -> None:
    plots = pytest.importorskip("cpsat_tour.compare.plots", reason="plots need Matplotlib")
    first = [run(backend, 6, 1.0, group="g") for backend in ("sat", "cpsat", "dfs")]
    groups = summaries([*first, *(run(backend, 8, 1.0, group="h") for backend in ("dfs", "cpsat"))])
    colours: dict[str, set[str]] = {}
    for figure in (draw(group) for draw in (plots.cactus, plots.growth) for group in groups):
        for line in figure.legends[0].get_lines():
            colours.setdefault(line.get_label().split()[0], set()).add(line.get_color())
    assert {name: len(colours[name]) for name in ("sat", "cpsat", "dfs")} == {"sat": 1, "cpsat": 1, "dfs": 1}


def test_the_report_of_a_partial_file(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    more = [run(name, 5, seconds, kind="open", group="h") for name, seconds in (("dfs", 0.5), ("sat", None))]
    results.write_text(
        "".join(entry.line() for entry in [*RUNS, *more, run("sat", 6, 0.1, group="h")]) + '{"key": "half'
    )
    call = f"compare report {results} -o {tmp_path / 'out'} --baseline sat"
    assert "half written (13 bytes)" in command(call).err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    begin = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}
    plots = {"".join(name): begin[name[2]] for name in product("gh", ("-cactus", "-growth"), begin)}
    assert names == {"report.md", "times.csv", "times.json", *plots}
    text = (tmp_path / "out" / "report.md").read_text()
    assert "![g cactus](g-cactus.svg)" in text
    assert "| backend | answered | times sat |" in text
    for name, start in plots.items():
        assert (tmp_path / "out" / name).read_bytes().startswith(start)


def test_times_are_written_as_csv_and_json(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    results.write_text("".join(entry.line() for entry in RUNS))
    for name, written in (("x.csv", times_csv(summaries(RUNS))), ("x.json", times_json(summaries(RUNS)))):
        assert f"wrote {tmp_path / name}\n" in command(f"compare report {results} -o {tmp_path / name}").err
        assert (tmp_path / name).read_text() == written
        assert "--force" in command(f"compare report {results} -o {tmp_path / name}", 2).err


def test_a_file_is_no_folder_for_a_report(tmp_path: Path, command: Command) -> None:
    results, kept = tmp_path / "runs.jsonl", tmp_path / "kept"
    results.write_text("".join(entry.line() for entry in RUNS))
    kept.touch()
    assert f"{kept}: it is a file, so name a folder\n" in command(f"compare report {results} -o {kept}", 2).err
    assert "give -o report\n" in command(f"compare report {results} -o {tmp_path / 'plot.png'}", 2).err


def test_a_plot_replaces_a_file_only_if_forced(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    kept, plot = tmp_path / "kept.svg", Comparison(RUNS).plot()
    kept.write_text("mine")
    with pytest.raises(BadInput, match="force"):
        plot.save(kept)
    assert kept.read_text() == "mine"
    plot.save(kept, force=True)
    assert kept.read_text().startswith("<?xml")


def test_a_backend_that_has_no_run_is_named(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    results.write_text("".join(entry.line() for entry in RUNS))
    assert "'cpsat'" in command(f"compare report {results} --baseline cpsat", 2).err


def test_a_wrong_tour_and_a_false_none_are_told_and_are_exit_status_1(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    wrong = RecordedRun("bad", "6x6", "closed", group="g", status="wrong", fault="move 3 is none")
    for entry in (wrong, RecordedRun("sat", "6x6", "closed", seed=9, group="g", status="none", refutation="claimed")):
        results.write_text("".join(one.line() for one in [*RUNS, entry]))
        out = command(f"compare report {results}", 1).out
        assert "## Disagreements and faults" in out
        assert f"- DISAGREE: {entry.backend}, closed 6x6{f', seed {entry.seed}' * bool(entry.seed)}: " in out


def test_nothing_of_a_record_is_markup_or_commands_a_terminal(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    bold = "\x1b[1m\x07\x9b1m\n# <script>alert(1)</script>"
    crash = replace(run("sat", 6, None, group=bold), status="crash", fault=bold, study=bold)
    results.write_text(crash.line() + run(f"cpsat{bold}", 6, 1.0, group=bold).line())
    text = command(f"compare report {results}").out
    assert all(line.isprintable() for line in text.splitlines())
    assert "\n# " not in text
    assert "<script>" not in text
    assert r"crash: sat, closed 6x6: \x1b[1m\x07\x9b1m\n# &lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_name_with_dollar_signs_is_no_formula_in_a_picture() -> None:
    plots = pytest.importorskip("cpsat_tour.compare.plots", reason="plots need Matplotlib")
    (group,) = summaries([run(r"a$\frac$", 6, 1.0, group=r"$\frac$"), run("sat", 6, 1.0, group=r"$\frac$")])
    assert plots.cactus(group)._repr_svg_().startswith("<?xml")
