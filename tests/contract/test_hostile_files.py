"""No certificate and no file of at most a megabyte takes more than ten seconds of work or 500 MB, or ends in an error
that is not a sentence: drawn from the grammar of each form."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_files import cost

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "hostile_files.py"
SLOW = pytest.mark.slow


@pytest.mark.parametrize("kind", ["certificate", "file"])
@pytest.mark.parametrize(
    ("first", "count", "most"),
    [(0, 30, 20_000), *(pytest.param(first, 100, 1_000_000, marks=SLOW) for first in range(1000, 2000, 100))],
)
def test_what_is_drawn_is_read_or_refused_within_seconds(kind: str, first: int, count: int, most: int) -> None:
    command = [sys.executable, str(SCRIPT), kind, *map(str, (first, count, most))]
    ran = subprocess.run(
        command, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


def test_memory_and_errors_are_seen() -> None:
    status, _, megabytes = cost(lambda: b"x" * 10**8)
    assert status == 0
    assert megabytes > 95
    assert cost(lambda: b"x" * 2**31)[0] != 0
    assert cost(lambda: 1 // 0)[0] != 0
