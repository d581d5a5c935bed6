"""What a certificate claims: the problem, the method and the cut sets that ``certificate.json`` names.

The versions of libraries in that file are for people and are not looked at; whatever else it holds is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

import numpy as np

from cpsat_tour.core.errors import BadInput, reason
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Named
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.proofs.check.goals import BestClaim
from cpsat_tour.proofs.check.json_text import MAX_BYTES, Place, line_of, read_json
from cpsat_tour.proofs.check.text import Fault, Refused, clipped, shown
from cpsat_tour.spaces.problem_data import WrongData, read_asked, read_space

CLAIM = "certificate.json"

FORMAT = "cpsat-tour certificate 1"

METHODS = ("lp", "clausal")

NO_SPACE = "this is not a space: a board has rows, cols, holes and a leaper"

MEMBERS = {"format", "method", "problem", "tours", "best", "cut_sets", "versions"}

Kind = Literal["none", "count", "best"]
"""What is claimed: that there is no tour, how many there are, or that none is better than one that there is."""

OBJECTIVES = ("turns", "crossings")

MAX_SHOWN = 60
"""Characters of a name that the claim quotes."""

T = TypeVar("T")

_MISSING = object()
_WORDS = {int: "a whole number", str: "a string", list: "a list", dict: "an object", bool: "true or false"}


@dataclass(frozen=True, eq=False)
class Claim:
    """There is no tour for the problem; or exactly so many ``tours``, or none better than the ``best``, if that is not
    None.

    ``cut_sets`` holds sets of vertices of the problem's cycle, the apex being vertex ``graph.order``, or of halves
    where it is directed.
    """

    problem: Problem
    method: str
    cut_sets: list[list[int]]
    sentence: str
    tours: int | None
    best: BestClaim | None
    line: int
    """Where ``certificate.json`` names the problem."""

    @property
    def kind(self) -> Kind:
        """What kind of claim it is."""
        return "count" if self.tours is not None else "none" if self.best is None else "best"


def apex_name(graph: Graph) -> str:
    """What people call the vertex that joins the ends of an open tour: ``apex``, with a prime for each vertex that is
    called so already."""
    names, name = {graph.name(vertex) for vertex in range(graph.order)}, "apex"
    while name in names:
        name += "'"
    return name


def difference(one: Problem, other: Problem) -> str | None:
    """In what two problems differ; None where both ask for the same tours of the same graph, its vertices by the same
    names in the same order."""
    here, there = one.graph, other.graph
    names = ([graph.name(vertex) for vertex in range(graph.order)] for graph in (here, there))
    if next(names) != next(names):
        return "the vertices"
    if here.directed != there.directed or not (
        np.array_equal(here.indptr, there.indptr) and np.array_equal(here.indices, there.indices)
    ):
        return "the moves of the graph"
    differ = (name for name, mine in _conditions(one).items() if mine != _conditions(other)[name])
    return next(differ, None)


def _conditions(problem: Problem) -> dict[str, object]:
    """All that is asked of a tour: where a closed one is written from is not."""
    symmetry = problem.symmetry
    return {
        "whether the tour is closed": problem.closed,
        "the start": problem.start if not problem.closed or problem.end is not None else None,
        "the end": problem.end,
        "the required moves": problem.require,
        "the forbidden moves": problem.forbid,
        "the symmetry": None if symmetry is None else (symmetry.turning, symmetry.images.tolist()),
        "the numbers that are given": problem.givens,
    }


def read_claim(path: Path, most_vertices: int) -> Claim:
    """The claim of the file; `Refused` at its first wrong line. Boards and graphs of more vertices are refused before
    they are built."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(Fault(path.name, 1, f"the file can't be read: {reason(error)}")) from error
    return _Reader(path.name, content, most_vertices).claim()


