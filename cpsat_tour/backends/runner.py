"""The runner: reduces the problem, asks a backend, maps its answer back, verifies it, and writes it in canonical form.

Every tour goes through `Answer.verified`, whichever backend found it, and lists of tours through `core.tour_rows`. A
wrong tour is a `BackendFault` that names the first wrong move, never an answer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import closing
from typing import Unpack

from cpsat_tour.backends.formulation_run import FormulationRun
from cpsat_tour.backends.protocols import FEATURES, Backend, Features, Formulated, Formulation, beyond_it
from cpsat_tour.backends.registry import load, names_of, only_for
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import interruptible
from cpsat_tour.formats.describe import one
from cpsat_tour.formats.formula import Formula, Sizes
from cpsat_tour.formats.progress import progress_in_notebook
from cpsat_tour.formats.spaces import ProblemParts, Where, problem_of
from cpsat_tour.spaces.board import Board


def run(
    problem: Problem,
    backend: Backend,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    name: str = "",
) -> Answer:
    """The backend's answer to the problem, its tour verified and in canonical form, with the seconds it took.

    `BadInput` where the backend does not take such problems, `BackendFault` where it answers wrongly, `Interrupted` on
    Ctrl-C.
    """
    limits = limits or Limits()
    name = name or type(backend).__name__.lower()
    refuse(problem, backend, name)
    clock = limits.clock()
    answer = interruptible(lambda listen: ask(problem, backend, limits, listen), on_event, name)
    if not isinstance(answer, Answer):
        raise BackendFault(f"backend {name} returned {type(answer).__name__}, not an Answer")
    return dataclasses.replace(answer, seconds=clock.seconds, backend=name).verified(problem)


def ask(problem: Problem, backend: Backend, limits: Limits, on_event: OnEvent | None = None) -> Answer:
    """The answer that a backend gives to a problem that it takes, not yet verified."""
    if (decided := decide_degenerate(problem)) is not None:
        return decided
    if not isinstance(backend, Formulation):
        return backend.solve(problem, limits, on_event)
    clock = limits.clock()
    formulation_run = FormulationRun(problem, backend, limits, clock, on_event)
    with closing(formulation_run.tours()) as tours:
        try:
            return Answer.with_tour(problem, next(tours)[0], formulation_run.work)
        except StopIteration as end:
            return Answer("none", refutation=end.value, work=formulation_run.work)
        except StoppedEarly as limit:
            return Answer.stopped(str(limit), formulation_run.work)


def refuse(problem: Problem, backend: Backend, name: str, *, every: bool = False) -> None:
    """Raise `BadInput`, naming those backends that can, unless the backend takes the problem, and can list all its
    tours if that is asked."""
    if not isinstance(problem, Problem):
        raise BadInput(f"can't run {problem!r:.80}: give a Problem, such as Problem(Board(8, 8).graph, closed=True)")
    if not hasattr(backend, "takes"):
        raise BadInput(f"{backend!r:.80} is not a backend: give what load('sat') returns, or ask solve")
    if getattr(backend, "givens_only", False) and not problem.givens:
        raise BadInput(
            f"backend {name} is for tours with given numbers: give some, such as --at "
            f"{problem.graph.name(0)}=1, or leave it out"
        )
    features = asked_features(problem) | ({"every"} if every else set())
    if beyond := beyond_it(backend, features):
        able = names_of(lambda other: not beyond_it(other, features))
        lacking = FEATURES["givens" if "givens" in beyond else min(beyond)]
        raise BadInput(f"backend {name} does not take {lacking}: choose one of {', '.join(able)}")
    if getattr(backend, "boards_only", False) and (wider := _beyond_plain_boards(problem)):
        able = [other for other in names_of(lambda kind: not beyond_it(kind, features)) if only_for(other) is None]
        raise BadInput(f"backend {name} does not take {wider}: choose one of {', '.join(able)}")


def _beyond_plain_boards(problem: Problem) -> str | None:
    """What a problem has more than a knight's board without holes, in words; None if nothing."""
    space = problem.graph.space
    if not (isinstance(space, Board) and space.plain):
        return problem.graph.called
    if problem.start is not None or problem.end is not None:
        return "given ends"
    return "required moves" if problem.require else "forbidden moves" if problem.forbid else None


def asked_features(problem: Problem) -> Features:
    """Return what the problem asks that not every backend takes."""
    directed = {"directed"} if problem.graph.directed else set()
    symmetry = {"symmetry"} if problem.symmetry is not None else set()
    return frozenset(directed | symmetry | ({"givens"} if problem.givens else set()))


def formula(problem: Problem, backend: Backend, name: str, seed: int = 0) -> Formula:
    """The formula of a problem; `BadInput` where the backend has none, the problem needs none, or it is too large to be
    built."""
    return _formulated(problem, backend, name).formula(to_cycle(problem), seed)


def sizes(problem: Problem, backend: Backend, name: str) -> Sizes:
    """The sizes of that formula, without keeping it."""
    return _formulated(problem, backend, name).sizes(to_cycle(problem))


def _formulated(problem: Problem, backend: Backend, name: str) -> Formulated:
    """The backend, which has a formula of the problem."""
    refuse(problem, backend, name)
    directed = problem.graph.directed
    if not isinstance(backend, Formulated) or (directed and "directed" not in backend.takes):
        able = names_of(lambda kind: hasattr(kind, "formula") and (not directed or "directed" in kind.takes))
        lacking = "has formulas of undirected graphs only" if isinstance(backend, Formulated) else "has no formula"
        raise BadInput(f"backend {name} {lacking}: choose one of {', '.join(able)}")
    if (decided := decide_degenerate(problem)) is not None:
        reason = decided.refutation.reason if decided.refutation else "it has a tour"
        raise BadInput(f"this problem is decided without a formula: {reason}")
    return backend


def solve(
    where: Where,
    *,
    backend: str = "auto",
    options: Mapping[str, object] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    **parts: Unpack[ProblemParts],
) -> Answer:
    """One tour of a board, a graph, or what `graph_of` reads: ``solve(Board(8, 8), closed=True, backend="sat").tour``,
    ``solve("4x4x3")``.

    What is asked is a `Problem`, or a space and the parts of a problem as keywords (`ProblemParts`). ``backend`` is a
    name, perhaps with a solver as in ``sat:lazy@glucose4``, and ``options`` are its own; ``cpsat-tour backends NAME``
    tells them. ``seconds`` is the limit on wall time. `BadInput` says what is wrong with an argument; Ctrl-C raises
    `KeyboardInterrupt`.
    """
    problem = problem_of(where, **parts)
    with progress_in_notebook(f"seeking {one(problem)} with {backend}") as listen:
        return run(
            problem, load(backend, options), Limits(seconds=seconds, seed=seed, threads=threads), listen, backend
        )
