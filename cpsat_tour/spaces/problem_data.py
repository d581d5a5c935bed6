"""Spaces and problems as JSON, written and read in one place for answers, certificates, formulas and the page. The
kinds of space are rows of a table: a new kind is a new file and a row here.

msgspec checks the types; a fault names the member that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, TypeVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.space import Named, VertexLike
from cpsat_tour.spaces.symmetry import symmetry_from_pairs, symmetry_named, written_name


@dataclass(frozen=True)
class Kind:
    """A kind of space: an example of it in writing, its class as ``module:class``, and ``key``, the member of its JSON
    by which it is recognised."""

    example: str
    home: str
    key: str

    @property
    def space_class(self) -> Any:
        """The class of these spaces, imported when it is asked for. Its `parse` reads a text that matches ``written``,
        and its `from_members` takes the ``members`` of its JSON, which have these types."""
        return resolve_name(f"cpsat_tour.spaces.{self.home}")


KINDS = (
    Kind("rows x cols, such as 8x8", "board:Board", "rows"),
    Kind("a wrapped board such as torus:5x5, cylinder:4x7, mobius:3x5 or klein:4x4", "board:Wrapped", "surface"),
    Kind("a box such as 4x4x3", "board:Box", "sides"),
    Kind("a member of a family such as GP(17,2)", "families:Member", "family"),
    Kind("one of these with universal vertices such as 8x8+2", "joined:Joined", "universal"),
)


def is_space(text: str) -> bool:
    """Return True if the text is written like a space, even if there is no such space."""
    return any(kind.space_class.written.fullmatch(text.strip().replace("\u00d7", "x")) for kind in KINDS)


def parse_space(text: str, holes: Sequence[str] = (), leaper: str | None = None) -> Source | None:
    """Return the space of this text, less the holes, with the knight on it if no ``leaper`` is given; None if the text
    has not the form of a space, `BadInput` if there is no such space."""
    text = text.strip().replace("\u00d7", "x")  # the sign of multiplication
    for kind in KINDS:
        if kind.space_class.written.fullmatch(text):
            space: Source = kind.space_class.parse(text, holes, leaper)
            return space
    return None


T = TypeVar("T")

Path = tuple[str | int, ...]
Vertex = str | tuple[int, ...]
"""A vertex in JSON: its name, or its coordinates."""

Pairs = list[tuple[Vertex, Vertex]]

ASKED = {"closed": bool, "start": Vertex | None, "end": Vertex | None, "require": Pairs, "forbid": Pairs}
"""The members of a problem in JSON besides its space, with their types."""

ASKED_SOMETIMES = {"symmetry": str | Pairs, "givens": list[tuple[Vertex, int]], "waypoints": list[Vertex]}
"""The optional members of a problem in JSON, with their types."""


class WrongData(BadInput):
    """A fault in JSON; ``path`` leads from the object to the wrong member."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def checked_members(
    data: Mapping[str, Any], members: Mapping[str, Any], sometimes: Mapping[str, Any] = {}
) -> dict[str, Any]:
    """Return the members of a JSON object, with their types checked; `WrongData` if one is missing, of another type, or
    unknown. Those in ``sometimes`` may be missing."""
    import msgspec  # to solve a problem nothing has to be read

    fields: list[Any] = [*members.items()]
    for name, kind in sometimes.items():
        fields.append((name, kind | msgspec.UnsetType, msgspec.UNSET))
    try:
        found = msgspec.convert(data, msgspec.defstruct("Data", fields, forbid_unknown_fields=True))
    except msgspec.ValidationError as fault:
        sentence, _, where = str(fault).replace("`", "").partition(" - at $")
        steps = re.findall(r"\.(\w+)|\[(\d+)\]|field (\w+)", where or sentence)
        path = tuple(name or field or int(place) for name, place, field in steps)
        raise WrongData(path, f"{'.'.join(map(str, path))}: {sentence}" if path else sentence) from fault
    except UnicodeEncodeError as fault:
        raise WrongData((), f"{fault.object!r:.60} is not text: it has half of a character") from fault
    return {name: getattr(found, name) for name in data}


# --- spaces ---


def read_space(data: Mapping[str, Any]) -> Source | None:
    """Return the space that a JSON object describes; None if it describes none. `WrongData` if there is no such
    space."""
    kind = next((kind for kind in reversed(KINDS) if kind.key in data), None)  # a wrapped board has rows too
    if kind is None:
        return None
    space: Source = _located((), kind.space_class.from_members, **checked_members(data, kind.space_class.members))
    return space


