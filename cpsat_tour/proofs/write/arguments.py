"""The argument that a linear combination of rows makes, in a sentence: a known one where its multipliers have the shape
of one.

Write P for the vertices with multiplier +1, Q for those with -1 (or both halved), the apex apart. The shapes are

- one row alone: a vertex with fewer than two edges or more than two required ones, or a set of vertices that no edge
  leaves;
- P and Q are all vertices: the two colours, and parity;
- P touches only Q, and Q is smaller;
- P touches only Q, Q is as large, and a cut set lies round both: Pósa's argument on 4 x n boards, that the outer
  squares use up the inner ones and the tour never changes over;
- P and the shores of cut sets are the parts into which the graph falls without Q, and these are too many (toughness,
  Chvátal 1973);
- P has few edges to other than Q: a count of edge ends.

Of any other combination only the number of rows is said. Limits: a shape is recognised by its multipliers alone, so
another combination of the same argument is not.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.proofs.write.words import counted, joined, listed, place_of

MAX_NAMED = 16
"""So many vertices are named one by one; of larger sets the first few are."""


def argument(cycle: CycleRows, proof: Combination) -> str:
    """The argument, without a full stop at its end."""
    return known_argument(cycle, proof) or _sum(proof)


def known_argument(cycle: CycleRows, proof: Combination) -> str | None:
    """The argument where the multipliers have the shape of a known one."""
    if said := _Plain(cycle, proof).one_row():
        return said
    sides = _sides(cycle, proof)
    return _TwoSides(cycle, proof, *sides).argument() if sides else None


def _sides(cycle: CycleRows, proof: Combination) -> tuple[list[int], list[int]] | None:
    """P and Q; None where there are other multipliers, or where the apex, if there is one, is not one of those with
    -1."""
    if len({abs(number) for number in proof.vertices.values()}) != 1:
        return None
    more = [vertex for vertex, number in proof.vertices.items() if number > 0]
    less = [vertex for vertex, number in proof.vertices.items() if number < 0 and vertex != cycle.apex]
    apex_is_below = cycle.apex is None or proof.vertices.get(cycle.apex, 0) < 0
    return (more, less) if apex_is_below else None


def _sum(proof: Combination) -> str:
    """What can be said of any combination."""
    rows = [counted(len(proof.vertices), "degree row")]
    if proof.cut_sets:
        rows.append(counted(len(proof.cut_sets), "cut set"))
    if fixed := len(proof.required) + len(proof.forbidden):
        rows.append(counted(fixed, "required or forbidden move"))
    return f"multiplied and added, {joined(rows)} say that 0 is at least {proof.value(proof.gain)}"


@dataclass(frozen=True)
class _Names:
    """A combination of the rows of a problem, and what its vertices are called."""

    cycle: CycleRows
    proof: Combination

    @property
    def square(self) -> str:
        return self.cycle.problem.graph.nouns[0]

    @property
    def squares(self) -> str:
        return self.cycle.problem.graph.nouns[1]

    @property
    def a_tour(self) -> str:
        return "a closed tour" if self.cycle.problem.closed else "an open tour"

    def the(self, vertices: Collection[int]) -> str:
        """A set of vertices as people call it."""
        cycle = self.cycle
        if len(vertices) == 1:
            return f"{self.square} {cycle.name(next(iter(vertices)))}"
        if cycle.apex not in vertices and (words := place_of(cycle.problem.graph.space, vertices)):
            return f"the {len(vertices)} {words}"
        return f"the {len(vertices)} {self.squares} {listed(map(cycle.name, sorted(vertices)), MAX_NAMED)}"


class _Plain(_Names):
    """A contradiction that lies in one vertex, one edge, one set of vertices, or in the problem as it was asked."""

    def one_row(self) -> str | None:
        """The contradiction; None where it takes more than one row."""
        cycle, proof = self.cycle, self.proof
        if proof.contradiction:
            return cycle.contradiction
        if not proof.vertices and not proof.cut_sets:
            return f"the move {cycle.edge_name(next(iter(proof.required)))} is both required and forbidden"
        if len(proof.vertices) + len(proof.cut_sets) > 1:
            return None
        if proof.cut_sets:
            return self._no_way_out(*proof.cut_sets)
        ((vertex, multiplier),) = proof.vertices.items()
        return self._too_few_moves(vertex) if multiplier > 0 else self._too_many_required(vertex)

    def _no_way_out(self, shore: tuple[int, ...]) -> str:
        cycle, proof = self.cycle, self.proof
        if not (proof.upper or proof.required):
            return f"no move leads out of {self.the(shore)}"
        crossing = [cycle.edge_name(edge) for edge in cycle.cut(shore).tolist() if edge not in proof.forbidden]
        return f"a tour leaves {self.the(shore)} and comes back, and only {listed(crossing)} leads out"

    def _too_few_moves(self, vertex: int) -> str:
        cycle, name = self.cycle, self.cycle.name(vertex)
        left = [
            edge
            for edge in cycle.incidence[vertex]
            if edge not in self.proof.forbidden and int(cycle.heads[edge]) != cycle.apex
        ]
        if not left:
            return f"{self.square} {name} has no move"
        return f"{self.square} {name} has only the move {cycle.edge_name(left[0])}, and a tour comes and goes"

    def _too_many_required(self, vertex: int) -> str:
        cycle = self.cycle
        fixed = [edge for edge in cycle.incidence[vertex] if edge in self.proof.required]
        ends = sum(int(cycle.heads[edge]) == cycle.apex for edge in fixed)
        meet = f"{counted(len(fixed) - ends, 'required move')} meet at {self.square} {cycle.name(vertex)}"
        return f"{meet}{' and it is an end' * bool(ends)}, and a tour has two moves there, or one at an end"


@dataclass(frozen=True)
class _TwoSides(_Names):
    """A combination in which the vertices ``more`` count once and the vertices ``less`` are taken away once, the apex
    too if there is one."""

    more: list[int]
    less: list[int]

    def argument(self) -> str | None:
        """The known argument that the combination makes; None where it is another."""
        of_degrees = (self.colours, self.touch_too_few, self.too_little_room, self.too_many_ends)
        for shape in (*of_degrees, self.use_up_their_neighbours, self.too_many_pieces):
            if said := shape():
                return said
        return None

    def colours(self) -> str | None:
        """Parity, over all vertices."""
        cycle, proof, more, less = self.cycle, self.proof, self.more, self.less
        within = any(int(cycle.heads[edge]) != cycle.apex for edge in (*proof.lower, *proof.required))
        if proof.cut_sets or proof.upper or within or len(proof.vertices) < cycle.order:
            return None
        both = f"every move changes colour, and the {len(more) + len(less)} {self.squares} are {self._colour_counts()}"
        if cycle.problem.closed:
            return f"{both}: a closed tour visits as many of the one as of the other" if not proof.required else None
        if len(more) - len(less) > 1:
            return f"{both}: in an open tour these numbers differ by at most one"
        ends = [cycle.name(int(cycle.tails[edge])) for edge in proof.required]
        if len(ends) == 1:
            return f"{both}: an open tour can't end at {ends[0]}"
        return (
            f"{both}: an open tour can't have both its ends, {ends[0]} and {ends[1]}, on one colour" if ends else None
        )

    def _colour_counts(self) -> str:
        more, less, dark = self.more, self.less, self.cycle.problem.graph.space.dark()
        if dark is not None:
            shades = [set(dark[side].tolist()) for side in (more, less)]
            if all(len(shade) <= 1 for shade in shades) and shades[0] != shades[1]:
                words = ("dark", "light") if True in shades[0] or False in shades[1] else ("light", "dark")
                return f"{len(more)} {words[0]} and {len(less)} {words[1]}"
        return f"{len(more)} of one colour and {len(less)} of the other"

    def touch_too_few(self) -> str | None:
        """P touches only Q, and Q is too small."""
        proof = self.proof
        if proof.cut_sets or proof.upper or proof.required or not self.less:
            return None
        touch = f"{self.the(self.more)} touch only {self.the(self.less)}"
        if self.cycle.problem.closed:
            return f"{touch}: a closed tour needs one of these after each of those, {len(self.more)} in all"
        return f"{touch}: an open tour needs one of these between any two of those, at least {len(self.more) - 1}"

    def too_little_room(self) -> str | None:
        """P touches only Q, but for required edges, and those at Q leave too little room."""
        cycle, proof, more, less = self.cycle, self.proof, self.more, self.less
        if proof.cut_sets or proof.upper or not proof.required or not less or cycle.apex is not None:
            return None
        made = np.bincount(
            np.concatenate([cycle.tails[cycle.required], cycle.heads[cycle.required]]), minlength=cycle.order
        )
        needs, room = (2 * len(side) - int(made[side].sum()) for side in (more, less))
        moves = "required and forbidden moves" if proof.forbidden else "required moves"
        touch = f"but for {moves} {self.the(more)} {'touches' if len(more) == 1 else 'touch'} only {self.the(less)}"
        return f"{touch}: a closed tour makes {counted(needs, 'other move')} there, and there is room for {room}"

    def use_up_their_neighbours(self) -> str | None:
        """P touches only Q, which is as large, and a cut set lies round both (Pósa)."""
        cycle, proof, more, less = self.cycle, self.proof, self.more, self.less
        if proof.upper or proof.required or cycle.apex is not None or len(more) != len(less):
            return None
        if list(proof.cut_sets) != [cycle.shore(more + less)]:
            return None
        both = len(more) + len(less)
        return (
            f"{self.the(more)} touch only {self.the(less)}: the {both} moves of a closed tour at the former "
            "use up the latter,"
            f" so no move leaves these {both} {self.squares}, and there are {cycle.order - both} others"
        )

    def too_many_pieces(self) -> str | None:
        """A closed tour less Q falls into no more pieces than Q has vertices, an open one into one more."""
        proof, more, less = self.proof, self.more, self.less
        if not proof.cut_sets or proof.upper or proof.required or not less or not self._parts_are_apart():
            return None
        parts, most = len(more) + len(proof.cut_sets), len(less) + (self.cycle.apex is not None)
        single = f", {len(more)} of them one {self.square} each" * bool(more)
        falls = f"without {self.the(less)} the others fall into {parts} parts or more{single}"
        return f"{falls}, and {self.a_tour} into at most {counted(most, 'piece')}"

    def _parts_are_apart(self) -> bool:
        """Whether all multipliers are the same, and the shores, or what lies beyond them, have no vertex in common with
        each other, P or Q."""
        proof, order = self.proof, self.cycle.order
        if len(set(proof.cut_sets.values()) | set(map(abs, proof.vertices.values()))) > 1:
            return False
        taken = set(proof.vertices)
        for shore in proof.cut_sets:
            part = set(shore) if taken.isdisjoint(shore) else set(range(order)) - set(shore)
            if not taken.isdisjoint(part):
                return False
            taken |= part
        return True

    def too_many_ends(self) -> str | None:
        """P needs more edge ends than Q and the other edges at P can take, without a cut set."""
        cycle, proof, more, less = self.cycle, self.proof, self.more, self.less
        at_the_apex = any(int(cycle.heads[edge]) == cycle.apex for edge in proof.upper)
        if proof.cut_sets or proof.required or not more or not less or at_the_apex:
            return None
        beside = sum(proof.upper.values()) // abs(proof.vertices[more[0]])
        elsewhere = listed(map(cycle.edge_name, proof.upper), MAX_NAMED)
        takes = (
            f"{self.the(less)} take at most {2 * len(less)} of them, and the other moves there, {elsewhere}, at "
            f"most {beside}"
        )
        ends = f"{2 * len(more)}" if cycle.problem.closed else f"at least {2 * len(more) - 2}"
        return f"the moves of {self.a_tour} have {ends} ends at {self.the(more)}: {takes}"
