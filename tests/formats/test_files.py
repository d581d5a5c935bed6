"""The door to files: what is written is whole or not there, what is not ours stays, what is read has a bound, and files
made to break their readers are refused in one sentence."""

from __future__ import annotations

import errno
import io
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from kill_commands import COMMANDS, check_whole, prepared, visible

from cpsat_tour.backends.runner import solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats import files
from cpsat_tour.formats.files import read_lines, read_text, write, writing, writing_folder


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_a_file_in_the_making_is_hidden(tmp_path: Path) -> None:
    with writing(tmp_path / "a.txt") as file:
        file.write(b"1\n")
        write(tmp_path / "b.txt", "2\n")
        assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["b.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    "name",
    ["tour.svg", "tour.png", "tour.gif", "tour.json", "tour.txt", "tours.npy", "f.cnf", "f.opb", "f.pb", "f.pbtxt"],
)
def test_no_file_is_replaced_unless_that_is_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    command = {
        ".npy": ["tours", "5x5", "-n", "1"],
        ".cnf": ["export", "5x5"],
        ".opb": ["export", "5x5"],
        ".pb": ["export", "5x5", "--backend", "cpsat"],
        ".pbtxt": ["export", "5x5", "--backend", "cpsat"],
    }.get(path.suffix, ["solve", "5x5", "--backend", "dfs"])
    path.write_bytes(b"what I wrote myself: * x\n")
    assert status([*command, "-o", str(path)]) == 2
    assert f"can't write {path}: there is a file of that name; give --force to replace it" in said(capsys)
    assert path.read_bytes() == b"what I wrote myself: * x\n"
    assert status([*command, "-o", str(path), "--force"]) == 0
    made = path.read_bytes()
    assert status([*command, "-o", str(path)]) == 2
    assert path.read_bytes() == made
    assert visible(tmp_path) == [name, *[f"{name}.json"] * (path.suffix == ".npy")]


@pytest.mark.parametrize("name", ["tour.svg", "tour.npy.json"])
def test_python_replaces_no_file_unless_that_is_asked(name: str, tmp_path: Path) -> None:
    tour = solve("5x5", backend="dfs").tour
    assert tour is not None
    (tmp_path / name).write_text("mine")
    path = tmp_path / name.removesuffix(".json")
    with pytest.raises(BadInput, match=rf"{name}: there is a file of that name; .* \(force=True in Python\)"):
        tour.save(path)
    assert (tmp_path / name).read_text() == "mine"
    tour.save(path, force=True)
    assert (tmp_path / name).read_text() != "mine"


def test_pipes_and_devices_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "tour.svg")
    for command, path in (
        ("solve 5x5 -o", tmp_path / "tour.svg"),
        ("export 5x5 --format cnf --force -o", Path("/dev/full")),
    ):
        assert status([*command.split(), str(path)]) == 2
        assert f"can't write {path}: it is a device or a pipe, so name an ordinary file" in said(capsys)
    with pytest.raises(BadInput, match="it is a device or a pipe"):
        write(tmp_path / "tour.svg", "")
    assert (tmp_path / "tour.svg").is_fifo()
    assert status(["compare", "run", "--board", "5x5", "--backend", "dfs", "--results", "/dev/full"]) == 2
    assert "can't write /dev/full: it is a device" in said(capsys)


def test_a_full_disk_leaves_the_formula_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tour.cnf"
    assert status(["export", "5x5", "-o", str(path)]) == 0
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    capsys.readouterr()
    assert status(["export", "6x6", "--force", "-o", str(path)]) == 2
    assert said(capsys) == f"cpsat-tour: can't write {path}: no space left on device"
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["tour.cnf"]
    folder = tmp_path / "proof"
    assert status(["prove", "3x3", "-o", str(folder)]) == 2
    assert f"can't write {folder}/" in said(capsys)
    assert os.listdir(tmp_path) == ["tour.cnf"]


