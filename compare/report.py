"""The report of runs: Markdown and CSV tables, and pictures, into a folder."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from cpsat_tour.compare.agree import fault_lines, judge
from cpsat_tour.compare.record import SOLVED, BoardQuestion, Machine, RecordedRun, label
from cpsat_tour.compare.summary import CLOCKS, MEASURES, MIN_QUESTIONS, GroupSummary, Measure, Ratio, Score, summaries
from cpsat_tour.core.errors import BadInput, printable, require
from cpsat_tour.drawing.images import latex
from cpsat_tour.formats.describe import listed, plural
from cpsat_tour.formats.files import check_folder, check_place, write, writing_folder

if TYPE_CHECKING:
    from cpsat_tour.compare.plots import Plot

RATIOS = (
    "Ratios are of mean times, over several questions their geometric mean. In brackets is its 95 % interval: with 1 "
    f"inside, no difference is shown. Fewer than {MIN_QUESTIONS} questions have no interval."
)

Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The heads of a table, and its rows."""

MAX_NAMED = 3
"""The most backends that a sentence compares with the baseline."""


def report(groups: Sequence[GroupSummary], pictures: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the report as Markdown text.

    It has links to the ``pictures`` of each group, by its name.
    """
    runs = [run for group in groups for run in group.runs]
    studies = " and ".join(dict.fromkeys(run.study or "runs" for run in runs))
    lines = [f"# {studies}: {plural(len(runs), 'run')}", "", *_sentences(groups), methods_text(groups), ""]
    for group in groups:
        lines += [f"## {group.name or 'all runs'}", "", *_score_lines(group), "", *table_lines(*_time_table(group)), ""]
        shown = (pictures or {}).get(group.name, ())
        lines += [*(f"![{Path(picture).stem.replace('-', ' ')}]({picture})" for picture in shown), ""]
    if faults := fault_lines(judge(runs)):
        lines += ["## Disagreements and faults", "", *(f"- {line.plain}" for line in faults)]
    return _markdown(lines).rstrip() + "\n"


def score_tables(groups: Sequence[GroupSummary]) -> str:
    """Return Markdown text with the sentences that compare backends and a table of scores for each group.

    Where there are several groups each is under its name; at the end it says what the ratios are.
    """
    lines = _sentences(groups)
    for group in groups:
        lines += [*([f"## {group.name}", ""] if len(groups) > 1 else []), *_score_lines(group), ""]
    return _markdown([*lines, RATIOS])


def _markdown(lines: Iterable[str]) -> str:
    """Join the lines to Markdown text in which nothing of a record is markup or commands a terminal."""
    return "".join(f"{printable(escape(line, quote=False))}\n" for line in lines)


def _sentences(groups: Sequence[GroupSummary]) -> list[str]:
    """Return the lines of a paragraph for each group, its sentences.

    Where there are several groups each is under its name.
    """
    told = [f"{group.name}: " * (len(groups) > 1) + words for group in groups if (words := speed_words(group))]
    return [line for words in told for line in (words, "")]


def speed_words(group: GroupSummary) -> str:
    """Return the sentences on how fast the baseline and the next backends are, on unanswered and on failed runs.

    For example: ``By the solver's own seconds, cpsat took 5.30 (4.72 to 5.96) times as long as sat on 12 questions.``
    The clock is that of the summary; runs without an answer are in no mean.
    """
    scores = group.scores[1:]
    others = [score for score in scores if score.compared and score.backend != group.baseline]
    lines = [_pair_words(group, score) for score in others[:MAX_NAMED]]
    lines += ["The table has the others."] * (len(others) > MAX_NAMED)
    failed = Counter(run.backend for run in group.failed)
    if missed := [
        f"{label(s.backend)} {s.runs - s.solved - failed[s.backend]} of {s.runs}"
        for s in scores
        if s.solved + failed[s.backend] < s.runs and s.backend not in group.wrong
    ]:
        lines.append(f"Runs without an answer in {group.limit:g} s, left out of the means: {', '.join(missed)}.")
    lines += [
        f"{plural(failed[run.backend], 'run')} of {label(run.backend)} failed"
        + ", so its other answers do not count" * (run.backend in group.wrong)
        + f": {(run.fault or run.status).rstrip('.')}."
        for run in {run.backend: run for run in reversed(group.failed)}.values()
    ]
    return " ".join(lines)


def _pair_words(group: GroupSummary, score: Score) -> str:
    """Return the sentence on a backend and the baseline: how many times as long the slower took.

    With too few questions for an interval it says so, and where the interval has 1 in it, that no difference is shown.
    """
    ratio, slower, faster = score.ratio, label(score.backend), label(group.baseline)
    number = len(score.compared)
    where = f"on {plural(number, 'question')}{f' ({group.name_of(score.compared[0])})' * (number == 1)}"
    clock = f"By {CLOCKS[group.measure]}"
    if ratio.low <= 1 <= ratio.high:
        return f"{clock}, no difference is shown between {faster} and {slower} {where}: {ratio_words(ratio)}."
    if ratio.value < 1:
        ratio, slower, faster = Ratio(1 / ratio.value, 1 / ratio.high, 1 / ratio.low), faster, slower
    few = ", too few for an interval" * (number < MIN_QUESTIONS)
    return f"{clock}, {slower} took {ratio_words(ratio)} times as long as {faster} {where}{few}."


def methods_text(groups: Sequence[GroupSummary]) -> str:
    """Return the paragraph on how the runs were made. It states what is recorded with them, and nothing else."""
    runs, by_solver = [run for group in groups for run in group.runs], groups[0].measure == "solver"
    answered, days = [run for run in runs if run.solved], sorted({run.when[:10] for run in runs} - {""})
    orders = [[(run.seed, run.vertices) for run in group.runs] for group in groups]
    in_order = all(order == sorted(order) for order in orders) and all(run.jobs == 1 for run in runs)
    left, tours = sum(group.left_out for group in groups), sum(run.tour is not None for run in answered)
    told = {
        "Machine: {}.": _each(_machine_words(run.machine) for run in runs),
        "Versions: {}.": _each(" ".join(pair) for run in runs for pair in run.versions.items()),
        "Backends: {}.": _each(run.backend for run in runs),
        "Date: {}.": " to ".join(dict.fromkeys(days[:1] + days[-1:])),
        "Limits of a run: {}.": _each(
            f"{plural(run.threads, 'thread')}, {run.time_limit:g} s"
            + (f", {run.memory_limit / 1e6:,.0f} MB" if run.memory_limit else "")
            for run in runs
        ),
        "Seeds: {}; a seed also numbers the variables of a formula anew.": listed(
            map(str, sorted({run.seed for run in runs}))
        ),
        "Runs at a time: {}.": _each(f"{run.jobs} ({run.executor})" for run in runs),
        "In each group the runs went {}.": "seed by seed, from small graphs to large" * in_order,
        "Answered within the limit: {}.": f"{len(answered):,} of {plural(len(runs), 'run')}",
        "Not answered, by what ended the run: {}.": _counts(
            "late answer" if run.status in SOLVED else run.stopped_by or run.status for run in runs if not run.solved
        ),
        "The program that made the runs verified {} itself, move by move.": plural(tours, "tour") if tours else "",
        "Answers that there is no tour: {}. A claim is the word of the solver alone.": _counts(
            run.refutation for run in answered if run.refutation
        ),
        "Left out of the scores: {}.": f"{plural(left, 'instance')} that not every backend has run" if left else "",
        "Times are {}.": MEASURES[groups[0].measure],
        "Runs without a time of the solver are by {}.": _each(
            label(run.backend) for run in answered if by_solver and not run.spent
        ),
    }
    return " ".join([*(told[words].join(words.split("{}")) for words in told if told[words]), RATIOS])


def _each(words: Iterable[str]) -> str:
    """Return the texts, each once, with semicolons between them; empty ones are left out."""
    return "; ".join(dict.fromkeys(filter(None, words)))


def _counts(words: Iterable[str]) -> str:
    """Return the texts, each once, with the number of times that it is there: ``time 3, crash 1``."""
    return ", ".join(f"{word} {number:,}" for word, number in Counter(words).items())


def _machine_words(machine: Machine) -> str:
    """Return a machine in words, as far as it is recorded."""
    cores, processors = (
        plural(machine.get("cores", 0), "core"),
        plural(machine.get("processors", 0), "logical processor"),
    )
    words = (
        machine.get("processor"),
        cores,
        processors,
        f"{machine.get('memory', 0) / 2**30:.0f} GiB",
        machine.get("system"),
    )
    return ", ".join(word for word in words if word and not word.startswith("0 "))


def _score_lines(group: GroupSummary) -> list[str]:
    """Return the lines of the table of scores, or one that there is none."""
    heads, rows = _score_table(group)
    return table_lines(heads, rows) if rows else ["No instance was run by every backend yet."]


def _score_table(group: GroupSummary) -> Table:
    """Return the table of scores, on all graphs and, where there are several kinds, on each kind.

    The header says which backend the ratios are to, and one column has them by another clock.
    """
    other: Measure = "seconds" if group.measure != "seconds" else "wall"
    plans = sorted({run.plan for run in group.runs} - {""})
    rows = []
    for kind in (group, *(group.of_plan(plan) for plan in plans if len(plans) > 1)):
        by_other = {score.backend: score.ratio for score in kind.by(other).scores}
        rows += [
            [
                f"{label(score.backend)}{f', {kind.name}' * (kind is not group)}",
                f"{score.solved}/{score.runs}",
                ratio_words(score.ratio),
                ratio_words(by_other[score.backend]),
                str(len(score.compared)),
                duration_text(score.par2),
                duration_text(score.slowest),
                str(score.wins),
                "–" if score.largest is None else group.name_of(score.largest),
            ]
            for score in kind.scores[kind is not group :]
        ]
    ratios = f"times {label(group.baseline)}"
    clock = f"by {CLOCKS[other].partition(',')[0]}"
    heads = ["backend", "answered", ratios, clock, "questions", "PAR-2", "slowest answer", "wins", "largest"]
    return heads, rows


def _time_table(group: GroupSummary) -> Table:
    """Return the table of times, with a row for each question and backend."""
    rows = []
    for row in group.rows():
        ends = dict.fromkeys((duration_text(row["least"]), duration_text(row["greatest"])))
        rows.append(
            [
                group.name_of(BoardQuestion(row["board"], row["kind"])),
                label(row["backend"]),
                f"{row['answered']}/{row['runs']}",
                duration_text(row["mean"]),
                " … ".join(ends),
                three_digits(row["ratio"]),
            ]
        )
    return ["question", "backend", "answered", "mean", "min … max", f"times {label(group.baseline)}"], rows


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table; its numbers are on the right."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (heads, rule, *rows)]


def tabular(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table as a small LaTeX ``tabular`` with the rules of booktabs; its numbers are on the right.

    Columns that a page has no room for are left out: a second clock, extremes, and the largest question.
    """
    kept = [place for place, head in enumerate(heads) if not head.startswith(("by ", "slowest", "largest", "min"))]
    head, *lines = (f"{' & '.join(latex(printable(row[place])) for place in kept)} \\\\\n" for row in (heads, *rows))
    begin = (
        f"\\par\\noindent{{\\small\\setlength{{\\tabcolsep}}{{3pt}}%\n\\begin{{tabular}}{{l{'r' * (len(kept) - 1)}}}"
    )
    return f"{begin}\n\\toprule\n{head}\\midrule\n{''.join(lines)}\\bottomrule\n\\end{{tabular}}}}\\par\n"


def three_digits(value: float) -> str:
    """Return a number as text with three digits; ``–`` for nan."""
    if math.isnan(value):
        return "–"
    places = max(0, 2 - math.floor(math.log10(float(f"{value:.2e}")))) if value > 0 else 0
    return f"{value:,.{places}f}"


def ratio_words(ratio: Ratio) -> str:
    """Return a ratio and its interval as text: ``5.30 (4.72 to 5.96)``.

    The interval is left out if there is none, or if it is a single number.
    """
    value, low, high = map(three_digits, ratio)
    return value if low == high else f"{value} ({low} to {high})"


def duration_text(seconds: float) -> str:
    """Return a time as text in seconds, milliseconds or microseconds: ``5.11 ms``; ``–`` for nan and infinity."""
    unit, scale = ("s", 1) if not seconds < 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    return f"{three_digits(seconds * scale)} {unit}" if math.isfinite(seconds) else "–"


def times_csv(groups: Sequence[GroupSummary]) -> str:
    """Return the times as CSV, in seconds, with a row for each question and backend.

    A number that there is not is empty.
    """
    text, rows = io.StringIO(), msgspec.json.decode(times_json(groups))["results"]
    names = [name for name in rows[0] if name != "times"]
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def times_json(groups: Sequence[GroupSummary]) -> str:
    """Return JSON with the sentences and, for each question and backend, an object with the times in seconds.

    A number that there is not is null.
    """
    told = {"measure": groups[0].measure, "summary": [speed_words(group) for group in groups]}
    rows = [row for group in groups for row in group.rows()]
    return msgspec.json.format(msgspec.json.encode(told | {"results": rows})).decode() + "\n"


def write_report(groups: Sequence[GroupSummary], path: Path, *, force: bool = False) -> list[Path]:
    """Write the times to a CSV or JSON file, or the whole report into a folder, by the path; return the files written.

    The folder has ``report.md``, ``times.csv``, ``times.json``, ``methods.tex``, and for each group its tables as LaTeX
    and its pictures as SVG, PNG and PDF.
    `BadInput` where there are files of these names, unless ``force`` is set.
    """
    texts = {"times.csv": times_csv(groups), "times.json": times_json(groups)}
    if (text := texts.get(f"times{path.suffix.lower()}")) is not None:
        check_place(path, force=force)
        write(path, text)
        return [path]
    from cpsat_tour.compare.plots import SUFFIXES, cactus, growth

    if path.suffix.lower() in SUFFIXES:
        raise BadInput(f"{path} is the name of a picture, and a report is a folder with all of them: give -o report")
    texts["methods.tex"] = f"{latex(printable(methods_text(groups)))}\n"
    pictures: dict[str, Plot] = {}
    linked = {}
    for group in groups:
        slug = re.sub(r"[^a-z0-9]+", "-", group.name.lower()).strip("-") or "runs"
        figures = {"cactus": cactus(group), "growth": growth(group)}
        linked[group.name] = [f"{slug}-{what}.svg" for what in figures]
        pictures |= {f"{slug}-{what}{suffix}": figure for what, figure in figures.items() for suffix in SUFFIXES}
        tables = {"scores": _score_table(group), "times": _time_table(group)}
        texts |= {f"{slug}-{what}.tex": tabular(*table) for what, table in tables.items()}
    texts["report.md"] = report(groups, linked)
    check_folder(path, [*texts, *pictures], force=force)
    with writing_folder(path, "report.md") as staged:
        for name, figure in pictures.items():
            figure.save(staged / name)
        for name, text in texts.items():
            write(staged / name, text)
    return [path / name for name in (*texts, *pictures)]


@dataclass(frozen=True)
class Comparison:
    """Some runs and their summaries; as text it is the sentence on which backend ran faster, and a table."""

    runs: Sequence[RecordedRun]

    def __bool__(self) -> bool:
        raise TypeError("a comparison is neither true nor false: ask for its rows or its report")

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.runs)} runs of {len({run.backend for run in self.runs})} backends>"

    def __str__(self) -> str:
        return score_tables(self.summaries)

    _repr_markdown_ = __str__  # which notebooks show

    def to_pandas(self) -> Any:
        """Return the `rows` as a table of pandas, which has to be installed."""
        require("a table of pandas", "pandas")
        import pandas

        return pandas.DataFrame(self.rows)

    @cached_property
    def summaries(self) -> list[GroupSummary]:
        """The summary of each group, with its mean times, scores and growth; see `cpsat_tour.compare.summary`."""
        return summaries(self.runs)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The times of each backend on each question, in seconds: mean, standard deviation over the seeds, range, and
        the ratio to the baseline's mean."""
        return [row for group in self.summaries for row in group.rows()]

    @property
    def report(self) -> str:
        """The report as Markdown: the sentence, the scores, and the times of each backend on each question."""
        return report(self.summaries)

    def plot(self, what: Literal["cactus", "growth"] = "cactus") -> Plot:
        """Return the plot ``what`` of the first group, a cactus plot or the growth of times."""
        from cpsat_tour.compare.plots import cactus, growth

        draw = {"cactus": cactus, "growth": growth}.get(what)
        if draw is None:
            raise BadInput(f"there is no plot {what!r:.40} of these runs: choose cactus or growth")
        return draw(self.summaries[0])

    def write(self, path: str | Path, *, force: bool = False) -> list[Path]:
        """Write the times to the ``path``, a .csv or .json file, or the report, its tables and pictures into a folder
        there, with ``force`` also over such files; return the files written.
        """
        return write_report(self.summaries, Path(path), force=force)
