"""Decomposes a graph into closed tours: all its moves in disjoint ones, or as many disjoint ones as there are.

Each closed tour makes two of the moves at every vertex, or one out of it and one into it. So a decomposition needs the
same even number of moves at all vertices, and no more tours are possible than the vertex with the fewest allows. For
the most, one tour is sought, then two, and so on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, TourFault
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem, Refutation, Work
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import UNLIMITED, Limits, OnEvent, Run
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical, verify_disjoint
from cpsat_tour.engines.registry import DISJOINT, load, load_class
from cpsat_tour.engines.runner import answer_without_search, conclude, run as answer_to
from cpsat_tour.formats.describe import input_data, plural
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Routes, in_short

MAX_COLOURED = 1 << 22
"""The most moves, each counted once for every tour that may make it: some gigabytes of clauses."""


@dataclass(frozen=True)
class Decomposition:
    """Disjoint closed tours of a graph; true if they are what was asked for.

    - ``tours`` (`Routes`): the tours found, verified: no two make the same move.
    - ``most`` (bool): whether as many as possible were asked for, and not all moves.
    - ``bound`` (int): no more tours are possible.
    - ``refutation`` (a refutation, or None): why there is no decomposition, or there are no more tours.
    - ``stopped_by`` (str, or None): the limit that ended the search first.
    - ``work`` (a dict): the counters of the search.
    - ``seconds`` (float): the wall time that the search took, in seconds.
    """

    tours: Routes
    most: bool
    bound: int
    refutation: Refutation | None = None
    stopped_by: str | None = None
    work: Work = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def status(self) -> str:
        """The outcome: ``tours``, ``none`` or ``unknown``."""
        return "unknown" if self.stopped_by else "tours" if self.tours else "none"

    def __bool__(self) -> bool:
        return self.status == "tours"

    def __repr__(self) -> str:
        known = f"stopped by {self.stopped_by}" if self.stopped_by else self.refutation and in_short(self.refutation)
        return f"<Decomposition: {self.words}{f', {known}' if known else ''}>"

    def data(self) -> dict[str, Any]:
        """Return the JSON object that ``--json`` prints for the decomposition."""
        return {
            "problem": problem_data(Problem(self.tours.graph, closed=True)),
            **input_data(self.tours.graph),
            "status": self.status,
            "tours": self.tours.data(),
            "most": self.most,
            "bound": self.bound,
            "refutation": self.refutation and {"kind": self.refutation.kind, "reason": self.refutation.reason},
            "stopped_by": self.stopped_by,
            "seconds": round(self.seconds, 6),
            "work": dict(self.work),
        }

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the tours to ``path`` as `Routes.save` does, with ``force`` also over a file. A .json or .txt file says
        that they are a decomposition."""
        self.tours.save(path, self.data(), force=force)

    @property
    def words(self) -> str:
        """The outcome in words: ``4 closed tours with all moves of the 5x5 torus``."""
        called, number = self.tours.graph.called, len(self.tours)
        if not self.most:
            return (
                f"{plural(number, 'closed tour')} with all moves of {called}"
                if number
                else f"none {'found ' * bool(self.stopped_by)}of {called}"
            )
        bound = f" of at most {self.bound}" if number < self.bound else ""
        return f"{plural(number, 'disjoint closed tour')}{bound} of {called}"


def disjoint_tours(
    problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None, *, most: bool = False
) -> Decomposition:
    """Split the moves of a graph into closed tours that share no move; with ``most`` find as many as possible.

    Return the `Decomposition` that is found within the limits; `BadInput` if the problem has more than its graph, or is
    too large. On Ctrl-C `Interrupted` with the `Decomposition` so far."""
    graph, asked = problem.graph, (problem.require, problem.forbid, problem.timed, problem.symmetry)
    if any(asked) or not problem.start is problem.end is None:
        raise BadInput(f"{graph.called} is decomposed as it is: leave out starts, ends and conditions on its tours")
    run = Run(limits, limits.clock(), on_event, cycle=to_cycle(Problem(graph, closed=True)))
    search = _Search(run, most)
    return conclude(run, search.find, search.result)


class _Search:
    """The disjoint tours found so far, a bound on their number, and the reason why there are no more, None as long as
    there may be."""

    def __init__(self, run: Run, most: bool) -> None:
        self._run, self._most, self._closed = run, most, run.cycle.source
        self.tours: list[Ints] = []
        self.bound = self._closed.graph.size
        self.why: Refutation | None = None

    def find(self) -> None:
        """Find a decomposition or, if the most tours are sought, one tour, two, and so on. `StoppedEarly` at a
        limit."""
        graph, run = self._closed.graph, self._run
        self.bound, reason = _by_degrees(graph, most=self._most)
        by_degrees = Refutation("condition", reason) if reason else None
        if (reason and not self._most) or (self._most and not self.bound):
            self.why = by_degrees
            return
        if (decided := answer_without_search(self._closed, run.limits)) is not None:
            self.tours = [] if decided.tour is None else [decided.tour.vertices]  # of two vertices
            self.bound, self.why = len(self.tours), decided.refutation or by_degrees
            return
        if self.bound * graph.size > MAX_COLOURED:
            raise BadInput(f"{graph.called} is too large: {graph.size:,} moves in up to {self.bound:,} tours")
        for number in range(1 if self._most else self.bound, self.bound + 1):
            found = load_class(DISJOINT)(number).find(run)
            if isinstance(found, Refutation):
                if number == 1:  # no tour at all: `auto` has a reason that can be checked
                    left = replace(run.limits, seconds=run.clock.left)
                    found = answer_to(self._closed, load("auto"), left).refutation or found
                self.bound, self.why = number - 1, found
                return
            self.tours = found
        self.why = by_degrees

    def result(self, stopped_by: str | None = None) -> Decomposition:
        """Return the `Decomposition` found so far, verified and in canonical form."""
        graph = self._closed.graph
        rows = sorted((canonical(self._closed, tour) for tour in self.tours), key=np.ndarray.tolist)
        try:
            verify_disjoint(graph, rows, whole=bool(rows) and not self._most)
        except TourFault as fault:
            raise BackendFault(f"the search for disjoint tours came to wrong ones: {fault}") from fault
        routes, run = Routes(graph, True, tuple(rows)), self._run
        return Decomposition(routes, self._most, self.bound, self.why, stopped_by, run.work, run.clock.seconds)


def _by_degrees(graph: Graph, *, most: bool) -> tuple[int, str]:
    """Return how many disjoint closed tours the degrees allow, and a sentence that says why no more.

    Unless ``most`` is set, the sentence says why the tours can't make all moves; it is empty if they can.
    """
    if not graph.order:
        return 0, "a graph without vertices has no tour"
    ways = np.concatenate([graph.degrees, graph.reversed.degrees])
    sides, share, word = ((" out of it", " into it"), 1, "one") if graph.directed else (("", ""), 2, "two")
    (few, least), (many, greatest) = ((int(at), int(ways[at])) for at in (ways.argmin(), ways.argmax()))
    one, other = (
        f"{graph.name(at % graph.order)} has {'no moves' if number == 0 else plural(number, 'move')}"
        f"{sides[at // graph.order]}"
        for at, number in ((few, least), (many, greatest))
    )
    if most or (least == greatest and least % share):
        return least // share, f"{one}, and a closed tour needs {word}"
    unlike = f"{one} and {other}, and each closed tour makes {word} of either"
    return least // share, unlike if least < greatest else ""
