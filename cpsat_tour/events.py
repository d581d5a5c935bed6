"""What a run tells while it works: small records, one stream for the progress line, the trace and whoever else listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The counters of a run so far; sent a few times a second at most."""

    work: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TwoFactorFound:
    """A solver met the degree constraints with this many disjoint cycles; one cycle is a tour."""

    cycles: int


@dataclass(frozen=True, slots=True)
class CutSetAdded:
    """A cut set around this many vertices was added to the constraints."""

    vertices: int


Event = Progress | TwoFactorFound | CutSetAdded
OnEvent = Callable[[Event], None]
