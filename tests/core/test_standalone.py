"""Functions that are called without Numba: what they are passed, and that code which is damaged is never linked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from cpsat_tour.core import code_files
from cpsat_tour.core.code_files import CodeFiles
from cpsat_tour.core.compiled import allocation_free, standalone
from cpsat_tour.core.compiling import Waiting
from cpsat_tour.core.space import Bytes, Longs


class Pair(NamedTuple):
    """Two arrays of different types and shapes."""

    matrix: Longs
    row: Bytes


@allocation_free
def weighed(matrix: Longs) -> int:
    """The sum of all entries, each times its place."""
    total = 0
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            total += matrix[i, k] * (10 * i + k + 1)
    return total


def write_sums(pair: Pair, number: int, out: Longs) -> None:
    """Write what depends on each of the arguments, and on the sizes and strides of the arrays."""
    out[0] = weighed(pair.matrix)
    for place in range(len(pair.row)):
        out[1] += pair.row[place] * (place + 1)
    out[2] = 60 // number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for compiled code. No child compiles: every function is compiled by this process."""
    monkeypatch.setattr(code_files, "FOLDER", tmp_path)
    monkeypatch.setattr(Waiting, "code", lambda *_: None)
    return tmp_path


def sums(function: Any, *, size: int = 4, number: int = -7) -> list[int]:
    """What the function writes for arrays of a size."""
    matrix, row = np.arange(6 * size).reshape(size, 6), np.arange(size, dtype=np.uint8)
    row.flags.writeable = False
    out = np.zeros(3, dtype=np.int64)
    function(Pair(matrix, row), number, out)
    return [int(each) for each in out]


def test_arguments_of_each_kind_arrive(folder: Path) -> None:
    function = standalone(write_sums)
    for size in (0, 1, 9):
        assert sums(function, size=size) == sums(write_sums, size=size)
    assert len([*folder.rglob("*.o")]) == 1


@pytest.mark.usefixtures("folder")
def test_an_error_in_the_function_is_one_here() -> None:
    with pytest.raises(RuntimeError, match="write_sums failed"):
        sums(standalone(write_sums), number=0)


def test_damaged_code_is_compiled_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, compiled = sums(standalone(write_sums)), list[Path]()
    [file] = folder.rglob("*.o")
    whole, keep = file.read_bytes(), CodeFiles.keep

    def note(*given: Any) -> None:
        compiled.append(file)
        keep(*given)

    monkeypatch.setattr(CodeFiles, "keep", note)
    for damaged in (whole, whole[:-1], whole[:40] + b"x" + whole[41:], b""):
        file.write_bytes(damaged)
        assert sums(standalone(write_sums)) == expected
        assert len(compiled) == (damaged != whole)
        compiled.clear()


def test_filter_calls_its_kernel_without_numba() -> None:
    """The second process finds the code on disk, if the first one did not."""
    code = (
        "import sys\nfrom cpsat_tour.cli.main import status\nassert status(['filter', '-']) == 0\n"
        "assert 'llvmlite' in sys.modules\nprint('numba' in sys.modules)"
    )
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", code], input="D~{\n", capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["D~{", "False"]
