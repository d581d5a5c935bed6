"""How strong are linear programs? Their linear relaxations, fractions allowed, side by side.

A relaxation without a solution shows that there is no tour. Under costs of the edges its least cost is a lower bound on
that of a tour; the nearer they are, the less is left to branching. A program that waits for cut sets gets them as long
as a solution violates any (`subtour_lp.violated_shores`), so that its bound is that of all of them together, the bound
of Held & Karp (1970). The best tour is found in the same way, with whole columns.

Limits: closed tours of undirected graphs; HiGHS computes in floating point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.compare.boards import graph_of
from cpsat_tour.compare.child import split_spec
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Floats
from cpsat_tour.models.drivers.linear import Worker, worker
from cpsat_tour.models.drivers.linear_files import CycleProgram
from cpsat_tour.models.loop.cutsets import cut_set
from cpsat_tour.models.loop.subtours import CutSet, cutting_planes
from cpsat_tour.models.milp import Milp
from cpsat_tour.proofs.write.subtour_lp import violated_shores

MAX_COST = 100
"""Costs are whole numbers from 1 to this, each equally likely."""


@dataclass(frozen=True)
class Bound:
    """The least cost of a program, None if it has no solution; its columns, its rows with the cut sets that were added,
    and the seconds to solve it."""

    cost: float | None
    columns: int
    rows: int
    seconds: float


class PricedRelaxation:
    """A program in a worker, whose solutions have a value for each edge, and the least cost."""

    def __init__(self, process: Worker, run: Run, program: CycleProgram, costs: Floats) -> None:
        self._process, self._run, self._program, self._size = process, run, program, len(costs)
        self._edges = program.moves % len(costs)
        process.begin(run, program)
        process.minimize(np.append(costs[self._edges], np.zeros(len(program.upper) - len(self._edges))))

    def solve(self) -> Floats | None:
        """Return the values of the edges in a solution of least cost, None if there is none."""
        if (values := self._process.values(self._run, Milp.unit)) is None:
            return None
        return np.bincount(self._edges, values[: len(self._edges)], self._size).astype(np.float64)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each cut set: at least two of its edges."""
        self._process.add(self._program.used.over([found.edges for found in cut_sets]) >= 2)

    def block(self, point: Floats) -> None:
        """Raise: nothing is asked for beyond the first solution that violates no cut set."""
        raise NotImplementedError


def bound(program: CycleProgram, costs: Floats, *, whole: bool = False) -> Bound:
    """Return the bound of a program's linear relaxation, or its optimum if ``whole``, under a cost of each edge."""
    cycle, begun = program.cycle, perf_counter()
    program.whole *= whole

    def violated(point: Floats) -> list[CutSet]:
        shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point) if program.relaxed else []
        return [CutSet(np.array(shore, dtype=np.int32), cut_set(cycle, shore)) for shore in shores]

    run, cost = Run(Limits(), Limits().clock(), cycle=cycle), None
    with worker(Milp.library) as process:
        for point, cuts in cutting_planes(PricedRelaxation(process, run, program, costs), violated, cycle, run):
            if not cuts:
                cost = float(costs @ point)
                break
    return Bound(cost, len(program.upper), program.sizes.clauses + run.work["cut_sets"], perf_counter() - begun)


def linear_program(spec: str, cycle: CycleProblem) -> CycleProgram:
    """Return the program of a backend, written with its options; `BadInput` if it is not a linear one."""
    name, options = split_spec(spec)
    backend: Any = load(name, options)
    program = backend.formula(cycle) if hasattr(backend, "formula") else None
    if not isinstance(program, CycleProgram):
        raise BadInput(f"backend {spec} is not a linear program: choose one such as milp")
    return program


@dataclass(frozen=True)
class Strength:
    """What the relaxation of a backend's program says of a board: whether it is ``feasible``, and the mean ``ratio`` of
    its bounds to the optima, None if there is no tour; the bound under the ``first`` costs, its sizes and its time."""

    board: str
    backend: str
    feasible: bool
    ratio: float | None
    first: Bound

    @property
    def words(self) -> str:
        """The ratio; of a board without a tour, whether the relaxation shows that."""
        return ("feasible" if self.feasible else "infeasible") if self.ratio is None else f"{self.ratio:.3f}"


def strengths(boards: Sequence[str], backends: Sequence[str], seeds: Sequence[int]) -> Iterator[Strength]:
    """Yield the strength of each backend's program on each board, closed, under costs drawn with each of the seeds."""
    for board in boards:
        cycle = to_cycle(Problem(graph_of(board), closed=True))
        drawn = [np.random.default_rng(seed).integers(1, MAX_COST + 1, cycle.size).astype(float) for seed in seeds]
        best = [bound(linear_program("milp", cycle), costs, whole=True).cost for costs in drawn]
        for backend in backends:
            found = [bound(linear_program(backend, cycle), costs) for costs in drawn]
            ratios = [
                one.cost / optimum for one, optimum in zip(found, best, strict=True) if optimum is not None and one.cost
            ]
            yield Strength(board, backend, found[0].cost is not None, mean(ratios) if ratios else None, found[0])


def table(found: Sequence[Strength]) -> str:
    """Return what was found as a Markdown table, a row for each backend and a column for each board; then the columns,
    rows and seconds over all boards together."""
    boards = list(dict.fromkeys(strength.board for strength in found))
    lines = [["", *boards, "columns", "rows", "seconds"], ["---"] + ["---:"] * (len(boards) + 3)]
    for backend in dict.fromkeys(strength.backend for strength in found):
        mine = [strength for strength in found if strength.backend == backend]
        columns, rows, seconds = (
            sum(getattr(strength.first, part) for strength in mine) for part in ("columns", "rows", "seconds")
        )
        lines.append([backend, *(strength.words for strength in mine), f"{columns:,}", f"{rows:,}", f"{seconds:.2f}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
