"""Adds hints to a solver's DRUP proof.

A hint lists the clauses that become unit, in order, when a learned clause is negated; with hints a checker needs no
search. Two passes: forward, propagating and recording reasons (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp
2017); backward, keeping only the lemmas that the empty clause depends on (Goldberg & Novikov 2003). Each literal that
holds for good becomes a lemma of its own, so that no hints repeat its reasons.

The hints are not believed: whoever reads the proof goes through them. Limit: all hints are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.proofs.write import watched
from cpsat_tour.proofs.write.dialects import Clause, Lemma
from cpsat_tour.proofs.write.watched import CONFLICT, NONE, Assignment, Clauses

CLAUSES_BETWEEN_TICKS = 1024

MAX_PLAIN = 1 << 20
"""Literals that may be looked at, all of them in each step, before the functions of `watched` are compiled: to load a
compiler takes longer than few and small steps."""

MIN_ROOM = 1 << 10
"""Clauses, places and literals that there is room for at first."""


def trim_with_hints(
    clauses: Sequence[Clause], drup: Iterable[str], tick: Callable[[], None] = lambda: None
) -> tuple[Lemma, ...]:
    """Return the lemmas needed to derive the empty clause, each with its hints, in order; the last is the empty clause.

    ``drup`` has the lines of a solver's proof from the clauses; ``tick`` is called now and then. `BackendFault` where a
    clause does not follow by unit propagation, or the proof has no end.
    """
    proof = _HintedProof(len(clauses))
    for number, clause in enumerate(clauses, start=1):
        if not number % CLAUSES_BETWEEN_TICKS:
            tick()
        if proof.add(clause, number):
            return _needed(proof.lemmas, len(clauses))
    for number, line in enumerate(drup):
        if not number % CLAUSES_BETWEEN_TICKS:
            tick()
        clause = tuple(int(word) for word in line.split() if word not in ("d", "0"))
        if line.startswith("d"):
            proof.forget(clause)
        elif proof.learn(clause):
            return _needed(proof.lemmas, len(clauses))
    raise BackendFault("the solver's proof does not end in a contradiction")


class _HintedProof:
    """The clauses so far and the lemmas, each with its hints."""

    def __init__(self, clauses: int) -> None:
        self.lemmas: list[Lemma] = []
        self._clauses = clauses
        self._known = _Propagation()
        self._by_literals: dict[Clause, list[int]] = {}

    def learn(self, clause: Clause) -> bool:
        """Add a learned clause. Return True if it contradicts the clauses so far."""
        hints = self._known.conflict(clause)
        if hints is None:
            raise BackendFault(f"the solver's proof has a step that does not follow by unit propagation: {clause}")
        return self.add(clause, self._lemma(clause, hints))

    def forget(self, clause: Clause) -> None:
        """Delete a clause as the solver does; a unit stays, which propagation has used for good."""
        places = self._by_literals.get(tuple(sorted(clause)), [])
        if len(clause) > 1 and places:
            self._known.remove(places.pop())

    def add(self, clause: Clause, number: int) -> bool:
        """Add the clause with this number, and a lemma for each literal that holds for good from now on. Return True if
        it contradicts the clauses so far."""
        undecided = self._known.not_false(clause)
        place, implied = self._known.add(clause, number)
        self._by_literals.setdefault(tuple(sorted(clause)), []).append(place)
        if implied is None:
            self._known.remove(place)
            self._contradict(clause, number, undecided)
            return True
        for literal in implied:
            if hints := self._known.reason_of(literal):
                self._known.add((literal,), self._lemma((literal,), hints))
        return False

    def _contradict(self, clause: Clause, number: int, undecided: Clause) -> None:
        """Add the empty clause: the other clauses and this one end in a conflict.

        Of its literals at most one was not false for good, so that it is a lemma, which leads to the conflict alone.
        """
        hints = (*self._known.units_against(clause, but=undecided), number)
        if undecided:
            first = number if len(clause) == 1 else self._lemma(undecided, hints)
            hints = (first, *(self._known.conflict((-undecided[0],)) or ()))
        self._lemma((), hints)

    def _lemma(self, clause: Clause, hints: tuple[int, ...]) -> int:
        """Add a lemma, and return its number."""
        self.lemmas.append(Lemma(clause, hints))
        return self._clauses + len(self.lemmas)


class _Propagation:
    """Clauses that come and go, and what follows from them by unit propagation, with the reasons.

    A clause has a *place*, from 1 in the order in which clauses came, and a number by which hints name it. Between
    calls what follows from the clauses alone is assigned, and nothing else. Where a clause goes that is the reason of
    some of that, or the arrays are new, all is *stale*: the next call begins with nothing, and attaches all clauses
    again. When the arrays are full, the live clauses are copied to new ones with as much room again.
    """

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._plain_left = MAX_PLAIN
        self._clauses, self._assignment = _room(0, 0, 0)
        self._places: NDArray[np.int64] = np.zeros(len(self._clauses.dead), dtype=np.int64)
        self._count = self._root = 0
        self._stale = False

    def add(self, clause: Clause, number: int) -> tuple[int, Clause | None]:
        """Add a clause. Return its place, and the literals that hold for good from now on, or None where there is a
        conflict."""
        self._make_ready(clause)
        self._numbers.append(number)
        clauses, row, before = self._clauses, self._count, self._root
        begin = int(clauses.start[row])
        end = clauses.start[row + 1] = begin + len(clause)
        clauses.literal[begin:end] = [_code(literal) for literal in clause]
        clauses.owner[begin:end] = row
        self._places[row] = len(self._numbers)
        self._count += 1
        self._root = watched.attach(clauses, self._assignment, before, row)
        implied = None if self._root == CONFLICT else self._assignment.trail[before : self._root].tolist()
        return len(self._numbers), None if implied is None else tuple(map(_literal, implied))

    def remove(self, place: int) -> None:
        """Remove the clause at this place."""
        row = int(self._places[: self._count].searchsorted(place))
        self._stale |= self._root == CONFLICT or watched.is_reason(self._clauses, self._assignment, row)
        self._clauses.dead[row] = True

    def not_false(self, clause: Clause) -> Clause:
        """Return the literals of the clause that are not false for good."""
        self._make_ready(clause)
        return tuple(literal for literal in clause if self._assignment.value[_code(literal)] >= 0)

    def units_against(self, clause: Iterable[int], but: Clause = ()) -> tuple[int, ...]:
        """Return the clauses by which the literals of a clause are false for good, but these."""
        self._make_ready(())
        return self._numbers_of([self._assignment.reason[abs(literal)] for literal in clause if literal not in but])

    def reason_of(self, literal: int) -> tuple[int, ...]:
        """Return the hints by which a literal holds for good; none where it is a clause of its own.

        If the clauses were copied since it came to hold, its reason may be another now, and have literals that are no
        clauses of their own yet.
        """
        self._make_ready(())
        row = self._assignment.reason[abs(literal)]
        if self._is_unit(row):
            return ()
        codes = self._clauses.literal[self._clauses.start[row] : self._clauses.start[row + 1]].tolist()
        others = tuple(other for other in map(_literal, codes) if other != literal)
        if all(self._is_unit(self._assignment.reason[abs(other)]) for other in others):
            return (*self.units_against(others), *self._numbers_of([row]))
        return self.conflict((literal,)) or ()

    def conflict(self, clause: Clause) -> tuple[int, ...] | None:
        """Return the clauses that become unit, in order, when this one is negated, up to a conflict; None where there
        is none."""
        self._make_ready(clause)
        variables = len(self._assignment.trail)
        assumed = np.array([_code(-literal) for literal in clause], dtype=np.int32)
        found = np.zeros(variables + 1, dtype=np.int64)
        needed = np.zeros(variables, dtype=np.bool_)
        count = watched.conflict_reasons(self._clauses, self._assignment, self._root, assumed, needed, found)
        return None if count == NONE else self._numbers_of(found[:count][::-1])

    def _is_unit(self, row: int) -> bool:
        return bool(self._clauses.start[row + 1] - self._clauses.start[row] == 1)

    def _numbers_of(self, rows: Sequence[int] | NDArray[np.int64]) -> tuple[int, ...]:
        return tuple(self._numbers[place - 1] for place in self._places[np.array(rows, dtype=np.int64)].tolist())

    def _make_ready(self, clause: Clause) -> None:
        """Make room for the clause, and assign what follows from the others."""
        clauses, highest = self._clauses, max(map(_code, clause), default=0) | 1
        end = int(clauses.start[self._count]) + len(clause)
        if self._count >= len(clauses.dead) or end > len(clauses.literal) or highest >= len(clauses.head) - 1:
            live = np.flatnonzero(~clauses.dead[: self._count])
            needed = int((clauses.start[live + 1] - clauses.start[live]).sum()) + len(clause)
            self._clauses, self._assignment = _room(len(live), needed, max(len(clauses.head) // 2, highest + 1))
            watched.copy(clauses, live, self._clauses)
            places = self._places[live]
            self._places = np.zeros(len(self._clauses.dead), dtype=np.int64)
            self._places[: len(live)] = places
            self._count, self._stale = len(live), True
        if self._plain_left > 0:
            self._plain_left -= int(self._clauses.start[self._count])
            if self._plain_left <= 0:
                watched.compile_all()
        if self._stale:
            self._root = watched.attach_all(self._clauses, self._assignment, self._count)
            self._stale = False


def _room(clauses: int, places: int, literals: int) -> tuple[Clauses, Assignment]:
    """Empty arrays with room for twice as much."""
    clauses, places, literals = (2 * max(number, MIN_ROOM) for number in (clauses, places, literals))
    owner, literal, after = (np.zeros(places, dtype=np.int32) for _ in range(3))
    trail, reason = (np.zeros(literals // 2, dtype=np.int32) for _ in range(2))
    start, head = np.zeros(clauses + 1, dtype=np.int32), np.full(literals, NONE, dtype=np.int32)
    empty = Clauses(start, np.zeros(clauses, dtype=np.bool_), literal, owner, after, head)
    return empty, Assignment(np.zeros(literals, dtype=np.int8), trail, reason)


def _code(literal: int) -> int:
    return 2 * abs(literal) + (literal < 0)


def _literal(code: int) -> int:
    return -(code >> 1) if code & 1 else code >> 1


def _needed(lemmas: Sequence[Lemma], clauses: int) -> tuple[Lemma, ...]:
    """Return the lemmas that the last one needs, numbered anew."""
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
