"""Decomposes a graph into closed tours: all its moves in disjoint ones, or as many disjoint ones as there are.

Each closed tour makes two of the moves at every vertex, or one out of it and one into it. So a decomposition needs the
same even number of moves at all vertices, and no more tours are possible than the vertex with the fewest allows. For
the most, one tour is sought, then two, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from cpsat_tour.backends.registry import DISJOINT, load, load_class
from cpsat_tour.backends.runner import answer_without_search, run as answer_to
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import UNLIMITED, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.refutation import Refutation, Work
from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical, verify_disjoint
from cpsat_tour.formats.describe import plural
from cpsat_tour.tour import Interrupted, Routes

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
        """``tours``, ``none`` or ``unknown``."""
        return "unknown" if self.stopped_by else "tours" if self.tours else "none"

    def __bool__(self) -> bool:
        return self.status == "tours"

    def __repr__(self) -> str:
        known = f"stopped by {self.stopped_by}" if self.stopped_by else self.refutation
        return f"<Decomposition: {self.words}{f', {known}' if known else ''}>"

    @property
    def words(self) -> str:
        """What is found, in words: ``4 closed tours with all moves of the 5x5 torus``."""
        called, number = self.tours.graph.called, len(self.tours)
        if not self.most:
            return f"{plural(number, 'closed tour')} with all moves of {called}" if number else f"none of {called}"
        bound = f" of at most {self.bound}" if number < self.bound else ""
        return f"{plural(number, 'disjoint closed tour')}{bound} of {called}"


Finding = tuple[list[Ints], int, Refutation | None]
"""Disjoint tours, a bound on their number, and why there are no more, or no decomposition; None if there may be."""


def disjoint_tours(
    problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None, *, most: bool = False
) -> Decomposition:
    """Return the `Decomposition` that is found within the limits; `BadInput` if the problem has more than its graph, or
    is too large. On Ctrl-C `Interrupted` with the `Decomposition` so far."""
    graph, asked = problem.graph, (problem.require, problem.forbid, problem.timed, problem.symmetry)
    if any(asked) or not problem.start is problem.end is None:
        raise BadInput(f"{graph.called} is decomposed as it is: leave out starts, ends and conditions on its tours")
    closed = Problem(graph, closed=True)
    run = Run(limits, limits.clock(), on_event, cycle=to_cycle(closed))
    found: Finding = [], graph.size, None

    def known(stopped_by: str | None = None) -> Decomposition:
        """Return what is known by now, verified and in canonical form."""
        tours, bound, why = found
        rows = sorted((canonical(closed, tour) for tour in tours), key=np.ndarray.tolist)
        try:
            verify_disjoint(graph, rows, whole=bool(rows) and not most)
        except TourFault as fault:
            raise BackendFault(f"the search for disjoint tours came to wrong ones: {fault}") from fault
        routes = Routes(graph, True, tuple(rows))
        return Decomposition(routes, most, bound, why, stopped_by, run.work, run.clock.seconds)

    try:
        for finding in _findings(run, most=most):
            found = finding
    except StoppedEarly as limit:
        return known(limit.limit)
    except KeyboardInterrupt:
        raise Interrupted(known("interrupt")) from None
    return known()


def _findings(run: Run, *, most: bool) -> Iterator[Finding]:
    """Yield what is found, step by step."""
    closed = run.cycle.source
    bound, reason = _by_degrees(closed.graph, most=most)
    why, tours = Refutation("condition", reason) if reason else None, list[Ints]()
    numbers = range(1, bound + 1) if most else range(0) if why else range(bound, bound + 1)
    yield tours, bound, None if numbers else why
    if numbers and (decided := answer_without_search(closed, run.limits)) is not None:
        tours, numbers = [] if decided.tour is None else [decided.tour.vertices], range(0)  # of two vertices
        yield tours, len(tours), decided.refutation or why
    if bound * closed.graph.size > MAX_COLOURED and numbers:
        raise BadInput(f"{closed.graph.called} is too large: {closed.graph.size:,} moves in up to {bound:,} tours")
    for number in numbers:
        found = load_class(DISJOINT)(number).find(run)
        if isinstance(found, Refutation):
            if number == 1:  # no tour at all: `auto` has a reason that can be checked
                left = replace(run.limits, seconds=run.clock.left)
                found = answer_to(closed, load("auto"), left).refutation or found
            yield tours, number - 1, found
            return
        tours = found
        yield tours, bound, why if number == bound else None


def _by_degrees(graph: Graph, *, most: bool) -> tuple[int, str]:
    """Return how many disjoint closed tours the degrees allow, and why no more; or, if not the ``most`` are asked for,
    why these can't make all moves, an empty text if they can."""
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
