"""A problem as JSON, both ways: the one writer and the one reader, for answers, certificates, formulas and whoever else keeps problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import HamiltonProblem, Move
from cpsat_tour.spaces.data import Fields, WrongData
from cpsat_tour.spaces.turns import permutation, symmetry_named, written_name

ASKED = ("closed", "start", "end", "require", "forbid")
"""The members that say what is asked of a graph."""

ASKED_SOMETIMES = ("symmetry", "givens")
"""Those that are there only where they are asked."""


def problem_data(problem: HamiltonProblem) -> dict[str, Any]:
    """The space, or the sizes of a graph that is nothing else, and what is asked, vertices by their coordinates."""
    graph = problem.graph
    where = graph.space.data() or {"vertices": graph.order, "edges": graph.size, "directed": graph.directed}
    return where | asked_data(problem, graph.space.place)


def asked_data(problem: HamiltonProblem, written: Callable[[int], Any]) -> dict[str, Any]:
    """What is asked, with the vertices written like this: by name or by coordinates."""
    moves = {what: [[written(tail), written(head)] for tail, head in getattr(problem, what)] for what in ("require", "forbid")}
    start, end = (None if vertex is None else written(vertex) for vertex in (problem.start, problem.end))
    asked: dict[str, Any] = {"closed": problem.closed, "start": start, "end": end, **moves}
    if problem.symmetry is not None:
        asked["symmetry"] = _symmetry_data(problem.graph, problem.symmetry, written)
    if problem.givens:
        asked["givens"] = [[written(vertex), number] for vertex, number in problem.givens]
    return asked


def _symmetry_data(graph: Graph, symmetry: Symmetry, written: Callable[[int], Any]) -> Any:
    """Its name where the space knows it, else the vertices that it moves, each with the one that it goes to."""
    if (name := written_name(graph, symmetry)) is not None:
        return name
    images = enumerate(symmetry.images.tolist())
    return [[written(vertex), written(image)] for vertex, image in images if vertex != image]


def read_asked(graph: Graph, data: Mapping[str, Any]) -> HamiltonProblem:
    """The problem on the graph that `asked_data` describes, vertices by name or by coordinates; `WrongData` where it describes none."""
    known = Fields(data, (*ASKED, *ASKED_SOMETIMES))
    closed = known.typed(known.member("closed"), ("closed",), bool)
    start, end = (_end(graph, known, key) for key in ("start", "end"))
    require, forbid = (tuple(_pairs(graph, known, key)) for key in ("require", "forbid"))
    symmetry = _symmetry(graph, known, data["symmetry"]) if "symmetry" in data else None
    givens = tuple(_givens(graph, known)) if "givens" in data else ()
    return known.made(HamiltonProblem, graph, closed, start, end, require, forbid, symmetry, givens)


def _symmetry(graph: Graph, known: Fields, value: object) -> Symmetry:
    if isinstance(value, str):
        return known.made(symmetry_named, graph, value)
    return known.made(permutation, graph, _pairs(graph, known, "symmetry"))


def _end(graph: Graph, known: Fields, key: str) -> int | None:
    value = known.member(key)
    return None if value is None else _vertex(graph, known, value, (key,))


def _pairs(graph: Graph, known: Fields, key: str) -> list[Move]:
    moves = []
    for place, move in enumerate(known.members(key)):
        ends = known.typed(move, (key, place), list)
        if len(ends) != 2:
            raise WrongData((key, place), f"an edge has two ends, and this one has {len(ends)}")
        tail, head = (_vertex(graph, known, end, (key, place, number)) for number, end in enumerate(ends))
        moves.append((tail, head))
    return moves


def _givens(graph: Graph, known: Fields) -> Iterator[tuple[int, int]]:
    for place, given in enumerate(known.members("givens")):
        pair = known.typed(given, ("givens", place), list)
        if len(pair) != 2:
            raise WrongData(("givens", place), f"a given is a vertex and its number, and this one has {len(pair)} members")
        number = known.typed(pair[1], ("givens", place, 1), int)
        yield _vertex(graph, known, pair[0], ("givens", place, 0)), number


def _vertex(graph: Graph, known: Fields, value: object, path: tuple[str | int, ...]) -> int:
    which = known.vertex(value, path)
    try:
        return graph.space.vertex(which)
    except BadInput as fault:
        raise WrongData(path, str(fault)) from fault
