"""Decides tiny and contradictory problems, and checks necessary conditions for a tour, without a search.

The conditions are on degrees, connectivity, cut vertices, colours and symmetry, and easy to check by hand: a violated
one is a refutation that names its witness. A problem that meets all of them may still have no tour.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.presolve.forced_edges import why_cut


def violated_condition(problem: Problem) -> Refutation | None:
    """Return the first necessary condition that the problem violates, with its witness; None if it meets all."""
    graph = problem.graph.without(problem.forbid)
    reason = (
        _why_too_few_moves(problem, graph)
        or (problem.require and _why_too_many_required_moves(problem, graph))
        or _why_not_connected(problem, graph)
        or (graph.directed and graph.order > 2 and why_cut(to_cycle(problem)))  # undirected: see `simplify`
        or why_colours_cannot_alternate(problem, graph)
        or (problem.symmetry is not None and why_symmetry_fails(problem, graph))
    )
    return Refutation("condition", reason) if reason else None


def _why_too_few_moves(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence on vertices that have fewer than two edges and can't all be ends; else None."""
    poor, ends = np.flatnonzero(graph.degrees < 2), [] if problem.closed else _fixed_ends(problem)
    if graph.directed or graph.order < 3:
        return None
    if problem.closed or len(ends) == 2:
        inner = np.setdiff1d(poor, ends)
        inside = "" if problem.closed else " and is not an end"
        return f"{graph.name(int(inner[0]))} has fewer than two moves{inside}" if inner.size else None
    names = ", ".join(graph.name(int(vertex)) for vertex in poor[:3])
    few = f"each have fewer than two moves, and only two {graph.nouns[1]} may"
    return f"{names} {few}" if len(poor) > 2 else None


def _fixed_ends(problem: Problem) -> list[int]:
    """Return the ends that the problem fixes."""
    return [vertex for vertex in (problem.start, problem.end) if vertex is not None]


def _why_too_many_required_moves(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence on a vertex where more required moves meet than a tour makes; else None."""
    ways = (("meet at", 2, (0, 1)),) if not graph.directed else (("lead to", 1, (1,)), ("lead from", 1, (0,)))
    for way, room, sides in ways:
        vertices = np.array(problem.require, dtype=np.int64).reshape(-1, 2)[:, sides].ravel()
        uses = np.bincount(vertices, minlength=graph.order)
        if uses[most := int(uses.argmax())] > room:
            tour = "a tour makes one" if room == 1 else "a tour uses two"
            return f"{uses[most]} required moves {way} {graph.name(most)}, and {tour}"
        for end, word, side in ((problem.start, "starts", 1), (problem.end, "ends", 0)):
            if not problem.closed and side in sides and end is not None and uses[end] == room:
                moves = "1 required move there leaves" if room == 1 else "2 required moves there leave"
                return f"the tour {word} at {graph.name(end)}, and {moves} no room for that"
    return None


def _why_not_connected(problem: Problem, graph: Graph) -> str | None:
    """Return two vertices that no path joins, in words; None if the graph is connected (strongly, for a closed
    tour)."""
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


def why_colours_cannot_alternate(problem: Problem, graph: Graph) -> str | None:
    """Return why the two colours can't alternate along a tour with these ends; None if they can, or there are none.

    They have the names of the shades of a board where they are these.
    """
    colours = graph.colours
    if colours is None:
        return None
    counts = (graph.order - int(colours.sum()), int(colours.sum()))
    ends, wrong = [] if problem.closed else _fixed_ends(problem), None
    minor = [vertex for vertex in ends if counts[colours[vertex]] < counts[1 - colours[vertex]]]
    if problem.closed and counts[0] != counts[1]:
        wrong = "a closed tour visits equally many of both"
    elif abs(counts[0] - counts[1]) > 1:
        wrong = "in an open tour these numbers differ by at most one"
    elif minor:
        wrong = f"an open tour can't have an end at {graph.name(minor[0])}, which is of the lesser colour"
    elif len(ends) == 2 and counts[0] == counts[1] and colours[ends[0]] == colours[ends[1]]:
        wrong = f"an open tour can't have both ends, {' and '.join(map(graph.name, ends))}, of one colour"
    if wrong is None:
        return None
    most, least = "of one colour", "of the other"
    if (layout := graph.space.layout) is not None:
        is_dark = layout.dark == (colours == int(counts[1] > counts[0]))
        if is_dark.all():
            most, least = "dark", "light"
        elif not is_dark.any():
            most, least = "light", "dark"
    sides = f"{max(counts)} {most} and {min(counts)} {least}"
    return f"every move changes colour, and the {graph.order} {graph.nouns[1]} are {sides}: {wrong}"


def why_symmetry_fails(problem: Problem, graph: Graph) -> str | None:
    """Return why no tour has the symmetry, by its fixed places and by the colours; else None.

    On a closed tour a reflection has two fixed places and a rotation none, and a rotation by an odd number of moves
    changes all colours. With orbits of d of the n vertices it moves a tour by a multiple of n/d moves, an odd multiple
    if d is even. On an open tour there is one fixed place.
    """
    symmetry = problem.symmetry
    if symmetry is None or graph.directed or (symmetry.is_identity and symmetry.turning != "over"):
        return None
    images = symmetry.images
    tails, heads = graph.edges()
    fixed = int((images == np.arange(graph.order)).sum())
    turned = int((images[tails] == heads)[images[heads] == tails].sum())
    if reason := symmetry.wrong_fixed_places(fixed, turned, closed=problem.closed, nouns=graph.nouns[1]):
        return reason
    rotates = symmetry.turning == "along" or not (fixed or turned > 1)
    if not (problem.closed and rotates) or (colours := graph.colours) is None:
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
