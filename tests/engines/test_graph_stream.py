"""Streams of graphs: the kernel and the command `filter`, against nauty, brute force and published counts."""

import itertools
import json
import re
from collections.abc import Iterator
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import dying_worker
import networkx
import pytest
from commands import Command
from nauty import nauty, random_graph

from cpsat_tour import Answer, BadInput, filter_graphs
from cpsat_tour.cli import filter as filter_command
from cpsat_tour.engines import graph_stream, runner
from cpsat_tour.engines.pool import local
from cpsat_tour.formats.graph_lines import graph6_line, graph_of_line

SLOW = pytest.mark.slow
HAMILTONIAN = [1, 0, 1, 3, 8, 48, 383, 6196, 177083]  # A003216, from one vertex on
SECONDS = r'"seconds": [^,]*,'


@pytest.mark.parametrize("order", [*range(3, 8), 8, pytest.param(9, marks=SLOW)])
def test_the_number_of_hamiltonian_graphs_is_the_published_one(order: int, command: Command, tmp_path: Path) -> None:
    (tmp_path / "all.g6").write_text("\n".join(nauty("geng", "-q", str(order))))
    assert len(command(f"filter {tmp_path / 'all.g6'} --closed").out.split()) == HAMILTONIAN[order - 1]


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        *((order, "-cqd3D3") for order in (10, 12, 14, 16)),
        *(pytest.param(n, "-cqD3", marks=SLOW) for n in range(4, 13)),
    ],
)
def test_cubhamg_agrees_on_graphs_of_degree_three(order: int, kind: str, command: Command, tmp_path: Path) -> None:
    lines = "\n".join(nauty("geng", kind, str(order)))
    (tmp_path / "list.g6").write_text(lines)
    found = command(f"filter {tmp_path / 'list.g6'} --closed --none --threads 2").out.split()
    assert found == nauty("cubhamg", given=lines)


@pytest.mark.parametrize(
    ("kind", "order", "number"),
    [
        *(("-cqtfd3", order, number) for order, number in enumerate([1, 0, 0, 1, 0, 1], start=10)),
        *(("-cqtfd3D3", order, number) for order, number in ((10, 1), (12, 0), (14, 0), (16, 0), (18, 2))),
        pytest.param("-cqtfd3", 16, 4, marks=SLOW),
        pytest.param("-cqtfd3D3", 20, 1, marks=SLOW),
    ],
)
def test_as_many_graphs_are_hypohamiltonian_as_published(
    kind: str, order: int, number: int, command: Command, tmp_path: Path
) -> None:
    """A141150 (Aldred, McKay & Wormald 1997): those of up to 17 vertices have no cycles of three or four. The cubic
    ones are Petersen's graph, the two of Blanuša and the flower snark (Goedgebeur & Zamfirescu 2018)."""
    (tmp_path / "all.g6").write_text("\n".join(nauty("geng", kind, str(order))))
    assert len(command(f"filter {tmp_path / 'all.g6'} --hypohamiltonian").out.split()) == number


