"""States as numbers, each against sets and pairs of places: packed and unpacked without loss wherever they fit, in
tables, joined from parts and from sides; and no kernel writes beyond its arrays."""

import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

from cpsat_tour.core.runs import Clock
from cpsat_tour.frontier.search import Parts, frontier_join
from cpsat_tour.frontier.states import (
    EMPTY,
    LOST,
    MOST_IN_SEARCH,
    MOST_PLACES,
    SweepStep,
    Words,
    empty_table,
    frontier_expand,
    frontier_fault,
    frontier_merge,
    new_buffers,
    renumbered,
)
from cpsat_tour.frontier.sweep import _rows_in_use, index_back, join_sides

pytestmark = pytest.mark.usefixtures("kernels_in_guards")

Pairs = list[tuple[int, int]]
State = tuple[list[int], Pairs]
"""The places that are done, and the ends of the paths."""

MOST_PATHS = 8  # of a state with more than `MOST_PLACES` places


def bits(places: Sequence[int]) -> int:
    """The places as a set."""
    return sum(1 << place for place in places)


def packed(done: list[int], pairs: Pairs, width: int) -> int:
    """The state as a number, by the definition in `frontier.c`."""
    opens, closes, rank, radix = [min(pair) for pair in pairs], [max(pair) for pair in pairs], 0, 1
    planes = bits(done + closes) | bits(opens + closes) << width
    for closing, opening in sorted(zip(closes, opens, strict=True)):
        then_open = sorted(place for place in opens if place < closing)
        rank += radix * then_open.index(opening)
        radix *= len(then_open)
        opens.remove(opening)
    return planes | rank << 2 * width


def drawn(chance: random.Random, places: list[int], paths: int) -> State:
    """Places that are done, and paths between others."""
    ends = chance.sample(places, 2 * paths)
    done = [place for place in places if place not in ends and chance.random() < 0.5]
    return done, [*zip(ends[::2], ends[1::2], strict=True)]


def nested(paths: int, width: int) -> Pairs:
    """Paths that all open before any closes, each closing end that of the last one: none has a greater rank."""
    return [(place, width - 1 - place) for place in range(paths)]


