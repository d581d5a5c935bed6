"""Calls of the kernels: the functions in C of `native/*.c`, one shared library that is built with the package.

They are bound by `ctypes`: the library knows nothing of Python, so that one serves every version of it, and the
interpreter's lock is released during a call. C trusts what it gets, so all of it is checked here, once a `Record` or a
call: the type of each array, that it has no gaps, and its length where the record says one. A kernel takes a budget and
comes back, so that limits and Ctrl-C are Python's; it keeps nothing between two calls, and threads call it at once with
records of their own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput

LIBRARY = Path(__file__).parent.with_name("native") / "kernels.so"

Kinds: TypeAlias = dict[str, tuple["np.dtype[Any] | None", str]]
"""The types of members or arguments by name: the entry type of an array, or None for a record or a number, and the
length of an array as written in its annotation."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass_transform(kw_only_default=True)
class Record:
    """A structure that is passed to C: the annotations list its members in order, numbers as 64-bit words, arrays as
    the address of their first entry.

    ``Annotated[Naturals, "order+1"]`` says how many entries an array has at least, by the numbers of the record.
    `TypeError` for an array of another type, or with gaps, `ValueError` for one that is too short. A record stays as it
    is made, for C has the addresses of its arrays; what is in them changes.
    """

    _address: int

    def __init__(self, **values: Any) -> None:
        words = np.array(_to_words(_kinds_of(cast(Any, type(self))), values), dtype=np.int64)
        self.__dict__.update(values, _words=words, _address=words.ctypes.data)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{name} can't be set, since C has the address of what is there: replace makes a new record"
        )

    @property
    def values(self) -> dict[str, Any]:
        """The members of the structure by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __reduce__(self) -> tuple[Any, ...]:
        """Have a copy be a record of its own, with addresses of its own."""
        return _from_values, (type(self), self.values)

    def replace(self, **changes: Any) -> Self:
        """Return a copy of the record with some members changed; it shares the other arrays."""
        return type(self)(**self.values | changes)


def _from_values(kind: type[Record], values: Mapping[str, Any]) -> Record:
    """Return a record of this kind with these members; `pickle` calls it."""
    return kind(**values)


def kernel(declaration: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate the declaration of a C function: return a Python function that calls the one of the same name. The
    annotations say what it takes: records, arrays, whole numbers; the length of an array may name other arguments, and
    the numbers of a record (``search.order``). It returns a whole number."""

    @wraps(declaration)
    def call(*arguments: Parameters.args, **_: Parameters.kwargs) -> Result:
        result: Result = call_kernel(declaration.__name__, _kinds_of(declaration), arguments)
        return result

    return call


def call_kernel(name: str, kinds: Kinds, arguments: tuple[Any, ...]) -> Any:
    """Call the C function of this name and return its result; ``kinds`` are the types of the arguments."""
    return _function(name, len(kinds))(*_to_words(kinds, dict(zip(kinds, arguments, strict=True))))


@cache
def _function(name: str, parameters: int) -> Any:
    """Return a C function of the shared library, with this number of word-sized parameters; `BadInput` if the library
    can't be loaded."""
    try:
        function = ctypes.CDLL(str(LIBRARY))[name]
    except OSError as fault:
        raise BadInput(
            f"the kernels in C can't be loaded ({fault}): install cpsat-tour anew, which builds them"
        ) from None
    function.argtypes, function.restype = [ctypes.c_int64] * parameters, ctypes.c_int64
    return function


@cache
def _kinds_of(home: Any) -> Kinds:
    """Return the types that the annotations of a record, or of a declaration, state, by name. They are computed when
    first needed, as most commands need few."""
    hints, kinds = get_type_hints(home, include_extras=True), {}
    for name in (name for name in home.__annotations__ if name != "return"):
        hint, length = get_args(hints[name]) if get_origin(hints[name]) is Annotated else (hints[name], "")
        of_arrays = get_origin(hint) is np.ndarray
        kinds[name] = np.dtype(get_args(get_args(hint)[1])[0]) if of_arrays else None, length
    return kinds


def _to_words(kinds: Kinds, values: Mapping[str, Any]) -> list[int]:
    """Convert arguments to the words that C takes: a number stays, an array or a record becomes its address. TypeError
    or ValueError if an array has the wrong type or is too short."""
    words = []
    for name, (dtype, length) in kinds.items():
        value = values[name]
        if dtype is None:
            words.append(value._address if isinstance(value, Record) else int(value))
        elif not isinstance(value, np.ndarray) or value.dtype != dtype or not value.flags.c_contiguous:
            raise TypeError(f"{name} is not an array of {dtype} without gaps")
        elif length and value.size < (least := _entries_needed(length, values)):
            raise ValueError(f"{name} has {value.size} entries, {least} are needed")
        else:
            words.append(value.__array_interface__["data"][0])
    return words


def _entries_needed(length: str, values: Mapping[str, Any]) -> int:
    """Return the number of entries that an annotated length such as ``rows*order+1`` stands for."""
    product, _, more = length.partition("+")
    entries = 1
    for factor in product.split("*"):
        home, _, name = factor.rpartition(".")
        entries *= int(factor) if factor.isdigit() else int(getattr(values[home], name) if home else values[factor])
    return entries + int(more or 0)


def random_state(*seed: int) -> NDArray[np.uint64]:
    """Return the initial state of a kernel's random generator for this seed: one 64-bit word, not 0."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)
