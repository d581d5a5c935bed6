"""A problem as JSON, both ways: the one writer and the one reader, for answers, certificates, formulas and whoever else keeps problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import HamiltonProblem, Move
from cpsat_tour.spaces.data import Fields, WrongData

ASKED = ("closed", "start", "end", "require", "forbid")
"""The members that say what is asked of a graph."""


def problem_data(problem: HamiltonProblem) -> dict[str, Any]:
    """The space, or the sizes of a graph that is nothing else, and what is asked, vertices by their coordinates."""
    graph = problem.graph
    where = graph.space.data() or {"vertices": graph.order, "edges": graph.size, "directed": graph.directed}
    return where | asked_data(problem, graph.space.place)


def asked_data(problem: HamiltonProblem, written: Callable[[int], Any]) -> dict[str, Any]:
    """What is asked, with the vertices written like this: by name or by coordinates."""
    moves = {what: [[written(tail), written(head)] for tail, head in getattr(problem, what)] for what in ("require", "forbid")}
    start, end = (None if vertex is None else written(vertex) for vertex in (problem.start, problem.end))
    return {"closed": problem.closed, "start": start, "end": end, **moves}


def read_asked(graph: Graph, data: Mapping[str, Any]) -> HamiltonProblem:
    """The problem on the graph that `asked_data` describes, vertices by name or by coordinates; `WrongData` where it describes none."""
    known = Fields(data, ASKED)
    closed = known.typed(known.member("closed"), ("closed",), bool)
    start, end = (_end(graph, known, key) for key in ("start", "end"))
    require, forbid = (_moves(graph, known, key) for key in ("require", "forbid"))
    return known.made(HamiltonProblem, graph, closed, start, end, require, forbid)


def _end(graph: Graph, known: Fields, key: str) -> int | None:
    value = known.member(key)
    return None if value is None else _vertex(graph, known, value, (key,))


def _moves(graph: Graph, known: Fields, key: str) -> tuple[Move, ...]:
    moves = []
    for place, move in enumerate(known.members(key)):
        ends = known.typed(move, (key, place), list)
        if len(ends) != 2:
            raise WrongData((key, place), f"an edge has two ends, and this one has {len(ends)}")
        tail, head = (_vertex(graph, known, end, (key, place, number)) for number, end in enumerate(ends))
        moves.append((tail, head))
    return tuple(moves)


def _vertex(graph: Graph, known: Fields, value: object, path: tuple[str | int, ...]) -> int:
    which = known.vertex(value, path)
    try:
        return graph.space.vertex(which)
    except BadInput as fault:
        raise WrongData(path, str(fault)) from fault
