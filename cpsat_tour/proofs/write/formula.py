"""The rows of a proof as an OPB formula, in the order of their ids: those of the problem, as the checker makes them,
and the cut sets that the proof uses.

Format: OPB of the pseudo-Boolean competitions, in which the VeriPB proof checker (Elffers, Gocht, McCreesh & Nordström
2020) counts an ``=`` as two constraints, ``>=`` first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from cpsat_tour.proofs.check.rows import Row
from cpsat_tour.proofs.write.rows import CycleRows, Vertices


@dataclass(frozen=True, eq=False)
class RowFormula:
    """All the rows of a proof: those of the problem and the cut sets that the proof uses, given by their shores.

    Where tours are ``counted`` the file says that all variables tell them apart.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False

    @cached_property
    def rows(self) -> list[Row]:
        """The rows in the order of their ids."""
        return [*self.cycle.stated.rows, *map(self.cycle.stated.cut_row, self.cut_sets)]

    @cached_property
    def row_ids(self) -> list[int]:
        """The id of each row, of an ``=`` that of its ``>=`` half, which the ``<=`` half follows; and the first id
        after them."""
        return list(accumulate((1 + (row.relation == "=") for row in self.rows), initial=1))

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return self.row_ids[-1] - 1

    def required_id(self, edge: int) -> int:
        """The id of the row that says that this edge is required."""
        return self.row_ids[self.cycle.order + int(np.searchsorted(self.cycle.required, edge))]

    @property
    def contradiction_id(self) -> int:
        """The id of the row ``0 = 1``, where there is one."""
        return self.row_ids[self.cycle.order + len(self.cycle.required)]

    def forbidden_id(self, edge: int) -> int:
        """The id of the row that says that this edge is forbidden."""
        place = self.cycle.order + len(self.cycle.required) + (self.cycle.stated.contradiction is not None)
        return self.row_ids[place + int(np.searchsorted(self.cycle.forbidden, edge))]

    def cut_id(self, place: int) -> int:
        """The id of the row of the cut set at this place."""
        return self.ids - len(self.cut_sets) + 1 + place

    @property
    def variables(self) -> int:
        """The number of variables; a formula without edges has a dummy one."""
        return max(1, self.cycle.stated.variables)

    def variable_lines(self) -> Iterator[str]:
        """What each variable stands for: ``x7 = a5-b3``."""
        return (f"x{number} = {meaning}" for number, meaning in enumerate(self.cycle.stated.variable_names(), start=1))

    def opb(self, *, plain: bool = False) -> Iterator[str]:
        """The lines of the OPB file; those of a plain one have nothing that VeriPB 1 does not read: no preserved
        variables, and no constant in what is to be least."""
        yield f"* #variable= {self.variables} #constraint= {len(self.rows)}"
        if self.counted and not plain:
            yield f"preserved: {' '.join(f'x{variable}' for variable in range(1, self.variables + 1))} ;"
        if self.cycle.stated.worth is not None:
            yield self.cycle.stated.worth.objective(plain=plain)
        for row in self.rows:
            yield f"* {row.meaning}"
            yield " ".join(row.tokens())
