"""What a run tells while it works: small records, one stream for the progress line, the trace and whoever else
listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from cpsat_tour.core.search_events import TraceEvent


@dataclass(frozen=True, slots=True)
class Progress:
    """The counters of a run so far; sent a few times a second at most. ``done`` is which part of the whole that is,
    where it is known."""

    work: Mapping[str, int]
    done: float | None = None


@dataclass(frozen=True, slots=True)
class ProblemSimplified:
    """What is left of a cycle problem before any search, and of how many vertices and edges; ``parts`` are independent
    of each other."""

    vertices: int
    edges: int
    parts: int
    of_vertices: int
    of_edges: int


@dataclass(frozen=True, slots=True)
class TwoFactorFound:
    """The degree constraints were met with this many disjoint cycles, by a solver or by merging what it found; one
    cycle is a tour.

    ``members`` has the vertices of each in order, if the solver tells them; -1 stands for the apex between the ends of
    an open tour.
    """

    cycles: int
    members: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CutSetAdded:
    """A cut set around this many vertices was added to the constraints; ``shore`` has them, if the solver tells them,
    as above."""

    vertices: int
    shore: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the solver's own log."""

    line: str


@dataclass(frozen=True, slots=True)
class PartAtWork:
    """A backend that asks others gives the word to one of them: the counters that follow are those of this part."""

    part: str


@dataclass(frozen=True, slots=True)
class PartOut:
    """A part gets no further turn; ``why`` says so in words. It is a ``fault`` if the part crashed or answered wrongly,
    and none if it knows no more."""

    part: str
    why: str
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Compiling:
    """A compiled function of this module is made ready, as on the first run alone; it takes some seconds."""

    module: str


Event: TypeAlias = (
    "Progress | ProblemSimplified | TwoFactorFound | CutSetAdded | LogLine | PartAtWork | PartOut | Compiling | "
    "TraceEvent"
)
OnEvent = Callable[["Event"], None]
