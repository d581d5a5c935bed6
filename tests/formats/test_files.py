"""Reading and writing files: a file is written whole or not at all, other files stay, reading is bounded, and files
made to break their readers are refused in one sentence."""

import errno
import io
import os
import random
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from commands import Command, needed
from kill_commands import COMMANDS, check_whole, prepare, visible

from cpsat_tour import BadInput, solve
from cpsat_tour.formats import files
from cpsat_tour.formats.files import read_lines, read_text, write


def test_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "a.txt", "new")
    assert not list(tmp_path.iterdir())


def test_unwritable_targets_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "folder.txt" / "inside").touch()
    for target in (
        tmp_path / "folder.txt",
        tmp_path / "no" / "a.txt",
        tmp_path / ("x" * 300 + ".txt"),
        Path("/proc/a.txt"),
    ):
        with pytest.raises(BadInput, match=r"^can't write [^\n]+$"):
            write(target, b"data")
    assert [left.name for left in tmp_path.iterdir()] == ["folder.txt"]


def test_written_files_have_ordinary_permissions_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write(tmp_path / "link.txt", "½")
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "½"
    assert (tmp_path / "link.txt").is_symlink()
    (tmp_path / "plain").touch()
    assert stat.S_IMODE((tmp_path / "real.txt").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


COMMANDS_BY_SUFFIX = {
    **dict.fromkeys((".svg", ".png", ".gif", ".json", ".txt"), "solve 5x5 --backend dfs"),
    ".npy": "tours 5x5 -n 1",
    **dict.fromkeys((".cnf", ".opb"), "export 5x5"),
    **dict.fromkeys((".pb", ".pbtxt"), "export 5x5 --backend cpsat"),
}


@pytest.mark.parametrize("suffix", COMMANDS_BY_SUFFIX)
def test_no_file_is_replaced_unless_that_is_asked(suffix: str, tmp_path: Path, command: Command) -> None:
    path = tmp_path / f"made{suffix}"
    call = f"{COMMANDS_BY_SUFFIX[suffix]} -o {path}"
    path.write_bytes(b"what I wrote myself: * x\n")
    assert f"can't write {path}: there is a file of that name; give --force to replace it" in command(call, 2).err
    assert path.read_bytes() == b"what I wrote myself: * x\n"
    assert command(f"{call} --force").out == ""
    made = path.read_bytes()
    assert len(made) > 100
    command(call, 2)
    assert path.read_bytes() == made
    assert visible(tmp_path) == [path.name, *[f"{path.name}.json"] * (suffix == ".npy")]


@pytest.mark.parametrize("name", ["tour.svg", "tour.npy.json"])
def test_python_replaces_no_file_unless_that_is_asked(name: str, tmp_path: Path) -> None:
    tour = needed(solve("5x5", backend="dfs").tour)
    (tmp_path / name).write_text("mine")
    path = tmp_path / name.removesuffix(".json")
    with pytest.raises(BadInput, match=rf"{name}: there is a file of that name; .* \(force=True in Python\)"):
        tour.save(path)
    assert (tmp_path / name).read_text() == "mine"
    tour.save(path, force=True)
    assert (tmp_path / name).read_text() != "mine"


def test_pipes_and_devices_are_not_replaced(tmp_path: Path, command: Command) -> None:
    pipe = tmp_path / "tour.svg"
    os.mkfifo(pipe)
    for call, path in (
        ("solve 5x5 -o", pipe),
        ("export 5x5 --format cnf --force -o", Path("/dev/full")),
        ("compare run --board 5x5 --backend dfs --results", Path("/dev/full")),
    ):
        assert f"can't write {path}: it is a device" in command(f"{call} {path}", 2).err
    with pytest.raises(BadInput, match="it is a device or a pipe, so name an ordinary file"):
        write(pipe, "")
    assert pipe.is_fifo()


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("export 6x6 --force -o formula.cnf", ""),
        ("prove 3x3 -o proof", ""),
        ("solve 6x6 --closed -o tour.svg", "36"),
        ("best 4x4 --minimize paths -o paths.svg", "a4"),
        ("decompose torus:3x3 --most -o tours.txt", "a3"),
        ("best 3x4 --minimize turns --certificate proof", "turns"),
    ],
)
def test_a_full_disk_loses_nothing(
    call: str, shown: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """What was there stays, and an answer is shown all the same."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "formula.cnf").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, step, full)
    out, err = command(call, 2)
    assert shown in out
    assert f"can't write {call.rsplit(maxsplit=1)[-1]}" in err
    assert err.endswith("no space left on device\n")
    assert (os.listdir(tmp_path), (tmp_path / "formula.cnf").read_text()) == (["formula.cnf"], "mine")


def test_a_folder_that_takes_no_files_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("cpsat_tour.cli.prove.seek_proof", lambda *_: pytest.fail("it was sought"))
    folder = tmp_path / "proof"
    words = f"cpsat-tour: can't write {folder}: no permission to write in the folder {tmp_path}\n"
    assert command(f"prove 3x3 -o {folder}", 2).err == words


def test_a_folder_keeps_files_that_are_not_of_a_certificate(tmp_path: Path, command: Command) -> None:
    (tmp_path / "problem.opb").write_text("mine")
    (tmp_path / "notes").write_text("mine too")
    call = f"prove 3x3 -o {tmp_path}"
    assert "problem.opb: there is a file of that name; give --force to replace it" in command(call, 2).err
    assert sorted(os.listdir(tmp_path)) == ["notes", "problem.opb"]
    command(f"{call} --force")
    command(f"check {tmp_path}")
    assert (tmp_path / "notes").read_text() == "mine too"
    (tmp_path / "problem.cnf").write_text("of an earlier certificate")
    command(call, 2)
    command(f"{call} --force")
    assert not (tmp_path / "problem.cnf").exists()


def test_a_file_that_is_not_of_runs_is_not_cut_off(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "notes"
    path.write_text("no line end here")
    call = f"compare run --board 5x5 --backend dfs --results {path} --resume"
    assert "line 1: this is not a run" in command(call, 2).err
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


@pytest.mark.parametrize(
    ("name", "times"),
    [
        *((name, 0) for name in ("svg", "npy", "cut sets", "certificate", "record", "report")),
        *(pytest.param(name, 50, marks=pytest.mark.slow) for name in COMMANDS),
    ],
)
def test_a_killed_command_leaves_nothing_half_written(name: str, times: int) -> None:
    """Half of the kills come at a random moment, the others soon after the command has begun a file."""
    chance = random.Random(name)
    with tempfile.TemporaryDirectory() as folder:
        command = prepare(name, Path(folder))
        signals = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
        for number in times * signals or (signals[0], chance.choice(signals[1:])):
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
                run.wait(300)
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


def refused(command: Command, call: str, file: Path) -> None:
    """Assert that the call is refused in one sentence that names the file."""
    out, err = command(call.replace("{}", str(file)), 2)
    assert (out, err.count("\n")) == ("", 1)
    assert str(file) in err
    assert len(err) < 600


@pytest.mark.parametrize("text", ["   a  b\n2  1  99999999999999999999  2\n1  2  3  1\n", "   a  b\n2  1 \0  2\n"])
def test_numbers_of_a_board_are_bounded(text: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "tour.txt").write_text(text)
    refused(command, "verify {}", tmp_path / "tour.txt")


@pytest.mark.parametrize("call", ["verify {}", "best 6x6 --closed --minimize turns --hint {}"])
@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_not_an_array_of_a_tour_is_refused(name: str, call: str, tmp_path: Path, command: Command) -> None:
    file = tmp_path / "tour.npy"
    file.write_bytes(ARRAYS[name])
    refused(command, call, file)


@pytest.mark.parametrize(
    "call", ["verify {}.txt", "verify {}.json", "solve 5x5 --symmetry {}.txt", "solve 5x5 --puzzle {}.txt"]
)
def test_endless_lines_are_not_read_to_their_end(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """No more is asked of an endless file than its bound."""
    monkeypatch.setattr(files, "MAX_LINE", 1 << 20)
    for suffix in (".txt", ".json"):
        (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    refused(command, call, tmp_path / "zero")
