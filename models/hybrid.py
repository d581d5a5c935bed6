"""Vertex elimination where the graph is sparse, distances where it is not (Zhou 2024).

Eliminating a vertex v takes it out of the cycle: what enters v goes on at once to what v leads to. For all u and w with
arcs to v and from it, where arc[u, w] is false if there was no such arc:

    not arc[u, v] or not arc[v, u]
    arc'[u, w] <=> arc[u, w] or (arc[u, v] and arc[v, w])     for u other than w

In files arc'[u, w] is ``past[v,u,w]``. So the arcs are disjoint cycles through all vertices exactly if the new arcs are
as many cycles through those that are left. The next is the vertex of least degree, while that is at most ``degree`` and
more than two are left, one of them the root. Each of the n' vertices left has a distance from the root along the cycle,
in binary (`adder`):

    p[root] = 0
    arc'[u, v] => p[v] = p[u] + 1     for v other than the root
    arc'[u, root] => p[u] = n' - 1

With a large ``degree`` only the root and one more vertex are left, of a bit each; other than `elimination`, this keeps
the cycle itself and not who reaches whom.

*As printed* (``printed``): over the arcs of the frame alone, at-most-ones by products. A vertex of least degree d is
eliminated, the root too, while d times the number of those eliminated is at most n, and more than two are left; more is
stated of the arcs, of those of the frame once more; and the distances count from a free start, by the adder that is
printed (`adder`), so that a tour has a model for each start:

    exactly one of arc[u, v] over u, and of arc[v, w] over w
    not arc'[u, w] or not arc'[w, u]                              if neither was there before
    arc[u, v] and arc[v, w] => not arc[u, w]
    exactly one of start[v] over the vertices left
    start[v] => p[v] = 0
    arc'[u, v] and not start[v] => p[v] = p[u] + 1

Cost, for a vertex of degree d when it is eliminated: d (d - 1) variables; 3 clauses for each of them, one more where
there was an arc, and d others; a constant. The distances cost what `adder` says for n' vertices and the arcs left, no
parity being known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from cpsat_tour.core.space import Ints
from cpsat_tour.models.adder import binary_digits, bits_for, state_next, successors
from cpsat_tour.models.eager import EagerFormula, Printed

Literals = dict[tuple[int, int], int]
"""The literal of each arc, by its tail and its head."""


@dataclass(frozen=True)
class Hybrid(Printed):
    """Vertices of at most ``degree`` neighbours are eliminated; the distances of the others are stated in binary.
    ``printed`` as by Zhou, whose own rule stops the elimination."""

    degree: int = 20

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
        kept = set[int]() if self.printed else {arcs.root}
        while len(left) > 2:
            v = min(left.keys() - kept, key=lambda vertex: (len(left[vertex]), vertex))
            eliminated = arcs.order - len(left)
            if len(left[v]) * eliminated > arcs.order if self.printed else len(left[v]) > self.degree:
                break
            around = left.pop(v)
            eliminate(formula, arc, v, around, printed=self.printed)
            for u in around:
                left[u] = left[u] - {v} | around - {u}
        if self.printed:
            state_printed_distances(formula, arc, sorted(left))
        else:
            state_distances(formula, arc, [arcs.root, *sorted(left.keys() - {arcs.root})])


def eliminate(formula: EagerFormula, arc: Literals, v: int, around: set[int], *, printed: bool) -> None:
    """Replace the arcs at a vertex by arcs between the vertices around it, and state that such an arc is used if the
    vertex is passed that way; ``printed`` states more."""
    enter = {u: arc.pop((u, v)) for u in sorted(around) if (u, v) in arc}
    leave = {w: arc.pop((v, w)) for w in sorted(around) if (v, w) in arc}
    past = [(u, w) for u in enter for w in leave if u != w]
    old = literals(arc.get(ends, formula.false) for ends in past)
    into, out = literals(enter[u] for u, _ in past), literals(leave[w] for _, w in past)
    new = formula.new("past", np.full(len(past), v), *literals(chain(*past)).reshape(-1, 2).T, vertices=3)
    both = [u for u in enter if u in leave]
    formula.add(-literals(enter[u] for u in both), -literals(leave[u] for u in both))
    formula.add(-into, -out, new)
    formula.add(-old, new)
    formula.add(-new, old, into)
    formula.add(-new, old, out)
    if printed:
        formula.add(-into, -out, -old)
        found = dict(zip(past, new.tolist(), strict=True))
        pairs = [(u, w) for u, w in past if u < w and (w, u) in found and not {(u, w), (w, u)} & arc.keys()]
        formula.add(-literals(found[pair] for pair in pairs), -literals(found[w, u] for u, w in pairs))
        for at_end in (enter, leave):
            formula.add_exactly_one(np.full(len(at_end), v), literals(at_end.values()))
    arc.update(zip(past, new.tolist(), strict=True))


def state_distances(formula: EagerFormula, arc: Literals, vertices: list[int]) -> None:
    """State the distance of each vertex from the first, in binary, along the arcs between them."""
    u, v, chosen, p = numbered_arcs(formula, arc, vertices)
    formula.fix(p[0], [0] * p.shape[1])
    inner, into_root = v > 0, v == 0
    for bit, following in enumerate(successors(formula, p)):
        formula.add(-chosen[inner], -following[u[inner]], p[v[inner], bit])
        formula.add(-chosen[inner], following[u[inner]], -p[v[inner], bit])
    for bit, value in enumerate(binary_digits(len(vertices) - 1, p.shape[1])):
        last = p[u[into_root], bit]
        formula.add(-chosen[into_root], last if value else -last)


def state_printed_distances(formula: EagerFormula, arc: Literals, vertices: list[int]) -> None:
    """State the distance of each vertex from the one that is the start, as the paper does."""
    u, v, chosen, p = numbered_arcs(formula, arc, vertices)
    start = formula.new("start", np.array(vertices))
    formula.add_exactly_one(np.zeros_like(start), start)
    formula.add(-start[:, None], -p)
    state_next(formula, p[u], p[v], [-chosen, start[v]])


def numbered_arcs(formula: EagerFormula, arc: Literals, vertices: list[int]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the indices of the ends of each arc among these vertices, its literal, and for each vertex the bits of a
    distance, a row of new variables."""
    number = {vertex: index for index, vertex in enumerate(vertices)}
    u, v = (literals(number[ends[side]] for ends in arc) for side in (0, 1))
    p = formula.new("p", np.array(vertices)[:, None], np.arange(bits_for(len(vertices))))
    return u, v, literals(arc.values()), p


def literals(found: Iterable[int]) -> Ints:
    """Return the literals as an array."""
    return np.fromiter(found, dtype=np.int32)
