"""A problem as JSON, both ways: the one writer and the one reader, for answers, certificates, formulas and whoever else
keeps problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.space import Named
from cpsat_tour.spaces.data import Fields, WrongData
from cpsat_tour.spaces.kinds import from_data
from cpsat_tour.spaces.turns import permutation, symmetry_named, written_name

ASKED = ("closed", "start", "end", "require", "forbid")
"""The members that say what is asked of a graph."""

ASKED_SOMETIMES = ("symmetry", "givens")
"""Those that are there only where they are asked."""


def problem_data(problem: Problem) -> dict[str, Any]:
    """The space, or the graph itself where it was made from nothing else, and what is asked, vertices by their
    coordinates or names; `read_problem` reads it."""
    graph = problem.graph
    return (graph.space.data() or graph_data(graph)) | asked_data(problem, graph.space.place)


def graph_data(graph: Graph) -> dict[str, Any]:
    """The vertices of a graph by name, and its edges, or arcs."""
    names = [graph.name(vertex) for vertex in range(graph.order)]
    tails, heads = graph.edges()
    moves = [[names[tail], names[head]] for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    return {"vertices": names, "arcs" if graph.directed else "edges": moves}


def read_problem(data: Mapping[str, Any], most: int | None = None) -> Problem:
    """The problem that `problem_data` describes; `WrongData` where it describes none, or its space has more vertices
    than ``most``, before the graph is built."""
    asked = {key: data[key] for key in (*ASKED, *ASKED_SOMETIMES) if key in data}
    where = {key: value for key, value in data.items() if key not in asked}
    source = from_data(where)
    if source is not None and most is not None and len(source) > most:
        raise WrongData((), f"{source.called()} has {len(source)} {source.nouns[1]}, and at most {most} are expected")
    return read_asked(_read_graph(where) if source is None else source.graph, asked)


def _read_graph(data: Mapping[str, Any]) -> Graph:
    moves = "arcs" if "arcs" in data else "edges"
    known = Fields(data, ("vertices", moves))
    names = [known.typed(name, ("vertices", place), str) for place, name in enumerate(known.members("vertices"))]
    if len(set(names)) < len(names):
        raise WrongData(("vertices",), "two vertices have the same name")
    space = Named(names, "the graph")
    ends = [
        (known.made(space.vertex, tail), known.made(space.vertex, head))
        for tail, head in _twos(known, moves, "an edge has two ends")
    ]
    return known.made(partial(Graph.from_edges, directed=moves == "arcs", space=space), len(names), ends)


def asked_data(problem: Problem, written: Callable[[int], Any]) -> dict[str, Any]:
    """What is asked, with the vertices written like this: by name or by coordinates."""
    moves = {
        what: [[written(tail), written(head)] for tail, head in getattr(problem, what)]
        for what in ("require", "forbid")
    }
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


def read_asked(graph: Graph, data: Mapping[str, Any]) -> Problem:
    """The problem on the graph that `asked_data` describes, vertices by name or by coordinates; `WrongData` where it
    describes none."""
    known = Fields(data, (*ASKED, *ASKED_SOMETIMES))
    closed = known.typed(known.member("closed"), ("closed",), bool)
    start, end = (_end(graph, known, key) for key in ("start", "end"))
    require, forbid = (tuple(_pairs(graph, known, key)) for key in ("require", "forbid"))
    symmetry = None
    if "symmetry" in data:
        named = isinstance(data["symmetry"], str)
        symmetry = known.made(
            symmetry_named if named else permutation,
            graph,
            data["symmetry"] if named else _pairs(graph, known, "symmetry"),
        )
    givens = tuple(_givens(graph, known)) if "givens" in data else ()
    return known.made(Problem, graph, closed, start, end, require, forbid, symmetry, givens)


def _end(graph: Graph, known: Fields, key: str) -> int | None:
    value = known.member(key)
    return None if value is None else _vertex(graph, known, value, (key,))


def _pairs(graph: Graph, known: Fields, key: str) -> list[Move]:
    return [
        (_vertex(graph, known, tail, (key, place, 0)), _vertex(graph, known, head, (key, place, 1)))
        for place, (tail, head) in enumerate(_twos(known, key, "an edge has two ends"))
    ]


def _givens(graph: Graph, known: Fields) -> Iterator[tuple[int, int]]:
    for place, (vertex, number) in enumerate(
        _twos(known, "givens", "a given has two members, a vertex and its number")
    ):
        yield _vertex(graph, known, vertex, ("givens", place, 0)), known.typed(number, ("givens", place, 1), int)


def _twos(known: Fields, key: str, sentence: str) -> Iterator[list[Any]]:
    """The members of a list, each a list of two, as the sentence says."""
    for place, member in enumerate(known.members(key)):
        two = known.typed(member, (key, place), list)
        if len(two) != 2:
            raise WrongData((key, place), f"{sentence}, and this one has {len(two)}")
        yield two


def _vertex(graph: Graph, known: Fields, value: object, path: tuple[str | int, ...]) -> int:
    which = known.vertex(value, path)
    try:
        return graph.space.vertex(which)
    except BadInput as fault:
        raise WrongData(path, str(fault)) from fault
