"""Lattices: squares along two or three axes, some of them holes, and moves that are the same steps everywhere.

Squares are counted row by row with the last axis fastest. The vertices are the squares that are not holes, in this
order, and wherever people give or get an int it is the number of a vertex; the number of a square, counted with the
holes, is for the holes themselves. A subclass states its sides, the steps of a move and the names of its squares;
graph, coordinates and symmetries follow.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import permutations, product, repeat
from math import prod
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from cpsat_tour.core.errors import BadInput, items_of, whole_number
from cpsat_tour.core.graph import MAX_VERTICES, Graph, Source, row_starts
from cpsat_tour.core.space import Ints, VertexLike

MAX_WRITTEN = 80
"""Characters of the longest sides, leaper or square that are read."""

MAX_HOLES_SHOWN = 12
"""Holes that a short form names."""

Leaper: TypeAlias = tuple[int, ...] | tuple[tuple[int, ...], ...]
"""The lengths of a move along the axes, in any order, the least first; or several such, of a piece that has all these
moves."""

LeaperLike: TypeAlias = Leaper | Sequence[tuple[int, ...]] | str
"""A leaper as people give it, perhaps by its name."""

KNIGHT = (1, 2)

MOVES: Mapping[str, Leaper] = {
    "wazir": (0, 1),
    "fers": (1, 1),
    "dabbaba": (0, 2),
    "knight": KNIGHT,
    "alfil": (2, 2),
    "threeleaper": (0, 3),
    "camel": (1, 3),
    "zebra": (2, 3),
    "tripper": (3, 3),
    "giraffe": (1, 4),
    "king": ((0, 1), (1, 1)),
}
"""The pieces that have a name."""

WRITTEN_MOVES = rf"{'|'.join(MOVES)}|[0-9]+(?:,[0-9]+)+(?:\+[0-9]+(?:,[0-9]+)+)*"
"""The pattern of the leapers that people write before a board: ``king``, ``1,4`` or ``0,3+2,2``."""
_SIDES = {"cols": "columns", "height": "layers"}

_COORDINATES = re.compile(r"[0-9]+(?:\s*,\s*[0-9]+)*")
_LEAPER = re.compile(r"\(?\s*[0-9]+(?:\s*,\s*[0-9]+)+\s*\)?")


LATTICE_MEMBERS = {"holes": list[str | tuple[int, ...]], "leaper": tuple[int | tuple[int, ...], ...]}
"""The members that all lattices have in JSON, each with its type."""


class Lattice(Source):
    """Squares in rows and columns, less the holes, and the leaper that walks on them."""

    nouns = ("square", "squares")

    max_edges: ClassVar[int] = 1 << 26

    holes: frozenset[int]
    leaper: Leaper
    """Two lengths of a move, or as many as there are axes; or several such."""

    @property
    @abstractmethod
    def sides(self) -> tuple[int, ...]:
        """The number of rows, of columns and so on."""

    @abstractmethod
    def steps(self) -> Sequence[tuple[int, ...]]:
        """Return every step that the leaper has, each as its number of rows, of columns and so on; negative ones
        too."""

    @abstractmethod
    def square_name(self, square: int) -> str:
        """Return the name of a square, counted with the holes as in `square`, which may be one."""

    @abstractmethod
    def read_name(self, name: str) -> tuple[int, ...] | None:
        """Return row, column and so on of the square of this name, which may lie outside; None if it is not the name
        of a square."""

    @abstractmethod
    def extent(self) -> str:
        """Return the range of the names of squares: ``on the 8x8 board: files a to h, ranks 1 to 8``."""

    @classmethod
    def from_members(cls, **members: Any) -> Self:
        """Return the lattice whose JSON has these members."""
        return cls(**members)

    @property
    def noun(self) -> str:
        """The noun for such a space in messages: ``board``."""
        return type(self).__name__.lower()

    def data(self) -> dict[str, Any]:
        """Return the holes by their coordinates, and the leaper; a subclass adds its sides."""
        leaper = [list(part) if isinstance(part, tuple) else part for part in self.leaper]
        return {"holes": np.argwhere(self.grid < 0).tolist(), "leaper": leaper}

    @property
    def leapers(self) -> tuple[tuple[int, ...], ...]:
        """The leapers whose moves the piece has, one or several."""
        several = cast(tuple[tuple[int, ...], ...], self.leaper)
        return several if isinstance(self.leaper[0], tuple) else (self.leaper,)

    @property
    def piece(self) -> str:
        """The leaper as people type it: ``1,4``, ``king``, ``0,3+2,2``."""
        named = (name for name, leaper in MOVES.items() if leaper == self.leaper and len(self.leapers) > 1)
        return next(named, "+".join(",".join(map(str, leaper)) for leaper in self.leapers))

    def __str__(self) -> str:
        return "x".join(map(str, self.sides))

    @property
    def bare_name(self) -> str:
        """The name of the space without holes and leaper: ``the 8x8 board``."""
        return f"the {'x'.join(map(str, self.sides))} {self.noun}"

    def called(self, _directed: bool = False) -> str:
        less = f" without {len(self.holes)} square{'s' * (len(self.holes) > 1)}" if self.holes else ""
        named = next((name for name, leaper in MOVES.items() if leaper == self.leaper), "")
        leaper = named if named == self.piece else f"{named} ({self.piece})" if named else f"{self.piece} leaper"
        by = f" by a{'n' * (leaper[0] == 'a')} {leaper}" if self.leaper != KNIGHT else ""
        return f"{self.bare_name}{less}{by}"

    def __repr__(self) -> str:
        holes = " ".join(self.hole_names()) if len(self.holes) <= MAX_HOLES_SHOWN else f"{len(self.holes)} squares"
        told = self.leaper == KNIGHT or str(self).startswith(f"{self.piece}:")
        leaper = "" if told else f", leaper {self.piece}"
        return f"<{type(self).__name__} {self}{' less ' * bool(holes)}{holes}{leaper}>"

    def _repr_svg_(self) -> str | None:
        from cpsat_tour.drawing.svg import space_svg

        return space_svg(self)

    def set_fields(self, holes: Iterable[VertexLike], leaper: LeaperLike, **sides_by_name: int) -> None:
        """Check and keep the sides, the leaper and the holes of a new lattice; `BadInput` if it can't have them."""
        for name, side in sides_by_name.items():
            object.__setattr__(self, name, whole_number(f"the number of {_SIDES.get(name, name)}", side))
        if not 1 <= min(self.sides) <= prod(self.sides) <= self.max_vertices:
            large = f"is too large: at most {self.max_vertices} squares are allowed"
            wrong = large if min(self.sides) >= 1 else "has no squares: all sides must be at least 1"
            raise BadInput(f"a {self.noun} of {Lattice.__str__(self):.40} {wrong}")
        given = read_leaper(leaper) if isinstance(leaper, str) else leaper
        several = isinstance(given, Sequence) and len(given) > 0 and all(isinstance(one, Sequence) for one in given)
        leapers = tuple(sorted(set(map(self._one_leaper, given if several else [given]))))
        object.__setattr__(self, "leaper", leapers if len(leapers) > 1 else leapers[0])
        object.__setattr__(self, "holes", frozenset(map(self.square, items_of("the holes", holes))))
        if len(self.holes) == prod(self.sides):
            raise BadInput(f"every square of {self.bare_name} is a hole: leave at least one square")
        self.check_size()

    def _one_leaper(self, leaper: object) -> tuple[int, ...]:
        """Return the lengths of a move, the least first; of three numbers a 0 is left out. `BadInput` if it can't be
        made."""
        all_axes = len(self.sides) == 3 and isinstance(leaper, Sequence) and len(leaper) == 3
        numbers = sorted(_whole_numbers("a leaper", leaper, 3 if all_axes else 2))
        if numbers[0] < 0 or numbers[-1] < 1:
            raise BadInput(
                f"a leaper {','.join(map(str, numbers))} doesn't move: give numbers such as 1,2{',2' * all_axes}"
            )
        return tuple(numbers[1:] if all_axes and numbers[0] == 0 else numbers)

    def square(self, which: VertexLike) -> int:
        """Return the number of a square, counted with the holes row by row, which is given by this number, by its
        coordinates, or written by its name or as ``row,col``; `BadInput` if it is outside or a hole."""
        if isinstance(which, str | tuple):
            place = (
                self._parse_coordinates(which)
                if isinstance(which, str)
                else _whole_numbers("a square", which, len(self.sides))
            )
            square, inside = 0, True
            for part, side in zip(place, self.sides, strict=True):
                square = square * side + part
                inside &= 0 <= part < side
        else:
            square = whole_number("a square", which)
            inside = 0 <= square < prod(self.sides)
        if not inside:
            first, last = ",".join("0" for _ in self.sides), ",".join(str(side - 1) for side in self.sides)
            raise BadInput(f"square {which!s:.40} is not {self.extent()}, or {self._axes} from {first} to {last}")
        if square in self.holes:
            raise BadInput(f"square {which!s:.40} is a hole of the {self.noun}: choose a square that is there")
        return square

    @property
    def _axes(self) -> str:
        """The names of the axes: ``row,col``."""
        return ",".join(("row", "col", "layer")[: len(self.sides)])

    def _parse_coordinates(self, text: str) -> tuple[int, ...]:
        """Return the coordinates that are written as ``row,col`` or as a name; they may lie outside. `BadInput` for
        another text."""
        if len(text) <= MAX_WRITTEN:
            if _COORDINATES.fullmatch(text.strip()) and text.count(",") + 1 == len(self.sides):
                return tuple(map(int, text.split(",")))
            if (place := self.read_name(text.strip())) is not None:
                return place
        names = f"{self.square_name(0)}, or {self._axes} from the top left, such as {','.join('0' for _ in self.sides)}"
        raise BadInput(f"{text[:MAX_WRITTEN]!r} is not a square: write a name such as {names}")

    def __len__(self) -> int:
        return prod(self.sides) - len(self.holes)

    @cached_property
    def squares(self) -> Ints:
        """The playable squares in increasing order: the square of each vertex."""
        squares = np.arange(prod(self.sides), dtype=np.int32)
        return np.delete(squares, sorted(self.holes)) if self.holes else squares

    @cached_property
    def vertices(self) -> Ints:
        """For each square its vertex in the graph, -1 for a hole."""
        vertices = np.full(prod(self.sides), -1, dtype=np.int32)
        vertices[self.squares] = np.arange(len(self), dtype=np.int32)
        return vertices

    @property
    def grid(self) -> Ints:
        """The vertices in the shape of the lattice, -1 for a hole."""
        return self.vertices.reshape(self.sides)

    def name(self, vertex: int) -> str:
        return self.square_name(int(self.squares[vertex]))

    def find(self, which: VertexLike) -> int:
        return int(self.vertices[self.square(which)])

    @cached_property
    def coordinates(self) -> Ints:
        return np.stack(np.unravel_index(self.squares, self.sides), axis=1).astype(np.int32)

    def points(self) -> Ints:
        return self.coordinates

    def hole_names(self) -> list[str]:
        return list(map(self.square_name, sorted(self.holes)))

    @property
    def edge_bound(self) -> int:
        """Half the number of steps for each square, whether they stay on the lattice or not."""
        return prod(self.sides) * len(self.steps()) // 2

    @cached_property
    def graph(self) -> Graph:
        """The graph of moves: one vertex for each playable square."""
        rows = np.stack([self.landing(step).ravel()[self.squares] for step in sorted(self.steps())], axis=1)
        present = rows >= 0
        return Graph(row_starts(present.sum(axis=1)), rows[present], directed=False, space=self, checked=True)

    def landing(self, step: tuple[int, ...]) -> Ints:
        """Return an array in the shape of the lattice: the vertex that this step leads to from each square, -1 if it
        leads off the lattice or to a hole."""
        begins, ends = [], []
        for part, side in zip(step, self.sides, strict=True):
            begins.append(slice(max(0, -part), max(0, side - part)))
            ends.append(slice(max(0, part), max(0, side + part)))
        there = np.full(self.sides, -1, dtype=np.int32)
        there[tuple(begins)] = self.grid[tuple(ends)]
        return there

    def symmetries(self) -> Ints:
        """Return the turns and reflections, a row each, that take vertices to vertices and steps to steps."""
        axes, steps = range(len(self.sides)), set(self.steps())
        images = []
        for order in permutations(axes):
            for signs in product((1, -1), repeat=len(axes)):
                turned = {tuple(sign * step[axis] for axis, sign in zip(order, signs, strict=True)) for step in steps}
                image = self.grid.transpose(order)[tuple(slice(None, None, sign) for sign in signs)]
                if turned == steps and image.shape == self.grid.shape:
                    images.append(image.ravel()[self.squares])
        return distinct_permutations(images)


