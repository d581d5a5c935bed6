"""Guard words round the arrays that a kernel is given: what writes beyond an array is found out, and where.

A kernel takes arrays, named tuples of them, and numbers. `guarded` gives copies of its arrays that each lie between two
strips of a pattern, and looks at the strips afterwards; `in_guards` makes of a kernel one that runs so, and leaves what
it wrote in the arrays that it was called with. An array that is given twice, as those of an undirected graph are, is
given twice in the copies. What reads beyond an array reads the pattern: no vertex, no row, no bit set that occurs.

>>> def write_behind(numbers):
...     np.lib.stride_tricks.as_strided(numbers, (len(numbers) + 1,))[-1] = 7
>>> in_guards(write_behind)(np.zeros(3))
Traceback (most recent call last):
    ...
AssertionError: write_behind wrote behind 0, an array of 3 float64
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Arguments = TypeVar("Arguments", bound=tuple[Any, ...])

STRIP = 1 << 12
"""Bytes before and behind each array, more than a row of most."""

PATTERN = 0xA5


@contextmanager
def guarded(arguments: Arguments, kernel: str = "the kernel") -> Iterator[Arguments]:
    """Yield the arguments with each array, also in tuples of them, replaced by a copy between strips, and write the
    copies back; `AssertionError` if a strip has changed."""
    copies: dict[int, tuple[str, NDArray[Any], NDArray[Any], NDArray[np.uint8]]] = {}

    def copied(name: str, argument: Any) -> Any:
        """Return the argument with its arrays replaced; ``name`` says which it is."""
        if isinstance(argument, tuple):
            names = getattr(argument, "_fields", map(str, range(len(argument))))
            parts = [copied(f"{name}.{field}".lstrip("."), part) for field, part in zip(names, argument, strict=True)]
            return type(argument)._make(parts) if hasattr(argument, "_make") else tuple(parts)
        if not isinstance(argument, np.ndarray):
            return argument
        if id(argument) not in copies:
            block = np.full(argument.nbytes + 2 * STRIP, PATTERN, dtype=np.uint8)
            copy = block[STRIP : STRIP + argument.nbytes].view(argument.dtype).reshape(argument.shape)
            copy[...] = argument
            copy.flags.writeable = argument.flags.writeable
            copies[id(argument)] = name, argument, copy, block
        return copies[id(argument)][2]

    yield copied("", arguments)
    for name, array, copy, block in copies.values():
        for side, strip in (("before", block[:STRIP]), ("behind", block[STRIP + copy.nbytes :])):
            shape = " x ".join(map(str, copy.shape))
            assert (strip == PATTERN).all(), f"{kernel} wrote {side} {name}, an array of {shape} {copy.dtype}"
        if array.flags.writeable:
            array[...] = copy


def in_guards(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel, which then runs with its arrays in guards."""

    def run(*arguments: Any) -> Any:
        """Return what the kernel does."""
        with guarded(arguments, kernel.__name__) as copies:
            return kernel(*copies)

    return run
