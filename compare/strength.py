"""How much does unit propagation see? SAT formulations on partial assignments of small graphs, against all tours.

A partial assignment says of some edges that a tour uses them, or does not, and perhaps in which direction. It is *dead*
if no tour agrees with it; otherwise it *implies* each literal of another edge in which the tours that agree with it
agree. Measured is the share of the implied literals that unit propagation derives from the clauses, and the share of
the dead assignments in which it meets a contradiction. Where it is all of them the clauses are *propagation complete*
(Bordeaux & Marques-Silva 2012).

* The assignments of a graph are all there are or, if these are too many, drawn: a random tour, of which a random number
  of random edges keep their values, one of them, in every second draw, the wrong one. Where there is no tour each
  edge is drawn, with as many of them used as a tour has, on average.
* If ``directed``, edges are assumed with the direction in which a tour goes along them, that of the frame (`eager`).
  Formulations over edges alone do not hear of it.
* `sat` is asked with what its propagator adds: an edge between the ends of a path is out, until the path is a tour.
* `CUT_SETS` are the degree constraints with the cut sets of all shores, which lazy formulations add one by one; for
  graphs of at most `MAX_ORDER` vertices.

Limits: closed tours of undirected graphs with few enough tours to be listed. Propagation is that of MiniSat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

import numpy as np
from pysat.solvers import Solver

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import Listing
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import graph_of
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.space import Flags
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import TwoFactorFormula, two_factor_clauses
from cpsat_tour.models.eager import Eager, EagerFormula
from cpsat_tour.models.loop.numbering import Numbering

CUT_SETS = "all cut sets"
MAX_ORDER = 12


@dataclass
class Share:
    """What unit propagation found on a board: ``found`` of ``implied`` literals, and ``refuted`` of ``dead``
    assignments."""

    board: str
    backend: str
    found: int = 0
    implied: int = 0
    refuted: int = 0
    dead: int = 0

    def count(self, values: Ints, agreeing: Flags, derived: Ints | None) -> None:
        """Add what was derived from an assignment with which these tours agree, a row of flags of the edges each."""
        if not len(agreeing):
            self.dead += 1
            self.refuted += derived is None
            return
        assert derived is not None, "a tour agrees with what was refuted"
        implied = (values == 0) & (agreeing.all(axis=0) | ~agreeing.any(axis=0))
        self.implied += int(implied.sum())
        self.found += int((derived[implied] != 0).sum())

    @property
    def words(self) -> str:
        """Both shares in per cent; a dash for a share of none."""
        pairs = ((self.found, self.implied), (self.refuted, self.dead))
        return " / ".join(f"{100 * part / whole:.0f}" if whole else "–" for part, whole in pairs)


class Propagation:
    """Unit propagation from the clauses of a backend's formula, or of `CUT_SETS`, on a cycle problem.

    ``literals[value]`` are the literals by which it is assumed that the edges have this value: -1 not used, 1 used, in
    the direction from tail to head if that is known, 2 used from head to tail.
    """

    def __init__(self, spec: str, cycle: CycleProblem, *, directed: bool = False) -> None:
        self.spec, self.cycle = spec, cycle
        name, options = split_spec("sat" if spec == CUT_SETS else spec)
        backend = load(name, options)
        if isinstance(backend, Eager):
            formula = EagerFormula(name, Arcs(cycle, colours=backend.colours))
            backend.state(formula)
            edge, blocks = formula.edge, formula.blocks
            forth, back = np.split(formula.arc, 2) if directed else (edge, edge)
        elif isinstance(backend, TwoFactorFormula):
            numbering = Numbering(cycle)
            edge, blocks = numbering.variables, [*two_factor_clauses(numbering)]
            forth = back = edge
        else:
            raise BadInput(f"backend {spec} has no clauses over edges: choose one such as sat:adder")
        self.literals = {-1: -edge, 1: forth, 2: back}
        self._edge = edge
        clauses = [clause for block in blocks for clause in block.tolist()]
        if spec == CUT_SETS:
            shores = np.array([*product((0, 1), repeat=cycle.order - 1)], dtype=bool)[1:]
            inside = np.pad(shores, [(0, 0), (0, 1)])
            clauses += [edge[row].tolist() for row in inside[:, cycle.tails] != inside[:, cycle.heads]]
        self._solver = Solver("minisat22", bootstrap_with=clauses)

    def __call__(self, values: Ints) -> Ints | None:
        """Return the values of the edges after propagation from these, 1 used, -1 not, 0 open; None if they are
        refuted."""
        assumed = [self.literals[value][values == value] for value in self.literals]
        while True:
            consistent, propagated = self._solver.propagate(np.concatenate(assumed).tolist())
            if not consistent:
                return None
            literals = np.array(propagated, dtype=int)
            signs = np.zeros(1 + max(self._edge.max(), np.abs(literals).max(initial=0)), dtype=int)
            signs[np.abs(literals)] = np.sign(literals)
            derived: Ints = signs[self._edge]
            if self.spec != "sat":
                return derived
            closing = closing_edges(self.cycle, derived)
            if (derived[closing] > 0).any():
                return None
            if not len(closing):
                return derived
            assumed.append(-self._edge[closing])


def closing_edges(cycle: CycleProblem, values: Ints) -> Ints:
    """Return the edges that are not out and join the ends of a path of used edges before it has all vertices; of used
    edges that close a cycle too early, the last."""
    used = np.flatnonzero(values > 0).tolist()
    mate = {vertex: vertex for vertex in range(cycle.order)}
    degree = np.bincount(np.concatenate([cycle.tails[used], cycle.heads[used]]), minlength=cycle.order)
    for edge in used:
        a, b = mate[int(cycle.tails[edge])], mate[int(cycle.heads[edge])]
        if a == int(cycle.heads[edge]):
            return np.array([edge][: len(used) < cycle.order], dtype=np.int32)
        mate[a], mate[b] = b, a
    ends = zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)
    joined = [mate[u] == v and degree[u] == degree[v] == 1 for u, v in ends]
    return np.flatnonzero(np.array(joined) & (values == 0) & (len(used) < cycle.order - 1)).astype(np.int32)


def all_tours(cycle: CycleProblem) -> Ints:
    """Return a row for each closed tour, in the direction of the frame: 0 for an edge that it does not use, 1 for one
    from tail to head, 2 for one from head to tail."""
    arcs = Arcs(cycle)
    ends = zip(arcs.tails.tolist(), arcs.heads.tolist(), strict=True)
    number = {pair: k for k, pair in enumerate(ends)}
    rows = []
    for tour in chain.from_iterable(Listing(cycle.source, load("edges"))):
        vertices = np.roll(tour, -int(np.argmax(tour == arcs.root))).tolist()
        if number[vertices[1], arcs.root] > number[vertices[-1], arcs.root]:
            vertices.reverse()
        used = np.array([number[pair] for pair in zip(vertices, [*vertices[1:], vertices[0]], strict=True)])
        rows.append(np.zeros(cycle.size, dtype=int))
        rows[-1][used % cycle.size] = 1 + used // cycle.size
    return np.array(rows, dtype=int).reshape(len(rows), cycle.size)


def assignments(cycle: CycleProblem, found: Ints, most: int, values: Sequence[int]) -> Iterator[Ints]:
    """Yield partial assignments of the edges by 0, not assigned, and these values: all, or ``most`` drawn ones."""
    if (1 + len(values)) ** cycle.size <= most:
        yield from map(np.array, product((0, *values), repeat=cycle.size))
        return
    rng = np.random.default_rng(0)
    for drawn in range(most):
        tour = rng.choice(found) if len(found) else rng.random(cycle.size) < cycle.order / cycle.size
        chosen = rng.permutation(cycle.size)[: rng.integers(1, cycle.size + 1)]
        assigned = np.zeros(cycle.size, dtype=int)
        assigned[chosen] = np.where(tour[chosen], tour[chosen], -1)
        if drawn % 2:
            assigned[chosen[0]] = -1 if tour[chosen[0]] else 1
        yield assigned


def shares(boards: Sequence[str], backends: Sequence[str], most: int, *, directed: bool = False) -> Iterator[Share]:
    """Yield what each backend's clauses show on each board."""
    for board in boards:
        cycle = to_cycle(Problem(graph_of(board), closed=True))
        found = all_tours(cycle) if directed else np.minimum(all_tours(cycle), 1)
        for backend in backends:
            share = Share(board, backend)
            if backend != CUT_SETS or cycle.order <= MAX_ORDER:
                propagate = Propagation(backend, cycle, directed=directed)
                for values in assignments(cycle, found, most, (-1, 1, 2) if directed else (-1, 1)):
                    agreeing = found[((values == 0) | (found == np.maximum(values, 0))).all(axis=1)] > 0
                    share.count(values, agreeing, propagate(values))
            yield share


def table(found: Sequence[Share]) -> str:
    """Return what was found as a Markdown table, a row for each backend and a column for each board."""
    boards, backends = (list(dict.fromkeys(getattr(share, part) for share in found)) for part in ("board", "backend"))
    cells = {(share.backend, share.board): share.words for share in found}
    lines = [["", *boards], ["---"] + ["---:"] * len(boards)]
    lines += [[backend, *(cells[backend, board] for board in boards)] for backend in backends]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
