"""A NumPy array file written row by row, for arrays that no memory holds.

The header of an ``.npy`` file states the number of rows; NumPy leaves room in it for that number to grow, so it is written anew at the end.
The rows go to a new file beside the one that is wanted, which takes its name when it is whole.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput


class NpyRows:
    """The file at ``path``, with rows of ``width`` numbers of one type; a context that leaves a whole file, or none if it is left by an error.

    Left by Ctrl-C, it keeps the rows written so far.
    """

    def __init__(self, path: Path, width: int, dtype: np.dtype[np.unsignedinteger]) -> None:
        self._target = Path(os.path.realpath(path))
        self._path = path
        self._temporary = self._target.parent / f".cpsat-tour-{secrets.token_hex(8)}"
        self._width, self._dtype = width, dtype
        self._rows = 0

    def __enter__(self) -> Self:
        with self._named_faults():
            self._file = open(self._temporary, "xb")
            self._write_header()
            self._header = self._file.tell()
        return self

    def append(self, rows: NDArray[np.integer]) -> None:
        """Write more rows."""
        with self._named_faults():
            self._file.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
        self._rows += len(rows)

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                with self._named_faults():
                    self._file.truncate(self._header + self._rows * self._width * self._dtype.itemsize)
                    self._write_header()
                    self._file.flush()
                    os.fsync(self._file.fileno())
                    os.replace(self._temporary, self._target)
        finally:
            self._file.close()
            with contextlib.suppress(OSError):
                self._temporary.unlink()

    def _write_header(self) -> None:
        self._file.seek(0)
        write_array_header_1_0(
            self._file, {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._rows, self._width)}
        )

    @contextlib.contextmanager
    def _named_faults(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise BadInput(f"can't write {self._path}: {(fault.strerror or str(fault)).lower()}") from fault
