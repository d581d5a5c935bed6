"""An answer-set program in the standard language: vertices are reached from the root (Niemelä 1999; Zhou 2020).

    exactly one of go(u, v) over v                   for each vertex u
    exactly one of go(u, v) over u                   for each vertex v
    reach(root)
    reach(u) and go(u, v) => reach(v)
    reach(v)                                         for each vertex v
    go(u, v) or go(v, u)                             for each required edge
    go(end, start)                                   between fixed ends
    not go(root, u) or not go(v, root)               for u > v, if no direction is set

An atom holds in an answer set only if rules derive it, so a cycle that misses the root is not reached. It is written in
ASP-Core-2 (Calimeri et al. 2020), for any solver: facts, choices, rules and constraints, without a command of clingo.

As printed, the first five constraints are those of Zhou 2020, who found them the best of the answer-set programs that
he tried; Niemelä states the choices by rules with negation. The last three, and that arcs are left out by colour, are
as in `answer_set`.

Cost, for n vertices and a arcs, of which i do not enter the root, besides that of `answer_set`: n - 1 atoms reach(v), i
rules that derive them, and n - 1 that ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.answer_set import AnswerSet, Program


class ReachProgram(Program):
    """The answer-set program of a cycle problem, for any solver."""

    rules: ClassVar[str] = """
{ go(U,V) : arc(U,V) } = 1 :- vertex(U).
{ go(U,V) : arc(U,V) } = 1 :- vertex(V).
reach(R) :- root(R).
reach(V) :- reach(U), go(U,V).
:- vertex(V), not reach(V).
"""

    @property
    def sizes(self) -> Sizes:
        """The size of the program: its atoms that are not facts, ground rules, and the atoms in these."""
        others, right = self.cycle.order - 1, ~self._arcs.wrong
        inner, away = (int(right[arcs].sum()) for arcs in (self._arcs.inner, self._arcs.away))
        return super().sizes + Sizes(others, inner + others, 2 * inner + away + others)


@dataclass(frozen=True)
class Reach(AnswerSet):
    """An answer-set program in which every vertex is reached from the root."""

    program: ClassVar[type[Program]] = ReachProgram
