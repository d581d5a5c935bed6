"""The one door to files: what is read has a bound, and what is written appears whole or not at all.

A new file is written under a hidden name beside the one that it is to have, flushed to the disk, and renamed. A writer
holds a lock on its hidden file; a file that nobody locks was left by a process that was killed, and the next one that
writes into the folder removes it. Files that belong together, such as a certificate, have `cpsat_tour.formats.bundles`.

A file that this program has not made is not replaced unless the user says so: `check_place` looks for a mark, or for
the form of files that can hold none. Limits: a file system without locks keeps what killed processes left; POSIX only.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from cpsat_tour.core.errors import BadInput, reason

MAX_BYTES = 1 << 27
"""Bytes that are read of a file where its reader gives no other bound."""

MAX_LINE = 1 << 28

HEAD = 4096
"""The bytes at the beginning of a file that are searched for a mark."""

MARK = b"cpsat-tour"

_HIDDEN = re.compile(r"\.cpsat-tour-[0-9a-f]{16}")

_UNMARKED = {
    ".txt": re.compile(rb"[\w #.:,\n-]*\n *\d+ +[\d#][\w #.:,\n-]*"),
    ".json": re.compile(rb"\[\[\d+, \d+\].*", re.DOTALL),
    ".npy": re.compile(rb"\x93NUMPY.*", re.DOTALL),
}
"""How files begin that can hold no mark: visit numbers, the list of a tour, an array."""

Pathlike = str | os.PathLike[str]


# --- reading ---


def read_bytes(path: Pathlike, most: int = MAX_BYTES) -> bytes:
    """The content of a file, or of standard input if the path is ``-``; `BadInput` where there are more than ``most``
    bytes."""
    path = os.fspath(path)
    with readable(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise BadInput(f"{path} is too large: at most {most >> 20} MB are read")
    return content


def read_text(path: Pathlike, most: int = MAX_BYTES) -> str:
    """The content of a UTF-8 file without its byte order mark; line ends are as in the file."""
    return decoded(read_bytes(path, most), os.fspath(path))


def decoded(content: bytes, source: str) -> str:
    """The text of these bytes; `BadInput` names the line of ``source`` that is not text."""
    if content.startswith(b"\x1f\x8b"):
        raise BadInput(f"{source} is compressed: unpack it with gunzip")
    place, what = content.find(0), "a null byte"
    if place < 0:
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            place, what = fault.start, "a byte is not UTF-8"
    line = content.count(b"\n", 0, place) + 1
    raise BadInput(f"{source}, line {line}: this is not text ({what})")


def read_lines(path: Pathlike, most: int) -> Iterator[str]:
    """The lines of a text file one by one, stripped; `BadInput` as soon as more than ``most`` bytes, or 256 MB in one
    line, have been read."""
    path = os.fspath(path)
    left = most
    with readable(path) as file:
        while line := file.readline(min(left, MAX_LINE) + 1):
            left -= len(line)
            if left < 0 or len(line) > MAX_LINE:
                raise BadInput(
                    f"{path} is too large: at most {most >> 20} MB are read, and {MAX_LINE >> 20} MB in one line"
                )
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as fault:
                raise BadInput(f"{path} is not text: a byte is not UTF-8") from fault
            if "\0" in text:
                raise BadInput(f"{path} is not text: it has a null byte")
            yield text.strip()


@contextlib.contextmanager
def readable(path: Pathlike) -> Iterator[BinaryIO]:
    """A file to read from, standard input if the path is ``-``; `BadInput` where it can't be read. The caller bounds
    what is read."""
    path = os.fspath(path)
    try:
        if path == "-":
            yield sys.stdin.buffer
            return
        with open(path, "rb") as file:
            yield file
    except (OSError, ValueError) as fault:
        if isinstance(fault, BadInput):
            raise
        # A path with a null character is a ValueError.
        raise BadInput(f"can't read {path}: {reason(fault)}") from fault


# --- where something may be written ---


def check_place(path: Pathlike, *, force: bool, is_name: Callable[[str], bool] = lambda _: False) -> None:
    """Raise `BadInput` if no file can be written there, as far as can be told before.

    It is a folder or a device, its folder is not there or takes no new file, or there is a file that this program has
    not made; such a file is replaced with ``force`` alone. A list of words is ours if each ``is_name``.
    """
    path = Path(path)
    refuse_what_is_not_a_file(path)
    if not path.parent.is_dir():
        raise BadInput(f"can't write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadInput(f"can't write {path}: no permission to write in the folder {path.parent}")
    if not (force or _ours(path, is_name)):
        raise BadInput(f"can't write {path}: there is another file of that name; give --force to replace it")


def refuse_what_is_not_a_file(path: Path) -> None:
    """Raise `BadInput` if there is a folder, a device or a pipe at the path."""
    with naming(path):
        if not path.exists():
            return
        mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise BadInput(f"can't write {path}: it is a folder, so name a file in it")
    if not stat.S_ISREG(mode):
        raise BadInput(f"can't write {path}: it is a device or a pipe, so name an ordinary file")


def _ours(path: Path, is_name: Callable[[str], bool]) -> bool:
    """Whether this program may have made the file; one that is not there, or is empty, is nobody's."""
    if not path.exists():
        return True
    beginning = head(path)
    unmarked = _UNMARKED.get(path.suffix.lower())
    if not beginning or MARK in beginning or (unmarked is not None and unmarked.fullmatch(beginning) is not None):
        return True
    return _has_names_alone(beginning, path.suffix.lower(), is_name)


