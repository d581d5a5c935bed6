"""Random graphs around a hidden Hamiltonian cycle: three kinds that are hard for different reasons, drawn with a seed.

Each begins with a cycle through all its vertices in a random order, to which random edges are added, so it has a
Hamiltonian cycle. The edges that are added to n vertices:

* ``strings``: 0.4 n among half the vertices, drawn at random; the others keep degree 2, and force the edges at them.
* ``planted``: 0.625 n between vertices that are at most 100 apart on the cycle, so that most degrees are 3 or 4, and
  many short cycles pass through the vertices of a neighbourhood, all of which a 2-factor may be made of.
* ``hubs``: one vertex of a hundred is joined to a twentieth of all, and 0.1 n are drawn at random.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

Edges = list[tuple[int, int]]

MIN_HIDDEN = 20
MAX_APART = 100


def strings(order: int, seed: int) -> Edges:
    """Many vertices of degree 2."""
    rng, cycle = _cycle(order, seed)
    inner = rng.sample(cycle, order // 2)
    return _around(cycle, _pairs(rng, inner, 2 * order // 5))


def planted(order: int, seed: int) -> Edges:
    """Degrees of 3 and 4, for the most part, and all edges within a neighbourhood."""
    rng, cycle = _cycle(order, seed)
    places = [rng.randrange(order) for _ in range(5 * order // 8)]
    return _around(cycle, [(cycle[place], cycle[(place + rng.randint(2, MAX_APART)) % order]) for place in places])


def hubs(order: int, seed: int) -> Edges:
    """A few vertices of high degree, and little else."""
    rng, cycle = _cycle(order, seed)
    at_hubs = [
        (hub, other) for hub in rng.sample(cycle, max(1, order // 100)) for other in rng.sample(cycle, order // 20)
    ]
    return _around(cycle, at_hubs + _pairs(rng, cycle, order // 10))


def _cycle(order: int, seed: int) -> tuple[random.Random, list[int]]:
    """The hidden cycle, and the chance that drew it."""
    rng = random.Random(seed)
    return rng, rng.sample(range(order), order)


def _pairs(rng: random.Random, vertices: Sequence[int], count: int) -> Edges:
    return [(one, other) for one, other in (rng.sample(vertices, 2) for _ in range(count))]


def _around(cycle: list[int], drawn: Edges) -> Edges:
    """The edges of the cycle and those drawn, but for loops and repeats."""
    edges = [*zip(cycle, cycle[1:] + cycle[:1], strict=True), *drawn]
    return sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]})
