"""The three pictures of a group: cactus, time against squares, and one backend against another; and that of a search's
calls.

*Cactus* (from the SAT competitions): each backend's times in increasing order, so a curve that reaches further right
solves more, and one that lies lower is faster. *Growth*: median times on logarithmic axes with the exponent of a fitted
power law; hollow marks at the limit are boards not answered, which the fit does not see. *Scatter*: one point an
instance, in the colour of the faster backend, grey where neither is faster.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from cpsat_tour.compare.figures import new_figure
from cpsat_tour.compare.style import BLUE, GREY, VIRTUAL_BEST, Style, label, styles_of
from cpsat_tour.compare.summary import SHORTEST, GroupSummary

_UNITS = {"seconds": "seconds", "wall": "seconds of the whole process", "cpu": "processor seconds"}

_WIDE = 15
"""Sizes of boards that differ by this factor leave less room for labels between powers of ten."""

_CROWD = 300
"""Points of a scatter that are drawn small."""

_FAR = 30
"""A time limit so many times the slowest answer is left out of a picture in which all is answered."""

_LEGEND_WIDTH = 2.1
"""Inches to the right of the axes."""


def cactus(group: GroupSummary) -> Figure:
    """How many instances each backend answers within which time."""
    figure, (axes,) = _figure(1)
    styles = styles_of(group.backends)
    curves = {
        backend: sorted(time for time in group.times(backend).values() if math.isfinite(time))
        for backend in (VIRTUAL_BEST, *group.backends)
    }
    for backend, times in curves.items():
        shown = styles[backend]
        axes.plot(
            range(1, len(times) + 1),
            [max(time, SHORTEST) for time in times],
            color=shown.colour,
            marker=shown.marker,
            markersize=4,
            markevery=max(1, len(times) // 12),
            linewidth=2.5 if backend == VIRTUAL_BEST else 1.3,
            alpha=0.5 if backend == VIRTUAL_BEST else 1,
        )
    all_answered = all(len(curves[backend]) == len(group.instances) for backend in group.backends)
    limit = _limit_line(axes, group, [time for times in curves.values() for time in times], all_answered=all_answered)
    _logarithmic(axes.yaxis)
    axes.set_xlim(left=0)
    axes.set_title(group.name, fontsize=10)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"instances answered, of {len(group.instances)}")
    axes.set_ylabel(f"{_UNITS[group.measure]} for each")
    _legend(
        figure,
        styles,
        [
            (backend, f"{label(backend)}  {len(times)}")
            for backend, times in sorted(curves.items(), key=lambda entry: -len(entry[1]))
        ],
        limit=limit,
    )
    return figure


def growth(group: GroupSummary) -> Figure:
    """Median time against the number of squares, one pair of axes for each kind of tour."""
    figure, panels = _figure(len(group.kinds))
    styles = styles_of(group.backends)
    exponents: dict[str, list[str]] = {backend: [] for backend in group.backends}
    limit = unanswered = False
    for axes, kind in zip(panels, group.kinds, strict=True):
        for line in group.growth(kind):
            shown = styles[line.backend]
            solved = {size: max(time, SHORTEST) for size, time in line.times.items() if math.isfinite(time)}
            open_still = [size for size, time in line.times.items() if math.isinf(time)]
            axes.plot(
                list(solved),
                list(solved.values()),
                color=shown.colour,
                marker=shown.marker,
                markersize=4.5,
                linewidth=1.1,
            )
            axes.plot(
                open_still,
                [group.limit] * len(open_still),
                color=shown.colour,
                marker=shown.marker,
                markersize=4.5,
                fillstyle="none",
                linestyle="",
            )
            exponents[line.backend].append("–" if line.exponent is None else f"{line.exponent:.1f}")
            unanswered |= bool(open_still)
        times = [time for line in group.growth(kind) for time in line.times.values()]
        limit |= _limit_line(axes, group, filter(math.isfinite, times), all_answered=all(map(math.isfinite, times)))
        _logarithmic(axes.yaxis)
        sizes = [group.vertices[question] for question in group.medians if question.kind == kind]
        _logarithmic(axes.xaxis, (1, 2, 3, 5) if max(sizes) < _WIDE * max(min(sizes), 1) else (1, 3))
        axes.set_xlabel("squares")
        axes.set_title(f"{group.name}: {kind} tours" if group.name else f"{kind} tours", fontsize=10)
    panels[0].set_ylabel(f"{_UNITS[group.measure]}, median")
    fitted = any(exponent != "–" for of_backend in exponents.values() for exponent in of_backend)
    entries = [
        (backend, f"{label(backend)}  {', '.join(exponents[backend])}" if fitted else label(backend))
        for backend in group.backends
    ]
    _legend(figure, styles, entries, "fitted exponent" if fitted else None, limit=limit, unanswered=unanswered)
    return figure


def scatter(group: GroupSummary, across: str, up: str) -> Figure:
    """Each instance as a point: its time by one backend across, by the other up; unanswered ones stand on the outer
    lines."""
    figure, (axes,) = _figure(1)
    known = [time for backend in (across, up) for time in group.times(backend).values()]
    limit = not _is_far(group.limit, known) or not all(map(math.isfinite, known))
    beyond = 1.6 * (group.limit if limit else max(*known, SHORTEST))
    size = 5 if len(group.instances) <= _CROWD else 3
    ours, theirs = group.times(across), group.times(up)
    points = [(_between(ours[instance], beyond), _between(theirs[instance], beyond)) for instance in group.instances]
    faster = {across: [(x, y) for x, y in points if x < y], up: [(x, y) for x, y in points if x > y]}
    styles = styles_of(group.backends)
    for shown, part in (
        *((styles[backend], part) for backend, part in faster.items()),
        (Style(GREY, "o"), [(x, y) for x, y in points if x == y]),
    ):
        marks = axes.plot(
            [x for x, _ in part], [y for _, y in part], color=shown.colour, marker=shown.marker, markersize=size
        )
        marks[0].set(linestyle="", alpha=0.75)
    low = 0.6 * min((min(point) for point in points), default=beyond / 100)
    axes.plot([low, beyond], [low, beyond], color=GREY, linewidth=0.8)
    for line in (axes.axhline, axes.axvline) if limit else ():
        line(group.limit, color=GREY, linewidth=0.8, linestyle="--")
    _logarithmic(axes.xaxis)
    _logarithmic(axes.yaxis)
    axes.set_title(group.name, fontsize=10)
    axes.set_xlim(low, beyond * 1.15)
    axes.set_ylim(low, beyond * 1.15)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{label(across)}, {_UNITS[group.measure]}")
    axes.set_ylabel(f"{label(up)}, {_UNITS[group.measure]}")
    _legend(
        figure,
        styles,
        [(backend, f"{label(backend)} is faster") for backend, part in faster.items() if part],
        limit=limit,
    )
    return figure


def _between(time: float, most: float) -> float:
    return min(max(time, SHORTEST), most)


def _figure(panels: int) -> tuple[Figure, list[Axes]]:
    """A figure with axes side by side, and room for a legend on the right."""
    width, height, left, bottom = 4.2, 3.6, 0.95, 0.6
    whole = panels * width + (left + 0.3) * panels + _LEGEND_WIDTH
    figure = new_figure(whole, height + bottom + 0.4)
    axes = [
        figure.add_axes(
            (
                (number * (width + left + 0.3) + left) / whole,
                bottom / (height + bottom + 0.4),
                width / whole,
                height / (height + bottom + 0.4),
            )
        )
        for number in range(panels)
    ]
    for one in axes:
        _plain(one)
    return figure, axes


def _plain(axes: Axes) -> None:
    """A faint grid behind what is drawn, and no frame."""
    axes.grid(True, which="major", linewidth=0.4, color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _logarithmic(axis: Axis, labelled: tuple[int, ...] | None = None) -> None:
    """A logarithmic axis whose labels are plain numbers, at these multiples of powers of ten; by default more where
    there are few powers."""
    axis.axes.set(**{"xscale" if axis is axis.axes.xaxis else "yscale": "log"})
    if labelled is None:
        low, high = axis.get_view_interval()
        labelled = (1, 2, 5) if high < 100 * low else (1,)
    axis.set_major_locator(LogLocator(subs=labelled, numticks=30))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip(".")))
    axis.set_minor_formatter(NullFormatter())


def _is_far(limit: float, times: Iterable[float]) -> bool:
    """Whether the time limit lies so far above all times that its line would squeeze them into a corner."""
    slowest = max(filter(math.isfinite, times), default=0.0)
    return 0 < slowest * _FAR < limit


def _limit_line(axes: Axes, group: GroupSummary, times: Iterable[float], *, all_answered: bool) -> bool:
    """Draw the time limit, unless all was answered long before it; whether it is drawn."""
    if all_answered and _is_far(group.limit, times):
        return False
    axes.axhline(group.limit, color=GREY, linewidth=0.8, linestyle="--")
    return True


def _legend(
    figure: Figure,
    styles: Mapping[str, Style],
    entries: Iterable[tuple[str, str]],
    title: str | None = None,
    *,
    limit: bool,
    unanswered: bool = False,
) -> None:
    """The backends, and what else there is in sight, right of the axes."""
    handles = [
        Line2D(
            [],
            [],
            color=styles[backend].colour,
            marker=styles[backend].marker,
            markersize=4.5,
            linewidth=1.3,
            label=words,
        )
        for backend, words in entries
    ]
    if unanswered:
        handles.append(
            Line2D([], [], color=GREY, marker="o", markersize=4.5, fillstyle="none", linestyle="", label="not answered")
        )
    if limit:
        handles.append(Line2D([], [], color=GREY, linewidth=0.8, linestyle="--", label="time limit"))
    left = 1 - (_LEGEND_WIDTH - 0.05) / figure.get_figwidth()
    figure.legend(
        handles=handles,
        title=title,
        loc="center left",
        bbox_to_anchor=(left, 0.5),
        frameon=False,
        fontsize=8,
        title_fontsize=8,
    )


def calls_plot(curve: Mapping[int, NDArray[np.int64]], order: int) -> Figure:
    """The plot of a course report: the calls until n tours, for each n those of every start, on a board of ``order``
    squares.

    The line is the mean over all starts, the band around it goes from the luckiest start to the unluckiest, and the
    dashed line is the least that any search could do: the first tour's squares and one call for each further tour.
    """
    figure = new_figure(6.2, 4.2)
    axes = figure.add_axes((0.12, 0.13, 0.84, 0.8))
    tours = np.array(list(curve))
    calls = list(curve.values())
    colour = BLUE
    mean = [float(some.mean()) for some in calls]
    least, most = [int(some.min()) for some in calls], [int(some.max()) for some in calls]
    axes.fill_between(tours, least, most, color=colour, alpha=0.18, linewidth=0)
    axes.plot(tours, mean, color=colour, marker="o", markersize=4, linewidth=1.3)
    axes.plot(tours, order + tours - 1, color=GREY, linewidth=0.9, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tours found, n")
    axes.set_ylabel("calls until then, f(n)")
    _plain(axes)
    left, middle, right = (len(tours) * fifths // 5 for fifths in (2, 3, 4))
    _beside(axes, "mean over\nall starts", (tours[middle], mean[middle]), (9, -21), colour)
    _beside(axes, "from the luckiest start\nto the unluckiest", (tours[left], most[left]), (-12, 0), colour, ha="right")
    _beside(axes, f"{order} + n − 1", (tours[right], order + tours[right]), (0, -16), GREY)
    return figure


def _beside(
    axes: Axes, words: str, point: tuple[float, float], offset: tuple[float, float], colour: str, ha: str = "left"
) -> None:
    """Words in the colour of the line that they name."""
    axes.annotate(words, point, offset, textcoords="offset points", color=colour, ha=ha)
