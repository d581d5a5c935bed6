"""Compiled functions: the cache on disk is never stale, and people hear of a compilation that they wait for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.compiled import announce_compiling, compiled
from cpsat_tour.core.events import Compiling, Event

USE = """from sample.caller import doubled
from sample.sums import {0}, added
print(doubled(20), sum(doubled.stats.cache_hits.values()), added({0}(1, 2)), sum(added.stats.cache_hits.values()))
"""
CALLER = """from cpsat_tour.core.compiled import compiled
from sample.numbers import MORE
from sample.steps import twice

@compiled
def doubled(number):
    return twice(number) + MORE
"""
STEPS = """from cpsat_tour.core.compiled import compiled, inlined
from sample.deeper import factor

@inlined
def twice(number):
    return factor() * number
"""
DEEPER = """from cpsat_tour.core.compiled import compiled

@compiled
def factor():
    return {}
"""
SUMS = """from typing import NamedTuple
from cpsat_tour.core.compiled import compiled

class {0}(NamedTuple):
    one: int
    other: int

@compiled
def added(both):
    return both.one + both.other
"""


def test_a_cached_function_is_compiled_anew_when_anything_that_it_reaches_changes(tmp_path: Path) -> None:
    """A callee of a callee in another module, a constant of a third, the name of a class; and nothing else is compiled
    anew."""
    sources = {"__init__": "", "caller": CALLER, "steps": STEPS, "deeper": DEEPER.format(2), "numbers": "MORE = 0\n"}
    pair, couple = ({"sums": SUMS.format(name)} for name in ("Pair", "Couple"))
    assert printed(tmp_path, USE.format("Pair"), sources | pair) == [40, 0, 3, 0]
    assert printed(tmp_path, USE.format("Pair"), sources | pair) == [40, 1, 3, 1]
    sources["deeper"] = DEEPER.format(3)
    assert printed(tmp_path, USE.format("Couple"), sources | couple) == [60, 0, 3, 0]
    sources["numbers"] = "MORE = 5\n"
    assert printed(tmp_path, USE.format("Couple"), sources | couple) == [65, 0, 3, 1]


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


@pytest.fixture
def nothing_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled functions are neither read from disk nor kept there."""
    monkeypatch.setattr("numba.core.caching.FunctionCache.load_overload", lambda *_: None)
    monkeypatch.setattr("numba.core.caching.FunctionCache.save_overload", lambda *_: None)


@pytest.mark.usefixtures("nothing_on_disk")
def test_a_clock_does_not_count_the_time_of_the_compiler_but_its_limit_does(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    @compiled
    def added(left: int, right: int) -> int:
        return left + right

    def take_a_minute(_event: Event) -> None:
        now[0] += 60.0

    clock = Clock(100.0)
    with announce_compiling(take_a_minute):
        assert added(2, 3) == 5
    assert (clock.seconds, clock.left) == (0.0, 40.0)
    now[0] = 110.0
    assert (clock.seconds, clock.left) == (110.0, 0.0)  # a run that the limit ended took as long as people waited


@pytest.mark.usefixtures("nothing_on_disk")
def test_a_compilation_is_announced_once() -> None:
    @compiled
    def increased(number: int) -> int:
        return number + 1

    heard: list[Event] = []
    with announce_compiling(heard.append):
        assert increased(1) + increased(2) == 5
        assert increased(1.5) == 2.5  # type: ignore[arg-type]
    assert heard == [Compiling(__name__)]
    with announce_compiling(heard.append):
        increased(3)
    assert len(heard) == 1
