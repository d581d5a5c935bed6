"""The kinds of space, a row each. A new kind of space is a new file and a row here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from cpsat_tour.core.graph import Source


@dataclass(frozen=True)
class Kind:
    """A kind of space: an example in words, the ``module:class`` of its class, and the member ``key`` that only its
    JSON has."""

    example: str
    home: str
    key: str

    @property
    def space_class(self) -> Any:
        """The class, imported now: `parse` reads a text that matches ``written``, and `from_members` takes the
        ``members`` of its JSON, which have these types."""
        return resolve_name(f"cpsat_tour.spaces.{self.home}")


KINDS = (
    Kind("rows x cols, such as 8x8", "board:Board", "rows"),
    Kind("a wrapped board such as torus:5x5, cylinder:4x7, mobius:3x5 or klein:4x4", "wrapped:Wrapped", "surface"),
    Kind("a box such as 4x4x3", "board:Box", "sides"),
    Kind("a member of a family such as GP(17,2)", "families:Member", "family"),
    Kind("one of these with universal vertices such as 8x8+2", "joined:Joined", "universal"),
)


def is_space(text: str) -> bool:
    """Return True if the text has the form of a space, even if there is no such space."""
    return any(kind.space_class.written.fullmatch(text.strip().replace("\u00d7", "x")) for kind in KINDS)


def parse_space(text: str, holes: Sequence[str] = (), leaper: str = "1,2") -> Source | None:
    """Return the space of this text, less the holes; None if the text has not the form of a space, `BadInput` if there
    is no such space."""
    text = text.strip().replace("\u00d7", "x")  # the sign of multiplication
    for kind in KINDS:
        if kind.space_class.written.fullmatch(text):
            space: Source = kind.space_class.parse(text, holes, leaper)
            return space
    return None
