"""Commands as the tests call them, in this process."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Printed(NamedTuple):
    """What a command has written to stdout and to stderr."""

    out: str
    err: str


class Command(Protocol):
    """Runs a command line, such as ``solve 5x5``, asserts its exit status, and gives what it printed."""

    def __call__(self, line: str, status: int = 0) -> Printed: ...
