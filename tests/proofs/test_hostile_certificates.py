"""No folder of at most a megabyte takes the checker more than ten seconds of work or 500 MB."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from certificate_samples import Sample, board, described, graph, opb_of, sample

MEGABYTE = 10**6
MAX_SECONDS, MAX_MEGABYTES = 10.0, 500

CHECK = """
import resource, sys
from pathlib import Path
from cpsat_tour.proofs.check.folder import check
import cpsat_tour.spaces.kinds
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
verdict = check(Path(sys.argv[1]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(verdict.valid, used.ru_utime - before, used.ru_maxrss // 1024, verdict.fault)
"""

LEAVES = 400
WHEEL = graph(
    [*((0, leaf) for leaf in range(1, LEAVES + 1)), *((leaf, leaf % LEAVES + 1) for leaf in range(1, LEAVES + 1))],
    LEAVES + 1,
    method="clausal",
)
"""A hub and a rim: the row of the hub is long, and there are tours."""


def filled(begin: str, unit: str, end: str = "", size: int = MEGABYTE - 50_000) -> str:
    """A text of about this size: the beginning, the unit over and over, the end."""
    return begin + unit * ((size - len(begin) - len(end)) // len(unit)) + end


def proof_of(*steps: str) -> Callable[[], Sample]:
    """A function that makes the certificate of the wheel with these steps."""
    return lambda: sample(WHEEL, *steps)


def lines(*steps: str, size: int = MEGABYTE - 50_000) -> list[str]:
    """These steps over and over, about so many bytes of them."""
    return [*steps] * (size // sum(len(step) + 1 for step in steps))


def best(description: dict[str, object], objective: str) -> Callable[[], Sample]:
    made = description | {"best": {"objective": objective, "maximize": False, "value": 1}}
    return lambda: Sample(made, [filled("* #variable= 1 #constraint= 1\n", "+1 x1 = 1 ;\n", size=MEGABYTE // 2)])


def many_cut_sets() -> Sample:
    made = graph([(0, leaf) for leaf in range(1, 5000)], 5000, cut_sets=[["v0"]] * 30_000)
    return Sample(made, opb_of(graph([(0, 1)], 2)))


def large_graph(count: int, *, moves: int = 0) -> Sample:
    edges = [[f"v{vertex}", f"v{vertex + 1}"] for vertex in range(moves)]
    where = {"vertices": [f"v{vertex}" for vertex in range(count)], "edges": edges}
    return Sample(described({"graph": where}, closed=True), ["* #variable= 1 #constraint= 1"])


HUB = sum(" = " in row for row in opb_of(WHEEL)) * 2
WIDE = " ".join(f"+1 x{number}" for number in range(1, 2 * LEAVES + 1))
ALL = " ".join(["1", *(f"{row} +" for row in range(3, HUB, 2))])
HOSTILE: dict[str, Callable[[], Sample]] = {
    "hints of one step": proof_of(filled("rup +1 x1 >= 1 :", " 1", " ;")),
    "hints of many steps": proof_of(*lines(filled("rup +1 x401 >= 1 :", " 1", " ;", 2000))),
    "a stack": proof_of(filled("pol 1", " 1", " ;")),
    "a stack and sums": proof_of(filled("pol 1", " 1 +", " ;")),
    "divisions": proof_of(filled("pol 1", " 2 d", " ;")),
    "saturation": proof_of(filled("pol 1", " s", " ;")),
    "growing numbers": proof_of(filled("pol 1", " 2 *", " ;")),
    "many short sums": proof_of(*lines("pol 1 ;")),
    "long sums that stay": proof_of(*lines(f"pol {ALL} ;")),
    "long sums that go": proof_of(
        *(line for number in range(300) for line in (f"pol {ALL} ;", f"del id {HUB + number + 1} ;"))
    ),
    "sums of sums": proof_of(
        f"pol {ALL} ;", *(f"pol {HUB + number} {HUB + number} + ;" for number in range(1, 40_000))
    ),
    "definitions of one variable": proof_of(*lines("red +1 x801 >= 1 : x801 -> 1 ;")),
    "definitions that compete": proof_of(
        *lines("red +1 x801 +1 x1 >= 1 : x801 -> 1 ;", "red +1 ~x801 +1 ~x1 >= 1 : x801 -> 0 ;")
    ),
    "long definitions": proof_of(
        *(f"red +1 x{801 + number} {WIDE} >= 1 : x{801 + number} -> 1 ;" for number in range(140))
    ),
    "long clauses": proof_of(*lines(f"rup {WIDE} >= 1 : 1 ;")),
    "tours that are none": lambda: sample(WHEEL | {"tours": 1}, *lines(f"solx {WIDE.replace('+1 ', '')} ;")),
    "a long comment": proof_of(filled("% ", "long ")),
    "long numbers": proof_of(filled("red +", "9", " x801 >= 1 : x801 -> 1 ;")),
    "crossings of a row": best(board(1, 65536, leaper=(0, 1), method="clausal"), "crossings"),
    "crossings of long moves": best(board(200, 200, leaper=(20, 21), method="clausal"), "crossings"),
    "turns of a large board": best(board(250, 250, method="clausal"), "turns"),
    "cut sets": many_cut_sets,
    "vertices": lambda: large_graph(65536),
    "edges": lambda: large_graph(12_000, moves=11_000),
    "brackets": lambda: Sample({"format": [[]] * 60_000}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_takes_seconds(name: str, tmp_path: Path) -> None:
    folder = HOSTILE[name]().write(tmp_path)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 1.2 * MEGABYTE
    ran = subprocess.run([sys.executable, "-c", CHECK, str(folder)], capture_output=True, text=True, check=True)
    valid, seconds, megabytes, fault = ran.stdout.split(maxsplit=3)
    print(f"{name}: {float(seconds):.1f} s, {megabytes} MB, {fault.strip()[:150]}")
    assert valid == "False"
    assert float(seconds) <= MAX_SECONDS
    assert int(megabytes) <= MAX_MEGABYTES
