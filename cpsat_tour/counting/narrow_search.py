"""A tour, or that there is none, by the frontier method: whatever its length, a narrow graph is decided in time linear in its vertices.

The states of `cpsat_tour.counting.frontier`, without their counts: the sets of states of all steps are kept, and when a cycle through all
vertices has closed it is read off backwards, each state from one that it comes from (Sekine, Imai & Tani 1995; Held & Karp 1962 for
the way back). Vertices are taken in a narrow order (`cpsat_tour.counting.narrow`).

Where a step has more states than are kept, some drawn at random go on: a *beam* (Lowerre 1976), by which a tour may be found but nothing is
refuted. If it fails, a beam `WIDER` times as wide is next, until all states are kept, or they would take more than `MAX_BYTES`.

Limits: undirected graphs, with at most 21 vertices in the frontier and beside it; what can't be kept is told as a limit. One tour, no lists.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem, two_factor_cycles
from cpsat_tour.core.run import Run
from cpsat_tour.counting.cycles import Edge, cycles_in
from cpsat_tour.counting.frontier import TooLarge
from cpsat_tour.counting.frontier_kernel import MOST_PLACES, Longs, SweepStep, Words
from cpsat_tour.counting.narrow import narrow_order
from cpsat_tour.counting.narrow_kernel import CLOSED, successors
from cpsat_tour.counting.plan import FrontierPlan

FIRST_BEAM = 1 << 12
WIDER = 8
MAX_BYTES = 1 << 30
STATE_BYTES = 8

MAX_STATES = 10**10
"""With more to be expected than these, which take hours, nothing is begun."""

MAX_ROWS = 1 << 16
"""Successors that a call of the kernel has room for: some milliseconds."""


@dataclass(frozen=True)
class Frontier:
    """A tour by the frontier method, or that there is none."""

    takes: ClassVar[frozenset[str]] = frozenset()

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """One cycle, if there is any; work is counted in states."""
        run.work = {"states": 0, "sweeps": 0}
        with announced(run.tell):
            plan = narrow_plan(run)
            steps, beam = plan.steps(), FIRST_BEAM
            while True:
                run.work["sweeps"] += 1
                sweep = _Sweep(run, steps, beam)
                if sweep.reaches_a_cycle():
                    yield _cycle(run.cycle, sweep.edges(plan))
                    raise StoppedEarly("one tour, for it lists no others")
                if sweep.whole:
                    return Refutation("exhausted", f"the frontier method went through all states: {run.work['states']:,}")
                beam *= WIDER


def narrow_plan(run: Run) -> FrontierPlan:
    """The narrowest order that is found; `TooLarge` where it is not narrow enough, `StoppedEarly` where the limit on work is out of reach."""
    cycle = run.cycle
    indptr, edges = cycle.incidence
    heads = cycle.tails[edges] + cycle.heads[edges] - np.repeat(np.arange(cycle.order, dtype=np.int32), np.diff(indptr))
    run.heartbeat()
    vertices, states = narrow_order(indptr, heads, MOST_PLACES - 1)
    if states < MAX_STATES:
        if run.limits.work is not None and states > run.limits.work:
            raise StoppedEarly("work")
        plan = FrontierPlan(cycles_in(cycle, run.clock), tuple(vertices.tolist()), clock=run.clock)
        if plan.width <= MOST_PLACES:
            return plan
    raise TooLarge(f"the frontier is too wide for the frontier method here: it has some {MOST_PLACES} vertices at once, or more")


class _Sweep:
    """One run through the steps; ``states`` has the set of states before each, ``whole`` says whether none of them was left out."""

    def __init__(self, run: Run, steps: Sequence[SweepStep], beam: int) -> None:
        self._run, self._steps, self._beam = run, steps, beam
        self._chance = np.random.default_rng(run.limits.seed)
        self._bytes = 0
        self.states: list[Words] = [np.zeros(1, dtype=np.uint64)]
        self.whole = True

    def reaches_a_cycle(self) -> bool:
        """Go through the steps until a cycle through all vertices closes or no states are left."""
        for step in self._steps:
            after = self._after(step)
            if not len(after):
                return False
            if after[-1] == CLOSED:
                return True
            if len(after) > self._beam:
                self.whole = False
                after = np.sort(self._chance.choice(after, self._beam, replace=False))
            self._bytes += after.nbytes
            if self._bytes > MAX_BYTES:
                raise TooLarge(f"the states of the frontier method need more than {MAX_BYTES >> 20} MiB")
            self.states.append(after)
        return False

    def _after(self, step: SweepStep) -> Words:
        """The states after the step, increasing."""
        found = [_distinct(fresh) for _, fresh, _ in self._successors(step, self.states[-1])]
        left = self._run.work_left("states")
        self._run.work["states"] += len(self.states[-1])
        if left is not None and left < len(self.states[-1]):
            raise StoppedEarly("work")
        return found[0] if len(found) == 1 else _distinct(np.concatenate(found))

    def _successors(self, step: SweepStep, states: Words) -> Generator[tuple[int, Words, Longs], None, None]:
        """The successors of some states at a time, with the first of these and the ways from them."""
        some = max(1, MAX_ROWS // len(step.choices))
        room = min(some, len(states)) * len(step.choices)
        fresh, ways = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int64)
        for begin in range(0, len(states), some):
            self._run.heartbeat()
            written = successors(step, states[begin : begin + some], fresh, ways)
            yield begin, fresh[:written], ways[:written]

    def edges(self, plan: FrontierPlan) -> list[Edge]:
        """The edges of a cycle that has closed, the last one's first."""
        edges: list[Edge] = []
        wanted = CLOSED
        for number in range(len(self.states) - 1, -1, -1):
            step, states = self._steps[number], self.states[number]
            for begin, fresh, ways in self._successors(step, states):
                if len(here := np.flatnonzero(fresh == wanted)):
                    row, choice = divmod(int(ways[here[0]]), len(step.choices))
                    wanted = states[begin + row]
                    edges += plan.chosen(number, int(step.choices[choice, 0]))
                    break
        return edges


def _distinct(states: Words) -> Words:
    """The states, increasing, each once; `numpy.unique` hashes them first, which takes three times as long."""
    ordered = np.sort(states)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def _cycle(cycle: CycleProblem, edges: list[Edge]) -> Ints:
    """The vertices of the cycle that these edges are."""
    tails, heads = np.array(edges, dtype=np.int32).T
    return two_factor_cycles(cycle.order, tails, heads, directed=False)[-1]