def graph_data(graph: Graph) -> dict[str, Any]:
    """Return a graph as JSON: its vertices by name, its edges, or arcs, and the points where it is drawn, if it has
    them."""
    names = [graph.name(vertex) for vertex in range(graph.order)]
    tails, heads = graph.edges()
    moves = [[names[tail], names[head]] for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    points = {} if graph.space.places is None else {"points": graph.space.places.tolist()}
    return {"vertices": names, "arcs" if graph.directed else "edges": moves} | points


def read_graph(data: Mapping[str, Any]) -> Graph:
    """Return the graph from the JSON that `graph_data` made; `WrongData` for a wrong or repeated name or an edge
    without two ends."""
    moves = "arcs" if "arcs" in data else "edges"
    members = {"vertices": list[str], moves: list[tuple[str, str]]}
    found = checked_members(data, members, {"points": list[tuple[float, float]]})
    names = found["vertices"]
    numbers = {name: vertex for vertex, name in enumerate(names)}
    for vertex, name in enumerate(names):
        wrong = "occurs twice" if numbers[name] != vertex else "" if name.isprintable() else "can't be printed"
        if wrong:
            raise WrongData(("vertices", vertex), f"the vertex {name!r:.60} {wrong}")
    for number, (tail, head) in enumerate(found[moves]):
        if tail == head:
            raise WrongData((moves, number), f"a move joins {tail!r:.60} to itself")
    space = Named(names, "the graph")

    def graph() -> Graph:
        ends = [(space.vertex(tail), space.vertex(head)) for tail, head in found[moves]]
        read = Graph.from_edges(len(names), ends, directed=moves == "arcs", space=space)
        return read.at(found["points"]) if "points" in found else read

    return _located((moves,), graph)


# --- problems ---


def problem_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON: its space, or else its edges, and its other parts. Vertices stand as coordinates or
    names."""
    graph = problem.graph
    return (graph.space.data() or graph_data(graph)) | asked_data(problem, graph.space.vertex_data)


def asked_data(problem: Problem, written: Callable[[int], Any]) -> dict[str, Any]:
    """Return as JSON what a problem asks besides its space: closed, start, end and so on. ``written`` gives a vertex's
    name or coordinates."""

    def pairs(moves: Any) -> list[Any]:
        return [[written(tail), written(head)] for tail, head in moves]

    asked: dict[str, Any] = {
        "closed": problem.closed,
        "start": None if problem.start is None else written(problem.start),
        "end": None if problem.end is None else written(problem.end),
        "require": pairs(problem.require),
        "forbid": pairs(problem.forbid),
    }
    if (symmetry := problem.symmetry) is not None:
        moved = np.flatnonzero(symmetry.images != np.arange(problem.graph.order)).tolist()
        images = [(vertex, int(symmetry.images[vertex])) for vertex in moved]
        asked["symmetry"] = written_name(problem.graph, symmetry) or pairs(images)
    if problem.givens:
        asked["givens"] = [[written(vertex), number] for vertex, number in problem.givens]
    if problem.waypoints:
        asked["waypoints"] = [*map(written, problem.waypoints)]
    return asked


def read_problem(data: Mapping[str, Any], room: int) -> Problem:
    """Return the problem from the JSON that `problem_data` made; `WrongData` if it is wrong. It is also raised, before
    a graph is built, if the space is too large for a file of ``room`` bytes."""
    asked = {key: data[key] for key in (*ASKED, *ASKED_SOMETIMES) if key in data}
    where = {key: value for key, value in data.items() if key not in asked}
    source = read_space(where)
    if source is not None:
        _located((), source.check_size, room)
    return read_asked(read_graph(where) if source is None else source.graph, asked)


def read_asked(graph: Graph, data: Mapping[str, Any]) -> Problem:
    """Return the problem on this graph that asks what the JSON of `asked_data` says; `WrongData` if there is none."""
    asked = checked_members(data, ASKED, ASKED_SOMETIMES)

    def vertex(which: VertexLike, *path: str | int) -> int:
        return _located(path, graph.space.vertex, which)

    def pairs(key: str) -> tuple[Move, ...]:
        found = enumerate(asked.get(key, ()))
        return tuple((vertex(tail, key, number, 0), vertex(head, key, number, 1)) for number, (tail, head) in found)

    start, end = (None if asked[key] is None else vertex(asked[key], key) for key in ("start", "end"))
    symmetry = asked.get("symmetry")
    if isinstance(symmetry, str):
        symmetry = _located(("symmetry",), symmetry_named, graph, symmetry)
    elif symmetry is not None:
        symmetry = _located(("symmetry",), symmetry_from_pairs, graph, pairs("symmetry"))
    givens = tuple(
        (vertex(which, "givens", place, 0), number) for place, (which, number) in enumerate(asked.get("givens", ()))
    )
    waypoints = tuple(vertex(which, "waypoints", place) for place, which in enumerate(asked.get("waypoints", ())))
    parts = (asked["closed"], start, end, pairs("require"), pairs("forbid"), symmetry, givens, waypoints)
    return _located((), Problem, graph, *parts)


def _located(path: Path, make: Callable[..., T], *parts: Any, **named: Any) -> T:
    """Return what ``make`` returns, and name this place in the JSON in an error that it raises."""
    try:
        return make(*parts, **named)
    except BadInput as fault:
        raise WrongData(path, str(fault)) from fault
