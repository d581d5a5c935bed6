"""From a problem to a certificate that it has no tour, or to a tour.

The prover tries what a person would, then the degrees, the subtour linear program, and the clausal search with the cut
sets that the program found. After the program's first rounds, which refute nearly all boards without a tour, comes a
short search for a tour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import UNLIMITED, Clock, Limits, OnEvent, Watch
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical, two_factor_cycles
from cpsat_tour.proofs.write.combination import Combination, refutation_by_degrees, refutation_by_hand
from cpsat_tour.proofs.write.veripb import ClausalProof, CycleRows, Version, Vertices
from cpsat_tour.tour import Answer, decide_degenerate

if TYPE_CHECKING:
    from cpsat_tour.proofs.write.certificate import Certificate

Method = Literal["auto", "lp", "sat"]

LARGE = 5000
"""The number of edges from which on a sparse graph gets a quick clausal search before the linear program."""

FIRST_ROUNDS = 3
FIRST_CONFLICTS = 20_000

MAX_SHORTENED = 2000
"""The most edges of a graph whose refutation by degrees is shortened to the least multipliers; beyond, that takes
seconds."""


@dataclass(frozen=True)
class Proof:
    """The backend that proves that there is no tour; its refutations have certificates. It finds a tour only on the
    way."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "symmetry"})
    unit: ClassVar[str] = "conflicts"

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return ``none`` with a certificate, a tour, or ``unknown``."""
        found = prove(problem, "auto", limits, on_event)
        return found if isinstance(found, Answer) else Answer("none", refutation=found.refutation)


@dataclass(frozen=True)
class Certified:
    """The backend that proves that there is no tour and runs the checker on the proof; `agree` asks it to back a
    claim."""

    takes: ClassVar[frozenset[str]] = frozenset({"symmetry"})

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return ``none`` with a certificate that the checker accepted, a tour, or ``unknown``."""
        found = prove_and_check(problem, "auto", limits, on_event)
        if isinstance(found, Answer):
            return found
        reason = f"a certificate of {found.steps} steps, checked"
        return Answer.without_tour(found.method, reason, {"steps": found.steps})


def prove_and_check(
    problem: Problem,
    method: Method,
    limits: Limits,
    on_event: OnEvent | None = None,
    *,
    counted: bool = False,
    to: tuple[str, Version, bool] | None = None,
) -> Certificate | Answer:
    """Return a certificate that there is no tour and that the checker has accepted; or an answer if there is a tour, or
    a limit came first.

    With ``counted`` the certificate says how many tours there are. It is written ``to`` a folder, in a version, with a
    theorem for Rocq or without, whatever is there.
    """
    clock = limits.clock()
    outcome: Certificate | Answer | None = None
    try:
        if counted:
            from cpsat_tour.proofs.write.tour_certificates import prove_count  # PySAT takes a while to load

            if method != "auto":
                raise BadInput(f"a count has one method: leave out the method {method}")
            outcome = prove_count(problem, limits, on_event)
        if outcome is None:
            outcome = prove(problem, method, replace(limits, seconds=clock.left), on_event)
        if isinstance(outcome, Answer):
            return outcome
        if to is None:
            outcome.check(clock, on_event)
        else:
            outcome.write(to[0], clock, on_event, to[1], rocq=to[2], force=True)
        return outcome
    except StoppedEarly as stopped:
        return Answer.stopped(stopped.limit)


def prove(
    problem: Problem, method: Method = "auto", limits: Limits = UNLIMITED, on_event: OnEvent | None = None
) -> Certificate | Answer:
    """Return a certificate that there is no tour; or an answer if there is a tour, or a limit came first.

    ``method`` forces the linear program (``lp``, unknown if it has a solution) or the clausal search (``sat``).
    ``limits.work`` bounds the conflicts of all searches together; if it is 0, ``auto`` leaves out the linear program,
    too.
    """
    clock, prover = limits.clock(), None
    try:
        prover = _Prover(CycleRows(problem, heartbeat=clock.check), limits.work, clock, on_event)
        if problem.graph.order <= 2 and (tiny := decide_degenerate(problem)) and tiny.tour is not None:
            return prover.answer(tiny.tour.vertices)  # the rows say nothing of it, for it is no cycle
        found: Certificate | Answer = getattr(prover, method)()
        return found
    except StoppedEarly as stopped:
        return Answer.stopped(stopped.limit, prover.work if prover else {})


