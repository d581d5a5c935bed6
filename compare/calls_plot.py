"""The plot of a course report: calls until n tours are found, against n, on logarithmic axes.

The line is the mean over all starts, the band around it goes from the luckiest start to the unluckiest, and the dashed line is the least
that any search could do: the first tour's squares and one call for each further tour.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cpsat_tour.compare.figures import new_figure
from cpsat_tour.compare.style import GREY, look


def calls_plot(curve: Mapping[int, NDArray[np.int64]], order: int) -> Figure:
    """The figure for the calls until n tours, for each n those of every start, on a board of ``order`` squares."""
    figure = new_figure(6.2, 4.2)
    axes = figure.add_axes((0.12, 0.13, 0.84, 0.8))
    tours = np.array(list(curve))
    calls = list(curve.values())
    colour = look("dfs").colour
    mean = [float(some.mean()) for some in calls]
    least, most = [int(some.min()) for some in calls], [int(some.max()) for some in calls]
    axes.fill_between(tours, least, most, color=colour, alpha=0.18, linewidth=0)
    axes.plot(tours, mean, color=colour, marker="o", markersize=4, linewidth=1.3)
    axes.plot(tours, order + tours - 1, color=GREY, linewidth=0.9, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tours found, n")
    axes.set_ylabel("calls until then, f(n)")
    axes.grid(True, which="major", linewidth=0.4, color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    left, middle, right = (len(tours) * fifths // 5 for fifths in (2, 3, 4))
    _beside(axes, "mean over\nall starts", (tours[middle], mean[middle]), (9, -21), colour)
    _beside(axes, "from the luckiest start\nto the unluckiest", (tours[left], most[left]), (-12, 0), colour, ha="right")
    _beside(axes, f"{order} + n − 1", (tours[right], order + tours[right]), (0, -16), GREY)
    return figure


def _beside(axes: Axes, words: str, point: tuple[float, float], offset: tuple[float, float], colour: str, ha: str = "left") -> None:
    """Words in the colour of the line that they name."""
    axes.annotate(words, point, offset, textcoords="offset points", color=colour, ha=ha)
