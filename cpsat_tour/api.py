"""The verbs: all functions of the Python interface.

Each verb reads the problem and the limits that its keywords state, does its one job, and shows its progress in a
notebook. The engines behind the verbs are loaded when they are used: together they take a second.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from cpsat_tour.core.errors import PICTURES, BadInput, StoppedEarly, items_of, quoted, whole_number
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.problem import Problem, pairs
from cpsat_tour.core.runs import NO_LIMIT, Clock, Limits, OnEvent
from cpsat_tour.core.space import VertexLike
from cpsat_tour.formats.describe import tours_sought
from cpsat_tour.formats.files import GraphFault, check_place, writing
from cpsat_tour.formats.typed import NetworkxGraph, Where, graph_in, symmetry_of
from cpsat_tour.spaces.symmetry import TourClasses
from cpsat_tour.tour import Answer, NotProved, Routes, Tour, progress_shown

if TYPE_CHECKING:
    from cpsat_tour.compare.record import RecordedRun
    from cpsat_tour.compare.report import Comparison
    from cpsat_tour.engines.best import Best, BestRoutes
    from cpsat_tour.engines.counts import Estimate
    from cpsat_tour.engines.decompose import Decomposition
    from cpsat_tour.engines.puzzles import Puzzle
    from cpsat_tour.engines.runner import Listing
    from cpsat_tour.formats.formula import Formula, Sizes
    from cpsat_tour.proofs.check.claim import Kind
    from cpsat_tour.proofs.check.folder import Verdict
    from cpsat_tour.proofs.write.certificate import Certificate
    from cpsat_tour.proofs.write.prove import Method

Moves: TypeAlias = Iterable[tuple[VertexLike, VertexLike]]
Givens: TypeAlias = Mapping[Any, int] | Iterable[tuple[VertexLike, int]]

PARTS = ("closed", "start", "end", "require", "forbid", "symmetry", "givens", "waypoints")
"""The parts of a problem besides its space, in the order of `problem_of`."""

GRAPHS = 256
"""The number of graphs that `filter_graphs` reads at a time."""


def problem_of(
    where: Where,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
) -> Problem:
    """Return the problem on this space with these parts; a `Problem` is returned as it is and takes no parts.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - The other keywords are those of `solve`.
    """
    if isinstance(where, Problem):
        if given := _given_parts(closed, start, end, require, forbid, symmetry, givens, waypoints):
            raise BadInput(f"a Problem has its parts already: leave out {given}")
        return where
    graph = graph_in(where)
    vertex = graph.space.vertex
    if not isinstance(symmetry, str | None):
        raise BadInput(f"the symmetry can't be {quoted(symmetry)}: give its name, such as 'rot180'")
    return Problem(
        graph,
        closed,
        None if start is None else vertex(start),
        None if end is None else vertex(end),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("require", require)),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("forbid", forbid)),
        None if symmetry is None else symmetry_of(graph, symmetry, closed=closed),
        tuple((vertex(which), number) for which, number in pairs("givens", givens)),
        tuple(map(vertex, items_of("the waypoints", waypoints))),
    )


def _given_parts(*parts: object) -> str:
    """Return the names of the parts of a problem that differ from their defaults."""
    given = dict(zip(PARTS, parts, strict=True)).items()
    return ", ".join(name for name, part in given if not any(part is default for default in (False, None, ())))


def solve(
    where: Where,
    *,
    backend: str = "auto",
    options: Mapping[str, object] | None = None,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Answer:
    """Return an `Answer`, with a tour if there is one: ``solve(Board(8, 8), closed=True, backend="sat").tour``.

    At a limit the answer is unknown. Like all functions it raises `BadInput` for a wrong argument.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, such as ``Board(8, 8)``, ``"4x4x3"``, a
      networkx graph, or the path of a graph file. A `Problem` has its parts, and takes none as keywords. Text may
      name a file, as that of ``symmetry`` may, and a ``backend`` a program: pass on nothing that strangers wrote but a
      ``Board.parse(text)`` whose size you have checked.
    - ``backend`` (str, default 'auto'): the backend's name, perhaps with its solver: ``"sat:lazy@glucose4"``.
    - ``options`` (a dict, default None): the backend's own options; ``cpsat-tour backends NAME`` lists them.
    - ``closed`` (bool, default False): whether the tour is closed: its last square is a move away from its first.
    - ``start`` (a square, default None): where the tour begins.
    - ``end`` (a square, default None): where it ends; in a closed tour, which needs a start then, a neighbour of that.
    - ``require`` (pairs of squares, default none): moves that the tour makes, in either direction:
      ``[("a1", "b3")]``.
    - ``forbid`` (pairs of squares, default none): moves that the tour does not make.
    - ``symmetry`` (str, default None): the symmetry that maps the tour to itself: ``"rot180"``, ``"any"``, or the path
      of a file with a permutation.
    - ``givens`` (a dict, default none): the numbers of some visits, counted from 1: ``{"e4": 17}``.
    - ``waypoints`` (squares, default none): squares that are visited in this order: ``["a1", "c3", "e4"]``.
    - ``seed`` (int, default 0): the seed of all random choices, from 0 to 2**31 - 1.
    - ``seconds`` (float, default None): the limit on wall time in seconds; None for no limit.
    - ``threads`` (int, default None): how many threads are used, if the backend can; None for the backend's choice.
    - ``cancel`` (a threading.Event, default None): ends the run as a time limit does, once another thread sets it.
    - ``progress`` (a function, default None): is called with each event of the run: ``progress=print``. If it raises an
      exception, the run ends, and the exception reaches the caller.
    """
    from cpsat_tour.engines.registry import load
    from cpsat_tour.engines.runner import run

    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    with progress_shown(f"seeking a tour with {backend}", progress) as listen:
        return run(problem, load(backend, options), limits, listen, backend)


def hamiltonian_cycle(
    graph: Where,
    *,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> list[Any] | None:
    """Return the nodes of a Hamiltonian cycle in their order, or None if it is proved that there is none:
    ``hamiltonian_cycle(networkx.petersen_graph())``.

    Raises `StoppedEarly` if a limit ends the search first.

    - ``graph`` (a graph, a board or text): a networkx graph, directed or not, or anything else that `solve` takes.
    - The other keywords are those of `solve`.
    """
    return _nodes(
        solve(graph, closed=True, seed=seed, seconds=seconds, threads=threads, cancel=cancel, progress=progress),
        "cycle",
    )


def hamiltonian_path(
    graph: Where,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    *,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> list[Any] | None:
    """Return the nodes of a Hamiltonian path in their order, or None if it is proved that there is none:
    ``hamiltonian_path(networkx.star_graph(3))``.

    Raises `StoppedEarly` if a limit ends the search first.

    - ``graph`` (a graph, a board or text): a networkx graph, directed or not, or anything else that `solve` takes.
    - ``start`` (a node, default None): the node where the path begins; None for any.
    - ``end`` (a node, default None): the node where it ends; None for any.
    - The other keywords are those of `solve`.
    """
    return _nodes(
        solve(
            graph, start=start, end=end, seed=seed, seconds=seconds, threads=threads, cancel=cancel, progress=progress
        ),
        "path",
    )


def _nodes(answer: Answer, kind: str) -> list[Any] | None:
    """Return the nodes of the answer's tour, None if there is no tour; `StoppedEarly` if that is unknown."""
    if answer.unknown:
        raise StoppedEarly(answer.stopped_by or "", f": whether there is a Hamiltonian {kind} is still unknown")
    return None if answer.tour is None else answer.tour.nodes


