"""The errors that users meet: each carries one sentence that names the value and says what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from operator import index


class BadInput(ValueError):
    """The input is wrong: the sentence names the value and what would be right (exit status 2)."""


class TourFault(ValueError):
    """A sequence of vertices is not a tour of its problem: the sentence names the first fault."""


class StoppedEarly(Exception):
    """A limit ended a run before all its answers; the message names the limit, ``time`` or ``work``."""


class BackendFault(RuntimeError):
    """A backend broke its contract, by a wrong tour or an answer of the wrong form, or its solver failed."""


@contextmanager
def faults_of(solver: str) -> Iterator[None]:
    """Raise `BackendFault`, which names the solver, for what is raised within the context; it is a decorator too."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as fault:
        what = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise BackendFault(f"{solver} failed: {what:.300}") from fault


def whole_number(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Return the value, which may be NumPy's, as an int; `BadInput` has its ``name`` if it is not a whole number
    from ``least`` to ``most``."""
    with suppress(TypeError):
        number = index(value)  # type: ignore[arg-type]
        if not (
            isinstance(value, bool) or (least is not None and number < least) or (most is not None and number > most)
        ):
            return number
    bounds = "" if least is None else f", {least} or more" if most is None else f", {least} to {most}"
    raise BadInput(f"{name} can't be {value!r:.80}: give a whole number{bounds}")


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown word: ``did you mean cpsat?`` or ``choose one of ...``."""
    import difflib  # only here, and it takes longer to load than this room

    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return f"did you mean {by_lower_case[near[0]]}?" if near else f"choose one of {', '.join(by_lower_case.values())}"


def reason(fault: OSError | ValueError) -> str:
    """Return why the system refused, for the end of a sentence, such as "no space left on device"."""
    return (getattr(fault, "strerror", None) or str(fault)).lower()


def printable(text: str, kept: str = "") -> str:
    """Return a text in which line breaks, control characters and what else can't be printed are written as ``\\x1b``,
    but for those that are ``kept``: a text of others may hold words that a terminal obeys."""
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode() for char in text
    )


def quoted(value: object) -> str:
    """Return a value as a message quotes it: short, on one line."""
    return shortened(repr(value))


def shortened(text: str, most: int = 60) -> str:
    """Return the text, or if it is longer than ``most``, its beginning and its length."""
    return text if len(text) <= most else f"{text[: most - 25]}… ({len(text)} characters)"
