"""From a problem to a certificate that it has no tour, or to a tour.

First what a person would try, then the subtour linear program, then the clausal search with the cut sets that the program found. Between the
program's first rounds, which refute nearly all boards without a tour, and its others there is a quick look for a tour.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.registry import load_class
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.libraries import lacks
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import decide_degenerate, two_factor_cycles
from cpsat_tour.core.tour import Tour, canonical, verify
from cpsat_tour.proofs.write.by_hand import refutation_by_hand
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import search
from cpsat_tour.proofs.write.combination import LpOutcome
from cpsat_tour.proofs.write.rows import CycleRows, Vertices

Method = Literal["auto", "lp", "sat"]

FIRST_ROUNDS = 3
FIRST_CONFLICTS = 20_000


class LinearProgram(Protocol):
    """What this module wants of the backend that asks the linear program."""

    def ask(self, cycle: CycleRows, clock: Clock, cut_sets: Iterable[Vertices], on_event: OnEvent | None) -> LpOutcome:
        """What the program says, starting from these cut sets."""


def prove(
    problem: HamiltonProblem, method: Method = "auto", limits: Limits | None = None, on_event: OnEvent | None = None
) -> Certificate | Answer:
    """A certificate that there is no tour; or an answer: a tour, or unknown.

    ``method`` forces the linear program (``lp``, unknown where that has a solution) or the clausal search (``sat``). ``limits.work``
    bounds the conflicts of the clausal search. `BadInput` on directed graphs.
    """
    prover = _Prover(CycleRows.of(problem), limits or Limits(), on_event)
    return prover.tiny_tour() or (prover.by_hand() if method != "sat" else None) or prover.run(method)


class _Prover:
    """One run: the work of its parts, and the cut sets that the later ones take over from the earlier."""

    def __init__(self, cycle: CycleRows, limits: Limits, on_event: OnEvent | None) -> None:
        self._cycle, self._limits, self._on_event = cycle, limits, on_event
        self._clock = limits.clock()
        self._work: dict[str, int] = {}
        self._cut_sets: tuple[Vertices, ...] = ()
        self._lp_is_open = True

    def tiny_tour(self) -> Answer | None:
        """A tour of one or two vertices, which is no cycle through an apex."""
        decided = decide_degenerate(self._cycle.problem)
        return None if decided is None or decided.tour is None else self._answer(decided.tour.vertices)

    def by_hand(self) -> Certificate | None:
        """A plain refutation, if there is one."""
        found = refutation_by_hand(self._cycle)
        return None if found is None else Certificate(self._cycle, found)

    def run(self, method: Method) -> Certificate | Answer:
        """The program, a quick look for a tour, the rest of the program, the clausal search; or what the method asks for."""
        if method == "lp":
            return self.lp(None) or Answer.unknown("a solution of the linear program: try the clausal search", self._work)
        if method == "sat" or not _installed("ortools"):
            return self._sat(self._limits.work)
        found = self.lp(FIRST_ROUNDS)
        if found is not None or not self._lp_is_open:
            return found or self._sat(self._limits.work)
        look = self._sat(FIRST_CONFLICTS if self._limits.work is None else min(FIRST_CONFLICTS, self._limits.work))
        if isinstance(look, Answer) and look.status == "tour":
            return look
        found = self.lp(None)
        if isinstance(found, Certificate) or (isinstance(found, Answer) and found.status == "tour"):
            return found
        return look if isinstance(look, Certificate) else found or self._sat(self._limits.work)

    def lp(self, rounds: int | None) -> Certificate | Answer | None:
        """Ask the linear program; None where it has a solution that is no cycle, or more rounds would be needed."""
        outcome = linear_program(rounds).ask(self._cycle, self._clock, self._cut_sets, self._on_event)
        self._add(outcome.work)
        self._cut_sets = outcome.cut_sets
        self._lp_is_open = outcome.stopped_by == "rounds"
        if outcome.refutation is not None:
            return Certificate(self._cycle, outcome.refutation)
        if outcome.cycle_edges is not None:
            return self._tour(outcome.cycle_edges)
        return Answer.unknown("time", self._work) if outcome.stopped_by == "time" else None

    def _sat(self, conflicts: int | None) -> Certificate | Answer:
        if not _installed("pysat"):
            raise lacks("a clausal proof", "pysat")
        outcome = search(self._cycle, self._clock, self._cut_sets, conflicts, self._on_event)
        self._add(outcome.work)
        self._cut_sets = outcome.cut_sets
        if outcome.proof is not None:
            return Certificate(self._cycle, outcome.proof)
        if outcome.cycle_edges is not None:
            return self._tour(outcome.cycle_edges)
        return Answer.unknown(outcome.stopped_by or "", self._work)

    def _add(self, work: dict[str, int]) -> None:
        for name, number in work.items():
            self._work[name] = self._work.get(name, 0) + number

    def _tour(self, edges: NDArray[np.int64]) -> Answer:
        cycle, problem = self._cycle, self._cycle.problem
        (tour,) = two_factor_cycles(cycle.order, cycle.tails[edges], cycle.heads[edges], directed=False)
        if cycle.apex is not None:
            tour = np.roll(tour, -int(np.flatnonzero(tour == cycle.apex)[0]))[1:]
            if (problem.start is not None and tour[0] != problem.start) or (problem.end is not None and tour[-1] != problem.end):
                tour = tour[::-1]
        return self._answer(tour)

    def _answer(self, vertices: Ints) -> Answer:
        problem = self._cycle.problem
        tour = canonical(problem, vertices)
        verify(problem, tour)
        found = Tour(problem.graph, problem.closed, tour)
        return Answer("tour", found, work=self._work, seconds=self._clock.seconds, backend="prove")


def linear_program(rounds: int | None) -> LinearProgram:
    """The backend that asks the subtour linear program; `BadInput` where OR-Tools is not installed."""
    if not _installed("ortools"):
        raise lacks("a proof by linear programming", "ortools")
    kind = load_class("cpsat_tour.proofs.write.subtour_lp:SubtourLp")
    return cast("LinearProgram", kind() if rounds is None else kind(rounds))


def _installed(module: str) -> bool:
    return find_spec(module) is not None
