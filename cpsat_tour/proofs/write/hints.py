"""The clauses from which each learned clause follows, in the order in which they propagate: what LRAT and VeriPB call
hints.

A solver's DRUP proof says only that each clause follows by unit propagation. The pass goes through it once, forward,
with the checker's own propagation, and notes the reasons of each conflict (Cruz-Filipe, Heule, Hunt, Kaufmann &
Schneider-Kamp 2017). Each literal that holds for good becomes a clause of its own, so that no hints repeat its reasons.
Then, from the contradiction back, all that is not needed is left out (Goldberg & Novikov 2003).

The hints are not believed: whoever reads the proof goes through them. Limit: all hints are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.proofs.check import kernel
from cpsat_tour.proofs.check.kernel import CONFLICT, NONE, Assignment, Rows
from cpsat_tour.proofs.check.propagation import Propagator
from cpsat_tour.proofs.write.dialects import Clause, Lemma

CLAUSES_BETWEEN_TICKS = 1024


def with_hints(
    clauses: Sequence[Clause], drup: Iterable[str], tick: Callable[[], None] = lambda: None
) -> tuple[Lemma, ...]:
    """The lemmas that the empty clause needs, which is the last of them, from the clauses of a formula and the DRUP
    proof of a solver.

    ``tick`` is called now and then. `BackendFault` where a clause does not follow by unit propagation, or the proof has
    no end.
    """
    found = _Pass(len(clauses))
    for number, clause in enumerate(clauses):
        if not number % CLAUSES_BETWEEN_TICKS:
            tick()
        if found.add(clause, number + 1):
            return _needed(found.lemmas, len(clauses))
    for number, line in enumerate(drup):
        if not number % CLAUSES_BETWEEN_TICKS:
            tick()
        clause = tuple(int(word) for word in line.split() if word not in ("d", "0"))
        if line.startswith("d"):
            found.forget(clause)
        elif found.learn(clause):
            return _needed(found.lemmas, len(clauses))
    raise BackendFault("the solver's proof does not end in a contradiction")


class _Pass:
    """The clauses so far and the lemmas, each with its hints."""

    def __init__(self, clauses: int) -> None:
        self.lemmas: list[Lemma] = []
        self._clauses = clauses
        self._live = _Explaining()
        self._by_literals: dict[Clause, list[int]] = {}

    def learn(self, clause: Clause) -> bool:
        """Take a clause that the solver learned; whether there is the contradiction."""
        hints = self._live.reasons(clause)
        if hints is None:
            raise BackendFault(f"the solver's proof has a step that does not follow by unit propagation: {clause}")
        return self.add(clause, self._lemma(clause, hints))

    def forget(self, clause: Clause) -> None:
        """The solver deletes the clause; a unit stays, which propagation has used for good."""
        places = self._by_literals.get(tuple(sorted(clause)), [])
        if len(clause) > 1 and places:
            self._live.remove(places.pop())

    def add(self, clause: Clause, number: int) -> bool:
        """Take a clause of the formula, or a lemma, and what follows from it for good as lemmas; whether that is the
        contradiction."""
        rest = self._live.not_false(clause)
        known = self._live.take(clause, number)
        self._by_literals.setdefault(tuple(sorted(clause)), []).append(len(self._live.numbers))
        if known is not None:
            for literal in known:
                if hints := self._live.why(literal):
                    self._live.take((literal,), self._lemma((literal,), hints))
            return False
        # With the clause there is a conflict: so what it demands is a lemma, and that alone leads to it.
        self._live.remove(len(self._live.numbers))
        hints = (*self._live.units(clause, but=rest), number)
        if rest:
            first = number if len(clause) == 1 else self._lemma(rest, hints)
            hints = (first, *(self._live.reasons((-rest[0],)) or ()))
        self._lemma((), hints)
        return True

    def _lemma(self, clause: Clause, hints: tuple[int, ...]) -> int:
        """The number of a lemma that is new."""
        self.lemmas.append(Lemma(clause, hints))
        return self._clauses + len(self.lemmas)


class _Explaining(Propagator):
    """Propagation over clauses that says why. Its ids are places in ``numbers``, from 1: lemmas come between the
    formula's clauses."""

    def __init__(self) -> None:
        super().__init__(self._compile)
        self._conflict_reasons = conflict_reasons
        self.numbers: list[int] = []

    def _compile(self) -> None:
        kernel.compile_all()
        self._conflict_reasons = _compiled_reasons()

    def not_false(self, clause: Clause) -> Clause:
        """The literals of the clause that are not false for good."""
        self._ready(clause)
        return tuple(literal for literal in clause if self._assignment.value[_code(literal)] >= 0)

    def take(self, clause: Clause, number: int) -> Clause | None:
        """Add a clause; the literals that hold for good from now on, or None where there is a conflict."""
        self._ready(clause)
        before = self._root
        self.numbers.append(number)
        self.add_clause(len(self.numbers), [_code(literal) for literal in clause])
        if self._root == CONFLICT:
            return None
        return tuple(map(_literal, self._assignment.trail[before : self._root].tolist()))

    def why(self, literal: int) -> tuple[int, ...]:
        """The hints by which a literal holds for good; none where it is a clause of its own.

        If the rows were copied since it came to hold, its reason may be another now, and have literals that are no
        clauses of their own yet.
        """
        self._ready(())
        row = self._assignment.reason[abs(literal)]
        if self._is_unit(row):
            return ()
        codes = self._rows.literal[self._rows.start[row] : self._rows.start[row + 1]].tolist()
        others = tuple(other for other in map(_literal, codes) if other != literal)
        if all(self._is_unit(self._assignment.reason[abs(other)]) for other in others):
            return (*self.units(others, but=()), *self._numbers_of([row]))
        return self.reasons((literal,)) or ()

    def _is_unit(self, row: int) -> bool:
        return bool(self._rows.start[row + 1] - self._rows.start[row] == 1)

    def units(self, clause: Iterable[int], but: Clause) -> tuple[int, ...]:
        """The clauses by which the literals of a clause are false for good, but these."""
        self._ready(())
        return self._numbers_of([self._assignment.reason[abs(literal)] for literal in clause if literal not in but])

    def reasons(self, clause: Clause) -> tuple[int, ...] | None:
        """The clauses by which this one follows by reverse unit propagation, in order; None where it does not
        follow."""
        self._ready(clause)
        variables = len(self._assignment.trail)
        assumed = np.array([_code(-literal) for literal in clause], dtype=np.int32)
        found = np.zeros(variables + 1, dtype=np.int64)
        self._work()
        count = self._conflict_reasons(
            self._rows, self._assignment, self._root, assumed, np.zeros(variables, dtype=np.bool_), found
        )
        return None if count == NONE else self._numbers_of(found[:count][::-1])

    def _numbers_of(self, rows: Sequence[int] | NDArray[np.int64]) -> tuple[int, ...]:
        """The numbers of the clauses in these rows."""
        return tuple(self.numbers[place - 1] for place in self._ids[np.array(rows, dtype=np.int64)].tolist())

    def _ready(self, clause: Clause) -> None:
        """See to it that there is room for the clause, and that what holds for good is assigned."""
        self._make_room(len(clause), max(map(_code, clause), default=0) | 1)
        self._settle(self._count)


