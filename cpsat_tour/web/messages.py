"""What a page may send, as JSON, and how a message that is wrong is answered.

``{"do": "ask", "setting": {…}}`` begins a search and ends the one before, ``{"do": "more", "events": k}`` gives it k
credits, ``{"do": "stop"}`` ends it. The other messages are questions, each with a ``number`` that comes back with the
answer: what is known of the board without a search, where its vertices lie, whether a walk can be completed, and for a
puzzle.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from cpsat_tour.backends.puzzles import HARDEST
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.web.settings import MAX_SIDE, Seed, Setting, as_sentence

MAX_CREDITS = 1_000_000

THREADS = ThreadPoolExecutor(32)

Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """What a page sends."""


class Search(Message, frozen=True, tag="ask"):
    """Begin a search."""

    setting: Setting


class SendMore(Message, frozen=True, tag="more"):
    """Send so many events more."""

    events: Annotated[int, Meta(ge=0, le=MAX_CREDITS)]


class Stop(Message, frozen=True, tag="stop"):
    """End the search."""


class Question(Message, frozen=True):
    """Something about a setting, whose answer has the same number."""

    setting: Setting
    number: Annotated[int, Meta(ge=0, lt=1 << 53)]


class JudgeBoard(Question, frozen=True, tag="judge"):
    """Is there no tour, as far as that is known without a search?"""


class LayOut(Question, frozen=True, tag="plan"):
    """Where do the vertices lie?"""


class JudgeWalk(Question, frozen=True, tag="walk"):
    """Can this walk be completed?"""

    walk: Annotated[tuple[int, ...], Meta(max_length=MAX_SIDE**2)]


class MakePuzzle(Question, frozen=True, tag="puzzle"):
    """Which numbers make a puzzle of this board, of this grade at most?"""

    seed: Seed
    grade: Annotated[int, Meta(ge=1, le=HARDEST)]


KINDS = Search | SendMore | Stop | JudgeBoard | LayOut | JudgeWalk | MakePuzzle


class Envelope(msgspec.Struct):
    """What a refusal says of the message that it answers."""

    do: Any = None
    number: Any = None


def decoded(text: str | bytes, kind: Any) -> Any:
    """Read JSON of this kind; `BadInput` names the value that is wrong and says what would be right."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as fault:
        expected, _, place = str(fault).replace("`", "").partition(" - at $.")
        raise BadInput(f"{place or 'a message'}: {expected[:1].lower()}{expected[1:]}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise BadInput("a message is a JSON object, and this is not") from None


def reason_of(fault: Exception) -> str:
    """Return what the page says of an exception, in a sentence; one that nobody foresaw goes to the log as well."""
    if isinstance(fault, BadInput | BackendFault):
        return as_sentence(str(fault))
    if isinstance(fault, MemoryError):
        return "There is not enough memory for this board: choose a smaller one."
    _LOG.error("a page could not be answered", exc_info=fault)
    return "The search failed: the server's log says why."


async def in_thread(work: Callable[..., Result], *arguments: object) -> Result:
    """Return what a function returns, computed while other pages are served; the end of the server does not wait for
    it."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, work, *arguments)
