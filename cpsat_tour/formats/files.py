"""Reads and writes all files: reading has a bound, and what is written appears whole or not at all.

A new file is written under a hidden name beside its own, flushed to the disk, and renamed; files that belong together,
such as a certificate, are written into a hidden folder. An existing file is replaced only if the user says so. Limits:
a process that is killed leaves its hidden file behind.

Arrays in ``.npy`` files are read mapped into memory, and written row by row. The header of an ``.npy`` file states the
number of rows. NumPy leaves room in it for that number to grow, so it is written again at the end.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import dtype_to_descr, open_memmap, write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.errors import PICTURES, BadInput, reason, require

MAX_BYTES = 1 << 27
"""The largest file that is read, unless its reader has another bound."""

MAX_LINE = 1 << 28

Pathlike = str | os.PathLike[str]


# --- reading ---


def read_bytes(path: Pathlike, most: int = MAX_BYTES) -> bytes:
    """Return the content of a file, or of standard input if the path is ``-``; `BadInput` if it has more than ``most``
    bytes."""
    path = os.fspath(path)
    with readable(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise BadInput(f"{path} is too large: at most {most >> 20} MB are read")
    return content


def read_text(path: Pathlike, most: int = MAX_BYTES) -> str:
    """Return the content of a UTF-8 file without its byte order mark, line ends as in the file; `BadInput` if it can't
    be read, is not text, or has more than ``most`` bytes."""
    return decoded(read_bytes(path, most), os.fspath(path))


def decoded(content: bytes, source: str, first_line: int = 1) -> str:
    """Decode bytes as UTF-8; `BadInput` names the line of ``source`` that is not text."""
    if content.startswith(b"\x1f\x8b"):
        raise BadInput(f"{source} is compressed: unpack it with gunzip")
    form = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    wrong, what = content.find(0), "a null byte"
    if wrong < 0 or form == "utf-16":
        try:
            return content.decode(form)
        except UnicodeDecodeError as fault:
            wrong, what = fault.start, f"a byte is not {form[:6].upper().rstrip('-')}"
    line = content.count(b"\n", 0, wrong) + first_line
    raise BadInput(f"{source}, line {line}: this is not text ({what})")


def read_lines(path: Pathlike, most: int) -> Iterator[str]:
    """Yield the lines of a text file, stripped; `BadInput` as soon as it has more than ``most`` bytes, or 256 MB in one
    line."""
    path, left, number = os.fspath(path), most, 0
    with readable(path) as file:
        while line := file.readline(min(left, MAX_LINE) + 1):
            left, number = left - len(line), number + 1
            if left < 0 or len(line) > MAX_LINE:
                raise BadInput(
                    f"{path} is too large: at most {most >> 20} MB are read, and {MAX_LINE >> 20} MB in one line"
                )
            yield decoded(line, path, number).strip()


@contextlib.contextmanager
def readable(path: Pathlike) -> Iterator[BinaryIO]:
    """Open a file for reading, or standard input if the path is ``-``; `BadInput` if it can't be read. The caller
    bounds what is read."""
    path = os.fspath(path)
    try:
        if path == "-":
            yield sys.stdin.buffer
            return
        with open(path, "rb") as file:
            yield file
    except BadInput:
        raise
    except (OSError, ValueError) as fault:  # a path with a null character is a ValueError
        raise BadInput(f"can't read {path}: {reason(fault)}") from fault


# --- faults in graph files ---


class GraphFault(Exception):
    """A fault in a line of a graph file; line 0 stands for the file as a whole."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


# --- writing ---