def distinct_permutations(images: Iterable[Ints]) -> Ints:
    """Return the images of all vertices without a hole (-1) among them, each once, a row each, in the order in which
    they first come."""
    found = dict.fromkeys(image.tobytes() for image in images if (image >= 0).all())
    return np.frombuffer(b"".join(found), dtype=np.int32).reshape(len(found), -1)


def read_sides(text: str) -> tuple[int, ...]:
    """Return the sides that people write as ``8x8``; `BadInput` if the text is too long."""
    if len(text) > MAX_WRITTEN:
        raise BadInput(f"{text:.40} is too large: at most {MAX_VERTICES} squares are allowed")
    return tuple(map(int, re.split("[xX]", text)))


def read_leaper(text: str) -> Leaper:
    """Return the leaper that people write as ``king``, ``1,2``, ``(1,2)`` or ``0,3+2,2``; `BadInput` for another
    text."""
    leapers = list[tuple[int, ...]]()
    for word in text.split("+"):
        named = MOVES.get(word.strip().lower())
        if named is None and (len(text) > MAX_WRITTEN or not _LEAPER.fullmatch(word.strip())):
            remedy = f"write two whole numbers, such as 1,2 for the knight, or one of {', '.join(MOVES)}"
            raise BadInput(f"{text[:MAX_WRITTEN]!r} is not a leaper: {remedy}")
        moves = named or tuple(map(int, re.findall("[0-9]+", word)))
        leapers += cast(Any, moves if isinstance(moves[0], tuple) else (moves,))
    return tuple(leapers) if len(leapers) > 1 else leapers[0]


def _whole_numbers(what: str, value: object, number: int) -> tuple[int, ...]:
    """Return a tuple of this number of whole numbers as ints; `BadInput` if the value is another thing."""
    if not isinstance(value, tuple) or len(value) != number:
        given = ",".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
        example = ",".join(map(str, range(1, number + 1)))
        raise BadInput(f"{what} can't be {given:.80}: give {number} whole numbers, such as {example}")
    return tuple(map(whole_number, repeat(f"a part of {what}"), value))
