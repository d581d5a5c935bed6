"""How strong are linear programs? Their linear relaxations, fractions allowed, side by side.

A relaxation without a solution shows that there is no tour. Under costs of the edges its least cost is a lower bound on
that of a tour; the nearer they are, the less is left to branching. A program that waits for cut sets gets them as long
as a solution violates any (`subtour_lp.violated_shores`), so that its bound is that of all of them together, the bound
of Held & Karp (1970). The best tour is found in the same way, with whole columns.

Limits: closed tours of undirected graphs; HiGHS computes in floating point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import formula
from cpsat_tour.compare.boards import graph_of
from cpsat_tour.compare.child import split_spec
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Floats
from cpsat_tour.models.drivers.linear import worker
from cpsat_tour.models.drivers.linear_program import LinearProgram
from cpsat_tour.models.loop.cutsets import cut_set
from cpsat_tour.models.loop.subtours import CutSet, cutting_planes
from cpsat_tour.models.milp import DegreeEquations, Milp
from cpsat_tour.proofs.write.subtour_lp import violated_shores

MAX_COST = 100
"""Costs are whole numbers from 1 to this, each equally likely."""


class Fractions(DegreeEquations):
    """A program in a worker, whose solutions have a value for each edge."""

    def solve(self) -> Floats | None:  # type: ignore[override]
        """Return the values of the edges in a solution, None if there is none."""
        values, edges = self._worker.values(self._run, self._counter), self._program.moves % self._program.cycle.size
        return None if values is None else np.bincount(edges, values[: len(edges)]).astype(np.float64)


def bound(program: LinearProgram, costs: Floats, *, whole: bool = False) -> tuple[float | None, int]:
    """Return the least cost of a program's linear relaxation, of its whole solutions if ``whole``, None if it has none;
    and the number of its rows with the cut sets that were added."""
    cycle, columns = program.cycle, np.zeros(len(program.upper))
    columns[: len(program.moves)] = costs[program.moves % cycle.size]
    program.whole *= whole

    def violated(point: Floats) -> list[CutSet]:
        shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point) if program.relaxed else []
        return [CutSet(np.array(shore, dtype=np.int32), cut_set(cycle, shore)) for shore in shores]

    run, cost = Run(Limits(), Limits().clock(), cycle=cycle), None
    with worker(Milp.library) as process:
        relaxation: Any = Fractions(process, run, program, Milp.unit)
        process.minimize(columns)
        for point, cuts in cutting_planes(relaxation, violated, cycle, run):
            if not cuts:
                cost = float(costs @ point)
                break
    return cost, program.sizes.clauses + run.work["cut_sets"]


def linear_program(spec: str, problem: Problem) -> LinearProgram:
    """Return the program of a backend, written with its options; `BadInput` if it is not a linear one, or the problem
    is decided without one."""
    name, options = split_spec(spec)
    program = formula(problem, load(name, options), name, 0)
    if not isinstance(program, LinearProgram):
        raise BadInput(f"backend {spec} is not a linear program: choose one such as milp")
    return program


class Strength(NamedTuple):
    """What the relaxation of a backend's program says of a board: in ``words``, its ratio to the best tour, or whether
    it is feasible where there is none; the columns and rows under the first costs, and the mean seconds."""

    board: str
    backend: str
    words: str
    columns: int
    rows: int
    seconds: float


def strengths(boards: Sequence[str], backends: Sequence[str], seeds: Sequence[int]) -> Iterator[Strength]:
    """Yield the strength of each backend's program on each board, closed, under costs drawn with each of the seeds."""
    for board in boards:
        problem = Problem(graph_of(board), closed=True)
        exact, size = linear_program(Milp.name, problem), problem.graph.size
        drawn = [np.random.default_rng(seed).integers(1, MAX_COST + 1, size).astype(float) for seed in seeds]
        best = [bound(exact, costs, whole=True)[0] for costs in drawn]
        for backend in backends:
            program, begun = linear_program(backend, problem), perf_counter()
            found = [bound(program, costs) for costs in drawn]
            ratios = [cost / least for (cost, _), least in zip(found, best, strict=True) if cost and least]
            words = f"{mean(ratios):.3f}" if ratios else "infeasible" if found[0][0] is None else "feasible"
            seconds = (perf_counter() - begun) / len(drawn)
            yield Strength(board, backend, words, len(program.upper), found[0][1], seconds)


def table(found: Sequence[Strength]) -> str:
    """Return what was found as a Markdown table, a row for each backend and a column for each board; then the columns,
    rows and seconds of all boards together."""
    boards = list(dict.fromkeys(strength.board for strength in found))
    lines = [["", *boards, "columns", "rows", "seconds"], ["---"] + ["---:"] * (len(boards) + 3)]
    for backend in dict.fromkeys(strength.backend for strength in found):
        mine = [strength for strength in found if strength.backend == backend]
        columns, rows, seconds = map(sum, zip(*(strength[3:] for strength in mine), strict=True))
        lines.append([backend, *(strength.words for strength in mine), f"{columns:,}", f"{rows:,}", f"{seconds:.2f}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
