"""The walk over modes of gadgets: its tables against all matchings, what it keeps against the modes it stands at, and
the backend whose solvers it helps."""

import random
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest
from commands import needed

from cpsat_tour import Graph, Limits, Problem, StoppedEarly, graph_of, load
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import UNLIMITED, Run
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.engines.auto import largest_piece
from cpsat_tour.engines.runner import run
from cpsat_tour.models.drivers import gadgets
from cpsat_tour.models.drivers.gadgets import (
    MOST,
    WINDOWS,
    GadgetSearch,
    ModeWalk,
    WalkSearch,
    Windows,
    at_cover,
    begin,
    modes_fault,
    new_walk,
    walk,
)
from cpsat_tour.models.drivers.sat import SatSolver
from cpsat_tour.models.gadgets import one_mode_of_each_gadget_and_its_edges
from cpsat_tour.presolve.gadgets import Gadgets, find_gadgets
from cpsat_tour.spaces.families import in_out_gadget


def hexagons(count: int, seed: int) -> Graph:
    """Return gadgets whose exits and entries are joined by hexagons, as in peals of bells, around a hidden cycle; a
    cycle that enters a gadget at port i leaves it at port i + 2. Even gadgets lead to odd ones, and these to even ones;
    the number is a multiple of 6."""
    rng = random.Random(seed)
    ways = [rng.randrange(4) for _ in range(count)]
    edges = {edge for gadget in range(count) for edge in in_out_gadget(21 * gadget)}
    for side in (0, 1):
        passed = [
            ((one, (ways[one] + 2) % 4), ((one + 1) % count, ways[(one + 1) % count])) for one in range(side, count, 2)
        ]
        exits, entries = (
            {(gadget, port) for gadget in range(first, count, 2) for port in range(4)} for first in (side, 1 - side)
        )
        left, entered = zip(*passed, strict=True)
        others = (rng.sample(each, len(each)) for each in (sorted(exits - {*left}), sorted(entries - {*entered})))
        pairs = [*passed, *zip(*others, strict=True)]
        rng.shuffle(pairs)
        for first in range(0, len(pairs), 3):
            for number, step in ((number, step) for number in range(3) for step in (0, 1)):
                (one, leave), (other, enter) = pairs[first + number][0], pairs[first + (number + step) % 3][1]
                edges.add((21 * one + 3 * leave + 2, 21 * other + 3 * enter))
    return Graph.from_edges(21 * count, sorted(edges))


def gadgets_of(graph: Graph) -> Gadgets:
    """Return the gadgets of a graph that is one piece."""
    gadgets = find_gadgets(to_cycle(largest_piece(Problem(graph, closed=True), UNLIMITED)))
    assert gadgets is not None
    return gadgets


def begun(count: int, seed: int) -> tuple[Gadgets, ModeWalk]:
    """Return the gadgets of such a graph, and a walk over their modes."""
    gadgets = gadgets_of(hexagons(count, seed))
    found = needed(new_walk(gadgets))
    begin(found, seed)
    return gadgets, found


def test_a_table_has_how_many_ports_no_matching_covers() -> None:
    gadgets, w = begun(24, 1)
    port_at = {(int(block), int(bit)): port for port, (block, bit) in enumerate(zip(w.block, w.bit, strict=True))}
    names = np.unique(gadgets.modes)
    arcs = {(int(a), int(b)) for a, b in gadgets.arcs}
    for block in range(len(w.mask)):
        ports = [names[port_at[block, 1 << bit]] for bit in range(8) if (block, 1 << bit) in port_at]

        def most(left: tuple[int, ...]) -> int:
            """Return the most of these ports that disjoint edges cover."""
            if not left:
                return 0
            one, *others = left
            joined = (other for other in others if {(one, other), (other, one)} & arcs)
            return max([most(tuple(others)), *(2 + most(tuple(p for p in others if p != other)) for other in joined)])

        for mask in range(1 << len(ports)):
            chosen = tuple(int(port) for bit, port in enumerate(ports) if mask >> bit & 1)
            assert w.lacking[w.kind[block], mask] == len(chosen) - most(chosen)


@pytest.mark.usefixtures("kernels_in_guards")
def test_what_a_walk_keeps_is_what_its_modes_make() -> None:
    together = 0
    for seed in range(5):
        _, w = begun(24, seed)
        together += int(np.count_nonzero(~w.apart))
        for step in range(20):
            drawn = walk(w, step)
            assert modes_fault(w) == 0
            assert (w.home[w.chosen] == np.arange(24)).all()
            chosen = {int(port) for port in w.modes[w.chosen].ravel()}
            mask = [sum(int(w.bit[p]) for p in chosen if w.block[p] == block) for block in range(len(w.mask))]
            assert w.mask.tolist() == mask
            lack = [int(w.lacking[kind, each]) for kind, each in zip(w.kind, mask, strict=True)]
            for port, (block, bit) in enumerate(zip(w.block, w.bit, strict=True)):
                assert w.more[port] == w.lacking[w.kind[block], mask[block] ^ bit] - lack[block]
            assert at_cover(w) == (sum(lack) == 0) == (drawn < MOST)
    assert together  # gadgets with two ports at one block are weighed by another way


def test_a_walk_comes_to_covers_and_stays_there() -> None:
    _, w = begun(12, 1)
    assert any(walk(w, seed) < MOST for seed in range(300))
    assert at_cover(w)
    assert walk(w, 1) == 0


