"""The runner: reduces the problem, asks a backend, maps its answer back, verifies it, and writes it in canonical form.

Every tour goes through `Answer.verified`, whichever backend found it, and lists of tours through `core.verify`. A
wrong tour is a `BackendFault` that names the first wrong move, never an answer.

Three steps lead from a problem down to a formulation, each an object that also leads back up; `FormulationTours` takes
them, and `translated_listener` gives events the vertices of the problem again:

| step                                      | down            | tours up         | reasons up        |
|-------------------------------------------|-----------------|------------------|-------------------|
| a directed problem becomes undirected     | `SplitVertices` | ``split.tours``  | ``refutation_of_source`` |
| a problem becomes a Hamiltonian cycle     | `to_cycle`      | ``whole.tours``  | unchanged         |
| forced moves are contracted, pieces split | `simplify`      | ``found.cycles`` | ``refutation_of_whole``  |

The first is left out where the formulation takes arcs.

A `Listing` has the first few tours, or all, by any backend that enumerates, verified and in canonical form, in batches.
Tours are not kept, so memory stays flat; only classes are, where tours are wanted up to symmetry. The path search gives
thousands at a time, with the number of its *calls* (positions) when each was found; the edge search too, without calls;
solvers give one at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.problem import Problem, Refutation
from cpsat_tour.core.reduction import CycleProblem, SplitVertices, to_cycle, undirected
from cpsat_tour.core.runs import (
    NO_LIMIT,
    UNLIMITED,
    Clock,
    CutSetAdded,
    Event,
    Limits,
    OnEvent,
    Result,
    Run,
    TwoFactorFound,
    Watch,
)
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.core.verify import TourRows, canonical_rows
from cpsat_tour.engines.registry import (
    FEATURES,
    Backend,
    Features,
    Formulated,
    Formulation,
    ListingSearch,
    backends_where,
    restriction_of,
    unsupported_features,
)
from cpsat_tour.formats.formula import Formula, Sizes
from cpsat_tour.presolve.simplify import Simplified, simplify
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.symmetry import TourClasses
from cpsat_tour.tour import Answer, Interrupted, decide_by_conditions, decide_degenerate, run_interruptibly

Rows = Generator[Ints, None, Refutation]
"""A generator of cycles or tours, some at a time, a row each; it returns why there are no more."""


def run(
    problem: Problem,
    backend: Backend,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    name: str = "",
) -> Answer:
    """Return the backend's answer, with the seconds it took; a tour is verified and in canonical form.

    Raises `BackendFault` if it answers wrongly, and `KeyboardInterrupt` on Ctrl-C.

    - ``problem`` (`Problem`, needed): the problem.
    - ``backend`` (a backend, needed): an object with ``solve`` or ``cycles``, as a plug-in has them.
    - ``limits`` (`Limits`, default none): the limits.
    - ``on_event`` (a function, default None): is called with each event of the run.
    - ``name`` (str, default ''): what the backend is called in the answer; by default as its class.
    """
    name = name or type(backend).__name__.lower()
    check_takes(problem, backend, name)
    clock = limits.clock()
    answer = run_interruptibly(partial(_answer, problem, backend, limits), on_event, name)
    if not isinstance(answer, Answer):
        raise BackendFault(f"backend {name} returned {type(answer).__name__}, not an Answer")
    return replace(answer, seconds=clock.seconds, backend=name).verified(problem)


def _answer(problem: Problem, backend: Backend, limits: Limits, on_event: OnEvent) -> Answer:
    """Return the unverified answer of a backend to a problem that it takes."""
    if (decided := decide_degenerate(problem)) is not None:
        return decided
    clock, work = limits.clock(), dict[str, int]()
    try:
        if not isinstance(backend, Formulation):
            answer = backend.solve(problem, limits, on_event)
            if isinstance(answer, Answer) and isinstance(answer.refutation, Refutation):
                answer = replace(answer, refutation=as_far_as_known(backend, answer.refutation))
            return answer
        formulation = FormulationTours(problem, backend, limits, clock, on_event)
        with closing(formulation.tours()) as tours:
            try:
                return Answer.with_tour(problem, next(tours)[0], formulation.work)
            except StopIteration as end:
                return Answer("none", refutation=end.value, work=formulation.work)
            finally:
                work = formulation.work
    except StoppedEarly as limit:
        return Answer.stopped(limit.limit, work)


Ended = TypeVar("Ended")


def conclude(run: Watch, search: Callable[[], Ended], result: Callable[[Ended | str], Result]) -> Result:
    """Run the search and return the ``result`` of what it returns, or of the limit that ended it.

    Ctrl-C raises `Interrupted` with the result so far.
    """
    try:
        return result(search())
    except StoppedEarly as limit:
        return result(run.clock.stopped_by or limit.limit)
    except KeyboardInterrupt:
        raise Interrupted(result("interrupt")) from None


def as_far_as_known(backend: Backend, refutation: Refutation) -> Refutation:
    """Return the refutation, turned into a claim if the backend is not one of ours, since nothing here can check what
    it did."""
    ours = type(backend).__module__.startswith("cpsat_tour.")
    return refutation if ours else Refutation("claimed", refutation.reason)


def check_takes(problem: Problem, backend: Backend, name: str, *, every: bool = False) -> None:
    """Raise `BadInput`, which names backends that can, if the backend doesn't take the problem or, with ``every``,
    can't list all its tours."""
    if not isinstance(problem, Problem):
        raise BadInput(f"can't run {problem!r:.80}: give a Problem, such as Problem(Board(8, 8).graph, closed=True)")
    if not hasattr(backend, "takes"):
        raise BadInput(f"{backend!r:.80} is not a backend: give what load('sat') returns, or ask solve")
    if getattr(backend, "givens_only", False) and not problem.givens:
        raise BadInput(
            f"backend {name} is for tours with given numbers: give some, such as --at "
            f"{problem.graph.name(0)}=1, or leave it out"
        )
    features = features_of(problem) | ({"every"} if every else set())
    if not features <= backend.takes and (beyond := unsupported_features(backend, features)):
        able = backends_where(lambda other: not unsupported_features(other, features))
        lacking = FEATURES[next((name for name in ("givens", "waypoints") if name in beyond), min(beyond))]
        raise BadInput(f"backend {name} does not take {lacking}: choose one of {', '.join(able)}")
    if getattr(backend, "boards_only", False) and (wider := _beyond_plain_boards(problem)):
        able = [
            other
            for other in backends_where(lambda kind: not unsupported_features(kind, features))
            if ":" not in other and restriction_of(other) is None
        ]
        raise BadInput(f"backend {name} does not take {wider}: choose one of {', '.join(able)}")


