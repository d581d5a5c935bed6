"""A SAT encoding of your own: positions in unary, which grow along every arc that does not enter the root."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour import count, solve
from cpsat_tour.models.eager import Eager, EagerFormula


@dataclass(frozen=True)
class Unary(Eager):
    """Variable after[v, p] says that the position of vertex v is greater than p (Miller, Tucker & Zemlin 1960)."""

    name: ClassVar[str] = "unary"

    def state(self, formula: EagerFormula) -> None:
        """State that positions grow: only a cycle through the root has an arc along which they need not."""
        arcs = formula.arcs
        arc, u, v = formula.arc[arcs.inner], arcs.tails[arcs.inner], arcs.heads[arcs.inner]
        after = formula.new("after", formula.vertices, np.arange(arcs.order))
        formula.add(-after[:, -1])  # there are as many positions as vertices, from 0 on
        formula.add(-after[:, 1:], after[:, :-1])
        formula.add(-arc, after[v, 0])
        formula.add(-arc[:, None], -after[u, :-1], after[v, 1:])  # u after p, and the arc u -> v, gives v after p + 1


if __name__ == "__main__":
    print(solve("6x6", closed=True, backend="py:__main__:Unary").tour)
    print(count("5x6", closed=True, backend="py:__main__:Unary"))
# 8
