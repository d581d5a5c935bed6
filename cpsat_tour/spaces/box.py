"""Boxes: boards in layers, ``rows x cols x layers``, in which the leaper moves within any plane that lies along two of
the three axes.

A leaper of three numbers, such as 1,1,2, moves along all three axes at once; 0,1,2 is the knight. The square ``b3.2``
is b3 of the second layer, or ``row,col,layer`` from the top left of the first layer, from 0. The knight goes by 2 along
one axis and by 1 along another. Which boxes have closed knight's tours was found by DeMaio 2007 and DeMaio & Mathew
2011.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, ClassVar

from cpsat_tour.core.space import Layer, Layout, VertexLike
from cpsat_tour.spaces.board import file_letters, file_number
from cpsat_tour.spaces.lattice import KNIGHT, LATTICE_MEMBERS, Lattice, Leaper, LeaperLike, read_leaper, read_sides

_NAME = re.compile(r"([a-zA-Z]+)([0-9]+)\.([0-9]+)")


@dataclass(frozen=True, repr=False)
class Box(Lattice):
    """A box of rows x cols x height squares with optional holes, and the leaper that walks in it. Squares are called
    ``a1.2``, in the second layer. Raises `BadInput` as `Board` does.

    - ``rows`` (int, needed): the number of rows.
    - ``cols`` (int, needed): the number of columns.
    - ``height`` (int, needed): the number of layers.
    - ``holes`` (squares, default none): the squares that are left out.
    - ``leaper`` (two or three ints, or several such, or a name; default (1, 2)): the lengths of a move along the axes.
    """

    rows: int
    cols: int
    height: int
    holes: frozenset[int] = frozenset()
    leaper: Leaper = KNIGHT

    written: ClassVar[re.Pattern[str]] = re.compile(r"[0-9]+[xX][0-9]+[xX][0-9]+")
    members: ClassVar[dict[str, Any]] = {"sides": tuple[int, int, int], **LATTICE_MEMBERS}

    def __init__(
        self, rows: int, cols: int, height: int, holes: Iterable[VertexLike] = (), leaper: LeaperLike = KNIGHT
    ) -> None:
        self.set_fields(holes, leaper, rows=rows, cols=cols, height=height)

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str = "1,2") -> Box:
        """Return the box that people write as ``4x4x3``, with holes such as ``a1.2`` and a leaper such as ``1,1,2``;
        `BadInput` if there is no such box."""
        rows, cols, height = read_sides(size)
        return cls(rows, cols, height, holes, read_leaper(leaper))

    @classmethod
    def from_members(cls, **members: Any) -> Box:
        """Return the box whose JSON has these members."""
        rows, cols, height = members["sides"]
        return cls(rows, cols, height, members["holes"], members["leaper"])

    @property
    def sides(self) -> tuple[int, int, int]:
        return self.rows, self.cols, self.height

    def steps(self) -> list[tuple[int, ...]]:
        axes = [turned for leaper in self.leapers for turned in permutations((*leaper, 0)[:3])]
        return sorted({(a * i, b * j, c * k) for a, b, c in axes for i, j, k in product((1, -1), repeat=3)})

    def square_name(self, square: int) -> str:
        row, rest = divmod(square, self.cols * self.height)
        col, layer = divmod(rest, self.height)
        return f"{file_letters(col)}{self.rows - row}.{layer + 1}"

    def read_name(self, name: str) -> tuple[int, int, int] | None:
        match = _NAME.fullmatch(name)
        return (self.rows - int(match[2]), file_number(match[1]), int(match[3]) - 1) if match else None

    def extent(self) -> str:
        files, ranks = f"files a to {file_letters(self.cols - 1)}", f"ranks 1 to {self.rows}"
        return f"in {self.bare_name}: {files}, {ranks}, layers 1 to {self.height}, such as {self.square_name(0)}"

    def data(self) -> dict[str, Any]:
        return {"sides": list(self.sides), **super().data()}

    @property
    def layout(self) -> Layout:
        ranks = [str(rank) for rank in range(self.rows, 0, -1)]
        files = [file_letters(col) for col in range(self.cols)]
        return Layout([Layer(self.grid[:, :, z], ranks, files, str(z + 1)) for z in range(self.height)])
