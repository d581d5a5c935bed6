"""The kinds of space, a row each: how people write one, and which member tells it in JSON. A new space is a new file
and a row here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from cpsat_tour.core.graph import Source


@dataclass(frozen=True)
class Kind:
    """A kind of space, whose class is imported when one is asked for; JSON tells it by the member ``key``."""

    example: str
    home: str
    key: str

    @property
    def space(self) -> Any:
        """The class: ``written`` is how people write one, and `parse` reads that; ``members`` are those of its JSON,
        each with its type, and `of` takes them."""
        return resolve_name(f"cpsat_tour.spaces.{self.home}")


KINDS = (
    Kind("rows x cols, such as 8x8", "board:Board", "rows"),
    Kind("a wrapped board such as torus:5x5, cylinder:4x7, mobius:3x5 or klein:4x4", "wrapped:Wrapped", "surface"),
    Kind("a box such as 4x4x3", "box:Box", "sides"),
    Kind("a member of a family such as GP(17,2)", "families:Member", "family"),
)


def is_space(text: str) -> bool:
    """Return True if a kind of space is written like this, though perhaps there is none such."""
    return any(kind.space.written.fullmatch(_normal(text)) for kind in KINDS)


def read(text: str, holes: Sequence[str] = (), leaper: str = "1,2") -> Source | None:
    """Return the space that is written like this, less the holes; None where no kind of space is written so,
    `BadInput` where there is none such."""
    text = _normal(text)
    for kind in KINDS:
        if kind.space.written.fullmatch(text):
            space: Source = kind.space.parse(text, holes, leaper)
            return space
    return None


def _normal(text: str) -> str:
    """Return the text without what does not matter: spaces around it, and a sign of multiplication for an x."""
    return text.strip().replace("\u00d7", "x")
