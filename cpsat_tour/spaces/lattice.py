"""Lattices: squares along two or three axes, some of them holes, and moves that are the same steps everywhere.

Squares are counted row by row with the last axis fastest. The vertices are the squares that are not holes, in this
order, and wherever people give or get an int it is the number of a vertex; the number of a square, counted with the
holes, is for the holes themselves.

People write a square as ``a1`` (file letters a…z, aa, ab, …; ranks counted from the bottom), with its layer as
``a1.2``, or by its coordinates as ``row,col`` or ``row,col,layer`` from the top left of the first layer, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations, product, repeat
from math import prod
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from cpsat_tour.core.errors import BadInput, items_of, whole_number
from cpsat_tour.core.graph import MAX_VERTICES, Graph, Source, row_starts
from cpsat_tour.core.space import Ints, Layer, Layout, VertexLike

MAX_WRITTEN = 80
"""The most characters of a text of sides, of a leaper, or of a square."""

MAX_HOLES_SHOWN = 12
"""The most holes that a short description names."""

Leaper: TypeAlias = tuple[int, ...] | tuple[tuple[int, ...], ...]
"""The lengths of a move along the axes, in any order, the least first: (1, 2). Several such for a piece with several
kinds of moves."""

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
"""The leapers that have a name."""

WRITTEN_MOVES = rf"{'|'.join(MOVES)}|[0-9]+(?:,[0-9]+)+(?:\+[0-9]+(?:,[0-9]+)+)*"
"""The pattern of the leapers that people write before a board: ``king``, ``1,4`` or ``0,3+2,2``."""

_COORDINATES = re.compile(r"[0-9]+(?:\s*,\s*[0-9]+)*")
_LEAPER = re.compile(r"\(?\s*[0-9]+(?:\s*,\s*[0-9]+)+\s*\)?")
_NAME = re.compile(r"([a-zA-Z]+)([0-9]+)(?:\.([0-9]+))?")


@dataclass(frozen=True, init=False, repr=False)
class Lattice(Source):
    """Squares in rows and columns, perhaps in layers, some of them holes, and a leaper that moves on them.

    ``leaper`` has two lengths of a move, or as many as there are axes; or several such, and ``leapers`` has those, one
    or several. ``holes`` has the numbers of the squares that are left out.
    """

    sides: tuple[int, ...]
    holes: frozenset[int]
    leaper: Leaper
    leapers: tuple[tuple[int, ...], ...] = field(compare=False)

    nouns = ("square", "squares")

    noun = "lattice"
    rule = ""  # a sentence that a player needs besides the moves
    """The word for a space of this kind in messages."""

    members: ClassVar[dict[str, Any]] = {
        "holes": list[str | tuple[int, ...]],
        "leaper": tuple[int | tuple[int, ...], ...],
    }
    """The members of the JSON object, each with its type; a subclass adds its sides."""

    max_edges: ClassVar[int] = 1 << 26

    def __init__(self, sides: Sequence[int], holes: Iterable[VertexLike], leaper: LeaperLike) -> None:
        """Check and keep the number of rows, columns and perhaps layers, the holes and the leaper; `BadInput` if there
        is no such lattice."""
        axes = zip(("rows", "columns", "layers"), sides, strict=False)
        sides = tuple(whole_number(f"the number of {axis}", side) for axis, side in axes)
        if not 1 <= min(sides) <= prod(sides) <= MAX_VERTICES:
            large = f"is too large: at most {MAX_VERTICES} squares are allowed"
            wrong = large if min(sides) >= 1 else "has no squares: all sides must be at least 1"
            raise BadInput(f"a {self.noun} of {'x'.join(map(str, sides)):.40} {wrong}")
        leapers = (KNIGHT,) if leaper is KNIGHT else _checked_leapers(leaper, len(sides))
        fields = vars(self)  # they are frozen
        fields |= {"sides": sides, "leapers": leapers, "holes": frozenset()}
        fields["leaper"] = leapers if len(leapers) > 1 else leapers[0]
        fields["holes"] = frozenset(map(self.square, items_of("the holes", holes)))
        if not len(self):
            raise BadInput(f"every square of {self.bare_name} is a hole: leave at least one square")
        self.check_size()

    @classmethod
    def from_members(cls, **members: Any) -> Self:
        """Return the lattice from the members of its JSON object."""
        return cls(**members)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.sides[0]

    @property
    def cols(self) -> int:
        """The number of columns."""
        return self.sides[1]

    # --- in words and as JSON ---

    def data(self) -> dict[str, Any]:
        """Return the JSON object of the lattice: its ``members``, with holes as coordinates."""
        leaper = [list(part) if isinstance(part, tuple) else part for part in self.leaper]
        lists = {"sides": list(self.sides), "holes": np.argwhere(self.grid < 0).tolist(), "leaper": leaper}
        return {name: lists[name] if name in lists else getattr(self, name) for name in self.members}

    @property
    def piece(self) -> str:
        """The leaper in writing: ``1,4``, ``king``, ``0,3+2,2``."""
        named = (name for name, leaper in MOVES.items() if leaper == self.leaper and len(self.leapers) > 1)
        return next(named, "+".join(",".join(map(str, leaper)) for leaper in self.leapers))

    def __str__(self) -> str:
        return "x".join(map(str, self.sides))

    @property
    def bare_name(self) -> str:
        """The name of the space without holes and leaper: ``the 8x8 board``."""
        return f"the {'x'.join(map(str, self.sides))} {self.noun}"

    def called(self, _directed: bool = False) -> str:
        """Return the space in words, with its holes and leaper: ``the 8x8 board``."""
        less = f" without {len(self.holes)} square{'s' * (len(self.holes) > 1)}" if self.holes else ""
        named = next((name for name, leaper in MOVES.items() if leaper == self.leaper), "")
        leaper = named if named == self.piece else f"{named} ({self.piece})" if named else f"{self.piece} leaper"
        by = f" by a{'n' * (leaper[0] == 'a')} {leaper}" if self.leaper != KNIGHT else ""
        return f"{self.bare_name}{less}{by}"

    def __repr__(self) -> str:
        """Return the call that makes the lattice, or in place of many holes their number."""
        named = self.hole_names() if len(self.holes) <= MAX_HOLES_SHOWN else f"<{len(self.holes)} squares>"
        parts = [*([repr(self.surface)] if hasattr(self, "surface") else []), *map(str, self.sides)]
        parts += [f"holes={named}"] * bool(self.holes) + [f"leaper={self.piece!r}"] * (self.leaper != KNIGHT)
        return f"{type(self).__name__}({', '.join(parts)})"

    def _repr_svg_(self) -> str | None:
        """Return the drawing that a notebook shows."""
        from cpsat_tour.drawing.svg import space_svg

        return space_svg(self)

    # --- squares and vertices ---

    def square_name(self, square: int) -> str:
        """Return the name of a square, which may be a hole; ``square`` is its number, counted with the holes."""
        rows, cols, *layers = self.sides
        place, layer = divmod(square, prod(layers))
        row, col = divmod(place, cols)
        return f"{file_letters(col)}{rows - row}" + (f".{layer + 1}" if layers else "")

    def hole_names(self) -> list[str]:
        """Return the names of the holes."""
        return list(map(self.square_name, sorted(self.holes)))

    def square(self, which: VertexLike) -> int:
        """Return the number of a square, counted row by row with the holes; ``which`` is that number, its coordinates,
        its name or ``row,col`` as text."""
        if isinstance(which, str | tuple):
            read = self._parse_coordinates(which) if isinstance(which, str) else which
            place = _whole_numbers("a square", read, len(self.sides))
            inside = all(0 <= part < side for part, side in zip(place, self.sides, strict=True))
            square = int(np.ravel_multi_index(place, self.sides)) if inside else -1
        else:
            square = whole_number("a square", which)
        if not 0 <= square < prod(self.sides):
            files = f"files a to {file_letters(self.cols - 1)}, ranks 1 to {self.rows}"
            where = f"on {self.bare_name}: {files}"
            if len(self.sides) == 3:
                where = f"in {self.bare_name}: {files}, layers 1 to {self.sides[2]}, such as {self.square_name(0)}"
            first, last = ",".join("0" for _ in self.sides), ",".join(str(side - 1) for side in self.sides)
            raise BadInput(f"square {which!s:.40} is not {where}, or {self._axes} from {first} to {last}")
        if square in self.holes:
            raise BadInput(f"square {which!s:.40} is a hole of the {self.noun}: choose a square that is there")
        return square

    @property
    def _axes(self) -> str:
        """The names of the axes: ``row,col``."""
        return ",".join(("row", "col", "layer")[: len(self.sides)])

    def _parse_coordinates(self, text: str) -> tuple[int, ...]:
        """Return the coordinates in a text such as ``row,col`` or a name, unchecked: they may lie outside. `BadInput`
        for another text."""
        if len(text) <= MAX_WRITTEN:
            if _COORDINATES.fullmatch(text.strip()) and text.count(",") + 1 == len(self.sides):
                return tuple(map(int, text.split(",")))
            name = _NAME.fullmatch(text.strip())
            if name and (name[3] is not None) == (len(self.sides) == 3):
                layer = () if name[3] is None else (int(name[3]) - 1,)
                return (self.rows - int(name[2]), file_number(name[1]), *layer)
        names = f"{self.square_name(0)}, or {self._axes} from the top left, such as {','.join('0' for _ in self.sides)}"
        raise BadInput(f"{text[:MAX_WRITTEN]!r} is not a square: write a name such as {names}")

    def __len__(self) -> int:
        return prod(self.sides) - len(self.holes)

    @cached_property
    def squares(self) -> Ints:
        """The number of each vertex's square, increasing."""
        return np.delete(np.arange(prod(self.sides), dtype=np.int32), sorted(self.holes))

    @cached_property
    def grid(self) -> Ints:
        """An array in the shape of the lattice: the vertex of each square, -1 for a hole."""
        grid = np.full(self.sides, -1, dtype=np.int32)
        grid.ravel()[self.squares] = np.arange(len(self), dtype=np.int32)
        return grid

    def name(self, vertex: int) -> str:
        """Return the name of the vertex's square."""
        return self.square_name(int(self.squares[vertex]))

    def find(self, which: VertexLike) -> int:
        """Return the vertex of this square; `BadInput` if it is outside or a hole."""
        return int(self.grid.flat[self.square(which)])

    @cached_property
    def coordinates(self) -> Ints:
        """The coordinates of each vertex, a row each."""
        return np.stack(np.unravel_index(self.squares, self.sides), axis=1).astype(np.int32)

    def points(self) -> Ints:
        """Return the coordinates, as moves are straight lines."""
        return self.coordinates

    @property
    def layout(self) -> Layout:
        """The squares as they are printed and drawn, in one or several layers."""
        ranks, files = [str(rank) for rank in range(self.rows, 0, -1)], [*map(file_letters, range(self.cols))]
        if len(self.sides) == 2:
            return Layout([Layer(self.grid, ranks, files)])
        return Layout([Layer(self.grid[:, :, z], ranks, files, str(z + 1)) for z in range(self.sides[2])])

    # --- moves ---

    @cached_property
    def steps(self) -> list[tuple[int, ...]]:
        """All steps of the leaper as vectors: rows, columns and so on. On a board those of one leaper stand clockwise
        from the north."""
        if len(self.sides) == 2:
            return [step for leaper in self.leapers for step in leaper_directions(leaper)]
        axes = [turned for leaper in self.leapers for turned in permutations((*leaper, 0)[:3])]
        return sorted({(a * i, b * j, c * k) for a, b, c in axes for i, j, k in product((1, -1), repeat=3)})

    @property
    def edge_bound(self) -> int:
        """An upper bound on the number of edges: all steps from all squares, halved, even those that leave the
        lattice."""
        return prod(self.sides) * len(self.steps) // 2

    @cached_property
    def graph(self) -> Graph:
        """The graph of moves: one vertex for each playable square."""
        rows = np.stack([self.landing(step).ravel()[self.squares] for step in sorted(self.steps)], axis=1)
        present = rows >= 0
        return Graph(row_starts(present.sum(axis=1)), rows[present], directed=False, space=self, checked=True)

    def landing(self, step: tuple[int, ...]) -> Ints:
        """Return the vertex that this step leads to from each square, in the shape of the lattice; -1 if it leads to a
        hole or outside."""
        begins, ends = [], []
        for part, side in zip(step, self.sides, strict=True):
            begins.append(slice(max(0, -part), max(0, side - part)))
            ends.append(slice(max(0, part), max(0, side + part)))
        there = np.full(self.sides, -1, dtype=np.int32)
        there[tuple(begins)] = self.grid[tuple(ends)]
        return there

    def symmetries(self) -> Ints:
        """Return the rotations and reflections that map vertices to vertices and steps to steps, as permutations, a row
        each."""
        axes, steps = range(len(self.sides)), set(self.steps)
        images = []
        for order in permutations(axes):
            for signs in product((1, -1), repeat=len(axes)):
                turned = {tuple(sign * step[axis] for axis, sign in zip(order, signs, strict=True)) for step in steps}
                image = self.grid.transpose(order)[tuple(slice(None, None, sign) for sign in signs)]
                if turned == steps and image.shape == self.grid.shape:
                    images.append(image.ravel()[self.squares])
        return distinct_permutations(images)


