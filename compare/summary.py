"""What a file of runs says: means, ratios with their intervals, penalised averages and the virtual best backend; and
its pictures.

An *instance* is a question with a seed. Runs under different limits are never mixed: each group of a study is summed up
once for each of its limits. A run without an answer, or with one that came after the limit, is in no mean; where it
counts, its time is infinite: a median is infinite where at least half the runs failed. PAR-2, the mean with unanswered
runs counted as twice their limit, is the score of the SAT competitions. The *virtual best* takes for each instance the
fastest backend.

The *ratio* of two backends is the geometric mean, over the questions on which both answered every run, of the ratios of
their mean times over the seeds. Its interval of 95 % is Student's (1908) for the mean of the logarithms of these
ratios, one from each question: seeds of one question say nothing of other questions. Of fewer than `MIN_QUESTIONS`
there is none. If the interval has 1 in it, no difference is shown.

The pictures of a group of runs are Matplotlib figures, or files: SVG, PNG and PDF. *Cactus* (from the SAT
competitions): each backend's times in increasing order, so a curve that reaches further right solves more, and one that
lies lower is faster. *Growth*: median times on logarithmic axes, on which a power law is a straight line; hollow marks
at the limit are boards not answered. Where all is answered, no line shows the limit.

Colours are from the palette of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart; a
marker besides tells backends apart where there are more than seven, and serves print without colour. They are dealt out
once for all pictures of some runs, in the order of their backends, so that a backend looks the same in each; no two of
the first seven share a colour, and no two of 70 look alike.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from statistics import NormalDist, fmean, median, stdev
from typing import Any, Literal, NamedTuple

import numpy as np

from cpsat_tour.compare.record import BoardQuestion, RecordedRun, label
from cpsat_tour.core.errors import BadInput, not_installed, printable
from cpsat_tour.formats.files import check_place, write

VIRTUAL_BEST = "virtual best"

Measure = Literal["seconds", "wall", "cpu"]

MEASURES: Mapping[Measure, str] = {
    "seconds": "seconds to build and solve, without the start of the process",
    "wall": "seconds of the whole process by the clock",
    "cpu": "processor seconds of the whole process",
}

CLOCKS: Mapping[Measure, str] = {
    "seconds": "the solver's own seconds",
    "wall": "wall time, the start of Python included",
    "cpu": "processor time, the start of Python included",
}
"""The names of the measures of time in sentences and tables."""

MIN_QUESTIONS = 5
"""The fewest questions whose ratio has an interval."""

SHORTEST = 1e-6
"""The least time in seconds: shorter ones are taken for this in logarithms."""

Instance = tuple[BoardQuestion, int]
Pair = tuple[float, float]


class Ratio(NamedTuple):
    """A ratio of times with the ends of its confidence interval; nan where there are too few questions."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Score:
    """A backend's line in the summary of a group, over the instances that all backends ran.

    ``slowest`` is the time of the slowest answer; ``ratio`` is that of its times to the baseline's, on the ``compared``
    questions; ``wins`` counts the instances on which it is as fast as any; ``largest`` is the question with the most
    vertices whose median is within the limit.
    """

    backend: str
    solved: int
    runs: int
    par2: float
    slowest: float
    ratio: Ratio
    compared: Sequence[BoardQuestion]
    wins: int
    largest: BoardQuestion | None


