"""The paths that the chosen edges form, kept while a SAT solver assigns and takes back: no path may close before it is
a tour.

The structure is that of Knuth's Hamiltonian-cycle programs (SSHAM): the chosen edges are disjoint paths, and each end
knows the other, its *mate*. It is an external propagator of the IPASIR-UP interface (Fazekas, Niemetz, Preiner,
Kirchweger, Szeider & Biere 2023), whose callbacks CaDiCaL makes through PySAT:

* Where a path is not yet a whole tour and an edge joins its two ends, that edge is propagated false; the reason, asked
  for only if a conflict needs it, is the path. This is what keeps a run on a board almost without conflicts. At the
  root, where the path consists of fixed edges, the clause is handed over at once instead: a literal that CaDiCaL 1.9.5
  propagates for us at decision level 0 has a value but stays active, never fixed, and after some inprocessing the
  solver decides without end or reads an empty heap (3.0.0 asks for the reason at level 0 and learns it, which is the
  same).
* Where unit propagation closed a cycle on its own, the clause of its cut set is handed over, all of whose literals are
  false.
* A whole assignment is looked at afresh, as a 2-factor; what is right about the answer never hangs on the incremental
  structure.

*Data and invariant.* Between callbacks, for the edges absorbed so far and not taken back, each trail entry ``(variable,
a, u, v, b)`` joined a path from a to u and one from v to b by the edge u-v. ``mate[x]`` is the other end for each end x
of a path, x itself if no edge is at x, stale inside a path. ``link[x]`` is the exclusive or of the variables of the
edges at x, which is enough to walk the path from an end. ``starts[k]`` is the length of the trail when decision level k
began, ``joined`` flags the variables on the trail. `fault` checks it.

*Cost.* Each assignment is one call to a method of `dict` in C; per decision level there are four calls of Python
functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import edge_keys
from cpsat_tour.core.runs import CutSetAdded, Run
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.drivers.sat import SatSolver
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import cut_set, cut_sets

WITH_PROPAGATORS = ("cadical195", "cadical300")  # those that have this interface in PySAT

OPTIONS = {"chrono": 0, "lucky": 0}
"""CaDiCaL's options for the propagator.

Without chronological backtracking the trail is a stack, and a search for lucky phases costs more than the solution of a
board.
"""

ON_A_SWEEP = {"reverse": 1}
"""CaDiCaL's options where edges are numbered along a sweep: in reverse it decides the first variable first, the edges
before the counts of `degree`."""

WITHOUT_A_SWEEP = {"otfs": 0, "reverse": 0}
"""CaDiCaL's options on other graphs, where no edge is the first.

