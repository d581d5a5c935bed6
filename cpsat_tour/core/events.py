"""What a run tells while it works: small records, one stream for the progress line, the trace and whoever else listens.

The native search, if it is traced, tells each step (`cpsat_tour.native.trace`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Progress:
    """The counters of a run so far; sent a few times a second at most. ``done`` is which part of the whole that is,
    where it is known."""

    work: Mapping[str, int]
    done: float | None = None


@dataclass(frozen=True)
class ProblemSimplified:
    """What is left of a cycle problem before any search, and of how many vertices and edges; ``parts`` are independent
    of each other."""

    vertices: int
    edges: int
    parts: int
    of_vertices: int
    of_edges: int


@dataclass(frozen=True)
class TwoFactorFound:
    """The degree constraints were met with this many disjoint cycles, by a solver or by merging what it found; one
    cycle is a tour.

    ``members`` has the vertices of each in order, if the solver tells them; -1 stands for the apex between the ends of
    an open tour.
    """

    cycles: int
    members: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class CutSetAdded:
    """A cut set around this many vertices was added to the constraints; ``shore`` has them, if the solver tells them,
    as above."""

    vertices: int
    shore: tuple[int, ...] = ()


@dataclass(frozen=True)
class LogLine:
    """A line of the solver's own log."""

    line: str


@dataclass(frozen=True)
class PartAtWork:
    """A backend that asks others gives the word to one of them: the counters that follow are those of this part."""

    part: str


@dataclass(frozen=True)
class PartOut:
    """A part gets no further turn; ``why`` says so in words. It is a ``fault`` if the part crashed or answered wrongly,
    and none if it knows no more."""

    part: str
    why: str
    fault: bool = False


@dataclass(frozen=True)
class Compiling:
    """A compiled function of this module is made ready, as on the first run alone; it takes some seconds."""

    module: str


# --- the steps of the native search ---


@dataclass(frozen=True)
class SearchBegun:
    """A search begins from this root; ``gave_up`` says that the one before it had used up its positions and is taken up
    again later."""

    root: int
    gave_up: bool


@dataclass(frozen=True)
class Candidate:
    """An unvisited vertex that a move leads to, and the unvisited ones that it leads to in turn: ``exits`` of them."""

    vertex: int
    exits: int
    onward: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """The search enters a vertex, as this visit from 1; its candidates stand in the order in which they will be
    tried."""

    vertex: int
    visit: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class MoveRefused:
    """A pruning, by name, showed that no tour goes on over this candidate: it is not entered."""

    vertex: int
    visit: int
    pruning: str


Why = Literal["stuck", "full", "refused", "tried"]


@dataclass(frozen=True)
class Backtrack:
    """The search leaves a vertex again, and stands on ``back_to`` (None where it has left the root).

    ``why``: ``stuck``, no unvisited vertex is a move away; ``full``, every vertex is visited and this is not a
    permitted end; ``refused``, prunings spoke against every candidate; ``tried``, no candidate led to a tour.
    ``prunings`` are those that spoke, in order.
    """

    vertex: int
    visit: int
    back_to: int | None
    why: Why
    prunings: tuple[str, ...]


@dataclass(frozen=True)
class TourFound:
    """The search ends with this tour, in canonical form, having entered so many positions."""

    vertices: tuple[int, ...]
    positions: int


@dataclass(frozen=True)
class NoTour:
    """The search ends: there is no tour; ``kind`` and ``reason`` are those of the refutation."""

    kind: str
    reason: str
    positions: int


@dataclass(frozen=True)
class SearchStopped:
    """The search ends without an answer, by a limit or, without backtracking, at a dead end."""

    by: str
    positions: int


TraceEvent = SearchBegun | Step | MoveRefused | Backtrack | TourFound | NoTour | SearchStopped

Event: TypeAlias = (
    Progress
    | ProblemSimplified
    | TwoFactorFound
    | CutSetAdded
    | LogLine
    | PartAtWork
    | PartOut
    | Compiling
    | TraceEvent
)
OnEvent = Callable[[Event], None]


class SearchPath:
    """The path of a search, and the candidates at each of its vertices, kept from the events."""

    def __init__(self) -> None:
        self.path: list[int] = []
        self.candidates: list[tuple[Candidate, ...]] = []

    def moved_by(self, event: TraceEvent) -> bool:
        """Take an event; whether it was a step, forwards or back."""
        if isinstance(event, SearchBegun):
            self.path.clear()
            self.candidates.clear()
        elif isinstance(event, Step):
            self.path.append(event.vertex)
            self.candidates.append(event.candidates)
        elif isinstance(event, Backtrack):
            self.path.pop()
            self.candidates.pop()
        return isinstance(event, Step | Backtrack)
