"""An answer-set program with acyclic edges, solved by clingo (Gebser, Kaminski, Kaufmann & Schaub 2014).

The arcs are those of `arcs`, less those that the colours rule out. Each vertex is left by one and entered by one, and those that don't enter
the root form no cycle. That is ``#edge``, which the solver checks as a graph while it runs (Bomanson, Gebser, Janhunen, Kaufmann & Schaub
2016), so nothing is stated for it. Of the two directions of a cycle one is ruled out at the root.

Cost, for n vertices and a arcs: a facts and as many atoms to choose; 2n counting rules, one ground rule for each required edge and each pair of
arcs at the root. Grounding takes most of the time until a board is large.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import clingo
import numpy as np

from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.numbering import number_edges

TICK = 0.1
"""Seconds between two chances for Ctrl-C, the clock and progress."""

RULES = """
{ go(U,V) : arc(U,V) } = 1 :- vertex(U).
:- vertex(V), { go(U,V) : arc(U,V) } != 1.
#edge (U,V) : go(U,V), not root(V).
:- required(U,V), not go(U,V), not go(V,U).
:- directed(U,V), not go(U,V).
:- root(R), go(R,U), go(V,R), U > V, direction_free.
#show go/2.
#defined required/2.
#defined directed/2.
#defined arc/2.
#defined direction_free/0.
"""


@dataclass(frozen=True)
class AnswerSet:
    """An answer-set program; ``configuration`` is one of clingo's own (auto, frumpy, jumpy, tweety, handy, crafty, trendy, many)."""

    configuration: str = "auto"

    takes_directed: ClassVar[bool] = False

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, a claimed ``none``, or unknown at the limit. Work: ``conflicts`` (the unit of its limit), ``choices``."""
        clock = limits.clock()
        cycle = to_cycle(problem)
        control = self._control(cycle, limits, 1)
        with _solving(control, clock, on_event) as run:
            found = next(run, None)
        work = _work(control)
        if found is not None:
            return Answer.found(problem, cycle.tour(found), work)
        if run.exhausted:
            return Answer.none("claimed", "clingo reports that the program has no answer set", work)
        return Answer.unknown("time" if clock.expired else "work", work)

    def tours(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Iterator[Ints]:
        """All tours by clingo's own enumeration."""
        clock = limits.clock()
        cycle = to_cycle(problem)
        with _solving(self._control(cycle, limits, 0), clock, on_event) as run:
            for found in run:
                yield cycle.tour(found)
        if not run.exhausted:
            raise StoppedEarly

    def _control(self, cycle: CycleProblem, limits: Limits, models: int) -> clingo.Control:
        arguments = [f"--models={models}", f"--configuration={self.configuration}", f"--seed={limits.seed}", "--warn=none", "--stats"]
        if limits.work is not None:
            arguments.append(f"--solve-limit={limits.work}")
        if limits.threads is not None and limits.threads > 1:
            arguments.append(f"--parallel-mode={limits.threads}")
        control = clingo.Control(arguments)
        control.add(program(cycle, limits.seed))
        control.ground()
        return control


def program(cycle: CycleProblem, seed: int = 0) -> str:
    """The program of a cycle problem as text, the arcs in the order of the edges that the seed stands for."""
    arcs = Arcs(cycle, colours=True)
    edges = number_edges(cycle, seed).edges
    order = np.stack([edges, edges + cycle.size], axis=1).ravel()
    order = order[~arcs.wrong[order]]
    facts = [f"vertex(0..{cycle.order - 1}). root({arcs.root})."]
    if arcs.direction_free:
        facts.append("direction_free.")
    if arcs.required is not None:
        facts.append(f"directed({arcs.tails[arcs.required]},{arcs.heads[arcs.required]}).")
    facts += [f"arc({tail},{head})." for tail, head in zip(arcs.tails[order].tolist(), arcs.heads[order].tolist(), strict=True)]
    required = np.flatnonzero(cycle.required)
    facts += [f"required({cycle.tails[edge]},{cycle.heads[edge]})." for edge in required.tolist()]
    return "\n".join(facts) + RULES


class _Run:
    """The cycles of one call of the solver, one after the other; ``exhausted`` once it is known that there are no more."""

    def __init__(self, handle: clingo.SolveHandle, clock: Clock, on_event: OnEvent | None) -> None:
        self._handle, self._clock, self._on_event = handle, clock, on_event
        self.exhausted = False

    def __iter__(self) -> Iterator[Ints]:
        return self

    def __next__(self) -> Ints:
        self._handle.resume()
        while not self._handle.wait(TICK):
            if self._on_event is not None:
                self._on_event(Progress({}))
            if self._clock.expired:
                raise StopIteration
        model = None if self._clock.expired else self._handle.model()
        if model is None:
            self.exhausted = not self._clock.expired and bool(self._handle.get().exhausted)
            raise StopIteration
        following = {tail.number: head.number for tail, head in (symbol.arguments for symbol in model.symbols(shown=True))}
        vertices = [0]
        while (vertex := following[vertices[-1]]) != 0:
            vertices.append(vertex)
        return np.array(vertices, dtype=np.int32)


@contextmanager
def _solving(control: clingo.Control, clock: Clock, on_event: OnEvent | None) -> Iterator[_Run]:
    """The solver at work in a thread of its own, which is told to stop at the end, whatever ends it."""
    with control.solve(yield_=True, async_=True) as handle:
        try:
            yield _Run(handle, clock, on_event)
        finally:
            handle.cancel()


def _work(control: clingo.Control) -> dict[str, int]:
    solvers = control.statistics["solving"]["solvers"]
    return {"conflicts": int(solvers["conflicts"]), "choices": int(solvers["choices"])}
