"""Messages between the processes of one program: pickled objects, each behind its length in eight bytes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from typing import Any

_LENGTH = 8

MAX_MESSAGE = 1 << 32
"""Bytes; a message that says it is longer is what a damaged process wrote."""


class Garbage(Exception):
    """What came is no message."""


def send(pipe: int, message: Any) -> None:
    """Write a message, however long."""
    data = pickle.dumps(message)
    waiting = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while waiting:
        waiting = waiting[os.write(pipe, waiting) :]


class Inbox:
    """The end of a pipe at which messages arrive, perhaps in pieces, for a sender may be stopped in the middle of
    one."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self._bytes = bytearray()

    def fileno(self) -> int:
        """The pipe, so that selectors can wait for it."""
        return self.pipe

    def read(self) -> bool:
        """Take in what has come, waiting if there is nothing; False when the pipe has ended."""
        block = os.read(self.pipe, 1 << 16)
        self._bytes += block
        return bool(block)

    def messages(self) -> Iterator[Any]:
        """The messages that have arrived whole; `Garbage` where they are none."""
        while len(self._bytes) >= _LENGTH:
            length = int.from_bytes(self._bytes[:_LENGTH], "big")
            if length > MAX_MESSAGE:
                raise Garbage(f"a message of {length:,} bytes")
            if len(self._bytes) < _LENGTH + length:
                break
            data = bytes(self._bytes[_LENGTH : _LENGTH + length])
            del self._bytes[: _LENGTH + length]
            try:
                message = pickle.loads(data)
            except Exception as fault:  # whatever bytes bring about
                raise Garbage(str(fault)) from fault
            yield message
