"""Lines of graph6 answered by the thousand: which graphs have a Hamiltonian cycle or path, or another property that
searches for Hamiltonian cycles decide.

The kernel is `bits.c`, whose rules are those of `edges`. When nothing more follows, a path is extended and rotated
(Pósa 1976) along the edges that are left, which finds a cycle in nine of ten cubic graphs of 20 vertices. Otherwise the
search branches on an edge at the end of a path that has the fewest left. An open tour is a closed one through a
universal vertex. The other properties speak of what is left when some vertices are deleted: one vertex
(K1-hamiltonian), two adjacent ones (K2-hamiltonian; Zamfirescu 2021), and for the circumference as many as it takes
until a cycle is left.

Limits: 3 to 64 vertices, 63 for open tours. What is larger, is not a line of graph6, or takes more branchings than the
kernel's budgets, some milliseconds, is `LEFT`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.space import Bytes, Longs

LEFT, TOUR, NONE = range(3)  # the verdicts: left to others, there is a cycle, there is none

CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE = range(6)  # what is asked of a graph: a tour first

MAX_ORDER = 64

BUDGET = 3000  # branchings of a search, at most: some milliseconds

PROPERTY_BUDGET = 1 << 16  # the same for all searches of one graph, of which each counts as one more branching

LEVEL_WORDS = 3 * MAX_ORDER + 3  # of the state at a branching, of which a search has one more than there are vertices


def answer_lines(
    text: bytes, starts: Longs, asked: int, length: int, verdicts: Bytes, branchings: Longs, tours: Bytes
) -> None:
    """Write the verdict on each line, its branchings and its tour, if one is asked for, into the last three arrays: on
    line ``i``, which is ``text[starts[i]:starts[i + 1] - 1]``, into row ``i``.

    ``asked`` says which property makes a graph one of verdict `TOUR`; ``length`` is the circumference that is asked
    for.
    """
    levels, neighbours = (np.empty(words, np.uint64) for words in ((MAX_ORDER + 1) * LEVEL_WORDS, MAX_ORDER))
    letters, lines, row = np.frombuffer(text, dtype=np.uint8), *tours.shape
    budget, room = BUDGET if asked <= OPEN else PROPERTY_BUDGET, (levels, neighbours)
    bits_answer_lines(letters, starts, lines, asked, length, budget, *room, verdicts, branchings, tours, row)


@kernel
def bits_answer_lines(
    text: Bytes,
    starts: Annotated[Longs, "lines+1"],
    lines: int,
    asked: int,
    length: int,
    budget: int,
    levels: Annotated[NDArray[np.uint64], "65*195"],
    neighbours: Annotated[NDArray[np.uint64], "64"],
    verdicts: Annotated[Bytes, "lines"],
    branchings: Annotated[Longs, "lines"],
    tours: Annotated[Bytes, "lines*row"],
    row: int,
) -> int:
    """Answer the lines; return their number."""


@kernel
def bits_fault(level: Annotated[NDArray[np.uint64], "195"], vertices: int) -> int:
    """Return the number of a broken sentence of the invariant of a level over a set of vertices, or 0."""


@kernel
def bits_is_cycle(
    neighbours: Annotated[NDArray[np.uint64], "order"], cycle: Annotated[Bytes, "order"], order: int
) -> int:
    """Return 1 if all vertices of the cycle are different, and each is joined to the next and the last to the first,
    else 0."""
