"""CP-SAT with the circuit constraint: one Boolean per arc, and the chosen arcs form one cycle through all vertices.

    circuit(arc[u, v] for all arcs)
    arc[u, v] or arc[v, u]                            for each required edge
    arc[end, start]                                   between fixed ends
    arc[u, v] + arc[v, u] = arc[s, t] + arc[t, s]     for tied edges uv and st
    the stops in their order                          where there are waypoints

As printed in Laurière 1978, ``circuit``; differs in being over arc literals (OR-Tools' ``add_circuit``), not over
successors, and in required and tied edges. An undirected edge is two arcs.

Cost: 2m Booleans for m edges (m for m arcs), one circuit constraint, one clause for each required edge, one equation
for each tied pair, and what `arcs` has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel


@dataclass(frozen=True)
class Circuit(EagerCpSat):
    """CP-SAT's circuit constraint.

    ``linearization`` is CP-SAT's level of linear relaxation. Level 0 has none and is the fastest where a tour exists
    (by a factor of up to 1.5 at closed 50x50), but needs 42,000 conflicts to refute closed 7x7; level 1, the default,
    needs 2; level 2 adds subtour cuts and is too slow beyond 30x30. ``log`` writes the solver's own log to stderr.
    """

    takes: ClassVar[Features] = frozenset({"directed", "every", "symmetry", "waypoints"})
    minizinc: ClassVar[str] = "successor"

    def state(self, model: EagerModel) -> None:
        """State CP-SAT's circuit constraint on the arcs.

        It passes over a vertex that no arc leaves or enters, but there is none.
        """
        model.add_circuit(list(model.triples()))
