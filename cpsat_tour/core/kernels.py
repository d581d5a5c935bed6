"""Calls of the kernels: the functions in C of `native/*.c`, one shared library that is built with the package.

They are bound by `ctypes`: the library knows nothing of Python, so that one serves every version of it, and the
interpreter's lock is released during a call. C trusts what it gets, so all of it is checked here, once a `Record` or a
call: the type of each array, that it has no gaps, and its length where the record says one. A kernel takes a budget and
comes back, so that limits and Ctrl-C are Python's; it keeps nothing between two calls, and threads call it at once with
records of their own.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec, Self, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np

LIBRARY = Path(__file__).parent.with_name("native") / "kernels.so"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass_transform(kw_only_default=True)
class Record:
    """Arrays and numbers that C takes as one structure, in the order of the annotations: a number as a word of 64 bits,
    an array as the address of its first entry.

    ``Annotated[Naturals, "order+1"]`` says how many entries an array has at least, by the numbers of the record.
    `TypeError` for an array of another type, or with gaps, `ValueError` for one that is too short.
    """

    _kinds: dict[str, tuple[np.dtype[Any] | None, str]]

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        cls._kinds = {name: _kind_of(hints[name]) for name in cls.__annotations__}

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)
        for name, (_, length) in self._kinds.items():
            if length and values[name].size < (least := self._number(length)):
                raise ValueError(f"{name} has {values[name].size} entries, {least} are needed")
        words = [_word(name, values[name], dtype) for name, (dtype, _) in self._kinds.items()]
        self.words = np.array(words, dtype=np.int64)
        self.address = self.words.ctypes.data

    @property
    def values(self) -> dict[str, Any]:
        """The arrays and numbers by name."""
        return {name: getattr(self, name) for name in self._kinds}

    def replace(self, **changes: Any) -> Self:
        """Return a record with other values for some names; it shares the other arrays."""
        return type(self)(**self.values | changes)

    def _number(self, length: str) -> int:
        """Return the value of a length: the product of numbers and names, and what is added to it."""
        product, _, more = length.partition("+")
        factors = [int(part) if part.isdigit() else int(getattr(self, part)) for part in product.split("*")]
        return math.prod(factors) + int(more or 0)


def kernel(declaration: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return the function in C that has the name of a declaration, and takes what is annotated there: records, arrays,
    whole numbers. It returns a whole number."""
    name, hints = declaration.__name__, get_type_hints(declaration, include_extras=True)
    kinds = [(key, _kind_of(hint)[0]) for key, hint in hints.items() if key != "return"]

    @wraps(declaration)
    def call(*arguments: Parameters.args, **_: Parameters.kwargs) -> Result:
        result: Result = call_kernel(name, kinds, arguments)
        return result

    return call


def call_kernel(name: str, kinds: list[tuple[str, np.dtype[Any] | None]], arguments: tuple[Any, ...]) -> Any:
    """Return what a function in C returns for these arguments of these kinds."""
    words = [_word(key, value, dtype) for (key, dtype), value in zip(kinds, arguments, strict=True)]
    return _function(name, len(kinds))(*words)


@cache
def _function(name: str, parameters: int) -> Any:
    """Return a function of the library, which takes so many words and returns one."""
    function: Any = _library()[name]
    function.argtypes, function.restype = [ctypes.c_int64] * parameters, ctypes.c_int64
    return function


@cache
def _library() -> ctypes.CDLL:
    """Return the library."""
    return ctypes.CDLL(str(LIBRARY))


def _kind_of(hint: Any) -> tuple[np.dtype[Any] | None, str]:
    """Return the type of the entries of an annotated array, None for a record or a number, and the length that is
    said."""
    length = ""
    if get_origin(hint) is Annotated:
        hint, length = get_args(hint)
    dtype = None
    if get_origin(hint) is np.ndarray:
        dtype = np.dtype(get_args(get_args(hint)[1])[0])
    return dtype, length


def _word(name: str, value: Any, dtype: np.dtype[Any] | None) -> int:
    """Return an argument as C takes it: a number as it is, the address of a record or of an array."""
    if dtype is None:
        return value.address if isinstance(value, Record) else int(value)
    if not isinstance(value, np.ndarray) or value.dtype != dtype or not value.flags.c_contiguous:
        raise TypeError(f"{name} is not an array of {dtype} without gaps")
    address: int = value.__array_interface__["data"][0]
    return address
