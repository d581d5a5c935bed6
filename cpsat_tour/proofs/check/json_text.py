"""JSON from a file that may hold anything, and the lines on which its values stand.

Stricter than the format where readers differ: no member of an object twice, no ``NaN``, no numbers of thousands of
digits, no deep nesting.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any, NoReturn

from cpsat_tour.proofs.check.text import Fault, Refused

MAX_BYTES = 1 << 25
"""Size of the largest file, which is read as a whole."""

MAX_NESTED = 20
"""Lists and objects within each other."""

_STRINGS_AND_REST = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[^][{}"]+', re.DOTALL)

Place = tuple[str | int, ...]
"""Where a value stands: the keys and indices that lead to it from the outermost one."""


def read_json(name: str, content: bytes) -> tuple[Any, str]:
    """The value of the file with this content, and its text; `Refused` at the line where it is no JSON."""
    if len(content) > MAX_BYTES:
        raise Refused(Fault(name, 1, f"the file is larger than {MAX_BYTES} bytes"))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(Fault(name, content.count(b"\n", 0, error.start) + 1, "the line is not UTF-8 text")) from None
    brackets = _STRINGS_AND_REST.sub("", text)
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0) > MAX_NESTED:
        raise Refused(Fault(name, 1, f"lists and objects are nested too deeply: {MAX_NESTED} levels are allowed"))
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_number), text
    except json.JSONDecodeError as error:
        raise Refused(Fault(name, error.lineno, f"the line is not JSON: {error.msg}")) from None
    except ValueError as error:
        raise Refused(Fault(name, 1, f"the file is not JSON as it should be: {error}")) from None


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with a name twice is read differently by different readers."""
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("an object has two members of one name")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def line_of(text: str, place: Place) -> int:
    """The line, from 1, on which the value at a place in valid JSON text begins, or the nearest enclosing value that is
    there."""
    decoder = json.JSONDecoder()
    here = _blank(text, 0)
    for step in place:
        at, count = _blank(text, here + 1), 0
        closing = "}" if isinstance(step, str) else "]"
        found = None
        while found is None and text[at] != closing:
            key: str | int = count
            if isinstance(step, str):
                key, at = decoder.raw_decode(text, at)
                at = _blank(text, _blank(text, at) + 1)
            if key == step:
                found = at
            _, at = decoder.raw_decode(text, at)
            at = _blank(text, at)
            at = _blank(text, at + 1) if text[at] == "," else at
            count += 1
        if found is None:
            break
        here = found
    return text.count("\n", 0, here) + 1


def _blank(text: str, at: int) -> int:
    """The next position that is no white space."""
    while text[at] in " \t\n\r":
        at += 1
    return at