def test_the_seed_decides_a_walk() -> None:
    """Whatever was drawn before."""
    ends = list[list[int]]()
    for seed in (1, 2, 1):
        _, w = begun(24, 1)
        ends.append([walk(w, seed), *w.chosen.tolist()])
    assert ends[0] == ends[2] != ends[1]


def test_large_blocks_have_no_walk() -> None:
    assert new_walk(gadgets_of(graph_of("gadgets(24,1)"))) is None


@pytest.fixture
def searched() -> Iterator[tuple[Gadgets, ModeWalk, GadgetSearch, Windows]]:
    """Gadgets, a walk on them, a search for all cycles, and windows in which it searches."""
    gadgets, w = begun(24, 1)
    limits = Limits(seconds=60)
    cycle = to_cycle(largest_piece(Problem(hexagons(24, 1), closed=True), UNLIMITED))
    under_way = Run(limits, limits.clock(), cycle=cycle)
    under_way.work = {"conflicts": 0, "cut_sets": 0}
    untied = np.arange(len(gadgets.edges) + len(gadgets.modes), dtype=np.int32)
    with SatSolver("cadical195", under_way) as solver:
        search = GadgetSearch(gadgets, untied, [np.arange(24, dtype=np.int32)], solver, under_way)
        solver.add_each(one_mode_of_each_gadget_and_its_edges(gadgets, search.mode, search.edge))
        yield gadgets, w, search, Windows(gadgets, lambda: nullcontext(search), under_way)


Searched = tuple[Gadgets, ModeWalk, GadgetSearch, Windows]


def test_the_walk_begins_anew_after_each_cover(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows are searched at covers alone."""
    _, w, search, near = searched
    seen = list[tuple[int, ...]]()

    def nothing(modes: Longs) -> None:
        """Note a cover, in which windows have none other."""
        assert at_cover(w)
        seen.append(tuple(modes.tolist()))

    monkeypatch.setattr(near, "cycle", nothing)
    walking = WalkSearch(w, near, search.run)
    for _ in range(2):
        with pytest.raises(StoppedEarly):
            walking.cycle(30_000)
    assert len({*seen}) > 1


@pytest.mark.parametrize("cycles", [2, 3])
@pytest.mark.parametrize("refuted", [True, False])
def test_windows_are_searched_until_too_many_fail(
    searched: Searched, cycles: int, refuted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a row: the one with another cover is not the last."""
    _, w, inside, near = searched
    asked = list[tuple[list[int], set[int]]]()

    def note(_search: GadgetSearch, modes: Longs, window: set[int]) -> bool:
        """Note a window: the first one, which has no gadget, has a cover, and so has the eleventh."""
        asked.append((modes.tolist(), window))
        if refuted or len(asked) in (1, 11):
            return len(asked) in (1, 11)
        raise StoppedEarly("work")

    monkeypatch.setattr(near, "_covers", note)
    monkeypatch.setattr(inside, "read_model", lambda: (w.first[:-1], [np.arange(12)] * cycles))
    assert near.cycle(w.chosen) is None
    (pattern, first), *others = asked
    assert (pattern, first) == (w.chosen.tolist(), set())
    assert all(modes == w.first[:-1].tolist() for modes, _ in others)
    assert {len(window) for _, window in others} == {18}  # three quarters of the gadgets
    assert len({*map(frozenset, (window for _, window in others))}) > 5
    assert len(others) == 10 + WINDOWS * (1 if cycles == 2 else 4)


def test_windows_come_from_covers_to_cycles(searched: Searched) -> None:
    gadgets, w, _, near = searched
    found = 0
    for seed in range(40):
        begin(w, seed)
        if walk(w, seed) < MOST and (cycle := near.cycle(w.chosen)) is not None:
            found += 1
            assert sorted(cycle.tolist()) == list(range(len(gadgets.gadget)))
    assert found


def test_the_modes_outside_a_window_are_kept(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gadgets, "CONFLICTS", 10_000)
    _, _, inside, near = searched
    assert inside.solver.solve()
    modes, _ = inside.read_model()
    covered = 0
    for gadget in range(24):
        if near._covers(inside, modes, {*range(24)} - {gadget}):
            covered += 1
            assert inside.read_model()[0][gadget] == modes[gadget]
    assert covered


@pytest.mark.parametrize("seed", range(3))
def test_the_backend_walks_where_its_solvers_find_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_self: GadgetSearch, _conflicts: int) -> None:
        """Stop as at the end of a turn."""
        raise StoppedEarly("work")

    monkeypatch.setattr(GadgetSearch, "cycle", nothing)
    assert run(Problem(hexagons(12, seed), closed=True), load("sat:gadgets"), Limits(seconds=60)).status == "tour"


def test_there_is_no_walk_where_a_solver_comes_to_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, search = list[int](), GadgetSearch.cycle

    def late(self: GadgetSearch, conflicts: int) -> Ints | None:
        """Come to a cover, to a cycle in the tenth turn."""
        turns.append(conflicts)
        self.covered = True
        if len(turns) < 10:
            raise StoppedEarly("work")
        return search(self, 1 << 30)

    monkeypatch.setattr(GadgetSearch, "cycle", late)
    monkeypatch.setattr(gadgets, "new_walk", lambda _: pytest.fail("a walk begins"))
    assert run(Problem(hexagons(12, 1), closed=True), load("sat:gadgets"), Limits(seconds=60)).status == "tour"
    assert len(turns) == 10