class _Prover:
    """A search for a proof: the counters of its parts, and the cut sets that later parts take over from earlier
    ones."""

    def __init__(self, cycle: CycleRows, conflicts: int | None, clock: Clock, on_event: OnEvent | None) -> None:
        self._cycle, self._conflicts, self._clock, self._on_event = cycle, conflicts, clock, on_event
        self._watches: list[Watch] = []
        self._known: list[Vertices] = []

    @property
    def work(self) -> dict[str, int]:
        """The counters of all parts, added up."""
        names = dict.fromkeys(name for watch in self._watches for name in watch.work)
        return {name: sum(watch.work.get(name, 0) for watch in self._watches) for name in names}

    def _watch(self, most: int | None = None) -> Watch:
        """Return the clock and counters for the next part of the run; the part may take at most ``most`` of the
        conflicts that are left."""
        left = None if self._conflicts is None else max(0, self._conflicts - self.work.get(Proof.unit, 0))
        conflicts = min((bound for bound in (most, left) if bound is not None), default=None)
        self._watches.append(Watch(Limits(work=conflicts), self._clock, self._on_event))
        return self._watches[-1]

    # --- the methods ---

    def auto(self) -> Certificate | Answer:
        """Try all methods in turn and return a certificate, or an answer with a tour; `StoppedEarly` at a limit.

        The turns are a quick refutation, the first rounds of the program, a short search for a tour, the other rounds,
        the clausal search.
        """
        if found := self.quick_refutation():
            return found
        if self._conflicts == 0:
            raise StoppedEarly("work")
        if LARGE < self._cycle.size <= 2 * self._cycle.order and (seen := self.short_search()):
            return seen  # at degrees of 3 and 4 clauses show soon what a large program takes long to show
        outcome, finished = self.run_rounds(FIRST_ROUNDS)
        if outcome or finished:
            return outcome or self.sat()
        clausal = self.short_search()
        if isinstance(clausal, Answer):
            return clausal
        try:
            return self.run_rounds()[0] or clausal or self.sat()  # the program's proof is the shorter one
        except StoppedEarly:
            if clausal is None:
                raise
            return clausal

    def lp(self) -> Certificate | Answer:
        """Try a quick refutation and the linear program alone; return a certificate or an answer, ``unknown`` if the
        program's solution is no tour.

        `StoppedEarly` when the time is over.
        """
        unknown = "a solution of the linear program: try --method sat"
        return self.quick_refutation() or self.run_rounds()[0] or Answer.stopped(unknown, self.work)

    def sat(self, most: int | None = None) -> Certificate | Answer:
        """Run the clausal search and return an answer with a tour, or the certificate that there is none;
        `StoppedEarly` after ``most`` conflicts of either solver, or at another limit."""
        from cpsat_tour.proofs.write.clausal import find_cycle_or_refute  # PySAT takes a while to load

        found = find_cycle_or_refute(self._cycle, self._known, partial(self._watch, most))
        return self.answer(self._cycle.tour(found)) if isinstance(found, np.ndarray) else self._certificate(found)

    # --- their parts ---

    def quick_refutation(self) -> Certificate | None:
        """Return a refutation that a person would try, or one by degrees alone; None if neither is found.
        `StoppedEarly` when the time is over."""
        if found := refutation_by_hand(self._cycle, self._clock.check):
            return self._certificate(found)
        found = refutation_by_degrees(self._cycle)
        if found is not None and self._cycle.size <= MAX_SHORTENED:
            from cpsat_tour.proofs.write.subtour_lp import shorten

            found = shorten(self._cycle, found, self._clock)
        return None if found is None else self._certificate(found)

    def short_search(self) -> Certificate | Answer | None:
        """Return the certificate, or the answer with a tour, that the clausal search finds with few conflicts; None if
        a limit is met first."""
        try:
            return self.sat(FIRST_CONFLICTS)
        except StoppedEarly:
            return None

    def run_rounds(self, most: int | None = None) -> tuple[Certificate | Answer | None, bool]:
        """Run at most ``most`` rounds of the linear program; return the certificate or the answer with a tour, None
        without either, and True if the program is finished.

        `StoppedEarly` when the time is over.
        """
        from cpsat_tour.proofs.write.subtour_lp import run_program  # OR-Tools takes a while to load

        found, finished = run_program(self._cycle, self._known, self._watch(), most)
        if isinstance(found, Combination):
            return self._certificate(found), finished
        if found is None or self._cycle.problem.symmetry is not None:
            return None, finished
        cycle = self._cycle
        (tour,) = two_factor_cycles(cycle.order, cycle.tails[found], cycle.heads[found], directed=False)
        return self.answer(cycle.tour(tour)), finished

    def _certificate(self, found: Combination | ClausalProof) -> Certificate:
        """Return the certificate that has this proof."""
        from cpsat_tour.proofs.write.certificate import Certificate  # with all that checks and draws one

        return Certificate(self._cycle, found)

    def answer(self, vertices: Ints) -> Answer:
        """Return the answer with this tour, after verifying it."""
        problem = self._cycle.source
        found = Answer.with_tour(problem, canonical(problem, vertices), self.work).verified(problem)
        return replace(found, seconds=self._clock.seconds, backend="prove")
