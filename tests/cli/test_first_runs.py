"""The first run of every command and backend keeps to its time limit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cpsat_tour.engines.registry import missing_modules, names

LIMIT, GRACE = 2, 2  # seconds

CALLS = [
    *(f"solve 9x9 --backend {name}" for name in names() if name != "numbers"),
    *(f"solve GP(17,2) --closed --backend {name}" for name in ("auto", "edges", "frontier", "rotations", "dfs")),
    "solve 8x8 --closed --backend numbers --at a1=1 --at h8=30",
    "solve 6x6 --closed --backend dfs -O prune=none",
    "solve 1000x1000 --backend dfs",
    "count 8x8 --closed",
    "count 6x6 --closed --estimate",
    "tours 6x6 --closed --all --backend edges",
    "tours 6x6 --closed --all --backend dfs",
    "best 6x6 --minimize turns --closed",
    "puzzle 6x6",
    "trace 6x6 --closed -O prune=none",
    "prove 6x6 --closed",
    "filter graphs",
]

RUN = """
import sys, time
from cpsat_tour.cli.main import status
status([*sys.argv[1:-1], "0"])  # which loads what the command needs
begun = time.perf_counter()
status(sys.argv[1:])
print(time.perf_counter() - begun, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_time_limits_hold_from_the_first_second(call: str, tmp_path: Path) -> None:
    words = call.split()
    if "--backend" in words and missing_modules(words[words.index("--backend") + 1]):
        pytest.skip("a library is not installed")
    (tmp_path / "graphs").write_text("D~{\nDQc\n" * 3)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", RUN, *words, "--time-limit", str(LIMIT)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(run.stderr.split()[-1]) < LIMIT + GRACE, run.stderr
