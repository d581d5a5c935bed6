"""A random walk over the modes of gadgets, from one cover by disjoint cycles to the next, with ever fewer cycles.

The ports that edges between gadgets join, one way and another, are a *block*. Each gadget has one mode at a time, and
chooses the two ports of it. A block lacks the chosen ports that no matching of its edges covers; where no block lacks
any, the modes are a *cover*: disjoint cycles through all gadgets.

In peals of bells a block is a hexagon, and a SAT solver finds no cover of 140 gadgets in minutes. Most of a cover that
a walk finds is a regular pattern, as in a crystal, which forms below a certain temperature and melts above it. So the
walk is that of a physical system (Metropolis et al. 1953) just below that temperature, without rejections (Bortz, Kalos
& Lebowitz 1975): of all changes of one mode the next is drawn in proportion to its probability. It comes from one cover
to the next, keeps that one if it has no more cycles, or now and then a few more, and otherwise goes back, as it does
when it has melted. Where a block has two matchings, the one with fewer cycles is taken: the Q-sets of bell ringers
(Thompson 1886), which join three cycles to one. As those change the number of cycles by two, an even number counts as
more than the odd one above it. Changes of modes that make an even number odd are rare, so walks are short: it begins
anew after `PATIENCE` changes.

*Invariant.* ``mask[k]`` has the bits of the ports of block k that are chosen; ``more[p]`` is how many ports more lack
once port p is chosen, or no longer; and ``changes[d]`` lists the modes, other than those that gadgets have, to which a
change makes d - `FARTHEST` ports more lack.

Limits: it never refutes, and covers of one cycle are rare; `models.gadgets` looks for them near those that are kept.
Blocks of more than `MAX_PORTS` ports have no table: where ports have edges at random the blocks are large, and a SAT
solver is quick. Cost: some 2 microseconds a change.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.compiled import allocation_free, compiled
from cpsat_tour.core.graph import row_starts
from cpsat_tour.core.space import Flags, Longs
from cpsat_tour.presolve.gadgets import Gadgets

MAX_PORTS = 8
"""The most ports of a block, of whose subsets there is a table."""

MATCHINGS = 2
"""The matchings of a block that are tried, at most."""

TEMPERATURE = 0.4
"""The temperature, in ports that lack; hexagons of peals melt at about 0.45."""

MELTED, MELTED_A_GADGET = 12, 1 / 8
"""A cover has melted once more ports lack than this number and so many a gadget; then it goes on to 0.3 a gadget."""

MORE_CYCLES = 2.0
"""The probability that a cover is kept which weighs k more is exp(-k / `MORE_CYCLES`)."""

PATIENCE = 400_000
"""Changes after which a walk begins anew."""

FARTHEST = 4
"""A change of one mode takes two ports out and puts two in, so at most this many ports more or fewer lack."""

LACKING, WEIGHT, MADE = range(3)
"""The counters of a walk: the ports that lack; the weight of the cover that is kept, 0 if there is none yet; and the
changes since the walk began."""


class ModeWalk(NamedTuple):
    """A walk under way over the modes of gadgets."""

    modes: Longs  # ``(modes, 2)``: the numbers of the ports that each mode enters and leaves
    home: Longs  # the gadget of each mode; those of gadget g are from ``first[g]`` to ``first[g + 1]``
    first: Longs
    apart: Flags  # of each gadget: no two of its ports are in one block
    block: Longs  # of each port, and its bit there
    bit: Longs
    gadget: Longs  # ``(blocks, MAX_PORTS)``: of the port that has each bit
    starts: Longs  # the modes at the ports of block k are ``near[starts[k]:starts[k + 1]]``, their ports ``at[...]``
    near: Longs
    at: Longs
    kind: Longs  # of each block; those of one kind have the same edges between their bits
    lacking: Longs  # ``(kinds, 1 << MAX_PORTS)``: how many of these ports no matching covers
    follows: Longs  # ``(kinds, 1 << MAX_PORTS, MATCHINGS, MAX_PORTS)``: the bit that a matching joins to a bit, or -1
    chosen: Longs  # the mode of each gadget, and its mode in the cover that is kept
    kept: Longs
    mask: Longs
    more: Longs
    changes: Longs  # ``(2 FARTHEST + 1, modes)``, of which the first ``sizes[d]`` count
    sizes: Longs
    place: Longs  # ``(modes, 2)``: the list in which a mode is, or -1, and its place there
    after: Longs  # the gadget after each in a cover
    counters: Longs


def new_walk(gadgets: Gadgets) -> ModeWalk | None:
    """Return a walk that has not begun; None if a block has too many ports."""
    ports, modes = np.unique(gadgets.modes, return_inverse=True)
    links = np.searchsorted(ports, gadgets.arcs[np.isin(gadgets.arcs, ports).all(axis=1)])
    blocks = [[port] for port in range(len(ports))]
    for leave, enter in links.tolist():
        if (one := blocks[leave]) is not (other := blocks[enter]):
            if len(one) + len(other) > MAX_PORTS:
                return None
            one += other
            for port in other:
                blocks[port] = one
    leaves = np.isin(np.arange(len(ports)), links[:, 0])
    distinct = [sorted(each, key=lambda port: (not leaves[port], port)) for each in {id(b): b for b in blocks}.values()]
    block, bit = np.empty((2, len(ports)), dtype=np.int64)
    gadget = np.full((len(distinct), MAX_PORTS), -1)
    for number, each in enumerate(distinct):
        block[each], bit[each] = number, np.arange(len(each))
        gadget[number, : len(each)] = gadgets.gadget[ports[each]]
    edges: list[list[tuple[int, int]]] = [[] for _ in distinct]
    for leave, enter in links.tolist():
        edges[block[leave]].append((int(bit[leave]), int(bit[enter])))
    kinds = dict[tuple[tuple[int, int], ...], int]()
    kind = np.array([kinds.setdefault(tuple(sorted(each)), len(kinds)) for each in edges])
    modes = modes.reshape(-1, 2)
    home = gadgets.gadget[gadgets.modes[:, 0]].astype(np.int64)
    order = np.lexsort([modes.ravel(), block[modes].ravel()])
    by_port = np.bincount(gadgets.gadget[ports], minlength=gadgets.count)
    by_block = np.unique(np.stack([gadgets.gadget[ports], block]), axis=1)[0]
    lacking, follows = zip(*map(_matchings, map(frozenset, kinds)), strict=True)
    return ModeWalk(
        modes=modes,
        home=home,
        first=row_starts(np.bincount(home)).astype(np.int64),
        apart=by_port == np.bincount(by_block, minlength=gadgets.count),
        block=block,
        bit=1 << bit,
        gadget=gadget,
        starts=row_starts(np.bincount(block[modes].ravel())).astype(np.int64),
        near=order // 2,
        at=modes.ravel()[order],
        kind=kind,
        lacking=np.array(lacking),
        follows=np.array(follows),
        chosen=np.zeros(gadgets.count, dtype=np.int64),
        kept=np.zeros(gadgets.count, dtype=np.int64),
        mask=np.zeros(len(distinct), dtype=np.int64),
        more=np.zeros(len(ports), dtype=np.int64),
        changes=np.zeros((2 * FARTHEST + 1, len(modes)), dtype=np.int64),
        sizes=np.zeros(2 * FARTHEST + 1, dtype=np.int64),
        place=np.full((len(modes), 2), -1),
        after=np.zeros(gadgets.count, dtype=np.int64),
        counters=np.array([0, 0, PATIENCE]),
    )


def _matchings(edges: frozenset[tuple[int, int]]) -> tuple[Longs, Longs]:
    """Return `ModeWalk.lacking` and `ModeWalk.follows` of a kind of blocks, from the edges between its bits."""
    lacking = np.zeros(1 << MAX_PORTS, dtype=np.int64)
    follows = np.full((1 << MAX_PORTS, MATCHINGS, MAX_PORTS), -1)
    leaves = {leave for leave, _ in edges}
    for mask in range(1, 1 << MAX_PORTS):
        bits = [bit for bit in range(MAX_PORTS) if mask >> bit & 1]
        left, entered = [bit for bit in bits if bit in leaves], [bit for bit in bits if bit not in leaves]
        every = permutations(entered) if len(left) == len(entered) else ()
        perfect = [each for each in every if edges.issuperset(zip(left, each, strict=True))][:MATCHINGS]
        for number, each in enumerate(perfect):
            follows[mask, number, left] = each
        lacking[mask] = 0 if perfect else 1 + min(lacking[mask ^ (1 << bit)] for bit in bits)
    return lacking, follows


@allocation_free
def toggle(w: ModeWalk, mode: int) -> int:
    """Choose the two ports of a mode, or no longer; return how many ports more lack."""
    more = 0
    for side in range(2):
        port = w.modes[mode, side]
        block = w.block[port]
        more -= w.lacking[w.kind[block], w.mask[block]]
        w.mask[block] ^= w.bit[port]
        more += w.lacking[w.kind[block], w.mask[block]]
    return more


@allocation_free
def list_change(w: ModeWalk, mode: int) -> None:
    """Put the change to a mode into the list where it belongs now, and its gadget's own mode into none."""
    old, place = w.place[mode, 0], w.place[mode, 1]
    gadget, new = w.home[mode], -1
    chosen = w.chosen[gadget]
    if mode != chosen and w.apart[gadget]:
        new = FARTHEST
        for side in range(2):
            new += w.more[w.modes[chosen, side]] + w.more[w.modes[mode, side]]
    elif mode != chosen:
        new = FARTHEST + toggle(w, chosen) + toggle(w, mode)
        toggle(w, mode)
        toggle(w, chosen)
    if new == old:
        return
    if old >= 0:
        w.sizes[old] -= 1
        last = w.changes[old, w.sizes[old]]
        w.changes[old, place] = last
        w.place[last, 1] = place
    w.place[mode, 0] = new
    if new >= 0:
        w.changes[new, w.sizes[new]] = mode
        w.place[mode, 1] = w.sizes[new]
        w.sizes[new] += 1


