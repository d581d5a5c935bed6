"""The events of a run: records for the progress line, the trace and other listeners.

A traced native search sends an event for each step (`cpsat_tour.native.trace`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Progress:
    """The counters of a run so far, a few times a second; ``done`` is the share of the whole, from 0 to 1, if known."""

    work: Mapping[str, int]
    done: float | None = None


@dataclass(frozen=True)
class ProblemSimplified:
    """The size of a simplified cycle problem, in independent ``parts``, and the vertices of the one before."""

    vertices: int
    edges: int
    parts: int
    of_vertices: int


@dataclass(frozen=True)
class TwoFactorFound:
    """A 2-factor of this many cycles was found; one cycle is a tour.

    ``members`` has the vertices of each in order, if known; -1 is the universal vertex between the ends of an open
    tour.
    """

    cycles: int
    members: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class CutSetAdded:
    """A cut set around this many vertices was added to the constraints; ``shore`` has them, if known."""

    vertices: int
    shore: tuple[int, ...] = ()


@dataclass(frozen=True)
class LogLine:
    """A line of the solver's own log."""

    line: str


@dataclass(frozen=True)
class PartAtWork:
    """The part of a portfolio whose counters follow."""

    part: str


@dataclass(frozen=True)
class PartOut:
    """A part of a portfolio gets no further turn, and why; a ``fault`` is a crash or a wrong answer."""

    part: str
    why: str
    fault: bool = False


# --- the steps of the native search ---


@dataclass(frozen=True)
class SearchBegun:
    """A search begins at this root; ``gave_up`` if the one before used up its positions and is resumed later."""

    root: int
    gave_up: bool


@dataclass(frozen=True)
class Candidate:
    """An unvisited vertex that a move leads to, and the ``exits`` many unvisited ones that follow it."""

    vertex: int
    exits: int
    onward: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """The search enters a vertex as this visit, from 1; its candidates stand in the order of trial."""

    vertex: int
    visit: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class MoveRefused:
    """A pruning, by name, showed that no tour continues with this candidate: it is not entered."""

    vertex: int
    visit: int
    pruning: str


Why = Literal["stuck", "full", "refused", "tried"]


@dataclass(frozen=True)
class Backtrack:
    """The search returns from a vertex to ``back_to``, None above the root.

    ``why``: ``stuck``, no unvisited vertex is a move away; ``full``, every vertex is visited and this is not a
    permitted end; ``refused``, the ``prunings`` refused every candidate; ``tried``, no candidate led to a tour.
    """

    vertex: int
    visit: int
    back_to: int | None
    why: Why
    prunings: tuple[str, ...]


@dataclass(frozen=True)
class TourFound:
    """The search ends with this tour, in canonical form, after this many positions."""

    vertices: tuple[int, ...]
    positions: int


@dataclass(frozen=True)
class NoTour:
    """The search ends without a tour; ``kind`` and ``reason`` are those of the refutation."""

    kind: str
    reason: str
    positions: int


@dataclass(frozen=True)
class SearchStopped:
    """The search ends without an answer, at a limit or, without backtracking, at a dead end."""

    by: str
    positions: int


TraceEvent = SearchBegun | Step | MoveRefused | Backtrack | TourFound | NoTour | SearchStopped

Event: TypeAlias = (
    Progress | ProblemSimplified | TwoFactorFound | CutSetAdded | LogLine | PartAtWork | PartOut | TraceEvent
)
OnEvent = Callable[[Event], None]