def _has_names_alone(beginning: bytes, suffix: str, is_name: Callable[[str], bool]) -> bool:
    """Whether a file that begins so is the tour of a graph without places, whose vertices have these names; the last
    may be cut off."""
    names: list[object] = []
    if suffix == ".txt":
        names = [*beginning.decode(errors="replace").split("\n")[:-1]]
    elif suffix == ".json" and beginning.startswith(b'["'):
        whole = beginning if beginning.rstrip().endswith(b"]") else beginning[: beginning.rfind(b",")] + b"]"
        with contextlib.suppress(ValueError):
            names = json.loads(whole)
    return bool(names) and all(isinstance(name, str) and is_name(name) for name in names)


def head(path: Path) -> bytes:
    """The first bytes of a file; none where it can't be read."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read(HEAD)
    return b"?"


# --- one file ---


class NewFile:
    """A file in the making, hidden beside the one that it is to become; see the module."""

    def __init__(self, path: Pathlike) -> None:
        self._path = Path(path)
        refuse_what_is_not_a_file(self._path)
        self._target = Path(os.path.realpath(path))
        with naming(path):
            self.hidden, descriptor = locked(
                self._target.parent, lambda new: os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            )
            self.file = open(self.hidden, "wb", opener=lambda *_: descriptor)  # noqa: SIM115

    def publish(self) -> None:
        """Give the file its name, once it is on the disk."""
        with naming(self._path):
            self.file.flush()
            os.fsync(self.file.fileno())
            os.replace(self.hidden, self._target)

    def close(self) -> None:
        """Close the file and, unless it was published, remove it."""
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(OSError):
            self.hidden.unlink()


@contextlib.contextmanager
def writing(path: Pathlike) -> Iterator[BinaryIO]:
    """A file to write into, which has its name when the block ends without an error; `BadInput` where the disk is full,
    and the like."""
    new = NewFile(path)
    try:
        with naming(path):
            yield new.file
        new.publish()
    finally:
        new.close()


def write(path: Pathlike, data: str | bytes) -> None:
    """Write the whole file or leave what was there; `BadInput` on any failure."""
    with writing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def naming(path: Pathlike) -> Iterator[None]:
    """What the system refuses becomes a sentence that names the file."""
    try:
        yield
    except OSError as fault:
        raise BadInput(f"can't write {os.fspath(path)}: {reason(fault)}") from fault


def locked(parent: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    """A hidden file or folder, made and opened by a function, and its descriptor, which holds the lock."""
    sweep(parent)
    while True:
        path = parent / f".cpsat-tour-{os.urandom(8).hex()}"
        descriptor = make(path)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):  # another process may have swept it away before it was locked
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                return path, descriptor
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove the hidden files and folders of processes that are gone: those that nobody locks."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if _HIDDEN.fullmatch(entry.name):
                _remove_unlocked(entry)


def _remove_unlocked(entry: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if entry.is_dir(follow_symlinks=False):
                import shutil  # only here, and it takes as long to load as all of this room

                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        finally:
            os.close(descriptor)
