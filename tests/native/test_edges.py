"""The edge search: published counts, its invariant, limits; and the cubes that split a search: by threads, by a
cluster, and with a record that a later run resumes."""

from __future__ import annotations

import os
import random
import signal
import socket
from contextlib import suppress
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from brute_force import brute_force, cycle_problems
from commands import Command

from cpsat_tour import BadInput, Board, Graph, Limits, Problem, StoppedEarly
from cpsat_tour.backends import cubes as counting
from cpsat_tour.backends.cubes import CubeCount, CubeWorkers, OneCube, thread_workers
from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.display import ProgressLine
from cpsat_tour.compare.schedule import cluster
from cpsat_tour.core.answer import Clock
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.formats.growing import CubeRecord
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.native import edges
from cpsat_tour.native.edge_kernel import DROPPED, TAKEN, TOOK, search
from cpsat_tour.native.edge_state import finished, new_edge_state
from cpsat_tour.native.edges import Edges, cubes_of
from cpsat_tour.spaces.symmetry import TourClasses


def schwenk(n: int) -> int:
    """How many Hamiltonian cycles GP(n,2) has, by Schwenk 1989."""
    if n % 6 in (1, 3, 5):
        return {1: n, 3: 3, 5: 0}[n % 6]
    lucas = [2, 1]
    while len(lucas) <= n // 2:
        lucas.append(lucas[-1] + lucas[-2])
    return 2 * (lucas[n // 2] - 1) + (n if n % 6 == 4 else 0)


@pytest.mark.parametrize(
    ("graph", "cycles"),
    [
        *((f"GP({n},2)", schwenk(n)) for n in range(5, 31)),
        *(("Q(2)", 1), ("Q(3)", 6), ("Q(4)", 1344), ("J(5)", 0), ("Coxeter", 0), ("Petersen", 0)),
    ],
)
def test_cubic_graphs_and_hypercubes_have_as_many_cycles_as_published(graph: str, cycles: int) -> None:
    assert len(list_tours(Problem(graph_of(graph), True), Edges())) == cycles


def test_an_edge_decided_against_the_rules_ends_the_search() -> None:
    """Where two edges are left both must be taken, so that dropping one of them leaves nothing."""
    cycle = to_cycle(Problem(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]), closed=True))
    for flags, state_of_edge in ((np.uint32(0), DROPPED), (TOOK, TAKEN)):
        state, tours = (
            new_edge_state(cycle, decided=np.array([flags], dtype=np.uint32)),
            np.empty((2, 4), dtype=np.uint32),
        )
        assert search(state, tours, 100)[0] == (1 if state_of_edge == TAKEN else 0)
        assert finished(state)


def test_a_limit_on_work_is_kept_to_the_branching() -> None:
    listing = Listing(Problem(Board(6, 6).graph, closed=True), Edges(), Limits(work=500))
    with pytest.raises(StoppedEarly, match="work"):
        for _ in listing:
            pass
    assert 0 < listing.count < 9862


CLOSED_6X6 = Problem(Board(6).graph, closed=True)
OPEN_5X5 = Problem(Board(5).graph, closed=False)


@pytest.fixture(autouse=True)
def few_cubes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts in fifty cubes, not a thousand, for the sake of speed."""
    monkeypatch.setattr(counting, "CUBES", 50)


def list_tours(problem: Problem, backend: Backend, number: int | None = None) -> Ints:
    """The tours of a list, in its order."""
    batches = Listing(problem, backend, Limits(threads=number, simplify=False))
    return np.concatenate([np.zeros((0, problem.graph.order), dtype=np.int32), *(batch.tours for batch in batches)])


def test_the_cubes_share_out_the_tours() -> None:
    """Put together in their order, the cubes' tours are the list of one search, whatever their number."""
    assert cubes_of(to_cycle(Problem(Board(4, 5).graph, closed=True)), 1000) == []
    for problem in cycle_problems(150):
        whole = list_tours(problem, Edges())
        for least in (1, 3, 20):
            split = cubes_of(to_cycle(problem), least)
            assert len(split) >= min(least, len(whole)), problem
            found = [list_tours(problem, OneCube(cube)) for cube in split]
            assert np.concatenate([whole[:0], *found]).tolist() == whole.tolist(), problem


@pytest.mark.parametrize("problem", [CLOSED_6X6, OPEN_5X5, Problem(Board(4, 5).graph, closed=True)])
def test_threads_list_what_one_search_lists_in_its_order(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "BATCH", 16)
    monkeypatch.setattr(edges, "AHEAD_BYTES", 1)
    assert list_tours(problem, Edges(), 3).tolist() == list_tours(problem, Edges()).tolist()


def test_a_list_by_threads_may_be_left_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "BATCH", 16)
    monkeypatch.setattr(edges, "AHEAD_BYTES", 1)
    listing = Listing(CLOSED_6X6, Edges(), Limits(threads=2), most=100)
    assert sum(len(batch.tours) for batch in listing) == 100
    with pytest.raises(StoppedEarly, match="time"):
        CubeCount(CLOSED_6X6, heartbeat=Clock(0).check)
    with pytest.raises(StoppedEarly, match="time"):
        list(Listing(CLOSED_6X6, Edges(), Limits(threads=2, seconds=0)))


def finish_count(count: CubeCount, record: CubeRecord | None = None) -> int:
    """Do all cubes by two threads; return the number of tours."""
    with thread_workers(2) as hands:
        count.count_cubes(hands, Clock(None), record)
    assert count.unfinished == []
    return count.number


