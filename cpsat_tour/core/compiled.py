"""Functions compiled by Numba in a process of their own, and kept on disk.

The first call with arguments of new types reads the function's code from disk; if it is not there, a child process
compiles it and sends it (`cpsat_tour.core.compiling`). Numba is loaded for the first call, not before; for a function
that is `standalone`, whose code links by itself, only where it must be compiled. A small step of an innermost loop is
`inlined`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from typing import Any, TypeVar, cast

from cpsat_tour.core.limits import Clock
from cpsat_tour.core.standalone import Standalone

Function = TypeVar("Function", bound=Callable[..., Any])


class Compiled:
    """A function that is compiled, or read from disk, when it is first called with arguments of each type."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options  # by these names Numba inlines it

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's function; Numba takes some tenths of a second to load, which clocks count as they do compiling."""
        begun = time.perf_counter()
        from cpsat_tour.core.dispatchers import dispatcher_of

        Clock.compiling += time.perf_counter() - begun
        return dispatcher_of(self.py_func, self.targetoptions)

    @property
    def _numba_type_(self) -> Any:
        """The type of the function in compiled code, by the name under which Numba asks for it."""
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def compiled(self, types: Any) -> bytes:
        """Return the code for these types, compiled if need be."""
        code: bytes = self.dispatcher._cache.compiled(types)
        return code


def compiled(function: Function, **options: Any) -> Function:
    """Return the function, compiled or read from disk when it is first called with arguments of each type; it releases
    the lock of the interpreter."""
    return cast(Function, Compiled(function, options))


def allocation_free(function: Function) -> Function:
    """Return the function compiled without reference counts, for one that makes no arrays: tuples of arrays are
    free."""
    return compiled(function, _nrt=False)


def inlined(function: Function) -> Function:
    """Return the function for calls from compiled ones, its body compiled into theirs."""
    return compiled(function, inline="always")


def standalone(function: Function) -> Function:
    """Return the function compiled like one that is `allocation_free`, for calls without Numba: it takes arrays
    without gaps, tuples of them and integers, and returns nothing."""
    return cast(Function, Standalone(function))


@cache
def make_ready() -> None:
    """Make Numba's tables, half a second, once for all processes that are forked later."""
    from cpsat_tour.core import dispatchers

    dispatchers.make_ready()


def is_compiled(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return True if a call of the compiled function with these arguments need not wait for the compiler."""
    dispatcher: Any = cast(Compiled, function).dispatcher
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    return types in dispatcher.overloads or dispatcher._cache.read(types)
