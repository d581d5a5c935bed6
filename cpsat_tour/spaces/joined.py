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
from cpsat_tour.spaces.problem_data import is_space, parse_space

MAX_UNIVERSAL = 1 << 12


class _Written:
    """The form of what is typed for such a space: a space, a plus sign, and what should be a number, as a path is not
    written."""

    def fullmatch(self, text: str) -> bool:
        """Return True if the text has the form."""
        base, plus, number = text.rpartition("+")
        return bool(plus) and {*"./\\"}.isdisjoint(number) and is_space(base)


@dataclass(frozen=True, repr=False)
class Joined(Source):
    """The space of a ``base`` graph and so many ``universal`` vertices, which come last and are called ``*1``, ``*2``,
    …; `BadInput` if there are none or too many."""

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
        """Return the space whose JSON has these members."""
        from cpsat_tour.spaces.problem_data import read_space

        if (source := read_space(members["of"])) is None:
            raise BadInput("of: it is not a space")
        return cls(source.graph, members["universal"])

    def __str__(self) -> str:
        return f"{self.whole}+{self.universal}"

    def __len__(self) -> int:
        return self.base.order + self.universal

    @cached_property
    def _stars(self) -> str:
        """What the names of universal vertices begin with, and no name of the base does."""
        names, stars = [self.base.name(vertex) for vertex in range(self.base.order)], "*"
        while any(name.startswith(stars) for name in names):
            stars += "*"
        return stars

    def name(self, vertex: int) -> str:
        first = self.base.order
        return self.base.name(vertex) if vertex < first else f"{self._stars}{vertex - first + 1}"

    def find(self, which: VertexLike) -> int:
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
        """Return the base, and the paths on it into which the universal vertices part a closed tour."""
        order, turned = self.base.order, np.roll(tour, -int(tour.argmax()))
        return self.base, [path[path < order] for path in np.split(turned, np.flatnonzero(turned >= order))[1:]]

    def called(self, directed: bool = False) -> str:
        return f"{self.whole.called(directed)} and {self.universal_words}"

    def hole_names(self) -> list[str]:
        return self.whole.hole_names()

    def data(self) -> dict[str, Any] | None:
        of = self.whole.data()
        return None if of is None else {"universal": self.universal, "of": of}

    @property
    def edge_bound(self) -> int:
        """The number of edges, or arcs."""
        return self.base.size + self.universal * self.base.order * (2 if self.base.directed else 1)

    @cached_property
    def graph(self) -> Graph:
        base, universal = self.base, np.arange(self.base.order, len(self))
        added = np.stack([np.repeat(universal, base.order), np.tile(np.arange(base.order), self.universal)], axis=1)
        edges = np.concatenate([np.stack(base.edges(), axis=1), added, *([added[:, ::-1]] if base.directed else [])])
        graph = Graph.from_edges(len(self), edges, directed=base.directed, space=self)
        return replace(graph, required=base.required, checked=True)
