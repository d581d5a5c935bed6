"""A NumPy array file written row by row, for arrays that no memory holds.

The header of an ``.npy`` file states the number of rows. NumPy leaves room in it for that number to grow, so it is
written again at the end.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.lib.format import open_memmap, write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import NewFile, naming, readable


def mapped_array(path: Path) -> np.memmap[Any, np.dtype[Any]]:
    """The array in a file, mapped into memory; `BadInput` where there is no whole one.

    NumPy reads the header as Python does, and raises whatever Python's own parser raises.
    """
    with readable(path):
        pass
    try:
        return open_memmap(path, mode="r")
    except Exception as fault:
        raise BadInput(f"{path} is not a whole .npy array: {fault!s:.200}") from fault


class NpyRows:
    """The file at ``path``, with rows of ``width`` numbers of one type; a context that leaves a whole file, or none if
    an error ends it.

    Ended by Ctrl-C, it keeps the rows written so far.
    """

    def __init__(self, path: Path, width: int, dtype: np.dtype[np.unsignedinteger]) -> None:
        self._path, self._width, self._dtype = path, width, dtype
        self._rows = 0

    def __enter__(self) -> Self:
        self._new = NewFile(self._path)
        try:
            with naming(self._path):
                self._write_header()
                self._header = self._new.file.tell()
        except BaseException:
            self._new.close()
            raise
        return self

    def append(self, rows: NDArray[np.integer]) -> None:
        """Write more rows, an array of shape ``(number, width)``."""
        with naming(self._path):
            self._new.file.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
        self._rows += len(rows)

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                with naming(self._path):
                    self._new.file.truncate(self._header + self._rows * self._width * self._dtype.itemsize)
                    self._write_header()
                self._new.publish()
        finally:
            self._new.close()

    def _write_header(self) -> None:
        """Write the header for the rows so far; its length stays the same."""
        shape = (self._rows, self._width)
        self._new.file.seek(0)
        write_array_header_1_0(
            self._new.file, {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        )