@allocation_free
def list_changes_of(w: ModeWalk, gadget: int) -> None:
    """Put the change to each mode of a gadget into the list where it belongs now."""
    for mode in range(w.first[gadget], w.first[gadget + 1]):
        list_change(w, mode)


@allocation_free
def weigh_block(w: ModeWalk, block: int) -> None:
    """Weigh the ports of a block anew, and list the changes that put one of them in or take it out."""
    kind, mask = w.kind[block], w.mask[block]
    last, changed = -1, False
    for number in range(w.starts[block], w.starts[block + 1]):
        port, mode = w.at[number], w.near[number]
        if port != last:
            more = w.lacking[kind, mask ^ w.bit[port]] - w.lacking[kind, mask]
            last, changed = port, more != w.more[port]
            w.more[port] = more
        gadget = w.home[mode]
        if changed or not w.apart[gadget]:
            if mode == w.chosen[gadget]:
                list_changes_of(w, gadget)
            else:
                list_change(w, mode)


@allocation_free
def change(w: ModeWalk, mode: int) -> None:
    """Change the mode of a gadget to this one."""
    gadget = w.home[mode]
    old = w.chosen[gadget]
    w.chosen[gadget] = mode
    w.counters[LACKING] += toggle(w, old) + toggle(w, mode)
    for each in (old, mode):
        for side in range(2):
            weigh_block(w, w.block[w.modes[each, side]])
    list_changes_of(w, gadget)


