"""Lines of graph6 answered by the thousand: which graphs have a Hamiltonian cycle or path, or another property that
searches for Hamiltonian cycles decide.

The kernel is `bits.c`. An open tour is a closed one through a universal vertex. The other properties speak of what is
left when some vertices are deleted: one vertex (K1-hamiltonian), two adjacent ones (K2-hamiltonian; Zamfirescu 2021),
and for the circumference as many as it takes until a cycle is left.

Limits: 3 to 64 vertices, 63 for open tours. What is larger, is not a line of graph6, or takes more branchings than the
kernel's budgets, some milliseconds, is `LEFT`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.space import Bytes, Longs

LEFT, TOUR, NONE = range(3)  # the verdicts: left to others, there is a cycle, there is none

CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE = range(6)  # what is asked of a graph: a tour first

MAX_ORDER = 64

LEVEL_WORDS = 3 * MAX_ORDER + 3  # of the state at a branching, of which a search has one more than there are vertices


def answer_lines(
    text: bytes, starts: Longs, asked: int, length: int, verdicts: Bytes, branchings: Longs, tours: Bytes
) -> None:
    """Write the verdict on each line, its branchings and its tour, if one is asked for, into the last three arrays: on
    line ``i``, which is ``text[starts[i]:starts[i + 1] - 1]``, into row ``i``.

    ``asked`` says which property makes a graph one of verdict `TOUR`; ``length`` is the circumference that is asked
    for.
    """
    room = np.empty((MAX_ORDER + 1) * LEVEL_WORDS + MAX_ORDER, dtype=np.uint64)
    levels, neighbours = room[:-MAX_ORDER], room[-MAX_ORDER:]
    letters, lines = np.frombuffer(text, dtype=np.uint8), len(verdicts)
    bits_answer_lines(
        letters, starts, lines, asked, length, levels, neighbours, verdicts, branchings, tours, tours.shape[1]
    )


@kernel
def bits_answer_lines(
    text: Bytes,
    starts: Longs,
    lines: int,
    asked: int,
    length: int,
    levels: NDArray[np.uint64],
    neighbours: NDArray[np.uint64],
    verdicts: Bytes,
    branchings: Longs,
    tours: Bytes,
    row: int,
) -> int:
    """Answer the lines; return their number."""
