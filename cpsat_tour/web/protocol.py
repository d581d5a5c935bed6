"""The messages that a page may send, as JSON that msgspec checks, and the sentences that answer wrong ones.

``{"do": "ask", "setting": {…}}`` begins a search and ends the one before, ``{"do": "more", "events": k}`` gives it k
credits, ``{"do": "stop"}`` ends it. The other messages are questions, each with a ``number`` that comes back with the
answer. They ask what is known of the board without a search, where its vertices lie, whether a walk can be completed,
for a puzzle, for what is in a file, and for a file of what is on screen. If a message is wrong, a `BadInput` has the
sentence that the page shows.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cpsat_tour.api import problem_of
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import MAX_SEED
from cpsat_tour.engines.puzzles import HARDEST
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.problem_data import parse_space, read_graph
from cpsat_tour.spaces.symmetry import NAMES
from cpsat_tour.tour import decide_by_conditions

MAX_CREDITS = 1_000_000

_LOG = logging.getLogger(__name__)

MAX_SIDE = 50
"""The longest side of a board on the page: its squares are a dozen pixels wide, and its search is kept in the page's
memory. `static/setting.js` has it too."""

MAX_SHOWN_VERTICES = 400
"""The largest number of vertices of a space that is no board: they can still be told apart on a screen."""

MAX_EDGES = 4000

MAX_TEXT = 30_000
"""The length of the longest file that is read, and of a graph as JSON."""

Side = Annotated[int, Meta(ge=1, le=MAX_SIDE)]
Name = Annotated[str, Meta(max_length=80)]
Number = Annotated[int, Meta(ge=1, le=MAX_SIDE**2)]
Seed = Annotated[int, Meta(ge=0, le=MAX_SEED)]
Walk = Annotated[tuple[int, ...], Meta(max_length=MAX_SIDE**2)]


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The search that a page asks for: a board or another space, the tour sought, and the backend with its options.

    Squares and vertices have their names, which are checked when `problem` is made. The backend ``dfs`` shows the
    native search step by step, ``proof`` the certificate that there is no tour.
    """

    rows: Side = 8
    cols: Side = 8
    space: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    closed: bool = False
    start: Name | None = None
    end: Name | None = None
    holes: Annotated[tuple[Name, ...], Meta(max_length=MAX_SIDE**2)] = ()
    givens: Annotated[tuple[tuple[Name, Number], ...], Meta(max_length=MAX_SIDE**2)] = ()
    leaper: Name = "1,2"
    symmetry: Name = "none"
    backend: Literal["dfs", "sat:lazy", "sat", "cpsat", "proof"] = "dfs"
    order: Name = "default"
    prune: Name = "default"
    backtrack: bool = True
    seed: Seed = 0

    @cached_property
    def graph(self) -> Graph:
        """The graph of the setting: of a board, of another space, or as JSON; `BadInput` if it is a file, does not
        exist, or is too large to be drawn."""
        if not self.space:
            return Board(self.rows, self.cols, self.holes, self.leaper).graph
        found = read_graph(decode(self.space, dict)) if self.space[0] == "{" else parse_space(self.space)
        if found is None:
            raise BadInput(f"{self.space!r} is not a space: write one such as 8x8, torus:5x5, 4x4x3 or GP(17,2)")
        space = found.space if isinstance(found, Graph) else found
        if not 1 <= len(space) <= MAX_SHOWN_VERTICES:
            raise BadInput(
                f"{space.called()} has {len(space)} {space.nouns[1]}, and the page shows spaces of 1 or more, at most "
                f"{MAX_SHOWN_VERTICES}"
            )
        graph = found if isinstance(found, Graph) else found.graph
        if graph.size > MAX_EDGES:
            raise BadInput(f"{graph.called} has {graph.size} edges, and the page draws at most {MAX_EDGES}")
        return graph

    @cached_property
    def problem(self) -> Problem:
        """The problem that the setting states; `BadInput` if one of its parts is wrong."""
        if self.symmetry not in ("none", *NAMES):
            raise BadInput(f"symmetry can't be {self.symmetry!r}: choose one of none, {', '.join(NAMES)}")
        return problem_of(
            self.graph,
            closed=self.closed,
            start=self.start,
            end=self.end,
            symmetry=None if self.symmetry == "none" else self.symmetry,
            givens=self.givens,
        )