class GroupSummary:
    """The runs of one group of a study under the same limits, by one measure of time.

    ``instances`` are those that every backend ran; ``medians`` has the median time of each question and backend. The
    ``baseline`` is the best backend by PAR-2 if none of the group is given; ``known`` are the backends of all groups.
    """

    def __init__(
        self, name: str, runs: Sequence[RecordedRun], measure: Measure, baseline: str | None, known: Sequence[str]
    ) -> None:
        self.name, self.runs, self.measure, self.known = name, runs, measure, known
        self.backends = list(dict.fromkeys(run.backend for run in runs))
        self.kinds = list(dict.fromkeys(run.kind for run in runs))
        self.limit = runs[0].time_limit
        self.vertices = {run.question: run.vertices for run in runs}
        self._of = {(run.question, run.backend): run for run in sorted(runs, key=lambda run: run.solved)}
        self._times: dict[str, dict[Instance, float]] = {backend: {} for backend in self.backends}
        for run in runs:
            value: float | None = getattr(run, measure) if run.solved else None
            self._times[run.backend][run.question, run.seed] = math.inf if value is None else value
        self.medians: dict[BoardQuestion, dict[str, float]] = defaultdict(dict)
        for backend, times in self._times.items():
            for question, of_question in _by_question(times).items():
                self.medians[question][backend] = median(of_question)
        asked = dict.fromkeys((run.question, run.seed) for run in runs)
        self.instances = [instance for instance in asked if all(instance in of for of in self._times.values())]
        self.left_out = len(asked) - len(self.instances)
        self._times[VIRTUAL_BEST] = {
            instance: min(self._times[backend][instance] for backend in self.backends) for instance in self.instances
        }
        self.baseline = baseline if baseline in self.backends else min(self.backends, key=self._par2)

    def by(self, measure: Measure) -> GroupSummary:
        """Return the summary of the same runs, with the same baseline, by another measure of time."""
        return GroupSummary(self.name, self.runs, measure, self.baseline, self.known)

    def of_plan(self, plan: str) -> GroupSummary:
        """Return the summary of the runs on graphs for which `auto` has this plan; it has the plan's name."""
        return GroupSummary(
            plan, [run for run in self.runs if run.plan == plan], self.measure, self.baseline, self.known
        )

    def times(self, backend: str) -> dict[Instance, float]:
        """Return the time that a backend, or the virtual best, took for each common instance; infinite where it did not
        answer."""
        return {instance: self._times[backend][instance] for instance in self.instances}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question and backend with its times and their ratio to the baseline's; small boards
        come first.

        A median that was not answered is infinite; nan stands for a number that there is not.
        """
        found: list[dict[str, Any]] = []
        for backend in self.backends:
            pairs = self._pairs(backend, list(self._times[backend]))
            for question, times in _by_question(self._times[backend]).items():
                answered = [time for time in times if math.isfinite(time)]
                run = self._of[question, backend]
                found.append(
                    {
                        "group": self.name,
                        **question._asdict(),
                        "vertices": run.vertices,
                        "edges": run.edges,
                        "plan": run.plan,
                        "backend": backend,
                        "status": run.status,
                        "runs": len(times),
                        "answered": len(answered),
                        "mean": fmean(answered) if answered else math.nan,
                        "stddev": stdev(answered) if len(answered) > 1 else math.nan,
                        "least": min(answered, default=math.nan),
                        "greatest": max(answered, default=math.nan),
                        "median": median(times),
                        "ratio": ratio_of([pairs[question]] if question in pairs else []).value,
                        "times": answered,
                    }
                )
        return sorted(found, key=lambda row: (row["kind"], row["vertices"], row["board"], row["start"] or ""))

    @cached_property
    def scores(self) -> list[Score]:
        """The scores of the backends, the best by PAR-2 first; the virtual best comes before all."""
        ranked = sorted((self._score(backend) for backend in self.backends), key=lambda score: score.par2)
        return [self._score(VIRTUAL_BEST), *ranked] if self.instances else []

    def _par2(self, backend: str) -> float:
        """Return a backend's PAR-2: its mean time with unanswered runs counted as twice their limit; nan without a
        common instance."""
        times = self.times(backend).values()
        return fmean(time if math.isfinite(time) else 2 * self.limit for time in times) if times else math.nan

    def _score(self, backend: str) -> Score:
        """Return the score of a backend, or of the virtual best."""
        times, best, pairs = self.times(backend), self._times[VIRTUAL_BEST], self._pairs(backend, self.instances)
        medians = {question: median(of_question) for question, of_question in _by_question(times).items()}
        return Score(
            backend,
            sum(map(math.isfinite, times.values())),
            len(times),
            self._par2(backend),
            max(filter(math.isfinite, times.values()), default=math.nan),
            ratio_of(list(pairs.values())),
            list(pairs),
            sum(math.isfinite(time) and time <= best[instance] for instance, time in times.items()),
            max(
                (question for question in medians if math.isfinite(medians[question])),
                key=lambda question: self.vertices[question],
                default=None,
            ),
        )

    def _pairs(self, backend: str, instances: Sequence[Instance]) -> dict[BoardQuestion, list[Pair]]:
        """Return the pairs of times of a backend and the baseline, a list over the seeds for each question.

        Questions on which either left a run unanswered are left out.
        """
        mine, base = self._times[backend], self._times[self.baseline]
        found: dict[BoardQuestion, list[Pair]] = defaultdict(list)
        for instance in instances:
            found[instance[0]].append((mine[instance], base.get(instance, math.inf)))
        return {question: pairs for question, pairs in found.items() if np.isfinite(pairs).all()}

    def growth(self, kind: str) -> dict[str, dict[int, float]]:
        """Return each backend's median times on the tasks of one kind, by number of vertices."""
        found: dict[str, dict[int, float]] = {}
        for backend in self.backends:
            by_size: dict[int, list[float]] = defaultdict(list)
            for question, medians in self.medians.items():
                if question.kind == kind and backend in medians:
                    by_size[self.vertices[question]].append(medians[backend])
            found[backend] = {size: median(values) for size, values in sorted(by_size.items())}
        return found


