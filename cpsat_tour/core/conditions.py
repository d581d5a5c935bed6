"""What is known of a problem before any search: small ones are decided, and there are necessary conditions that are
easy to check by hand.

The conditions are degree, connectivity and colour balance. A violated one is a refutation that names its witness. They
are not sufficient: a problem that meets all of them may still have no tour.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.answer import Answer, Refutation
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.timetable import timetable


def known_of_tours(problem: Problem) -> Answer | None:
    """What `decide_degenerate` and the necessary conditions say."""
    if (decided := decide_degenerate(problem)) is not None:
        return decided
    violated = violated_condition(problem)
    return None if violated is None else Answer("none", refutation=violated)


def decide_degenerate(problem: Problem) -> Answer | None:
    """The answer where the problem is too small for the reduction or contradicts itself; None where a backend has to
    find it.

    Decided here: fewer than three vertices (but a directed open problem on two is left open); a vertex without moves;
    equal ends; a move both required and forbidden; a closed tour whose end has no move to its start; an open tour that
    requires the move between its own ends; givens that no walk can reach in time.
    """
    graph, name = problem.graph, problem.graph.name
    if graph.order == 0:
        return Answer.without_tour("condition", "a graph without vertices has no tour")
    if graph.order == 1:
        lacking = f"a closed tour needs at least 3 {graph.nouns[1]}, and there is 1"
        return Answer.without_tour("condition", lacking) if problem.closed else Answer.with_tour(problem, [0])
    if problem.start is not None and problem.start == problem.end:
        return Answer.without_tour(
            "condition", f"the tour can't both start and end at {name(problem.start)} and visit another vertex"
        )
    if both := set(problem.require) & set(problem.forbid):
        tail, head = min(both)
        return Answer.without_tour("condition", f"the move {name(tail)}-{name(head)} is both required and forbidden")
    allowed = graph.without(problem.forbid)
    if not allowed.symmetric.degrees.all():
        isolated = int(allowed.symmetric.degrees.argmin())
        return Answer.without_tour("condition", f"{name(isolated)} has no move at all")
    if graph.order == 2 and (problem.closed or not graph.directed):
        return _decide_two_vertices(problem, allowed)
    if problem.start is not None and problem.end is not None:
        move = (problem.end, problem.start)
        if problem.closed and not allowed.has_arc(*move):
            return Answer.without_tour(
                "condition", f"there is no move from the end {name(move[0])} to the start {name(move[1])}"
            )
        if not problem.closed and (move in problem.require or (not graph.directed and move[::-1] in problem.require)):
            return Answer.without_tour(
                "condition",
                f"the required move {name(move[0])}-{name(move[1])} would close the tour between its own ends",
            )
    reason = timetable(problem).contradiction if problem.givens else None
    return None if reason is None else Answer.without_tour("condition", reason)


def _decide_two_vertices(problem: Problem, allowed: Graph) -> Answer:
    """Both arcs, there and back, are what an undirected open tour (written either way) and a directed closed one
    need."""
    if problem.closed and not problem.graph.directed:
        return Answer.without_tour("condition", "a closed tour needs at least 3 vertices, and there are 2")
    if allowed.has_arc(0, 1) and allowed.has_arc(1, 0):
        for tour in ((0, 1), (1, 0)):
            ends_meet = problem.start in (None, tour[0]) and problem.end in (None, tour[1])
            if ends_meet and all(tour[number - 1] == vertex for vertex, number in problem.givens):
                return Answer.with_tour(problem, tour)
    return Answer.without_tour("condition", "neither order of the two vertices is a tour")


def violated_condition(problem: Problem) -> Refutation | None:
    """The first necessary condition that the problem violates, with its witness; None where it meets them all."""
    graph = problem.graph.without(problem.forbid)
    reason = (
        _few_moves(problem, graph)
        or (problem.require and _too_many_required_moves(problem, graph))
        or _falls_apart(problem, graph)
        or _colours_differ(problem, graph)
        or (problem.symmetry is not None and turned_by_its_parts(problem, graph))
    )
    return Refutation("condition", reason) if reason else None


def _few_moves(problem: Problem, graph: Graph) -> str | None:
    """Degree: in a closed tour each vertex has two tour edges, in an open one all but the two ends."""
    poor = np.flatnonzero(graph.degrees < 2)
    if graph.directed or graph.order < 3 or not poor.size:
        return None
    allowed = 0 if problem.closed else 2
    if len(poor) > allowed:
        names = ", ".join(graph.name(int(vertex)) for vertex in poor[: allowed + 1])
        have, few = ("has", "none") if allowed == 0 else ("each have", f"only two {graph.nouns[1]}")
        return f"{names} {have} fewer than two moves, and {few} may"
    ends = [vertex for vertex in (problem.start, problem.end) if vertex is not None]
    if not problem.closed and len(ends) == 2 and (inner := np.setdiff1d(poor, ends)).size:
        return f"{graph.name(int(inner[0]))} has fewer than two moves and is not an end"
    return None


def _too_many_required_moves(problem: Problem, graph: Graph) -> str | None:
    """Of arcs at most one to each vertex, and one from it; at the ends of an open tour one less."""
    ways = (("meet at", 2, (0, 1)),) if not graph.directed else (("lead to", 1, (1,)), ("lead from", 1, (0,)))
    for way, room, sides in ways:
        vertices = np.array(problem.require, dtype=np.int64).reshape(-1, 2)[:, sides].ravel()
        uses = np.bincount(vertices, minlength=graph.order)
        if (uses > room).any():
            most = int(uses.argmax())
            tour = "a tour makes one" if room == 1 else "a tour uses two"
            return f"{uses[most]} required moves {way} {graph.name(most)}, and {tour}"
        for end, word, side in ((problem.start, "starts", 1), (problem.end, "ends", 0)):
            if not problem.closed and side in sides and end is not None and uses[end] == room:
                moves = f"{room} required move{'s' * (room > 1)}"
                return (
                    f"the tour {word} at {graph.name(end)}, and {moves} there leave{'s' * (room == 1)} no room for that"
                )
    return None


def _falls_apart(problem: Problem, graph: Graph) -> str | None:
    """A tour leads from any vertex to any other, and a closed one back, along arcs too."""
    parts = int(graph.components.max(initial=0)) + 1
    if parts > 1:
        other = graph.name(int(np.flatnonzero(graph.components)[0]))
        return f"no moves lead from {graph.name(0)} to {other}: the {graph.nouns[1]} fall apart into {parts} parts"
    if not (graph.directed and problem.closed and graph.order):
        return None
    for way, onwards in ((graph, True), (graph.reversed, False)):
        if (apart := np.flatnonzero(~way.reached_from(0))).size:
            ends = (graph.name(0), graph.name(int(apart[0])))
            return "no way leads from {} to {}".format(*(ends if onwards else ends[::-1]))
    return None


def _colours_differ(problem: Problem, graph: Graph) -> str | None:
    """On a bipartite graph a tour alternates between the colours, which fixes how many there are of each and of which
    its ends are."""
    colours = graph.colours
    if colours is None:
        return None
    counts = (graph.order - int(colours.sum()), int(colours.sum()))
    split = (
        f"every move changes colour, and the {graph.order} {graph.nouns[1]} are {counts[0]} of one colour and "
        f"{counts[1]} of the other"
    )
    if abs(counts[0] - counts[1]) > (0 if problem.closed else 1):
        return split
    if problem.closed:
        return None
    ends = [vertex for vertex in (problem.start, problem.end) if vertex is not None]
    if counts[0] != counts[1]:
        majority = int(counts[1] > counts[0])
        minor = [vertex for vertex in ends if colours[vertex] != majority]
        return (
            f"{split}, so an open tour can't have an end at {graph.name(minor[0])}, which is of the lesser colour"
            if minor
            else None
        )
    if len(ends) == 2 and colours[ends[0]] == colours[ends[1]]:
        return (
            f"{split}, so an open tour can't have both ends, {graph.name(ends[0])} and {graph.name(ends[1])}, of "
            "one colour"
        )
    return None


def turned_by_its_parts(problem: Problem, graph: Graph) -> str | None:
    """Symmetry: on a closed tour it is a rotation or a reflection, and a rotation by an odd number of moves changes all
    colours.

    A reflection keeps two places, vertices or moves, and a rotation none; on an open tour there is one place besides
    the ends' being exchanged.
    """
    symmetry = problem.symmetry
    if symmetry is None or graph.directed or (symmetry.is_identity and symmetry.turning != "over"):
        return None
    images = symmetry.images
    tails, heads = graph.edges()
    fixed = int((images == np.arange(graph.order)).sum())
    turned = int((images[tails] == heads)[images[heads] == tails].sum())
    if reason := symmetry.lacking_places(fixed, turned, closed=problem.closed, nouns=graph.nouns[1]):
        return reason
    rotates = symmetry.turning == "along" or not (fixed or turned > 1)
    return _rotated_by_the_wrong_parity(symmetry, graph) if problem.closed and rotates else None


def _rotated_by_the_wrong_parity(symmetry: Symmetry, graph: Graph) -> str | None:
    """A rotation whose orbits have d of n vertices goes on by a multiple of n/d moves, which is odd times n/d if d is
    even."""
    colours, images = graph.colours, symmetry.images
    if colours is None:
        return None
    orbit, image = 1, images[0]
    while image != 0:
        orbit, image = orbit + 1, images[image]
    swaps, part = bool(colours[0] != colours[images[0]]), graph.order // orbit
    if orbit % 2 or graph.order % orbit or swaps == bool(part % 2):
        return None
    by = f"{part} moves" if orbit == 2 else f"an odd multiple of {part} moves"
    does, parity = ("exchanges", "even") if swaps else ("keeps", "odd")
    return (
        f"{symmetry.name} {does} the two colours of the {graph.nouns[1]}, and moves a closed tour along itself by "
        f"{by}, an {parity} number"
    )