def check_place(path: Pathlike, *, force: bool, suffixes: Iterable[str] = ()) -> None:
    """Raise `BadInput` if it is clear beforehand that no file can be written there: the path is a folder or a device,
    its folder takes no new file, or there is a file and no ``force`` to replace it. If there are ``suffixes``, the path
    must have one of them, and what a picture needs must be installed."""
    path = Path(path)
    if suffixes:
        if path.suffix.lower() not in suffixes:
            raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(suffixes)}")
        require(*PICTURES.get(path.suffix.lower(), ("a file",)))
    check_not_special(path)
    if not path.parent.is_dir():
        raise BadInput(f"can't write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadInput(f"can't write {path}: no permission to write in the folder {path.parent}")
    if not force and os.path.lexists(path):
        raise BadInput(
            f"can't write {path}: there is a file of that name; give --force to replace it (force=True in Python)"
        )


def check_not_special(path: Path) -> None:
    """Raise `BadInput` if there is a folder, a device or a pipe at the path."""
    with naming(path):
        if path.is_dir():
            raise BadInput(f"can't write {path}: it is a folder, so name a file in it")
        if path.exists() and not path.is_file():
            raise BadInput(f"can't write {path}: it is a device or a pipe, so name an ordinary file")


@contextlib.contextmanager
def writing(path: Pathlike) -> Iterator[BinaryIO]:
    """Yield a temporary file to write into; it gets its name when the block ends without an error. `BadInput` if the
    disk is full, and the like."""
    check_not_special(Path(path))
    target = Path(os.path.realpath(path))
    hidden = _hidden_path(target.parent)
    try:
        with naming(path), open(hidden, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(hidden, target)
    finally:
        hidden.unlink(missing_ok=True)


def write(path: Pathlike, data: str | bytes) -> None:
    """Write a whole file, or leave the old one unchanged; `BadInput` if that fails."""
    with writing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def naming(path: Pathlike) -> Iterator[None]:
    """Turn an OSError in the block into `BadInput`, which names the file."""
    try:
        yield
    except OSError as fault:
        raise BadInput(f"can't write {os.fspath(path)}: {reason(fault)}") from fault


def _hidden_path(parent: Path) -> Path:
    """Return a random path for a hidden, temporary file in the folder."""
    return parent / f".cpsat-tour-{os.urandom(8).hex()}"


# --- files that belong together ---


def check_folder(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise `BadInput` if files of these names can't be written into the folder, or one is there already and there is
    no ``force`` to replace it."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"can't write into {folder}: it is a file, so name a folder")
    for place in (folder / name for name in names) if folder.exists() else (folder,):
        check_place(place, force=force)


@contextlib.contextmanager
def writing_folder(folder: Path, seal: str, retired: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a temporary folder to write files into; they move to ``folder`` when the block ends without an error.

    A new folder appears at once, with all files. Into an existing one they are moved one by one, the ``seal`` last, and
    files called ``retired`` that were not written anew are removed.
    """
    target = Path(os.path.realpath(folder))
    staged = _hidden_path(target if target.exists() else target.parent)
    try:
        with naming(folder):
            staged.mkdir()
        try:
            yield staged
        except BadInput as fault:
            raise BadInput(str(fault).replace(str(staged), str(folder))) from fault
        with naming(folder):
            if not target.exists():
                os.rename(staged, target)
                return
            written = {path.name for path in staged.iterdir()}
            for name in set(retired) - written:
                (target / name).unlink(missing_ok=True)
            for name in sorted(written, key=lambda name: (name == seal, name)):
                os.replace(staged / name, target / name)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def mapped_array(path: Path) -> np.memmap[Any, np.dtype[Any]]:
    """Map the array in a ``.npy`` file into memory; `BadInput` if the file has no whole array."""
    with readable(path):
        pass
    try:
        return open_memmap(path, mode="r")
    except Exception as fault:  # NumPy reads the header as Python does, and raises what Python's parser raises
        raise BadInput(f"{path} is not a whole .npy array: it was cut short, or NumPy didn't write it") from fault


@contextmanager
def writing_rows(path: Path, width: int, dtype: np.dtype[np.unsignedinteger]) -> Iterator[RowWriter]:
    """Yield a `RowWriter` for rows of ``width`` numbers; the file gets its name when the block ends without an
    error."""
    with writing(path) as file:
        rows = RowWriter(file, width, dtype)
        rows.write_header()
        yield rows
        rows.write_header()


@dataclass
class RowWriter:
    """Writes rows of ``width`` numbers of one type into an open file."""

    file: BinaryIO
    width: int
    dtype: np.dtype[np.unsignedinteger]
    rows: int = 0

    def append(self, rows: NDArray[np.integer]) -> None:
        """Write more rows, an array of shape ``(number, width)``, at the end."""
        self.file.write(np.ascontiguousarray(rows, dtype=self.dtype).data)
        self.rows += len(rows)

    def write_header(self) -> None:
        """Write the header for the rows so far over the one at the beginning of the file; its length stays the same. No
        rows may be appended after it."""
        self.file.seek(0)
        shape = (self.rows, self.width)
        header = {"descr": dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        write_array_header_1_0(self.file, header)