def _by_question(times: Mapping[Instance, float]) -> dict[BoardQuestion, list[float]]:
    """Return the times of each question, a list over its seeds."""
    found: dict[BoardQuestion, list[float]] = defaultdict(list)
    for (question, _), time in times.items():
        found[question].append(time)
    return found


def ratio_of(questions: Sequence[Sequence[Pair]]) -> Ratio:
    """Return the mean ratio of the first times of the pairs to the second, with its confidence interval.

    There is a list of pairs for each question; see the module.
    """
    if not questions:
        return Ratio(math.nan)
    logs = np.array([math.log(np.divide(*np.maximum(pairs, SHORTEST).mean(axis=0))) for pairs in questions])
    value, number = math.exp(logs.mean()), len(logs)
    if number < MIN_QUESTIONS:
        return Ratio(value)
    reach = math.exp(_student_point(number - 1) * logs.std(ddof=1) / math.sqrt(number))
    return Ratio(value, value / reach, value * reach)


def _student_point(freedom: float) -> float:
    """Return the number that Student's t with this many degrees of freedom exceeds in 2.5 % of cases (Cornish & Fisher
    1937).

    It is too small by 0.3 % with 4 degrees of freedom and by less with more.
    """
    z = NormalDist().inv_cdf(0.975)
    terms = (z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return sum(term / freedom**power for power, term in enumerate(terms))


def summaries(
    runs: Iterable[RecordedRun], measure: Measure = "seconds", baseline: str | None = None
) -> list[GroupSummary]:
    """Return the summary of each group of runs.

    A group with several limits has a summary for each, whose name has the limits.
    """
    by_group: dict[str, dict[str, list[RecordedRun]]] = defaultdict(lambda: defaultdict(list))
    known: dict[str, None] = {}
    for run in runs:
        by_group[printable(run.group)][run.limits].append(run)
        known[run.backend] = None
    return [
        GroupSummary(
            f"{name or 'all runs'}, {limits}" if len(by_limits) > 1 else name, of_group, measure, baseline, list(known)
        )
        for name, by_limits in by_group.items()
        for limits, of_group in by_limits.items()
    ]


try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
except ImportError:
    raise not_installed("a plot", "matplotlib") from None

GREY = "#7f7f7f"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

LIMIT_LINE: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": "--", "label": "time limit"}
NOT_ANSWERED: dict[str, Any] = {
    "color": GREY, "marker": "o", "markersize": 4.5, "fillstyle": "none", "linestyle": "", "label": "not answered"
}  # fmt: skip

SUFFIXES = (".svg", ".png", ".pdf")

METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Creator": "cpsat-tour", "Date": None},
    "png": {"Software": "cpsat-tour"},
    "pdf": {"Creator": "cpsat-tour", "CreationDate": None},
}
"""The metadata of pictures: they are ours, and nothing in them differs from one day to the next."""

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "cpsat-tour",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.4,
    "savefig.dpi": 150,
}
"""Words are drawn as paths, for fonts may be missing; equal pictures are equal files."""

UNITS = {"seconds": "seconds", "wall": "seconds of the whole process", "cpu": "processor seconds"}


