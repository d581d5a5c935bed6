"""Streams of graphs: the kernel and the command `filter`, against nauty, brute force and published counts."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Command

from cpsat_tour import Answer, BadInput, Board, Graph, Problem, filter_graphs, solve
from cpsat_tour.backends import graph_stream
from cpsat_tour.backends.graph_stream import Batch
from cpsat_tour.cli import filter as filter_command
from cpsat_tour.core.verify import verify
from cpsat_tour.formats.graph_lines import graph6_line, graph_of_line
from cpsat_tour.native.batch_kernel import LEFT
from cpsat_tour.presolve.conditions import violated_condition

SLOW = pytest.mark.slow
SIZES = [*range(1, 8), pytest.param(8, marks=SLOW)]
HAMILTONIAN = [1, 0, 1, 3, 8, 48, 383, 6196, 177083]  # A003216, from one vertex on
CUBIC = [10, 12, 14, 16, pytest.param(18, marks=SLOW)]


def nauty(*words: str, given: str = "") -> list[str]:
    """The lines that a program of nauty prints; a test without nauty is skipped."""
    program = shutil.which(f"nauty-{words[0]}") or shutil.which(words[0])
    if program is None:
        pytest.skip(f"{words[0]} of nauty is not installed: apt-get install nauty")
    return subprocess.run([program, *words[1:]], input=given, capture_output=True, text=True, check=True).stdout.split()


def has_tour(line: str, *, closed: bool) -> bool:
    """The answer by dynamic programming over the sets of visited vertices (Held & Karp 1962)."""
    graph = graph_of_line(line.encode())
    heads, order = [sum(1 << int(u) for u in graph.neighbours(v)) for v in range(graph.order)], graph.order
    ends = {1 << v: 1 << v for v in range(1 if closed else order)}  # for each set of vertices the ends of its paths
    for visited in range(1, 1 << order):
        for v in range(order):
            if ends.get(visited, 0) >> v & 1:
                for u in range(order):
                    if heads[v] >> u & 1 and not visited >> u & 1:
                        ends[visited | 1 << u] = ends.get(visited | 1 << u, 0) | 1 << u
    last = ends.get((1 << order) - 1, 0)
    return bool(last) if not closed else order > 2 and any(last >> v & 1 and heads[v] & 1 for v in range(order))


def verdicts(lines: list[str], *, closed: bool = True) -> list[bool]:
    return [bool(answer) for answer in filter_graphs(lines, closed=closed)]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("order", SIZES)
def test_brute_force_agrees_on_all_connected_graphs(order: int, closed: bool) -> None:
    lines = nauty("geng", "-cq", str(order))
    assert verdicts(lines, closed=closed) == [has_tour(line, closed=closed) for line in lines]


@pytest.mark.parametrize("order", [*range(3, 8), 8, pytest.param(9, marks=SLOW)])
def test_the_number_of_hamiltonian_graphs_is_the_published_one(order: int, command: Command, tmp_path: Path) -> None:
    (tmp_path / "all.g6").write_text("\n".join(nauty("geng", "-q", str(order))))
    assert len(command(f"filter {tmp_path / 'all.g6'} --closed").out.split()) == HAMILTONIAN[order - 1]


@pytest.mark.parametrize("order", CUBIC)
def test_cubhamg_agrees_on_cubic_graphs(order: int, command: Command, tmp_path: Path) -> None:
    lines = "\n".join(nauty("geng", "-cqd3D3", str(order)))
    (tmp_path / "cubic.g6").write_text(lines)
    assert command(f"filter {tmp_path / 'cubic.g6'} --closed --none --threads 2").out.split() == nauty(
        "cubhamg", given=lines
    )


@SLOW
@pytest.mark.parametrize("order", range(4, 13))
def test_cubhamg_agrees_on_graphs_of_degree_three_at_most(order: int, command: Command, tmp_path: Path) -> None:
    lines = "\n".join(nauty("geng", "-cqD3", str(order)))
    (tmp_path / "all.g6").write_text(lines)
    assert command(f"filter {tmp_path / 'all.g6'} --closed --none").out.split() == nauty("cubhamg", given=lines)


@pytest.mark.parametrize("order", [4, pytest.param(5, marks=SLOW)])
def test_brute_force_agrees_on_digraphs(order: int) -> None:
    lines = nauty("directg", "-q", given="\n".join(nauty("geng", "-cqd2", str(order))))[:: 1 if order < 5 else 40]
    assert verdicts(lines) == [has_tour(line, closed=True) for line in lines]


def random_graph(order: int, density: float, seed: int) -> Graph:
    edges = np.argwhere(np.triu(np.random.default_rng(seed).random((order, order)) < density, 1))
    return Graph.from_edges(order, edges)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_edges_agrees_on_random_graphs_of_all_sizes(closed: bool) -> None:
    graphs = [random_graph(order, 3.5 / order, order) for order in (1, 2, 3, 12, 20, 61, 62, 63, 64, 65)]
    for graph, answer in zip(graphs, filter_graphs(graphs, closed=closed), strict=True):
        assert answer.status == solve(graph, closed=closed, backend="edges").status
        if answer.tour is not None:
            verify(Problem(graph, closed), answer.tour.vertices)
        elif graph.order > 2 and violated_condition(Problem(graph, closed)):
            assert answer.refutation is not None
            assert answer.refutation.kind == "condition"


def test_lines_are_read_as_they_are_written() -> None:
    networkx = pytest.importorskip("networkx")
    for order in (1, 2, 30, 62, 63, 64, 100):
        graph = random_graph(order, 0.3, order)
        line = graph6_line(graph)
        other = networkx.from_graph6_bytes(line)
        again = graph_of_line(line)
        assert sorted(map(sorted, other.edges)) == sorted(map(sorted, zip(*again.edges(), strict=True)))
        assert again.indices.tolist() == graph.indices.tolist()
        sparse = networkx.to_sparse6_bytes(other, header=False).strip()
        assert graph_of_line(sparse).indices.tolist() == graph.indices.tolist()


def test_a_graph_that_the_kernel_leaves_goes_to_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_stream, "answer_lines", lambda *_: None)
    found = [*filter_graphs(["D~{", "DQc", graph6_line(random_graph(70, 0.2, 1))], closed=True)]
    assert [answer.status for answer in found] == ["tour", "none", "tour"]
    assert {answer.backend for answer in found} == {"auto"}


def test_a_search_that_ends_at_its_budget_answers_nothing() -> None:
    """The kernel tries its budget of branchings on each of these boards, which have tours."""
    found = [*filter_graphs([Board(5, 12).graph, Board(6, 10).graph], closed=False)]
    assert [(answer.status, answer.backend) for answer in found] == [("tour", "auto")] * 2


def test_the_nodes_of_a_networkx_graph_come_back() -> None:
    networkx = pytest.importorskip("networkx")
    nodes: list[Any] = ["a b", (1, 2), frozenset({3}), None.__class__, 2.5]
    cycle, star = networkx.cycle_graph(nodes), networkx.DiGraph([("x", "y")])
    first, second = filter_graphs([cycle, star], closed=True)
    assert first.tour is not None
    assert set(first.tour.nodes) == set(nodes)
    assert all(cycle.has_edge(*move) for move in itertools.pairwise(first.tour.nodes))
    assert second.none


HOSTILE = {
    "D~": "wrong length: 1 characters instead of 2",
    "D~{~": "wrong length: 3 characters instead of 2",
    "x" * 10**6: "wrong length: 999,999 characters instead of 266",
    "~??": "no vertices",
    "~?@!" + 94 * "~": "is not a graph",
    "~>\x7fD~{": "is not a graph",
    "~": "no vertices",
    ":C`": "joins vertex 1 to itself",
    "?": "no vertices",
    "&B~": "digraph6 has the wrong length",
    ":~~": "258,047",
    "a b c": "is not a graph",
    "\u00e9": "is not a graph",
    "\0": "is not a graph",
}


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: repr(line[:6]))
def test_a_hostile_line_is_named_and_nothing_before_it_is_lost(line: str, command: Command, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f">>graph6<<D~{{\r\n\nDQc\n{line}\nC~", encoding="utf-8")
    printed = command(f"filter {tmp_path / 'list'} --closed", 2)
    assert printed.out == "D~{\n"
    assert f"{tmp_path / 'list'}, line 4: " in printed.err
    assert HOSTILE[line] in printed.err
    printed = command(f"filter {tmp_path / 'list'} --closed --keep-going --threads 2")
    assert printed.out == "D~{\nC~\n"
    assert "3 read: 2 with a closed tour, 1 without, 0 unknown; 1 not graphs" in printed.err
    with pytest.raises(BadInput, match="graph 2: "):
        list(filter_graphs(["D~{", line]))


def test_the_kernel_answers_no_line_that_is_not_a_graph() -> None:
    """Lines of graphs with a byte changed, lost or added: what the kernel answers is read as a graph."""
    chance, answered = random.Random(0), 0
    lines = [b"D~{", b"C~", b"~??D~{", b"G?zTb_", *(graph6_line(random_graph(order, 0.5, 1)) for order in (63, 64))]
    for _ in range(600):
        line, place = bytearray(chance.choice(lines)), chance.randrange(4)
        line[place : place + chance.randrange(2)] = bytes(chance.sample(range(11, 256), chance.choice([0, 1, 1, 2])))
        if Batch.of(bytes(line) + b"\n", closed=True).search().verdicts[0] != LEFT:
            assert graph_of_line(bytes(line)).order >= 3
            answered += 1
    assert answered > 60


def test_reasons_and_the_stream_of_json(command: Command, tmp_path: Path) -> None:
    petersen = "IsP@OkWHG"
    (tmp_path / "list.g6").write_text(f"D~{{\nDQc\n{petersen}\n")
    path = tmp_path / "list.g6"
    assert command(f"filter {path} --closed --none").out == f"DQc\n{petersen}\n"
    first, second = command(f"filter {path} --closed --reasons").out.splitlines()
    assert first == "DQc\tcondition: 1 has fewer than two moves"
    assert second.startswith(f"{petersen}\texhausted: the search over edges tried every possibility: ")
    objects = [json.loads(line) for line in command(f"filter {path} --json-stream").out.splitlines()]
    assert [(found["line"], found["graph"], found["status"]) for found in objects] == [
        (1, "D~{", "tour"),
        (2, "DQc", "tour"),
        (3, petersen, "tour"),
    ]
    assert command(f"filter {path} --closed --json-stream --none", 2).out == ""


def test_skip_goes_on_after_ctrl_c(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "list.g6").write_text("D~{\n" * 1000)
    monkeypatch.setattr(filter_command, "CHUNK", 400)
    take, taken = filter_command._Filtering.take, itertools.count()

    def interrupted(self: Any, batch: Any) -> None:
        if next(taken) == 3:
            raise KeyboardInterrupt
        take(self, batch)

    monkeypatch.setattr(filter_command._Filtering, "take", interrupted)
    printed = command(f"filter {tmp_path / 'list.g6'} --closed", 130)
    assert "Interrupted after 300 lines: --skip 300 goes on there." in printed.err
    assert (
        len(printed.out.split()) + len(command(f"filter {tmp_path / 'list.g6'} --closed --skip 300").out.split())
        == 1000
    )


def test_a_time_limit_leaves_a_graph_unknown(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_stream, "answer_lines", lambda *_: None)
    (tmp_path / "list.g6").write_text("D~{\n")
    monkeypatch.setattr(
        graph_stream, "run", lambda _problem, _auto, limits, *_: Answer.stopped("time", {"s": limits.seconds})
    )
    printed = command(f"filter {tmp_path / 'list.g6'} --closed --time-limit 9", 3)
    assert "line 1 is unknown: Stopped at the time limit" in printed.err
