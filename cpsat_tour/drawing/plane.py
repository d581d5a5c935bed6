"""All layers of a space side by side in one rectangle of squares, which is what drawings draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Ints, Layer, Space


@dataclass(frozen=True, eq=False)
class LayerPlace:
    """A layer, and where its top left square lies in the plane."""

    layer: Layer
    top: int
    left: int


@dataclass(frozen=True, eq=False)
class Plane:
    """``grid`` has the vertex at each row and column, -1 where there is none; ``where`` the row and column of each
    vertex."""

    grid: Ints
    where: Ints
    frames: tuple[LayerPlace, ...]


def check_drawable(space: Space) -> None:
    """Raise `BadInput` where the vertices have no places in rows and columns."""
    if not space.layers():
        raise BadInput(f"can't draw {space.called()}: its {space.nouns[1]} have no places in rows and columns")


def laid_out(space: Space, gap: int) -> Plane:
    """The layers, of which there must be some, from the left to the right, so many squares between two of them.

    Each stands a row lower than the one before, or else most moves between layers would lie on each other.
    """
    layers = space.layers()
    rows, cols = (max(layer.cells.shape[axis] for layer in layers) for axis in (0, 1))
    grid = np.full((rows + len(layers) - 1, len(layers) * (cols + gap) - gap), -1, dtype=np.int32)
    frames = tuple(LayerPlace(layer, place, place * (cols + gap)) for place, layer in enumerate(layers))
    for frame in frames:
        height, width = frame.layer.cells.shape
        grid[frame.top : frame.top + height, frame.left : frame.left + width] = frame.layer.cells
    where = np.empty((len(space), 2), dtype=np.int32)
    where[grid[grid >= 0]] = np.argwhere(grid >= 0)
    return Plane(grid, where, frames)
