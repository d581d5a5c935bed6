"""The report of runs: Markdown and CSV tables, and pictures, into a folder; and `compare_backends` of the Python
interface, which makes the runs that it reports."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cpsat_tour.compare.agree import disagreements, judge
from cpsat_tour.compare.record import FAULTS, RecordedRun, label
from cpsat_tour.compare.schedule import local, schedule
from cpsat_tour.compare.study import study_of
from cpsat_tour.compare.summary import MEASURES, GroupSummary, summaries
from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.events import Progress
from cpsat_tour.formats.describe import progress_in_notebook
from cpsat_tour.formats.files import check_folder, write, writing_folder

if TYPE_CHECKING:
    from cpsat_tour.compare.plots import Plot

MAX_LISTED = 100
"""Faults that are listed one by one."""


def report(groups: Sequence[GroupSummary], pictures: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the report as Markdown text, with links to the pictures of each group by its name."""
    runs = [run for group in groups for run in group.runs]
    studies = " and ".join(dict.fromkeys(run.study or "runs" for run in runs))
    lines = [f"# {studies}: {len(runs):,} runs", "", *_circumstances(groups), ""]
    for group in groups:
        lines += [f"## {group.name or 'all runs'}", "", *_scores(group), "", *_medians(group), ""]
        for picture in (pictures or {}).get(group.name, ()):
            lines.append(f"![{Path(picture).stem.replace('-', ' ')}]({picture})")
        lines.append("")
    return "\n".join([*lines, *_faults(runs)]).rstrip() + "\n"


def score_tables(groups: Sequence[GroupSummary]) -> str:
    """Return the table of scores of each group, under its name where there are several."""
    blocks = [([f"## {group.name}", ""] if len(groups) > 1 else []) + _scores(group) for group in groups]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _circumstances(groups: Sequence[GroupSummary]) -> Iterator[str]:
    """Yield the lines that say where, with what and how the runs were made."""
    runs = [run for group in groups for run in group.runs]
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
    yield f"- times: {MEASURES[groups[0].measure]}; `>` is beyond the limit"


