"""What a class of one's own is told by the contract tests: typical mistakes in an encoding, each found by the one
command, ``pytest tests/contract/test_contract.py --backend py:my_module:MyClass``, and named in words.

Lesson 7 has more of them, and a right encoding; `tests/docs` holds it to what they print.
"""

import subprocess
import sys
from pathlib import Path

import pytest

CONTRACT = Path(__file__).with_name("test_contract.py")

SAT = """
import numpy as np
from cpsat_tour.models.eager import Eager

class Mine(Eager):
    name = "mine"

    def state(self, formula):
        arcs, arc = formula.arcs, formula.arc
        k = arcs.inner
        u, v = arcs.tails, arcs.heads
        after = formula.new("after", formula.vertices, np.arange(arcs.order))
        formula.add(-after[:, -1])
        formula.add(-after[:, 1:], after[:, :-1])
        formula.add(-arc[k], after[v[k], 0])
        formula.add(-arc[k, None], -after[u[k], :-1], after[v[k], 1:])
"""
"""The encoding of docs/examples/own_encoding.py, right as it stands."""

CPSAT = """
from cpsat_tour.models.eager_cpsat import EagerCpSat

class Mine(EagerCpSat):
    name = "mine"

    def state(self, model):
        number = [model.new_int_var(0, model.arcs.order - 1, "") for _ in range(model.arcs.order)]
        model.exactly_one_arc_from_and_to_each_vertex()
        for u, v, arc in model.triples():
            if v != 0:
                model.add(number[v] == number[u] + 1).only_enforce_if(arc)
"""

CYCLES = """
from cpsat_tour import load

class Mine:
    takes = frozenset({"every"})

    def cycles(self, run):
        run.work["calls"] += 1
        return (yield from load("sat:lazy").cycles(run))
"""
"""A formulation that keeps no limit on work, and so has no ``unit``."""

EXACTLY_ONE = "model.exactly_one_arc_from_and_to_each_vertex()"
AT_LEAST_ONE = "for w in range(12): model.add_bool_or(arc for u, _, arc in model.triples() if u == w)"
MISTAKES = {
    "degrees are forgotten": (CPSAT, EXACTLY_ONE, "", "the solution has 0 arcs from a3, and it needs one"),
    "at most one is forgotten": (CPSAT, EXACTLY_ONE, AT_LEAST_ONE, ", and it needs one"),
    "a move is lost": (
        SAT,
        "[:, -1])",
        "[:, -1]), formula.add(-arc[3])",
        "brute force finds 8, the first that it misses",
    ),
    "it never ends": (
        SAT,
        "arcs, arc = formula.arcs, formula.arc",
        "\n        while True: pass",
        "mine.py, line 10: Failed: Timeout (>1.0s)",
    ),
}


def verdict(source: str, folder: Path) -> tuple[int, str]:
    """The exit status and the words of the contract tests on a class ``Mine``."""
    (folder / "mine.py").write_text(source)
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CONTRACT), "--backend", "py:mine:Mine"]
    call += ["--timeout", "1"] if "while True" in source else []
    run = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


def test_a_right_class_meets_the_contract(tmp_path: Path) -> None:
    assert verdict(CYCLES, tmp_path)[0] == 0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_words(mistake: str, tmp_path: Path) -> None:
    source, right, wrong, words = MISTAKES[mistake]
    assert right in source
    status, told = verdict(source.replace(right, wrong), tmp_path)
    assert (status, told.count("Mine-3-4"), "Traceback" in told) == (1, 1, False), told
    assert words in told, told
