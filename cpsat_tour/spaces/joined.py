"""A space and some universal vertices, each joined to all vertices of the space: ``8x8+2``.

A closed tour of it that visits k universal vertices is k disjoint paths that together visit all of the space: the
universal vertices stand between the paths. So "k paths do not suffice" is "no closed tour of the space and k universal
vertices", which every backend and every proof can answer. The universal vertices are not joined to each other: where
fewer paths suffice, one of them can be cut in two, as long as there are vertices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.space import Ints, Space, VertexLike
from cpsat_tour.spaces.problem_data import is_space, parse_space, read_space

MAX_UNIVERSAL = 1 << 12


class _Written:
    """Matches the text of such a space, like a regular expression: a space, a plus sign, and what should be a number.
    Paths don't match."""

    def fullmatch(self, text: str) -> bool:
        """Return True if the text is written like ``8x8+2``."""
        base, plus, number = text.rpartition("+")
        return bool(plus) and {*"./\\"}.isdisjoint(number) and is_space(base)


@dataclass(frozen=True, repr=False)
class Joined(Source):
    """A space with added vertices: the ``base`` graph and ``universal`` vertices that are joined to all of it. They
    come last and are called ``*1``, ``*2``, …; `BadInput` if there are none or too many."""

    base: Graph = field(compare=False)
    universal: int
    whole: Space = field(init=False)

    members: ClassVar[dict[str, Any]] = {"universal": int, "of": dict[str, Any]}
    written: ClassVar[_Written] = _Written()

    def __post_init__(self) -> None:
        whole_number("the number of universal vertices", self.universal, 1, MAX_UNIVERSAL)
        vars(self)["whole"] = self.base.space
        self.check_size()

    @classmethod
    def parse(cls, text: str, holes: Sequence[str] = (), leaper: str | None = None) -> Joined:
        """Return the space that is typed as ``8x8+2``; `BadInput` if there is none."""
        base, _, number = text.rpartition("+")
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise BadInput(
                f"{text!r:.40} is not a space: after + comes a number of universal vertices, such as {base}+2"
            )
        source = parse_space(base, holes, leaper)
        assert source is not None
        return cls(source.graph, int(number))

    @classmethod
    def from_members(cls, **members: Any) -> Joined:
        """Return the space from the members of its JSON object."""
        if (source := read_space(members["of"])) is None:
            raise BadInput("of: it is not a space")
        return cls(source.graph, members["universal"])

    def __str__(self) -> str:
        return f"{self.whole}+{self.universal}"

    def __len__(self) -> int:
        return self.base.order + self.universal

    @cached_property
    def _stars(self) -> str:
        """The stars that names of universal vertices begin with; no name of the base begins so."""
        names, stars = [self.base.name(vertex) for vertex in range(self.base.order)], "*"
        while any(name.startswith(stars) for name in names):
            stars += "*"
        return stars

    def name(self, vertex: int) -> str:
        """Return the name of the vertex: that in the base, or ``*1``, ``*2``, … for a universal one."""
        first = self.base.order
        return self.base.name(vertex) if vertex < first else f"{self._stars}{vertex - first + 1}"

    def find(self, which: VertexLike) -> int:
        """Return the vertex with this name (or coordinates, in the base); `BadInput` if there is none."""
        if isinstance(which, str) and which.startswith(self._stars):
            stars = [self.name(vertex) for vertex in range(self.base.order, len(self))]
            if which not in stars:
                raise BadInput(f"{which!r:.40} is not a vertex: the universal ones are {stars[0]} to {stars[-1]}")
            return self.base.order + stars.index(which)
        return self.whole.find(which)

    @property
    def universal_words(self) -> str:
        """The universal vertices in words: ``2 universal vertices``."""
        return f"{self.universal} universal {'vertex' if self.universal == 1 else 'vertices'}"

    def apart(self, tour: Ints) -> tuple[Graph, list[Ints]]:
        """Return the base graph, and the paths on it that are left of a closed tour without the universal vertices."""
        order, turned = self.base.order, np.roll(tour, -int(tour.argmax()))
        return self.base, [path[path < order] for path in np.split(turned, np.flatnonzero(turned >= order))[1:]]

    def called(self, directed: bool = False) -> str:
        """Return the space in words: ``the 8x8 board and 2 universal vertices``."""
        return f"{self.whole.called(directed)} and {self.universal_words}"

    def hole_names(self) -> list[str]:
        """Return the names of the holes of the base."""
        return self.whole.hole_names()

    def data(self) -> dict[str, Any] | None:
        """Return the JSON object of the base and the number of universal vertices; None if the base has none."""
        of = self.whole.data()
        return None if of is None else {"universal": self.universal, "of": of}

    @property
    def edge_bound(self) -> int:
        """The number of edges, or arcs."""
        return self.base.size + self.universal * self.base.order * (2 if self.base.directed else 1)

    @cached_property
    def graph(self) -> Graph:
        """The base graph with the universal vertices joined to all vertices."""
        base, universal = self.base, np.arange(self.base.order, len(self))
        added = np.stack([np.repeat(universal, base.order), np.tile(np.arange(base.order), self.universal)], axis=1)
        edges = np.concatenate([np.stack(base.edges(), axis=1), added, *([added[:, ::-1]] if base.directed else [])])
        graph = Graph.from_edges(len(self), edges, directed=base.directed, space=self)
        return replace(graph, required=base.required, checked=True)
