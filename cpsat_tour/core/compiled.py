"""Functions compiled by Numba in a process of their own, and kept on disk.

The first call with arguments of new types reads the function's code from disk; if it is not there, a child process
compiles it and sends it (`cpsat_tour.core.compiling`).

Numba compiles the functions and constants that a function uses into it, but checks only that function's own file to see
whether the cache is stale. Here the stamp covers everything that is used, so that compiled functions may call each
other across modules. Code that is stale or damaged, or can't be read, is compiled anew; what can't be written serves
this process. Code is read from the user's own folder for caches: who can write there can run code in this process. A
small step of an innermost loop is `inlined`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core.caching import NullCache, UserWideCacheLocator
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from cpsat_tour.core.compiling import who_waits
from cpsat_tour.core.events import Compiling
from cpsat_tour.core.processes import connect_to_parent, die_with
from cpsat_tour.core.run import HEARTBEAT

Function = TypeVar("Function", bound=Callable[..., Any])

FOLDER = Path(os.environ.get("NUMBA_CACHE_DIR") or AppDirs("numba", appauthor=False).user_cache_dir)
"""The folder that keeps compiled code: ``NUMBA_CACHE_DIR`` or the user's folder for caches."""

VERSIONS = f"{sys.version} {numba.__version__} {llvmlite.__version__}"

DIGEST_BYTES = hashlib.sha256().digest_size


def compiled(function: Function, **options: Any) -> Function:
    """Return the function, compiled or read from disk when it is first called with arguments of each type; it releases
    the lock of the interpreter."""
    dispatcher: Any = njit(nogil=True, **options)(function)
    dispatcher._cache = _Code(dispatcher)
    dispatcher._compile_for_args = dispatcher._cache.link  # which Numba calls for arguments of new types
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


def is_compiled(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return True if a call of the compiled function with these arguments need not wait for the compiler."""
    dispatcher: Any = function
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    return types in dispatcher.overloads or dispatcher._cache.read(types)


# --- code on disk ---


class _Code(NullCache):
    """The compiled ``code`` of a function for each tuple of argument types, until Numba has linked it; on disk a file
    each, which begins with a digest of what the code was made from and of the code."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher, self._function = dispatcher, dispatcher.py_func
        self.code: dict[Any, bytes] = {}
        self._lock = Lock()
        self._folder: Path = FOLDER / UserWideCacheLocator.get_suitable_cache_subpath(
            self._function.__code__.co_filename
        )

    def link(self, *arguments: Any) -> Any:
        """Return the function for these arguments, read from disk or compiled."""
        dispatcher, waiting = self._dispatcher, who_waits()
        types = tuple(map(dispatcher.typeof_pyval, arguments))
        while not self._lock.acquire(timeout=HEARTBEAT):  # another thread waits for the same function
            waiting.watch.heartbeat()
        try:
            if not (types in dispatcher.overloads or self.read(types)):
                module, name = self._function.__module__, self._function.__qualname__
                event = Compiling("" if self._is_writable() else str(FOLDER))
                if (code := waiting.code(dumps((module, name, types)), event)) is not None:
                    self.code[types] = code
            return type(dispatcher)._compile_for_args(dispatcher, *arguments)
        finally:
            self._lock.release()

    def read(self, types: Any) -> bool:
        """Return True if the code for these types is there, or can be read from disk."""
        if types not in self.code:
            with suppress(OSError):
                content = self._path(types).read_bytes()
                if self._stamp(types, content[DIGEST_BYTES:]) == content[:DIGEST_BYTES]:
                    self.code[types] = content[DIGEST_BYTES:]
        return types in self.code

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return Numba's record of the code, None if there is no code."""
        types = tuple(getattr(sig, "args", sig))
        if not self.read(types):
            return None
        target_context.refresh()
        return CompileResult._rebuild(target_context, *pickle.loads(self.code.pop(types)))

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep the code of what Numba has compiled, and write it to disk if that can be done."""
        if cres.library.has_dynamic_globals:
            return  # it holds addresses in this process
        types = tuple(getattr(sig, "args", sig))
        code = self.code[types] = dumps(cres._reduce())
        path = self._path(types)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished.write_bytes(self._stamp(types, code) + code)
                unfinished.replace(path)
            except OSError:
                unfinished.unlink()

    @contextmanager
    def only_here(self, types: Any) -> Iterator[None]:
        """Wait for another process that compiles the function for these types, and keep others waiting; where there can
        be no file to lock, each compiles for itself."""
        with ExitStack() as open_files:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                file = open_files.enter_context(self._path(types).with_suffix(".lock").open("w"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _is_writable(self) -> bool:
        """Return True if the folder is there, or can be made, and takes files."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=self._folder).close()
        except OSError:
            return False
        return True

    def _path(self, types: Any) -> Path:
        """Return the file of the code compiled for arguments of these types."""
        name = f"{Path(self._function.__code__.co_filename).stem}.{self._function.__qualname__}"
        processor = self._dispatcher.targetctx.codegen().magic_tuple()
        call = hashlib.sha256(f"{name}{types}{processor}{sys.version_info[:2]}".encode()).hexdigest()[:16]
        return self._folder / f"{re.sub('[<>]', '', name)}-{call}.nbc"

    def _stamp(self, types: Any, code: bytes) -> bytes:
        """Return the digest of the code and of what it depends on, by which stale code is told."""
        return hashlib.sha256(f"{source_digest(self._function)} {VERSIONS} {types}".encode() + code).digest()


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
    """Return the SHA-256 of a file."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _serve() -> None:
    """Compile the function that the parent asks for, and send its code."""
    die_with(int(sys.argv[1]))
    connection = connect_to_parent()
    module, name, types = pickle.loads(connection.recv_bytes())
    dispatcher = getattr(import_module(module), name)
    with dispatcher._cache.only_here(types):
        if not dispatcher._cache.read(types):
            dispatcher.compile(types)
    connection.send_bytes(dispatcher._cache.code[types])


if __name__ == "__main__":
    _serve()
