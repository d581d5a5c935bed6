"""The frame of the eager encodings: a formula over arcs stated at once, a SAT solver, and tours out of it one by one.

    exactly two of the edges at v                            for each vertex v, by the clauses of degree
    the edge uv                                              for each required edge
    the edge uv <=> the edge st                              for tied edges
    the stops in their order                                 where there are waypoints
    the edge uv <=> arc[u, v] or arc[v, u]
    not arc[u, v] or not arc[v, u]
    one of arc[u, v] over v, and no two if there are <= 8    for each vertex u
    one of arc[u, v] over u, and no two if there are <= 8    for each vertex v
    arc[end, start]                                          between fixed ends
    not arc[root, w] or not arc[v, root]                     for v before w around the root, if no direction is set
    not arc[u, v]                                            for each wrong arc (arcs)

Over arcs alone (``frame=arcs``, and what is ``printed``) the edges have no variables:

    exactly one of arc[u, v] over v                          for each vertex u, by the clauses of degree
    exactly one of arc[u, v] over u                          for each vertex v
    not arc[u, v] or not arc[v, u]
    arc[u, v] or arc[v, u]                                   for each required edge; tied edges as in lazy_arcs
    arc[end, start], one direction at the root, wrong arcs   as above

An encoding is a subclass of `Eager` that states its clauses on an `EagerFormula`. The clauses above are stated already,
so the arcs (`arcs`) are disjoint directed cycles, and an encoding has to say only that there is one of them, by what it
demands of the arcs that do not enter the root.

*Symmetry.* A cycle can be gone along two ways. Where neither fixed ends, givens nor colours set the direction, the
root's successor comes before its predecessor in the order of the root's edges (Heule 2021, section 4). Wrong arcs are
forbidden.

*Counters.* Most encodings count along the arcs: the root has the number 0, an arc that does not enter the root adds 1,
and an arc into the root comes from the number n - 1, all modulo some period P. Then the cycle of the root has a length
of n modulo P, and every other cycle one that P divides. As no cycle is shorter than 3, P >= n - 2 leaves but one cycle.
Tours that were found are forbidden by clauses over the edges.

*Size.* The formula is refused as soon as it is larger than it may be.

Cost besides that of `lazy` before any cut set, for m edges and degrees d: 2m variables; 4m clauses that tie arcs to
edges, two at each vertex, d(d-1) where d <= 8 (redundant), d(d-1)/2 at a root without a direction, one for each
forbidden or required arc.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Flags, Ints
from cpsat_tour.engines.registry import Features
from cpsat_tour.formats.formula import Clauses, Cnf, Sizes
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import (
    Rule,
    Template,
    auxiliary_names,
    clauses_at_vertices,
    degree_constraints,
    exactly_one,
    exactly_one_by_products,
    ties_and_sections,
    two_factor_names,
)
from cpsat_tour.models.drivers.sat import SatFormulation, SatRelaxation
from cpsat_tour.models.lazy_arcs import (
    DirectedRelaxation,
    names_over_arcs,
    one_arc_out_of_and_into_each_vertex,
    rules_of_arcs,
)
from cpsat_tour.models.loop.subtours import CutSet, hamiltonian_cycles

MAX_PAIRED = 8
"""The largest degree whose arcs are kept apart in pairs: twice the pairs of a knight's moves."""

MAX_ORDER, AT_A_TIME = 1 << 13, 1 << 15
"""The most vertices that have positions of their own, more make a formula too large to be counted; and the entries of a
table of variables, arcs by positions, that are made clauses of together."""

MAX_CLAUSES = 40_000_000
"""The most clauses, and the most variables, of a formula that is built: they take some 2 GB in the solver."""