def as_sentence(reason: str) -> str:
    """Return the reason with a full stop, and with a capital letter unless it begins with a name."""
    word = reason.split(" ", 1)[0]
    return f"{reason[:1].upper() if word.isalpha() else reason[:1]}{reason[1:]}."


def known_reason(problem: Problem) -> str | None:
    """Return the reason why there is no tour, if conditions show it without a search; else None."""
    known = decide_by_conditions(problem)
    return None if known is None or known.refutation is None else known.refutation.reason


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """A message of a page."""


class Ask(Message, frozen=True, tag="ask"):
    """Begin a search."""

    setting: Setting


class SendMore(Message, frozen=True, tag="more"):
    """Allow the search to send this number of further events."""

    events: Annotated[int, Meta(ge=0, le=MAX_CREDITS)]


class Stop(Message, frozen=True, tag="stop"):
    """End the search."""


class Question(Message, frozen=True):
    """A question about a setting; its answer has the same number."""

    setting: Setting
    number: Annotated[int, Meta(ge=0, lt=1 << 53)]


class JudgeBoard(Question, frozen=True, tag="judge"):
    """Is it known without a search that there is no tour?"""


class LayOut(Question, frozen=True, tag="plan"):
    """Where do the vertices lie?"""


class JudgeWalk(Question, frozen=True, tag="walk"):
    """Can this walk be completed?"""

    walk: Walk


class MakePuzzle(Question, frozen=True, tag="puzzle"):
    """Which given numbers make a puzzle of this board, at most this hard?"""

    seed: Seed
    grade: Annotated[int, Meta(ge=1, le=HARDEST)]


class OpenFile(Question, frozen=True, tag="file"):
    """Which link shows the puzzle, or the graph, in this file?"""

    name: Annotated[str, Meta(pattern=r"^[^/\0]{1,255}$")]
    text: Annotated[str, Meta(max_length=MAX_TEXT)]


class Export(Question, frozen=True, tag="export"):
    """Which file shows this path on its board or, with ``proof``, why there is no tour?"""

    form: Literal["svg", "gif", "json"]
    path: Walk
    proof: bool = False

    @property
    def closed(self) -> bool:
        """True if the path is a complete closed tour."""
        graph, path = self.setting.graph, self.path
        return self.setting.closed and len(path) == graph.order and graph.has_arc(path[-1], path[0])


KINDS = Ask | SendMore | Stop | JudgeBoard | LayOut | JudgeWalk | MakePuzzle | OpenFile | Export


class Envelope(msgspec.Struct):
    """The two parts of any message that a refusal repeats."""

    do: Any = None
    number: Any = None


def decode(text: str | bytes, kind: Any) -> Any:
    """Parse JSON text as a message of this kind; `BadInput` names a wrong value and what would be right."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as fault:
        expected, _, place = str(fault).replace("`", "").partition(" - at $.")
        raise BadInput(f"{place or 'a message'}: {expected[:1].lower()}{expected[1:]}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise BadInput("a message is a JSON object, and this is not") from None


def fault_sentence(fault: Exception) -> str:
    """Return the sentence that the page shows for an exception; log the exception if it is unexpected."""
    if isinstance(fault, BadInput | BackendFault):
        return as_sentence(str(fault))
    if isinstance(fault, MemoryError):
        return "There is not enough memory for this board: choose a smaller one."
    _LOG.error("a page could not be answered", exc_info=fault)
    return "The search failed: the server's log says why."
