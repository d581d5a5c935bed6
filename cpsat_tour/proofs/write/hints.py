"""Adds hints to a solver's DRUP proof.

A hint lists the clauses that become unit, in order, when a learned clause is negated; with hints a checker needs no
search. Two passes: forward, propagating and recording reasons (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp
2017); backward, keeping only the lemmas that the empty clause depends on (Goldberg & Novikov 2003). Each literal that
holds for good becomes a lemma of its own, so that no hints repeat its reasons.

The hints are not believed: whoever reads the proof goes through them. Limit: all clauses and hints are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.proofs.write import watched
from cpsat_tour.proofs.write.veripb import Clause, Lemma

MAX_PLAIN = 1 << 21
"""Learned clauses times literals, up to which the functions of `watched` are not compiled: to load a compiler takes
longer."""


def trim_with_hints(
    clauses: Sequence[Clause], drup: Iterable[str], tick: Callable[[], None] = lambda: None
) -> tuple[Lemma, ...]:
    """Return the lemmas needed to derive the empty clause, each with its hints, in order; the last is the empty clause.

    ``drup`` has the lines of a solver's proof from the clauses; ``tick`` is called now and then. `BackendFault` if a
    clause does not follow by unit propagation, or the proof has no end.
    """
    steps = [(line[0] == "d", tuple(int(word) for word in line.split() if word not in ("d", "0"))) for line in drup]
    learned = [clause for deleted, clause in steps if not deleted]
    variables = max((abs(literal) for clause in (*clauses, *learned) for literal in clause), default=0)
    places = sum(map(len, clauses)) + sum(map(len, learned)) + variables
    if len(learned) * places > MAX_PLAIN:
        watched.compile_all()
    proof = _HintedProof(len(clauses), len(clauses) + len(learned) + variables, places, variables)
    for number, clause in enumerate(with_heartbeats(clauses, tick), start=1):
        if proof.add(clause, number):
            return proof.needed_lemmas()
    for deleted, clause in with_heartbeats(steps, tick):
        if deleted:
            proof.forget(clause)
        elif proof.learn(clause):
            return proof.needed_lemmas()
    raise BackendFault("the solver's proof does not end in a contradiction")


class _HintedProof:
    """The clauses so far and the lemmas, each with its hints.

    A clause has a *row* in the arrays of `watched`, in the order in which clauses came, and a number by which hints
    name it. Between calls exactly the consequences of the clauses are assigned; the reason of each of these literals is
    a clause of its own, which stays.
    """

    def __init__(self, given: int, rows: int, places: int, variables: int) -> None:
        """Make room for so many rows, with so many literals together."""
        self._given = given
        self._lemmas: list[Lemma] = []
        self._numbers: list[int] = []
        self._by_literals: dict[Clause, list[int]] = {}
        self._clauses, self._assignment = watched.empty(rows, places, variables)
        self._root = 0

    def learn(self, clause: Clause) -> bool:
        """Add a learned clause; return True if it contradicts the clauses so far."""
        hints = self._conflict(clause)
        if hints is None:
            raise BackendFault(f"the solver's proof has a step that does not follow by unit propagation: {clause}")
        return self.add(clause, self._lemma(clause, hints))

    def forget(self, clause: Clause) -> None:
        """Delete a clause as the solver does; a unit stays, which propagation has used for good."""
        rows = self._by_literals.get(tuple(sorted(clause)), [])
        if len(clause) > 1 and rows:
            self._clauses.dead[rows.pop()] = True

    def add(self, clause: Clause, number: int) -> bool:
        """Add the clause with this number, and a lemma for each literal that holds for good from now on; return True if
        it contradicts the clauses so far."""
        undecided = tuple(literal for literal in clause if self._assignment.value[_code(literal)] >= 0)
        self._by_literals.setdefault(tuple(sorted(clause)), []).append(len(self._numbers))
        implied = self._attach(clause, number)
        if implied is None:
            # At most one literal of the clause was not false for good: it is a lemma, which leads to the conflict.
            hints = (*self._units_against(literal for literal in clause if literal not in undecided), number)
            if undecided:
                first = number if len(clause) == 1 else self._lemma(undecided, hints)
                hints = (first, *(self._conflict((-undecided[0],)) or ()))
            self._lemma((), hints)
            return True
        for literal in implied:
            row = int(self._assignment.reason[abs(literal)])
            begin, end = self._clauses.start[row : row + 2].tolist()
            if end - begin > 1:
                others = [
                    other for other in map(_literal, self._clauses.literal[begin:end].tolist()) if other != literal
                ]
                self._attach((literal,), self._lemma((literal,), (*self._units_against(others), self._numbers[row])))
        return False

    def needed_lemmas(self) -> tuple[Lemma, ...]:
        """Return the lemmas that the last one needs, numbered anew."""
        needed, kept = {len(self._lemmas) - 1}, []
        for place in range(len(self._lemmas) - 1, -1, -1):
            if place in needed:
                needed.update(hint - self._given - 1 for hint in self._lemmas[place].hints if hint > self._given)
        number: dict[int, int] = {}
        for place in sorted(needed):
            clause, hints = self._lemmas[place]
            kept.append(Lemma(clause, tuple(number.get(hint, hint) for hint in hints)))
            number[self._given + place + 1] = self._given + len(kept)
        return tuple(kept)

    def _attach(self, clause: Clause, number: int) -> Clause | None:
        """Add a clause to those that propagate; return the literals that hold for good from now on, or None at a
        conflict."""
        row, before, start = len(self._numbers), self._root, self._clauses.start
        self._numbers.append(number)
        start[row + 1] = start[row] + len(clause)
        self._clauses.literal[start[row] : start[row + 1]] = [_code(literal) for literal in clause]
        self._clauses.owner[start[row] : start[row + 1]] = row
        size = watched.attach(self._clauses, self._assignment, before, row)
        if size == watched.CONFLICT:
            return None
        self._root = size
        return tuple(map(_literal, self._assignment.trail[before:size].tolist()))

    def _lemma(self, clause: Clause, hints: tuple[int, ...]) -> int:
        """Add a lemma, and return its number."""
        self._lemmas.append(Lemma(clause, hints))
        return self._given + len(self._lemmas)

    def _units_against(self, clause: Iterable[int]) -> list[int]:
        """Return the clauses that make the literals of a clause false for good."""
        return [self._numbers[self._assignment.reason[abs(literal)]] for literal in clause]

    def _conflict(self, clause: Clause) -> tuple[int, ...] | None:
        """Return the clauses that become unit, in order, when this one is negated, up to a conflict; None if there is
        no conflict."""
        variables = len(self._assignment.reason)
        assumed = np.array([_code(-literal) for literal in clause], dtype=np.int32)
        needed, found = np.zeros(variables, dtype=np.bool_), np.zeros(variables + 1, dtype=np.int64)
        count = watched.conflict_reasons(self._clauses, self._assignment, self._root, assumed, needed, found)
        return None if count == watched.NONE else tuple(self._numbers[row] for row in found[:count][::-1].tolist())


def _code(literal: int) -> int:
    return 2 * abs(literal) + (literal < 0)


def _literal(code: int) -> int:
    return -(code >> 1) if code & 1 else code >> 1
