"""Compiled functions: what is kept on disk is never stale, and people hear of a compilation that they wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cpsat_tour.core.compiled import announced, compiled
from cpsat_tour.core.events import Compiling, Event

USE = "from sample.caller import doubled\nprint(doubled(20), sum(doubled.stats.cache_hits.values()))"
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


def test_what_is_kept_on_disk_sees_a_change_in_whatever_a_function_reaches(tmp_path: Path) -> None:
    """In a callee of a callee in another module, and in a constant of a third; and nothing is compiled anew without a change."""
    folder = tmp_path / "sample"
    folder.mkdir()
    for name, source in (("__init__", ""), ("caller", CALLER), ("steps", STEPS), ("deeper", DEEPER.format(2)), ("numbers", "MORE = 0\n")):
        (folder / f"{name}.py").write_text(source)

    def printed() -> list[int]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=True)
        return [int(word) for word in run.stdout.split()]

    assert printed() == [40, 0]
    assert printed() == [40, 1]
    (folder / "deeper.py").write_text(DEEPER.format(3))
    assert printed() == [60, 0]
    (folder / "numbers.py").write_text("MORE = 5\n")
    assert printed() == [65, 0]


def test_a_compilation_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.caching.FunctionCache.load_overload", lambda *_: None)
    monkeypatch.setattr("numba.core.caching.FunctionCache.save_overload", lambda *_: None)

    @compiled
    def increased(number: int) -> int:
        return number + 1

    told: list[Event] = []
    with announced(told.append):
        assert increased(1) + increased(2) == 5
        assert increased(1.5) == 2.5  # type: ignore[arg-type]
    assert told == [Compiling(__name__)]
    with announced(told.append):
        increased(3)
    assert len(told) == 1
