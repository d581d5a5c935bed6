"""The runner: asks a backend, verifies what it says, and hands on nothing that is not true.

Every tour goes through `verify` and into canonical form here, whichever backend found it. A wrong tour is a `BackendFault` that names the
first wrong move, never an answer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from cpsat_tour.backends.registry import Backend, Enumerator, load
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.interrupts import interruptible
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import decide_degenerate
from cpsat_tour.core.space import VertexLike
from cpsat_tour.core.tour import Tour, canonical, verify
from cpsat_tour.spaces.lattice import Lattice


def run(problem: HamiltonProblem, backend: Backend, limits: Limits | None = None, on_event: OnEvent | None = None, name: str = "") -> Answer:
    """The backend's answer to the problem, its tour verified and in canonical form, with the seconds it took.

    `BadInput` where the backend does not take such problems, `BackendFault` where it answers wrongly, `Interrupted` on Ctrl-C.
    """
    limits = limits or Limits()
    name = name or type(backend).__name__.lower()
    _refuse_directed(problem, backend, name)
    clock = limits.clock()
    answer = interruptible(lambda listen: decide_degenerate(problem) or backend.solve(problem, limits, listen), on_event, name)
    if not isinstance(answer, Answer):
        raise BackendFault(f"backend {name} returned {type(answer).__name__}, not an Answer")
    return checked_answer(problem, dataclasses.replace(answer, seconds=clock.seconds, backend=name))


def checked_answer(problem: HamiltonProblem, answer: Answer) -> Answer:
    """The answer with its tour in canonical form; `BackendFault` if that is none."""
    if answer.status != "tour":
        return answer
    if answer.tour is None:
        raise BackendFault(f"backend {answer.backend} said that there is a tour and gave none")
    return dataclasses.replace(answer, tour=_checked(problem, answer.tour.vertices, answer.backend))


def run_all(problem: HamiltonProblem, backend: Backend, limits: Limits | None = None, name: str = "") -> Iterator[Tour]:
    """All tours of the problem that the backend lists, each verified and in canonical form."""
    limits = limits or Limits()
    name = name or type(backend).__name__.lower()
    enumerator = enumerator_for(problem, backend, name)
    decided = decide_degenerate(problem)
    if decided is None:
        found: Iterable[Ints] = enumerator.tours(problem, limits)
    else:
        found = [decided.tour.vertices] if decided.tour else []
    for vertices in found:
        yield _checked(problem, vertices, name)


def enumerator_for(problem: HamiltonProblem, backend: Backend, name: str) -> Enumerator:
    """The backend as one that lists all tours of the problem; `BadInput` if it does not."""
    _refuse_directed(problem, backend, name)
    if not isinstance(backend, Enumerator):
        raise BadInput(f"backend {name} can't list all tours: choose another")
    return backend


def _refuse_directed(problem: HamiltonProblem, backend: Backend, name: str) -> None:
    if problem.graph.directed and not backend.takes_directed:
        raise BadInput(f"backend {name} takes undirected graphs only: use dfs or cpsat for this directed one")


def _checked(problem: HamiltonProblem, vertices: Ints, name: str) -> Tour:
    try:
        verify(problem, vertices)
    except TourFault as fault:
        raise BackendFault(f"backend {name} returned a wrong tour: {fault}") from fault
    return Tour(problem.graph, problem.closed, canonical(problem, vertices))


def solve(
    where: Lattice | Graph,
    *,
    closed: bool = False,
    start: VertexLike | None = None,
    end: VertexLike | None = None,
    require: Iterable[tuple[VertexLike, VertexLike]] = (),
    forbid: Iterable[tuple[VertexLike, VertexLike]] = (),
    backend: str = "auto",
    options: Mapping[str, str] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Answer:
    """One tour of a board or a graph: ``solve(Board(8, 8), closed=True, backend="sat").tour``.

    Squares may be given in any notation of `Board.square`; the vertices of a graph as ints or by name.
    """
    if not isinstance(where, Lattice | Graph):
        raise BadInput(f"can't solve {where!r:.80}: give a Board or a Graph, such as Board(8, 8)")
    graph = where if isinstance(where, Graph) else where.graph
    vertex = graph.space.vertex
    problem = HamiltonProblem(
        graph,
        closed,
        None if start is None else vertex(start),
        None if end is None else vertex(end),
        tuple((vertex(tail), vertex(head)) for tail, head in require),
        tuple((vertex(tail), vertex(head)) for tail, head in forbid),
    )
    return run(problem, load(backend, options), Limits(seconds=seconds, seed=seed, threads=threads), name=backend)
