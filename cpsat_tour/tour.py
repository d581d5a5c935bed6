"""The tours, routes and answers that the functions return: each saves, draws and describes itself, at the prompt and in
a notebook. Problems that need no search are answered here, and a notebook shows the progress of a run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain, pairwise, permutations
from math import nan
from pathlib import Path
from typing import Any, Literal, get_args, overload

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, TourFault, items_of, quoted, require
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem, Refutation, RefutationKind, Status, Work, timetable
from cpsat_tour.core.runs import Clock, Event, LogLine, OnEvent, PartOut, Progress, Result
from cpsat_tour.core.space import Ints, VertexLike, layout_of
from cpsat_tour.core.verify import canonical, moves_of, verify
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.formats.describe import ProgressWords, input_data, plural, visits_data
from cpsat_tour.formats.typed import graph_in
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.spaces.objectives import pairs_in_line, pairs_that_cross
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import symmetry_groups


@dataclass(frozen=True, eq=False)
class Tour(Sequence[Any]):
    """A tour: a sequence of vertices in the order of the visit, as numbers or as nodes of a networkx graph.

    On a board the squares are numbered row by row from 0, without the holes. ``in`` and ``index`` take names and
    coordinates too. A closed tour does not repeat its first vertex. `Tour.of` makes one of squares, verified.

    - ``graph`` (`Graph`): the graph.
    - ``closed`` (bool): whether it is a cycle.
    - ``vertices`` (an array): the numbers of the vertices in order.
    """

    graph: Graph
    closed: bool
    vertices: Ints

    def __len__(self) -> int:
        return len(self.vertices)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.graph.space.handles(self.vertices))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        handles = self.graph.space.handles(np.atleast_1d(self.vertices[index]))
        return handles if isinstance(index, slice) else handles[0]

    def __contains__(self, which: object) -> bool:
        with suppress(ValueError):
            return self.index(which) >= 0
        return False

    def index(self, which: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index in the tour of a vertex; ``which`` is its number, name or node. `BadInput` if it is not a
        vertex, or not at an index from ``start`` to before ``stop``."""
        found = np.flatnonzero(self.vertices == self.graph.space.vertex(which))
        for place in found[np.isin(found, range(len(self))[start:stop])]:
            return int(place)
        raise BadInput(f"{quoted(which)} is not visited in this part of the tour")

    def count(self, which: Any) -> int:
        """Return how often the tour visits a vertex, 1 or 0; ``which`` is its number, name or node."""
        return int(which in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tour):
            return NotImplemented
        alike = self.closed == other.closed and np.array_equal(self.vertices, other.vertices)
        return alike and (self.graph is other.graph or self.names == other.names)

    def __hash__(self) -> int:
        return hash((self.closed, self.vertices.astype(np.int64).tobytes()))

    @property
    def moves(self) -> list[tuple[Any, Any]]:
        """The moves as pairs of vertices, in order; of a closed tour the last leads to its first vertex."""
        return moves_of(list(self), closed=self.closed)

    def __str__(self) -> str:
        return self.graph.space.line(self.vertices.tolist())

    @property
    def names(self) -> list[str]:
        """The names of the vertices in order, such as ``a1``."""
        return [self.graph.name(vertex) for vertex in self.vertices.tolist()]

    @property
    def nodes(self) -> list[Any]:
        """The vertices in order: nodes of a networkx graph, else their names, or numbers if they have no names."""
        return [self.graph.space.node(vertex) for vertex in self.vertices.tolist()]

    @classmethod
    def of(cls, where: Any, squares: Iterable[VertexLike], *, closed: bool = False) -> Tour:
        """Return the tour of a board or a graph that visits these squares, verified: ``Tour.of("1x1", ["a1"])``.
        Raises `TourFault`, which names the first fault.

        - ``where`` (a board, a graph, or text; needed): what the tour is of, as in `solve`.
        - ``squares`` (names, or other notations of squares; needed): the squares in order.
        - ``closed`` (bool, default False): whether the tour is closed.
        """
        problem = Problem(graph_in(where), closed)
        listed = map(problem.graph.space.vertex, items_of(f"the {problem.graph.nouns[1]} of a tour", squares))
        vertices = np.array([*listed], dtype=np.int32)
        verify(problem, vertices)
        return cls(problem.graph, closed, vertices)

    def reversed(self) -> Tour:
        """Return the tour in the other direction, a closed one from the same vertex."""
        if self.graph.directed:
            raise BadInput(f"a tour of {self.graph.called} can't be walked the other way")
        return Tour(self.graph, self.closed, np.roll(self.vertices[::-1], int(self.closed)))

    def image(self, symmetry: str) -> Tour:
        """Return the image of the tour under a ``symmetry`` of the board: ``rot90``, ``rot180``, ``diagonal``, …"""
        named = self.graph.space.named_symmetries()
        if symmetry not in named:
            raise BadInput(f"{self.graph.called} has no symmetry {quoted(symmetry)}: choose one of {', '.join(named)}")
        return Tour(self.graph, self.closed, named[symmetry][self.vertices])

    def array(self) -> Ints:
        """Return an array in the shape of the board with the visit number of each square, from 1; 0 in holes."""
        numbers = np.zeros(self.graph.order + 1, dtype=np.int32)  # the last is that of holes, which are vertex -1
        numbers[self.vertices] = np.arange(1, len(self) + 1)
        layers = np.stack([numbers[layer.cells] for layer in layout_of(self.graph.space).layers])
        return layers if len(layers) > 1 else np.asarray(layers[0])

    @classmethod
    def from_array(cls, where: Any, numbers: Any, *, closed: bool = False) -> Tour:
        """Return the verified tour of a board or a box from an array of visit numbers, as `array` returns it.

        - ``where`` (a board, or text; needed): what the tour is of, as in `solve`.
        - ``numbers`` (an array, needed): the visit numbers, from 1, in rows and columns, 0 in holes.
        - ``closed`` (bool, default False): whether the tour is closed.
        """
        graph = graph_in(where)
        try:
            given = np.asarray(numbers)
        except ValueError:
            raise BadInput("the rows of the numbers are not of one length") from None
        cells = np.stack([layer.cells for layer in layout_of(graph.space).layers])
        cells = cells if len(cells) > 1 else cells[0]
        if given.shape != cells.shape or given.dtype.kind not in "iuf":
            found = f"the shape {given.shape} and the type {given.dtype}"
            raise BadInput(f"the array has {found}, and {graph.called} has numbers in {cells.shape}")
        vertices = cells[given > 0][np.argsort(given[given > 0], kind="stable")]
        if (vertices < 0).any() or not np.array_equal(np.sort(given[given > 0]), np.arange(1, len(vertices) + 1)):
            raise BadInput("the numbers of the array are not 1, 2, 3, …, each once, with 0 in the holes")
        return cls.of(graph, vertices.tolist(), closed=closed)

    @property
    def turns(self) -> int:
        """The number of vertices where the two moves are not in line."""
        passed = len(self) if self.closed else max(0, len(self) - 2)
        return passed - len(pairs_in_line(self._moves_alone))

    @property
    def crossings(self) -> int:
        """The number of pairs of moves that cross."""
        return len(pairs_that_cross(self._moves_alone))

    @property
    def _moves_alone(self) -> Graph:
        """The graph with the tour's moves as its only edges; `BadInput` on a directed graph."""
        if self.graph.directed:
            raise BadInput(f"tours of {self.graph.called} have no turns and no crossings: its moves are arcs")
        ends = moves_of(self.vertices.tolist(), closed=self.closed)
        return Graph.from_edges(self.graph.order, np.array(ends).reshape(-1, 2), space=self.graph.space)

    @property
    def symmetries(self) -> tuple[str, ...]:
        """The names of the symmetries of the board that map the tour to itself, such as ``rot180``."""
        return symmetry_groups(self.graph, self.vertices[None, :], closed=self.closed)[0]

    def to_networkx(self) -> Any:
        """Return the tour as a networkx graph of its `nodes` and its moves."""
        require("to_networkx", "networkx")
        import networkx

        graph = networkx.DiGraph() if self.graph.directed else networkx.Graph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(moves_of(self.nodes, closed=self.closed))
        return graph

    def plot(self, axes: Any = None) -> Any:
        """Return matplotlib's ``axes``, by default new ones, with the tour drawn on them, a line with dots: a square is
        1 wide, columns to the right, rows down; `BadInput` if it is too large."""
        from cpsat_tour.drawing.canvas import Canvas
        from cpsat_tour.drawing.points import UNIT

        ground, vertices = Canvas(self.graph, "", "").ground, self.vertices.tolist()
        course = vertices + vertices[: int(self.closed)]
        places, broken = [*map(ground.centre, course)], list[tuple[float, float]]()
        for ends, straight in zip(pairwise(course), pairwise(places), strict=True):
            broken += chain.from_iterable((*line, (nan, nan)) for line in ground.segments(*ends) or [[*straight]])
        if axes is None:
            require("plot", "matplotlib")
            from matplotlib import pyplot

            axes = pyplot.figure().add_subplot()
        lines, dots = ((np.reshape(points, (-1, 2)) / UNIT - 0.5).T for points in (broken, places))
        (line,) = axes.plot(*lines)
        axes.plot(*dots, "o", color=line.get_color())
        axes.set_aspect("equal")
        axes.yaxis.set_inverted(True)
        return axes

    def svg(self) -> str:
        """Return a drawing of the tour as SVG text."""
        from cpsat_tour.drawing.svg import svg

        return svg(self.graph, self.vertices, closed=self.closed)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the tour to a .svg, .png, .pdf, .tikz, .gif, .txt, .json or .npy file at ``path``; with ``force`` also
        over one."""
        from cpsat_tour.formats.saving import save_tour

        save_tour(Problem(self.graph, self.closed), self.vertices, os.fspath(path), force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tour:
        """Return the verified tour of the file at ``path``, .json, .npy or .txt."""
        from cpsat_tour.formats.tour_files import read_tours

        found = read_tours(Path(path))
        return cls(found.problem.graph, found.problem.closed, found.row())

    def __repr__(self) -> str:
        line, kind = self.graph.space.line, "closed" if self.closed else "open"
        course = (
            str(self) if len(self) <= 5 else f"{line(self.vertices[:3].tolist())} … {line(self.vertices[-1:].tolist())}"
        )
        return f"<Tour: {kind}, {len(self)} {self.graph.nouns[len(self) != 1]}: {course}>"

    def _repr_svg_(self) -> str | None:
        """Return the drawing that a notebook shows; None if the tour is too large."""
        from cpsat_tour.drawing.svg import shown_svg

        return shown_svg(self.graph, self.vertices, closed=self.closed)

    def text(self) -> str:
        """Return the board as text, a number from 1 for each visit."""

        return tour_text(self.graph.space, self.vertices)


@dataclass(frozen=True, eq=False)
class Routes:
    """Several paths, or cycles, of one graph. Iteration yields each as a list of vertices, given as in a `Tour`.

    A path may have one vertex, and a route need not visit them all. A cycle does not repeat its first vertex.

    - ``graph`` (`Graph`): the graph.
    - ``closed`` (bool): whether each route is a cycle.
    - ``routes`` (arrays): the numbers of the vertices of each in order.
    """

    graph: Graph
    closed: bool
    routes: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.routes)

    def __iter__(self) -> Iterator[list[Any]]:
        return map(self.graph.space.handles, self.routes)

    def __getitem__(self, index: int) -> list[Any]:
        return self.graph.space.handles(self.routes[index])

    def __str__(self) -> str:
        return "\n".join(self.graph.space.line(route.tolist()) for route in self.routes)

    def __repr__(self) -> str:
        return f"<Routes: {plural(len(self), 'cycle' if self.closed else 'path')} of {self.graph.called}>"

    def data(self) -> list[list[Any]]:
        """Return the vertices of each route as JSON: as coordinates, or as names."""
        return [visits_data(self.graph, route) for route in self.routes]

    def svg(self) -> str:
        """Return a drawing of the routes as SVG text, a colour for each."""
        from cpsat_tour.drawing.svg import routes_svg

        return routes_svg(self.graph, self.routes, closed=self.closed)

    def _repr_svg_(self) -> str:
        """Return the drawing that a notebook shows."""
        return self.svg()

    def save(
        self, path: str | os.PathLike[str], described: Mapping[str, Any] | None = None, *, force: bool = False
    ) -> None:
        """Write the routes to a .svg, .png, .pdf, .tikz, .json or .txt file at ``path``, with ``force`` also over one.
        The JSON is ``described``, by default a list of tours, or of routes if a vertex is left out."""
        from cpsat_tour.formats.saving import save_routes

        kind = "tours" if all(len(route) == self.graph.order for route in self.routes) else "routes"
        told = described or {"problem": problem_data(Problem(self.graph, self.closed)), kind: self.data()}
        save_routes(self.graph, path, self.svg, str(self), told, force=force)


MAX_WORDS = 100
"""The most vertex names that a notebook lists."""

MAX_REASON = 55
"""The most characters of a reason in a repr."""


def in_short(reason: object) -> str:
    """Return the beginning of a reason, as reprs have it."""
    return f"{str(reason)[:MAX_REASON]}…" if len(str(reason)) > MAX_REASON else str(reason)


@dataclass(frozen=True)
class Answer:
    """The answer to a problem, true if there is a tour: ``if solve("5x5"): ...``.

    - ``status`` (str): ``tour``, ``none`` or ``unknown``.
    - ``tour`` (`Tour`, or None): the verified tour.
    - ``refutation`` (a refutation, or None): why there is no tour: its ``kind``, its ``reason`` in words, and for some
      kinds its ``certificate``.
    - ``work`` (a dict): the backend's counters; the same run has the same.
    - ``stopped_by`` (str, or None): the limit that an ``unknown`` is due to.
    - ``seconds`` (float): the wall time of the run, in seconds.
    - ``backend`` (str): the name of the backend that answered.
    """

    status: Status
    tour: Tour | None = None
    refutation: Refutation | None = None
    work: Work = field(default_factory=dict)
    stopped_by: str | None = None
    seconds: float = 0.0
    backend: str = ""

    @property
    def none(self) -> bool:
        """True if there is no tour."""
        return self.status == "none"

    @property
    def unknown(self) -> bool:
        """True if the search ended without an answer."""
        return self.status == "unknown"

    def __bool__(self) -> bool:
        return self.status == "tour"

    def __repr__(self) -> str:
        what = f"unknown, stopped by {self.stopped_by}"
        if self.tour is not None:
            what = f"{'closed' if self.tour.closed else 'open'} tour of {self.tour.graph.called}"
        elif self.refutation is not None:
            what = f"no tour, {in_short(self.refutation)}"
        return (
            f"<{type(self).__name__}: {what}{f', by {self.backend} in {self.seconds:.3g} s' if self.backend else ''}>"
        )

    def _repr_html_(self) -> str | None:
        """Return HTML that a notebook shows: the tour, or why there is none, or what stopped the search; then backend
        and time."""
        from html import escape

        from cpsat_tour.drawing.svg import small_html

        drawn = None if self.tour is None else self.tour._repr_svg_()
        if self.tour is None:
            words = f"There is no tour: {self.refutation}" if self.none else f"Unknown; stopped by {self.stopped_by}"
        elif drawn is not None:
            words = f"{len(self.tour)} {self.tour.graph.nouns[1]}"
        else:
            names = self.tour.names
            words = " ".join(names[:MAX_WORDS]) + (f" … ({len(names)})" if len(names) > MAX_WORDS else "")
        by = f" ({self.backend}, {self.seconds:.3g} s)" if self.backend else ""
        return (small_html(drawn) if drawn else "") + f"<p>{escape(words + by)}</p>"

    @classmethod
    def with_tour(cls, problem: Problem, vertices: Sequence[int] | Ints, work: Work | None = None) -> Answer:
        """Return the answer that this is a tour; the runner will verify it and write it in canonical form."""
        return cls("tour", Tour(problem.graph, problem.closed, np.asarray(vertices, dtype=np.int32)), work=work or {})

    @classmethod
    def without_tour(cls, kind: RefutationKind, reason: str, work: Work | None = None) -> Answer:
        """Return the answer that there is no tour, for this reason."""
        return cls("none", refutation=Refutation(kind, reason), work=work or {})

    @classmethod
    def stopped(cls, stopped_by: str, work: Work | None = None) -> Answer:
        """Return the answer of a search that a limit, or Ctrl-C, ended first."""
        return cls("unknown", work=work or {}, stopped_by=stopped_by)

    def verified(self, problem: Problem) -> Answer:
        """Verify the tour of the answer and return the answer with the tour in canonical form. `BackendFault` if the
        tour is wrong, or if the answer lacks the tour or the reason that its status calls for."""
        kinds = get_args(RefutationKind)
        wrong = {
            "tour": self.tour is None and "that there is a tour and gave none",
            "none": (self.refutation is None or self.refutation.kind not in kinds)
            and f"that there is no tour and gave no reason of a kind among {', '.join(kinds)}",
            "unknown": "",
        }.get(self.status, f"{self.status!r}, not one of {', '.join(get_args(Status))}")
        if wrong:
            raise BackendFault(f"backend {self.backend} answered {wrong}")
        if self.tour is None or self.status != "tour":
            return self
        try:
            verify(problem, self.tour.vertices)
        except TourFault as fault:
            raise BackendFault(f"backend {self.backend} returned a wrong tour: {fault}") from fault
        return replace(self, tour=Tour(problem.graph, problem.closed, canonical(problem, self.tour.vertices)))


class NotProved(Answer):
    """The `Answer` of `prove` without a certificate: there is a tour, or a limit came first. It is false."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(**vars(answer))

    def __bool__(self) -> Literal[False]:
        return False


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a task; ``known`` is its answer, or its count, so far."""

    def __init__(self, known: Any) -> None:
        super().__init__()
        self.known = known


def run_interruptibly(task: Callable[[OnEvent], Result], on_event: OnEvent | None, name: str) -> Result:
    """Call the task with a listener and return its result; Ctrl-C raises `Interrupted` with the latest counters.
    Without ``on_event`` the listener prints the solver's log."""
    clock, work = Clock(None), dict[str, int]()

    def listen(event: Event) -> None:
        """Keep the counters and pass the event on; without a listener print a solver's log."""
        if isinstance(event, Progress):
            work.update(event.work)
        if on_event is not None:
            on_event(event)
        elif isinstance(event, LogLine):
            print(event.line, file=sys.stderr)

    try:
        return task(listen)
    except KeyboardInterrupt:
        raise Interrupted(
            Answer("unknown", work=work, stopped_by="interrupt", seconds=clock.seconds, backend=name)
        ) from None