What conflicts strengthen on the fly (``otfs``) are for the most part clauses about one path, and without it long
searches ended twice as soon: graphs of hubs, and those that stand for a directed cycle.
"""

Literals = Sequence[int]


class Propagator:
    """An external propagator over the edge variables of a numbering that keeps paths from closing too early; the solver
    is to observe all of them.

    It has the methods of PySAT's ``Propagator`` without being one, because the base class has a ``has_clause`` that
    would be called before each ``add_clause``. ``cycle`` is the last whole tour that was approved. After `stop`, or
    ``most`` cut sets, the solver ends at its next callback, and that it found nothing then means nothing.
    """

    def __init__(self, numbering: Numbering, most: int | None = None, *, prevents: bool = True) -> None:
        self.problem = problem = numbering.cycle
        self.numbering, self._most, self._order = numbering, most, problem.order
        self.cycle: Ints | None = None
        self.stopped, self.prevented, self.cut_sizes = False, 0, list[int]()
        tails, heads = problem.tails[numbering.edges], problem.heads[numbering.edges]
        self._tails, self._heads = [-1, *tails.tolist()], [-1, *heads.tolist()]
        # An edge leads from a vertex to this less the vertex.
        self._both_ends = [-1, *(tails + heads).tolist()]
        keys = edge_keys(problem.order, tails, heads)
        self._variable = dict(zip(keys.tolist(), range(1, problem.size + 1), strict=True)) if prevents else {}
        self.mate = list(range(problem.order))
        self.link = [0] * problem.order
        self.trail: list[tuple[int, int, int, int, int]] = []
        self.starts = [0]
        self.joined = bytearray(problem.size + 1)
        self._fixed_late: list[int] = []
        self._to_propagate: list[int] = []
        self._clauses: list[Literals] = []
        # For each edge that was kept out: an end of the path, the path's first edge there, its other end.
        self._kept_out: dict[int, tuple[int, int, int]] = {}
        # Assignments not yet absorbed, in order, each with whether it is permanent. They are stored by the dict's own
        # method, so the most frequent callback runs no Python code. Most of them are of literals set false, which are
        # of no interest.
        self._pending: dict[int, int] = {}
        self.on_assignment = self._pending.__setitem__
        # The solver makes its own decisions: int() is 0.
        self.decide = int

    # --- callbacks of the solver ---

    def on_new_level(self) -> None:
        """Note that the solver made a decision."""
        if self._pending:
            self._join_along_assigned_edges()
        self.starts.append(len(self.trail))

    def on_backtrack(self, level: int) -> None:
        """Take back the assignments above this decision level, except permanent ones."""
        pending = self._pending
        if pending:
            permanent = [literal for literal, fixed in pending.items() if fixed]
            pending.clear()
            pending.update(dict.fromkeys(permanent, 1))
        self._to_propagate.clear()
        if len(self.starts) > level + 1:
            self._take_back(self.starts[level + 1])
            del self.starts[level + 1 :]
        if self._fixed_late:
            pending.update((variable, 1) for variable in self._fixed_late if not self.joined[variable])
            if level == 0:
                self._fixed_late.clear()

    def propagate(self) -> list[int]:
        """Return the negated edges that would close a path too early.

        The list is empty at the root level and once the solver is to stop.
        """
        if self.stopped:
            return []
        if self._pending:
            self._join_along_assigned_edges()
        if not self._to_propagate:
            return []
        # An edge that was itself assigned meanwhile has closed the path, and the cut set says so.
        literals = [-variable for variable in self._to_propagate if not self.joined[variable]]
        self._to_propagate.clear()
        if len(self.starts) == 1:
            # CaDiCaL 1.9.5 assigns what is propagated at the root without marking it as fixed; a clause it takes in as
            # a unit.
            self._clauses += map(self.provide_reason, literals)
            return []
        return literals

    def provide_reason(self, literal: int) -> list[int]:
        """Return the clause from which a propagated literal follows: not all edges of the path and the edge between its
        ends."""
        vertex, variable, other_end = self._kept_out[-literal]
        both_ends, link = self._both_ends, self.link
        clause = [literal, -variable]
        vertex = both_ends[variable] - vertex
        while vertex != other_end:
            variable ^= link[vertex]
            vertex = both_ends[variable] - vertex
            clause.append(-variable)
        return clause

    def add_clause(self) -> Literals:
        """Return the next clause that waits, such as a violated cut set; an empty one if none does."""
        if self.stopped and not self._clauses:
            # Two clauses that contradict each other, given again and again, are the one way to make the solver return.
            self._clauses = [[-1], [1]]
        return self._clauses.pop() if self._clauses else ()

    def check_model(self, model: list[int]) -> bool:
        """Return True, and keep the ``cycle``, if the whole assignment is a tour; else queue the cut sets of its cycles
        and return False."""
        literals = np.array(model, dtype=np.int32)
        chosen = self.numbering.edges[literals[(literals > 0) & (literals <= self.problem.size)] - 1]
        cycles = self.problem.cycles(chosen)
        if len(cycles) == 1:
            self.cycle = cycles[0]
            return True
        for cut in cut_sets(self.problem, cycles):
            self._queue_cut_set(len(cut.shore), cut.edges)
        return False

    # --- for the search around the solver ---

    def cycles(self, solver_name: str, clauses: Iterable[Clauses], run: Run) -> Iterator[Ints]:
        """Yield the Hamiltonian cycles that satisfy the clauses, one after each run of the solver. `StoppedEarly` at a
        limit.

        ``work`` also counts the closing edges kept out. The limit on work holds for the conflicts that CaDiCaL counts
        and for the cut sets handed over, each of which is one that it doesn't.
        """
        run.work["cut_sets"] = 0
        order = WITHOUT_A_SWEEP if self.problem.source.graph.space.coordinates is None else ON_A_SWEEP

        def heartbeat() -> None:
            self.report(run)
            run.heartbeat()

        with SatSolver(solver_name, run, OPTIONS | order) as solver:
            solver.state(clauses)
            solver.connect(self, self.problem.size)
            while True:
                try:
                    satisfiable = solver.solve(self.stop, heartbeat)
                finally:
                    self.report(run)
                if not satisfiable:
                    break
                assert self.cycle is not None
                yield self.cycle[None, :]
                solver.add(-(1 + solver.true_among(self.problem.size))[None, :])
        if self.stopped:
            raise StoppedEarly("work")

    def stop(self) -> None:
        """Make the solver return at its next callback."""
        self.stopped = True

    def report(self, run: Run) -> None:
        """Update the counters of the run, and tell its listener of the cut sets added since the last report."""
        known = run.work["cut_sets"]
        run.work |= {"prevented": self.prevented, "joined": len(self.trail), "cut_sets": len(self.cut_sizes)}
        for size in self.cut_sizes[known:]:
            run.tell(CutSetAdded(size))

    def fault(self) -> str | None:
        """Return a description of the first broken invariant, None if all hold; for tests."""
        neighbours, links = [list[int]() for _ in range(self._order)], [0] * self._order
        for variable in np.flatnonzero(np.frombuffer(self.joined, dtype=np.uint8)).tolist():
            ends = self._tails[variable], self._heads[variable]
            for vertex, other in (ends, ends[::-1]):
                neighbours[vertex].append(other)
                links[vertex] ^= variable
        if self.link != links:
            return "wrong links"
        for vertex, around in enumerate(neighbours):
            if len(around) > 2:
                return f"{len(around)} edges at {vertex}"
            if len(around) > 1:
                continue
            previous, end = vertex, around[0] if around else vertex
            while len(neighbours[end]) == 2:
                first, second = neighbours[end]
                previous, end = end, (first if first != previous else second)
            if self.mate[vertex] != end:
                return f"the mate of {vertex} is {end}, not {self.mate[vertex]}"
        return None

    # --- the structure ---

    def _join_along_assigned_edges(self) -> None:
        """Join the paths along the edges that were assigned true since the last call."""
        mate, link, trail, joined = self.mate, self.link, self.trail, self.joined
        tails, heads, order = self._tails, self._heads, self._order
        above_root = len(self.starts) > 1
        for variable, fixed in self._pending.items():
            if variable < 0:
                continue
            if fixed and above_root:
                # A permanent assignment stays when its level is taken back, while the trail is a stack.
                self._fixed_late.append(variable)
            if joined[variable]:
                continue
            u, v = tails[variable], heads[variable]
            a, b = mate[u], mate[v]
            joined[variable] = 1
            link[u] ^= variable
            link[v] ^= variable
            if a == v:
                trail.append((variable, v, u, v, u))
                self._cut_off_closed(variable)
                continue
            mate[a] = b
            mate[b] = a
            trail.append((variable, a, u, v, b))
            closing = self._variable.get(a * order + b if a < b else b * order + a)
            if closing is not None and closing != variable and len(trail) < order - 1:
                self._kept_out[closing] = (a, link[a], b)
                self._to_propagate.append(closing)
                self.prevented += 1
        self._pending.clear()

    def _take_back(self, length: int) -> None:
        """Undo the trail down to this length, the last entry first."""
        mate, link, trail, joined = self.mate, self.link, self.trail, self.joined
        for variable, a, u, v, b in reversed(trail[length:]):
            joined[variable] = 0
            link[u] ^= variable
            link[v] ^= variable
            mate[a] = u
            mate[b] = v
        del trail[length:]

    def _cut_off_closed(self, closing: int) -> None:
        """Cut off the cycle that this edge closed, if it is not a tour."""
        both_ends, link = self._both_ends, self.link
        vertex, variable = self._tails[closing], closing
        cycle = [vertex]
        while (variable := link[vertex] ^ variable) != closing:
            vertex = both_ends[variable] - vertex
            cycle.append(vertex)
        if len(cycle) < self._order:
            self._queue_cut_set(len(cycle), cut_set(self.problem, cycle))

    def _queue_cut_set(self, size: int, cut: Ints) -> None:
        """Queue the cut set of a cycle of this size, and stop the solver once too many wait."""
        self.cut_sizes.append(size)
        self.stopped |= len(self.cut_sizes) == self._most
        # Without a way out of the cycle there is no tour, and an empty clause can't be handed over.
        self._clauses += [self.numbering.variables[cut].tolist()] if len(cut) else [[-1], [1]]
