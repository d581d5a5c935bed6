"""The hostile graphs: what is known of them is true, cases repeat, and each kind of fault is seen."""

import random
from collections import Counter
from pathlib import Path
from subprocess import CompletedProcess

import hostile
import pytest
from brute_force import brute_force
from hostile import Case
from hostile_graphs import FAMILIES

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.engines.runner import run
from cpsat_tour.native.dfs import Dfs

CASES = [Case(number, most=30) for number in range(300)]

PLANTED = next(case for case in CASES if case.problem.closed and case.hostile.closed and not case.interrupts)
OPEN_QUESTION = next(case for case in CASES if case.problem.closed and case.hostile.closed is None)
INTERRUPTED = next(case for case in CASES if "sat" in case.interrupts)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_says_of_its_graphs_is_true(family: str) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        edges, closed = FAMILIES[family](rng, rng.randint(4, 9))
        problem = Problem(Graph.from_edges(1 + max(map(max, edges)), edges), True)
        if closed is None:
            continue
        if problem.graph.order <= 9:
            assert bool(brute_force(problem)) is closed, (family, seed)
        else:
            assert (run(problem, Dfs()).status == "tour") is closed, (family, seed)


def ended(status: int, out: bytes = b"", err: bytes = b"") -> CompletedProcess[bytes]:
    return CompletedProcess([], status, out, err)


@pytest.mark.parametrize(
    ("case", "way", "end", "seconds", "fault"),
    [
        (OPEN_QUESTION, "auto", ended(-11), 1, "crash"),
        (OPEN_QUESTION, "dfs", ended(3, err=b"Traceback"), 1, "crash"),
        (OPEN_QUESTION, "dfs", ended(10), 1, "crash"),
        (OPEN_QUESTION, "prove", ended(20), 1, "crash"),
        (OPEN_QUESTION, "dfs", ended(3), 1, ""),
        (OPEN_QUESTION, "dfs", ended(3), 9.1, "overrun"),
        (OPEN_QUESTION, "dfs", None, 24, "overrun"),
        (PLANTED, "dfs", ended(20), 1, "wrong"),
        (PLANTED, "prove", ended(0), 1, "wrong"),
        *(
            (PLANTED, "dfs", ended(0, out), 1, "wrong")
            for out in (b"", b"{}", b'{"tour": null}', b'{"tour": ["1", "2"]}', b'{"tour": ["x"]}')
        ),
        (INTERRUPTED, "sat", ended(130), 1, ""),
        (INTERRUPTED, "sat", ended(-2), 1, ""),
        (INTERRUPTED, "sat", ended(-2, err=b"Traceback"), 1, "crash"),
        (INTERRUPTED, "sat", ended(130), 9.1, "overrun"),
    ],
)
def test_each_fault_is_seen(
    case: Case, way: str, end: CompletedProcess[bytes] | None, seconds: float, fault: str, tmp_path: Path
) -> None:
    assert case.judge(way, end, seconds, 9.0, tmp_path)[1].partition(":")[0] == fault


def test_a_none_against_a_tour_is_wrong_and_an_overrun_counts_the_third_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """One way finds a tour, one says none at once, one after two overruns; the last overruns each time."""
    ends = {"auto": [("tour", "")], "sat": [("none", "")], "dfs": [("", "wrong: a tour that jumps")]}
    ends |= {"sat:lazy": [("none", "overrun: 9 s")] * 2 + [("none", "")], "prove": [("none", "overrun: 9 s")] * 3}
    case, counts = Case(0, most=30), Counter[tuple[str, str]]()
    monkeypatch.setattr(Case, "run", lambda _, way, _seconds: ends[way].pop(0))
    monkeypatch.setattr(hostile, "seconds_to_start", lambda _: 0.5)
    assert len(case.faults(dict.fromkeys(hostile.WAYS, 0.5), counts)) == 4
    assert counts == {
        ("auto", "tour"): 1,
        **{(way, "wrong"): 1 for way in ("sat", "sat:lazy", "dfs")},
        ("prove", "overrun"): 1,
    }
