"""The report of a file of runs: Markdown and CSV tables, and pictures, into a folder."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpsat_tour.compare.agreement import disagreements, judge
from cpsat_tour.compare.record import FAULTS, RecordedRun
from cpsat_tour.compare.style import label
from cpsat_tour.compare.summary import MEASURES, GroupSummary
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_folder, write, writing_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TOLD = 100
"""Faults that are told one by one."""


def report(summaries: Sequence[GroupSummary], pictures: Mapping[str, Sequence[Path]] | None = None) -> str:
    """The report as Markdown text, with links to the pictures of each group by its name."""
    runs = [run for group in summaries for run in group.runs]
    lines = [
        f"# {' and '.join(dict.fromkeys(run.study or 'runs' for run in runs))}: {len(runs):,} runs",
        "",
        *_circumstances(summaries),
        "",
    ]
    for group in summaries:
        lines += [f"## {group.name or 'all runs'}", "", *_scores(group), "", *_medians(group), ""]
        lines += [
            f"![{picture.stem.replace('-', ' ')}]({picture.name})" for picture in (pictures or {}).get(group.name, ())
        ]
        lines.append("")
    return "\n".join([*lines, *_faults(runs)]).rstrip() + "\n"


def score_tables(summaries: Sequence[GroupSummary]) -> str:
    """The table of scores of each group, under its name where there are several."""
    blocks = [([f"## {group.name}", ""] if len(summaries) > 1 else []) + _scores(group) for group in summaries]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _circumstances(summaries: Sequence[GroupSummary]) -> Iterator[str]:
    """Where, with what and how the runs were made."""
    runs = [run for group in summaries for run in group.runs]
    for machine in _distinct(run.machine for run in runs if run.machine):
        memory = f"{machine.get('memory', 0) / 2**30:.0f} GiB"
        yield (
            f"- machine: {machine.get('processor')}, {machine.get('processors')} logical processors, {memory}, "
            f"{machine.get('system')}"
        )
    for versions in _distinct(run.versions for run in runs if run.versions):
        yield f"- versions: {', '.join(f'{name} {number}' for name, number in versions.items())}"
    for jobs, executor, threads in sorted({(run.jobs, run.executor, run.threads) for run in runs}):
        yield f"- {jobs} run{'s' * (jobs > 1)} at once ({executor}), {threads} thread{'s' * (threads > 1)} each"
    limits = sorted({(run.time_limit, run.memory_limit or 0) for run in runs})
    yield "- limits: " + "; ".join(
        f"{seconds:g} s" + (f", {memory / 1e6:,.0f} MB" if memory else "") for seconds, memory in limits
    )
    yield f"- times: {MEASURES[summaries[0].measure]}; `>` is beyond the limit"


def _distinct(entries: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return list({repr(entry): entry for entry in entries}.values())


def _scores(group: GroupSummary) -> list[str]:
    """The table of scores; the header says what is compared."""
    left_out = len({(run.question, run.seed) for run in group.runs}) - len(group.instances)
    rows = [
        [
            label(score.backend),
            f"{score.solved}/{score.runs}",
            number(score.par2),
            number(score.median),
            f"{number(score.ratio)} ({score.compared})",
            str(score.best),
            "–" if score.largest is None else str(score.largest),
        ]
        for score in group.scores()
    ]
    heads = ["backend", "answered", "PAR-2", "median", f"times {label(group.baseline)} (tasks)", "fastest", "largest"]
    note = [f"{left_out} instances that not every backend has run are left out.", ""] if left_out else []
    return note + (_table(heads, rows) if rows else ["No instance was run by every backend yet."])


def _medians(group: GroupSummary) -> list[str]:
    """One row a task: each backend's median, and its ratio to the baseline's."""
    rows = []
    for question, medians in sorted(
        group.medians.items(), key=lambda entry: (entry[0].kind, group.vertices[entry[0]], entry[0].board)
    ):
        base = medians.get(group.baseline, math.nan)
        cells = []
        for backend in group.backends:
            time = medians.get(backend, math.nan)
            ratio = (
                f" ({number(time / base)}×)"
                if backend != group.baseline and math.isfinite(time) and math.isfinite(base) and base > 0
                else ""
            )
            cells.append(number(time) + ratio)
        rows.append([str(question), *cells])
    return _table(["median", *map(label, group.backends)], rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (heads, rule, *rows)]


def number(value: float) -> str:
    """A time or a ratio to three digits; ``>`` beyond the limit, ``–`` where there is none."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return ">"
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _faults(runs: Sequence[RecordedRun]) -> list[str]:
    """Return the lines on disagreements and on faults, each under its heading; none where there are none."""
    wrong = [
        f"- **DISAGREE**: {label(entry.run.backend)}, {entry.run.question}, seed {entry.run.seed}: {entry.why}"
        for entry in disagreements(judge(runs))
    ]
    told = [
        f"- {run.status}: {label(run.backend)}, {run.question}, seed {run.seed}: {run.fault}"
        for run in runs
        if run.status in FAULTS and run.status != "wrong"
    ]
    more = [f"- and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    parts = [("## Disagreements", wrong), ("## Faults", told[:MOST_TOLD] + more)]
    return [line for head, lines in parts if lines for line in (head, "", *lines, "")]


def medians_csv(summaries: Sequence[GroupSummary]) -> str:
    """One row for each task and backend, times in seconds; an empty median was not answered."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "group",
            "board",
            "kind",
            "start",
            "vertices",
            "backend",
            "runs",
            "answered",
            f"median_{summaries[0].measure}",
            "ratio_to_baseline",
        ]
    )
    for group in summaries:
        counted: dict[tuple[object, str], list[bool]] = {}
        for run in group.runs:
            counted.setdefault((run.question, run.backend), []).append(run.solved)
        for question, medians in group.medians.items():
            base = medians.get(group.baseline, math.inf)
            for backend, time in medians.items():
                solved = counted[question, backend]
                finite = math.isfinite(time)
                ratio = f"{time / base:.6g}" if finite and math.isfinite(base) and base > 0 else ""
                where = [group.name, question.board, question.kind, question.start or "", group.vertices[question]]
                writer.writerow([*where, backend, len(solved), sum(solved), f"{time:.6g}" if finite else "", ratio])
    return text.getvalue()


def write_report(
    summaries: Sequence[GroupSummary], folder: Path, scatter: tuple[str, str] | None = None, *, force: bool = False
) -> list[Path]:
    """Write ``report.md``, ``medians.csv`` and the pictures of each group as SVG, PNG and PDF into the folder; the
    files written.

    `BadInput` where the folder has files of these names, unless ``force`` is set.
    """
    from cpsat_tour.compare.figures import SUFFIXES, save

    known = list(dict.fromkeys(backend for group in summaries for backend in group.backends))
    for backend in scatter or ():
        if backend not in known:
            raise BadInput(f"no run is by {backend!r}: there are {', '.join(known)}")
    drawn = {group.name: figures_of(group, scatter) for group in summaries}
    linked = {group: [Path(f"{slug(group)}-{what}.svg") for what in figures] for group, figures in drawn.items()}
    pictures = {
        f"{slug(group)}-{what}{suffix}": figure
        for group, figures in drawn.items()
        for what, figure in figures.items()
        for suffix in SUFFIXES
    }
    tables = {"medians.csv": medians_csv(summaries), "report.md": report(summaries, linked)}
    check_folder(folder, [*tables, *pictures], force=force)
    with writing_folder(folder, "report.md") as staged:
        for name, figure in pictures.items():
            save(figure, staged / name)
        for name, text in tables.items():
            write(staged / name, text)
    return [folder / name for name in ("report.md", "medians.csv", *pictures)]


def figures_of(group: GroupSummary, scatter: tuple[str, str] | None) -> dict[str, Figure]:
    """The pictures of a group by what they show."""
    from cpsat_tour.compare import plots

    figures = {"cactus": plots.cactus(group), "growth": plots.growth(group)}
    if (pair := _pair(group, scatter)) is not None:
        figures["scatter"] = plots.scatter(group, *pair)
    return figures


def _pair(group: GroupSummary, asked: tuple[str, str] | None) -> tuple[str, str] | None:
    """The two backends of the scatter: those asked for, else the baseline and the best other one; None where the group
    has not both."""
    if asked is not None:
        return asked if set(asked) <= set(group.backends) else None
    others = [score.backend for score in group.scores()[1:] if score.backend != group.baseline]
    return (group.baseline, others[0]) if others else None


def slug(name: str) -> str:
    """The name of a group as a part of file names."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "runs"
