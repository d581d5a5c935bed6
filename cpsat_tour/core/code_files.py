"""Files of compiled code on disk, a file for each function and kind of arguments.

A file begins with a digest of what the code was made from and of the code. The stamp covers everything that a function
uses, also from other modules. Code that is stale or damaged, or can't be read, counts as missing; what can't be written
serves this process alone. Code is read from the user's own folder for caches: who can write there can run code in this
process.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

CACHES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

FOLDER = Path(os.environ.get("NUMBA_CACHE_DIR") or CACHES / "numba")
"""The folder that keeps compiled code: ``NUMBA_CACHE_DIR`` or that of Numba in the user's folder for caches."""

DIGEST_BYTES = hashlib.sha256().digest_size


class CodeFiles:
    """The files of a function: ``suffix`` tells what is in them, ``call`` for which arguments and processor the code
    is, and ``made_by`` the versions of what makes it."""

    def __init__(self, function: Any, suffix: str) -> None:
        self._function, self._suffix = function, suffix
        folder = Path(function.__code__.co_filename).parent
        self._folder = FOLDER / f"{folder.name}_{hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()}"
        self._name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"

    def path(self, call: str) -> Path:
        """Return the file of the code for a call."""
        digest = hashlib.sha256(f"{self._name}{call}{sys.version_info[:2]}".encode()).hexdigest()[:16]
        return self._folder / f"{re.sub('[<>]', '', self._name)}-{digest}.{self._suffix}"

    def read(self, call: str, made_by: str) -> bytes | None:
        """Return the code for a call, None if there is none that is whole and not stale."""
        with suppress(OSError):
            content = self.path(call).read_bytes()
            if self._stamp(made_by, content[DIGEST_BYTES:]) == content[:DIGEST_BYTES]:
                return content[DIGEST_BYTES:]
        return None

    def keep(self, call: str, made_by: str, code: bytes) -> None:
        """Write the code for a call to disk if that can be done."""
        path = self.path(call)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished.write_bytes(self._stamp(made_by, code) + code)
                unfinished.replace(path)
            except OSError:
                unfinished.unlink()

    @contextmanager
    def only_here(self, call: str) -> Iterator[None]:
        """Wait for another process that compiles the function for this call, and keep others waiting; where there can
        be no file to lock, each compiles for itself."""
        with ExitStack() as open_files:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                file = open_files.enter_context(self.path(call).with_suffix(".lock").open("w"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @property
    def place(self) -> str:
        """The folder of all code if nothing can be written there, else an empty string."""
        from tempfile import TemporaryFile  # few runs compile, and every command loads this module

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=self._folder).close()
        except OSError:
            return str(FOLDER)
        return ""

    def _stamp(self, made_by: str, code: bytes) -> bytes:
        """Return the digest of the code and of what it depends on, by which stale code is told."""
        return hashlib.sha256(f"{source_digest(self._function)} {made_by}".encode() + code).digest()


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
            parts.add(digest_of_file(str(sys.modules[module].__file__)))
            if isinstance(reached, FunctionType):
                waiting += [
                    (name, reached.__globals__[name])
                    for name in reached.__code__.co_names
                    if name in reached.__globals__
                ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


@cache
def digest_of_file(file: str) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
