"""The clausal refutation: a lazy search that collects cut sets, then one fresh solve whose proof is logged.

The search solves the degree constraints with a SAT solver; a solution is a 2-factor, and each of its cycles that is too short becomes a cut
set (Soh, Le Berre, Roussel, Banbara & Tamura 2014). When no solution is left, a new solver gets all clauses at once, so
that its proof speaks of one formula. Every learned clause is in DRUP (Heule, Hunt & Wetzler 2013), by reverse unit propagation from the
clauses before it; since each clause follows from its row by propagation, the same lines are a pseudo-Boolean proof from the rows.

Limits: the solver is asked in slices of `SLICE` conflicts, between which the clock and the limit on conflicts are looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.background import in_background
from cpsat_tour.core.events import CutSetAdded, OnEvent, Progress, TwoFactorFound
from cpsat_tour.core.reduction import two_factor_cycles
from cpsat_tour.proofs.write.clauses import ProofStep, RowClauses, clauses_of, cut_clause, pb_clause
from cpsat_tour.proofs.write.rows import CycleRows, RowFormula, Vertices

SOLVER = "cadical195"
SLICE = 2000


@dataclass(frozen=True, eq=False)
class ClausalProof:
    """The shores of the formula's cut sets, the formula's clauses, and the solver's DRUP lines, which end in the empty clause."""

    cut_sets: tuple[Vertices, ...]
    clauses: RowClauses
    drup: tuple[str, ...]

    @property
    def learned(self) -> int:
        """The number of clauses that the solver learned, the empty one included."""
        return sum(not line.startswith("d") for line in self.drup)

    def steps(self, formula: RowFormula) -> Iterator[str]:
        """The lines of the pseudo-Boolean proof from the formula's rows; the last derives the empty clause.

        Rows stay; a learned clause is deleted where the solver deletes it, unless it is a unit, which propagation has used for good.
        """
        ids: dict[tuple[int, ...], list[int]] = defaultdict(list)
        number = formula.ids
        for step in self.clauses.derived:
            number += 1
            yield step.line
        for line in self.drup:
            deleted = line.startswith("d")
            clause = tuple(int(word) for word in line.split() if word not in ("d", "0"))
            key = tuple(sorted(clause))
            if not deleted:
                number += 1
                ids[key].append(number)
                yield ProofStep(f"rup {pb_clause(clause)}").line
            elif len(key) > 1 and ids[key]:
                yield f"del id {ids[key].pop()}"

    def length(self, formula: RowFormula) -> int:
        """The id of the last constraint derived."""
        return formula.ids + len(self.clauses.derived) + self.learned

    def dimacs(self, formula: RowFormula) -> Iterator[str]:
        """The lines of the DIMACS file of the clauses."""
        clauses = list(self.clauses)
        edges, cuts = formula.cycle.size, len(formula.cut_sets)
        yield f"c two edges at each vertex, required and forbidden edges, {cuts} cut sets: variables 1 to {edges} are the edges"
        yield f"p cnf {self.clauses.variables} {len(clauses)}"
        yield from (" ".join(map(str, (*clause, 0))) for clause in clauses)


@dataclass(frozen=True)
class ClausalOutcome:
    """What the search said: a cycle's edges, or a proof that there is none, or the limit that stopped it; and the cut sets it needed."""

    cycle_edges: NDArray[np.int64] | None = None
    proof: ClausalProof | None = None
    cut_sets: tuple[Vertices, ...] = ()
    stopped_by: str | None = None
    work: dict[str, int] = field(default_factory=dict)


def search(
    cycle: CycleRows,
    clock: Clock,
    cut_sets: Sequence[Vertices] = (),
    conflicts: int | None = None,
    on_event: OnEvent | None = None,
) -> ClausalOutcome:
    """Look for a cycle, starting from these cut sets; where there is none, prove it. ``conflicts`` is the limit of each of the two solvers."""
    from pysat.solvers import Solver

    known = list(dict.fromkeys(cut_sets))
    work = {"solves": 0, "conflicts": 0, "cut sets": 0}
    with Solver(name=SOLVER, bootstrap_with=list(clauses_of(RowFormula(cycle, tuple(known))))) as solver:
        while True:
            work["solves"] += 1
            found = _solve(solver, clock, conflicts, _teller(on_event, work))
            work["conflicts"] = solver.accum_stats()["conflicts"]
            if found is None:
                return ClausalOutcome(None, None, tuple(known), _stopped_by(clock), work)
            if not found:
                break
            chosen = np.array([literal - 1 for literal in solver.get_model()[: cycle.size] if literal > 0], dtype=np.int64)
            cycles = two_factor_cycles(cycle.order, cycle.tails[chosen], cycle.heads[chosen], directed=False)
            if on_event is not None:
                on_event(TwoFactorFound(len(cycles)))
            if len(cycles) == 1:
                return ClausalOutcome(chosen, None, tuple(known), None, work)
            for vertices in cycles if len(cycles) > 2 else cycles[:1]:
                known.append(cycle.shore(vertices.tolist()))
                work["cut sets"] += 1
                solver.add_clause(cut_clause(RowFormula(cycle, tuple(known)), len(known) - 1))
                if on_event is not None:
                    on_event(CutSetAdded(len(known[-1])))
    return _proof(cycle, tuple(known), clock, conflicts, work, on_event)


def _proof(
    cycle: CycleRows,
    cut_sets: tuple[Vertices, ...],
    clock: Clock,
    conflicts: int | None,
    work: dict[str, int],
    on_event: OnEvent | None,
) -> ClausalOutcome:
    from pysat.solvers import Solver

    clauses = clauses_of(RowFormula(cycle, cut_sets))
    if () in clauses.plain:
        return ClausalOutcome(None, ClausalProof(cut_sets, clauses, ("0",)), cut_sets, None, work)
    with Solver(name=SOLVER, bootstrap_with=list(clauses), with_proof=True) as solver:
        found = _solve(solver, clock, conflicts, _teller(on_event, work))
        work["conflicts"] += solver.accum_stats()["conflicts"]
        if found is None:
            return ClausalOutcome(None, None, cut_sets, _stopped_by(clock), work)
        if found:
            raise AssertionError("the clauses that one solver refuted have a solution in another")
        drup = list(solver.get_proof())
    ends = drup.index("0") if "0" in drup else len(drup)
    return ClausalOutcome(None, ClausalProof(cut_sets, clauses, (*drup[:ends], "0")), cut_sets, None, work)


def _solve(solver: Any, clock: Clock, conflicts: int | None, heartbeat: Callable[[], None]) -> bool | None:
    """Whether the clauses have a solution; None at a limit.

    The solver runs in the background: on the main thread PySAT answers Ctrl-C by a long jump out of it.
    """
    stopped = Event()

    def in_slices() -> bool | None:
        while not (stopped.is_set() or clock.expired) and (conflicts is None or solver.accum_stats()["conflicts"] < conflicts):
            solver.conf_budget(SLICE)
            found = solver.solve_limited()
            if found is not None:
                return bool(found)
        return None

    return in_background(in_slices, heartbeat, stopped.set)


def _teller(on_event: OnEvent | None, work: dict[str, int]) -> Callable[[], None]:
    """What tells the work up to the solve under way, whose own can't be read yet."""

    def tell() -> None:
        if on_event is not None:
            on_event(Progress(dict(work)))

    return tell


def _stopped_by(clock: Clock) -> str:
    return "time" if clock.expired else "conflicts"