def states_that_fit(width: int) -> tuple[list[State], Words]:
    """States of each number of paths that fits, and the same as numbers."""
    chance, states = random.Random(width), list[State]()
    for paths in range((width // 2 if width <= MOST_PLACES else MOST_PATHS) + 1):
        states += [([], nested(paths, width)), *(drawn(chance, [*range(width)], paths) for _ in range(40))]
    return states, np.array([packed(*state, width) for state in states], dtype=np.uint64)


def integer(limbs: Sequence[int]) -> int:
    """The number of these limbs, the least first."""
    return sum(limb << 64 * place for place, limb in enumerate(limbs))


def drawn_number(chance: random.Random, size: int) -> int:
    """A number of so many bits; every third has all of them but for the last few, so that each carry makes the next."""
    return chance.choice([chance.getrandbits(size), chance.getrandbits(size), (1 << size) - 1 - chance.randrange(4)])


def limbs_of(number: int, limbs: int) -> list[int]:
    """A number as so many limbs, the least first."""
    return [number >> 64 * place & 2**64 - 1 for place in range(limbs)]


@pytest.mark.parametrize("width", range(1, MOST_IN_SEARCH + 1))
def test_a_state_that_fits_is_unpacked_without_loss(width: int) -> None:
    """In other places, among more of them; states come alone or with counts."""
    states, rows = states_that_fit(width)
    assert rows.max() < LOST - 1
    chance, joint = random.Random(width), [*range(width + 5)]
    for columns in (1, 3):
        number = chance.sample(joint, width)
        table = np.array([[state, *[chance.getrandbits(64)] * (columns - 1)] for state in rows.tolist()], np.uint64)
        done, ends, mates = renumbered(table, number, joint)
        for row, (taken, pairs) in enumerate(states):
            moved = {number[end]: number[mate] for one, other in pairs for end, mate in ((one, other), (other, one))}
            assert mates[row].tolist() == [moved.get(place, 0) for place in joint]
            assert done[row] == bits([number[place] for place in taken])
            assert ends[row] == bits([*moved])


@pytest.mark.parametrize("width", range(1, MOST_IN_SEARCH + 1))
def test_a_state_that_fits_is_packed_without_loss(width: int) -> None:
    """After a step in which no edges are chosen, at which no vertex leaves or one that is done does."""
    states, rows = states_that_fit(width)
    for gone in (None, *range(width)):
        left = [number for number, (done, _) in enumerate(states) if gone is None or gone in done]
        step = SweepStep(
            before=width,
            width=width,
            vertex=gone or 0,
            leaves=gone is not None,
            last=False,
            odd=False,
            number=1,
            tights=0,
            roomy=(1 << width) - 1,
            narrow=0,
            free=0,
            choices=np.zeros((1, 4), dtype=np.uint64),
            tight=np.empty((0, 3), dtype=np.uint64),
            offsets=np.array([0, 1, 1, 1]),
        )
        buffers = new_buffers(1, len(left), 1, search=True)
        assert frontier_expand(step, rows[left], 0, len(left), 1, buffers) == len(left) == buffers.fill[0]
        assert buffers.ways.tolist() == [*range(len(left))]
        assert buffers.buffers[0, :, 0].tolist() == [without(states[number], gone, width) for number in left]


def without(state: State, gone: int | None, width: int) -> int:
    """The state as a number, after a place is removed and those above it move down."""
    done, pairs = state
    if gone is None:
        return packed(done, pairs, width)
    moved = [place - (place > gone) for place in done if place != gone]
    return packed(moved, [(one - (one > gone), other - (other > gone)) for one, other in pairs], width - 1)


@pytest.mark.parametrize("limbs", [0, 1, 2, 3])
@pytest.mark.parametrize("room", [1, 4, 7])
def test_rows_are_merged_until_as_many_are_in_use_as_may_be(room: int, limbs: int) -> None:
    """Also into a table with one row left, in which places are looked for from the end on to the beginning; rows that
    are empty are left out."""
    for seed in range(20):
        chance = random.Random(seed)
        states = [packed(*drawn(chance, [*range(12)], 3), 12) for _ in range(10)] + [int(EMPTY)]
        counts = [drawn_number(chance, max(4, 64 * limbs - 5)) for _ in range(32)]
        rows = [[chance.choice(states), *limbs_of(count, limbs)] for count in counts]
        table = empty_table(8, 1 + limbs, room)
        read = frontier_merge(table, np.array(rows, dtype=np.uint64), 3, 32)
        sums = Counter[int]()
        for state, *number in rows[3:read]:
            sums[state] += integer(number)
        del sums[int(EMPTY)]
        assert table.used[0] == len(sums) == min(room, len({state for state, *_ in rows[3:]} - {int(EMPTY)}))
        assert read == 32 or rows[read][0] not in {*sums, int(EMPTY)}
        assert frontier_fault(table, 12, 0) == 0
        assert {state: integer(number) for state, *number in _rows_in_use(table).tolist()} == sums
        assert len(table.rows) == len(sums)


@pytest.mark.parametrize("rows", [5, 9, 25])
@pytest.mark.parametrize("paths", [(3, 3), (4, 4), (4, 5), (5, 5)])
def test_paths_of_two_parts_are_lost_only_where_they_do_not_fit(paths: tuple[int, int], rows: int) -> None:
    """Twice twelve places, of which none is in both parts; with room for one left state at a time, or for all."""
    width = MOST_IN_SEARCH // 2
    chance = random.Random(sum(paths))
    turns = chance.sample(range(5), 5)
    left, right = ([drawn(chance, [*range(width)], each) for _ in range(5)] for each in paths)
    lefts, rights = (np.array([packed(*state, width) for state in part], dtype=np.uint64) for part in (left, right))
    done, ends, mates = renumbered(rights[:, np.newaxis], range(width, 2 * width), range(2 * width))
    parts = Parts(
        width=width,
        joint=2 * width,
        others=5,
        last=False,
        tights=0,
        free=0,
        tight=np.empty((0, 3), dtype=np.uint64),
        needy=np.zeros(2, dtype=np.uint64),
        left=lefts,
        done=done,
        ends=ends,
        mates=mates,
        turns=np.array(turns),
        fitting=np.empty(5, dtype=np.int64),
        turn=np.zeros(1, dtype=np.int64),
    )
    states, origins = list[int](), list[int]()
    for _ in range(0, 5, rows // 5):
        assert parts.turn[0] < 5
        fresh, ways = np.empty(rows, dtype=np.uint64), np.empty(rows, dtype=np.int64)
        written = frontier_join(parts, 5, fresh, ways, rows)
        states += fresh[:written].tolist()
        origins += ways[:written].tolist()
    assert parts.turn[0] == 5
    for (one, other), state, way in zip(product(turns, range(5)), states, origins, strict=True):
        both = [*left[one][0], *(place + width for place in right[other][0])]
        pairs = [*left[one][1], *((tail + width, head + width) for tail, head in right[other][1])]
        assert state == (LOST if sum(paths) > MOST_PATHS else packed(both, pairs, 2 * width))
        assert way == 5 * one + other


@pytest.mark.parametrize("limbs", [(1, 1), (2, 2), (3, 3), (1, 3), (3, 1)])
@pytest.mark.parametrize(("width", "paths"), [(4, 2), (7, 3), (MOST_PLACES, 3), (MOST_PLACES, 10)])
def test_sides_that_meet_are_multiplied_wherever_they_make_one_cycle(
    width: int, paths: int, limbs: tuple[int, int]
) -> None:
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
        counts = [drawn_number(chance, 64 * limbs[side] - 4) for _ in pairings]
        rows = list[list[int]]()
        for pairs, count in zip(pairings, counts, strict=True):
            seated = [seat[place] for place in taken], [(seat[one], seat[other]) for one, other in pairs]
            rows.append([packed(*seated, width), *limbs_of(count, limbs[side])])
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
    back = index_back([tables[1]], there, places, 1 + limbs[0])
    with ThreadPoolExecutor(1) as pool:
        assert join_sides([tables[0]], back, pool, Clock(None)) == expected
    assert expected or paths > 3


def is_one_cycle(front: Pairs, back: Pairs) -> bool:
    """True if the paths of both sides together are one cycle."""
    reached = {front[0][0]}
    for _ in range(2 * len(front)):
        reached |= {end for pair in (*front, *back) if reached & {*pair} for end in pair}
    return len(reached) == 2 * len(front)
