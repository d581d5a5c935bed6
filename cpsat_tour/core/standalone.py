"""Compiled functions that are called without Numba, which takes longer to load than most lists of graphs to answer.

Numba compiles a function without reference counts into an object file that needs nothing else. LLVM links the file, and
the function is called by the convention of Numba for compiled callers: a place for the result, one for the exception,
then the arguments, of an array its owners (none here), size, address, lengths and strides.

Limits: arguments are arrays without gaps, named tuples of them, and integers; the function returns nothing.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Iterator
from functools import cache, update_wrapper
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from cpsat_tour.core.code_files import CodeFiles, digest_of_file
from cpsat_tour.core.compiling import who_waits
from cpsat_tour.core.events import Compiling


class Standalone:
    """A function that is linked when it is first called with arguments of each kind, from its code on disk, or from
    that which a child process compiles."""

    def __init__(self, function: Any) -> None:
        update_wrapper(self, function)
        self.py_func, self._files = function, CodeFiles(function, "o")
        self._linked: dict[Any, Any] = {}
        self._lock = Lock()

    def __call__(self, *arguments: Any) -> None:
        kinds = tuple(map(_kind_of, arguments))
        with self._lock:
            if kinds not in self._linked:
                self._linked[kinds] = _link(self._code(kinds))
        place = ctypes.c_void_p()
        if self._linked[kinds](ctypes.byref(place), ctypes.byref(place), *map(ctypes.c_int64, _words(arguments))):
            raise RuntimeError(f"{self.py_func.__qualname__} failed")

    def _code(self, kinds: Any) -> bytes:
        """Return the code for arguments of these kinds."""
        if (code := self._files.read(*self._made_for(kinds))) is None:
            request = pickle.dumps((self.py_func.__module__, self.py_func.__qualname__, kinds))
            code = who_waits().code(request, Compiling(self._files.place))
        return self.compiled(kinds) if code is None else code

    def compiled(self, kinds: Any) -> bytes:
        """Return the code for arguments of these kinds, compiled if need be, when no other process compiles it."""
        from cpsat_tour.core.dispatchers import machine_code

        call, made_by = self._made_for(kinds)
        with self._files.only_here(call):
            if (code := self._files.read(call, made_by)) is None:
                code = machine_code(self, kinds)
                self._files.keep(call, made_by, code)
        return code

    def _made_for(self, kinds: Any) -> tuple[str, str]:
        """Return what distinguishes the code for these kinds, and what makes it."""
        llvm, numba = _llvm(), find_spec("numba")
        processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        version = digest_of_file(str(Path(str(numba and numba.origin)).with_name("_version.py")))
        return f"{kinds}{processor}", f"{sys.version} {version} {kinds}"


def _kind_of(argument: Any) -> Any:
    """Return the kind of an argument, for which code is compiled."""
    if isinstance(argument, np.ndarray):
        return argument.dtype.str, argument.ndim
    return (type(argument), *map(_kind_of, argument)) if isinstance(argument, tuple) else int


def _words(arguments: Any) -> Iterator[int]:
    """Yield the arguments as they are passed, in words of 64 bits."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            assert argument.flags.c_contiguous
            yield from (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
            yield from argument.shape + argument.strides
        else:
            yield from _words(argument) if isinstance(argument, tuple) else [argument]


@cache
def _llvm() -> Any:
    """Return LLVM, ready to link."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _link(code: bytes) -> Any:
    """Return the function in machine code, which releases the lock of the interpreter."""
    llvm = _llvm()
    name, _, file = code.partition(b"\n")
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine(jit=True)
    )
    engine.add_object_file(llvm.ObjectFileRef.from_data(file))
    engine.finalize_object()
    function: Any = ctypes.CFUNCTYPE(ctypes.c_int32)(engine.get_function_address(name.decode()))
    function.engine = engine  # which owns the code
    return function
