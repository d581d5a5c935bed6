"""A backend of your own: the plainest depth-first search, which prunes nothing."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour import count, solve
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints


@dataclass(frozen=True)
class Plain:
    """Depth-first search."""

    takes: ClassVar[frozenset[str]] = frozenset({"every"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield every Hamiltonian cycle that has the required edges, each once."""
        cycle = run.cycle
        edges = [*zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)]
        required = {frozenset(edge) for edge, must in zip(edges, cycle.required, strict=True) if must}
        near: list[list[int]] = [[] for _ in range(cycle.order)]
        for tail, head in edges:
            near[tail].append(head)
            near[head].append(tail)

        def extend(path: list[int]) -> Iterator[Ints]:
            run.heartbeat()  # keeps the time limit and Ctrl-C
            if len(path) == cycle.order:
                used = {frozenset(edge) for edge in zip(path, path[1:] + path[:1], strict=True)}
                if path[0] in near[path[-1]] and path[1] < path[-1] and required <= used:
                    yield np.array([path], dtype=np.int32)  # a row for each cycle
                return
            for vertex in near[path[-1]]:
                if vertex not in path:
                    yield from extend([*path, vertex])

        yield from extend([0])
        return Refutation("exhausted", "the search tried every path")


if __name__ == "__main__":
    print(solve("GP(10,2)", closed=True, backend="py:__main__:Plain").tour)
    print(count("GP(10,2)", closed=True, backend="py:__main__:Plain"), count("GP(10,2)", closed=True))
# 30 30
