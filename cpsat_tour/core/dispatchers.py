"""Numba's side of compiled functions: dispatchers that read their code from disk, and the process that compiles it.

Numba compiles the functions and constants that a function uses into it, but checks only that function's own file to see
whether the cache is stale; so its files are not used, but those of `cpsat_tour.core.code_files`, and compiled functions
may call each other across modules.
"""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from threading import Lock
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import njit, types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from cpsat_tour.core.code_files import CodeFiles
from cpsat_tour.core.compiling import who_waits
from cpsat_tour.core.events import Compiling
from cpsat_tour.core.processes import connect_to_parent, die_with
from cpsat_tour.core.run import HEARTBEAT

VERSIONS = f"{sys.version} {numba.__version__} {llvmlite.__version__}"


def dispatcher_of(function: Any, options: dict[str, Any]) -> Any:
    """Return Numba's dispatcher of a function."""
    dispatcher: Any = njit(nogil=True, **options)(function)
    dispatcher._cache = _Code(dispatcher)
    dispatcher._compile_for_args = dispatcher._cache.link  # which Numba calls for arguments of new types
    return dispatcher


def make_ready() -> None:
    """Make Numba's tables, which takes half a second."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


class _Code(NullCache):
    """The compiled ``code`` of a function for each tuple of argument types, until Numba has linked it; on disk a file
    each."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher, self._function = dispatcher, dispatcher.py_func
        self.code: dict[Any, bytes] = {}
        self._lock, self._files = Lock(), CodeFiles(dispatcher.py_func, "nbc")

    def link(self, *arguments: Any) -> Any:
        """Return the function for these arguments, read from disk or compiled."""
        dispatcher, waiting = self._dispatcher, who_waits()
        types = tuple(map(dispatcher.typeof_pyval, arguments))
        while not self._lock.acquire(timeout=HEARTBEAT):  # another thread waits for the same function
            waiting.watch.heartbeat()
        try:
            if not (types in dispatcher.overloads or self.read(types)):
                request = dumps((self._function.__module__, self._function.__qualname__, types))
                if (code := waiting.code(request, Compiling(self._files.place))) is not None:
                    self.code[types] = code
            return type(dispatcher)._compile_for_args(dispatcher, *arguments)
        finally:
            self._lock.release()

    def read(self, types: Any) -> bool:
        """Return True if the code for these types is there, or can be read from disk."""
        if types not in self.code and (code := self._files.read(self._call(types), f"{VERSIONS} {types}")) is not None:
            self.code[types] = code
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
        self.code[types] = dumps(cres._reduce())
        self._files.keep(self._call(types), f"{VERSIONS} {types}", self.code[types])

    def compiled(self, types: Any) -> bytes:
        """Return the code for these types, compiled if need be, when no other process compiles it."""
        with self._files.only_here(self._call(types)):
            if not self.read(types):
                self._dispatcher.compile(types)
        return self.code[types]

    def _call(self, types: Any) -> str:
        """Return what distinguishes the code for arguments of these types on this processor."""
        return f"{types}{self._dispatcher.targetctx.codegen().magic_tuple()}"


# --- functions that run without Numba ---


def machine_code(function: Any, arguments: Any) -> bytes:
    """Return an object file with a function for arguments of these kinds, as `cpsat_tour.core.standalone` has them,
    behind the function's name in it and a line break."""
    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**options)(function.py_func)
    dispatcher.compile(tuple(map(_type_of, arguments)))
    [result] = dispatcher.overloads.values()
    file: bytes = result.library._get_compiled_object()
    return f"{result.fndesc.llvm_func_name}\n".encode() + file


def _type_of(kind: Any) -> Any:
    """Return Numba's type of a kind of arguments."""
    match kind:
        case str() as dtype, rank:
            return types.Array(numba.from_dtype(np.dtype(dtype)), rank, "C")
        case row, *kinds:
            return types.NamedTuple([*map(_type_of, kinds)], row)
    return types.int64


def _serve() -> None:
    """Compile the function that the parent asks for, and send its code."""
    die_with(int(sys.argv[1]))
    connection = connect_to_parent()
    module, name, asked = pickle.loads(connection.recv_bytes())
    function = getattr(import_module(module), name)
    connection.send_bytes(function.compiled(asked))


if __name__ == "__main__":
    _serve()