@dataclass(frozen=True)
class Eager(SatFormulation):
    """An eager encoding, stated at once, in the ``frame`` over edges and their arcs or over arcs alone. ``colours``
    states that colours alternate on a bipartite graph; see `arcs`."""

    colours: bool = True
    frame: Literal["edges", "arcs"] = "edges"

    with_givens: ClassVar[Features] = SatFormulation.takes | {"givens"}
    """The features of an encoding that states the position of each vertex, and not only its remainder."""

    @abstractmethod
    def state(self, formula: EagerFormula) -> None:
        """State that the arcs form one cycle; each encoding has its own clauses for that."""

    @property
    def rule(self) -> Rule | None:
        """The rule that one arc leaves each vertex, and one enters it, in the frame over arcs alone; None in the other
        frame."""
        return exactly_one if self.frame == "arcs" else None

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one for each model of the whole formula; return the `Refutation` when there are
        no more."""
        formula = self.stated(run.cycle, run.limits.seed, run.heartbeat)
        with self.at_once(run, formula.sizes.clauses) as solver:
            solver.state(formula.blocks)
            arcs = formula.arcs
            relaxation = SatRelaxation(solver, arcs.edges) if self.rule is None else DirectedRelaxation(solver, arcs)
            complete = relaxation if formula.relaxed else _CompleteFormula(relaxation, formula)
            yield from hamiltonian_cycles(complete, run.cycle, run)
        return self.claim(run, f"the formula of {self.name}")

    def stated(
        self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat, *, kept: bool = True
    ) -> EagerFormula:
        """Return the formula of a cycle problem, all stated, its clauses ``kept`` or only counted."""
        formula = EagerFormula(self.name, Arcs(cycle, seed, colours=self.colours), self.rule, heartbeat, kept=kept)
        self.state(formula)
        return formula

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the numbers of variables, clauses and literals of the formula, without keeping it."""
        return self.stated(cycle, kept=False).sizes

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Cnf:
        """Return the formula of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too large
        to be built."""
        formula, over_arcs = self.stated(cycle, seed, heartbeat), self.rule is not None
        return Cnf(
            cycle,
            formula.arcs.by_variable if over_arcs else formula.arcs.edges,
            formula.sizes.variables,
            formula.auxiliary,
            formula.blocks[: formula.degree_blocks],
            formula.blocks[formula.degree_blocks :],
            formula.named,
            self.name,
            relaxed=formula.relaxed,
            arcs=over_arcs,
            plain=self.plain,
        )


@dataclass(frozen=True)
class Printed(Eager):
    """An eager encoding that its paper states otherwise: ``printed`` states it so, over arcs alone."""

    printed: bool = False

    printed_rule = staticmethod(exactly_one_by_products)
    """The paper's rule that exactly one of the arcs at a vertex is chosen."""

    @property
    def rule(self) -> Rule | None:
        """The rule over arcs alone, that of the paper if printed."""
        return self.printed_rule if self.printed else super().rule


