"""A tour as text: the board, or one layer after the other, with the number of each square's visit and coordinates round it."""

from __future__ import annotations

from collections.abc import Callable

from cpsat_tour.core.space import Ints, Layer, Space
from cpsat_tour.drawing.plane import check_drawable

HOLE = "#"


def text(space: Space, vertices: Ints) -> str:
    """The layers as lines of aligned visit numbers from 1, holes as ``##``, with their rows' labels on both sides and the columns' above
    and below; `BadInput` where the space has no layers."""
    visits = dict(zip(vertices.tolist(), map(str, range(1, len(vertices) + 1)), strict=True))
    return framed(space, len(str(len(vertices))), lambda vertex: visits.get(vertex, HOLE))


def framed(space: Space, width: int, word: Callable[[int], str]) -> str:
    """The layers with a word in the place of each vertex, none longer than the width, which grows to that of the labels."""
    check_drawable(space)
    holes = any(int(layer.cells.min()) < 0 for layer in space.layers())
    width = max(width, 2 * holes, *(len(layer.col_labels[-1]) for layer in space.layers()))

    def cell(vertex: int) -> str:
        shown = HOLE if vertex < 0 else word(vertex)
        return (2 * HOLE if holes and shown == HOLE else shown).rjust(width)

    return "\n".join(_layer(layer, width, cell) for layer in space.layers())


def _layer(layer: Layer, width: int, cell: Callable[[int], str]) -> str:
    margin = max(map(len, layer.row_labels))
    header = " " * (margin + 2) + " ".join(label.rjust(width) for label in layer.col_labels)
    lines = [f"layer {layer.title}", header] if layer.title else [header]
    for label, row in zip(layer.row_labels, layer.cells.tolist(), strict=True):
        lines.append(f"{label.rjust(margin)}  {' '.join(map(cell, row))}  {label.rjust(margin)}")
    return "\n".join([*lines, header]) + "\n"
