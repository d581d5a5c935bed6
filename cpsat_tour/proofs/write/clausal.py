"""The clausal refutation: a lazy search that collects cut sets, then one fresh solve whose proof is logged.

The search is the cutting-plane loop over a relaxation that records its cut sets (Ohashi et al. 2025). When no solution
is left, a new solver gets all clauses at once, so that its proof is about one formula. That proof is in LRAT: each
learned clause follows by unit propagation from clauses before it, which it names. Since each clause follows from its
row by propagation as well, the same steps are a pseudo-Boolean proof from the rows.

The proof is read in the LRAT format (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp 2017), and what is not needed
is left out. A hint names the clauses that become unit, in order, when a learned clause is negated; with hints a checker
needs no search. CaDiCaL writes them as it learns (Pollitt, Fleury & Biere 2023). A line is the clause's number, its
literals, 0, its hints and 0, or deletes clauses. The clauses that a solver is given, and those that it learns, are
numbered in one order, and only learned ones have lines: so the numbers without a line are those of the given clauses.
Going backwards from the empty clause, only the lemmas that it depends on are kept (Goldberg & Novikov 2003).

The hints are not believed: the reader of the proof goes through them. Limit: all lemmas are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from tempfile import TemporaryFile

import numpy as np
import pysolvers

from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.runs import Watch, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.models.drivers.sat import SatRelaxation, SatSolver
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.write.veripb import ClausalProof, CycleRows, Lemma, RowFormula, TourEdges, Vertices, clauses_of

SOLVER, LRAT = "cadical195", {"lrat": 1, "binary": 0}

TOO_MANY = "there are more than {:,} tours, which is all that a certificate can list, so use cpsat-tour count"


def find_cycle_or_refute(
    cycle: CycleRows, known: list[Vertices], new_watch: Callable[[], Watch]
) -> Ints | ClausalProof:
    """Return a Hamiltonian cycle as its vertices in order, or the proof that there is none.

    The search starts from the known cut sets, to which it adds its own. Each of the two solvers begins with a new
    watch. `StoppedEarly` at a limit.
    """
    found = next(_cycles(cycle, known, {}, new_watch()), None)
    return _logged_refutation(RowFormula(cycle, tuple(known)), new_watch()) if found is None else found


def refute_other_tours(cycle: CycleRows, tours: Sequence[TourEdges], most: int, watch: Watch) -> ClausalProof:
    """Return the proof that there are no tours besides the given ones and those that the search finds; each is given by
    its edges.

    The limit on work holds for the search and the solver that logs the proof together. `StoppedEarly` at a limit, or
    if there are more than ``most``.
    """
    known: list[Vertices] = []
    shown = dict.fromkeys(tours)
    for _ in _cycles(cycle, known, shown, watch):
        if len(shown) > most:
            raise StoppedEarly(TOO_MANY.format(most))
    return _logged_refutation(RowFormula(cycle, tuple(known)), watch, list(shown))


def _cycles(cycle: CycleRows, known: list[Vertices], tours: dict[TourEdges, None], watch: Watch) -> Iterator[Ints]:
    """Yield the Hamiltonian cycles that ``tours`` lacks, and add them to it. `StoppedEarly` at a limit.

    Merging may find a tour once more.
    """
    with SatSolver(SOLVER, watch) as solver:
        clauses = clauses_of(RowFormula(cycle, tuple(known)), watch.heartbeat, list(tours))
        solver.add_each(map(list, with_heartbeats(clauses.clauses, watch.heartbeat)))
        relaxation = _RecordingRelaxation(solver, cycle, known, tours)
        yield from (rows[0] for rows in hamiltonian_cycles(relaxation, cycle.for_cutting, watch))


def _logged_refutation(
    formula: RowFormula,
    watch: Watch,
    tours: Sequence[TourEdges] | None = None,
) -> ClausalProof:
    """Return the proof that a fresh solver logs when it refutes the formula. `AssertionError` if it does not refute it,
    `StoppedEarly` at a limit.

    With ``tours`` the formula excludes these.
    """
    clauses = clauses_of(formula, watch.heartbeat, tours or ())
    with TemporaryFile() as file, SatSolver(SOLVER, watch, LRAT) as solver:
        stream = pysolvers.cadical195_tracepr(solver.solver.solver.cadical, file)
        solver.add_each(map(list, with_heartbeats(clauses.clauses, watch.heartbeat)))
        try:
            if solver.solve():
                raise AssertionError("the clauses that one solver refuted have a solution in another")
        finally:
            pysolvers.flushpr(stream)  # C would write what is left at the end, when the file is closed
        file.seek(0)
        lemmas = trim_with_hints(clauses.clauses, file, watch.heartbeat)
    return ClausalProof(formula.cut_sets, clauses, lemmas, None if tours is None else len(tours))


class _RecordingRelaxation(SatRelaxation):
    """A relaxation that records its cut sets in ``known``, and the solutions that it excludes in ``tours``."""

    def __init__(
        self, solver: SatSolver, cycle: CycleRows, known: list[Vertices], tours: dict[TourEdges, None]
    ) -> None:
        super().__init__(solver, np.arange(cycle.size, dtype=np.int32))
        self._cycle, self._known, self._tours = cycle, known, tours

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add the cut sets, and record their shores."""
        self._known.extend(self._cycle.shore(cut_set.shore.tolist()) for cut_set in cut_sets)
        super().cut(cut_sets)

    def block(self, edges: EdgeNumbers) -> None:
        """Exclude the solution, and record it as a tour."""
        self._tours[tuple(sorted(edges.tolist()))] = None
        super().block(edges)


def trim_with_hints(
    clauses: Sequence[Clause], lrat: Iterable[bytes], tick: Callable[[], None] = lambda: None
) -> tuple[Lemma, ...]:
    """Return the lemmas needed to derive the empty clause, each with its hints, in order; the last is the empty clause.

    ``lrat`` has the lines of a solver's proof from the clauses; ``tick`` is called now and then. `BackendFault` if the
    proof does not end in the empty clause, or names a clause that there is not.
    """
    if () in clauses:
        return (Lemma((), (clauses.index(()) + 1,)),)
    learned: dict[int, Lemma] = {}
    for line in with_heartbeats(lrat, tick):
        name, *words = line.split()
        if words[0] != b"d":
            numbers = tuple(map(int, words))
            end = numbers.index(0)
            learned[int(name)] = Lemma(numbers[:end], numbers[end + 1 : -1])
    needed = {number for number, lemma in learned.items() if not lemma.clause}
    if not needed:
        raise BackendFault("the solver's proof does not end in a contradiction")
    for number in sorted(learned, reverse=True):
        if number in needed:
            needed.update(learned[number].hints)
    given = (number for number in count(1) if number not in learned)
    place, kept = dict(zip(given, range(1, len(clauses) + 1), strict=False)), list[Lemma]()
    for number in sorted(needed & learned.keys()):
        clause, hints = learned[number]
        if not place.keys() >= set(hints):
            raise BackendFault(f"the solver's proof derives {clause} from a clause that there is not")
        kept.append(Lemma(clause, tuple(place[hint] for hint in hints)))
        place[number] = len(clauses) + len(kept)
    return tuple(kept)
