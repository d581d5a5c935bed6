"""A formula in the making: clauses are counted where they are stated, and kept unless only the sizes are wanted.

Clauses are stated as arrays, so their shapes are enough to count them. A rule that has very many is stated *in pieces*:
its clauses are counted at once and made a piece at a time, or not at all. A formula that is kept is refused as soon as
it has more variables or clauses than it may, before those are made. A look at the clock comes after each array.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.run import Heartbeat, unwatched
from cpsat_tour.formats.formula import Clauses, Sizes

BATCH = 1 << 14
"""About as many clauses are instantiated at a time: it bounds the memory, and the time between two looks at the
clock."""

MAX_CLAUSES = 40_000_000
"""Larger formulas are not built: these take some 2 GB as arrays and in the solver."""


class StatedClauses:
    """The ``blocks`` of clauses of a formulation, called ``name``, stated so far; with ``kept`` false they are counted
    and forgotten."""

    def __init__(
        self, name: str, *, kept: bool = True, most: float = MAX_CLAUSES, heartbeat: Heartbeat = unwatched
    ) -> None:
        self.blocks: list[Clauses] = []
        self.sizes = Sizes()
        self._name, self._kept, self._most, self.heartbeat = name, kept, most, heartbeat

    def take(self, count: int) -> int:
        """Take so many fresh variables; the first of them."""
        first = self.sizes.variables + 1
        self._count(Sizes(variables=count))
        return first

    def add(self, clauses: Clauses) -> None:
        """State clauses of one length."""
        self._count(Sizes(0, len(clauses), clauses.size))
        self._keep(clauses)

    def add_in_pieces(self, counts: NDArray[np.integer], length: int, piece: Callable[[slice], Clauses]) -> None:
        """State ``counts[k]`` clauses of one length for each k; ``piece`` makes those of a slice of the k's."""
        total = int(counts.sum())
        self._count(Sizes(0, total, total * length))
        ends = np.cumsum(counts, dtype=np.int64)
        begin = 0
        while self._kept and begin < len(counts):
            before = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + BATCH, side="right")))
            clauses = piece(slice(begin, end))
            assert clauses.shape == (int(ends[end - 1]) - before, length)
            self._keep(clauses)
            begin = end

    def _count(self, more: Sizes) -> None:
        self.sizes += more
        if self._kept and max(self.sizes.variables, self.sizes.clauses) > self._most:
            what = "variables" if self.sizes.variables > self._most else "clauses"
            raise BadInput(
                f"the formula of {self._name} has more than {self._most:,} {what} here: choose sat, or another board"
            )

    def _keep(self, clauses: Clauses) -> None:
        if self._kept and len(clauses):
            self.blocks.append(clauses)
        self.heartbeat()


def runs(lengths: NDArray[np.integer], *literals: tuple[NDArray[np.integer], int]) -> Clauses:
    """Runs of ``lengths[k]`` clauses for each k; each literal begins a run with its value at k and grows by its step
    from clause to clause."""
    ends = np.cumsum(lengths)
    place = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    return np.stack([np.repeat(first, lengths) + step * place for first, step in literals], axis=1).astype(np.int32)
