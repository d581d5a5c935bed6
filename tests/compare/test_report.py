"""``compare report``: means, ratios and their intervals, PAR-2, the virtual best, tables and pictures, on records made
by hand."""

import csv
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from commands import Command

from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.compare.report import (
    Comparison,
    duration_text,
    methods_text,
    report,
    speed_words,
    tabular,
    times_csv,
    times_json,
    write_report,
)
from cpsat_tour.compare.summary import MIN_QUESTIONS, VIRTUAL_BEST, Measure, ratio_of, summaries
from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing.images import latex


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


def kinds() -> list[RecordedRun]:
    """Runs on a sparse graph and on a dense one."""
    sparse, dense = (run("dfs", 6, 1.0), run("sat", 6, 3.0)), (run("dfs", 8, None), run("sat", 8, 5.0))
    return [replace(one, plan=plan) for plan, both in (("sparse", sparse), ("dense", dense)) for one in both]


CLOCKED = [replace(run("edges", 6, 0.1), wall=3.1), replace(run("sat", 6, 1.0), wall=1.55, user=1.0, system=1.0)]
"""The process of edges takes 3 s to start."""

RECORDED = [
    replace(
        one,
        board=f"graphs/{one.board}_%.hcp",
        backend=f"{one.backend}:crt@/opt/{one.backend}_2 --seed={{seed}} -t {{seconds}} --plain",
        memory_limit=2_000_000_000,
        tour="5eed" if one.solved and one.board == "8x8" else None,
        status="none" if one.board == "6x6" else one.status,
        refutation="claimed" if one.board == "6x6" else None,
        when=f"2026-11-2{one.seed}T12:00:00+00:00",
        machine={"processor": "Z80", "cores": 1, "processors": 2, "memory": 2**34, "system": "CP/M 3"},
        versions={"python": "3.11.7", f"/opt/{one.backend}_2": "2.1"},
    )
    for one in sorted(RUNS, key=lambda one: (one.seed, one.vertices))
]
"""What a harness records; names have what LaTeX takes for commands."""

