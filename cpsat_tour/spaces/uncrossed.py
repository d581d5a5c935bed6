"""Uncrossed paths and cycles: no two of their moves meet inside both. They need not visit every vertex; how long they
can be is the question.

The squares were solved for the knight by Yarbrough (1968) and, by computer, by Jelliss, Fischer and others; the numbers
of moves are A003192 (open) and A157416 (closed) in the On-Line Encyclopedia of Integer Sequences.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import every_move_is_an_arc, required_and_forbidden_moves
from cpsat_tour.spaces.segments import crossing_moves


def verify_uncrossed(problem: Problem, vertices: Ints) -> None:
    """Raise `TourFault`, naming the first fault, unless these are an uncrossed path (a cycle of at least 3, if closed)
    as the problem asks.

    The problem's ends and its required and forbidden moves hold as they do for tours; only the visit of every vertex is
    not asked.
    """
    graph, name, path = problem.graph, problem.graph.name, np.asarray(vertices)
    what, least = ("cycle", 3) if problem.closed else ("path", 1)
    if len(path) < least:
        raise TourFault(f"a {what} has at least {least} vertices, and this has {len(path)}")
    if len(np.unique(path)) < len(path) or path.min() < 0 or path.max() >= graph.order:
        raise TourFault("a vertex is visited twice, or is none")
    every_move_is_an_arc(graph, path, problem.closed)
    required_and_forbidden_moves(problem, path)
    for end, asked in ((path[0], problem.start), (path[-1], problem.end)):
        if asked is not None and end != asked:
            raise TourFault(f"the path ends at {name(end)}, not at {name(asked)}")
    if len(crossed := crossing_moves(graph.space.points(), path, closed=problem.closed)):
        a, b, c, d = (int(path[place % len(path)]) for move in crossed[0].tolist() for place in (move, move + 1))
        raise TourFault(f"the moves {name(a)}-{name(b)} and {name(c)}-{name(d)} cross")
