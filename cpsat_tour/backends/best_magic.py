"""Magic tours: tours whose lines add up alike; all of them listed, or one of squares and diamonds found.

A magic tour is a numbering: a closed tour is magic from some of its squares at most. Numbered backwards, each number p
of n becomes n + 1 - p, so that every line that added up right still does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.best_run import BestRun, Goal, Settled
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import StoppedEarly, TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.formats.describe import asked
from cpsat_tour.spaces.magic import KINDS, Magic

SLICE = 100_000
"""Rings entered between two looks at the clock."""


@dataclass(frozen=True, eq=False)
class MagicGoal(Goal):
    """A tour of the problem whose lines of this kind add up alike; the value of one is 0."""

    problem: Problem
    magic: Magic

    objective = "magic"
    maximize = False

    @property
    def name(self) -> str:
        """``closed tour of the 8x8 board with magic rows and columns``."""
        return f"{asked(self.problem)} with magic {' and '.join(KINDS[self.magic.kind])}"

    @property
    def sought(self) -> str:
        """The same."""
        return self.name

    def words(self, value: int) -> str:  # noqa: ARG002
        """What the lines add up to."""
        return self.magic.words

    def decided(self) -> Answer | None:
        """None where there is no tour at all, or parity forbids a magic one."""
        if (known := super().decided()) is None and (reason := self.magic.refusal()) is not None:
            return Answer.without_tour("condition", reason)
        return known

    def value(self, vertices: Ints) -> int:
        """0 for a magic tour, numbered from its first vertex; `TourFault` for another."""
        verify(self.problem, vertices)
        if fault := self.magic.fault(np.asarray(vertices)):
            raise TourFault(fault)
        return 0

    def canonical(self, vertices: Ints) -> Ints:
        """The numbering as it is."""
        return vertices


def list_numberings(run: BestRun[MagicGoal]) -> Settled:
    """List all tours and count the numberings that are magic, or find one by the time that a limit is met; work is
    ``positions``, with a symmetry ``branchings``."""
    from cpsat_tour.native.dfs import Dfs  # a compiler takes a while to load
    from cpsat_tour.native.edges import Edges

    attained = 0
    try:
        for tours in run.listing(Dfs() if run.goal.problem.symmetry is None else Edges(), "the list of tours"):
            for numbers in _numberings(run.goal.problem, tours):
                magic = numbers[run.goal.magic.are_magic(numbers)]
                attained += len(magic)
                if len(magic) and run.best is None:
                    run.found(np.argsort(magic[0]).astype(np.int32))
    except StoppedEarly:
        if run.best is None:
            raise
        return Settled("exhausted", "it is magic")
    return Settled("exhausted", f"all {run.work['tours']:,} tours were listed", attained)


def _numberings(problem: Problem, tours: Ints) -> Iterator[NDArray[np.int64]]:
    """The numbers of all vertices in each numbering of tours in canonical form: of a closed tour without a start those
    from each of its vertices; in both directions where no end says which."""
    order, closed = tours.shape[1], problem.closed
    places = np.argsort(tours, axis=1)
    one_way = problem.end is not None or (problem.start is not None and not closed)
    for first in range(order if closed and problem.start is None else 1):
        yield (places - first) % order + 1
        if not one_way:
            yield (first - places) % order + 1 if closed else order - places


def join_rings(run: BestRun[MagicGoal]) -> Settled:
    """One tour of squares and diamonds (`cpsat_tour.native.rings`), for plain questions; `StoppedEarly` where it finds
    none, which says nothing of other tours."""
    from cpsat_tour.native.rings import (  # a compiler takes a while to load
        FINISHED,
        NODES,
        new_ring_state,
        search_rings,
    )

    goal, problem = run.goal, run.goal.problem
    plain = not (problem.require or problem.forbid or problem.symmetry) and problem.start is None is problem.end
    random = np.random.default_rng(run.limits.seed)
    state = new_ring_state(problem.graph, goal.magic.cells, random) if plain else None
    if state is None or "diagonals" in goal.magic.families:
        raise StoppedEarly("what rings looks for: semimagic tours of boards of 4a by 4b, with nothing else asked")
    while run.best is None:
        if search_rings(state, SLICE):
            path = state.path.ravel()
            if not problem.closed or problem.graph.has_arc(int(path[-1]), int(path[0])):
                run.found(path)
            continue
        run.work["rings"] = int(state.counters[NODES])
        if state.counters[FINISHED]:
            raise StoppedEarly("what rings looks for: no such tour is made of squares and diamonds")
        if run.budget is not None and state.counters[NODES] >= run.budget:
            raise StoppedEarly("work")
        run.heartbeat()
    return Settled("exhausted", "it is magic")