def _beyond_plain_boards(problem: Problem) -> str | None:
    """Return, in words, the first thing in which the problem differs from a plain knight's board without holes; None if
    nothing."""
    space = problem.graph.space
    if not (isinstance(space, Board) and space.plain):
        return problem.graph.called
    if problem.start is not None or problem.end is not None:
        return "given ends"
    return "required moves" if problem.require else "forbidden moves" if problem.forbid else None


def features_of(problem: Problem) -> Features:
    """Return the features of the problem that not every backend takes."""
    directed = {"directed"} if problem.graph.directed else set()
    symmetry = {"symmetry"} if problem.symmetry is not None else set()
    timed = {name for name in ("givens", "waypoints") if getattr(problem, name)}
    return frozenset(directed | symmetry | timed)


def formula(problem: Problem, backend: Backend, name: str, seed: int = 0) -> Formula:
    """Return the formula of a problem; `BadInput` if the backend has none, the problem needs none, or it is too large
    to be built."""
    return _formulated(problem, backend, name).formula(undecided(problem), seed)


def sizes(problem: Problem, backend: Backend, name: str) -> Sizes:
    """Return the sizes of the formula of a problem; `BadInput` if the backend has none or the problem needs none."""
    return _formulated(problem, backend, name).sizes(undecided(problem))


