"""Families of graphs by name: tests for formulations, without the order of the squares of a board.

``GP(17,2)`` is the generalised Petersen graph of Watkins 1969: an outer ring of n vertices, n inner ones each joined to
those k places on, and spokes between the two. Its Hamiltonian members are known (Robertson 1968, Alspach 1983).
``cubic(100,3)`` is a random graph of 100 vertices, each with three neighbours, drawn with the seed 3: pairs of
points are drawn until no two join the same vertices (Bollobás 1980). Nearly all of these are Hamiltonian (Robinson &
Wormald 1992).

``strings(1000,1)``, ``planted(1000,1)``, ``hubs(1000,1)``, ``chains(1000,1)`` and ``gadgets(47,1)`` are random graphs
around a hidden cycle, hard for different reasons; ``strings-none(1000,1)`` and so on have Petersen's graph in place of
a vertex of degree 3, eight vertices more, and no cycle.

``Tutte`` is Tutte's graph of 46 vertices (1946), which refuted Tait's conjecture on polyhedra, and ``TuttePrism(10)``
has a prism in place of one of them; ``Horton`` (Bondy & Murty 1976) and ``EllinghamHorton(78)`` and ``(54)``
(Ellingham 1981, Ellingham & Horton 1983) refuted Tutte's own on bipartite graphs.

``J(5)`` is the flower snark of Isaacs 1975, ``Sheehan(10)`` the graph of most edges that has exactly one Hamiltonian
cycle (Sheehan 1977), ``Kneser(7,2)`` joins disjoint subsets (Kneser 1955), ``Q(4)`` is a hypercube, ``Petersen`` and
``Coxeter`` are the two graphs of that name. ``xor9(20,1)`` strings 20 copies of a nine-vertex gadget together at
random, with seed 1 (Stertenbrink 2023): hard from some 20 copies on.

``Z(5,3)`` is directed: from each vector of 3 numbers modulo 5 an arc leads to those with one number greater by 1, as in
the Cayley digraph of a power of a cyclic group. Knuth's note "Claude's Cycles" (2026) decomposes Z(m,3) for odd m.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput, suggest
from cpsat_tour.core.graph import MAX_VERTICES, Graph, Source
from cpsat_tour.core.space import Numbered, VertexLike
from cpsat_tour.spaces import family_graphs as graphs
from cpsat_tour.spaces.lattice import KNIGHT, read_leaper


@dataclass(frozen=True)
class Family:
    """A family of graphs: an example of its name, the number of vertices and the edges of the member with these
    parameters, which parameters are allowed, as a rule in words and as a test, and a bound on the average degree. Where
    vertices are vectors, ``sides`` has the range of each of their numbers, and the edges are arcs."""

    example: str
    order: Callable[..., int]
    edges: Callable[..., Iterable[tuple[int, int]]]
    rule: str = ""
    allowed: Callable[..., bool] = lambda *_: True
    degree: Callable[..., int] = lambda *_: 4
    sides: Callable[..., tuple[int, ...]] = lambda *_: ()


MIN_HIDDEN = 20

_HALF = "k is at least 1 and less than n/2"


def _hidden(
    name: str, edges: Callable[[int, int], graphs.Edges], unit: int = 1, least: int = MIN_HIDDEN, dense: int = 0
) -> dict[str, Family]:
    """Return the rows of a family around a hidden cycle, whose members have so many units of vertices, and of its star
    products with Petersen's graph, which have no cycle; each has an average degree of at most 4, and n / ``dense``
    more if that is given."""
    most, none, star = 1000 // unit, f"{name}-none", graphs.with_petersen(edges)
    rest = f"n is at least {least}", lambda n, _: n >= least, lambda n, _: 4 + (n // dense if dense else 0)
    return {
        name: Family(f"{name}({most},1)", lambda n, _: unit * n, edges, *rest),
        none: Family(f"{none}({most},1)", lambda n, _: unit * n + 8, star, *rest),
    }


def _subsets(n: int, k: int) -> int:
    """Return the number of subsets of k of n things; if it is above `MAX_VERTICES`, some number above that, and without
    computing it."""
    number = 1
    for chosen in range(min(k, n - k)):
        if number > MAX_VERTICES:
            break
        number = number * (n - chosen) // (chosen + 1)
    return number


FAMILIES: Mapping[str, Family] = {
    "GP": Family("GP(17,2)", lambda n, _: 2 * n, graphs.petersen, _HALF, lambda n, k: 1 <= k < n / 2),
    "cubic": Family(
        "cubic(100,3)", lambda n, _: n, graphs.cubic, "n is even and at least 4", lambda n, _: n >= 4 and n % 2 == 0
    ),
    "J": Family("J(5)", lambda k: 4 * k, graphs.flower, "k is odd and at least 5", lambda k: k >= 5 and k % 2 == 1),
    "Sheehan": Family(
        "Sheehan(10)", lambda n: n, graphs.sheehan, "n is at least 4", lambda n: n >= 4, lambda n: n // 2 + 2
    ),
    "Kneser": Family(
        "Kneser(7,2)", _subsets, graphs.kneser, _HALF, lambda n, k: 1 <= k < n / 2, lambda n, k: _subsets(n - k, k)
    ),
    "Q": Family("Q(4)", lambda n: 1 << n, graphs.hypercube, "n is 1 to 16", lambda n: 1 <= n <= 16, lambda n: n),
    "Petersen": Family("Petersen", lambda: 10, lambda: graphs.petersen(5, 2)),
    "Coxeter": Family("Coxeter", lambda: 28, graphs.coxeter),
    "Tutte": Family("Tutte", lambda: 46, lambda: graphs.written_out(graphs.TUTTE)),
    "TuttePrism": Family(
        "TuttePrism(10)", lambda n: 44 + 2 * n, graphs.tutte_prism, "n is at least 3", lambda n: n >= 3
    ),
    "EllinghamHorton": Family(
        "EllinghamHorton(54)",
        lambda n: n,
        lambda n: graphs.written_out(graphs.ELLINGHAM_HORTON[n]),
        f"n is {' or '.join(map(str, graphs.ELLINGHAM_HORTON))}",
        lambda n: n in graphs.ELLINGHAM_HORTON,
    ),
    "Horton": Family("Horton", lambda: 96, lambda: graphs.written_out(graphs.HORTON)),
    "xor9": Family("xor9(20,1)", lambda k, _: 9 * k, graphs.xor9, "there are at least 16 copies", lambda k, _: k >= 16),
    "Z": Family(
        "Z(5,3)",
        lambda m, d: min(m**d, 2 * MAX_VERTICES),
        graphs.cayley,
        "m is at least 2 and d is 1 to 24",
        lambda m, d: m >= 2 and 1 <= d <= 24,
        lambda _, d: 2 * d,
        lambda m, d: (m,) * d,
    ),
    **_hidden("strings", graphs.strings),
    **_hidden("planted", graphs.planted),
    **_hidden("hubs", graphs.hubs, dense=1000),
    **_hidden("chains", graphs.chains),
    **_hidden("gadgets", graphs.gadgets, 21, 4),
}
"""The families by name, a row each."""


@dataclass(frozen=True)
class Member(Numbered, Source):
    """A member of a family as a space: its vertices are numbered."""

    family: str
    parameters: tuple[int, ...]

    members: ClassVar[dict[str, Any]] = {"family": str}
    written: ClassVar[re.Pattern[str]] = re.compile(
        rf"({'|'.join(FAMILIES)})(?:\(([0-9]{{1,18}}(?:,[0-9]{{1,18}})?)\))?", re.IGNORECASE
    )

    @classmethod
    def parse(cls, name: str, holes: Sequence[str] = (), leaper: str = "1,2") -> Member:
        """Return the member of this name; `BadInput` if there is none, or holes or a leaper are given."""
        if holes or read_leaper(leaper) != KNIGHT:
            raise BadInput(f"{name} is a graph, not a board: it takes no {'holes' if holes else 'leaper'}")
        match = cls.written.fullmatch(name)
        family = next((known for known in FAMILIES if match and known.lower() == match[1].lower()), "")
        parameters = tuple(map(int, match[2].split(","))) if match and match[2] else ()
        if match is None:
            examples = ", ".join(row.example for known, row in FAMILIES.items() if not known.endswith("-none"))
            hint = suggest(name.partition("(")[0], FAMILIES)
            write = hint if hint.startswith("did") else f"write rows x cols, such as 8x8, or one of {examples}"
            raise BadInput(f"{name[:80]!r} is not a board, a file or a graph of a family: {write}")
        if len(parameters) != len(re.findall(r"[(,]", FAMILIES[family].example)):
            raise BadInput(f"{name!r} is not a member of a family: write one such as {FAMILIES[family].example}")
        if max(parameters, default=0) >= 10**6:
            raise BadInput(f"{name} is too large: give numbers of at most six digits")
        if not FAMILIES[family].allowed(*parameters):
            raise BadInput(f"there is no graph {name}: {FAMILIES[family].rule}, as in {FAMILIES[family].example}")
        member = cls(FAMILIES[family].order(*parameters), family, parameters)
        member.check_size()
        return member

    @classmethod
    def from_members(cls, **members: Any) -> Member:
        """Return the member whose JSON has these members."""
        return cls.parse(members["family"])

    def data(self) -> dict[str, Any]:
        return {"family": str(self)}

    def __str__(self) -> str:
        return f"{self.family}({','.join(map(str, self.parameters))})" if self.parameters else self.family

    def called(self, _directed: bool = False) -> str:
        return f"the {'directed ' * bool(self._sides)}graph {self}"

    @property
    def _sides(self) -> tuple[int, ...]:
        """The ranges of the numbers of a vertex that is a vector."""
        return FAMILIES[self.family].sides(*self.parameters)

    def name(self, vertex: int) -> str:
        return ",".join(map(str, np.unravel_index(vertex, self._sides))) if self._sides else super().name(vertex)

    def find(self, which: VertexLike) -> int:
        if not self._sides:
            return super().find(which)
        with suppress(TypeError, ValueError, OverflowError):
            numbers: Any = which.split(",") if isinstance(which, str) else which
            return int(np.ravel_multi_index(tuple(map(int, numbers)), self._sides))
        first, last = self.name(0), self.name(self.order - 1)
        raise BadInput(f"{which!r:.40} is not a vertex of {self.called()}: its vertices are {first} to {last}")

    @property
    def edge_bound(self) -> int:
        """The number of edges, by the degree of the family, or a greater one."""
        return self.order * FAMILIES[self.family].degree(*self.parameters) // 2

    @cached_property
    def graph(self) -> Graph:
        family = FAMILIES[self.family]
        ends = np.fromiter(chain.from_iterable(family.edges(*self.parameters)), dtype=np.int32)
        return Graph.from_edges(self.order, ends.reshape(-1, 2), directed=bool(self._sides), space=self)
