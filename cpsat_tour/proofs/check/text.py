"""Reading certificates line by line, from files that may hold anything at all, within bounds.

The reader keeps one line in memory and counts lines from 1. Whoever finds something wrong raises `Wrong`; the open file
turns it into `Refused`, which names the file and the line. `Budget` bounds what a certificate may cost: work and memory
in proportion to its text, and the time that the user gives. `MAX_NUMBER` bounds its numbers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import reason
from cpsat_tour.core.events import OnEvent, Progress

MAX_LINE = 1 << 24
"""Bytes of the longest line: a row of over a million variables."""

MAX_NUMBER = 10**18
"""Every number of a constraint is smaller."""

MAX_WORDS = 300
"""Characters of the longest reason that a fault gives: it may quote names of any length."""

FREE_WORK, WORK_PER_BYTE = 1 << 22, 8
"""Terms of constraints that the checker looks at: so many, and so many more for each byte of text."""

FREE_MEMORY, MEMORY_PER_BYTE = 1 << 27, 16
"""Bytes of the constraints and tours that are kept, in the same way."""

WORK_BETWEEN_BEATS = 1 << 14
SECONDS_BETWEEN_EVENTS = 0.2

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


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


class Budget:
    """What is left of the work and the memory that a certificate may take, and of the time.

    A few times a second a listener is told how many lines of the file at hand were read; it may stop the checker by an
    exception. `StoppedEarly` when the time is over.
    """

    def __init__(self, on_progress: OnEvent | None = None, clock: Clock | None = None) -> None:
        self.lines = 0
        self._work, self._memory = FREE_WORK, FREE_MEMORY
        self._listener, self._clock = on_progress, clock or Clock(None)
        self._until_beat = WORK_BETWEEN_BEATS
        self._told = time.monotonic()

    def read(self, size: int) -> None:
        """So many bytes of text were read."""
        self._work += WORK_PER_BYTE * size
        self._memory += MEMORY_PER_BYTE * size

    def work(self, terms: int) -> None:
        """Take work from the budget; `Wrong` where there is not so much left."""
        self._work -= terms
        if self._work < 0:
            raise Wrong("the proof takes more work than a proof of its length may: split its longest steps up")
        self._until_beat -= terms
        if self._until_beat < 0:
            self.beat()

    def hold(self, size: int) -> None:
        """So many bytes are kept from now on, or given back where the number is negative; `Wrong` where they are too
        many."""
        self._memory -= size
        if self._memory < 0:
            raise Wrong("the constraints that are kept take more memory than a proof of this length may: delete some")

    def beat(self) -> None:
        """Look at the clock, and tell the listener."""
        self._until_beat = WORK_BETWEEN_BEATS
        self._clock.check()
        if self._listener is not None and time.monotonic() - self._told >= SECONDS_BETWEEN_EVENTS:
            self._told = time.monotonic()
            self._listener(Progress({"lines": self.lines}))


class Lines:
    """The lines of a text file, one at a time, with their numbers; blank lines are passed over.

    As a context manager it closes the file, and turns `Wrong` and errors of the file system into `Refused` at the
    current line.
    """

    def __init__(self, path: Path, budget: Budget) -> None:
        self.name, self.number = path.name, 0
        self._path, self._budget = path, budget

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
        if isinstance(error, Wrong | OSError):
            words = str(error) if isinstance(error, Wrong) else f"the file can't be read on: {reason(error)}"
            raise Refused(Fault(self.name, max(self.number, 1), words)) from error

    def first(self) -> str:
        """The first line."""
        return ascii_text(self._next() or b"")

    def __iter__(self) -> Iterator[bytes]:
        """The lines that are not blank, as bytes: comments may be in any encoding."""
        while (line := self._next()) is not None:
            if line and not line.isspace():
                yield line

    def _next(self) -> bytes | None:
        """The next line without its end; None at the end of the file, with ``number`` one past the last line.

        Control characters are refused even in comments: what one reader takes for the end of a line another may not.
        """
        self.number = self._budget.lines = self.number + 1
        self._budget.beat()
        line: bytes = self._file.readline(MAX_LINE + 1)
        if not line:
            return None
        if len(line) > MAX_LINE:
            raise Wrong(f"the line is longer than {MAX_LINE} bytes")
        self._budget.read(len(line))
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
    """The whole number that a token of ASCII text writes, smaller than `MAX_NUMBER`; `Wrong` where it is none."""
    if not _WHOLE.fullmatch(token):
        raise Wrong(f"{what} is {shown(token)}, which is not a whole number of at most 18 digits")
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