def distinct_permutations(images: Iterable[Ints]) -> Ints:
    """Return the rows that are permutations, each once, in the order of their first appearance; rows with a hole (-1)
    are left out."""
    found = dict.fromkeys(image.tobytes() for image in images if (image >= 0).all())
    return np.frombuffer(b"".join(found), dtype=np.int32).reshape(len(found), -1)


# --- what people write ---


def file_letters(col: int) -> str:
    """Return the letters of a column, which is counted from 0: a…z, aa, ab, … (bijective base 26)."""
    letters = ""
    col += 1
    while col:
        col, digit = divmod(col - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def file_number(letters: str) -> int:
    """Return the column that the letters name, counted from 0."""
    col = 0
    for letter in letters.lower():
        col = col * 26 + ord(letter) - ord("a") + 1
    return col - 1


def read_sides(text: str) -> tuple[int, ...]:
    """Return the sides that are written as ``8x8``, as numbers; `BadInput` if the text is too long."""
    if len(text) > MAX_WRITTEN:
        raise BadInput(f"{text:.40} is too large: at most {MAX_VERTICES} squares are allowed")
    return tuple(map(int, re.split("[xX]", text)))


def leaper_directions(leaper: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the distinct moves of a leaper as pairs (rows, columns), clockwise from the north."""
    short, long = sorted(leaper)
    eastward = [(-long, short), (-short, long), (short, long), (long, short)]
    return list(dict.fromkeys([*eastward, *((-rows, -cols) for rows, cols in eastward)]))


def read_leaper(text: str) -> Leaper:
    """Return the leaper that is written as ``king``, ``1,2``, ``(1,2)`` or ``0,3+2,2``; `BadInput` for another text."""
    leapers = list[tuple[int, ...]]()
    for word in text.split("+"):
        named = MOVES.get(word.strip().lower())
        if named is None and (len(text) > MAX_WRITTEN or not _LEAPER.fullmatch(word.strip())):
            remedy = f"write two whole numbers, such as 1,2 for the knight, or one of {', '.join(MOVES)}"
            raise BadInput(f"{text[:MAX_WRITTEN]!r} is not a leaper: {remedy}")
        moves = named or tuple(map(int, re.findall("[0-9]+", word)))
        leapers += cast(Any, moves if isinstance(moves[0], tuple) else (moves,))
    return tuple(leapers) if len(leapers) > 1 else leapers[0]


def _checked_leapers(given: LeaperLike, axes: int) -> tuple[tuple[int, ...], ...]:
    """Return the leapers that are given, one or several, in normal form: sorted, without repeats, each with its lengths
    sorted. Of three lengths a 0 is left out. `BadInput` if one can't be made."""
    leaper: Any = read_leaper(given) if isinstance(given, str) else given
    several = isinstance(leaper, Sequence) and len(leaper) > 0 and all(isinstance(part, Sequence) for part in leaper)
    found = set[tuple[int, ...]]()
    for numbers in leaper if several else [leaper]:
        all_axes = axes == 3 and isinstance(numbers, Sequence) and len(numbers) == 3
        lengths = sorted(_whole_numbers("a leaper", numbers, 3 if all_axes else 2))
        if lengths[0] < 0 or lengths[-1] < 1:
            written = ",".join(map(str, lengths))
            raise BadInput(f"a leaper {written} doesn't move: give numbers such as 1,2{',2' * all_axes}")
        found.add(tuple(lengths[1:] if all_axes and lengths[0] == 0 else lengths))
    return tuple(sorted(found))


def _whole_numbers(what: str, value: object, number: int) -> tuple[int, ...]:
    """Return the value as a tuple of ints, ``number`` of them; `BadInput` if it is anything else."""
    if not isinstance(value, tuple) or len(value) != number:
        given = ",".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
        example = ",".join(map(str, range(1, number + 1)))
        raise BadInput(f"{what} can't be {given:.80}: give {number} whole numbers, such as {example}")
    return tuple(map(whole_number, repeat(f"a part of {what}"), value))
