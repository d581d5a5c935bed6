"""The plans of `auto` for each kind of graph: its openings, and the shares of its members.

The shares were found by trial on boards, on public challenge graphs with a cycle (Haythorpe 2015) and on a few random
graphs; they are not optimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

CLAIMED = "it claims that there is no tour, and gives no reason that can be checked"
"""The reason why a part that only claims "none" is out."""


@dataclass(frozen=True)
class Opening:
    """A part's first turn, on graphs of ``least`` to ``most`` vertices, with its limits on work and on seconds."""

    part: str
    work: int
    seconds: float | None = None
    least: int = 0
    most: int = 1 << 31


@dataclass(frozen=True)
class Share:
    """A part by its name in the registry, its share of the time, and a flag, True if its refutations can be checked."""

    part: str
    share: float = 1.0
    refutes: bool = True


@dataclass(frozen=True)
class Plan:
    """The way `auto` searches a kind of graph: its openings, one after the other, then the shares of a portfolio."""

    openings: tuple[Opening, ...]
    shares: tuple[Share, ...]


_finds = partial(Share, refutes=False)
"""The share of a part that finds tours and can at most claim that there is none."""


GLANCE = Opening("rotations", 40_000, 0.4)
"""The part that finds a cycle of most random graphs within hundredths of a second."""

DEGREES = Opening("proof", 0, most=50_000)
"""The part that refutes at once graphs whose degrees can't all be two; other parts do so on small ones alone."""

SMALL = Opening("proof", 1000, 0.5, most=60)
"""The part that refutes small graphs."""

NARROW = Opening("frontier", 10_000_000, most=50_000)
"""The part that answers long, narrow graphs, with a tour or without; their length hardly matters.

On sparse ones a beam finds the tour of most, however many states there are.
"""

LARGE = Opening("frontier", 100_000_000, least=2000, most=50_000)
"""The part that answers large dense graphs that are narrow but for a few hubs, within some seconds, and sparse ones
that resist the rest, within half a minute.

It begins only if it expects to.
"""

PLANS: Mapping[str, Plan] = {
    # Boards, boxes, tori. A sweep makes them easy for sat, and linear programs refute those without a tour: either
    # takes milliseconds. Warnsdorff's rule is a hundred times as fast on large boards.
    "board": Plan(
        (
            Opening("dfs", 100_000, least=5000, most=50_000),
            Opening("dfs", 10_000_000, least=50_001),
            Opening("sat", 2000, 2.0),
            Opening("proof", 40_000, 6.0),
        ),
        (_finds("sat", 3), Share("proof", 3), Share("edges"), _finds("rotations"), Share("dfs")),
    ),
    # Up to 4 edges at a vertex. rotations or sat usually answer first; edges is strong where one choice forces many,
    # frontier where the graph is narrow, sat:arcs on large graphs that resist both.
    "sparse": Plan(
        (
            *(GLANCE, DEGREES, Opening("sat", 500, 1.0), SMALL, NARROW, Opening("rotations", 200_000, 1.0)),
            *(Opening("proof", 1000, 1.5), Opening("edges", 3000), LARGE),
        ),
        (
            *(_finds("sat", 8), Share("edges", 2), Share("proof", 3), Share("frontier", 6)),
            *(_finds("sat:arcs@cadical153"), _finds("sat:arcs@cadical195"), _finds("sat:lazy"), _finds("rotations")),
        ),
    ),
    # More edges, or hubs. Where a solver would state clauses for seconds, a local search walks; what a solver learns
    # counts more than what edges can try. On graphs made to be hard to colour (Mycielski 1955) clingo may have a cycle
    # where the rest has none.
    "dense": Plan(
        (
            *(GLANCE, DEGREES, Opening("sat", 500, 0.5), SMALL, LARGE),
            *(replace(NARROW, most=LARGE.least - 1), Opening("rotations", 120_000, 2.0)),
            *(Opening("proof", 1000, 1.5), Opening("edges", 1000, 1.0), Opening("asp", 30_000, 3.0, most=5000)),
        ),
        (
            *(_finds("sat", 6), _finds("asp", 6), _finds("sat:lazy"), Share("frontier", 6), _finds("rotations", 2)),
            *(Share("proof", 3), Share("edges"), _finds("sat:arcs@cadical153")),
        ),
    ),
    # A required edge at every vertex, as where paths were contracted or vertices split: a 2-factor is but a matching,
    # and a solver learns why it is not one cycle. A local search finds nothing there.
    "paired": Plan(
        (Opening("sat", 2000, 1.5), DEGREES, SMALL, NARROW, Opening("edges", 3000)),
        (_finds("sat", 10), _finds("sat:lazy", 2), Share("frontier"), Share("edges", 0.5), Share("proof", 0.5)),
    ),
    # Gadgets with several ways through them, as where one of a set of vertices is to be visited: what a solver learns
    # about their modes and their symmetries takes it further than anything about edges.
    "gadgets": Plan(
        (DEGREES, Opening("sat:gadgets", 2_000_000, 45.0)),
        (_finds("sat:gadgets", 12), _finds("sat", 3), Share("frontier"), Share("proof")),
    ),
    # A symmetry ties edges together, which halves a board or quarters it; of these parts edges alone refutes.
    "symmetric": Plan(
        (Opening("sat", 2000), Opening("edges", 1000)), (_finds("sat", 2), Share("edges"), _finds("sat:lazy"))
    ),
    # With numbers the rules of the puzzle decide most; where few are given a tour is found by walking.
    "given": Plan(
        (Opening("dfs", 50_000), Opening("numbers", 2000, 2.0)),
        (Share("numbers", 2), Share("dfs"), _finds("sat:onehot"), _finds("cpsat:positions")),
    ),
    # Waypoints cut the tour into sections, of which a solver learns; that there is none only a walk can tell.
    "waypoints": Plan(
        (Opening("dfs", 50_000), Opening("sat", 2000, 2.0)),
        (_finds("sat", 2), Share("dfs"), Share("edges"), _finds("sat:arcs@cadical153"), _finds("cpsat")),
    ),
}

WALK = Opening("dfs", 100_000)
"""The opening for directed graphs with an average of `MANY_ARCS` at each vertex, before their vertices are split."""

MANY_ARCS = 8