def tours(
    where: Where,
    *,
    most: int | None = None,
    distinct: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Generator[Tour, None, None]:
    """Yield the tours of a board or a graph as they are found, each once, verified: ``next(tours("8x8",
    closed=True))``.

    Raises `StoppedEarly` when a limit ends the list.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``most`` (int, default None): how many tours are listed; None for all.
    - ``distinct`` (bool, default False): whether of rotations, reflections and reversals of a tour one is listed.
    - ``backend`` (str, default None): the backend; None for ``dfs``, or ``edges`` for all tours and symmetric ones.
    - ``options`` (a dict, default None): the backend's own options, as in `solve`.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.registry import load
    from cpsat_tour.engines.runner import Listing, default_lister

    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    if most is not None:
        whole_number("the number of tours", most, 1)
    name = backend or default_lister(problem, everything=most is None)
    listing = Listing(
        problem,
        load(name, options),
        limits,
        most=most or NO_LIMIT,
        classes=TourClasses(problem) if distinct else None,
        name=name,
    )
    return _yield_tours(listing, progress)


def _yield_tours(listing: Listing, progress: OnEvent | None) -> Generator[Tour, None, None]:
    """Yield the tours of a listing; in a notebook, show the progress."""
    problem = listing.problem
    with progress_shown("listing tours", progress) as listing.on_event:
        for vertices in itertools.chain.from_iterable(listing):
            yield Tour(problem.graph, problem.closed, vertices)


def count(
    where: Where,
    *,
    directed: bool = False,
    backend: str | None = None,
    options: Mapping[str, object] | None = None,
    memory: int | None = None,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> int:
    """Return how many tours a board or a graph has: ``count("6x6", closed=True)`` is 9862.

    The frontier method counts; if it takes long or can't, the edge search lists the tours beside it. At a limit it
    raises `StoppedEarly`, which says how many tours there are at least.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``directed`` (bool, default False): whether a tour and its reverse count as two.
    - ``backend`` (str, default None): the backend that lists the tours; None for the frontier method.
    - ``options`` (a dict, default None): the backend's own options, as in `solve`.
    - ``memory`` (int, default None): the most bytes for the frontier method; None for half of what is free, at most
      12 GiB.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.counts import directed_readings, exact_count

    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    if memory is not None and (
        isinstance(memory, bool) or not isinstance(memory, int | float) or not 0 < memory < math.inf
    ):
        raise BadInput(f"memory can't be {quoted(memory)}: give a number of bytes above 0, such as {1 << 30}")
    with progress_shown("counting tours", progress) as listen:
        known = exact_count(problem, backend, limits, listen, options=options, memory=memory)
    readings = directed_readings(problem) if directed else 1
    if known.number is None:
        least = f"; there are at least {known.at_least * readings:,}" if known.at_least else ""
        raise StoppedEarly(known.stopped_by or "", f": how many {tours_sought(problem, 2)} there are is unknown{least}")
    return known.number * readings


def estimate(
    where: Where,
    *,
    samples: int | None = None,
    directed: bool = False,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Estimate:
    """Return an `Estimate` of how many tours a board or a graph has, from random probes: ``estimate("8x8",
    closed=True).mean``.

    Symmetric tours and given numbers can't be estimated.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``samples`` (int, default None): the number of probes, 2 or more; None for 1,000,000, or all that the time allows.
    - ``directed`` (bool, default False): whether a tour and its reverse count as two.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.counts import estimate as estimate_by_probes

    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    with progress_shown("estimating how many tours there are", progress) as listen:
        return estimate_by_probes(problem, samples, limits, listen, directed=directed)


def best(
    where: Where,
    *,
    minimize: str | None = None,
    maximize: str | None = None,
    backend: str = "auto",
    hint: Sequence[VertexLike] | None = None,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Best:
    """Return the `Best` tour, with the least or the greatest value of an objective: ``best("6x6", minimize="turns",
    closed=True).value``.

    At a limit it is the best so far.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``minimize`` (str, default None): the objective with the least value, ``"turns"`` or ``"crossings"``; give it or
      ``maximize``.
    - ``maximize`` (str, default None): the objective with the greatest value.
    - ``backend`` (str, default 'auto'): the method: ``edges``, ``bounds`` or ``cpsat:lazy``.
    - ``hint`` (a list of squares, default None): a tour to begin with.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.best import optimise
    from cpsat_tour.engines.best_search import goal_of

    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    goal = goal_of(problem, minimize, maximize)
    if isinstance(hint, str) or not isinstance(hint, Iterable | None):
        raise BadInput(f"the hint can't be {hint!r:.80}: give squares in the order of the visit, such as ['a1', 'b3']")
    with progress_shown(f"seeking the {goal.name}", progress) as listen:
        vertices = None if hint is None else [*map(problem.graph.space.vertex, hint)]
        return optimise(goal, backend, limits, listen, vertices)


def fewest_paths(
    where: Where,
    *,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> BestRoutes:
    """Return the fewest tours that together visit each square once, as `BestRoutes`; they are open, or closed with
    ``closed=True``: ``fewest_paths("4x4").value``, how many knights it takes.

    At a limit they are the fewest so far.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - The other keywords are those of `solve`.
    """
    return _best_routes(
        problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints),
        "paths",
        None,
        Limits(seconds, threads=threads, seed=seed, cancel=cancel),
        progress,
    )


def longest_path(
    graph: Where,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    optional: Iterable[VertexLike] | None = None,
    *,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> BestRoutes:
    """Return the longest path of a graph, as `BestRoutes` of one route: ``longest_path(networkx.star_graph(5)).value``.

    At a limit it is the longest so far, with a ``bound``.

    - ``graph`` (a graph, a board or text): a networkx graph, directed or not, or anything else that `solve` takes.
    - ``start`` (a node, default None): the node where the path begins; None for any.
    - ``end`` (a node, default None): the node where it ends; None for any.
    - ``optional`` (nodes, default None): the nodes that may be left out; None for all.
    - The other keywords are those of `solve`.
    """
    return _best_routes(
        problem_of(graph, start=start, end=end),
        "length",
        optional,
        Limits(seconds, threads=threads, seed=seed, cancel=cancel),
        progress,
    )


def longest_cycle(
    graph: Where,
    optional: Iterable[VertexLike] | None = None,
    *,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> BestRoutes:
    """Return the longest cycle of a graph, as `BestRoutes` of one route; its ``value`` is the circumference:
    ``longest_cycle(networkx.petersen_graph()).value``.

    At a limit it is the longest so far, with a ``bound``.

    - ``graph`` (a graph, a board or text): a networkx graph, directed or not, or anything else that `solve` takes.
    - ``optional`` (nodes, default None): the nodes that may be left out; None for all.
    - The other keywords are those of `solve`.
    """
    return _best_routes(
        problem_of(graph, closed=True),
        "length",
        optional,
        Limits(seconds, threads=threads, seed=seed, cancel=cancel),
        progress,
    )


def _best_routes(
    problem: Problem,
    objective: str,
    optional: Iterable[VertexLike] | None,
    limits: Limits,
    progress: OnEvent | None,
) -> BestRoutes:
    """Return the best routes by an objective. The longest may leave out the ``optional`` nodes; None stands for all
    nodes."""
    from cpsat_tour.engines.best import optimise_routes
    from cpsat_tour.engines.best_search import routes_goal

    if isinstance(optional, str) or not isinstance(optional, Iterable | None):
        raise BadInput(f"the optional nodes can't be {optional!r:.80}: give a list of them")
    free = None if optional is None else [problem.graph.space.vertex(which) for which in optional]
    goal = routes_goal(problem, objective, free)
    with progress_shown(f"seeking the {goal.name}", progress) as listen:
        return optimise_routes(goal, limits, listen)


def puzzle(
    where: Where,
    *,
    grade: int = 5,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: bool | Iterable[VertexLike] = False,
    walls: int = 0,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Puzzle | Answer:
    """Return a `Puzzle`, some numbers of a tour that fit no other tour: ``print(puzzle("5x6", closed=True, seed=3))``.

    It takes undirected graphs of 3 to 400 squares. If there is no tour, or none is found in time, an `Answer` says so;
    if the time ends later, it raises `StoppedEarly`. ``isinstance(found, Answer)`` tells them apart.

    - ``where`` (a board, a graph, text, or a `Problem`): what the tour is of, as in `solve`.
    - ``grade`` (int, default 5): how hard it is at most, from 1 to 5; an easier one gives more numbers.
    - ``waypoints`` (bool, default False): whether the numbers are an order, and not places in the tour, as in Zip.
    - ``walls`` (int, default 0): how many walls stand between squares, at most.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.puzzles import HARDEST, make_puzzle

    problem = problem_of(
        where, closed, start, end, require, forbid, symmetry, givens, () if isinstance(waypoints, bool) else waypoints
    )
    limits, grade = (
        Limits(seconds, threads=threads, seed=seed, cancel=cancel),
        whole_number("the grade", grade, 1, HARDEST),
    )
    with progress_shown("making a puzzle", progress) as listen:
        return make_puzzle(
            problem, limits, listen, grade, waypoints=waypoints is True, walls=whole_number("walls", walls, 0)
        )


def decompose(
    where: Where,
    *,
    most: bool = False,
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Decomposition:
    """Return a `Decomposition` of all moves in disjoint closed tours: ``decompose("torus:5x5").tours``.

    At a limit it has the tours so far.

    - ``where`` (a board, a graph or text): what is decomposed, as in `solve`.
    - ``most`` (bool, default False): whether as many tours as possible are sought, and moves may be left over.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.decompose import disjoint_tours

    with progress_shown("seeking disjoint tours", progress) as listen:
        limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
        return disjoint_tours(problem_of(where), limits, listen, most=most)


def filter_graphs(
    graphs: Iterable[str | bytes | Graph | Source | NetworkxGraph],
    *,
    closed: bool = False,
    seconds: float | None = None,
    threads: int = 1,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Iterator[Answer]:
    """Yield an `Answer` for each graph, in their order: ``[bool(answer) for answer in filter_graphs(["D~{", "DQc"],
    closed=True)]``.

    Once it is cancelled, it raises `StoppedEarly`.

    - ``graphs`` (lines and graphs, needed): each a line of graph6, sparse6 or digraph6, a `Graph`, a board, or a
      networkx graph, whose nodes `Tour.nodes` gives back.
    - ``seconds`` (float, default None): the limit on wall time for each graph; None for no limit.
    - ``threads`` (int, default 1): how many threads search.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.graph_stream import CLOSED, OPEN, Batch, line_of, searched

    limits, cancelled = Limits(seconds, threads=threads, cancel=cancel), Clock(None, cancel)
    waiting = deque[Graph | None]()  # None for a graph in a line

    def lines() -> Iterator[bytes]:
        """Yield a line for each graph, and keep the graphs that are not lines."""
        for item in graphs:
            stated = item if isinstance(item, str | bytes) else graph_in(item)
            waiting.append(stated if isinstance(stated, Graph) else None)
            yield line_of(stated) + b"\n"

    given = lines()
    groups = iter(lambda: b"".join(itertools.islice(given, GRAPHS)), b"")
    with closing(searched((Batch.of(group, CLOSED if closed else OPEN) for group in groups), threads)) as found:
        places = ((batch, place) for batch in found for place in range(len(batch.verdicts)))
        for number, (batch, place) in enumerate(places, start=1):
            cancelled.check()
            try:
                yield batch.answer(place, limits, waiting.popleft(), progress)
            except GraphFault as fault:
                raise BadInput(f"graph {number}: {fault}") from None


def prove(
    where: Where,
    *,
    counted: bool = False,
    method: Method = "auto",
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
    seed: int = 0,
    seconds: float | None = None,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Certificate | NotProved:
    """Return a certificate that there is no tour, which the independent checker has accepted: ``prove("4x6",
    closed=True).write("folder")``.

    If there is a tour, or a limit comes first, the result is a `NotProved`, which is false: ``if found := prove(...)``.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``counted`` (bool, default False): whether the certificate is of the number of tours, its ``tours``.
    - ``method`` (str, default 'auto'): ``lp`` for the linear program alone, ``sat`` for the clausal search.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.proofs.write.prove import Method, prove_and_check

    if method not in get_args(Method):
        raise BadInput(f"the method can't be {method!r:.40}: choose one of {', '.join(get_args(Method))}")
    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    limits = Limits(seconds, threads=threads, seed=seed, cancel=cancel)
    with progress_shown("proving how many there are" if counted else "proving that there is none", progress) as listen:
        found = prove_and_check(problem, method, limits, listen, counted=counted)
    return NotProved(found) if isinstance(found, Answer) else found


def check(
    folder: str | os.PathLike[str],
    where: Where | None = None,
    *,
    claim: Kind | None = None,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
) -> Verdict:
    """Return the verdict on the certificate in a folder, checked from the board up; given a board, also whether it is
    about that problem.

    ``check("folder").valid`` is True or False. Raises `StoppedEarly` when the time is over.

    - ``folder`` (a path, needed): the certificate's folder.

    - ``where`` (a board, a graph, text, or a `Problem`; default None): what the certificate has to be about; None for
      anything.
    - ``claim`` (str, default None): what must be proved: ``none``, that there is no tour; ``count``, how many there
      are; ``best``, that none is better.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.proofs.check.folder import KINDS, check as check_folder

    if not isinstance(folder, str | os.PathLike):
        raise BadInput(f"a folder can't be {folder!r:.80}: give the path of a certificate's folder")
    parts = (closed, start, end, require, forbid, symmetry, givens, waypoints)
    if where is None and (given := _given_parts(*parts)):
        raise BadInput(f'{given} can\'t go without a space: say which, such as check(folder, "4x6", closed=True)')
    if claim is not None and claim not in KINDS:
        raise BadInput(f"the claim can't be {claim!r:.40}: choose one of {', '.join(KINDS)}")
    clock = Limits(seconds, cancel=cancel).clock()
    with progress_shown(f"checking {os.fspath(folder)}", progress) as listen:
        expected = None if where is None else problem_of(where, *parts)
        return check_folder(Path(folder), listen, expected, kind=claim, clock=clock)


def export(
    where: Where,
    path: str | os.PathLike[str],
    *,
    form: str | None = None,
    minimize: str | None = None,
    maximize: str | None = None,
    backend: str = "sat:adder",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    force: bool = False,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Moves = (),
    forbid: Moves = (),
    symmetry: str | None = None,
    givens: Givens = (),
    waypoints: Iterable[VertexLike] = (),
) -> Sizes:
    """Write the formula of a problem for another solver, and return its size: ``export("8x8", "formula.cnf",
    closed=True).clauses``. `decode` reads the solver's answer.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    - ``path`` (a path, needed): the file; ``"-"`` prints the formula.
    - ``form`` (str, default None): ``cnf``, ``wcnf``, ``opb``, ``lp``, ``mps``, ``mzn``, ``dzn``, ``xml``, ``asp``,
      ``smt2``, ``qubo``, ``pb``, ``pbtxt``, ``hcp`` or ``tsp``; None for the file's suffix.
    - ``minimize`` (str, default None): the objective of which the formula asks for the least, ``"turns"`` or
      ``"crossings"``; in ``wcnf`` and ``opb``.
    - ``maximize`` (str, default None): the objective of which it asks for the most.
    - ``backend`` (str, default 'sat:adder'): the backend that states the formula.
    - ``options`` (a dict, default None): the backend's own options, as in `solve`.
    - ``force`` (bool, default False): whether an existing file is replaced.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.engines.best_search import goal_of
    from cpsat_tour.engines.registry import load
    from cpsat_tour.engines.runner import formula, undecided
    from cpsat_tour.formats.circuit_files import TsplibFormula
    from cpsat_tour.formats.formula import Cnf

    path, printed = os.fspath(path), os.fspath(path) == "-"
    if not printed:
        check_place(path, force=force)
    problem = problem_of(where, closed, start, end, require, forbid, symmetry, givens, waypoints)
    suffix = form or Path(path).suffix.lstrip(".").lower()
    made: Formula
    if suffix in TsplibFormula.forms:
        made = TsplibFormula(undecided(problem))
    else:
        made = formula(problem, load(backend, options, solving=False), backend, Limits(seed=seed).seed)
    if minimize is not None or maximize is not None:
        if not isinstance(made, Cnf) or made.arcs:
            raise BadInput("this file can't have a goal: write a .wcnf or .opb file from sat:adder")
        made = goal_of(problem, minimize, maximize).stated_in(made)
    suffix = suffix or (next(iter(made.forms)) if printed else "")
    if suffix not in made.forms:
        known = ", ".join(f"{known} ({meaning})" for known, meaning in made.forms.items())
        raise BadInput(f"backend {backend} can't be written as {suffix or path!r}: choose {known}")
    with nullcontext(sys.stdout.buffer) if printed else writing(path) as file:
        sizes = made.write(suffix, file)
        file.flush()
    return sizes


def decode(answer: str | os.PathLike[str], formula: str | os.PathLike[str]) -> Answer:
    """Return the `Answer`, its tour verified, from what another solver printed for a formula of `export`:
    ``decode("answer.txt", "formula.cnf").tour``.

    Raises `NotATour` if the solver's values are not a tour.

    - ``answer`` (a path, needed): the file that the solver wrote, or what it printed.
    - ``formula`` (a path, needed): the file that `export` wrote.
    """
    from cpsat_tour.engines.decoding import answer_of
    from cpsat_tour.formats.formula import read_map

    return answer_of(read_map(os.fspath(formula)), os.fspath(answer))


def draw(
    tour: Tour | Answer | str | os.PathLike[str],
    picture: str | os.PathLike[str],
    *,
    number: int | None = None,
    force: bool = False,
) -> None:
    """Draw a tour, or the verified tour in a file, to a picture: ``draw("tour.json", "tour.svg")``. A drawing that was
    saved as .svg becomes another picture: ``draw("proof/why.svg", "why.pdf")``.

    Raises `TourFault`, which names the first fault, if the file has no tour.

    - ``tour`` (a `Tour`, an `Answer` or a path, needed): the tour, or a .json, .npy or .txt file that has one or
      several, or a drawing. Of routes, and of a decomposition without a ``number``, all are drawn.
    - ``picture`` (a path, needed): the .svg, .png, .pdf, .tikz or .gif file.
    - ``number`` (int, default None): which tour of a file of several is drawn, from 1.
    - ``force`` (bool, default False): whether an existing file is replaced.
    """
    from cpsat_tour.formats.tour_files import read_tours

    check_place(picture, force=force, suffixes=PICTURES)
    if isinstance(tour, Answer):
        if tour.tour is None:
            raise BadInput(f"the answer has no tour to be drawn: it is {tour.status}")
        tour = tour.tour
    elif not isinstance(tour, Tour) and Path(tour).suffix.lower() in PICTURES:
        from cpsat_tour.formats.saving import convert_drawing

        return convert_drawing(tour, Path(picture))
    elif not isinstance(tour, Tour):
        found = read_tours(Path(tour))
        graph, closed = found.problem.graph, found.problem.closed
        if number is None and (found.kind == "routes" or "most" in found.told):
            return Routes(graph, closed, tuple(found.routes or found.rows)).save(picture, force=force)
        if number is None and found.kind == "tours" and len(found.rows) > 1:
            raise BadInput(f"{os.fspath(tour)} has {len(found.rows)} tours: choose one, such as --number 1")
        tour = Tour(graph, closed, found.row(number))
    return tour.save(picture, force=force)


def compare_backends(
    boards: Iterable[str] | str,
    backends: Iterable[str] | str,
    *,
    closed: bool = False,
    seconds: float = 10.0,
    seeds: int = 1,
    jobs: int = 1,
    cancel: threading.Event | None = None,
    progress: OnEvent | None = None,
) -> Comparison:
    """Return a comparison of backends on boards, each run timed in a process of its own and each answer verified:
    ``compare_backends(["6..12:2"], ["sat", "cpsat"], closed=True)``.

    Once it is cancelled, the comparison has the runs made so far.

    - ``boards`` (a list of str, needed): patterns such as ``8x8``, ``6..20:2`` and ``GP(8..50:6,2)``, or the paths of
      graph files; no other graphs, as the runs are made in other processes.
    - ``backends`` (a list of str, needed): names of backends, perhaps with options: ``cpsat linearization=0``.
    - ``seconds`` (float, default 10.0): the limit on the wall time of a run, in seconds.
    - ``seeds`` (int, default 1): how many runs each backend makes on each board.
    - ``jobs`` (int, default 1): how many runs are made at once; 1 for timings to be published.
    - The other keywords are those of `solve`.
    """
    from cpsat_tour.compare.perform import reporting, schedule
    from cpsat_tour.compare.report import Comparison
    from cpsat_tour.compare.study import study_of
    from cpsat_tour.engines.pool import local

    patterns, names = (
        [given] if isinstance(given, str) else items_of("boards and backends", given) for given in (boards, backends)
    )
    if not (patterns and names and all(isinstance(name, str) for name in (*patterns, *names))):
        texts = "boards, or files of graphs, and backends as texts, such as ['6x6', 'my.g6'] and ['sat', 'cpsat']"
        raise BadInput(f"{quoted(boards)} and {quoted(backends)} can't be compared: give {texts}")
    if not Limits(seconds, cancel=cancel).seconds:
        raise BadInput(f"the time limit of a run can't be {seconds!r}: give seconds above 0")
    asked = {
        "boards": patterns,
        "backends": names,
        "kinds": ["closed" if closed else "open"],
        "seeds": seeds,
        "time_limit": seconds,
    }
    todo = study_of("runs", asked).jobs(whole_number("the number of jobs", jobs, 1), "local")
    runs: list[RecordedRun] = []
    with (
        progress_shown(f"comparing {len(names)} backends on {', '.join(patterns)}", progress) as listen,
        local(jobs) as workers,
        suppress(StoppedEarly),
    ):
        schedule(todo, workers, reporting(listen, len(todo), runs.append), heartbeat=Clock(None, cancel).check)
    return Comparison(runs)
