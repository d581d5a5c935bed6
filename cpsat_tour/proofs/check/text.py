"""Reading certificates line by line, from files that may hold anything at all.

The reader keeps one line in memory, counts lines from 1, and sets limits on what a hostile file could blow up: the
length of a line, the digits of a number, the number of a variable. Whoever finds something wrong raises `Wrong`; the
open file turns it into `Refused`, which names the file and the line.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from cpsat_tour.core.errors import reason
from cpsat_tour.core.events import OnEvent, Progress

APEX = "apex"
"""What people call the vertex that joins the ends of an open tour."""

MAX_LINE = 1 << 24
"""Bytes of the longest line: a row of over a million variables."""

MAX_DIGITS = 1000
"""Digits of the largest number."""

TOO_LARGE: int = 10**MAX_DIGITS

MAX_WORDS = 300
"""Characters of the longest reason that a fault gives: it may quote names of any length."""

SECONDS_BETWEEN_EVENTS = 0.2

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WHOLE = re.compile(r"[+-]?[0-9]+")


class Wrong(Exception):
    """What is wrong with the line at hand, in one sentence."""


@dataclass(frozen=True)
class Fault:
    """The first wrong line of a certificate: the file, the line counted from 1, and a sentence that says what is
    wrong."""

    file: str
    line: int
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", clipped(self.reason, MAX_WORDS))

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


class Refused(Exception):
    """The certificate is not valid; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Pulse:
    """Tells a listener a few times a second that the checker is alive, and so lets it stop the checker by an
    exception."""

    def __init__(self, on_progress: OnEvent | None = None) -> None:
        self.listener = on_progress
        self._last = time.monotonic()

    def beat(self, lines: int) -> None:
        """So many lines of the file at hand were read."""
        if self.listener is not None and time.monotonic() - self._last >= SECONDS_BETWEEN_EVENTS:
            self._last = time.monotonic()
            self.listener(Progress({"lines": lines}))


class Lines:
    """The lines of a text file, one at a time, with their numbers; blank lines are passed over.

    As a context manager it closes the file, and turns `Wrong` and errors of the file system into `Refused` at the
    current line.
    """

    def __init__(self, path: Path, pulse: Pulse) -> None:
        self.name = path.name
        self.number = 0
        self._path = path
        self._pulse = pulse

    def __enter__(self) -> Lines:
        try:
            self._file = self._path.open("rb")
        except OSError as error:
            raise Refused(Fault(self.name, 1, f"the file can't be read: {reason(error)}")) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._file.close()
        if isinstance(error, Wrong):
            raise Refused(Fault(self.name, max(self.number, 1), str(error))) from error
        if isinstance(error, OSError):
            raise Refused(
                Fault(self.name, max(self.number, 1), f"the file can't be read on: {reason(error)}")
            ) from error

    def first(self) -> str:
        """The first line."""
        line = self._next()
        return "" if line is None else ascii_text(line)

    def raw(self) -> Iterator[bytes]:
        """The lines that are not blank, as bytes: comments may be in any encoding."""
        while (line := self._next()) is not None:
            if line and not line.isspace():
                yield line

    def __iter__(self) -> Iterator[str]:
        """The lines that are neither blank nor comments, which begin with ``*``."""
        return (ascii_text(line) for line in self.raw() if not line.startswith(b"*"))

    def beat(self) -> None:
        """A sign of life in the middle of a line that takes long."""
        self._pulse.beat(self.number)

    def _next(self) -> bytes | None:
        """The next line without its end; None at the end of the file, with ``number`` one past the last line.

        Control characters are refused even in comments: what one reader takes for the end of a line another may not.
        """
        self.number += 1
        self.beat()
        line: bytes = self._file.readline(MAX_LINE + 1)
        if not line:
            return None
        if len(line) > MAX_LINE:
            raise Wrong(f"the line is longer than {MAX_LINE} bytes")
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if _CONTROL.search(line):
            raise Wrong("the line holds a control character: this is not text")
        return line


def ascii_text(line: bytes) -> str:
    """The bytes as text; `Wrong` where they are not ASCII."""
    try:
        return line.decode("ascii")
    except UnicodeDecodeError:
        raise Wrong("the line holds characters beyond ASCII outside a comment") from None


def whole(token: str, what: str) -> int:
    """The whole number that a token of ASCII text writes; `Wrong` where it is none or has too many digits."""
    if not _WHOLE.fullmatch(token):
        raise Wrong(f"{what} is {shown(token)}, which is no whole number")
    if len(token) > MAX_DIGITS:
        raise Wrong(f"{what} has {len(token)} digits: at most {MAX_DIGITS} are allowed")
    return int(token)


def shown(value: object) -> str:
    """A value as an error message quotes it: short, on one line."""
    return clipped(repr(value), 60)


def clipped(text: str, most: int) -> str:
    """The text, or where it has more characters than that, its beginning and how many there are."""
    return text if len(text) <= most else f"{text[: most - 25]}… ({len(text)} characters)"


def text_bytes(path: Path, most: int) -> int:
    """How many bytes of text the file begins with, at most so many: what a file holds, whatever size it is said to
    have."""
    count = 0
    with path.open("rb") as file:
        while count < most and (block := file.read(min(1 << 20, most - count))):
            if control := _NOT_TEXT.search(block):
                return count + control.start()
            count += len(block)
    return count
