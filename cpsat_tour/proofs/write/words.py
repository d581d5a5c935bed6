"""Words for numbers of things, lists of names, and sets of squares."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from cpsat_tour.core.space import Space


def place_of(space: Space, vertices: Collection[int]) -> str | None:
    """``light squares of the outer rows`` and the like, where the vertices of a board are just that."""
    where, dark = space.coordinates(), space.dark()
    if where is None or dark is None or len(space.layers()) != 1:
        return None
    chosen = set(vertices)
    lines = where[list(chosen)]
    for axis, side in enumerate(("rows", "files")):
        length = space.layers()[0].cells.shape[axis]
        here, outer = set(lines[:, axis].tolist()), {0, length - 1}
        place = "outer" if here == outer else "inner" if here == set(range(length)) - outer else None
        if length < 3 or place is None:
            continue
        there = np.isin(where[:, axis], list(here))
        for shade, word in ((np.True_, ""), (~dark, "light "), (dark, "dark ")):
            if set(np.flatnonzero(there & shade).tolist()) == chosen:
                return f"{word}{space.nouns[1]} of the {place} {side}"
    return None


def listed(given: Iterable[str], most: int = 8) -> str:
    """The names with commas and an and; of more than `most` the first ones and how many there are besides."""
    names = list(given)
    if len(names) <= most:
        return joined(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def joined(names: list[str]) -> str:
    """``a, b and c``."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + "".join(names[-1:])


def counted(number: int, what: str) -> str:
    """``1 cut set``, ``2 cut sets``, ``2 vertices``."""
    plural = "vertices" if what == "vertex" else f"{what}s"
    return f"{number} {what if number == 1 else plural}"
