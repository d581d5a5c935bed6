"""Compiled functions: what is read from disk is never stale or damaged, and limits hold while a child compiles."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cpsat_tour.core import code_files as home, processes
from cpsat_tour.core.compiled import compiled, is_compiled
from cpsat_tour.core.compiling import Waiting, compiling_for, who_waits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Compiling, Event
from cpsat_tour.core.limits import Clock, Limits
from cpsat_tour.core.run import Watch

USE = """from cpsat_tour.core.compiled import is_compiled
from sample.more import longer
from sample.numbers import {0}, added
from sample.same import same
from sample.twice import doubled
for function, argument in ((doubled, 20), (longer, 20), (added, {0}(1, 2)), (same, 20)):
    print(int(is_compiled(function, argument)), function(argument))
"""
COMPILED = "from cpsat_tour.core.compiled import compiled\n"
SOURCES = {
    "__init__": "",
    "twice": COMPILED + "from sample.steps import twice\n@compiled\ndef doubled(number):\n    return twice(number)\n",
    "steps": """from cpsat_tour.core.compiled import inlined
from sample.deeper import factor

@inlined
def twice(number):
    return factor() * number
""",
    "more": COMPILED + "from sample.constants import MORE\n@compiled\ndef longer(number):\n    return number + MORE\n",
    "same": COMPILED + "@compiled\ndef same(number):\n    return number\n",
}
CHANGING = {
    "deeper": COMPILED + "@compiled\ndef factor():\n    return {factor}\n",
    "constants": "MORE = {more}\n",
    "numbers": COMPILED
    + """from typing import NamedTuple

class {pair}(NamedTuple):
    one: int
    other: int

@compiled
def added(both):
    return both.one + both.other
""",
}


def test_a_cached_function_is_compiled_anew_when_anything_that_it_reaches_changes(tmp_path: Path) -> None:
    """A callee of a callee in another module, a constant of a third, the name of a class; and nothing else is compiled
    anew."""
    for factor, more, pair, expected in (
        (2, 0, "Pair", [0, 40, 0, 20, 0, 3, 0, 20]),
        (3, 5, "Couple", [0, 60, 0, 25, 0, 3, 1, 20]),
    ):
        changing = {name: source.format(factor=factor, more=more, pair=pair) for name, source in CHANGING.items()}
        assert printed(tmp_path, USE.format(pair), SOURCES | changing) == expected


def printed(folder: Path, code: str, sources: dict[str, str]) -> list[int]:
    """The numbers that the code prints, run by itself beside a package ``sample`` of these modules."""
    (folder / "sample").mkdir(exist_ok=True)
    for name, source in sources.items():
        (folder / "sample" / f"{name}.py").write_text(source)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return [int(word) for word in run.stdout.split()]


# --- code on disk ---


def doubled(number: int) -> int:
    return 2 * number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for compiled code. No child compiles: every function is compiled by this process."""
    monkeypatch.setattr(home, "FOLDER", tmp_path)
    monkeypatch.setattr(Waiting, "code", lambda *_: None)
    return tmp_path


def flipped(content: bytes, place: int) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1
    return bytes(changed)


def test_damaged_code_is_never_read(folder: Path) -> None:
    compiled(doubled)(20)
    [file] = folder.rglob("*.nbc")
    whole = file.read_bytes()
    assert is_compiled(compiled(doubled), 20)
    cut = (b"", whole[: len(whole) // 2], whole[:-1], whole + b"x", b"x" * len(whole))
    for damaged in (*cut, *(flipped(whole, place) for place in (0, 31, 32, 1000, -1))):
        file.write_bytes(damaged)
        assert not is_compiled(compiled(doubled), 20)
    assert compiled(doubled)(20) == 40
    assert is_compiled(compiled(doubled), 20)


def test_code_is_compiled_where_the_folder_cannot_be_made_or_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _content: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert compiled(doubled)(20) == 40
    assert not [file for file in folder.rglob("*") if file.is_file()]
    (folder / "file").touch()
    monkeypatch.setattr(home, "FOLDER", folder / "file")
    heard = []
    monkeypatch.setattr(Waiting, "code", lambda _self, _request, event: heard.append(event))
    assert compiled(doubled)(20) == 40
    assert heard == [Compiling(str(folder / "file"))]


# --- waiting for a child ---


class SlowChild:
    """A child that sends its code at the n-th look; ``ended`` says that it was killed."""

    def __init__(self, looks: int) -> None:
        self.connection, self.looks, self.ended = self, looks, False
        self.sent: list[bytes] = []

    def __call__(self, *_arguments: str, **_settings: Any) -> SlowChild:
        return self

    def send_bytes(self, request: bytes) -> None:
        self.sent.append(request)

    def poll(self, _seconds: float) -> bool:
        self.looks -= 1
        return self.looks < 0

    def recv_bytes(self) -> bytes:
        return b"code"

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> SlowChild:
    child = SlowChild(3)
    monkeypatch.setattr(processes, "Child", child)
    return child


EVENT = Compiling()


def test_the_listener_is_told_until_the_code_is_there(child: SlowChild) -> None:
    heard: list[Event] = []
    with compiling_for(Watch(Limits(), Clock(None), heard.append)):
        assert who_waits().code(b"request", EVENT) == b"code"
    assert heard.count(EVENT) == 3
    assert child.sent == [b"request"]
    assert child.ended


def test_a_run_that_is_not_patient_does_not_wait(child: SlowChild) -> None:
    watch = Watch(Limits(), Clock(None))
    with compiling_for(watch, patient=False), compiling_for(watch), pytest.raises(StoppedEarly, match="not compiled"):
        who_waits().code(b"request", EVENT)
    assert child.sent == []


def test_a_run_stops_at_its_limit(child: SlowChild) -> None:
    clock = Clock(None)

    def end_time(event: Event) -> None:
        if event == EVENT:
            clock.limit = 0.0

    with compiling_for(Watch(Limits(), clock, end_time)), pytest.raises(StoppedEarly, match="time"):
        who_waits().code(b"request", EVENT)
    assert child.ended


def test_ctrl_c_ends_the_child(child: SlowChild) -> None:
    def stop(event: Event) -> None:
        if event == EVENT:
            raise KeyboardInterrupt

    def wait() -> None:
        with compiling_for(Watch(Limits(), Clock(None), stop)):
            who_waits().code(b"request", EVENT)

    with pytest.raises(KeyboardInterrupt):
        wait()
    assert child.ended


def test_a_child_that_ends_without_code_leaves_the_work_to_this_process(child: SlowChild) -> None:
    def end() -> bytes:
        raise EOFError

    child.recv_bytes = end  # type: ignore[method-assign]
    assert who_waits().code(b"request", EVENT) is None
    assert child.ended


def test_a_clock_does_not_count_the_time_of_the_compiler_but_its_limit_does(
    child: SlowChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def take_a_minute(_seconds: float) -> bool:
        now[0] += 60
        return True

    child.poll = take_a_minute  # type: ignore[method-assign]
    clock, short = Clock(None), Clock(30.0)
    who_waits().code(b"request", EVENT)
    assert (clock.waited, clock.seconds) == (60.0, 0.0)
    assert short.expired
    assert short.seconds == 60.0
