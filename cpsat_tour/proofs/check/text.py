"""Reading certificates line by line, from files that may hold anything at all.

The reader keeps one line in memory, counts lines from 1, and sets limits on what a hostile file could blow up: the length of a line, the
digits of a number, the number of a variable. Whoever finds something wrong raises `Wrong`; the open file turns it into `Refused`, which
names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

MOST_LINE = 1 << 24
"""Bytes of the longest line: a row of over a million variables."""

MOST_DIGITS = 1000
"""Digits of the largest number."""

TOO_LARGE: int = 10**MOST_DIGITS

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WHOLE = re.compile(r"[+-]?[0-9]+")


class Wrong(Exception):
    """What is wrong with the line at hand, in one sentence."""


@dataclass(frozen=True)
class Fault:
    """The first wrong line of a certificate: the file, the line counted from 1, and a sentence that says what is wrong."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


class Refused(Exception):
    """The certificate is not valid; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Lines:
    """The lines of a text file, one at a time, without blank lines and comments (lines that begin with ``*``).

    As a context manager it closes the file, and turns `Wrong` and errors of the file system into `Refused` at the current line.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.number = 0
        self._path = path

    def __enter__(self) -> Lines:
        try:
            self._file = self._path.open("rb")
        except OSError as error:
            raise Refused(Fault(self.name, 1, f"the file can't be read: {error.strerror}")) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None) -> None:
        self._file.close()
        if isinstance(error, Wrong):
            raise Refused(Fault(self.name, max(self.number, 1), str(error))) from error
        if isinstance(error, OSError):
            raise Refused(Fault(self.name, max(self.number, 1), f"the file can't be read on: {error.strerror}")) from error

    def first(self) -> str:
        """The first line, comment or not."""
        line = self._next()
        return "" if line is None else _ascii(line)

    def __iter__(self) -> Iterator[str]:
        while (line := self._next()) is not None:
            if line and not line.startswith(b"*") and not line.isspace():
                yield _ascii(line)

    def _next(self) -> bytes | None:
        """The next line without its end; None at the end of the file, with ``number`` one past the last line.

        Control characters are refused even in comments: what one reader takes for the end of a line another may not.
        """
        self.number += 1
        line: bytes = self._file.readline(MOST_LINE + 1)
        if not line:
            return None
        if len(line) > MOST_LINE:
            raise Wrong(f"the line is longer than {MOST_LINE} bytes")
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if _CONTROL.search(line):
            raise Wrong("the line holds a control character: this is not text")
        return line


def _ascii(line: bytes) -> str:
    try:
        return line.decode("ascii")
    except UnicodeDecodeError:
        raise Wrong("the line holds characters beyond ASCII outside a comment") from None


def whole(token: str, what: str) -> int:
    """The whole number that a token of ASCII text writes; `Wrong` where it is none or has too many digits."""
    if not _WHOLE.fullmatch(token):
        raise Wrong(f"{what} is {shown(token)}, which is no whole number")
    if len(token) > MOST_DIGITS:
        raise Wrong(f"{what} has {len(token)} digits: at most {MOST_DIGITS} are allowed")
    return int(token)


def shown(value: object) -> str:
    """A value as an error message quotes it: short, on one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}… ({len(text)} characters)"
