"""The pictures of a group of runs, as Matplotlib figures and as files: SVG, PNG and PDF.

*Cactus* (from the SAT competitions): each backend's times in increasing order, so a curve that reaches further right
solves more, and one that lies lower is faster. *Growth*: times against vertices on logarithmic axes, on which a power
law is a straight line, a point for each question. Where all is answered, no line shows the limit.

Colours are from the palette of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart; a
marker besides tells backends apart where there are more than seven, and serves print without colour. They are dealt out
once for all pictures of some runs, in the order of their backends, so that a backend looks the same in each; no two of
the first seven share a colour, and no two of 70 look alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np

from cpsat_tour.compare.record import label
from cpsat_tour.compare.summary import SHORTEST, VIRTUAL_BEST, GroupSummary
from cpsat_tour.core.errors import BadInput, not_installed
from cpsat_tour.formats.files import check_place, write

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
    raise not_installed("a plot (the extra plot)", "matplotlib") from None

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

UNITS = {
    "seconds": "seconds",
    "solver": "seconds in the solver",
    "wall": "seconds of the whole process",
    "cpu": "processor seconds",
}


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
    figure, axes = _new_figure()
    styles = styles_of(group.known)
    curves = {
        backend: sorted(time for time in group.times(backend).values() if math.isfinite(time))
        for backend in (VIRTUAL_BEST, *group.backends)
    }
    for backend, times in curves.items():
        shown: dict[str, Any] = {"linewidth": 2.5, "alpha": 0.5} if backend == VIRTUAL_BEST else {"linewidth": 1.3}
        numbers, seconds = range(1, len(times) + 1), [max(time, SHORTEST) for time in times]
        axes.plot(numbers, seconds, **styles[backend], markersize=4, markevery=max(1, len(times) // 12), **shown)
    axes.set(xlabel=f"instances answered, of {len(group.instances)}", ylabel=f"{UNITS[group.measure]} for each")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    unanswered = any(len(curves[backend]) < len(group.instances) for backend in group.backends)
    ranked = sorted(curves, key=lambda backend: -len(curves[backend]))
    words = {backend: f"{label(backend)}  {len(curves[backend])}" for backend in ranked}
    return _finished(figure, axes, group, words, [LIMIT_LINE] * unanswered)


def growth(group: GroupSummary) -> Plot:
    """Return the plot of time against vertices, a point for each question: the median over its seeds.

    A line joins the points of each kind of tour, dashed for the second kind, unless several questions have the same
    number of vertices. Hollow marks at the limit are questions that were not answered.
    """
    figure, axes = _new_figure()
    styles = styles_of(group.known)
    for backend, (kind, dashes) in product(group.backends, zip(group.kinds, cycle(("-", "--")), strict=False)):
        medians = {question: of[backend] for question, of in group.medians.items() if backend in of}
        points = sorted((group.vertices[asked], medians[asked]) for asked in medians if asked.kind == kind)
        sizes, times = np.array(points).reshape(-1, 2).T
        shown = styles[backend] | {"markersize": 4.5}
        line = dashes if len({*sizes}) == len(sizes) else ""
        answered = np.where(np.isfinite(times), np.maximum(times, SHORTEST), np.nan)
        axes.plot(sizes, answered, linewidth=1.1, linestyle=line, **shown)
        axes.plot(sizes, np.where(np.isinf(times), group.limit, np.nan), fillstyle="none", linestyle="", **shown)
    _logarithmic(axes.xaxis)
    axes.set(xlabel="vertices", ylabel=f"{UNITS[group.measure]}, median")
    unanswered = any(math.isinf(time) for medians in group.medians.values() for time in medians.values())
    words = {backend: label(backend) for backend in group.backends}
    return _finished(figure, axes, group, words, [NOT_ANSWERED, LIMIT_LINE] * unanswered)


def styles_of(backends: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a colour and a marker for each backend, by its place among them.

    The virtual best is grey.
    """
    dealt = {
        backend: {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}
        for index, backend in enumerate(backends)
    }
    return {VIRTUAL_BEST: {"color": GREY, "marker": ""}, **dealt}


def _new_figure() -> tuple[Plot, Axes]:
    """Return a figure and its axes."""
    with mpl.rc_context(SETTINGS):
        figure = Plot(figsize=(6.8, 4.4), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        return figure, figure.subplots()


def _logarithmic(axis: Axis) -> None:
    """Make an axis logarithmic, with plain numbers at powers of ten.

    Between them there are numbers where there are few powers.
    """
    axis.axes.set(**{"xscale" if axis is axis.axes.xaxis else "yscale": "log"})
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,), numticks=30))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip(".")))
    axis.set_minor_formatter(NullFormatter())


def _finished(
    figure: Plot, axes: Axes, group: GroupSummary, words: Mapping[str, str], others: Sequence[dict[str, Any]]
) -> Plot:
    """Return the figure with its title, and times on a logarithmic axis, with the limit if that is among the
    ``others``; right of the axes stands a legend: the words for each backend, then the others."""
    if LIMIT_LINE in others:
        axes.axhline(group.limit, **LIMIT_LINE)
    _logarithmic(axes.yaxis)
    axes.set_title(group.name)
    styles = styles_of(group.known)
    backends = [
        {"markersize": 4.5, "linewidth": 1.3, "label": text} | styles[backend] for backend, text in words.items()
    ]
    handles = [Line2D([], [], **shown) for shown in (*backends, *others)]
    figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=8)
    return figure
