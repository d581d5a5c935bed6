"""The hostile graphs: what is known of them is true, cases repeat, and each kind of fault is seen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import hostile
import pytest
from brute_force import brute_force, small_graphs
from hostile import Case, Ended, Trial, dimacs, run_case, trials
from hostile_graphs import FAMILIES, has_tour

from cpsat_tour.backends.runner import run
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.spaces.family_graphs import flower

START_UP = dict.fromkeys(hostile.WAYS, 0.5)


def case(*, closed: bool, known: bool | None, interrupted: bool = False) -> Case:
    """The first case of this kind whose graph has a tour, by construction or not, as is said."""
    for number in range(1000):
        found = Case.drawn(number, most=30)
        if (found.problem.closed, found.hostile.has_tour(closed=closed), "sat" in found.interrupts) == (
            closed,
            known,
            interrupted,
        ):
            return found
    raise AssertionError("no such case")


# --- graphs ---


@pytest.mark.parametrize("closed", [False, True])
def test_a_graph_has_a_tour_where_brute_force_finds_one(closed: bool) -> None:
    rng = random.Random(1)
    pairs = [list(combinations(range(order), 2)) for order in (5, 6, 7) for _ in range(30)]
    drawn = [Graph.from_edges(some[-1][1] + 1, [edge for edge in some if rng.random() < 0.45]) for some in pairs]
    graphs = [graph for graph in [*small_graphs(), *drawn] if graph.order]
    found = [has_tour(graph, closed=closed) for graph in graphs]
    assert found == [bool(brute_force(Problem(graph, closed))) for graph in graphs]
    assert set(found) == {False, True}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_says_of_its_graphs_is_true(family: str) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        edges, closed = FAMILIES[family](rng, rng.randint(4, 9))
        graph = Graph.from_edges(1 + max(map(max, edges)), edges)
        if closed is None:
            continue
        if graph.order <= 11:
            assert has_tour(graph, closed=True) is closed, (family, seed)
        else:
            assert (run(Problem(graph, True), Dfs()).status == "tour") is closed, (family, seed)


def test_a_flower_snark_is_cubic() -> None:
    assert set(Graph.from_edges(28, flower(7)).degrees.tolist()) == {3}


def test_a_case_is_the_same_each_time() -> None:
    for number in range(20):
        first, second = Case.drawn(number), Case.drawn(number)
        assert dimacs(first.hostile.graph) == dimacs(second.hostile.graph)
        assert [first.command(way) for way in hostile.WAYS] == [second.command(way) for way in hostile.WAYS]
        assert (str(first), first.interrupts) == (str(second), second.interrupts)


# --- faults ---


def told(monkeypatch: pytest.MonkeyPatch, asked: Case, answers: Callable[[str], Ended]) -> dict[str, Trial]:
    """The trials of a case whose processes end in a given way."""
    ways = {tuple(asked.command(way)): way for way in hostile.WAYS}
    monkeypatch.setattr(hostile, "_ended", lambda command, *_: answers(ways[tuple(command)]))
    monkeypatch.setattr(hostile, "_start_up", lambda _: 0.5)
    return {trial.way: trial for trial in run_case(asked, dict(START_UP))}


def a_tour(asked: Case) -> bytes:
    tour = run(asked.problem, Dfs()).tour
    assert tour is not None
    return json.dumps({"tour": [str(vertex + 1) for vertex in tour]}).encode()


def test_a_signal_a_traceback_and_a_strange_status_are_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {
        "auto": (-11, b""),
        "sat": (1, b"Traceback\nOops"),
        "sat:lazy": (3, b"Traceback"),
        "dfs": (10, b""),
        "prove": (20, b""),
    }
    found = told(monkeypatch, case(closed=True, known=None), lambda way: Ended(ends[way][0], b"", ends[way][1], 0.1))
    assert {trial.fault for trial in found.values()} == {"crash"}
    assert "SIGSEGV" in str(found["auto"])
    assert "--case" in str(found["auto"])


def test_a_none_against_a_planted_cycle_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(
        monkeypatch, case(closed=True, known=True), lambda way: Ended(0 if way == "prove" else 20, b"", b"", 0.1)
    )
    assert {trial.fault for trial in found.values()} == {"wrong"}


def test_a_none_against_a_tour_of_another_way_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = (Case.drawn(n, most=30) for n in range(1000))
    asked = next(case for case in cases if case.hostile.family == "planted" and not case.interrupts)
    tour = a_tour(asked)
    monkeypatch.setattr(type(asked.hostile), "has_tour", lambda *_, **__: None)
    statuses = dict.fromkeys(hostile.WAYS, 20) | {"prove": 0, "dfs": 0}
    found = told(monkeypatch, asked, lambda way: Ended(statuses[way], tour, b"", 0.1))
    assert {way for way, trial in found.items() if trial.fault == "wrong"} == {"auto", "sat", "sat:lazy", "prove"}


@pytest.mark.parametrize("out", [b"", b"{}", b'{"tour": null}', b'{"tour": ["1", "2"]}', b'{"tour": ["x"]}'])
def test_what_is_no_tour_is_wrong(monkeypatch: pytest.MonkeyPatch, out: bytes) -> None:
    found = told(
        monkeypatch, case(closed=True, known=True), lambda way: Ended(10 if way == "prove" else 0, out, b"", 0.1)
    )
    assert {trial.fault for trial in found.values()} == {"wrong"}


def test_an_overrun_counts_when_it_happens_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = case(closed=True, known=None)
    late = 0.5 + 1.05 * asked.limit + 1.1
    left = dict.fromkeys(hostile.WAYS, 2) | {"sat": 3}

    def answer(way: str) -> Ended:
        left[way] -= 1
        return Ended(3, b"", b"", late if left[way] >= 0 else 0.1)

    found = told(monkeypatch, asked, answer)
    assert {way for way, trial in found.items() if trial.fault == "overrun"} == {"sat"}


def test_ctrl_c_has_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = case(closed=True, known=None, interrupted=True)
    late = 0.5 + asked.interrupts["sat"] + 1.1
    assert told(monkeypatch, asked, lambda _: Ended(130, b"", b"", late))["sat"].fault == "overrun"
    for ended in (Ended(130, b"", b"", late - 0.2), Ended(-2, b"", b"", 0.1)):
        sat = told(monkeypatch, asked, dict.fromkeys(hostile.WAYS, ended).__getitem__)["sat"]
        assert (sat.answer, sat.fault) == ("interrupted", None)
    assert told(monkeypatch, asked, lambda _: Ended(-2, b"", b"Traceback", 0.1))["sat"].fault == "crash"


# --- the whole ---


def test_a_case_is_run_and_the_graph_of_a_failure_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = next(Case.drawn(n, most=20) for n in range(100) if not Case.drawn(n, most=20).interrupts)
    monkeypatch.setattr(hostile, "WAYS", {"sat": ("solve", "--backend", "sat"), "prove": hostile.WAYS["prove"]})
    monkeypatch.setattr(hostile, "_start_up", lambda _: 60.0)
    found: list[Trial] = []
    trials(iter([asked]), None, tmp_path, found.append)
    assert [trial.fault for trial in found] == [None, None]
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(hostile, "STATUSES", {"solve": {}, "prove": {}})
    trials(iter([asked]), None, tmp_path, found.append)
    assert [trial.fault for trial in found[2:]] == ["crash", "crash"]
    (kept,) = tmp_path.iterdir()
    assert (read_graph(kept).indices == asked.hostile.graph.indices).all()


def test_the_script_says_how_much_failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(hostile, "_start_up", lambda _: 0.5)
    monkeypatch.setattr(hostile, "_ended", lambda *_: Ended(-6, b"", b"", 0.1))
    monkeypatch.setattr("sys.argv", ["hostile.py", "--case", "3"])
    assert hostile.main() == 1
    assert capsys.readouterr().out.count("SIGABRT") == 5
