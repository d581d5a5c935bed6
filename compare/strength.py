"""How strong are formulations before any search? Linear relaxations and unit propagation, side by side.

**Bounds.** A linear relaxation, fractions allowed, without a solution shows that there is no tour. Under costs of the
edges its least cost is a lower bound on that of a tour; the nearer they are, the less is left to branching. A program
that waits for cut sets gets them as long as a solution violates any (`subtour_lp.violated_shores`), so that its bound
is that of all of them together, the bound of Held & Karp (1970). The best tour is found in the same way, with whole
columns. HiGHS computes in floating point. Two relaxations that know nothing of cycles are the measure of the others:
the `ASSIGNMENT` of a successor to each vertex, over arcs, and the `TWO_FACTOR`, two edges at each vertex.

**Propagation.** A partial assignment says of some edges that a tour uses them, or does not, and perhaps in which
direction. It is *dead* if no tour agrees with it; otherwise it *implies* each literal of another edge in which the
tours that agree with it agree. Measured is the share of the implied literals that unit propagation derives from the
clauses, and the share of the dead assignments in which it meets a contradiction. Where it is all of them the clauses
are *propagation complete* (Bordeaux & Marques-Silva 2012). `PROBED` shares are those after one round of *failed
literals* (Freeman 1995): each open value of an edge is assumed, either direction by itself, and what is refuted is
ruled out.

* The assignments of a graph are all there are or, if these are too many, drawn: a random tour, of which a random number
  of random edges keep their values, one of them, in every second draw, the wrong one. Where there is no tour each
  edge is drawn, with as many of them used as a tour has, on average. A share of drawn assignments has a standard
  deviation, that of a ratio of two means.
* If ``directed``, edges are assumed with the direction in which a tour goes along them, that of the frame (`eager`).
  Formulations over edges alone do not hear of it.
* Over arcs alone an edge is used if one of its two arcs is, and is not if both are false.
* `sat` is asked with what its propagator adds: an edge between the ends of a path is out, until the path is a tour.
* `CUT_SETS` are the degree constraints with the cut sets of all shores, which lazy formulations add one by one; for
  graphs of at most `MAX_ORDER` vertices.

Propagation is that of MiniSat; all tours are listed.

Limits: closed tours of undirected graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from statistics import mean, stdev
from typing import Any, ClassVar

import numpy as np
from pysat.solvers import Solver

from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import graph_of
from cpsat_tour.compare.report import table_lines
from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.runs import Limits, Run, no_heartbeat
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import Listing, formula
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import TwoFactorFormula
from cpsat_tour.models.drivers.linear import LinearProgram, LinearRelaxation, worker
from cpsat_tour.models.eager import Eager
from cpsat_tour.models.eager_milp import ArcProgram
from cpsat_tour.models.lazy_arcs import LazyArcs
from cpsat_tour.models.loop.subtours import CutSet, cut_set, cutting_planes
from cpsat_tour.models.milp import EdgeProgram, Milp
from cpsat_tour.proofs.write.subtour_lp import violated_shores

MAX_COST = 100
"""The greatest cost: costs are whole numbers from 1 on, each equally likely."""

BASELINES = ASSIGNMENT, TWO_FACTOR = ("assignment relaxation", "2-factor relaxation")

CUT_SETS = "all cut sets"
MAX_ORDER = 12
PROBED = ", probed"

EXHAUSTED = 20
"""All assignments of a graph are gone through where there are at most this many times those to be drawn."""


class TwoFactorProgram(EdgeProgram):
    """The degree equations alone: no cut set is added to them."""

    relaxed: ClassVar[bool] = False


class Fractions(LinearRelaxation):
    """A linear program in a worker, as a relaxation whose solutions have a value for each edge."""

    def solve(self) -> Floats | None:  # type: ignore[override]
        """Return the values of the edges in a solution of the program, None if it has none."""
        values, edges = self._worker.values(self._run, self._counter), self._program.moves % self._program.cycle.size
        return None if values is None else np.bincount(edges, values[: len(edges)]).astype(np.float64)


def bound(program: LinearProgram, costs: Floats, *, whole: bool = False) -> tuple[float | None, int]:
    """Return the least cost of a program's linear relaxation, None if it has no solution, and the number of its rows
    with the cut sets added.

    With ``whole`` it is the least cost of whole solutions.
    """
    cycle, columns = program.cycle, np.zeros(len(program.upper))
    columns[: len(program.moves)] = costs[program.moves % cycle.size]
    program.whole *= whole

    def violated(point: Floats) -> list[CutSet]:
        shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point) if program.relaxed else []
        return [CutSet(np.array(shore, dtype=np.int32), cut_set(cycle, shore)) for shore in shores]

    run, cost = Run(Limits(), Limits().clock(), cycle=cycle), None
    with worker(Milp.library) as process:
        relaxation: Any = Fractions(process, run, program, Milp.unit, columns.tolist())
        for point, cuts in cutting_planes(relaxation, violated, cycle, run):
            if not cuts:
                cost = float(costs @ point)
                break
    return cost, program.sizes.clauses + run.work["cut_sets"]


def linear_program(spec: str, problem: Problem) -> LinearProgram:
    """Return the linear program of a backend, written with its options, or one of the `BASELINES`, on a problem;
    `BadInput` if it has none, or the problem is decided without one."""
    if spec == ASSIGNMENT:
        return ArcProgram(spec, Arcs(to_cycle(problem)), no_heartbeat)
    if spec == TWO_FACTOR:
        return TwoFactorProgram(spec, to_cycle(problem), 0, no_heartbeat)
    name, options = split_spec(spec)
    program = formula(problem, load(name, options, solving=False), name, 0)
    if not isinstance(program, LinearProgram):
        raise BadInput(f"backend {spec} is not a linear program: choose one such as milp")
    return program


def bounds_table(
    boards: Sequence[str], backends: Sequence[str], seeds: Sequence[int], tell: Callable[[str], None]
) -> str:
    """Return a Markdown table of the strength of linear relaxations, with a row for each backend and a column for each
    board, closed.

    An entry is the mean ratio of the bounds to the best tours under costs drawn with each of the seeds, with its
    standard deviation, or whether the relaxation is feasible where there is no tour. Then come the columns, and the
    rows under the first costs, of all boards together. ``tell`` hears of each entry.
    """
    problems = [Problem(graph_of(board), closed=True) for board in boards]
    drawn = [
        [np.random.default_rng(seed).integers(1, MAX_COST + 1, problem.graph.size).astype(float) for seed in seeds]
        for problem in problems
    ]
    for backend in backends:
        linear_program(backend, problems[0])  # which refuses what is none
    require("compare bounds", Milp.library)
    exact = [linear_program(Milp.name, problem) for problem in problems]
    best = [[bound(one, costs, whole=True)[0] for costs in each] for one, each in zip(exact, drawn, strict=True)]
    lines = []
    for backend in backends:
        programs, cells, rows = [linear_program(backend, problem) for problem in problems], [], 0
        for board, program, each, least in zip(boards, programs, drawn, best, strict=True):
            found = [bound(program, costs) for costs in each]
            ratios = [cost / optimum for (cost, _), optimum in zip(found, least, strict=True) if cost and optimum]
            cells.append(mean_words(ratios) if ratios else "infeasible" if found[0][0] is None else "feasible")
            rows += found[0][1]
            tell(f"{backend} {board}: {cells[-1]}")
        columns = sum(len(program.upper) for program in programs)
        lines.append([backend, *cells, f"{columns:,}", f"{rows:,}"])
    return "\n".join(table_lines(["", *boards, "columns", "rows"], lines)) + "\n"


def mean_words(ratios: Sequence[float]) -> str:
    """Return the mean of ratios and their standard deviation as text, with two digits, or three if that is small."""
    deviation = stdev(ratios) if len(ratios) > 1 else 0.0
    places = 2 if deviation >= 0.005 else 3
    return f"{mean(ratios):.{places}f}" + f"±{deviation:.{places}f}" * (len(ratios) > 1)


@dataclass
class Share:
    """The strength of unit propagation on a board: a row of ``counts`` for each assignment, which were all of them or
    ``drawn``. It has the literals found of those implied, or else 1 if the assignment was refuted, and 1: it is dead.
    """

    board: str
    backend: str
    drawn: bool
    counts: list[tuple[int, int, int, int]] = field(default_factory=list)

    def count(self, implied: Ints | None, derived: Ints | None) -> None:
        """Add one assignment: the edges that it implies, None if it is dead, and the values of all edges that
        were derived from it, None if it was refuted."""
        if implied is None:
            self.counts.append((0, 0, int(derived is None), 1))
            return
        assert derived is not None, "a tour agrees with what was refuted"
        self.counts.append((int(np.count_nonzero(derived[implied])), len(implied), 0, 0))

    @property
    def words(self) -> str:
        """The two shares in per cent, with standard deviations if they are of draws, a dash for a share of none."""
        counts = np.array(self.counts, dtype=float).reshape(-1, 4)
        pairs = ((counts[:, part], counts[:, part + 1]) for part in (0, 2))
        return "/".join(self._per_cent(part, whole) if whole.any() else "–" for part, whole in pairs)

    def _per_cent(self, part: Floats, whole: Floats) -> str:
        """Return the ratio of the sums of two columns of counts in per cent, with its standard deviation if drawn."""
        share = part.sum() / whole.sum()
        deviation = np.sqrt(((part - share * whole) ** 2).sum()) / whole.sum()
        return f"{100 * share:.0f}" + f"±{100 * deviation:.0f}" * self.drawn


def clauses_over_edges(spec: str, cycle: CycleProblem) -> tuple[list[list[int]], Ints, Ints]:
    """Return the clauses of a backend's formula with the variable of each edge and of each arc, in place of which
    formulations over edges alone have that of its edge."""
    name, options = split_spec(spec)
    backend, arcs = load(name, options), Arcs(cycle)
    edge, arc = arcs.variables, arcs.arc_variables
    if isinstance(backend, Eager):
        formula = backend.stated(cycle)
        blocks, arc, over_arcs = formula.blocks, formula.arc, backend.rule is not None
        edge = edge if over_arcs else formula.edge
    elif isinstance(backend, TwoFactorFormula | LazyArcs):
        blocks, over_arcs = [*backend.formula(cycle).clauses], isinstance(backend, LazyArcs)
        arc = arc if over_arcs else np.tile(edge, 2)
    else:
        raise BadInput(f"backend {spec} has no clauses over edges: choose one such as sat:adder")
    clauses = [clause for block in blocks for clause in block.tolist()]
    if over_arcs:
        edge = 1 + max(abs(literal) for clause in clauses for literal in clause) + np.arange(cycle.size, dtype=np.int32)
        for e, forth, back in zip(edge.tolist(), *np.split(arc, 2), strict=True):
            clauses += [[-e, int(forth), int(back)], [e, -int(forth)], [e, -int(back)]]
    return clauses, edge, arc


class Propagation:
    """Unit propagation from the clauses of a backend's formula, or of `CUT_SETS`, on a cycle problem.

    ``literals[value]`` are the literals by which it is assumed that the edges have this value: -1 not used, 1 used, in
    the direction from tail to head if that is known, 2 used from head to tail.
    """

    def __init__(self, spec: str, cycle: CycleProblem, *, directed: bool = False) -> None:
        self.spec, self.cycle = spec, cycle
        clauses, edge, arc = clauses_over_edges("sat" if spec == CUT_SETS else spec, cycle)
        forth, back = np.split(arc, 2)
        self._edge, self._values = edge, np.unique(np.concatenate([-edge, forth, back]))
        self.literals = {-1: -edge, 1: forth, 2: back} if directed else {-1: -edge, 1: edge}
        if spec == CUT_SETS:
            shores = np.array([*product((0, 1), repeat=cycle.order - 1)], dtype=bool)[1:]
            inside = np.pad(shores, [(0, 0), (0, 1)])
            clauses += [edge[row].tolist() for row in inside[:, cycle.tails] != inside[:, cycle.heads]]
        # PySAT leaves out what follows without assumptions, so that the clauses hold only if one more literal does.
        self._all = 1 + max(abs(literal) for clause in clauses for literal in clause)
        self._solver = Solver("minisat22", bootstrap_with=[[*clause, -self._all] for clause in clauses])

    def __call__(self, values: Ints, *, probing: bool = False) -> Ints | None:
        """Return the values of the edges after propagation from these, 1 used, -1 not, 0 open; None if they are
        refuted.

        With ``probing`` every open value is assumed once, and those refuted are ruled out.
        """
        assumed = [literal for value in self.literals for literal in self.literals[value][values == value].tolist()]
        signs = self._signs(assumed)
        if probing and signs is not None:
            tried = self._values[signs[abs(self._values)] == 0].tolist()
            signs = self._signs(assumed + [-literal for literal in tried if self._signs([*assumed, literal]) is None])
        return None if signs is None else signs[self._edge]

    def _signs(self, assumed: list[int]) -> Ints | None:
        """Return the value of each variable after propagation, 1 true, -1 false, 0 open; None if there is a
        contradiction."""
        while True:
            consistent, propagated = self._solver.propagate([self._all, *assumed])
            if not consistent:
                return None
            literals = np.array(propagated, dtype=int)
            signs = np.zeros(1 + self._all, dtype=int)
            signs[abs(literals)] = np.sign(literals)
            if self.spec != "sat":
                return signs
            used = np.flatnonzero(signs[self._edge] > 0).tolist()
            other_end = path_ends(self.cycle, used[: self.cycle.order - 1])  # the last edge of a tour closes it
            if other_end is None:
                return None
            closing = closing_edges(self.cycle, signs[self._edge], other_end)
            if len(used) >= self.cycle.order - 1 or not len(closing):
                return signs
            assumed = assumed + (-self._edge[closing]).tolist()


def path_ends(cycle: CycleProblem, used: Sequence[int]) -> dict[int, int] | None:
    """Return a dictionary from each end of a path that these edges form to the path's other end; None if they close a
    cycle.

    A vertex without an edge is a path of its own.
    """
    other_end = {vertex: vertex for vertex in range(cycle.order)}
    for edge in used:
        tail, head = int(cycle.tails[edge]), int(cycle.heads[edge])
        if other_end[tail] == head:
            return None
        first, last = other_end.pop(tail), other_end.pop(head)
        other_end[first], other_end[last] = last, first
    return other_end


def closing_edges(cycle: CycleProblem, values: Ints, other_end: Mapping[int, int]) -> Ints:
    """Return the edges without a value that would join the two ends of a path."""
    ends = zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)
    joins = np.array([other_end.get(tail) == head for tail, head in ends])
    return np.flatnonzero(joins & (values == 0)).astype(np.int32)


def all_tours(cycle: CycleProblem) -> Ints:
    """Return an array with a row for each closed tour and a column for each edge: 0 if the tour does not use it, 1 if
    it does from tail to head, 2 if from head to tail."""
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


def assignments(cycle: CycleProblem, found: Ints, draws: int, values: Sequence[int]) -> tuple[bool, list[Ints]]:
    """Return partial assignments of these values to edges, 0 for an edge without a value, and whether they are
    ``draws`` random ones; else they are all, at most `EXHAUSTED` times as many."""
    if (1 + len(values)) ** cycle.size <= EXHAUSTED * draws:
        return False, [np.array(each) for each in product((0, *values), repeat=cycle.size)]
    rng, drawn = np.random.default_rng(0), []
    for number in range(draws):
        tour = rng.choice(found) if len(found) else rng.random(cycle.size) < cycle.order / cycle.size
        chosen = rng.permutation(cycle.size)[: rng.integers(1, cycle.size + 1)]
        assigned = np.zeros(cycle.size, dtype=int)
        assigned[chosen] = np.where(tour[chosen], tour[chosen], -1)
        if number % 2:
            assigned[chosen[0]] = -1 if tour[chosen[0]] else 1
        drawn.append(assigned)
    return True, drawn


def shares(boards: Sequence[str], backends: Sequence[str], draws: int, *, directed: bool = False) -> Iterator[Share]:
    """Yield, for each board and backend, the `Share` that unit propagation derives, then that by `PROBED` literals."""
    for board in boards:
        cycle = to_cycle(Problem(graph_of(board), closed=True))
        found = all_tours(cycle) if directed else np.minimum(all_tours(cycle), 1)
        drawn, assigned = assignments(cycle, found, draws, (-1, 1, 2) if directed else (-1, 1))
        implied = [implied_edges(found, values) for values in assigned]
        for backend, probing in product(backends, (False, True)):
            share = Share(board, backend + PROBED * probing, drawn)
            if backend != CUT_SETS or cycle.order <= MAX_ORDER:
                propagate = Propagation(backend, cycle, directed=directed)
                for values, edges in zip(assigned, implied, strict=True):
                    share.count(edges, propagate(values, probing=probing))
            yield share


def implied_edges(found: Ints, values: Ints) -> Ints | None:
    """Return the edges without a value on which all those tours agree that extend an assignment; None if none does."""
    agreeing = found[((values == 0) | (found == np.maximum(values, 0))).all(axis=1)] > 0
    implied = (values == 0) & (agreeing.all(axis=0) | ~agreeing.any(axis=0))
    return np.flatnonzero(implied).astype(np.int32) if len(agreeing) else None


def strength_table(found: Sequence[Share]) -> str:
    """Return the shares as a Markdown table, a row for each backend and a column for each board."""
    rows: dict[str, list[str]] = {}
    for share in found:
        rows.setdefault(share.backend, []).append(share.words)
    boards = dict.fromkeys(share.board for share in found)
    return "\n".join(table_lines(["", *boards], [[backend, *words] for backend, words in rows.items()])) + "\n"
