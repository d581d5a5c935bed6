"""How strong are linear programs? Their linear relaxations, fractions allowed, side by side.

A relaxation without a solution shows that there is no tour. Under costs of the edges its least cost is a lower bound on
that of a tour; the nearer they are, the less is left to branching. A program that waits for cut sets gets them as long
as a solution violates any (`subtour_lp.violated_shores`), so that its bound is that of all of them together, the bound
of Held & Karp (1970). The best tour is found in the same way, with whole columns.

Limits: closed tours of undirected graphs; HiGHS computes in floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import formula
from cpsat_tour.compare.child import split_spec
from cpsat_tour.compare.record import graph_of
from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Floats
from cpsat_tour.models.drivers.linear import LinearProgram, LinearRelaxation, worker
from cpsat_tour.models.loop.cutsets import cut_set
from cpsat_tour.models.loop.subtours import CutSet, cutting_planes
from cpsat_tour.models.milp import Milp
from cpsat_tour.proofs.write.subtour_lp import violated_shores

MAX_COST = 100
"""Costs are whole numbers from 1 to this, each equally likely."""


class Fractions(LinearRelaxation):
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
        relaxation: Any = Fractions(process, run, program, Milp.unit, columns.tolist())
        for point, cuts in cutting_planes(relaxation, violated, cycle, run):
            if not cuts:
                cost = float(costs @ point)
                break
    return cost, program.sizes.clauses + run.work["cut_sets"]


def linear_program(spec: str, problem: Problem) -> LinearProgram:
    """Return the program of a backend, written with its options; `BadInput` if it is not a linear one, or the problem
    is decided without one."""
    name, options = split_spec(spec)
    program = formula(problem, load(name, options, solving=False), name, 0)
    if not isinstance(program, LinearProgram):
        raise BadInput(f"backend {spec} is not a linear program: choose one such as milp")
    return program


def table(boards: Sequence[str], backends: Sequence[str], seeds: Sequence[int], tell: Callable[[str], None]) -> str:
    """Return a Markdown table with a row for each backend and a column for each board, closed: the mean ratio of the
    bounds to the best tours under costs drawn with each of the seeds, or whether the relaxation is feasible where there
    is no tour. Then the columns, the rows under the first costs and the seconds for one, of all boards together.

    ``tell`` hears of each entry.
    """
    problems = [Problem(graph_of(board), closed=True) for board in boards]
    drawn = [
        [np.random.default_rng(seed).integers(1, MAX_COST + 1, problem.graph.size).astype(float) for seed in seeds]
        for problem in problems
    ]
    for backend in backends:
        linear_program(backend, problems[0])  # which refuses what is none
    require("compare bounds", Milp.library)
    exact = [linear_program(Milp.name, problem) for problem in problems]
    best = [[bound(one, costs, whole=True)[0] for costs in each] for one, each in zip(exact, drawn, strict=True)]
    lines = [["", *boards, "columns", "rows", "seconds"], ["---"] + ["---:"] * (len(boards) + 3)]
    for backend in backends:
        programs, begun, cells, rows = [linear_program(backend, problem) for problem in problems], perf_counter(), [], 0
        for board, program, each, least in zip(boards, programs, drawn, best, strict=True):
            found = [bound(program, costs) for costs in each]
            ratios = [cost / optimum for (cost, _), optimum in zip(found, least, strict=True) if cost and optimum]
            cells.append(f"{mean(ratios):.3f}" if ratios else "infeasible" if found[0][0] is None else "feasible")
            rows += found[0][1]
            tell(f"{backend} {board}: {cells[-1]}")
        columns, seconds = sum(len(program.upper) for program in programs), (perf_counter() - begun) / len(seeds)
        lines.append([backend, *cells, f"{columns:,}", f"{rows:,}", f"{seconds:.2f}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