def _formulated(problem: Problem, backend: Backend, name: str) -> Formulated:
    """Return the backend, checked to have a formula of the problem; else raise `BadInput`."""
    check_takes(problem, backend, name)
    directed = problem.graph.directed
    if not isinstance(backend, Formulated) or (directed and "directed" not in backend.takes):
        able = backends_where(lambda kind: hasattr(kind, "formula") and (not directed or "directed" in kind.takes))
        lacking = "has no formula"
        if isinstance(backend, Formulation):
            lacking = "has a formula that can't be written to a file yet"
        if isinstance(backend, Formulated):
            lacking = "has formulas of undirected graphs only"
        raise BadInput(f"backend {name} {lacking}: choose one of {', '.join(able)}")
    return backend


def undecided(problem: Problem) -> CycleProblem:
    """Return the cycle problem of a problem; `BadInput` if it is decided without a formula."""
    if (decided := decide_degenerate(problem)) is None:
        cycle = to_cycle(problem)
        if (reason := cycle.dead_end_reason()) is None:
            return cycle
    else:
        reason = decided.refutation.reason if decided.refutation else "it has a tour"
    raise BadInput(f"this problem is decided without a formula: {reason}")


@dataclass
class FormulationTours:
    """A formulation at work on a problem that `decide_degenerate` leaves open; with ``every`` all tours are wanted,
    otherwise one.

    The limit on work holds for all pieces together. ``left`` has the size of a simplified problem, and ``runs`` one
    `Run` for each piece.
    """

    problem: Problem
    formulation: Formulation
    limits: Limits
    clock: Clock
    on_event: OnEvent | None = None
    every: bool = False
    left: dict[str, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    @property
    def work(self) -> dict[str, int]:
        """The counters of the formulation, added up over all pieces, and the size of a simplified problem."""
        work = Counter(self.left)
        for run in self.runs:
            work.update(run.work)
        return dict(work)

    def tours(self) -> Rows:
        """Yield the tours of the problem in arrays, a row each; return the `Refutation` when there are no more.
        `StoppedEarly` at a limit."""
        if self.problem.graph.directed and "directed" not in self.formulation.takes:
            return (yield from self._tours_on_split_vertices())
        found = simplified(self.problem, self.limits, every=self.every)
        if found.why_none:
            return Refutation("condition", found.why_none)
        if found.taken is not None:
            return (yield from self._tours_by_pieces(found))
        with closing(self._cycles(found.whole, self.limits, self.on_event)) as cycles:
            try:
                while True:
                    yield found.whole.tours(next(cycles))
            except StopIteration as end:
                why: Refutation = end.value
                return why

    def _tours_by_pieces(self, found: Simplified) -> Rows:
        """Yield the tours of a simplified problem; return the `Refutation` when there are no more.

        A tour is put together from one cycle of every piece but the last, and of that as many as are wanted.
        """
        event = found.event
        self.left |= {"vertices_left": event.vertices, "edges_left": event.edges, "parts": event.parts}
        if self.on_event is not None:
            self.on_event(event)
        if not found.pieces:
            yield self._tours_of([], found)
            return Refutation("condition", "the moves that have to be used are a tour, and leave room for no other")
        chosen, last = list[Ints](), found.pieces[-1]
        for piece in found.pieces:
            if reason := piece.cycle.dead_end_reason():
                return found.refutation_of_whole(Refutation("condition", reason), piece)
            limits = self.limits.after(self.work.get(getattr(self.formulation, "unit", ""), 0))
            listener = translated_listener(self.on_event, piece.source_vertices)
            with closing(self._cycles(piece.cycle, limits, listener)) as cycles:
                try:
                    while piece is last:
                        yield self._tours_of([*chosen, next(cycles)], found)
                    chosen.append(next(cycles)[:1])
                except StopIteration as end:
                    return found.refutation_of_whole(end.value, piece)
        raise AssertionError("the list of the last piece ends with a reason")

    def _tours_on_split_vertices(self) -> Rows:
        """Yield the tours of a directed problem, found on the undirected problem on split vertices; return the
        `Refutation` when there are no more."""
        if reason := to_cycle(self.problem).dead_end_reason():
            return Refutation("condition", reason)
        split = SplitVertices(self.problem)
        listener = translated_listener(self.on_event, split.source_vertices)
        with closing(replace(self, problem=split.problem, on_event=listener).tours()) as found:
            try:
                while True:
                    yield split.tours(next(found))
            except StopIteration as end:
                return split.refutation_of_source(end.value)

    def _tours_of(self, rows: list[Ints], found: Simplified) -> Ints:
        """Return the tours of the problem that are made of cycles of its pieces; `BackendFault` if a cycle is wrong.

        Each piece has as many cycles as there are tours, or one that all tours share.
        """
        try:
            return found.whole.tours(found.cycles(rows))
        except TourFault as fault:
            raise BackendFault(f"{type(self.formulation).__name__} returned a wrong cycle: {fault}") from fault

    def _cycles(self, cycle: CycleProblem, limits: Limits, listener: OnEvent | None) -> Rows:
        """Yield the cycles of the problem, or of a piece, that the formulation finds, in rows, and return its
        `Refutation`; `BackendFault` if they have the wrong form."""
        run = Run(limits, self.clock, listener, cycle=cycle, every=self.every)
        self.runs.append(run)
        called, order, given = type(self.formulation).__name__, cycle.order, self.formulation.cycles(run)
        if not isinstance(given, Generator):
            raise BackendFault(f"{called}.cycles must be a generator, and gave a {type(given).__name__}")
        with closing(given):
            while True:
                try:
                    rows = np.asarray(next(given))
                except StopIteration as end:
                    if not isinstance(end.value, Refutation):
                        raise BackendFault(f"{called} gave no reason why there are no more cycles") from None
                    return as_far_as_known(self.formulation, end.value)
                if rows.ndim != 2 or rows.shape[1] != order:
                    vertices = set(rows[0].tolist() if rows.ndim == 2 and len(rows) else ())
                    if 1 < len(vertices) == rows.shape[-1] and vertices < {*range(order)}:
                        raise BackendFault(f"{called}: {cycle.short_cycle_words(rows[0].tolist())}")
                    raise BackendFault(
                        f"{called} gave cycles in the shape {rows.shape}: give arrays of rows, each of {order} vertices"
                    )
                yield rows


def answer_without_search(problem: Problem, limits: Limits = UNLIMITED) -> Answer | None:
    """Return the answer if the problem is tiny, or if it, or its simplified form, violates a necessary condition; else
    None."""
    if (known := decide_by_conditions(problem)) is None and (why := simplified(undirected(problem), limits).why_none):
        return Answer.without_tour("condition", why)
    return known


def simplified(problem: Problem, limits: Limits, *, every: bool = False) -> Simplified:
    """Return the `Simplified` problem, with forced moves contracted; in one piece if ``every`` tour is wanted.

    It is the same problem, unchanged, where simplifying is not allowed or not worth its time. Nothing is simplified
    where the limits say so, half the time given does not suffice, a symmetry ties the edges, or vertices have numbers
    or are waypoints. The last result is kept for when the same problem comes next.
    """
    if (found := _last.get(key := (problem, every))) and limits.simplify:
        return found
    whole = to_cycle(problem)
    found = Simplified(whole, why_none=whole.dead_end_reason())
    if not limits.simplify or problem.symmetry is not None or problem.givens or problem.waypoints:
        return found
    size = whole.size - (0 if whole.apex is None else int(whole.degrees[whole.apex]))
    sparse = problem.graph.space.coordinates is None and size <= MAX_SPARSE * whole.order
    forced = int((whole.degrees <= 2).sum()) + int(whole.required.sum())
    if found.why_none is None and not whole.directed and (sparse or MIN_SHARE * forced >= whole.order):
        half = Clock(None if limits.seconds is None else limits.seconds / 2, limits.cancel)
        try:
            found = simplify(whole, split=not every, heartbeat=half.check)
        except StoppedEarly:
            return found
    _last.clear()
    _last[key] = found
    return found


MAX_SPARSE = 3.0
"""The most edges per vertex with which a graph without a layout is likely to have small cuts; boards and boxes have
none."""

MIN_SHARE = 6
"""The number of vertices among which one of degree 2, or with a required edge, makes other graphs worth simplifying:
few boards beyond 5x5."""


_last: dict[tuple[Problem, bool], Simplified] = {}
"""The last simplified problem, with the problem it came from and whether all its tours were wanted."""


def translated_listener(on_event: OnEvent | None, vertices: Sequence[int]) -> OnEvent | None:
    """Return a listener that translates the vertices in the events of another problem into those of this one, and
    passes the events on.

    Vertex v of the other problem is ``vertices[v]`` here; -1 stands for the universal vertex in both.
    """
    if on_event is None:
        return None
    number = [*vertices, -1]

    def translated(cycle: Sequence[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number[vertex] for vertex in cycle))

    def listen(event: Event) -> None:
        """Pass the event on with the vertices of the problem."""
        if isinstance(event, TwoFactorFound):
            event = replace(event, members=tuple(translated(cycle) for cycle in event.members))
        elif isinstance(event, CutSetAdded):
            shore = translated(event.shore)
            event = replace(event, shore=shore, vertices=len(shore) or event.vertices)
        on_event(event)

    return listen


MANY_GIVENS = 1 / 8
"""The share of given vertices above which a search over numbers is faster than one along the path."""


@dataclass(eq=False)
class Listing:
    """An iterator, usable once, over the first ``most`` tours of a problem, in arrays with a row each; with ``classes``
    only the first tour of each class.

    ``count`` is the number of tours so far; ``calls`` the number made when the last was found, at the end of a whole
    list all calls, None if the backend doesn't count them. The iteration raises `StoppedEarly` at a limit and
    `BackendFault` on a wrong tour; the constructor `BadInput` if the backend can't list these tours.
    """

    problem: Problem
    backend: Backend
    limits: Limits = field(default_factory=Limits)
    _: KW_ONLY
    most: int = NO_LIMIT
    classes: TourClasses | None = None
    on_event: OnEvent | None = None
    name: str = ""
    count: int = field(default=0, init=False)
    calls: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.name = self.name or type(self.backend).__name__.lower()
        check_takes(self.problem, self.backend, self.name, every=True)
        if isinstance(self.backend, ListingSearch):
            self.calls = 0

    def __iter__(self) -> Iterator[Ints]:
        rows = TourRows(self.problem)
        for given, calls in self._tours_with_calls():
            if not len(given):
                continue
            try:
                rows.verify(given)
            except TourFault as fault:
                raise BackendFault(f"backend {self.name} returned a wrong tour: {fault}") from fault
            tours = canonical_rows(self.problem, given)
            wanted = np.arange(len(given))
            if self.classes is not None:
                wanted = np.flatnonzero(self.classes.are_new(tours))
            wanted = wanted[: self.most - self.count]
            self.count += len(wanted)
            if calls is not None and wanted.size:
                self.calls = int(calls[wanted[-1]])
            yield tours[wanted]
            if self.count == self.most:
                break

    def _tours_with_calls(self) -> Iterator[tuple[Ints, Longs | None]]:
        """Yield pairs of the backend's tours, a row each, and the calls made when each was found, None if they are not
        counted. `StoppedEarly` at a limit."""
        problem, backend, limits, on_event = self.problem, self.backend, self.limits, self.on_event
        if (decided := decide_degenerate(problem)) is not None:
            if decided.tour is not None:
                yield decided.tour.vertices[None, :], None if self.calls is None else np.zeros(1, dtype=np.int64)
        elif isinstance(backend, ListingSearch):
            most = self.most if self.classes is None else NO_LIMIT
            self.calls = yield from backend.batches(problem, limits, on_event, most)
        else:
            assert isinstance(backend, Formulation)
            clock = limits.clock()
            with closing(FormulationTours(problem, backend, limits, clock, on_event, every=True).tours()) as found:
                for tours in found:
                    yield tours, None
                    clock.check()  # a solver that finds one tour after the other may not look at it


def default_lister(problem: Problem, *, everything: bool) -> str:
    """Return the name of the default backend to list tours: all of them if ``everything``, else the first ones."""
    if problem.waypoints:
        return "dfs" if problem.graph.directed else "sat"
    if problem.givens:
        many = len(problem.givens) >= MANY_GIVENS * problem.graph.order
        return "numbers" if problem.symmetry is not None or many else "dfs"
    return "edges" if everything or problem.symmetry is not None else "dfs"
