"""The plot of a course report: calls until n tours are found, against n, on logarithmic axes.

The line is the mean over all starts, the band around it goes from the luckiest start to the unluckiest, and the dashed line is the least
that any search could do: the first tour's squares and one call for each further tour.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from .figures import new_figure
from .style import GREY, look


def calls_plot(curve: Mapping[int, NDArray[np.int64]], order: int) -> Figure:
    """The figure for the calls until n tours, for each n those of every start, on a board of ``order`` squares."""
    figure = new_figure(6.2, 4.2)
    axes = figure.add_axes((0.12, 0.13, 0.84, 0.8))
    tours = np.array(list(curve))
    calls = list(curve.values())
    colour = look("dfs").colour
    mean = [float(some.mean()) for some in calls]
    axes.fill_between(tours, [some.min() for some in calls], [some.max() for some in calls], color=colour, alpha=0.18, linewidth=0)
    axes.plot(tours, mean, color=colour, marker="o", markersize=4, linewidth=1.3)
    axes.plot(tours, order + tours - 1, color=GREY, linewidth=0.9, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("tours found, n")
    axes.set_ylabel("calls until then, f(n)")
    axes.grid(True, which="major", linewidth=0.4, color="#dddddd")
    axes.set_axisbelow(True)
    last = len(tours) - 1
    axes.annotate(
        "mean over all starts", (tours[last * 2 // 3], mean[last * 2 // 3]), (-8, 12), textcoords="offset points", ha="right", color=colour
    )
    axes.annotate(f"{order} + n − 1", (tours[last * 3 // 4], order + tours[last * 3 // 4]), (10, -12), textcoords="offset points", color=GREY)
    return figure
