"""Kill commands that write files, at random moments: nothing that is not whole may have its final name, and nothing be left in sight.

Run by hand: ``python tests/kill_commands.py 100`` kills each command a hundred times by each of SIGKILL, SIGTERM and SIGINT.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from cpsat_tour.compare.record import load
from cpsat_tour.formats.decoding import read_map
from cpsat_tour.proofs.check.folder import check

COMMANDS = {
    "svg": "solve 20x20 --backend dfs -o tour.svg",
    "png": "solve 20x20 --backend dfs -o tour.png",
    "gif": "solve 8x8 --backend dfs -o tour.gif",
    "json": "solve 20x20 --backend dfs -o tour.json",
    "npy": "tours 6x6 --closed --all -o tours.npy",
    "cnf": "export 20x20 -o tour.cnf",
    "pbtxt": "export 20x20 --backend cpsat -o tour.pbtxt",
    "certificate": "prove 4x40 --closed -o proof",
    "record": "compare run --board 5x5 --backend dfs --seeds 3 --time-limit 2 --results runs.jsonl --resume",
    "report": "compare report runs.jsonl -o report",
}
"""The commands, by what they write."""


def prepared(name: str, folder: Path) -> list[str]:
    """The command, after what it needs was put into the folder."""
    if name == "report":
        run = {"backend": "dfs", "board": "5x5", "kind": "open", "status": "tour", "seconds": 0.1, "wall": 0.2, "vertices": 25}
        (folder / "runs.jsonl").write_text("".join(json.dumps(run | {"seed": seed}) + "\n" for seed in range(3)))
    return [sys.executable, "-m", "cpsat_tour", *COMMANDS[name].split()]


def visible(folder: Path) -> list[str]:
    """The names in a folder that do not begin with a dot."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def check_whole(name: str, folder: Path) -> None:
    """AssertionError where a file in the folder is not whole, or should not be there."""
    final = COMMANDS[name].split("-o ")[-1] if " -o " in COMMANDS[name] else "runs.jsonl"
    found = [entry for entry in visible(folder) if (name, entry) != ("report", "runs.jsonl")]
    assert found in ([], [final]), found
    if found:
        _check_content(folder / final)


def _check_content(path: Path) -> None:
    ends = {".svg": b"</svg>", ".png": b"IEND\xaeB`\x82", ".gif": b";", ".json": b"]", ".pbtxt": b"}"}
    if path.suffix in ends:
        assert path.read_bytes().rstrip().endswith(ends[path.suffix])
    elif path.suffix == ".npy":
        assert np.load(path).shape[1] == 36
    elif path.suffix == ".cnf":
        lines = path.read_text().splitlines()
        promised = next(int(line.split()[3]) for line in lines if line.startswith("p cnf"))
        assert sum(line.endswith(" 0") and line[0] != "c" for line in lines) == promised
        assert read_map(str(path)).cycle.order == 401
    elif path.suffix == ".jsonl":
        load(path)
    elif path.name == "proof":
        assert check(path).valid
    else:
        assert {"report.md", "medians.csv"} <= set(visible(path))


def main(times: int) -> None:
    """Kill each command so many times by each signal, within the time that it took when it last came to its end; tell what was found."""
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            command = prepared(name, Path(folder))
            for _ in range(2):  # the first may have to compile
                begun = time.monotonic()
                subprocess.run(command, cwd=folder, check=False, capture_output=True)
                whole = time.monotonic() - begun
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            seen: Counter[str] = Counter()
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder)
                command = prepared(name, place)
                while seen["killed"] < times:
                    begun = time.monotonic()
                    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                    try:
                        process.wait(random.uniform(0.2, 1.0) * whole)
                        seen["ended"] += 1
                        whole = max(0.2, time.monotonic() - begun)
                    except subprocess.TimeoutExpired:
                        os.killpg(process.pid, number)
                        process.wait(60)
                        seen["killed"] += 1
                        whole *= 1.02
                    check_whole(name, place)
                    hidden = len(os.listdir(place)) - len(visible(place))
                    seen["hidden leftovers, at most"] = max(hidden, seen["hidden leftovers, at most"])
            print(f"{name}, {number.name}: {dict(seen)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