@pytest.mark.parametrize("left", [False, True], ids=["kernel", "auto"])
def test_properties_of_deleted_vertices(
    left: bool, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Petersen graph, a complete graph, a tree, a directed cycle and a line that is not a graph."""
    if left:
        monkeypatch.setattr(graph_stream, "answer_lines", lambda *_: None)
    lines = [petersen, complete, tree, arcs, _] = ["IsP@OkWHG", "D~{", "DQc", "&BP_", "D~"]
    (tmp_path / "list").write_text("\n".join(lines))
    for asked, found, said in (
        ("hypohamiltonian", [petersen], "1 hypohamiltonian, 3 not"),
        ("k1", [petersen, complete], "2 K1-hamiltonian, 2 not"),
        ("k2", [petersen, complete], "2 K2-hamiltonian, 2 not"),
        ("circumference 9", [petersen], "1 of this circumference, 3 not"),
        ("circumference 3", [arcs], "1 of this circumference, 3 not"),
        ("traceable", [petersen, complete, tree, arcs], "4 with an open tour, 0 without"),
    ):
        printed = command(f"filter {tmp_path / 'list'} --{asked} --keep-going")
        assert printed.out.split() == found
        assert f"4 read: {said}, 0 unknown; 1 not graphs; " in printed.err
        others = command(f"filter {tmp_path / 'list'} --{asked} --keep-going --none").out.split()
        assert others == [line for line in lines[:4] if line not in found]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--closed --traceable", "--closed can't go with --traceable: give one or the other"),
        ("--k1 --circumference 5", "--k1 can't go with --circumference: give one or the other"),
        ("--k2 --reasons", "--reasons works only with --closed and --traceable: leave out --k2"),
        (
            "--circumference 5 --json-stream",
            "--json-stream works only with --closed and --traceable: leave out --circumference",
        ),
        ("--circumference 2", "2 is not in the range x>=3"),
    ],
)
def test_what_can_not_be_asked_together_is_refused(options: str, said: str, command: Command) -> None:
    assert said in command(f"filter {options}", 2).err


def test_lines_are_read_as_they_are_written() -> None:
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


def test_the_nodes_of_a_networkx_graph_come_back() -> None:
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
    "~??": "their number is cut off",
    "~?@!" + 94 * "~": "is not a graph",
    "~>\x7fD~{": "is not a graph",
    "~": "their number is cut off",
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


def interrupt_at_fourth_part(monkeypatch: pytest.MonkeyPatch, stop: BaseException) -> None:
    """Let chunks have 400 bytes, and raise the exception once instead of printing the fourth part."""
    monkeypatch.setattr(filter_command, "CHUNK", 400)
    monkeypatch.setattr(filter_command, "CLUSTER_CHUNK", 400)
    take, taken = filter_command._Filtering.take, itertools.count()

    def interrupted(self: Any, part: Any) -> None:
        if next(taken) == 3:
            raise stop
        take(self, part)

    monkeypatch.setattr(filter_command._Filtering, "take", interrupted)


@pytest.mark.parametrize("end", ["", "\n"])
def test_no_more_lines_are_skipped_than_there_are(end: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "list.g6").write_text(f"D~{{\nD~{{{end}")
    for skip in range(5):
        printed = command(f"filter {tmp_path / 'list.g6'} --skip {skip}", 2 * (skip > 2))
        assert len(printed.out.split()) == max(0, 2 - skip)
        assert (f"list.g6 has 2 lines, and --skip {skip} passes over more" in printed.err) == (skip > 2)


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a cluster of two workers in this process."""
    distributed = pytest.importorskip("distributed", reason="distributed is optional")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_prints_the_same_lines(
    address: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In chunks of a few lines, one of which the kernel leaves, one is not a graph, and some are empty."""
    monkeypatch.setattr(filter_command, "CLUSTER_CHUNK", 16)
    lines = ["D~{", "DQc", "IsP@OkWHG", "", "&BP_", "~", "C~", *["DQc"] * 30]
    (tmp_path / "list.g6").write_text("\n".join(lines))
    for options in ("--none --closed", "--reasons --closed --skip 1", "--json-stream"):
        call = f"filter {tmp_path / 'list.g6'} --keep-going {options}"
        alone, on_cluster = command(call), command(f"{call} --cluster {address}")
        assert re.sub(SECONDS, "", on_cluster.out) == re.sub(SECONDS, "", alone.out) != ""
        assert on_cluster.err.rpartition("; ")[0] == alone.err.rpartition("; ")[0]
    printed = command(f"filter {tmp_path / 'list.g6'} --closed --cluster {address}", 2)
    assert printed.out.split() == ["D~{", "&BP_"]
    assert "list.g6, line 6: " in printed.err


@pytest.mark.parametrize(
    ("stop", "status", "said", "on_cluster"),
    [
        (KeyboardInterrupt(), 130, "Interrupted", False),
        (KeyboardInterrupt(), 130, "Interrupted", True),
        (CancelledError(), 3, "Stopped early: the cluster lost its workers", True),
    ],
    ids=["Ctrl-C", "Ctrl-C on a cluster", "loss"],
)
def test_skip_goes_on_after_a_break(
    stop: BaseException,
    status: int,
    said: str,
    on_cluster: bool,
    request: pytest.FixtureRequest,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "list.g6").write_text("D~{\n" * 1000)
    interrupt_at_fourth_part(monkeypatch, stop)
    cluster = f" --cluster {request.getfixturevalue('address')}" if on_cluster else ""
    call = f"filter {tmp_path / 'list.g6'} --closed{cluster}"
    printed = command(call, status)
    assert f"{said} after 300 lines: --skip 300 goes on there." in printed.err
    assert len((printed.out + command(f"{call} --skip 300").out).split()) == 1000


def test_a_chunk_whose_worker_is_killed_is_asked_again(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")
    lines = [graph6_line(random_graph(10, 0.3, seed)).decode() for seed in range(40)]
    (tmp_path / "list.g6").write_text("\n".join(lines))
    alone = command(f"filter {tmp_path / 'list.g6'} --json-stream").out
    monkeypatch.setattr(filter_command, "CLUSTER_CHUNK", 50)
    monkeypatch.setattr(filter_command, "_answer_chunk", partial(dying_worker.answer_chunk, str(tmp_path), lines[20]))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        call = f"filter {tmp_path / 'list.g6'} --json-stream --cluster {cluster.scheduler_address}"
        assert command(call).out == alone
    assert (tmp_path / "died").exists()


def test_answers_keep_the_order_of_jobs_and_few_are_ahead() -> None:
    last, begun = Event(), []

    def work(job: int) -> int:
        begun.append(job)
        assert last.wait(300) if job == 0 else job < 4 or last.is_set()
        if job == 3:
            last.set()
        return job

    with local(2) as pool:
        assert [*pool.in_order(work, range(40), 4)] == [*range(40)]
    assert sorted(begun) == [*range(40)]


def test_a_time_limit_leaves_a_graph_unknown(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_stream, "answer_lines", lambda *_: None)
    (tmp_path / "list.g6").write_text("D~{\n")
    monkeypatch.setattr(
        runner, "run", lambda _problem, _auto, limits, *_: Answer.stopped("time", {"s": limits.seconds})
    )
    printed = command(f"filter {tmp_path / 'list.g6'} --closed --time-limit 9", 3)
    assert "line 1 is unknown: Stopped at the time limit" in printed.err
    printed = command(f"filter {tmp_path / 'list.g6'} --k1 --time-limit 9", 3)
    assert "line 1 is unknown: Stopped at the time limit" in printed.err
    assert "1 read: 0 K1-hamiltonian, 0 not, 1 unknown" in printed.err
