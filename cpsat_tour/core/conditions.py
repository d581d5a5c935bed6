"""Necessary conditions for a tour, cheap to test and easy to check by hand: degree, connectivity, colour balance.

A violated condition is a refutation that names its witness. The conditions are not sufficient: a problem that meets all of them may
still have no tour.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import HamiltonProblem


def violated_condition(problem: HamiltonProblem) -> Refutation | None:
    """The first necessary condition that the problem violates, with its witness; None where it meets them all."""
    graph = problem.graph.without(problem.forbid)
    for condition in (
        _every_vertex_can_be_entered_and_left,
        _at_most_two_required_moves_at_each_vertex,
        _connected,
        _colours_balanced,
        turned_by_its_parts,
    ):
        if reason := condition(problem, graph):
            return Refutation("condition", reason)
    return None


def _every_vertex_can_be_entered_and_left(problem: HamiltonProblem, graph: Graph) -> str | None:
    """Degree: in a closed tour each vertex has two tour edges, in an open one all but the two ends."""
    poor = np.flatnonzero(graph.symmetric.degrees < 2)
    if graph.directed or graph.order < 3:
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


def _at_most_two_required_moves_at_each_vertex(problem: HamiltonProblem, graph: Graph) -> str | None:
    used = np.bincount(np.array(problem.require, dtype=np.int64).reshape(-1), minlength=graph.order)
    most = int(used.argmax()) if len(used) else 0
    return f"{used[most]} required moves meet at {graph.name(most)}, and a tour uses two" if len(used) and used[most] > 2 else None


def _connected(_problem: HamiltonProblem, graph: Graph) -> str | None:
    other = np.flatnonzero(graph.components > 0)
    if not other.size:
        return None
    parts = f"the {graph.nouns[1]} fall apart into {graph.components.max() + 1} parts"
    return f"no moves lead from {graph.name(0)} to {graph.name(int(other[0]))}: {parts}"


def _colours_balanced(problem: HamiltonProblem, graph: Graph) -> str | None:
    """On a bipartite graph a tour alternates between the colours, which fixes how many there are of each and of which its ends are."""
    colours = graph.colours
    if colours is None:
        return None
    counts = (graph.order - int(colours.sum()), int(colours.sum()))
    split = f"every move changes colour, and the {graph.order} {graph.nouns[1]} are {counts[0]} of one colour and {counts[1]} of the other"
    if abs(counts[0] - counts[1]) > (0 if problem.closed else 1):
        return split
    if problem.closed:
        return None
    ends = [vertex for vertex in (problem.start, problem.end) if vertex is not None]
    if counts[0] != counts[1]:
        majority = int(counts[1] > counts[0])
        minor = [vertex for vertex in ends if colours[vertex] != majority]
        return f"{split}, so an open tour can't have an end at {graph.name(minor[0])}, which is of the lesser colour" if minor else None
    if len(ends) == 2 and colours[ends[0]] == colours[ends[1]]:
        return f"{split}, so an open tour can't have both ends, {graph.name(ends[0])} and {graph.name(ends[1])}, of one colour"
    return None


def turned_by_its_parts(problem: HamiltonProblem, graph: Graph) -> str | None:
    """Symmetry: on a closed tour it is a rotation or a reflection, and a rotation by an odd number of moves changes all colours.

    A reflection keeps two places, vertices or moves, and a rotation none; on an open tour there is one place besides the ends' being
    exchanged. A rotation whose orbits have d vertices goes on by a multiple of n/d moves that is odd times n/d if d is even.
    """
    symmetry, order = problem.symmetry, graph.order
    if symmetry is None or graph.directed or symmetry.is_identity:
        return None
    images = symmetry.images
    tails, heads = graph.edges()
    fixed = int((images == np.arange(order)).sum())
    turned = int((images[tails] == heads)[images[heads] == tails].sum())
    places = symmetry.places(closed=problem.closed)
    if places is not None and not 0 <= places - fixed <= turned:
        kept = f"{symmetry.name} keeps {fixed} of the {graph.nouns[1]} and {turned} of the moves in place"
        return f"{kept}, and {_PLACES[symmetry.turning if problem.closed else 'open']}"
    colours = graph.colours
    if not problem.closed or colours is None or (symmetry.turning != "along" and (fixed or turned > 1)):
        return None
    orbit, there = 1, images
    while there[0] != 0:
        orbit, there = orbit + 1, images[there]
    swaps, part = bool(colours[0] != colours[images[0]]), order // orbit
    if orbit % 2 or order % orbit or swaps == bool(part % 2):
        return None
    by = f"{part} moves" if orbit == 2 else f"an odd multiple of {part} moves"
    does, parity = ("exchanges", "even") if swaps else ("keeps", "odd")
    return f"{symmetry.name} {does} the two colours of the {graph.nouns[1]}, and moves a closed tour along itself by {by}, an {parity} number"


_PLACES = {
    "open": "an open tour that it turns over has one such place",
    "either": "a closed tour that it takes to itself has two such places or none",
    "along": "a closed tour that it moves along itself has no such place",
    "over": "a closed tour that it turns over has two such places",
}
