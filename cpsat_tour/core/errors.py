"""The errors that users meet: each carries one sentence that names the value and says what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index


class BadInput(ValueError):
    """What the user asked for can't be: the sentence names the value and what would be right (exit status 2)."""


class TourFault(ValueError):
    """A sequence of vertices is no tour of its problem: the sentence names the first fault."""


class StoppedEarly(Exception):
    """A limit ended a run before it had its answer, or all of them; the message names the limit: ``time`` or
    ``work``."""


class BackendFault(RuntimeError):
    """A backend broke its contract, by a wrong tour or an answer of the wrong form."""


def whole_number(what: str, value: object) -> int:
    """The value as an int, NumPy's integers too; `BadInput` names what it is if it is a truth value or no whole
    number."""
    if not isinstance(value, bool):
        try:
            return index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise BadInput(f"{what} can't be {value!r}: give a whole number")


def choose_among(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: ``did you mean cpsat?``, or ``choose one of`` all that are known."""
    import difflib  # only here, and it takes longer to load than this room

    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return f"did you mean {by_lower_case[near[0]]}?" if near else f"choose one of {', '.join(by_lower_case.values())}"


def reason(fault: OSError | ValueError) -> str:
    """Why the system refused, in a few words for the end of a sentence, such as "no space left on device"."""
    return (getattr(fault, "strerror", None) or str(fault)).lower()
