"""The hostile graphs: what is known of them is true, cases repeat, and each kind of fault is seen."""

from __future__ import annotations

import json
import random
from pathlib import Path

import hostile
import pytest
from brute_force import brute_force
from hostile import Case, Ended, Trial, dimacs, judge, try_case, try_cases
from hostile_graphs import FAMILIES

from cpsat_tour.backends.runner import run
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.native.dfs import Dfs

CASES = [Case.draw(number, most=30) for number in range(300)]

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


def test_a_case_is_the_same_each_time() -> None:
    for first in CASES[:20]:
        second = Case.draw(first.number, most=30)
        assert dimacs(first.hostile.graph) == dimacs(second.hostile.graph)
        assert [first.command(way) for way in hostile.WAYS] == [second.command(way) for way in hostile.WAYS]
        assert (str(first), first.interrupts) == (str(second), second.interrupts)


@pytest.mark.parametrize(
    ("case", "way", "ended", "fault"),
    [
        (OPEN_QUESTION, "auto", Ended(-11), "crash"),
        (OPEN_QUESTION, "dfs", Ended(1, err=b"Traceback\nOops"), "crash"),
        (OPEN_QUESTION, "dfs", Ended(3, err=b"Traceback"), "crash"),
        (OPEN_QUESTION, "dfs", Ended(10), "crash"),
        (OPEN_QUESTION, "prove", Ended(20), "crash"),
        (OPEN_QUESTION, "dfs", Ended(3), None),
        (OPEN_QUESTION, "dfs", Ended(3, seconds=9.1), "overrun"),
        (OPEN_QUESTION, "dfs", Ended(None, seconds=24.0), "overrun"),
        (PLANTED, "dfs", Ended(20), "wrong"),
        (PLANTED, "prove", Ended(0), "wrong"),
        *(
            (PLANTED, "dfs", Ended(0, out), "wrong")
            for out in (b"", b"{}", b'{"tour": null}', b'{"tour": ["1", "2"]}', b'{"tour": ["x"]}')
        ),
        (INTERRUPTED, "sat", Ended(130), None),
        (INTERRUPTED, "sat", Ended(-2), None),
        (INTERRUPTED, "sat", Ended(-2, err=b"Traceback"), "crash"),
        (INTERRUPTED, "sat", Ended(130, seconds=9.1), "overrun"),
    ],
    ids=str,
)
def test_each_fault_is_seen(case: Case, way: str, ended: Ended, fault: str | None, tmp_path: Path) -> None:
    trial = judge(case, way, ended, 9.0, tmp_path)
    assert trial.fault == fault, trial.why
    assert f"--case {case.number}" in str(trial)


def test_a_none_against_a_tour_of_another_way_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    tour = run(PLANTED.problem, Dfs()).tour
    assert tour is not None
    found = json.dumps({"tour": [str(vertex + 1) for vertex in tour]}).encode()
    monkeypatch.setattr(type(PLANTED.hostile), "has_tour", lambda *_, **__: None)
    ends = {"dfs": Ended(0, found), "prove": Ended(0)}
    monkeypatch.setattr(
        hostile, "try_way", lambda case, way, _: judge(case, way, ends.get(way, Ended(20)), 9.0, Path())
    )
    trials = try_case(PLANTED, dict.fromkeys(hostile.WAYS, 0.5))
    assert {trial.way for trial in trials if trial.fault == "wrong"} == {"auto", "sat", "sat:lazy", "prove"}


def test_an_overrun_counts_when_it_happens_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    left = dict.fromkeys(hostile.WAYS, 2) | {"sat": 3}

    def overrun(case: Case, way: str, _: float) -> Trial:
        left[way] -= 1
        return Trial(case, way, "unknown", "overrun" if left[way] >= 0 else None)

    monkeypatch.setattr(hostile, "try_way", overrun)
    monkeypatch.setattr(hostile, "seconds_to_start", lambda _: 0.5)
    trials = try_case(OPEN_QUESTION, dict.fromkeys(hostile.WAYS, 0.5))
    assert {trial.way for trial in trials if trial.fault == "overrun"} == {"sat"}


def test_a_case_is_run_and_the_graph_of_a_failure_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    case = next(case for case in CASES if not case.interrupts and case.hostile.graph.order < 20)
    monkeypatch.setattr(hostile, "WAYS", {"sat": ("solve", "--backend", "sat"), "prove": hostile.WAYS["prove"]})
    monkeypatch.setattr(hostile, "seconds_to_start", lambda _: 60.0)
    found: list[Trial] = []
    try_cases([case], None, tmp_path, found.append)
    assert [trial.fault for trial in found] == [None, None]
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(hostile, "STATUSES", {"solve": {}, "prove": {}})
    try_cases([case], None, tmp_path, found.append)
    assert [trial.fault for trial in found[2:]] == ["crash", "crash"]
    (kept,) = tmp_path.iterdir()
    assert (read_graph(kept).indices == case.hostile.graph.indices).all()


def test_the_script_says_how_much_failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(hostile, "seconds_to_start", lambda _: 0.5)
    monkeypatch.setattr(hostile, "run_program", lambda *_: Ended(-6))
    monkeypatch.setattr("sys.argv", ["hostile.py", "--case", "3"])
    assert hostile.main() == 1
    assert capsys.readouterr().out.count("SIGABRT") == 5
