"""The kinds of space, a row each: how people write one, and which member tells it in JSON. A new space is a new file and a row here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Source
from cpsat_tour.spaces import board, box, wrapped
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.families import MEMBER, Member
from cpsat_tour.spaces.lattice import KNIGHT, Lattice, read_leaper
from cpsat_tour.spaces.wrapped import Wrapped


@dataclass(frozen=True)
class Kind:
    """A kind of space; lattices can be read from JSON too, told by the member ``key``."""

    example: str
    pattern: re.Pattern[str]
    parse: Callable[[str, Sequence[str], str], Source]
    key: str | None = None
    from_data: Callable[[Mapping[str, Any]], Lattice] | None = None


def _member(name: str, holes: Sequence[str], leaper: str) -> Source:
    if holes or read_leaper(leaper) != KNIGHT:
        raise BadInput(f"{name} is a graph: it takes no {'holes' if holes else 'leaper'}")
    return Member.parse(name)


KINDS = (
    Kind("a wrapped board such as torus:5x5, cylinder:4x7, mobius:3x5 or klein:4x4", wrapped.SIZE, Wrapped.parse, "surface", Wrapped.from_data),
    Kind("rows x cols, such as 8x8", board.SIZE, Board.parse, "rows", Board.from_data),
    Kind("a box such as 4x4x3", box.SIZE, Box.parse, "sides", Box.from_data),
    Kind("a member of a family such as GP(17,2)", MEMBER, _member),
)


def is_space(text: str) -> bool:
    """Whether a kind of space is written like this, though perhaps there is none such."""
    return _kind(text) is not None


def read(text: str, holes: Sequence[str] = (), leaper: str = "1,2") -> Source | None:
    """The space that is written like this, less the holes; None where no kind of space is written so, `BadInput` where there is none such."""
    kind = _kind(text)
    return None if kind is None else kind.parse(_normal(text), holes, leaper)


def from_data(data: Mapping[str, Any]) -> Lattice | None:
    """The space that JSON describes; None where no member tells its kind, `WrongData` where there is none such."""
    kind = next((kind for kind in KINDS if kind.key in data), None)
    return None if kind is None or kind.from_data is None else kind.from_data(data)


def _kind(text: str) -> Kind | None:
    return next((kind for kind in KINDS if kind.pattern.fullmatch(_normal(text))), None)


def _normal(text: str) -> str:
    """The text without what does not matter: spaces around it, and the sign of multiplication for an x."""
    return text.strip().replace("\u00d7", "x")
