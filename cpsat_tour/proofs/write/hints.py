"""Reads a solver's proof in the LRAT format (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp 2017), and leaves out
what is not needed.

A hint names the clauses that become unit, in order, when a learned clause is negated; with hints a checker needs no
search. CaDiCaL writes them as it learns (Pollitt, Fleury & Biere 2023). A line is the clause's number, its literals, 0,
its hints and 0, or deletes clauses. The clauses that a solver is given, and those that it learns, are numbered in one
order, and only learned ones have lines: so the numbers without a line are those of the given clauses. Going backwards
from the empty clause, only the lemmas that it depends on are kept (Goldberg & Novikov 2003).

The hints are not believed: the reader of the proof goes through them. Limit: all lemmas are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.write.veripb import Lemma


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
