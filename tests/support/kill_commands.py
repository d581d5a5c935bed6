"""Commands that write files, to be killed at random moments: a file that has its final name is whole, and no other file
is visible."""

import json
import os
import sys
from pathlib import Path

import numpy as np
from commands import solved_inside

from cpsat_tour.cli.main import status
from cpsat_tour.compare.record import load
from cpsat_tour.formats.formula import read_map
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.tour import Tour

COMMANDS = {
    "svg": "solve 20x20 --backend dfs -o tour.svg",
    "png": "solve 20x20 --backend dfs -o tour.png",
    "gif": "solve 8x8 --backend dfs -o tour.gif",
    "json": "solve 20x20 --backend dfs -o tour.json",
    "npy": "tours 6x6 --closed --all -o tours.npy",
    "numbered": "solve 300x300 --closed --backend construct -o tour.npy",
    "drawn": "draw tour.npy -o tour.svg",
    "cnf": "export 20x20 -o tour.cnf",
    "pbtxt": "export 20x20 --backend cpsat -o tour.pbtxt",
    "decoded": "decode answer.txt formula.cnf -o tour.svg",
    "cut sets": "decode answer.txt --append formula.cnf",
    "certificate": "prove 4x40 --closed -o proof",
    "none": "solve 4x40 --closed --backend proof --certificate proof",
    "enumeration": "prove 3x10 --closed --count -o proof",
    "record": "compare run --board 5x5 --backend dfs --seeds 3 --time-limit 2 --resume --results runs.jsonl",
    "report": "compare report runs.jsonl -o report",
}
"""The commands, by what they write. Each ends with the name of its file or folder."""

BESIDE = {
    "drawn": {"tour.npy", "tour.npy.json"},
    "decoded": {"answer.txt", "formula.cnf"},
    "cut sets": {"answer.txt"},
    "report": {"runs.jsonl"},
}
"""What a command needs in its folder."""


def prepare(name: str, folder: Path) -> list[str]:
    """Put what the command needs into the folder; return the command."""
    if name in ("decoded", "cut sets"):
        encoding = "sat:adder" if name == "decoded" else "sat:lazy"
        status(["export", "12x12", "--closed", "--backend", encoding, "-o", str(folder / "formula.cnf"), "--quiet"])
        solved_inside(folder / "formula.cnf", folder / "answer.txt")
    if name == "drawn":
        status(["solve", "100x100", "--closed", "--backend", "construct", "-o", str(folder / "tour.npy"), "--quiet"])
    if name == "report":
        run: dict[str, object] = {"backend": "dfs", "board": "5x5", "kind": "open", "status": "tour"}
        run |= {"seconds": 0.1, "wall": 0.2, "vertices": 25}
        (folder / "runs.jsonl").write_text("".join(json.dumps(run | {"seed": seed}) + "\n" for seed in range(3)))
    return [sys.executable, "-m", "cpsat_tour", *COMMANDS[name].split()]


def visible(folder: Path) -> list[str]:
    """The names in a folder that do not begin with a dot."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def check_whole(name: str, folder: Path) -> None:
    """Assert that each file in the folder is whole, and that none is there that should not be."""
    final = COMMANDS[name].split()[-1]
    found = set(visible(folder)) - BESIDE.get(name, set())
    assert found <= {final, *([f"{final}.json"] if final.endswith(".npy") else [])}, found
    path = folder / final
    if not path.exists():
        return
    ends = {".svg": b"</svg>", ".png": b"IEND\xaeB`\x82", ".gif": b";", ".json": b"}", ".pbtxt": b"}"}
    if path.suffix in ends:
        assert path.read_bytes().rstrip().endswith(ends[path.suffix])
    elif name == "npy":
        assert np.load(path).shape[1] == 36
    elif name == "numbered":
        assert Tour.load(path).closed
    elif path.suffix == ".cnf":
        lines = path.read_text().splitlines()
        promised = next(int(line.split()[3]) for line in lines if line.startswith("p cnf"))
        assert sum(line.endswith(" 0") and line[0] != "c" for line in lines) == promised
        assert read_map(str(path)).cycle.order in (144, 401)
    elif name == "record":
        load(path)
    elif name == "report":
        assert {"report.md", "times.csv"} <= set(visible(path))
    else:
        assert check(path).valid
