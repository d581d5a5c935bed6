"""Reading certificates from files that may hold anything at all, within bounds.

Text is read line by line. A function that finds something wrong raises `Wrong`; `lines_of` turns it into `Refused`,
which names the file and the line. Three bounds hold everywhere: one on what is read as a whole (`MAX_BYTES`), one on
numbers (`MAX_NUMBER`), and a `Budget` of work in proportion to the text; memory that grows costs work, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from cpsat_tour.core.errors import quoted, reason, shortened
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.limits import Clock

MAX_BYTES = 1 << 24
"""Bytes of the longest line, a row of over a million variables, and of the largest ``certificate.json``."""

MAX_NUMBER = 10**18
"""Every number of a constraint is smaller."""

FREE_WORK, WORK_PER_BYTE = 1 << 22, 5
"""Terms of constraints that the checker may look at: this number, and more for each byte, which takes one."""

WORK_PER_KEPT_TERM = 16
"""The work that it costs to keep a term of a sum, which may be longer than its line."""

WORK_BETWEEN_BEATS = 1 << 16

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class Wrong(Exception):
    """A sentence that says what is wrong with the current line."""


@dataclass(frozen=True)
class Fault:
    """The first wrong line of a certificate: the file, the line counted from 1, and a sentence that says what is wrong.

    Of JSON that can be read the sentence names the member, and there is no line.
    """

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}: {shortened(self.reason, 300)}"


class Refused(Exception):
    """The certificate is not valid; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Budget:
    """The work that a certificate may still take, and the time: `StoppedEarly` when that is over.

    Many times a second the listener hears how many lines were read; it may stop the checker by an exception.
    """

    def __init__(self, on_progress: OnEvent | None = None, clock: Clock | None = None) -> None:
        self.lines = 0
        self._left = FREE_WORK
        self._listener, self._clock = on_progress, clock or Clock(None)
        self._until_beat = 0

    def count_line(self, size: int) -> None:
        """Count a line of ``size`` bytes: add the work that it allows, and take what reading it costs."""
        self.lines += 1
        self._left += WORK_PER_BYTE * size
        self.spend(size)

    def spend(self, terms: int) -> None:
        """Take work from the budget, and look at the clock now and then; `Wrong` if there is not so much left."""
        self._left -= terms
        if self._left < 0:
            raise Wrong("the proof takes more work than a proof of its length may: split its longest steps up")
        self._until_beat -= terms
        if self._until_beat < 0:
            self._until_beat = WORK_BETWEEN_BEATS
            self._clock.check()
            if self._listener is not None:
                self._listener(Progress({"lines": self.lines}))


@contextmanager
def lines_of(path: Path, budget: Budget) -> Iterator[Iterator[bytes]]:
    """Yield an iterator over the lines of a text file without their ends, as bytes: comments may be in any encoding.
    Blank lines after the first are left out. `Wrong` and errors of the file system become `Refused` at that line.

    Control characters are refused even in comments: what one reader takes for the end of a line another may not.
    """
    number = 1

    def read_lines(file: BinaryIO) -> Iterator[bytes]:
        nonlocal number
        for number in count(1):  # one past the last at the end
            line = file.readline(MAX_BYTES + 1)
            if not line:
                return
            if len(line) > MAX_BYTES:
                raise Wrong(f"the line is longer than {MAX_BYTES} bytes")
            budget.count_line(len(line))
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if _CONTROL.search(line):
                raise Wrong("the line holds a control character: this is not text")
            if line.strip() or number == 1:
                yield line

    try:
        with path.open("rb") as file:
            yield read_lines(file)
    except (Wrong, OSError) as error:
        wrong = str(error) if isinstance(error, Wrong) else f"the file can't be read: {reason(error)}"
        raise Refused(Fault(path.name, number, wrong)) from error


def expect(expected: str, given: bytes) -> None:
    """Raise `Wrong` unless the given line, empty at the end of the file, has the expected words."""
    if given.split() != expected.encode().split():
        raise Wrong(f"this must be {shortened(repr(expected), 120)}, and is {quoted(given.decode(errors='replace'))}")


def ascii_text(line: bytes) -> str:
    """Return the bytes as text; `Wrong` if they are not ASCII."""
    try:
        return line.decode("ascii")
    except UnicodeDecodeError:
        raise Wrong("the line holds characters beyond ASCII outside a comment") from None


def read_integer(token: str, what: str) -> int:
    """Return the integer that a token of ASCII text writes; `Wrong` if it writes none smaller than `MAX_NUMBER`."""
    if not _WHOLE.fullmatch(token):
        raise Wrong(f"{what} is {quoted(token)}, which is not a whole number of at most 18 digits")
    return int(token)


def read_json(path: Path) -> Any:
    """Return the value in a JSON file; `Refused` at the first line that is wrong, and where readers would differ: a
    member of an object twice, or ``NaN``."""
    line = 1
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES} bytes")
        return json.loads(
            content.decode("utf-8"), object_pairs_hook=_dict_without_repeats, parse_constant=_refuse_constant
        )
    except OSError as error:
        wrong = f"the file can't be read: {reason(error)}"
    except UnicodeDecodeError as error:
        line, wrong = content.count(b"\n", 0, error.start) + 1, "the line is not UTF-8 text"
    except json.JSONDecodeError as error:
        line, wrong = error.lineno, f"the line is not JSON: {error.msg}"
    except ValueError as error:
        wrong = f"the file is not JSON as it should be: {error}"
    except RecursionError:
        wrong = "lists and objects are nested too deeply"
    raise Refused(Fault(path.name, line, wrong))


def _dict_without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object; `ValueError` if two have one name."""
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("an object has two members of one name")
    return found


def _refuse_constant(word: str) -> NoReturn:
    """Raise `ValueError`: JSON has no NaN and no infinity."""
    raise ValueError(f"{word} is no JSON")
