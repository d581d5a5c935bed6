"""The errors that users meet: each carries one sentence that names the value and says what would be right.

Among them is the one that says which library is not installed; the versions of those that are stand here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from operator import index
from typing import Any


class BadInput(ValueError):
    """The input is wrong: the sentence names the value and what would be right (exit status 2)."""


class TourFault(ValueError):
    """A sequence of vertices is not a tour of its problem: the sentence names the first fault. Or a puzzle has several
    solutions: it names a square in which they differ."""


STOPPED = {
    "interrupt": "interrupted",
    "time": "stopped at the time limit",
    "cancel": "cancelled",
    "work": "stopped at the limit on work",
    "solver": "the solver gave up",
}
"""How a run ended early, in words, by the name of the limit."""


class StoppedEarly(Exception):
    """A limit ended a run before all its answers; ``limit`` names it, such as ``time``, ``work`` or ``cancel``, and
    ``more`` is the rest of the sentence."""

    def __init__(self, limit: str = "", more: str = "") -> None:
        super().__init__(limit, more)
        self.limit, self.more = limit, more

    def __str__(self) -> str:
        return f"{STOPPED.get(self.limit, self.limit)}{self.more}"


class BackendFault(RuntimeError):
    """A backend broke its contract, by a wrong tour or an answer of the wrong form, or its solver failed."""


class NoAnswer(BackendFault):
    """The solver of a backend failed: it ended without an answer, right or wrong."""


@contextmanager
def faults_of(solver: str) -> Iterator[None]:
    """Context manager and decorator: turn any exception of a solver into `BackendFault`, which names the solver."""
    try:
        yield
    except (MemoryError, BackendFault):
        raise
    except Exception as fault:
        what = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise NoAnswer(f"{solver} failed: {what:.300}") from fault


def whole_number(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Return the value as an int; `BadInput`, which names it, unless it is a whole number from ``least`` to
    ``most``."""
    with suppress(TypeError):
        number = index(value)  # type: ignore[arg-type]
        if not (
            isinstance(value, bool) or (least is not None and number < least) or (most is not None and number > most)
        ):
            return number
    bounds = "" if least is None else f", {least} or more" if most is None else f", {least} to {most}"
    raise BadInput(f"{name} can't be {quoted(value)}: give a whole number{bounds}")


def items_of(name: str, value: Any) -> list[Any]:
    """Return the items of a list, an array or another iterable; `BadInput` for anything else, such as a text or a
    number. ``name`` stands in the message."""
    with suppress(TypeError):
        if not isinstance(value, str | bytes):
            return [*value]
    raise BadInput(f"{name} can't be {quoted(value)}: give a list of them")


def suggest(word: str, known: Iterable[str]) -> str:
    """Return advice on an unknown word, the end of a sentence: ``did you mean cpsat?`` or ``choose one of ...``."""
    import difflib  # only here, and it takes longer to load than this room

    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return f"did you mean {by_lower_case[near[0]]}?" if near else f"choose one of {', '.join(by_lower_case.values())}"


def reason(fault: OSError | ValueError) -> str:
    """Return the operating system's reason for an error, for the end of a sentence: "no space left on device"."""
    return (getattr(fault, "strerror", None) or str(fault)).lower()


def printable(text: str, kept: str = "") -> str:
    r"""Return the text with control characters and others that can't be printed written as ``\x1b``. Those in ``kept``
    stay. A text of others may hold sequences that a terminal obeys."""
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode() for char in text
    )


def quoted(value: object) -> str:
    """Return the value as a short quotation for a message, on one line."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python writes only some thousand digits
        return f"what can't be written, of type {type(value).__name__}"


def shortened(text: str, most: int = 60) -> str:
    """Return the text; if it is longer than ``most``, its beginning and its length."""
    return text if len(text) <= most else f"{text[: most - 25]}… ({len(text)} characters)"


__version__ = "0.1.0"
"""The version of the package, stated only here."""

DISTRIBUTIONS = {
    "PIL": "Pillow",
    "font_source_sans_pro": "font-source-sans-pro",
    "fpdf": "fpdf2",
    "pysat": "python-sat",
    "pysolvers": "python-sat",
    "resvg_py": "resvg-py",
    "z3": "z3-solver",
}
"""The names to install modules by, where they differ from the modules' own."""

PICTURES = {
    ".svg": ("an SVG picture",),
    ".png": ("a PNG picture", "resvg_py", "font_source_sans_pro"),
    ".pdf": ("a PDF file", "fpdf", "font_source_sans_pro"),
    ".tikz": ("a TikZ picture",),
    ".gif": ("a GIF picture", "PIL", "resvg_py", "font_source_sans_pro"),
}
"""The suffixes of pictures, each with what it is called and the modules that it needs."""


def not_installed(feature: str, *modules: str) -> BadInput:
    """Return the `BadInput` that a feature needs modules which are missing, with the command that installs them."""
    names = [module.partition(".")[0] for module in modules]
    install = " ".join(["pip install", *(DISTRIBUTIONS.get(name, name) for name in names)])
    missing = f"module{'s' * (len(names) > 1)} {', '.join(names)}, which {'are' if len(names) > 1 else 'is'}"
    return BadInput(f"{feature} needs the Python {missing} not installed: {install}")


def require(feature: str, *modules: str) -> None:
    """Raise `BadInput` if one of the modules that the ``feature`` needs is not installed."""
    if absent := [module for module in modules if find_spec(module) is None]:
        raise not_installed(feature, *absent)


def versions_of(*distributions: str) -> dict[str, str]:
    """Return the installed versions of this program and of these distributions, by name."""
    # only for records, and it takes longer to load than this room
    from importlib.metadata import PackageNotFoundError, version

    found = {"cpsat-tour": __version__}
    for distribution in distributions:
        with suppress(PackageNotFoundError):
            found[distribution] = version(distribution)
    return found