class _CompleteFormula:
    """A formula, as a relaxation, all of whose models have to be tours; a cut would hide its fault."""

    def __init__(self, relaxation: SatRelaxation, formula: EagerFormula) -> None:
        self.solve, self.block, self._formula = relaxation.solve, relaxation.block, formula

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Raise `BackendFault`, which names a cycle: a complete formula has no models but tours."""
        words = self._formula.arcs.cycle.short_cycle_words(cut_sets[0].shore.tolist())
        raise BackendFault(f"{self._formula.name}: {words}")


class EagerFormula:
    """A formula in the making: `new` takes variables, `add` states clauses.

    ``arc[k]`` is the variable of arc ``k``, and over edges ``edge[k]`` that of edge ``k``; ``named`` has the names of
    the others. ``sizes`` counts all clauses. If ``kept``, they stand in ``blocks``, the degree constraints before
    number ``degree_blocks``, and a formula that grows too large is refused. ``heartbeat`` is called after each block.
    It is ``relaxed`` if an encoding says that shorter cycles satisfy it, so that cut sets have to be added.
    """

    edge: Ints
    relaxed: bool = False

    def __init__(
        self,
        name: str,
        arcs: Arcs,
        rule: Rule | None = None,
        heartbeat: Heartbeat = no_heartbeat,
        *,
        kept: bool = True,
    ) -> None:
        self.name, self.arcs, self.heartbeat, self._kept = name, arcs, heartbeat, kept
        self.blocks: list[Clauses] = []
        self._constant = 0
        self.vertices = np.arange(arcs.order)[:, None]
        if rule is None:
            self.named, moves = two_factor_names(arcs), arcs.cycle.size
            degrees, others = degree_constraints(arcs), ties_and_sections(arcs)
        else:
            self.named, moves = names_over_arcs(arcs, rule), len(arcs.tails)
            degrees, others = one_arc_out_of_and_into_each_vertex(arcs, rule), rules_of_arcs(arcs, rule)
        *auxiliary, sections = (len(subscripts[0]) for _, subscripts, _ in self.named)
        self.auxiliary = sum(auxiliary)
        self.sizes = Sizes(variables=moves + self.auxiliary + sections)
        self._state(degrees)
        self.degree_blocks = len(self.blocks)
        self._state(others)
        if rule is None:
            self.edge, self.arc = arcs.variables, self.new("arc", arcs.tails, arcs.heads, vertices=2)
            self._an_edge_is_gone_along_one_way()
            self._each_vertex_is_left_and_entered_once()
        else:
            self.arc = arcs.arc_variables
        self._one_direction_of_the_tour()
        self.add(-self.arc[arcs.wrong])

    def new(self, letter: str, *subscripts: NDArray[np.integer], vertices: int = 1) -> Ints:
        """Take a fresh variable for each index of the subscripts, arrays that are broadcast against each other, and
        return an array of them.

        They are called by the letter and their subscripts, the first of which are ``vertices``.
        """
        full = np.broadcast_arrays(*subscripts)
        first = self.sizes.variables + 1
        self._add_sizes(Sizes(variables=full[0].size))
        if self._kept:
            self.named.append((letter, tuple(full), vertices))
        return np.arange(first, first + full[0].size, dtype=np.int32).reshape(full[0].shape)

    @cached_property
    def false(self) -> int:
        """A variable that is always false."""
        self._constant = int(self.new("false", np.zeros(1, dtype=np.int32), vertices=0)[0])
        self._state([np.array([[-self._constant]], dtype=np.int32)])
        return self._constant

    def new_where(self, letter: str, possible: Flags) -> Ints:
        """Return an array with a row for each vertex, with fresh variables where ``possible`` is true, and `false`
        elsewhere."""
        variables = np.full(possible.shape, self.false, dtype=np.int32)
        variables[possible] = self.new(letter, *np.nonzero(possible))
        return variables

    def add(self, *literals: Ints | int) -> None:
        """State a clause for each row of these columns: the arrays, broadcast against each other, hold a literal each.

        Those that hold because `false` is false are left out. `BackendFault` if a literal has no variable.
        """
        block = np.stack(np.broadcast_arrays(*literals), axis=-1).reshape(-1, len(literals))
        largest = max(block.max(initial=1), -block.min(initial=-1)) if block.all() else 0
        if not self.sizes.variables >= largest > 0:
            raise BackendFault(
                f"{self.name}: a clause mentions variable {largest}, and there are 1 to {self.sizes.variables}"
            )
        if self._constant:
            block = block[(block != -self._constant).all(axis=1)]
        self._state([block.astype(np.int32, copy=False)])

    def add_exactly_one(self, vertices: NDArray[np.integer], literals: Ints) -> None:
        """State that exactly one of the literals at each vertex is true, by `exactly_one_by_products`; literal k is one
        at ``vertices[k]``."""
        those, at = np.unique(vertices, return_inverse=True)
        rule, numbers, unused = exactly_one_by_products, np.arange(len(those)), self.sizes.variables + 1
        letter, (of, index), _ = auxiliary_names("product", rule, np.bincount(at), numbers)
        self.new(letter, those[of], index)
        self._state(clauses_at_vertices(rule, at, literals, unused, numbers))

    def fix(self, variables: Ints, values: Ints | Sequence[int]) -> None:
        """State unit clauses that set the variables to these values, 0 or 1."""
        self.add(np.where(np.asarray(values) != 0, variables, -variables))

    def parts_by_positions(self, arcs: NDArray[np.integer]) -> list[NDArray[np.integer]]:
        """Return the arcs in parts, for each of which a table of arcs by positions is small; `BadInput` if there are
        too many vertices for positions of their own."""
        n = self.arcs.order
        if n > MAX_ORDER:
            raise BadInput(f"{self.name} takes at most {MAX_ORDER:,} vertices, not {n:,}: choose sat, or another board")
        return np.array_split(arcs, 1 + len(arcs) * n // AT_A_TIME)

    def equate_along_arcs(self, at_tail: Ints, at_head: Ints) -> None:
        """State for each arc u -> v that does not enter the root: arc[u, v] => at_tail[u] = at_head[v], two arrays of
        one literal for each vertex."""
        arc, u, v = self.arc[self.arcs.inner], self.arcs.tails[self.arcs.inner], self.arcs.heads[self.arcs.inner]
        self.add(-arc, -at_tail[u], at_head[v])
        self.add(-arc, at_tail[u], -at_head[v])

    def fix_before_the_root(self, variables: Ints, values: Sequence[int]) -> None:
        """State for each arc u -> root: arc[u, root] => ``variables[u]`` has these values; ``variables`` has a row for
        each vertex."""
        self._fix_under(self.arcs.into_root, variables[self.arcs.tails], values)

    def fix_after_the_root(self, variables: Ints, values: Sequence[int]) -> None:
        """State for each arc root -> v: arc[root, v] => ``variables[v]`` has these values."""
        self._fix_under(np.flatnonzero(self.arcs.tails == self.arcs.root), variables[self.arcs.heads], values)

    def _fix_under(self, arcs: NDArray[np.integer], variables: Ints, values: Sequence[int]) -> None:
        """State for each of these arcs that its row of variables has these values; ``variables`` has a row for each
        arc."""
        for variable, value in zip(variables[arcs].T, values, strict=True):
            self.add(-self.arc[arcs], variable if value else -variable)

    def _state(self, blocks: Iterable[Clauses]) -> None:
        """Count blocks of clauses, and keep them if this formula keeps its clauses."""
        for block in blocks:
            self._add_sizes(Sizes(0, len(block), block.size))
            if self._kept:
                self.blocks.append(block)
            self.heartbeat()

    def _add_sizes(self, more: Sizes) -> None:
        """Add to the formula's sizes; `BadInput` if it keeps its clauses and has grown too large."""
        self.sizes += more
        if self._kept and max(self.sizes.variables, self.sizes.clauses) > MAX_CLAUSES:
            what = "variables" if self.sizes.variables > MAX_CLAUSES else "clauses"
            raise BadInput(
                f"the formula of {self.name} has more than {MAX_CLAUSES:,} {what} here: choose sat, or another board"
            )

    def _an_edge_is_gone_along_one_way(self) -> None:
        """State that an edge is used if and only if one of its arcs is, and that not both are."""
        forth, back = np.split(self.arc, 2)
        self.add(-forth, self.edge)
        self.add(-back, self.edge)
        self.add(-forth, -back)
        self.add(-self.edge, forth, back)

    def _each_vertex_is_left_and_entered_once(self) -> None:
        """State that one arc leaves each vertex, and one enters it."""
        for ends in (self.arcs.tails, self.arcs.heads):
            self._state(clauses_at_vertices(_exactly_one, ends, self.arc, 0, np.arange(self.arcs.order)))

    def _one_direction_of_the_tour(self) -> None:
        """State the arc between fixed ends or, if nothing else decides the cycle's direction, which way round the root
        it goes."""
        if self.arcs.required is not None:
            self.add(self.arc[[self.arcs.required]])
        self.add(*-self.arc[self.arcs.opposed].T)


@cache
def _exactly_one(degree: int) -> Template:
    """Return the template that says that exactly one of ``degree`` arcs is chosen.

    For more than `MAX_PAIRED` it says at least one, which suffices, since two edges are chosen.
    """
    arcs = range(1, degree + 1)
    pairs = combinations(arcs, 2) if degree <= MAX_PAIRED else ()
    return Template.from_clauses(0, [tuple(arcs), *((-a, -b) for a, b in pairs)])
