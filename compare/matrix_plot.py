"""The matrix of `agree` as a picture: a grid of boards for each kind of tour, and below it a small one for each
backend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from cpsat_tour.compare.agreement import Cell, Judged, Verdict, cells
from cpsat_tour.compare.boards import grid_place
from cpsat_tour.compare.figures import new_figure, save
from cpsat_tour.compare.matrix import cell_words, grid_sides
from cpsat_tour.compare.style import SHADES, label
from cpsat_tour.core.errors import BadInput

CELL = 0.62
"""Inches of a cell of a large grid."""

SMALL = 0.14
"""Inches of a cell of a small grid."""

MOST_CELLS = 40
"""The longest side of a grid that is drawn."""


def draw(judged: Sequence[Judged], path: Path) -> None:
    """Write the picture to the file; `BadInput` where the boards are too many for one, or only graph files were
    asked."""
    found = {(kind, board): cell for (kind, board), cell in cells(judged).items() if grid_place(board)}
    kinds = list(dict.fromkeys(kind for kind, _ in found))
    rows, cols = grid_sides([board for _, board in found])
    if not rows or max(len(rows), len(cols)) > MOST_CELLS:
        raise BadInput(
            f"can't draw {path}: the picture has room for boards of {MOST_CELLS} different heights and "
            "widths, and there are"
            f" {len(rows)} by {len(cols)}"
        )
    backends = list(dict.fromkeys(entry.run.backend for entry in judged))
    small_width, small_height = len(cols) * SMALL + 0.25, len(rows) * SMALL + 0.5
    width_of_kind = max(len(cols) * CELL + 0.6, 2 * small_width, 3.6)
    across = int(width_of_kind // max(small_width, 1.2))
    lines = -(-len(backends) // across)
    top, legend = len(rows) * CELL + 0.9, 0.5
    width, height = len(kinds) * width_of_kind + 0.2, top + lines * small_height + legend
    figure = new_figure(width, height)

    def place(left: float, up: float, wide: float, high: float) -> Axes:
        axes: Axes = figure.add_axes((left / width, 1 - (up + high) / height, wide / width, high / height))
        return axes

    for number, kind in enumerate(kinds):
        left = number * width_of_kind + 0.45
        axes = place(left, 0.65, len(cols) * CELL, len(rows) * CELL)
        axes.set_title(f"{kind} tours", fontsize=11, pad=22)
        _grid(axes, {board: cell for (its, board), cell in found.items() if its == kind}, rows, cols, words=True)
        for place_of, backend in enumerate(backends):
            line, column = divmod(place_of, across)
            its = cells(entry for entry in judged if entry.run.backend == backend and entry.run.kind == kind)
            small = place(
                left + column * max(small_width, 1.2),
                top + line * small_height + 0.25,
                len(cols) * SMALL,
                len(rows) * SMALL,
            )
            small.set_title(label(backend), fontsize=7, pad=2, loc="left")
            _grid(small, {board: cell for (_, board), cell in its.items()}, rows, cols, words=False)
    seen: list[Verdict] = [verdict for verdict in SHADES if any(entry.verdict == verdict for entry in judged)]
    figure.legend(
        handles=[Patch(facecolor=SHADES[verdict].fill, edgecolor="#888888", label=verdict) for verdict in seen],
        loc="lower center",
        ncols=len(seen),
        frameon=False,
        fontsize=8,
    )
    save(figure, path)


def _grid(axes: Axes, of_board: dict[str, Cell], rows: list[int], cols: list[int], *, words: bool) -> None:
    axes.set_xlim(0, len(cols))
    axes.set_ylim(len(rows), 0)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for y, row in enumerate(rows):
        for x, col in enumerate(cols):
            cell = of_board.get(f"{row}x{col}")
            if cell is None:
                continue
            shade = SHADES[cell.verdict]
            axes.add_patch(
                Rectangle((x, y), 1, 1, facecolor=shade.fill, edgecolor="white", linewidth=1.5 if words else 0.5)
            )
            if words:
                verdict, counts = cell_words(cell)
                axes.text(x + 0.5, y + 0.36, verdict, ha="center", va="center", fontsize=7, color=shade.ink)
                axes.text(x + 0.5, y + 0.67, counts, ha="center", va="center", fontsize=7, color=shade.ink)
    if words:
        axes.set_xticks([x + 0.5 for x in range(len(cols))], [str(col) for col in cols])
        axes.set_yticks([y + 0.5 for y in range(len(rows))], [str(row) for row in rows])
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelsize=8)
