"""`compare_backends` of the Python interface: runs of backends on boards, each in a process of its own, with tables and
plots of what came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.compare.report import figures_of, report, score_tables, write_report
from cpsat_tour.compare.schedule import local, schedule
from cpsat_tour.compare.study import study_of
from cpsat_tour.compare.summary import GroupSummary, summaries
from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.events import Progress
from cpsat_tour.formats.progress import progress_in_notebook

if TYPE_CHECKING:
    from cpsat_tour.compare.figures import Plot


@dataclass(frozen=True)
class Comparison:
    """Runs, and what they say. In a notebook it shows itself as a table, and as text it is one."""

    runs: Sequence[RecordedRun] = field(repr=False)
    baseline: str | None = None

    def __repr__(self) -> str:
        backends = dict.fromkeys(run.backend for run in self.runs)
        return f"<Comparison: {len(self.runs):,} run{'s' * (len(self.runs) != 1)} of {', '.join(backends)}>"

    def __str__(self) -> str:
        return score_tables(self.summaries)

    def _repr_markdown_(self) -> str:
        return str(self)

    @cached_property
    def summaries(self) -> list[GroupSummary]:
        """Medians, scores and growth, as `cpsat_tour.compare.summary` has them."""
        return summaries(self.runs, baseline=self.baseline)

    @property
    def report(self) -> str:
        """All tables as Markdown: the scores, and the median of each backend on each board."""
        return report(self.summaries)

    def plot(
        self, what: Literal["cactus", "growth", "scatter"] = "cactus", backends: tuple[str, str] | None = None
    ) -> Plot:
        """A picture; of a scatter, ``backends`` are the one across and the one up, by default the baseline and the best
        other.

        `BadInput` where there is no such picture, or Matplotlib is not installed.
        """
        from cpsat_tour.compare.figures import Plot  # Matplotlib is an extra

        figures = figures_of(self.summaries[0], backends)
        if what not in figures:
            raise BadInput(f"there is no plot {what!r:.40} of these runs: choose one of {', '.join(figures)}")
        return Plot(figures[what])

    def write(self, folder: str | Path) -> list[Path]:
        """Write ``report.md``, ``medians.csv`` and the pictures as SVG, PNG and PDF into a folder; the files."""
        return write_report(self.summaries, Path(folder))


def compare_backends(
    boards: Iterable[str] | str,
    backends: Iterable[str] | str,
    *,
    closed: bool = False,
    seconds: float = 10.0,
    seeds: int = 1,
    jobs: int = 1,
    baseline: str | None = None,
) -> Comparison:
    """Time backends on boards, each run in a process of its own, its answer verified:
    ``compare_backends(["6..12:2"], ["sat", "cpsat"], closed=True)``.

    Boards are patterns such as ``8x8``, ``6..20:2``, ``GP(8..50:6,2)`` or the paths of graph files; a backend may have
    options: ``cpsat linearization=0``. ``seconds`` is the limit of a run, ``seeds`` how many runs each question gets,
    ``jobs`` how many are made at once (1 for timings to be published), ``baseline`` the backend that ratios are to, by
    default the first. `BadInput` for a wrong argument.
    """
    patterns = [boards] if isinstance(boards, str) else list(boards)
    names = [backends] if isinstance(backends, str) else list(backends)
    if not patterns or not names:
        raise BadInput("nothing is compared: name boards and backends, such as ['6x6', '8x8'] and ['sat', 'cpsat']")
    if baseline is not None and baseline not in names:
        raise BadInput(f"the baseline {baseline!r:.40} is not among the backends: {', '.join(names)}")
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
    return Comparison(runs, baseline)
