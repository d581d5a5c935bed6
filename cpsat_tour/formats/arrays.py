"""Arrays in ``.npy`` files: reads them mapped into memory, and writes them row by row.

The header of an ``.npy`` file states the number of rows. NumPy leaves room in it for that number to grow, so it is
written again at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import dtype_to_descr, open_memmap, write_array_header_1_0
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import readable, writing


def mapped_array(path: Path) -> np.memmap[Any, np.dtype[Any]]:
    """Return the array in a file, mapped into memory; `BadInput` if the file has no whole array."""
    with readable(path):
        pass
    try:
        return open_memmap(path, mode="r")
    except Exception as fault:  # NumPy reads the header as Python does, and raises what Python's parser raises
        raise BadInput(f"{path} is not a whole .npy array: it was cut short, or NumPy didn't write it") from fault


@contextmanager
def writing_rows(path: Path, width: int, dtype: np.dtype[np.unsignedinteger]) -> Iterator[RowWriter]:
    """Yield a writer of rows of ``width`` numbers; the file has its name when the block ends without an error."""
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
        """Write more rows, an array of shape ``(number, width)``, after those written before."""
        self.file.write(np.ascontiguousarray(rows, dtype=self.dtype).data)
        self.rows += len(rows)

    def write_header(self) -> None:
        """Write the header at the beginning of the file, for the rows so far; its length stays the same, and the file
        is left right behind it: no rows may be appended after the last one."""
        self.file.seek(0)
        shape = (self.rows, self.width)
        header = {"descr": dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        write_array_header_1_0(self.file, header)