def test_the_best_tour_is_shown_where_its_certificate_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert status(["best", "3x4", "--minimize", "turns", "--certificate", str(tmp_path / "proof")]) == 2
    out, err = capsys.readouterr()
    assert "turns" in out
    assert err.endswith("no space left on device\n")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_takes_no_files_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("cpsat_tour.cli.prove.seek_proof", lambda *_: pytest.fail("it was sought"))
    assert status(["prove", "3x3", "-o", str(tmp_path / "proof")]) == 2
    assert said(capsys) == (
        f"cpsat-tour: can't write {tmp_path / 'proof'}: no permission to write in the folder {tmp_path}"
    )


def test_a_folder_keeps_files_that_are_not_of_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "problem.opb").write_text("mine")
    (tmp_path / "notes").write_text("mine too")
    assert status(["prove", "3x3", "-o", str(tmp_path)]) == 2
    assert "problem.opb: there is a file of that name; give --force to replace it" in said(capsys)
    assert sorted(os.listdir(tmp_path)) == ["notes", "problem.opb"]
    assert status(["prove", "3x3", "-o", str(tmp_path), "--force"]) == 0
    assert status(["check", str(tmp_path)]) == 0
    assert (tmp_path / "notes").read_text() == "mine too"
    (tmp_path / "problem.cnf").write_text("of an earlier certificate")
    assert status(["prove", "3x3", "-o", str(tmp_path)]) == 2
    assert status(["prove", "3x3", "-o", str(tmp_path), "--force"]) == 0
    assert not (tmp_path / "problem.cnf").exists()


def test_a_folder_that_fails_leaves_nothing_and_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sample"

    def fill(name: str) -> None:
        with writing_folder(folder, "seal") as staged:
            write(staged / "a", "1")
            write(staged / name, "2")

    with pytest.raises(BadInput, match=rf"^can't write {folder}/{'x' * 300}: file name too long$"):
        fill("x" * 300)
    assert os.listdir(tmp_path) == []
    fill("seal")
    assert os.listdir(tmp_path) == ["sample"]
    assert sorted(os.listdir(folder)) == ["a", "seal"]


def test_a_file_that_is_not_of_runs_is_not_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes"
    path.write_text("no line end here")
    assert status(["compare", "run", "--board", "5x5", "--backend", "dfs", "--results", str(path), "--resume"]) == 2
    assert "line 1: this is not a run" in said(capsys)
    assert path.read_text() == "no line end here"


def test_reading_stops_at_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"ab\n" * 10)
    assert list(read_lines(path, 30)) == ["ab"] * 10
    with pytest.raises(BadInput, match="too large"):
        list(read_lines(path, 29))
    with pytest.raises(BadInput, match="too large"):
        read_text(path, 29)
    for content, fault in (
        (b"a\n\xe9\n", "line 2: this is not text"),
        (b"a\n\n\0", "line 3: .* null"),
        (b"\x1f\x8b\x08", "compressed"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=fault):
            read_text(path)


@pytest.mark.parametrize("redirection", ["| head -n 1 > /dev/null", ">&-", "> /dev/full"])
@pytest.mark.parametrize("command", ["export 8x8", "tours 6x6 -n 500", "--help"])
def test_a_closed_or_full_standard_output_is_no_traceback(command: str, redirection: str) -> None:
    line = f"{sys.executable} -m cpsat_tour {command} {redirection}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False, timeout=300)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    if "full" in redirection:
        assert done.returncode == 2
        assert "no space left" in done.stderr


@pytest.mark.parametrize("times", [1, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_leaves_nothing_half_written(name: str, times: int) -> None:
    """Half of the kills come at a random moment, the others soon after the command has begun a file."""
    chance = random.Random(name)
    with tempfile.TemporaryDirectory() as folder:
        command = prepared(name, Path(folder))
        for number in times * (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            before = set(os.listdir(folder))
            run = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            seconds = chance.uniform(0.1, 1.5)
            if chance.random() < 0.5:
                while run.poll() is None and set(os.listdir(folder)) <= before:
                    time.sleep(0.0005)
                seconds = chance.uniform(0.0, 0.02)
            try:
                run.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, number)
                run.wait(30)
            check_whole(name, Path(folder))


# --- files made to break their readers ---


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
