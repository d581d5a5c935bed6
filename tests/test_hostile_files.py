"""Files made to break their readers are refused in one sentence, with status 2: headers that do not end, numbers
without end, endless lines."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour.cli.main import status
from cpsat_tour.formats import files

SHAPE = "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n"


def npy(header: str, body: bytes = b"") -> bytes:
    """An ``.npy`` file with this header."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


def zipped(name: str) -> bytes:
    """A zip file with one member, as ``numpy.savez`` makes them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, b"")
    return content.getvalue()


ARRAYS = {
    "nothing": b"",
    "binary": bytes(range(256)) * 8,
    "magic alone": b"\x93NUMPY",
    "header longer than the file": b"\x93NUMPY\x01\x00\xff\xff{'descr'",
    "header without end": npy("{'descr': '<i4', (\n"),
    "header of brackets": npy("[" * 9000),
    "key that can't be one": npy("{[]: 1}\n"),
    "no such keys": npy("{'a': 1}\n"),
    "zip": zipped("tour.npy"),
    "half a zip": b"PK\x03\x04" + bytes(100),
    "shape beyond all": npy(SHAPE % ("<i4", f"({10**30}, 2)")),
    "shape beyond the file": npy(SHAPE % ("<i4", f"({10**12}, 2)"), bytes(80)),
    "negative shape": npy(SHAPE % ("<i4", "(-1, 2)"), bytes(80)),
    "three dimensions": npy(SHAPE % ("<i4", "(1, 1, 2)"), bytes(8)),
    "no dimension": npy(SHAPE % ("<i4", "()"), bytes(4)),
    "no row": npy(SHAPE % ("<i4", "(0, 2)")),
    "objects": npy(SHAPE % ("|O", "(2, 2)"), bytes(80)),
    "text": npy(SHAPE % ("<U5", "(2, 2)"), bytes(80)),
    "NaN": npy(SHAPE % ("<f8", "(2, 2)"), np.array([[np.nan, 0], [np.inf, 1]]).tobytes()),
    "far squares": npy(SHAPE % ("<u8", "(2, 2)"), np.array([[2**64 - 1, 0], [2**63, 1]], dtype=np.uint64).tobytes()),
    "cut in half": npy(SHAPE % ("<i4", "(36, 2)"), bytes(140)),
}


def refused(call: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Assert that the call is refused in one sentence that names the file."""
    assert status([part.replace("{}", str(file)) for part in call.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert str(file) in err
    assert len(err) < 600


@pytest.mark.parametrize("call", ["verify {}", "best 6x6 --closed --minimize turns --hint {}"])
@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_not_an_array_of_a_tour_is_refused(
    name: str, call: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tour.npy"
    file.write_bytes(ARRAYS[name])
    refused(call, file, capsys)


@pytest.mark.parametrize(
    "text",
    [
        "   a  b\n2  1  99999999999999999999  2\n1  2  3  1\n",
        "   a  b\n2  1  2  2\n1  3  \0  1\n",
    ],
    ids=["a far visit", "a null byte"],
)
def test_numbers_of_a_board_are_bounded(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tour.txt"
    file.write_text(text)
    refused("verify {}", file, capsys)


@pytest.mark.parametrize(
    "call", ["verify {}.txt", "verify {}.json", "solve 5x5 --symmetry {}.txt", "solve 5x5 --puzzle {}.txt"]
)
def test_endless_lines_are_not_read_to_their_end(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No more is asked of an endless file than its bound."""
    monkeypatch.setattr(files, "MAX_LINE", 1 << 20)
    for suffix in (".txt", ".json"):
        (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    refused(call, tmp_path / "zero", capsys)
