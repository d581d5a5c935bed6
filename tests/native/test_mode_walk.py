"""The walk over modes of gadgets: its tables against all matchings, its lists against changes that are made, and its
cycles against the edges."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from cpsat_tour import Graph, Limits, StoppedEarly
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run, simplified
from cpsat_tour.core.limits import UNLIMITED
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Longs
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.models.gadgets import GadgetSearch
from cpsat_tour.native.mode_walk import FARTHEST, LACKING, PATIENCE, ModeWalk, new_walk, walk
from cpsat_tour.presolve.gadgets import Gadgets, find_gadgets
from cpsat_tour.spaces.family_graphs import in_out_gadget


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


def begun(count: int, seed: int) -> tuple[Gadgets, ModeWalk]:
    """Return the gadgets of such a graph, and a walk over their modes."""
    (piece,) = simplified(Problem(hexagons(count, seed), closed=True), UNLIMITED).pieces
    gadgets = find_gadgets(piece.cycle)
    assert gadgets is not None
    found = new_walk(gadgets)
    assert found is not None
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


def lacking_at(w: ModeWalk, chosen: Longs) -> int:
    """Return how many ports of these modes lack."""
    mask, ports = np.zeros_like(w.mask), w.modes[chosen].ravel()
    np.bitwise_or.at(mask, w.block[ports], w.bit[ports])
    return int(w.lacking[w.kind, mask].sum())


def test_changes_are_listed_by_what_they_do() -> None:
    _, w = begun(24, 2)
    for seed in range(5):
        walk(w, seed, 300)
        before = lacking_at(w, w.chosen)
        assert w.counters[LACKING] == before
        assert w.sizes.sum() == len(w.home) - len(w.chosen)
        for mode, gadget in enumerate(w.home):
            number, place = w.place[mode]
            if mode == w.chosen[gadget]:
                assert number == -1
            else:
                changed = w.chosen.copy()
                changed[gadget] = mode
                assert w.changes[number, place] == mode
                assert lacking_at(w, changed) - before == number - FARTHEST


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_finds_a_cycle_along_edges(seed: int) -> None:
    gadgets, w = begun(12, seed)
    assert any(walk(w, slice_seed, 10_000) for slice_seed in range(100))
    order = [0]
    for _ in range(gadgets.count):
        order.append(int(w.after[order[-1]]))
    assert (order[-1], len({*order})) == (0, gadgets.count)
    arcs = {(int(a), int(b)) for a, b in gadgets.arcs}
    for one, other in pairwise(order):
        assert (gadgets.modes[w.chosen[one], 1], gadgets.modes[w.chosen[other], 0]) in arcs


def test_a_walk_without_success_begins_anew() -> None:
    _, w = begun(24, 3)
    w.counters[-1] = PATIENCE
    walk(w, 1, 10)
    assert w.counters[-1] == 10


def test_large_blocks_have_no_walk() -> None:
    (piece,) = simplified(Problem(graph_of("gadgets(24,1)"), closed=True), UNLIMITED).pieces
    gadgets = find_gadgets(piece.cycle)
    assert gadgets is not None
    assert new_walk(gadgets) is None


def test_the_backend_walks_where_its_solvers_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_self: GadgetSearch, _conflicts: int) -> None:
        """Stop as at the end of a turn."""
        raise StoppedEarly("work")

    monkeypatch.setattr(GadgetSearch, "cycle", nothing)
    assert run(Problem(hexagons(12, 5), closed=True), load("sat:gadgets"), Limits(seconds=60)).status == "tour"