def _distinct(entries: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the different ones of the mappings, in order."""
    return list({repr(entry): entry for entry in entries}.values())


def _scores(group: GroupSummary) -> list[str]:
    """Return the table of scores as lines; the header says which backend the ratios are to."""
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
    """Return a table with a row for each task: each backend's median, and its ratio to the baseline's."""
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
    """Return the lines of a Markdown table."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (heads, rule, *rows)]


def number(value: float) -> str:
    """Return a time or a ratio with three digits; ``>`` beyond the limit, ``–`` if there is none."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return ">"
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _faults(runs: Sequence[RecordedRun]) -> list[str]:
    """Return the lines on disagreements and on faults, each under its heading; nothing if there are none."""
    wrong = [
        f"- **DISAGREE**: {label(entry.run.backend)}, {entry.run.question}, seed {entry.run.seed}: {entry.why}"
        for entry in disagreements(judge(runs))
    ]
    told = [
        f"- {run.status}: {label(run.backend)}, {run.question}, seed {run.seed}: {run.fault}"
        for run in runs
        if run.status in FAULTS and run.status != "wrong"
    ]
    more = [f"- and {len(told) - MAX_LISTED} more"] if len(told) > MAX_LISTED else []
    parts = [("## Disagreements", wrong), ("## Faults", told[:MAX_LISTED] + more)]
    return [line for head, lines in parts if lines for line in (head, "", *lines, "")]


def medians_csv(groups: Sequence[GroupSummary]) -> str:
    """Return one row for each task and backend, times in seconds; an empty median was not answered."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    times = [f"median_{groups[0].measure}", "ratio_to_baseline"]
    writer.writerow(["group", "board", "kind", "start", "vertices", "backend", "runs", "answered", *times])
    for group in groups:
        solved: dict[tuple[object, str], list[bool]] = {}
        for run in group.runs:
            solved.setdefault((run.question, run.backend), []).append(run.solved)
        for question, medians in group.medians.items():
            base = medians.get(group.baseline, math.inf)
            where = [group.name, question.board, question.kind, question.start or "", group.vertices[question]]
            for backend, time in medians.items():
                answered = solved[question, backend]
                finite = math.isfinite(time)
                ratio = f"{time / base:.6g}" if finite and math.isfinite(base) and base > 0 else ""
                median = f"{time:.6g}" if finite else ""
                writer.writerow([*where, backend, len(answered), sum(answered), median, ratio])
    return text.getvalue()


def write_report(
    groups: Sequence[GroupSummary], folder: Path, scatter: tuple[str, str] | None = None, *, force: bool = False
) -> list[Path]:
    """Write ``report.md``, ``medians.csv`` and the pictures of each group as SVG, PNG and PDF into the folder; return
    the files written.

    `BadInput` where the folder has files of these names, unless ``force`` is set.
    """
    from cpsat_tour.compare.plots import SUFFIXES

    known = list(dict.fromkeys(backend for group in groups for backend in group.backends))
    for backend in scatter or ():
        if backend not in known:
            raise BadInput(f"no run is by {backend!r}: there are {', '.join(known)}")
    pictures: dict[str, Plot] = {}
    linked = {}
    for group in groups:
        slug = re.sub(r"[^a-z0-9]+", "-", group.name.lower()).strip("-") or "runs"
        figures = figures_of(group, scatter)
        linked[group.name] = [f"{slug}-{what}.svg" for what in figures]
        pictures |= {f"{slug}-{what}{suffix}": figure for what, figure in figures.items() for suffix in SUFFIXES}
    tables = {"report.md": report(groups, linked), "medians.csv": medians_csv(groups)}
    check_folder(folder, [*tables, *pictures], force=force)
    with writing_folder(folder, "report.md") as staged:
        for name, figure in pictures.items():
            figure.save(staged / name)
        for name, text in tables.items():
            write(staged / name, text)
    return [folder / name for name in (*tables, *pictures)]


def figures_of(group: GroupSummary, pair: tuple[str, str] | None) -> dict[str, Plot]:
    """Return the pictures of a group by what they show; of a scatter of the pair, else of the baseline and the best
    other backend, if the group has both."""
    from cpsat_tour.compare import plots

    others = [score.backend for score in group.scores()[1:] if score.backend != group.baseline]
    across, up = pair or (group.baseline, *others[:1], "")[:2]
    figures = {"cactus": plots.cactus(group), "growth": plots.growth(group)}
    if {across, up} <= set(group.backends):
        figures["scatter"] = plots.scatter(group, across, up)
    return figures


@dataclass(frozen=True)
class Comparison:
    """Runs, and their tables and plots. A notebook shows it as a table, and as text it is one."""

    runs: Sequence[RecordedRun]

    def __repr__(self) -> str:
        backends = dict.fromkeys(run.backend for run in self.runs)
        return f"<Comparison: {len(self.runs):,} run{'s' * (len(self.runs) != 1)} of {', '.join(backends)}>"

    def __str__(self) -> str:
        return score_tables(self.summaries)

    def _repr_markdown_(self) -> str:
        return str(self)

    @cached_property
    def summaries(self) -> list[GroupSummary]:
        """Medians, scores and growth of each group; see `cpsat_tour.compare.summary`."""
        return summaries(self.runs)

    @property
    def report(self) -> str:
        """All tables as Markdown: the scores, and the median of each backend on each board."""
        return report(self.summaries)

    def plot(
        self, what: Literal["cactus", "growth", "scatter"] = "cactus", backends: tuple[str, str] | None = None
    ) -> Plot:
        """Return a picture; of a scatter, ``backends`` are the one across and the one up, by default the baseline and
        the best other.

        `BadInput` where there is no such picture, or Matplotlib is not installed.
        """
        figures = figures_of(self.summaries[0], backends)
        if what not in figures:
            raise BadInput(f"there is no plot {what!r:.40} of these runs: choose one of {', '.join(figures)}")
        return figures[what]

    def write(self, folder: str | Path) -> list[Path]:
        """Write ``report.md``, ``medians.csv`` and the pictures as SVG, PNG and PDF into a folder; return the files."""
        return write_report(self.summaries, Path(folder))


def compare_backends(
    boards: Iterable[str] | str,
    backends: Iterable[str] | str,
    *,
    closed: bool = False,
    seconds: float = 10.0,
    seeds: int = 1,
    jobs: int = 1,
) -> Comparison:
    """Time backends on boards, each run in a process of its own, and verify each answer:
    ``compare_backends(["6..12:2"], ["sat", "cpsat"], closed=True)``.

    Boards are patterns such as ``8x8``, ``6..20:2``, ``GP(8..50:6,2)`` or the paths of graph files; a backend may have
    options: ``cpsat linearization=0``. ``seconds`` is the limit of a run, ``seeds`` how many runs each question gets,
    ``jobs`` how many are made at once (1 for timings to be published). Ratios are to the first backend. `BadInput`
    names a wrong argument.
    """
    patterns = [boards] if isinstance(boards, str) else list(boards)
    names = [backends] if isinstance(backends, str) else list(backends)
    if not patterns or not names:
        raise BadInput("nothing is compared: name boards and backends, such as ['6x6', '8x8'] and ['sat', 'cpsat']")
    kind = "closed" if closed else "open"
    asked = {"boards": patterns, "backends": names, "kinds": [kind], "seeds": seeds, "time_limit": seconds}
    todo = study_of("runs", asked).jobs(whole_number("the number of jobs", jobs), "local")
    runs: list[RecordedRun] = []
    with (
        progress_in_notebook(f"comparing {len(names)} backends on {', '.join(patterns)}") as listen,
        local(jobs) as workers,
    ):

        def record(run: RecordedRun) -> None:
            runs.append(run)
            if listen is not None:
                listen(Progress({"runs_made": len(runs), "runs_to_make": len(todo) - len(runs)}))

        schedule(todo, workers, record)
    return Comparison(runs)