def answer_data(problem: Problem, answer: Answer) -> dict[str, Any]:
    """Return the JSON object that ``--json`` prints for an answer, also for one without a tour:
    ``json.dumps(answer_data(problem, solve(problem)))``.

    - ``problem`` (`Problem`, needed): the problem, such as ``problem_of("3x3")``.
    - ``answer`` (`Answer`, needed): its answer.
    """
    return {"problem": problem_data(problem)} | input_data(problem.graph) | answer_members(answer)


def answer_members(answer: Answer) -> dict[str, Any]:
    """Return the members of an answer's JSON object, except for its problem."""
    refutation = answer.refutation
    return {
        "backend": answer.backend,
        "status": answer.status,
        "tour": None if answer.tour is None else visits_data(answer.tour.graph, answer.tour.vertices),
        "refutation": None if refutation is None else {"kind": refutation.kind, "reason": refutation.reason},
        "stopped_by": answer.stopped_by,
        "seconds": round(answer.seconds, 6),
        "work": dict(answer.work),
    }


def work_words(answer: Answer) -> str:
    """Return the work counters of an answer in words: ``positions 64, backtracks 0``."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in answer.work.items())


def decide_by_conditions(problem: Problem) -> Answer | None:
    """Return the answer if it is clear without a search, as the problem is degenerate or violates a necessary
    condition; else None."""
    if (decided := decide_degenerate(problem)) is not None:
        return decided
    violated = violated_condition(problem)
    return None if violated is None else Answer("none", refutation=violated)


def decide_degenerate(problem: Problem) -> Answer | None:
    """Return the answer to a problem that is too small for the reduction or contradicts itself; None for any other.

    Decided here: fewer than three vertices (but a directed open problem on two is left open); a vertex without moves;
    equal ends; a move both required and forbidden; a closed tour whose end has no move to its start; an open tour that
    requires the move between its own ends; givens that no walk can reach in time.
    """
    graph, order, name, closed = problem.graph, problem.graph.order, problem.graph.name, problem.closed
    start, end, both = problem.start, problem.end, set(problem.require) & set(problem.forbid)
    allowed, reason = problem.allowed, None
    moves = allowed.degrees + np.bincount(allowed.indices, minlength=order)
    if order > 1 and start is not None and start == end:
        reason = f"the tour can't both start and end at {name(start)} and visit another vertex"
    elif both:
        reason = "the move {}-{} is both required and forbidden".format(*map(name, min(both)))
    elif order > 1 and not moves.all():
        reason = f"{name(int(moves.argmin()))} has no move at all"
    elif order < 2 or (order == 2 and (closed or not graph.directed)):
        for tour in permutations(range(order)):
            with suppress(TourFault):
                verify(problem, tour)
                return Answer.with_tour(problem, tour)
        reason = "neither order of the two vertices is a tour" if order else "a graph without vertices has no tour"
        if closed and order and (order == 1 or not graph.directed):
            there = "there is 1" if order == 1 else "there are 2"
            reason = f"a closed tour needs at least 3 {graph.nouns[1]}, and {there}"
    elif start is not None and end is not None and closed and not allowed.has_arc(end, start):
        reason = f"there is no move from the end {name(end)} to the start {name(start)}"
    elif start is not None and end is not None and not closed:
        closing = {(end, start)} if graph.directed else {(end, start), (start, end)}
        if closing & set(problem.require):
            reason = f"the required move {name(end)}-{name(start)} would close the tour between its own ends"
    if reason is None and problem.givens:
        reason = timetable(problem).contradiction
    return None if reason is None else Answer.without_tour("condition", reason)


SILENT_SECONDS = 1.0
"""The time before a notebook shows progress."""


SECONDS_BETWEEN_LINES = 0.2


@contextmanager
def progress_shown(
    what: str, progress: OnEvent | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[OnEvent | None]:
    """Yield the user's listener; without one, in a notebook, a listener that shows the progress of a run and a solver's
    log, elsewhere None."""
    if not (progress is None or callable(progress)):
        raise BadInput(f"progress can't be {quoted(progress)}: give a function of one event, such as print")
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if progress is not None or shell is None or not hasattr(shell, "kernel"):
        yield progress
        return
    display: Any = import_module("IPython.display").display
    handle: Any = None
    words, begun, last = ProgressWords(), clock(), 0.0

    def listen(event: Event) -> None:
        """Bring the line up to date, at most every so often; print a solver's log."""
        nonlocal handle, last
        if isinstance(event, LogLine):
            print(event.line, file=sys.stderr)
        if isinstance(event, LogLine | PartOut):
            return
        words.take(event)
        now = clock()
        if now - begun < SILENT_SECONDS or now - last < SECONDS_BETWEEN_LINES:
            return
        last = now
        line = {"text/plain": words.line(what, now - begun)}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield listen
    finally:
        if handle is not None:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)
