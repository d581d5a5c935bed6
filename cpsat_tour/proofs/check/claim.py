"""What ``certificate.json`` claims: the problem, the method, the cut sets, and perhaps a count or the best.

The versions of libraries in that file are for people and are ignored; other members are refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cpsat_tour.core.errors import BadInput, quoted, shortened
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.reduction import undirected
from cpsat_tour.proofs.check.arithmetic import Fault, Refused, read_json
from cpsat_tour.spaces.joined import Joined
from cpsat_tour.spaces.problem_data import checked_members, read_asked, read_graph, read_space
from cpsat_tour.spaces.symmetry import written_name

CLAIM = "certificate.json"

MEMBERS = {
    "format": Literal["cpsat-tour certificate 1"],
    "method": Literal["lp", "clausal"],
    "problem": dict[str, Any],
    "cut_sets": list[list[str]],
}
"""The members of ``certificate.json``, each with its type."""

MEMBERS_SOMETIMES = {"tours": int, "best": dict[str, Any], "versions": Any}

_PLAIN_NAME = re.compile(r"[\w.]+")
"""Names of vertices that stand in a sentence as they are; others are quoted, so that none passes for a part of it."""

BEST_MEMBERS = {"objective": str, "maximize": bool, "value": int, "shown": bool}

OBJECTIVES = ("turns", "crossings", "length")
"""The objectives that a claim about the best may have."""

Kind = Literal["none", "count", "best", "bound"]
"""The kind of a claim: no tour, how many tours, none better than one that is shown, or none better than a value."""


@dataclass(frozen=True)
class BestClaim:
    """The claim that no tour has fewer, or more, turns or crossings than ``value``; if ``shown``, that a tour has as
    many.

    Or that no tour has more vertices (``length``), though it may leave out the ``optional`` ones.
    `BadInput` if the objective is not one of `OBJECTIVES`.
    """

    objective: str
    maximize: bool
    value: int
    shown: bool = True
    optional: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise BadInput(f"there are no certificates of {self.objective!r:.40}, only of {', '.join(OBJECTIVES)}")

    @property
    def sign(self) -> int:
        """The factor, 1 or -1, by which values are multiplied so that less is better."""
        return -1 if self.maximize else 1

    def vertices_left_out(self, graph: Graph) -> Sequence[int]:
        """Return the vertices that a tour may leave out, increasing."""
        return sorted({*map(graph.space.vertex, self.optional)})


@dataclass(frozen=True, eq=False)
class Claim:
    """The claim that a problem has no tour; that it has exactly ``tours`` tours, or none better than ``best``, if these
    aren't None.

    ``cut_sets`` holds sets of vertices of the undirected problem; its apex is the vertex after the last.
    """

    problem: Problem
    method: str
    cut_sets: list[list[int]]
    tours: int | None
    best: BestClaim | None

    @property
    def kind(self) -> Kind:
        """The kind of the claim: ``none``, ``count``, ``best`` or ``bound``."""
        if self.best is not None:
            return "best" if self.best.shown else "bound"
        return "none" if self.tours is None else "count"

    @property
    def sentence(self) -> str:
        """The claim as a sentence."""
        return sentence_of(self.problem, self.tours, self.best)


def apex_name(graph: Graph) -> str:
    """Return the name of the extra vertex that joins the ends of an open tour: ``apex``, with primes if that is
    taken."""
    names, name = {graph.name(vertex) for vertex in range(graph.order)}, "apex"
    while name in names:
        name += "'"
    return name


# --- reading the file ---


def read_claim(path: Path, most_terms: int) -> Claim:
    """Return the claim in a file; `Refused` if there is none, or its rows need more than ``most_terms`` terms."""
    data = read_json(path)
    try:
        found = checked_members(data, MEMBERS, MEMBERS_SOMETIMES)
        problem, tours, best = _parse_problem(found["problem"], most_terms), found.get("tours"), None
        if "best" in found:
            best = BestClaim(**checked_members(found["best"], BEST_MEMBERS, {"optional": list[str]}))
            length, other = best.objective == "length", problem.graph.directed or problem.symmetry is not None
            if length != bool(best.optional) or (length and (other or not best.maximize or best.value < 1)):
                raise BadInput(
                    "vertices are optional for the longest tour, of a vertex or more, on an undirected graph without a "
                    "symmetry, and for nothing else"
                )
        if tours is not None and (found["method"] != "clausal" or tours < 0):
            raise BadInput("tours are counted from 0, by clausal proofs alone")
        if tours is not None and best is not None:
            raise BadInput("the best is not proved together with tours, which are counted")
        least = 2 if best is not None and best.vertices_left_out(problem.graph) else 1
        cut_sets = _parse_cut_sets(undirected(problem), found["cut_sets"], least)
        return Claim(problem, found["method"], cut_sets, tours, best)
    except (BadInput, RecursionError) as error:
        raise Refused(Fault(path.name, None, str(error))) from error


def _parse_problem(given: dict[str, Any], most_terms: int) -> Problem:
    """Return the problem that the data describe; `BadInput` if it needs more than ``most_terms`` terms."""
    kind = "board" if "board" in given else "graph"
    there = {key: given[key] for key in (kind, "universal") if key in given}
    found = checked_members(there, {kind: dict[str, Any]}, {"universal": int})
    where, universal = found[kind], found.get("universal", 0)
    if kind == "graph":
        graph = read_graph(where)
    else:
        space = read_space(where)
        if space is None or "holes" not in where:
            raise BadInput("problem.board is not a space: a board has rows, cols, holes and a leaper")
        if (holes := len(space.hole_names())) < (named := len(where["holes"])):
            raise BadInput(f"there are {named} holes on {holes} squares: name each hole once")
        _check_room(len(space), 0, most_terms)  # before the graph is built
        graph = space.graph
    parts = 2 if graph.directed else 1
    _check_room(graph.order * parts, graph.size, most_terms)
    if universal:
        _check_room(universal * parts, universal * parts * graph.order, most_terms)  # before it is built
        graph = Joined(graph, universal).graph
    problem = read_asked(graph, {key: value for key, value in given.items() if key not in there})
    if problem.timed:
        raise BadInput(f"{problem.timed} are stated, and the rows say nothing of them")
    if not problem.closed and graph.order == 1:
        raise BadInput("an open tour of one vertex is that vertex: the rows say nothing true about it")
    return problem


def _check_room(vertices: int, edges: int, most_terms: int) -> None:
    """Raise `BadInput` if the rows of the vertices need more than ``most_terms`` terms: one for each edge at a vertex,
    and one for the end of each row."""
    if vertices + 2 * edges > most_terms:
        what = f"{vertices} vertices" + f" and {edges} edges" * bool(edges)
        raise BadInput(f"problem.opb is so short that it can't have the rows of {what}")


def _parse_cut_sets(problem: Problem, named: list[list[str]], least: int) -> list[list[int]]:
    """Return the cut sets, named in the file, as numbers of vertices; the apex is the last vertex.

    Each has ``least`` or more, 2 where the first is outside the set.
    """
    graph = problem.graph
    order, apex = graph.order + (not problem.closed), None if problem.closed else apex_name(graph)
    cut_sets = []
    for number, names in enumerate(named, start=1):
        inside = [graph.order if name == apex else graph.space.vertex(name) for name in names]
        if len(set(inside)) < len(inside):
            raise BadInput(f"cut set {number} names a vertex twice")
        if not least <= len(inside) < order + least - 1:
            some = "some and not all" if least == 1 else "one outside it and some inside"
            raise BadInput(f"cut set {number} has {len(inside)} of the {order} vertices: it must have {some}")
        cut_sets.append(inside)
    return cut_sets


# --- comparing it, and saying it ---


def difference(claimed: Problem, expected: Problem) -> str | None:
    """Return, in words, the first thing in which two problems differ, such as ``the start``; None if they ask for the
    same tours of one graph."""
    theirs = _conditions(expected)
    return next((name for name, condition in _conditions(claimed).items() if condition != theirs[name]), None)


def _conditions(problem: Problem) -> dict[str, object]:
    """Return the graph and all that is asked of a tour, by name, whatever the order of the vertices.

    A closed tour has a start only with an end.
    """
    graph, symmetry, end = problem.graph, problem.symmetry, problem.end
    names: dict[int | None, str] = dict(enumerate(map(graph.name, range(graph.order))))

    def named(moves: Iterable[Move]) -> set[Collection[str]]:
        return {(tuple if graph.directed else frozenset)((names[tail], names[head])) for tail, head in moves}

    return {
        "the vertices": sorted(names.values()),
        "the moves of the graph": (graph.directed, named(zip(*graph.edges(), strict=True))),
        "whether the tour is closed": problem.closed,
        "the start": names.get(problem.start if not problem.closed else None if end is None else problem.start or 0),
        "the end": names.get(end),
        "the required moves": named(problem.require),
        "the forbidden moves": named(problem.forbid),
        "the symmetry": symmetry
        and (symmetry.turning, {names[vertex]: names[image] for vertex, image in enumerate(symmetry.images)}),
        "the numbers that are given": {(names[vertex], number) for vertex, number in problem.givens},
        "the waypoints": [names[vertex] for vertex in problem.waypoints],
    }


def sentence_of(problem: Problem, tours: int | None = None, best: BestClaim | None = None) -> str:
    """Return the claim as a sentence: that the problem has no tour, or exactly so many, or none that is better."""
    graph, symmetry, start, end = problem.graph, problem.symmetry, problem.start, problem.end

    def name(vertex: int) -> str:
        """Return the name of a vertex, shortened, or quoted if it is not plain."""
        word = graph.name(vertex)
        return shortened(word) if _PLAIN_NAME.fullmatch(word) else quoted(word)

    def move(tail: int, head: int) -> str:
        return f"{name(tail)}{'→' if graph.directed else '-'}{name(head)}"

    what = _graph_words(graph)
    words = [f"no {problem.kind} tour of {what}"]
    if tours is not None:
        words = [f"exactly {tours} {problem.kind} tour{'s' * (tours != 1)} of {what}"]
    if holes := graph.space.hole_names():
        words.append(f", the holes being {_first_names(holes)}")
    if not problem.closed:
        words += [f" {word} {name(vertex)}" for word, vertex in (("from", start), ("to", end)) if vertex is not None]
    elif end is not None:
        words.append(f" with the move {move(end, start or 0)}")
    for word, pairs in (("using", problem.require), ("avoiding", problem.forbid)):
        if pairs:
            words.append(f", {word} {_first_names([move(*pair) for pair in pairs])}")
    if symmetry is not None:
        words.append(f", mapped to itself by {shortened(symmetry.name)}")
        if written_name(graph, symmetry) is None:
            moved = [(vertex, image) for vertex, image in enumerate(symmetry.images.tolist()) if vertex != image]
            words.append(f" ({_first_names([f'{name(vertex)} to {name(image)}' for vertex, image in moved])})")
    if best is not None:
        better, counted = "more" if best.maximize else "fewer", best.objective
        if left_out := best.vertices_left_out(graph):
            words[0], counted = f"no {'closed tour' if problem.closed else 'path'} within {what}", graph.nouns[1]
            only = f", leaving out only {_first_names(list(map(name, left_out)))},"
            words.append(only if len(left_out) < graph.order else "")
        words.append(f" has {better} than {best.value} {counted}{', and one has as many' * best.shown}")
    elif isinstance(graph.space, Joined) and problem.closed and tours is None and len(words) == 1:
        paths = "1 path" if graph.space.universal == 1 else f"{graph.space.universal} paths"
        words.append(f": {paths} can't visit every {graph.space.base.nouns[0]}")
    return "".join(words)


def _graph_words(graph: Graph) -> str:
    """Return a phrase for a graph: the name of its space if that determines its moves, else its size."""
    if isinstance(graph.space, Joined):
        return f"{_graph_words(graph.space.base)} and {graph.space.universal_words}"
    if graph.space.layout is not None:
        return graph.space.called()
    vertices = "1 vertex" if graph.order == 1 else f"{graph.order} vertices"
    moves = f"{graph.size} {'arc' if graph.directed else 'edge'}{'s' * (graph.size != 1)}"
    return f"the {'directed ' * graph.directed}graph with {vertices} and {moves}"


def _first_names(names: Sequence[str]) -> str:
    """Return the names joined by commas; of more than eight, the first eight and the number of the others."""
    more = len(names) - 8
    return ", ".join(names[:8]) + (f" and {more} more that {CLAIM} names" if more > 0 else "")