REPORTS: dict[str, tuple[list[RecordedRun], Measure]] = {
    "both answer some": (RUNS, "seconds"),
    "one backend": (RUNS[:3], "seconds"),
    "nobody is fastest where nobody answers": (
        [run("dfs", 6, 1.0), run("sat", 6, 2.0), run("dfs", 8, None), run("sat", 8, None)], "seconds",
    ),
    "no answer of one": ([run("dfs", 6, 1.0), run("sat", 6, None)], "seconds"),
    "graphs of two kinds": (kinds(), "seconds"),
    "one run is left": (RUNS[:-1], "seconds"),
    "two runs are left": (RUNS[:-2], "seconds"),
    "nothing is common": ([run("dfs", 6, 1.0), run("sat", 8, 1.0)], "seconds"),
    "an answer after the limit": (
        [replace(run(name, 6, time), time_limit=0.2) for name, time in (("sat", 0.353), ("dfs", 0.2))], "seconds",
    ),
    "the solver's clock": (CLOCKED, "seconds"),
    "the clock on the wall": (CLOCKED, "wall"),
    "the clock of the solver": (
        [replace(CLOCKED[0]), replace(CLOCKED[1], spent={"build": 0.2, "write": 0.1, "solve": 0.3, "decode": 0.1})],
        "solver",
    ),
    "a question that no solver was asked": (
        [
            *(replace(run(name, 6, 1.0), spent={"solve": time}) for name, time in (("sat", 0.5), ("cpsat", 0.4))),
            *(run(name, 8, 3.0) for name in ("sat", "cpsat")),
        ],
        "solver",
    ),
    "all that may be recorded": (RECORDED, "seconds"),
    "a clock that was not read": ([CLOCKED[0], replace(CLOCKED[1], wall=None)], "seconds"),
    "many backends, of which a fast one misses a run": (
        [
            *(run(f"sat:{place}", side, 2.0 + place if side == 6 else 3.0) for side in (6, 8) for place in range(6)),
            run("dfs", 6, 1.0),
            run("dfs", 8, None),
        ],
        "seconds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTS)
def test_the_report_of_runs(name: str, golden: Callable[[str], None]) -> None:
    runs, measure = REPORTS[name]
    golden(report(summaries(runs, measure)))


def test_the_report_of_runs_as_latex(tmp_path: Path, golden: Callable[[str], None]) -> None:
    pytest.importorskip("matplotlib", reason="a report has pictures, which need matplotlib")
    written = [path for path in Comparison(RECORDED).write(tmp_path / "out") if path.suffix == ".tex"]
    assert [path.name for path in written] == ["methods.tex", "g-scores.tex", "g-times.tex"]
    golden("\n".join(path.read_text() for path in written))


def test_latex_takes_no_character_of_a_name_for_a_command(tmp_path: Path) -> None:
    text = r"_ % & # $ { } ~ ^ \ < > | -- --- – … µs a_b%c"
    shown = latex(text)
    assert all(f"\\{char}" in shown for char in "_%&#${}")
    assert "--" not in shown
    assert len(shown.split()) == len(text.split())
    table = tabular([text, "b"], [["1_000", text]])
    lines = [r"\documentclass{article}\usepackage{booktabs}\begin{document}", shown, "", table, r"\end{document}"]
    assert told_by_pdflatex(lines, tmp_path)


def told_by_pdflatex(lines: Sequence[str], folder: Path) -> str:
    """What pdflatex says of a document, which it has to take."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: nothing reads the LaTeX")
    (folder / "text.tex").write_text("\n".join(lines))
    call = ["pdflatex", "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "text.tex"]
    return subprocess.run(call, cwd=folder, check=True, stdout=subprocess.PIPE, encoding="latin-1").stdout


def test_tables_of_three_backends_fit_on_a_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="a report has pictures, which need matplotlib")
    names = ("sat:elimination", "cpsat:successor arcs=true", "sat:crt@cadical")
    runs = [
        run(name, side, side * (place + 1.1) / (1 + place * side % 7), seed)
        for place, name in enumerate(names)
        for side in range(6, 18, 2)
        for seed in (0, 1)
    ]
    tables = [path.read_text() for path in Comparison(runs).write(tmp_path / "out") if path.suffix == ".tex"][1:]
    told = told_by_pdflatex(
        [r"\documentclass{article}\usepackage{booktabs}\begin{document}", *tables, r"\end{document}"], tmp_path
    )
    assert "Overfull" not in told, told


def test_the_methods_say_only_what_is_recorded() -> None:
    """A field that is not recorded leaves no sentence, and none says what another run has."""
    bare = [replace(one, machine={}, versions={}, when="", tour=None, refutation=None) for one in RECORDED]
    for field, words in (
        ("machine", ("Machine", "Z80")),
        ("versions", ("Versions", "/opt/sat_2 2.1")),
        ("when", ("Date", "2026-11-22")),
        ("tour", ("move by move", "verified")),
        ("refutation", ("no tour", "claimed 6")),
    ):
        with_field = [replace(one, **{field: getattr(other, field)}) for one, other in zip(bare, RECORDED, strict=True)]
        told = methods_text(summaries(with_field))
        assert all(word in told for word in words)
        assert not any(word in methods_text(summaries(bare)) for word in words)
    assert "from small graphs to large" in methods_text(summaries(RECORDED))
    for others in (RECORDED[::-1], [replace(one, jobs=2) for one in RECORDED]):
        assert "from small graphs to large" not in methods_text(summaries(others))


def test_a_record_without_the_times_of_solvers_is_read_and_says_so(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    old = [json.loads(entry.line()) for entry in RUNS]
    results.write_text("".join(json.dumps({key: one[key] for key in one if key != "spent"}) + "\n" for one in old))
    assert "| sat | 6/6 |" in command(f"compare report {results}").out
    assert (
        "has no times of solvers alone: give --measure seconds"
        in command(f"compare report {results} --measure solver", 2).err
    )


def test_limits_are_not_mixed() -> None:
    """A later run with a shorter limit leaves the answer of the longer one."""
    long = [run("sat", 6, 5.0), run("edges", 6, 4.0)]
    short = [replace(run(name, 6, None), time_limit=1.0) for name in ("sat", "edges")]
    for runs in ([*long, *short], [*short, *long]):
        by_name = {group.name: group for group in summaries(runs)}
        assert [score.solved for score in by_name["g, 1 thread, 10 s"].scores] == [1, 1, 1]
        assert [score.par2 for score in by_name["g, 1 thread, 1 s"].scores] == [2, 2, 2]
        assert "g, 1 thread, 1 s: Runs without an answer in 1 s" in report(list(by_name.values()))


def drawn(ratios: Sequence[float], seeds: int = 1) -> list[RecordedRun]:
    """Runs on as many questions, on which sat takes so many times as long as dfs."""
    return [
        run(backend, 6 + 2 * place, seconds, seed)
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


@pytest.mark.parametrize("questions", [MIN_QUESTIONS, 12, 100])
def test_nineteen_of_twenty_intervals_hold_the_ratio(questions: int) -> None:
    """Of two backends whose times differ by a factor of 2 in the mean and from question to question by chance."""
    random = np.random.default_rng(0)
    drawings = np.exp(random.normal(math.log(2), 0.5, (2000, questions)))
    intervals = [ratio_of([[(time, 1.0)] for time in times]) for times in drawings.tolist()]
    assert np.mean([low <= 2 <= high for _, low, high in intervals]) == pytest.approx(0.95, abs=0.015)


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


def test_the_tables_as_json_as_csv_and_in_python() -> None:
    found, data = summaries(RUNS, baseline="dfs"), json.loads(times_json(summaries(RUNS, baseline="dfs")))
    assert data["summary"] == [speed_words(found[0])]
    assert [row["times"] for row in data["results"]] == [[1, 3, 2], [4, 4, 1], [8], [2, 4, 6]]
    assert [row["ratio"] for row in data["results"]] == [1, 1.5, None, None]
    rows = [{name: value for name, value in row.items() if name != "times"} for row in data["results"]]
    as_text = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    assert list(csv.DictReader(times_csv(found).splitlines())) == as_text
    comparison = Comparison(RUNS)
    assert [row["mean"] for row in comparison.rows] == [2, 3, 8, 4]
    assert str(comparison).startswith(f"{speed_words(comparison.summaries[0])}\n\n| backend |")


def test_backends_differ_in_a_picture_and_look_alike_in_all() -> None:
    plots = pytest.importorskip("cpsat_tour.compare.plots", reason="plots need Matplotlib")
    assert len({look["color"] for look in plots.styles_of("abcdefg").values()}) == 8
    assert len({tuple(look.values()) for look in plots.styles_of(map(str, range(70))).values()}) == 71
    first = [run(backend, 6, 1.0, group="g") for backend in ("sat", "cpsat", r"a$\frac$")]  # which is no formula
    groups = summaries([*first, *(run(backend, 8, 1.0, group="h") for backend in ("sat", "cpsat"))])
    figures = [draw(group) for draw in (plots.cactus, plots.growth) for group in groups]
    assert all(figure._repr_svg_().startswith("<?xml") for figure in figures)
    lines = [line for figure in figures for line in figure.legends[0].get_lines()]
    colours = {(line.get_label().split()[0], line.get_color()) for line in lines}
    assert len(colours) == len({name for name, _ in colours}) == len({colour for _, colour in colours}) == 4


def test_the_report_of_a_partial_file(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    more = [run(name, 5, seconds, kind="open", group="h") for name, seconds in (("dfs", 0.5), ("sat", None))]
    results.write_text(
        "".join(entry.line() for entry in [*RUNS, *more, run("sat", 6, 0.1, group="h")]) + '{"key": "half'
    )
    call = f"compare report {results} -o {tmp_path / 'out'} --baseline sat"
    assert "half written (13 bytes)" in command(call).err
    names = {path.name for path in (tmp_path / "out").iterdir() if path.suffix != ".tex"}
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


def test_a_file_is_no_folder_for_a_report_and_a_baseline_has_runs(tmp_path: Path, command: Command) -> None:
    results, kept = tmp_path / "runs.jsonl", tmp_path / "kept"
    results.write_text("".join(entry.line() for entry in RUNS))
    kept.touch()
    assert f"{kept}: it is a file, so name a folder\n" in command(f"compare report {results} -o {kept}", 2).err
    assert "'cpsat'" in command(f"compare report {results} --baseline cpsat", 2).err
    assert "give -o report\n" in command(f"compare report {results} -o {tmp_path / 'plot.png'}", 2).err


def test_a_plot_needs_no_library_of_other_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = summaries(RUNS)
    for module in ("fpdf", "resvg_py", "font_source_sans_pro"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda module: sys.modules.get(module, True))
    assert write_report(found, tmp_path / "report")


def test_a_plot_replaces_a_file_only_if_forced(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    kept, plot = tmp_path / "kept.svg", Comparison(RUNS).plot()
    kept.write_text("mine")
    with pytest.raises(BadInput, match="force"):
        plot.save(kept)
    assert kept.read_text() == "mine"
    plot.save(kept, force=True)
    assert kept.read_text().startswith("<?xml")


def test_a_wrong_tour_and_a_false_none_are_told_and_are_exit_status_1(tmp_path: Path, command: Command) -> None:
    results = tmp_path / "runs.jsonl"
    wrong = RecordedRun("bad", "6x6", "closed", group="g", status="wrong", fault="move 3 is none")
    for entry in (wrong, RecordedRun("sat", "6x6", "closed", seed=9, group="g", status="none", refutation="claimed")):
        results.write_text("".join(one.line() for one in [*RUNS, entry]))
        out = command(f"compare report {results}", 1).out
        assert "## Disagreements and faults" in out
        assert f"- DISAGREE: {entry.backend}, closed 6x6{f', seed {entry.seed}' * bool(entry.seed)}: " in out


def test_failed_runs_are_no_timeouts_and_a_wrong_answer_has_no_ratio() -> None:
    """A program that refuses its options has failed, and a false none is no answer, nor any ground for a ratio."""
    crash = replace(run("cpsat", 8, None), status="crash", fault="it ended.", stopped_by=None)
    runs = [run("sat", 6, 1.0), run("sat", 8, None), run("cpsat", 6, 2.0), crash, run("dfs", 8, 0.1)]
    runs += [replace(run("dfs", 6, 0.1), status="none", refutation="exhausted")]
    (group,) = summaries(runs)
    told = speed_words(group)
    assert "Runs without an answer in 10 s, left out of the means: sat 1 of 2." in told
    assert "1 run of cpsat failed: it ended." in told
    assert (
        "1 run of dfs failed, so its other answers do not count: it says that there is no tour (exhausted), and "
        in told
    )
    scores = {score.backend: score for score in group.scores}
    assert group.baseline == "sat"
    assert [scores[name].solved for name in ("sat", "cpsat", "dfs")] == [1, 1, 0]
    assert [scores[name].par2 for name in ("sat", "cpsat", "dfs")] == [10.5, math.inf, math.inf]
    assert [len(scores[name].compared) for name in ("sat", "cpsat", "dfs")] == [1, 1, 0]
    assert "| dfs | 0/2 | – | – | 0 | – |" in report([group])


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