def _code(literal: int) -> int:
    return 2 * abs(literal) + (literal < 0)


def _literal(code: int) -> int:
    return -(code >> 1) if code & 1 else code >> 1


@cache
def _compiled_reasons() -> Callable[..., int]:
    from cpsat_tour.core.compiled import compiled  # loads Numba

    return compiled(conflict_reasons)


def conflict_reasons(
    rows: Rows,
    assignment: Assignment,
    root: int,
    assumed: NDArray[np.int32],
    needed: NDArray[np.bool_],
    found: NDArray[np.int64],
) -> int:
    """Fill in the rows by which the assumed literals lead to a conflict, last first; how many they are, or `NONE` where
    there is none.

    ``needed``, all false, has a place for each variable.
    """
    size, touched, conflict, clash, count = root, 0, NONE, NONE, 0
    for literal in assumed:
        more = kernel.assign(assignment, size, literal, NONE)
        if more == CONFLICT:
            clash = literal >> 1
            needed[clash] = True
            break
        size = more
    if clash == NONE:
        size, touched, conflict = kernel.spread(rows, assignment, root, size)
        if conflict != NONE:
            found[0] = conflict
            count = 1
            for place in range(rows.start[conflict], rows.start[conflict + 1]):
                needed[rows.literal[place] >> 1] = True
    for place in range(size - 1, -1, -1):
        variable = assignment.trail[place] >> 1
        if needed[variable]:
            row = assignment.reason[variable]
            if row != NONE:
                found[count] = row
                count += 1
                for other in range(rows.start[row], rows.start[row + 1]):
                    needed[rows.literal[other] >> 1] = True
            needed[variable] = False
    kernel.retract(rows, assignment, root, size, touched)
    return count if clash != NONE or conflict != NONE else NONE


def _needed(lemmas: Sequence[Lemma], clauses: int) -> tuple[Lemma, ...]:
    """The lemmas that the last one needs, numbered anew."""
    needed = [False] * len(lemmas)
    needed[-1] = True
    for place in range(len(lemmas) - 1, -1, -1):
        if needed[place]:
            for hint in lemmas[place].hints:
                if hint > clauses:
                    needed[hint - clauses - 1] = True
    number: dict[int, int] = {}
    kept = []
    for place, lemma in enumerate(lemmas):
        if needed[place]:
            kept.append(Lemma(lemma.clause, tuple(number.get(hint, hint) for hint in lemma.hints)))
            number[clauses + place + 1] = clauses + len(kept)
    return tuple(kept)
