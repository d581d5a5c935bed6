"""The sizes of formulations by the closed formulas of their docstrings: variables and clauses, against which the counts
are held."""

from math import ceil, comb, log2

import numpy as np

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import no_heartbeat
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.crt import Crt
from cpsat_tour.models.hybrid import Hybrid
from cpsat_tour.models.lfsr import TAPS, register_length
from cpsat_tour.models.triangulation import eliminate

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
"""Variables and clauses."""


def size(variables: int, clauses: int) -> Numbers:
    return np.array([variables, clauses], dtype=np.int64)


def at_a_vertex(degree: int) -> Numbers:
    """`degree`, by its three kinds of constraint."""
    if degree < 2:
        return size(0, 1)
    if degree <= 4:
        return size(0, degree + comb(degree, 3))
    if degree <= 12:
        halves = (degree // 2, degree - degree // 2)
        return size(2, 1 + sum(1 + 2 * half + comb(half, 2) + comb(half, 3) for half in halves))
    return size(2 * degree, 9 * degree - 5)


def two_factors(cycle: CycleProblem) -> Numbers:
    """`degree`: the formula of 2-factors."""
    vertices = sum((at_a_vertex(degree) for degree in np.diff(cycle.incidence[0]).tolist()), size(0, 0))
    return size(cycle.size, int(cycle.required.sum())) + vertices


def binary_counter(arcs: Arcs, bits: int) -> Numbers:
    """`adder`; with a single bit there are no sums."""
    n, known = arcs.order, arcs.parity is not None
    sums = 7 * n * (bits - 2) + 4 * n if bits > 1 else 0
    along = 2 * (bits - known) * len(arcs.inner) + bits * len(arcs.into_root)
    return size(n * (3 * bits - 3) if bits > 1 else n, sums + along + bits + n * known)


def remainder(arcs: Arcs, q: int) -> Numbers:
    """`crt`, an odd modulus."""
    n = arcs.order
    return size(n * q, n * (1 + q * (q - 1) // 2) + q * len(arcs.inner) + len(arcs.into_root) + 1)


def eliminated(arcs: Arcs, most: int) -> Numbers:
    """`hybrid`, by elimination in a set of arcs."""
    found, left = size(0, 0), set(range(arcs.order))
    ends = {
        pair
        for pair, wrong in zip(zip(arcs.tails.tolist(), arcs.heads.tolist(), strict=True), arcs.wrong, strict=True)
        if not wrong
    }
    around = {v: {u + w - v for u, w in ends if v in (u, w)} for v in left}
    while len(left) > 2:
        degree, v = min((len(around[v]), v) for v in left - {arcs.root})
        if degree > most:
            break
        left.remove(v)
        pairs = {(u, w) for u in around[v] for w in around[v] if u != w and (u, v) in ends and (v, w) in ends}
        both = sum((u, v) in ends and (v, u) in ends for u in around[v])
        found = found + size(len(pairs), 3 * len(pairs) + len(pairs & ends) + both)
        ends = {pair for pair in ends | pairs if v not in pair}
        for u in around[v]:
            around[u] = around[u] - {v} | around[v] - {u}
    k, into = len(left), sum(head == arcs.root for _, head in ends)
    bits = max(1, ceil(log2(k)))
    sums = 7 * k * (bits - 2) + 4 * k if bits > 1 else 0
    constant = int(found[0] > 0)
    counter = size(k * (3 * bits - 3) if bits > 1 else k, sums + 2 * bits * (len(ends) - into) + bits * into + bits)
    return found + counter + size(constant, constant)


def positions(arcs: Arcs) -> Numbers:
    """`onehot`: the root is at 0, and again at n."""
    possible = np.pad(arcs.possible_positions(np.arange(arcs.order)), [(0, 0), (0, 1)])
    variables = int(possible.sum()) - 1
    possible[arcs.root, -1] = True
    number = possible.sum(axis=1)
    at_tails = number[arcs.tails] - (arcs.tails == arcs.root)
    at_heads = number[arcs.heads] - (arcs.heads == arcs.root)
    first = possible[arcs.heads, 1] & (arcs.tails == arcs.root)
    last = possible[arcs.tails, -2] & (arcs.heads == arcs.root)
    clauses = int(at_tails.sum() + at_heads.sum()) - int(first.sum() + last.sum())
    return size(variables + 1, clauses + len(arcs.cycle.positions or [0]))


def stated(name: str, formulation: object, arcs: Arcs) -> Numbers:
    """Variables and clauses of an eager encoding besides the frame."""
    n, cycle, bits = arcs.order, arcs.cycle, max(1, ceil(log2(arcs.order)))
    if name == "sat:onehot":
        return positions(arcs)
    if name == "sat:order":
        (low, high), t = (bound[:, None] for bound in arcs.bounds), np.arange(n + 1)
        true, false = t > high, t <= low
        pairs = [
            (arcs.heads[arcs.inner], 1, arcs.tails[arcs.inner], 0),
            (arcs.tails[arcs.inner], 0, arcs.heads[arcs.inner], 1),
        ]
        along = sum(int((~false[u, i : n + i] & ~true[w, j : n + j]).sum()) for u, i, w, j in pairs)
        grow = int((~false[:, :-1] & ~true[:, 1:]).sum())
        last = int((~false[arcs.tails[arcs.into_root], n - 1]).sum())
        return size(int((~true & ~false).sum()) + 1, grow + along + last + 1 + int((low > high).sum()))
    if name == "sat:leaf":
        return size((n - 1) * (n - 2) + 1, (n - 1) * (n - 3) + 1 + len(arcs.away) * (n - 1))
    if name == "sat:adder":
        ones = [bin(low).count("1") + bits - bin(high).count("1") for low, high in zip(*arcs.bounds, strict=True)]
        return binary_counter(arcs, bits) + size(0, sum(ones))
    if name == "sat:lfsr":
        k = register_length(n - 2)
        return size(
            n * (k + 1),
            (4 ** ((len(TAPS[k]) + 1) // 2) + 1) * n + 2 * k * len(arcs.inner) + k * len(arcs.into_root) + k,
        )
    if isinstance(formulation, Hybrid):
        return eliminated(arcs, formulation.degree)
    if isinstance(formulation, Crt):
        parts = [
            remainder(arcs, q) if q % 2 else binary_counter(arcs, q // 2)
            for q in formulation.moduli(arcs.cycle, parity_known=arcs.parity is not None)
        ]
        return sum(parts, size(0, 0))
    chordal = eliminate(cycle, arcs.root, no_heartbeat)
    clauses = 2 * sum(len(uv) for uv, _, _ in chordal.triangles()) + 2 * (cycle.size - int(cycle.degrees[arcs.root]))
    return size(chordal.size, clauses) if name == "sat:relative" else size(2 * chordal.size, clauses + chordal.size)


def direction(arcs: Arcs) -> int:
    """The clauses that leave one direction of a cycle."""
    return comb(int(arcs.cycle.degrees[arcs.root]), 2) if arcs.direction_free else 0


def permuted(arcs: Arcs) -> Numbers:
    """`permutation`."""
    n, required = arcs.order, int(arcs.cycle.required.sum())
    beside = n * (required - (arcs.required is not None)) + (arcs.required is not None)
    no_arc = n * (n * (n - 1) - len(arcs.tails))
    return size(n * n, 2 * n + n * n * (n - 1) + no_arc + direction(arcs) + beside + len(arcs.positions))


def frame(arcs: Arcs) -> Numbers:
    """`arcs`."""
    m, n, few = arcs.cycle.size, arcs.order, arcs.cycle.degrees[arcs.cycle.degrees <= 8]
    return size(
        2 * m,
        4 * m
        + 2 * n
        + int((few * (few - 1)).sum())
        + direction(arcs)
        + int(arcs.wrong.sum())
        + (arcs.required is not None),
    )


def arc_frame(arcs: Arcs) -> Numbers:
    """`lazy_arcs`, with arcs that are wrong or required, and one direction; tied edges and sections are not drawn."""
    found = size(len(arcs.tails), arcs.cycle.size * (not arcs.cycle.directed))
    for degree in np.concatenate([np.bincount(ends, minlength=arcs.order) for ends in (arcs.tails, arcs.heads)]):
        commanders = max(0, (int(degree) - 4) // 2)
        found = found + size(commanders, 1 + 6 * commanders + comb(int(degree) - 2 * commanders, 2))
    eager = direction(arcs) + int(arcs.wrong.sum()) + (arcs.required is not None)
    return found + size(0, int(arcs.cycle.required.sum()) + eager)


def sums(name: str, formulation: object, cycle: CycleProblem) -> Numbers:
    """`circuit`, `positions`, `successor`, and the degree equations of `lazy_cpsat`, `milp` and `pb`."""
    m, n, required = cycle.size, cycle.order, int(cycle.required.sum())
    if name == "cpsat":
        return size(2 * m, 1 + required)
    if name in ("cpsat:lazy", "milp", "pb"):
        return size(m, n + required)
    impossible = int(not Arcs(cycle, colours=True).possible_positions(np.arange(n)).any(axis=1).all())
    if name == "cpsat:positions":
        return size(2 * m + n, 2 * n + 2 * m + required + impossible)
    over_arcs = getattr(formulation, "arcs", False) or required or cycle.orbits is not None
    arcs = size(2 * m, 2 * n + 2 * m + required) if over_arcs else size(0, 0)
    return arcs + size(2 * n, 1 + n + impossible)


def differences(arcs: Arcs) -> Numbers:
    """`smt`: the clauses over arcs, commanders, and positions."""
    cycle, n, m, found = arcs.cycle, arcs.order, len(arcs.tails), size(0, 0)
    for degree in [*np.bincount(arcs.tails, minlength=n).tolist(), *np.bincount(arcs.heads, minlength=n).tolist()]:
        commanders = max(0, ceil((degree - 5) / 2))
        found = found + size(commanders, 1 + 6 * commanders + comb(degree - 2 * commanders, 2))
    d = int(cycle.degrees[arcs.root])
    opposed = d * (d - 1) // 2 if arcs.direction_free else 0
    fixed = int(cycle.required.sum()) + int(arcs.wrong.sum()) + (arcs.required is not None)
    return found + size(m + n, cycle.size + opposed + fixed + 4 * len(cycle.tied_pairs) + m + len(arcs.positions) - 1)


def by_docstring(name: str, formulation: object, cycle: CycleProblem) -> tuple[int, int]:
    """Variables and clauses of a formulation of ours."""
    if name.startswith("cpsat") or name in ("milp", "pb"):
        found = sums(name, formulation, cycle)
    elif name == "smt":
        found = differences(Arcs(cycle, colours=True))
    elif name in ("sat", "sat:lazy"):
        found = two_factors(cycle)
    elif name == "sat:permutation":
        found = permuted(Arcs(cycle))
    elif name == "sat:arcs":
        arcs = Arcs(cycle)
        found = arc_frame(arcs) - size(0, (arcs.required is not None) + direction(arcs))
    else:
        arcs = Arcs(cycle, colours=getattr(formulation, "colours", True))
        over_arcs = getattr(formulation, "frame", "edges") == "arcs"
        found = (arc_frame(arcs) if over_arcs else two_factors(cycle) + frame(arcs)) + stated(name, formulation, arcs)
    return int(found[0]), int(found[1])
