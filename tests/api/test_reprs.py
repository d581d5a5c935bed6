"""What the prompt shows of every object that the functions return: one short line each."""

import re
from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import pytest

import cpsat_tour
from cpsat_tour import Answer, Board, Box, Graph, Limits, Problem, Wrapped, load, problem_of, prove, solve
from cpsat_tour.core import runs
from cpsat_tour.core.runs import (
    Backtrack,
    Candidate,
    CutSetAdded,
    LogLine,
    MoveRefused,
    NoTour,
    PartAtWork,
    PartOut,
    ProblemSimplified,
    Progress,
    SearchBegun,
    SearchStopped,
    Spent,
    Step,
    TourFound,
    TwoFactorFound,
)

LARGE = Board(100, 100)
RING = Graph.from_edges(3000, [(v, (v + 1) % 3000) for v in range(3000)])

EVALUABLE = [
    Board(8, 8),
    Board(8, 8, holes=["a1", "b2"], leaper=(1, 4)),
    Board(4, 5, leaper="king"),
    Board(9, 9, leaper=[(0, 3), (2, 2)]),
    Box(4, 4, 3),
    Wrapped("torus", 5),
    Limits(2.5, seed=1),
]

EVENTS = [
    Progress({"conflicts": 12_345, "restarts": 10}, 0.5),
    ProblemSimplified(30, 40, 2, 64),
    TwoFactorFound(2, (tuple(range(5000)), tuple(range(5000, 10_000)))),
    CutSetAdded(5000, tuple(range(5000))),
    LogLine("#1 0.01s best:inf"),
    Spent(0.25, "solve"),
    PartAtWork("sat"),
    PartOut("edges", "it met its limit: work"),
    SearchBegun(0, False),
    Step(17, 1, (Candidate(0, 2, (2, 10)),)),
    Candidate(0, 2, (2, 10)),
    MoveRefused(0, 2, "degree"),
    Backtrack(0, 2, 17, "stuck", ()),
    TourFound(tuple(range(10_000)), 10_000),
    NoTour("exhausted", "the search tried every possibility", 10_000),
    SearchStopped("time", 10_000),
]


def test_the_reprs_of_all_objects_are_one_line(golden: Callable[[str], None], tmp_path: Path) -> None:
    named = Graph.from_networkx(networkx.cycle_graph([object() for _ in range(3000)]))
    certificate, compared = prove("4x6", closed=True), cpsat_tour.compare_backends("5x6", "edges", closed=True)
    assert isinstance(certificate, cpsat_tour.Certificate)
    certificate.write(tmp_path / "proof")
    (tmp_path / "proof" / "proof.pbp").write_text("pseudo-Boolean proof version 3.0\n")
    paths = cpsat_tour.fewest_paths("4x4")
    things = [
        *EVALUABLE,
        LARGE,
        Board(100, 100, holes=range(50)),
        LARGE.graph,
        RING,
        RING.space,
        named,
        named.space,
        named.subgraph(np.arange(5, dtype=np.int32)).space,
        problem_of("8x8", symmetry="rot180", closed=True),
        Problem(LARGE.graph, closed=True, forbid=tuple(LARGE.graph.pairs()[:500])),
        solve(LARGE, backend="dfs"),
        solve(LARGE, backend="dfs").tour,
        solve(named, closed=True).tour,
        solve("4x100", closed=True),
        Answer.stopped("time"),
        paths,
        paths.routes,
        cpsat_tour.longest_path("8x8", optional=[]),
        cpsat_tour.best("5x6", closed=True, minimize="turns"),
        cpsat_tour.best("4x4", minimize="turns"),
        cpsat_tour.best("6x6", closed=True, minimize="turns", hint=solve("6x6", closed=True).tour, seconds=0),
        cpsat_tour.estimate("8x8", samples=5000),
        cpsat_tour.decompose("torus:5x5"),
        cpsat_tour.decompose("8x8"),
        cpsat_tour.decompose("torus:30x30", seconds=0),
        cpsat_tour.puzzle("5x6", closed=True, seed=3),
        certificate,
        prove("6x6", closed=True),
        certificate.check(),
        cpsat_tour.check(tmp_path / "proof"),
        compared,
        compared.runs[0],
        load("sat"),
        cpsat_tour.NotATour("it has 2 cycles"),
        *EVENTS,
    ]
    lines = [re.sub(r"in \S+ s>", "in ? s>", repr(thing)) for thing in things]
    assert [line for line in lines if len(line) > 105 or "\n" in line or " at 0x" in line] == []
    golden("".join(f"{line}\n" for line in lines))


def test_every_event_is_among_them() -> None:
    names = {name for name, kind in vars(runs).items() if isinstance(kind, type) and kind.__module__ == runs.__name__}
    assert names - {type(event).__name__ for event in EVENTS} == {"Limits", "Clock", "Watch", "Run"}


@pytest.mark.parametrize("thing", EVALUABLE, ids=repr)
def test_spaces_and_limits_show_the_call_that_makes_them(thing: object) -> None:
    assert eval(repr(thing)) == thing