@pytest.mark.parametrize(
    "problem",
    [
        CLOSED_6X6,
        OPEN_5X5,
        Problem(Board(3, 7).graph, closed=False),
        Problem(Board(5, 6, holes=["a1", "f5"]).graph, closed=True),
        Problem(graph_of("GP(5,2)").subgraph(np.arange(9, dtype=np.int32)), closed=False),
    ],
)
def test_tours_and_classes_are_as_many_as_a_list_has(problem: Problem) -> None:
    tours, classes = list_tours(problem, Edges()), TourClasses(problem)
    classes.are_new(tours)
    assert finish_count(CubeCount(problem)) == len(tours)
    assert finish_count(CubeCount(problem, distinct=True)) == len(classes)


def test_directed_graphs_and_tiny_ones_are_counted_in_cubes() -> None:
    chosen = random.Random(3)
    arcs = [arc for arc in permutations(range(8), 2) if chosen.random() < 0.8]
    graphs = [Graph.from_edges(order, list(combinations(range(order), 2))) for order in (1, 2, 3, 4)]
    graphs.append(Graph.from_edges(8, arcs, directed=True))
    for graph, closed in product(graphs, (False, True)):
        require, forbid = ((arcs[0],), (arcs[5],)) if graph.directed else ((), ())
        problem = Problem(graph, closed, require=require, forbid=forbid)
        assert finish_count(CubeCount(problem)) == len(brute_force(problem)), problem


def count_until_interrupted(path: Path, cubes: int) -> int:
    """Count with a record until so many cubes are done; return the number of tours by then."""
    count = CubeCount(OPEN_5X5)

    def interrupt(_: Event) -> None:
        if len(count.counts) >= cubes:
            raise KeyboardInterrupt

    with CubeRecord(path, count.header()) as record, thread_workers(2) as hands:
        count.counts |= record.counts
        with pytest.raises(KeyboardInterrupt):
            count.count_cubes(hands, Clock(None), record, interrupt)
    return count.number


def resume_record(path: Path) -> tuple[int, int]:
    """Resume the record; return its number of tours, and the number in the end."""
    count = CubeCount(OPEN_5X5)
    with CubeRecord(path, count.header()) as record:
        count.counts |= record.counts
        return count.number, finish_count(count, record)


def test_what_is_recorded_is_not_worked_again(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "tours.jsonl"
    by_then, later = count_until_interrupted(path, 10), count_until_interrupted(path, 25)
    assert 0 < by_then < later < 864
    assert resume_record(path) == (later, 864)
    out, err = command(f"tours 5x5 --all --threads 2 --resume {path}")
    assert out == "864\n"
    assert "of them before" in err


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    def interrupt(_line: ProgressLine, event: Progress) -> None:
        if event.work["cubes"] > 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    call = f"tours 6x6 --closed --all --threads 2 --resume {tmp_path / 'tours.jsonl'}"
    assert "Go on with --resume" in command(call, 130).err


def test_a_last_line_that_is_half_written_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "tours.jsonl"
    count_until_interrupted(path, 5)
    whole = path.read_bytes()
    without_last = whole[: whole.rindex(b"\n", 0, -1) + 1]
    for end in (0, 1, 40, whole.index(b"\n"), len(without_last), len(without_last) + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        known, number = resume_record(path)
        assert known == sum(
            int(line.split(b": ")[-1][:-1]) for line in without_last.splitlines()[1:] if end >= len(without_last)
        )
        assert number == 864
        assert resume_record(path) == (864, 864), "the half of a line is still there"


def test_a_file_that_is_not_the_record_of_this_count_is_left_as_it_is(tmp_path: Path) -> None:
    path, header = tmp_path / "tours.jsonl", CubeCount(OPEN_5X5).header()
    count_until_interrupted(path, 5)
    whole = path.read_bytes()
    for content, asked, words in (
        (whole, CubeCount(CLOSED_6X6).header(), "record of another count"),
        (whole, CubeCount(OPEN_5X5, distinct=True).header(), "record of another count"),
        (b"my notes\n", header, "not a record of tours"),
        (whole + b"my notes\n{", header, r"line \d+: this is not a cube"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=words):
            CubeRecord(path, asked)
        assert path.read_bytes() == content
    path.write_bytes(whole)
    with CubeRecord(path, header), pytest.raises(BadInput, match="being written by another run"):
        CubeRecord(path, header)


@pytest.mark.slow
def test_a_cluster_counts_right_though_a_worker_is_killed(command: Command) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")
    count = CubeCount(CLOSED_6X6)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as own:
        with distributed.Client(own) as client:
            victim = min(client.run(os.getpid).values())
        killed: list[int] = []

        def killing(_: Event) -> None:
            if len(count.counts) > 5 and not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        with cluster(own.scheduler_address) as workers:
            count.count_cubes(CubeWorkers(workers.executor, workers.number), Clock(None), None, killing)
    assert killed
    assert (count.number, count.unfinished) == (9862, [])
    assert command("count 5x6 --closed --cluster local:2").out == "8\n"


def test_a_cluster_that_cannot_be_started_is_one_sentence(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is optional")

    def no_more_processes(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", no_more_processes)
    err = command("tours 6x6 --closed --all --cluster local:2", 2).err
    assert err == "cpsat-tour: a cluster of 2 processes can't be started: Nanny failed to start.\n"


@pytest.mark.filterwarnings("error:Port")
def test_clusters_may_run_beside_each_other() -> None:
    """The port that their pages have by default is taken, which the library would warn of."""
    pytest.importorskip("distributed", reason="distributed is optional")
    with socket.socket() as taken:
        with suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with cluster(None) as workers:
            assert workers.number == 1
