"""Guard words round the arrays that a kernel is given: what writes beyond an array is found out, and where.

A kernel takes arrays, records of them, and numbers. `call_in_guards` calls it with copies of its arrays that each lie
between two strips of a pattern, looks at the strips afterwards, and leaves what it wrote in the arrays that it was
called with. An array that is given twice, as those of an undirected graph are, is given twice in the copies. What reads
beyond an array reads the pattern: no vertex, no row, no bit set that occurs.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.kernels import Record, call_kernel

STRIP = 1 << 12
"""Bytes before and behind each array, more than a row of most."""

PATTERN = 0xA5


def call_in_guards(name: str, kinds: Any, arguments: tuple[Any, ...]) -> Any:
    """Return what a kernel returns, called with its arrays in guards; `AssertionError` if it wrote beyond one."""
    copies: dict[int, tuple[str, NDArray[Any], NDArray[Any], NDArray[np.uint8]]] = {}

    def copied(of: str, argument: Any) -> Any:
        """Return the argument with its arrays replaced; ``of`` says which it is."""
        if isinstance(argument, Record):
            return argument.replace(**{field: copied(field, value) for field, value in argument.values.items()})
        if not isinstance(argument, np.ndarray):
            return argument
        if id(argument) not in copies:
            block = np.full(argument.nbytes + 2 * STRIP, PATTERN, dtype=np.uint8)
            copy = block[STRIP : STRIP + argument.nbytes].view(argument.dtype).reshape(argument.shape)
            copy[...] = argument
            copy.flags.writeable = argument.flags.writeable
            copies[id(argument)] = of, argument, copy, block
        return copies[id(argument)][2]

    result = call_kernel(name, kinds, tuple(map(copied, kinds, arguments)))
    for of, array, copy, block in copies.values():
        for side, strip in (("before", block[:STRIP]), ("behind", block[STRIP + copy.nbytes :])):
            shape = " x ".join(map(str, copy.shape))
            assert (strip == PATTERN).all(), f"{name} wrote {side} {of}, an array of {shape} {copy.dtype}"
        if array.flags.writeable:
            array[...] = copy
    return result