@allocation_free
def stand_at(w: ModeWalk, modes: Longs) -> None:
    """Let the gadgets have these modes."""
    w.mask[:] = 0
    w.counters[LACKING] = 0
    for gadget in range(len(modes)):
        w.chosen[gadget] = modes[gadget]
        w.counters[LACKING] += toggle(w, modes[gadget])
    for block in range(len(w.mask)):
        weigh_block(w, block)
    for gadget in range(len(w.chosen)):
        list_changes_of(w, gadget)


@allocation_free
def begin(w: ModeWalk) -> None:
    """Choose a mode of each gadget at random."""
    w.counters[:] = 0
    for gadget in range(len(w.kept)):
        w.kept[gadget] = np.random.randint(w.first[gadget], w.first[gadget + 1])
    stand_at(w, w.kept)


@compiled
def count_cycles(after: Longs) -> int:
    """Return the number of cycles of a permutation."""
    seen = np.zeros(len(after), dtype=np.bool_)
    cycles = 0
    for root in range(len(after)):
        cycles += not seen[root]
        gadget = root
        while not seen[gadget]:
            seen[gadget] = True
            gadget = after[gadget]
    return cycles


@compiled
def join(w: ModeWalk, block: int, matching: int) -> bool:
    """Let the gadgets at a block follow each other as a matching has it; return False if there is no such matching."""
    follows = w.follows[w.kind[block], w.mask[block], matching]
    for leave, enter in enumerate(follows):
        if enter >= 0:
            w.after[w.gadget[block, leave]] = w.gadget[block, enter]
    return bool(follows.max() >= 0)


@compiled
def weigh_cover(w: ModeWalk) -> int:
    """Join the gadgets of a cover to cycles, few as far as one block after the other shows them; return their number,
    plus 2 if it is even."""
    for block in range(len(w.mask)):
        join(w, block, 0)
    least, block, idle, now = count_cycles(w.after), 0, 0, np.zeros(len(w.mask), dtype=np.int64)
    while idle < len(w.mask):
        idle += 1
        for matching in range(MATCHINGS):
            if matching != now[block] and join(w, block, matching):
                cycles = count_cycles(w.after)
                if cycles < least:
                    least, now[block], idle = cycles, matching, 0
                else:
                    join(w, block, now[block])
        block = (block + 1) % len(w.mask)
    return least + 2 * (least % 2 == 0)


@compiled
def walk(w: ModeWalk, seed: int, most: int) -> bool:
    """Make at most so many changes; return True once ``after`` is one cycle."""
    np.random.seed(seed)
    weights = np.exp(-np.maximum(0, np.arange(-FARTHEST, FARTHEST + 1)) / TEMPERATURE)
    sums = np.zeros(len(weights))
    for _ in range(most):
        if w.counters[MADE] >= PATIENCE:
            begin(w)
        total = 0.0
        for each in range(len(weights)):
            total += weights[each] * w.sizes[each]
            sums[each] = total
        drawn, d = np.random.random() * total, 0
        while drawn >= sums[d]:
            d += 1
        change(w, w.changes[d, np.random.randint(w.sizes[d])])
        w.counters[MADE] += 1
        back = w.counters[WEIGHT] > 0 and w.counters[LACKING] > MELTED + MELTED_A_GADGET * len(w.chosen)
        if w.counters[LACKING] == 0 and not np.array_equal(w.chosen, w.kept):
            weight, before = weigh_cover(w), w.counters[WEIGHT]
            back = before > 0 and np.random.random() >= np.exp((before - weight) / MORE_CYCLES)
            if not back:
                w.kept[:] = w.chosen
                w.counters[WEIGHT] = weight
            if weight == 1:
                return True
        if back:
            stand_at(w, w.kept)
    return False