class _Reader:
    def __init__(self, name: str, content: bytes, most_vertices: int) -> None:
        self._name = name
        self._most_vertices = most_vertices
        self._root, self._text = read_json(name, content)

    def wrong(self, place: Place, reason: str) -> NoReturn:
        raise Refused(Fault(self._name, line_of(self._text, place), reason))

    def field(self, holder: dict[str, Any], place: Place, key: str, kind: type[T]) -> T:
        """The member of an object, which must be there and of its type."""
        return self.typed(holder.get(key, _MISSING), (*place, key), kind)

    def typed(self, value: object, place: Place, kind: type[T]) -> T:
        if value is _MISSING:
            self.wrong(place, f"{_shown_place(place)} is missing")
        if type(value) is not kind:
            given = _WORDS[type(value)] if isinstance(value, list | dict) else shown(value)
            self.wrong(place, f"{_shown_place(place)} must be {_WORDS[kind]}, and is {given}")
        return value

    def words(self, value: object, place: Place) -> list[str]:
        """A list of strings."""
        return [self.typed(word, (*place, index), str) for index, word in enumerate(self.typed(value, place, list))]

    def pairs(self, value: object, place: Place, what: str) -> list[tuple[str, str]]:
        """A list of lists of two strings each."""
        pairs = []
        for index, item in enumerate(self.typed(value, place, list)):
            pair = self.words(item, (*place, index))
            if len(pair) != 2:
                self.wrong((*place, index), f"{what} has two ends, and {shown(item)} has {len(pair)}")
            pairs.append((pair[0], pair[1]))
        return pairs

    def claim(self) -> Claim:
        root = self.typed(self._root, (), dict)
        self._no_others(root, (), MEMBERS)
        if (name := self.field(root, (), "format", str)) != FORMAT:
            self.wrong(("format",), f"the format must be {FORMAT!r}, and is {shown(name)}")
        if (method := self.field(root, (), "method", str)) not in METHODS:
            self.wrong(("method",), f"the method must be one of {', '.join(METHODS)}, and is {shown(method)}")
        problem = self._problem(self.field(root, (), "problem", dict))
        cut_sets = self._cut_sets(undirected(problem), self.field(root, (), "cut_sets", list))
        tours = self.typed(root["tours"], ("tours",), int) if "tours" in root else None
        if tours is not None and (tours < 0 or method != "clausal"):
            self.wrong(
                ("tours",), f"tours are counted from 0 and by clausal proofs, and this is {tours} by method {method}"
            )
        best = self._best(self.field(root, (), "best", dict)) if "best" in root else None
        if best is not None and (tours is not None or method != "clausal"):
            self.wrong(("best",), "the best is proved by clausal proofs, and not together with a count")
        return Claim(
            problem, method, cut_sets, sentence_of(problem, tours, best), tours, best, line_of(self._text, ("problem",))
        )

    def _best(self, given: dict[str, Any]) -> BestClaim:
        self._no_others(given, ("best",), {"objective", "maximize", "value"})
        objective = self.field(given, ("best",), "objective", str)
        if objective not in OBJECTIVES:
            self.wrong(
                ("best", "objective"),
                f"the objective must be one of {', '.join(OBJECTIVES)}, and is {shown(objective)}",
            )
        return BestClaim(
            objective, self.field(given, ("best",), "maximize", bool), self.field(given, ("best",), "value", int)
        )

    def _problem(self, given: dict[str, Any]) -> Problem:
        place: Place = ("problem",)
        kind = "board" if "board" in given else "graph"
        source = self.field(given, place, kind, dict)
        graph = self._board(source) if kind == "board" else self._graph(source)
        try:
            problem = read_asked(graph, {key: value for key, value in given.items() if key != kind})
        except WrongData as fault:
            self.wrong((*place, *fault.path), str(fault))
        if problem.givens:
            self.wrong((*place, "givens"), "numbers are given, and the rows say nothing of numbers")
        if not problem.closed and graph.order == 1:
            self.wrong(
                (*place, "closed"), "an open tour of one vertex is that vertex: the rows say nothing true about it"
            )
        return problem

    def _board(self, given: dict[str, Any]) -> Graph:
        """The graph of a board, or of another space whose moves follow from what it is."""
        place: Place = ("problem", "board")
        try:
            space = read_space(given)
        except WrongData as fault:
            self.wrong((*place, *fault.path), str(fault))
        if space is None:
            self.wrong(place, NO_SPACE)
        if (holes := len(space.without())) < (named := len(given["holes"])):
            self.wrong((*place, "holes"), f"there are {named} holes on {holes} squares: name each hole once")
        self._has_room(len(space), place)
        if not space.layers():  # which lays all squares out
            self.wrong(place, NO_SPACE)
        return space.graph

    def _graph(self, given: dict[str, Any]) -> Graph:
        place: Place = ("problem", "graph")
        directed = "arcs" in given
        moves = "arcs" if directed else "edges"
        self._no_others(given, place, {"vertices", moves})
        names = self.words(given.get("vertices", _MISSING), (*place, "vertices"))
        self._has_room(len(names), (*place, "vertices"), 2 if directed else 1)
        space = Named(names, "the graph")
        for number, name in enumerate(names):
            if space.vertex(name) != number or not name.isprintable():
                fault = "occurs twice" if space.vertex(name) != number else "can't be printed"
                self.wrong((*place, "vertices", number), f"the vertex {shown(name)} {fault}")
        pairs = self.pairs(given.get(moves, _MISSING), (*place, moves), "an arc" if directed else "an edge")
        for number, (one, other) in enumerate(pairs):
            if one == other:
                self.wrong((*place, moves, number), f"a move joins {shown(one)} to itself")
        try:
            edges = [(space.vertex(one), space.vertex(other)) for one, other in pairs]
            return Graph.from_edges(len(names), edges, directed=directed, space=space)
        except BadInput as error:
            self.wrong((*place, moves), str(error))

    def _has_room(self, vertices: int, place: Place, rows: int = 1) -> None:
        """Whether there may be so many rows for each of the vertices."""
        if vertices > (most := self._most_vertices // rows):
            self.wrong(
                place,
                (
                    f"there are {vertices} vertices, and problem.opb is so short that it can't have rows for more "
                    f"than {most}"
                ),
            )

    def _no_others(self, given: dict[str, Any], place: Place, known: set[str]) -> None:
        """A member that this checker doesn't know might change what is claimed."""
        for key in given:
            if key not in known:
                self.wrong((*place, key), f"{shown(key)} is no part of {_shown_place(place)}")

    def _cut_sets(self, problem: Problem, given: list[Any]) -> list[list[int]]:
        graph = problem.graph
        order, apex = graph.order + (not problem.closed), None if problem.closed else apex_name(graph)
        cut_sets = []
        for number, item in enumerate(given):
            place: Place = ("cut_sets", number)
            names = self.words(item, place)
            try:
                inside = [graph.order if name == apex else graph.space.vertex(name) for name in names]
            except BadInput as error:
                self.wrong(place, str(error))
            if len(set(inside)) < len(inside):
                self.wrong(place, f"cut set {number + 1} names a vertex twice")
            if not 0 < len(inside) < order:
                self.wrong(
                    place,
                    f"cut set {number + 1} has {len(inside)} of the {order} vertices: it must have some and not all",
                )
            cut_sets.append(inside)
        return cut_sets


def sentence_of(problem: Problem, tours: int | None = None, best: BestClaim | None = None) -> str:
    """What is claimed of the problem, as people say it: that it has no tour, or exactly so many, or none that is
    better."""
    graph, to = problem.graph, "→" if problem.graph.directed else "-"
    what = graph.space.called() if graph.space.layers() else _described(graph)
    conditions = f", the holes being {_listed(holes)}" if (holes := graph.space.without()) else ""

    def name(vertex: int) -> str:
        return clipped(graph.name(vertex), MAX_SHOWN)

    if problem.start is not None and not problem.closed:
        conditions += f" from {name(problem.start)}"
    if problem.end is not None:
        closing = f" with the move {name(problem.end)}{to}{name(problem.start or 0)}"
        conditions += closing if problem.closed else f" to {name(problem.end)}"
    for word, moves in (("using", problem.require), ("avoiding", problem.forbid)):
        if moves:
            conditions += f", {word} {_listed([f'{name(one)}{to}{name(other)}' for one, other in moves])}"
    if (symmetry := problem.symmetry) is not None:
        conditions += f", mapped to itself by {clipped(symmetry.name, MAX_SHOWN)}"
        if not graph.space.layers():
            moved = np.flatnonzero(symmetry.images != np.arange(graph.order)).tolist()
            conditions += f" ({_listed([f'{name(vertex)} to {name(symmetry.images[vertex])}' for vertex in moved])})"
    count = "no" if tours is None else f"exactly {tours}"
    if best is not None:
        most = "more" if best.maximize else "fewer"
        conditions += f" has {most} than {best.value} {best.objective}, and one has as many"
    return f"{count} {problem.kind} tour{'s' * (tours is not None and tours != 1)} of {what}{conditions}"


def _described(graph: Graph) -> str:
    kind, move = ("directed graph", "arc") if graph.directed else ("graph", "edge")
    vertices = "1 vertex" if graph.order == 1 else f"{graph.order} vertices"
    return f"the {kind} with {vertices} and {graph.size} {move}{'s' * (graph.size != 1)}"


def _listed(names: Sequence[str]) -> str:
    """The names; of more than eight the first ones, and how many more ``certificate.json`` names."""
    more = len(names) - 8
    return ", ".join(names[:8]) + (f" and {more} more that {CLAIM} names" if more > 0 else "")


def _shown_place(place: Place) -> str:
    return ".".join(map(str, place)) or "the file"
