"""States as numbers: packed and unpacked without loss wherever they fit, in tables, joined from parts and from sides,
each against sets and pairs of places."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from guarded import guarded

from cpsat_tour.core.limits import Clock
from cpsat_tour.frontier.meeting import index_back, join_sides
from cpsat_tour.frontier.packed_states import (
    EMPTY,
    LOST,
    MOST_IN_SEARCH,
    MOST_PATHS,
    MOST_PLACES,
    Words,
    fits,
    pack,
    pack_without,
    unpack,
)
from cpsat_tour.frontier.search_kernel import PartJoin, join_parts
from cpsat_tour.frontier.sweep_kernel import compact, merge_rows

Pairs = list[tuple[int, int]]


def bits(places: list[int]) -> np.uint64:
    """The places as a set."""
    return np.uint64(sum(1 << place for place in places))


def packed(done: list[int], pairs: Pairs, width: int, gone: int | None = None) -> np.uint64:
    """The state with these places done and these paths, packed; without the place that is gone."""
    mate = np.zeros(64, dtype=np.uint64)
    for one, other in pairs:
        mate[one], mate[other] = other, one
    sets = bits(done), bits([min(pair) for pair in pairs]), bits([max(pair) for pair in pairs])
    if gone is not None:
        return np.uint64(pack_without(*sets, mate, np.uint64(width), np.uint64(gone)))
    return np.uint64(pack(*sets, mate, np.uint64(width)))


def drawn(chance: random.Random, places: list[int], paths: int) -> tuple[list[int], Pairs]:
    """Places that are done, and paths between others."""
    ends = chance.sample(places, 2 * paths)
    done = [place for place in places if place not in ends and chance.random() < 0.5]
    return done, [*zip(ends[::2], ends[1::2], strict=True)]


def nested(paths: int, width: int) -> Pairs:
    """Paths that all open before any closes, each closing end that of the last one: none has a greater rank."""
    return [(place, width - 1 - place) for place in range(paths)]


@pytest.mark.parametrize("width", range(1, MOST_IN_SEARCH + 1))
def test_a_state_that_fits_is_packed_without_loss(width: int) -> None:
    chance = random.Random(width)
    for paths in range(width // 2 + 1):
        if not fits(bits([*range(paths)]), np.uint64(width)):
            assert width > MOST_PLACES
            assert paths > MOST_PATHS
            continue
        for done, pairs in [([], nested(paths, width)), *(drawn(chance, [*range(width)], paths) for _ in range(40))]:
            state = packed(done, pairs, width)
            assert state < LOST < EMPTY
            mate = np.zeros(width, dtype=np.uint64)
            with guarded((mate,)) as (guarded_mate,):
                found = unpack(state, np.uint64(width), guarded_mate)
            ends = [bits(list(map(end, pairs))) for end in (min, max)]
            assert [*map(int, found)] == [int(bits(done)), *map(int, ends)]
            assert all(mate[one] == other and mate[other] == one for one, other in pairs)
            for gone in done[:2]:
                moved = [place - (place > gone) for place in done if place != gone]
                still = [(one - (one > gone), other - (other > gone)) for one, other in pairs]
                assert packed(done, pairs, width, gone) == packed(moved, still, width - 1)


@pytest.mark.parametrize("limbs", [1, 2])
@pytest.mark.parametrize("room", [1, 4, 7])
def test_rows_are_merged_until_as_many_are_in_use_as_may_be(room: int, limbs: int) -> None:
    """Also into a table with one row left, in which places are looked for from the end on to the beginning."""
    for seed in range(20):
        chance = random.Random(seed)
        states = [chance.getrandbits(60) for _ in range(10)]
        buffer = np.array([[chance.choice(states), *[2**63 + 5] * limbs] for _ in range(30)], dtype=np.uint64)
        if limbs == 1:
            buffer[:, 1] = 3
        table = np.full((8, 1 + limbs), EMPTY, dtype=np.uint64)
        with guarded((buffer, table)) as (rows, guarded_table):
            read, used = merge_rows(rows, 0, guarded_table, 0, room)
        sums = Counter[int]()
        for row in buffer[:read].tolist():
            sums[row[0]] += sum(limb << 64 * number for number, limb in enumerate(row[1:]))
        assert used == len(sums) == min(room, len({*buffer[:, 0].tolist()}))
        assert read == len(buffer) or buffer[read, 0] not in sums
        assert compact(table) == used
        got = {row[0]: sum(limb << 64 * number for number, limb in enumerate(row[1:])) for row in table[:used].tolist()}
        assert got == {state: number % (1 << 64 * limbs) for state, number in sums.items()}


@pytest.mark.parametrize("rows", [5, 9, 25])
@pytest.mark.parametrize("paths", [3, 4, 5])
def test_paths_of_two_parts_are_lost_only_where_they_do_not_fit(paths: int, rows: int) -> None:
    """Twice twelve places, of which none is in both parts; with room for one left state at a time, or for all."""
    width, none = MOST_IN_SEARCH // 2, np.empty((0, 3), dtype=np.uint64)
    join = PartJoin(
        left=np.uint64(width),
        right=np.uint64(width),
        joint=np.uint64(2 * width),
        number=np.arange(width, 2 * width, dtype=np.uint64),
        free=np.uint64(0),
        last=False,
        tight=none,
        needy=np.zeros(2, dtype=np.uint64),
    )
    chance = random.Random(paths)
    left, right = ([drawn(chance, [*range(width)], paths) for _ in range(5)] for _ in range(2))
    tables = [np.array([packed(done, pairs, width) for done, pairs in part]) for part in (left, right)]
    fresh, ways, begin = list[int](), list[int](), 0
    while begin < 5:
        room = np.empty(rows, dtype=np.uint64), np.empty(rows, dtype=np.int64)
        with guarded((*tables, *room)) as (lefts, rights, *guarded_room):
            begin, written = join_parts(join, lefts, np.arange(5), rights, begin, 5, *guarded_room)
        fresh += room[0][:written].tolist()
        ways += room[1][:written].tolist()
    for (one, other), state, way in zip(product(range(5), repeat=2), fresh, ways, strict=True):
        done = [*left[one][0], *(place + width for place in right[other][0])]
        pairs = [*left[one][1], *((tail + width, head + width) for tail, head in right[other][1])]
        assert state == (LOST if 2 * paths > MOST_PATHS else packed(done, pairs, 2 * width))
        assert way == 5 * one + other


@pytest.mark.parametrize("limbs", [1, 2, 3])
@pytest.mark.parametrize(("width", "paths"), [(4, 2), (7, 3), (MOST_PLACES, 3), (MOST_PLACES, 10)])
def test_sides_that_meet_are_multiplied_wherever_they_make_one_cycle(width: int, paths: int, limbs: int) -> None:
    """Numbers of some limbs, of sides whose places stand in different orders."""
    chance = random.Random(width + paths)
    places, there = [*range(width)], chance.sample(range(width), width)
    ends = sorted(chance.sample(places, 2 * paths))
    done = [place for place in places if place not in ends and chance.random() < 0.5]
    untouched = [place for place in places if place not in ends and place not in done]
    numbers, sides = list[list[int]](), list[list[Pairs]]()
    tables: list[Words] = []
    for side, (taken, seat) in enumerate(((done, places), (untouched, [there.index(place) for place in places]))):
        pairings = [
            [*zip(each[::2], each[1::2], strict=True)] for each in (chance.sample(ends, 2 * paths) for _ in range(9))
        ]
        pairings += sides[0][:1] if side else []
        counts = [chance.getrandbits(64 * limbs - 4) for _ in pairings]
        rows = [
            [packed([seat[place] for place in taken], [(seat[a], seat[b]) for a, b in pairs], width)]
            + [np.uint64(count >> 64 * limb & 2**64 - 1) for limb in range(limbs)]
            for pairs, count in zip(pairings, counts, strict=True)
        ]
        tables.append(np.array(rows, dtype=np.uint64))
        numbers.append(counts)
        sides.append(pairings)
    expected = sum(
        first * second
        for (front, first), (back, second) in product(
            *(zip(*each, strict=True) for each in zip(sides, numbers, strict=True))
        )
        if is_one_cycle(front, back)
    )
    back = index_back([tables[1]], there, places)
    with ThreadPoolExecutor(1) as pool:
        assert join_sides([tables[0]], places, back, pool, Clock(None)) == expected
    assert expected or paths > 3


def is_one_cycle(front: Pairs, back: Pairs) -> bool:
    """True if the paths of both sides together are one cycle."""
    reached = {front[0][0]}
    for _ in range(2 * len(front)):
        reached |= {end for pair in (*front, *back) if reached & {*pair} for end in pair}
    return len(reached) == 2 * len(front)
