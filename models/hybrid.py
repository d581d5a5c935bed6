"""Vertex elimination where the graph is sparse, distances where it is not (Zhou 2024).

Eliminating a vertex v takes it out of the cycle: what enters v goes on at once to what v leads to. For all u and w with
arcs to v and from it, where arc[u, w] is false if there was no such arc:

    not arc[u, v] or not arc[v, u]
    arc'[u, w] <=> arc[u, w] or (arc[u, v] and arc[v, w])     for u other than w

So the arcs are disjoint cycles through all vertices exactly if the new arcs are as many cycles through those that are
left. The next is the vertex of least degree, while that is at most ``degree`` and more than two are left, one of them
the root. Each of the n' vertices left has a distance from the root along the cycle, in binary (`adder`):

    p[root] = 0
    arc'[u, v] => p[v] = p[u] + 1     for v other than the root
    arc'[u, root] => p[u] = n' - 1

With a large ``degree`` only the root and one more vertex are left, of a bit each; other than `elimination`, this keeps
the cycle itself and not who reaches whom. It is the idea of the paper: its choice of vertices and its pruning of
distances are not reproduced.

Cost, for a vertex of degree d when it is eliminated: d (d - 1) variables; 3 clauses for each of them, one more where
there was an arc, and d others; a constant. The distances cost what `adder` says for n' vertices and the arcs left,
no parity being known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.space import Ints
from cpsat_tour.models.adder import binary_digits, bits_for, successors
from cpsat_tour.models.eager import Eager, EagerFormula

Literals = dict[tuple[int, int], int]
"""The literal of each arc, by its tail and its head."""


@dataclass(frozen=True)
class Hybrid(Eager):
    """Vertices of at most ``degree`` neighbours are eliminated; the distances of the others are stated in binary."""

    degree: int = 20
    name: ClassVar[str] = "sat:hybrid"

    def state(self, formula: EagerFormula) -> None:
        """State the arcs between the vertices that elimination leaves, and the distances of these."""
        arcs = formula.arcs
        left = {vertex: set[int]() for vertex in range(arcs.order)}
        possible = np.flatnonzero(~arcs.wrong)
        ends = list(zip(arcs.tails[possible].tolist(), arcs.heads[possible].tolist(), strict=True))
        for u, v in ends:
            left[u].add(v)
            left[v].add(u)
        arc = dict(zip(ends, formula.arc[possible].tolist(), strict=True))
        while len(left) > 2:
            v = min(left.keys() - {arcs.root}, key=lambda vertex: (len(left[vertex]), vertex))
            if len(left[v]) > self.degree:
                break
            around = left.pop(v)
            eliminate(formula, arc, v, around)
            for u in around:
                left[u] = left[u] - {v} | around - {u}
        state_distances(formula, arc, [arcs.root, *sorted(left.keys() - {arcs.root})])


def eliminate(formula: EagerFormula, arc: Literals, v: int, around: set[int]) -> None:
    """Replace the arcs at a vertex by arcs between the vertices around it, and state that such an arc is used if the
    vertex is passed that way."""
    enter = {u: arc.pop((u, v)) for u in sorted(around) if (u, v) in arc}
    leave = {w: arc.pop((v, w)) for w in sorted(around) if (v, w) in arc}
    past = [(u, w) for u in enter for w in leave if u != w]
    old = literals(arc.get(ends, formula.false) for ends in past)
    into, out = literals(enter[u] for u, _ in past), literals(leave[w] for _, w in past)
    new = formula.new(len(past))
    both = [u for u in enter if u in leave]
    formula.add(-literals(enter[u] for u in both), -literals(leave[u] for u in both))
    formula.add(-into, -out, new)
    formula.add(-old, new)
    formula.add(-new, old, into)
    formula.add(-new, old, out)
    arc.update(zip(past, new.tolist(), strict=True))


def state_distances(formula: EagerFormula, arc: Literals, vertices: list[int]) -> None:
    """State the distance of each vertex from the first, in binary, along the arcs between them."""
    order, number = len(vertices), {vertex: index for index, vertex in enumerate(vertices)}
    u, v = (literals(number[ends[side]] for ends in arc) for side in (0, 1))
    chosen = literals(arc.values())
    p = formula.new(order, bits_for(order))
    formula.fix(p[0], [0] * p.shape[1])
    inner, into_root = v > 0, v == 0
    for bit, following in enumerate(successors(formula, p)):
        formula.add(-chosen[inner], -following[u[inner]], p[v[inner], bit])
        formula.add(-chosen[inner], following[u[inner]], -p[v[inner], bit])
    for bit, value in enumerate(binary_digits(order - 1, p.shape[1])):
        last = p[u[into_root], bit]
        formula.add(-chosen[into_root], last if value else -last)


def literals(found: Iterable[int]) -> Ints:
    """Return the literals as an array."""
    return np.fromiter(found, dtype=np.int32)
