"""A propagator to teach from: the solver has the degree constraints, and cycles are cut off as soon as they close.

CaDiCaL calls its methods while it searches (IPASIR-UP: Fazekas, Niemetz, Preiner, Kirchweger, Szeider & Biere 2023).
"""

from itertools import chain

from pysat.engines import Propagator
from pysat.solvers import Solver

from cpsat_tour import Board, Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.verify import verify
from cpsat_tour.models.degree import two_factor_clauses
from cpsat_tour.models.loop.numbering import Numbering


class CutsOffCycles(Propagator):  # type: ignore[misc]
    """For each closed cycle that misses a vertex, it adds the clause that one of the edges that leave it is used."""

    def __init__(self, order: int, ends: list[tuple[int, int]]) -> None:
        super().__init__()
        self.order, self.ends = order, dict(enumerate(ends, 1))  # the ends of each edge, by its variable
        self.levels: list[set[int]] = [set()]  # the edges chosen at each decision level
        self.clauses: list[list[int]] = []  # those that wait

    def on_assignment(self, lit: int, fixed: bool = False) -> None:
        """Note an edge that is chosen, for good if it is ``fixed``."""
        if lit > 0:
            self.levels[0 if fixed else -1].add(lit)

    def on_new_level(self) -> None:
        """Begin a decision level."""
        self.levels.append(set())

    def on_backtrack(self, to: int) -> None:
        """Take back the decision levels above this one."""
        del self.levels[to + 1 :]

    def propagate(self) -> list[int]:
        """Look for cycles that have closed; return no literal."""
        self.cut_off_cycles(set.union(*self.levels))
        return []

    def check_model(self, model: list[int]) -> bool:
        """Return True if the chosen edges are one cycle."""
        self.cut_off_cycles(self.ends.keys() & model)
        return not self.clauses

    def add_clause(self) -> list[int]:
        """Return a clause that waits, an empty one if none does."""
        return self.clauses.pop() if self.clauses else []

    def cut_off_cycles(self, chosen: set[int]) -> None:
        """Add the clause for each component of the chosen edges that is a cycle and misses a vertex."""
        beside: dict[int, list[int]] = {}
        for u, v in map(self.ends.__getitem__, chosen):
            beside.setdefault(u, []).append(v)
            beside.setdefault(v, []).append(u)
        while beside:
            component, waiting = set[int](), [next(iter(beside))]
            while waiting:
                if (vertex := waiting.pop()) not in component:
                    component.add(vertex)
                    waiting += beside[vertex]
            degrees = {len(beside.pop(vertex)) for vertex in component}
            if degrees == {2} and len(component) < self.order:
                self.clauses.append([e for e, (u, v) in self.ends.items() if (u in component) != (v in component)])


def closed_tour(board: Board) -> list[int]:
    """Return the squares of a closed tour in order, an empty list if there is none."""
    cycle = to_cycle(Problem(board.graph, closed=True))
    edges = Numbering(cycle).edges
    ends = [*zip(cycle.tails[edges].tolist(), cycle.heads[edges].tolist(), strict=True)]
    clauses = chain.from_iterable(block.tolist() for block in two_factor_clauses(Numbering(cycle)))
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        solver.connect_propagator(CutsOffCycles(cycle.order, ends))
        for variable in range(1, cycle.size + 1):
            solver.observe(variable)
        if not solver.solve():
            return []
        (tour,) = cycle.cycles(edges[[variable - 1 for variable in solver.get_model()[: cycle.size] if variable > 0]])
    verify(cycle.source, tour)
    return list(tour.tolist())


if __name__ == "__main__":
    print(*(f"{board}: {len(closed_tour(board)) or 'none'}" for board in (Board(6, 6), Board(3, 4), Board(4, 4))))
# 6x6: 36 3x4: none 4x4: none
