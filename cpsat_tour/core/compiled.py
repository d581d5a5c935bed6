"""Functions compiled by Numba and cached on disk, and an event for a compilation that people wait for.

Numba compiles the functions and constants that a function uses into it, but checks only that function's own file to see
whether the cache is stale. Here the stamp covers everything that is used, so that compiled functions may call each
other across modules. A small step of an innermost loop is `inlined`.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.event import Event as NumbaEvent, Listener, register
from numba.core.registry import cpu_target

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.events import Compiling, OnEvent

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Return the function, compiled or read from disk when it is first called with arguments of each type; it releases
    the lock of the interpreter."""
    dispatcher: Any = njit(nogil=True, **options)(function)
    dispatcher._cache = cast(Any, _Cache)(function)
    return cast(Function, dispatcher)


def allocation_free(function: Function) -> Function:
    """Return the function compiled without reference counts, for one that makes no arrays: tuples of arrays are
    free."""
    return compiled(function, _nrt=False)


def inlined(function: Function) -> Function:
    """Return the function for calls from compiled ones, its body compiled into theirs."""
    return cast(Function, njit(inline="always")(function))


@cache
def make_ready() -> None:
    """Make Numba's tables, half a second, once for all processes that are forked later."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


class _Compilations(Listener):
    """Adds the time of each outermost compilation to `Clock.compiling`, and tells each listener ``waiting`` once."""

    def __init__(self) -> None:
        self.waiting: list[OnEvent] = []
        self._depth, self._begun = 0, 0.0

    def on_start(self, event: NumbaEvent) -> None:
        """Note the time of an outermost compilation, and tell the waiting listeners of it."""
        if not self._depth:
            self._begun = time.perf_counter()
        self._depth += 1
        while self.waiting:
            self.waiting.pop()(Compiling(event.data["dispatcher"].py_func.__module__))

    def on_end(self, event: NumbaEvent) -> None:  # noqa: ARG002
        """Add the time of an outermost compilation to `Clock.compiling`."""
        self._depth -= 1
        if not self._depth:
            Clock.compiling += time.perf_counter() - self._begun


_compilations = _Compilations()
cast(Any, register)("numba:compile", _compilations)


@contextmanager
def announce_compiling(on_event: OnEvent | None) -> Iterator[None]:
    """Tell the listener, once, if a function is compiled within the context."""
    if on_event is not None:
        _compilations.waiting.append(on_event)
    try:
        yield
    finally:
        if on_event in _compilations.waiting:
            _compilations.waiting.remove(on_event)


class _Files(CompileResultCacheImpl):
    """The files of a cache: in ``NUMBA_CACHE_DIR`` or the user's folder for caches, and beside the package only if
    neither can be written. There pip would leave them behind, and Python take their folders for packages."""

    _locator_classes = sorted(CompileResultCacheImpl._locator_classes, key=lambda kind: "InTree" in kind.__name__)


class _Cache(FunctionCache):
    """The cache of ``njit(cache=True)``, stamped by everything that the function uses."""

    _impl_class = _Files

    def load_overload(self, *call: Any) -> Any:
        self._cache_file._source_stamp = source_digest(self._py_func)
        try:
            return cast(Any, super()).load_overload(*call)
        except AttributeError:  # the cache names a class that has been renamed
            cast(Any, self).flush()
            return None


def source_digest(function: FunctionType) -> str:
    """Return a digest of the function's file, of all files of its package that it reaches by name, and of the numbers
    that it reaches."""
    package = function.__module__.partition(".")[0]
    parts, seen = set(), set()
    waiting: list[tuple[str, Any]] = [("", function)]
    while waiting:
        name, value = waiting.pop()
        reached = getattr(value, "py_func", value)
        module = reached.__name__ if isinstance(reached, ModuleType) else getattr(reached, "__module__", None)
        if isinstance(reached, (int, float, np.number)):
            parts.add(f"{name} = {reached!r}")
        elif isinstance(module, str) and module.partition(".")[0] == package and id(reached) not in seen:
            seen.add(id(reached))
            parts.add(_digest(str(sys.modules[module].__file__)))
            if isinstance(reached, FunctionType):
                waiting += [
                    (name, reached.__globals__[name])
                    for name in reached.__code__.co_names
                    if name in reached.__globals__
                ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


@cache
def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