class Plot(Figure):
    """A Matplotlib figure that needs no window system and that notebooks show."""

    def _repr_svg_(self) -> str:
        """Return the picture as SVG text, as notebooks show it."""
        return self._picture_bytes("svg").decode()

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the picture as SVG, PNG or PDF, by the suffix of ``path``; `BadInput` for another suffix, and if the
        file exists and ``force`` is not set."""
        path = Path(path)
        if path.suffix.lower() not in SUFFIXES:
            raise BadInput(f"can't tell what to draw to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
        check_place(path, force=force)
        write(path, self._picture_bytes(path.suffix.lower().removeprefix(".")))

    def _picture_bytes(self, form: str) -> bytes:
        """Return the bytes of the picture in this form, ``svg``, ``png`` or ``pdf``."""
        buffer = BytesIO()
        for text in self.findobj(Text):
            text.set_parse_math(False)  # a dollar sign in a name is no formula
        with mpl.rc_context(SETTINGS):
            self.savefig(buffer, format=form, metadata=METADATA[form])
        return buffer.getvalue()


def cactus(group: GroupSummary) -> Plot:
    """Return the plot of the number of instances that each backend answers within each time."""
    figure, (axes,) = _new_figure(1)
    styles = styles_of(group.known)
    curves = {
        backend: sorted(time for time in group.times(backend).values() if math.isfinite(time))
        for backend in (VIRTUAL_BEST, *group.backends)
    }
    for backend, times in curves.items():
        shown: dict[str, Any] = {"linewidth": 2.5, "alpha": 0.5} if backend == VIRTUAL_BEST else {"linewidth": 1.3}
        numbers, seconds = range(1, len(times) + 1), [max(time, SHORTEST) for time in times]
        axes.plot(numbers, seconds, **styles[backend], markersize=4, markevery=max(1, len(times) // 12), **shown)
    unanswered = any(len(curves[backend]) < len(group.instances) for backend in group.backends)
    if unanswered:
        axes.axhline(group.limit, **LIMIT_LINE)
    _logarithmic(axes.yaxis)
    axes.set(
        title=group.name,
        xlabel=f"instances answered, of {len(group.instances)}",
        ylabel=f"{UNITS[group.measure]} for each",
    )
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    ranked = sorted(curves, key=lambda backend: -len(curves[backend]))
    words = {backend: f"{label(backend)}  {len(curves[backend])}" for backend in ranked}
    _legend(figure, styles, words, [LIMIT_LINE] * unanswered)
    return figure


def growth(group: GroupSummary) -> Plot:
    """Return the plot of median times against the number of squares, one pair of axes for each kind of tour."""
    figure, panels = _new_figure(len(group.kinds))
    styles = styles_of(group.known)
    unanswered = False
    for axes, kind in zip(panels, group.kinds, strict=True):
        met_limit = False
        for backend, line in group.growth(kind).items():
            shown = styles[backend] | {"markersize": 4.5}
            solved = {size: max(time, SHORTEST) for size, time in line.items() if math.isfinite(time)}
            open_still = [size for size, time in line.items() if math.isinf(time)]
            axes.plot(list(solved), list(solved.values()), linewidth=1.1, **shown)
            axes.plot(open_still, [group.limit] * len(open_still), fillstyle="none", linestyle="", **shown)
            met_limit |= bool(open_still)
        if met_limit:
            axes.axhline(group.limit, **LIMIT_LINE)
            unanswered = True
        _logarithmic(axes.yaxis)
        _logarithmic(axes.xaxis)
        axes.set(xlabel="squares", title=f"{group.name}: {kind} tours" if group.name else f"{kind} tours")
    panels[0].set_ylabel(f"{UNITS[group.measure]}, median")
    words = {backend: label(backend) for backend in group.backends}
    _legend(figure, styles, words, [NOT_ANSWERED, LIMIT_LINE] * unanswered)
    return figure


def styles_of(backends: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a colour and a marker for each backend, by its place among them.

    The virtual best is grey.
    """
    dealt = {
        backend: {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}
        for index, backend in enumerate(backends)
    }
    return {VIRTUAL_BEST: {"color": GREY, "marker": ""}, **dealt}


def _new_figure(panels: int) -> tuple[Plot, list[Axes]]:
    """Return a figure with ``panels`` axes side by side."""
    with mpl.rc_context(SETTINGS):
        figure = Plot(figsize=(5.2 * panels + 1.6, 4.4), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        return figure, list(figure.subplots(1, panels, squeeze=False)[0])


def _logarithmic(axis: Axis) -> None:
    """Make an axis logarithmic, with plain numbers at powers of ten.

    Between them there are numbers where there are few powers.
    """
    axis.axes.set(**{"xscale" if axis is axis.axes.xaxis else "yscale": "log"})
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,), numticks=30))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip(".")))
    axis.set_minor_formatter(NullFormatter())


def _legend(
    figure: Figure, styles: Mapping[str, dict[str, Any]], words: Mapping[str, str], others: Sequence[dict[str, Any]]
) -> None:
    """Draw a legend right of the axes: the words for each backend, then the ``others``."""
    backends = [
        {"markersize": 4.5, "linewidth": 1.3, "label": text} | styles[backend] for backend, text in words.items()
    ]
    handles = [Line2D([], [], **shown) for shown in (*backends, *others)]
    figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=8)
