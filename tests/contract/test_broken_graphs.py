"""No graph file and no Python object that is broken ends a process by a signal or in a traceback: each is answered, or
refused in a sentence."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("networkx", reason="networkx is optional, and writes the graphs")
pytest.importorskip("scipy", reason="SciPy is optional, and writes the matrices")

from broken_graphs import in_a_process

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "broken_graphs.py"


@pytest.mark.parametrize("kind", ["file", "object"])
@pytest.mark.parametrize(("first", "count"), [(0, 75), pytest.param(0, 2000, marks=pytest.mark.slow)])
def test_what_is_broken_is_answered_or_refused(kind: str, first: int, count: int) -> None:
    command = [sys.executable, str(SCRIPT), kind, str(first), str(count)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


def test_signals_and_tracebacks_are_seen(tmp_path: Path) -> None:
    assert in_a_process(lambda: os.kill(os.getpid(), signal.SIGKILL), tmp_path / "a")[0] == -signal.SIGKILL
    code, said = in_a_process(lambda: 1 // 0, tmp_path / "b")
    assert code == 1
    assert "ZeroDivisionError" in said
