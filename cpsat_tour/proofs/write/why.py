"""Why there is no tour, in words: the plain argument where the multipliers have the shape of one, the sum of rows where they have not.

Write P for the vertices with multiplier +1, Q for those with -1 (or both halved). The shapes, each of which is a known argument:

- one row alone: a vertex with fewer than two edges or more than two required ones, or a set of vertices that no edge leaves;
- P touches only Q, and Q is smaller: on odd boards the two colours (parity);
- P touches only Q, Q is as large, and a cut set lies round both: Pósa's argument on 4 x n boards, that the outer squares use up the
  inner ones and the tour never changes over;
- P and the shores of cut sets are the parts into which the graph falls without Q, and these are too many (toughness);
- P has few edges to other than Q: a count of edge ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import fill

from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.formats.describe import asked
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.words import counted, joined, listed, place_of
from cpsat_tour.spaces.theorems import sentence

MOST_NAMED = 16
"""So many vertices are named one by one; of larger sets the first few are."""

WIDTH = 100


def in_words(certificate: Certificate) -> str:
    """The argument for people: what is impossible, why, and the sum of rows."""
    proof, problem = certificate.proof, certificate.problem
    paragraphs = [f"There is no {asked(problem)}.", f"{_capital(in_a_sentence(certificate))}."]
    if isinstance(proof, Combination) and proof.terms > 1:
        paragraphs.append(_sum_of_rows(certificate, proof))
    if _unrestricted(problem) and (theorem := sentence(problem.graph.space, closed=problem.closed)):
        paragraphs.append(theorem)
    return "\n".join(map(_filled, paragraphs))


def about_the_files(certificate: Certificate) -> str:
    """The last paragraph of ``why.txt``: what lies beside it."""
    if certificate.method == "lp":
        return _filled("problem.opb has the rows, proof.pbp their sum in the format of VeriPB 2.0.")
    return _filled(
        "problem.opb has the rows, proof.pbp the steps in the format of VeriPB 2.0; problem.cnf and proof.drup are the same as clauses,"
        " for drat-trim."
    )


def _filled(paragraph: str) -> str:
    """The lines of a paragraph, each no wider than `WIDTH`; what goes on is indented."""
    return "".join(fill(line, WIDTH, subsequent_indent="    " if line.startswith("  ") else "") + "\n" for line in paragraph.split("\n"))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _unrestricted(problem: HamiltonProblem) -> bool:
    return not (problem.require or problem.forbid or problem.start is not None or problem.end is not None)


def in_a_sentence(certificate: Certificate) -> str:
    """The argument, without a full stop at its end."""
    proof = certificate.proof
    if not isinstance(proof, Combination):
        return (
            f"two edges at each vertex and {counted(len(certificate.cut_sets), 'cut set')} admit no solution:"
            f" a clausal proof of {counted(proof.learned, 'step')} refutes them"
        )
    speaker = _Speaker(certificate, proof)
    return speaker.one_row() or speaker.colours() or speaker.hemmed_in() or speaker.edge_ends() or speaker.general()


def _is_plain(proof: Combination) -> bool:
    """Whether one row, with bounds, says it all."""
    return len(proof.vertices) + len(proof.cut_sets) + bool(proof.contradiction) <= 1


@dataclass(frozen=True)
class _Speaker:
    """Says what a combination says; each method is one shape of argument, and returns None where the combination has another."""

    certificate: Certificate
    proof: Combination

    @property
    def _squares(self) -> str:
        return self.certificate.problem.graph.nouns[1]

    @property
    def _square(self) -> str:
        return self.certificate.problem.graph.nouns[0]

    def one_row(self) -> str | None:
        """A contradiction that lies in one vertex, one edge, or one set of vertices."""
        proof, cycle = self.proof, self.certificate.cycle
        name = cycle.name
        if proof.contradiction:
            return cycle.contradiction
        if not proof.vertices and not proof.cut_sets:
            return f"the move {cycle.edge_name(next(iter(proof.required)))} is both required and forbidden"
        if not _is_plain(proof):
            return None
        if proof.cut_sets:
            (shore,) = proof.cut_sets
            if proof.upper or proof.required:
                crossing = [cycle.edge_name(edge) for edge in cycle.cut(shore).tolist() if edge not in proof.forbidden]
                return f"a tour leaves {self._set(shore)} and comes back, and only {listed(crossing)} leads out"
            return f"no move leads out of {self._set(shore)}"
        ((vertex, multiplier),) = proof.vertices.items()
        one = self._square
        if multiplier < 0:
            fixed = [edge for edge in cycle.incidence[vertex] if edge in proof.required]
            ends = sum(int(cycle.heads[edge]) == cycle.apex for edge in fixed)
            also = " and it is an end" * bool(ends)
            meet = f"{counted(len(fixed) - ends, 'required move')} meet at {one} {name(vertex)}{also}"
            return f"{meet}, and a tour has two moves there, or one at an end"
        moves = [edge for edge in cycle.incidence[vertex] if edge not in proof.forbidden and int(cycle.heads[edge]) != cycle.apex]
        if not moves:
            return f"{one} {name(vertex)} has no move"
        return f"{one} {name(vertex)} has only the move {cycle.edge_name(moves[0])}, and a tour comes and goes"

    def _sides(self) -> tuple[list[int], list[int]] | None:
        """The vertices with the one positive multiplier and those with its negative; None where there are other multipliers."""
        numbers = set(self.proof.vertices.values())
        if len({abs(number) for number in numbers}) != 1:
            return None
        return (
            [vertex for vertex, number in self.proof.vertices.items() if number > 0],
            [vertex for vertex, number in self.proof.vertices.items() if number < 0],
        )

    def colours(self) -> str | None:
        """Parity, over all vertices."""
        cycle = self.certificate.cycle
        problem, sides = cycle.problem, self._sides()
        if sides is None or self.proof.cut_sets or self.proof.upper or len(self.proof.vertices) < cycle.order:
            return None
        more, less = sides
        less = [vertex for vertex in less if vertex != cycle.apex]
        both = f"every move changes colour, and the {len(more) + len(less)} {self._squares} are {self._colour_counts(more, less)}"
        if problem.closed:
            return f"{both}: a closed tour visits as many of the one as of the other" if not self.proof.required else None
        if len(more) - len(less) > 1:
            return f"{both}: in an open tour these numbers differ by at most one"
        ends = [cycle.name(int(cycle.tails[edge])) for edge in self.proof.required]
        if not ends:
            return None
        if len(ends) == 1:
            return f"{both}: an open tour can't end at {ends[0]}"
        return f"{both}: an open tour can't have both its ends, {ends[0]} and {ends[1]}, on one colour"

    def _colour_counts(self, more: list[int], less: list[int]) -> str:
        dark = self.certificate.problem.graph.space.dark()
        if dark is not None:
            shades = [set(dark[side].tolist()) for side in (more, less)]
            if all(len(shade) <= 1 for shade in shades) and shades[0] != shades[1]:
                words = ("dark", "light") if True in shades[0] or False in shades[1] else ("light", "dark")
                return f"{len(more)} {words[0]} and {len(less)} {words[1]}"
        return f"{len(more)} of one colour and {len(less)} of the other"

    def hemmed_in(self) -> str | None:
        """P touches only Q, and Q is too small, or as large and a cut set lies round both; or Q parts the rest into too many pieces."""
        cycle, proof, sides = self.certificate.cycle, self.proof, self._sides()
        if sides is None or proof.upper or proof.required or not sides[1] or cycle.apex in sides[0]:
            return None
        alone, hemming = sides[0], [vertex for vertex in sides[1] if vertex != cycle.apex]
        if cycle.apex is not None and len(hemming) == len(sides[1]):
            return None
        if not proof.cut_sets:
            touch = f"{self._set(alone)} touch only {self._set(hemming)}"
            if cycle.apex is not None:
                return f"{touch}: an open tour needs one of these between any two of those, at least {len(alone) - 1}"
            return f"{touch}: a closed tour needs one of these after each of those, {len(alone)} in all"
        return self._used_up(alone, hemming) or self._pieces(alone, hemming)

    def _used_up(self, alone: list[int], hemming: list[int]) -> str | None:
        """Pósa's argument."""
        cycle, cut_sets = self.certificate.cycle, list(self.proof.cut_sets)
        if cycle.apex is not None or len(alone) != len(hemming) or cut_sets != [cycle.shore(alone + hemming)]:
            return None
        both = 2 * len(alone)
        return (
            f"{self._set(alone)} touch only {self._set(hemming)}: the {both} moves of a closed tour at the former use up the latter,"
            f" so no move leaves these {both} {self._squares}, and there are {cycle.order - both} others"
        )

    def _pieces(self, alone: list[int], hemming: list[int]) -> str | None:
        """Toughness (Chvátal 1973): a closed tour less some vertices falls into no more pieces than these are, an open one into one more."""
        cycle, proof = self.certificate.cycle, self.proof
        taken = set(alone) | set(proof.vertices)
        if len(set(proof.cut_sets.values()) | set(map(abs, proof.vertices.values()))) > 1:
            return None
        for shore in proof.cut_sets:
            part = set(shore) if taken.isdisjoint(shore) else set(range(cycle.order)) - set(shore)
            if not taken.isdisjoint(part):
                return None
            taken |= part
        parts = len(alone) + len(proof.cut_sets)
        most = len(hemming) + (cycle.apex is not None)
        single = f", {len(alone)} of them one {self._square} each" * bool(alone)
        falls = f"without {self._set(hemming)} the others fall into {parts} parts or more{single}"
        return f"{falls}, and {self._a_tour} into at most {counted(most, 'piece')}"

    def edge_ends(self) -> str | None:
        """P needs more edge ends than Q and the other edges at P can take, without a cut set."""
        cycle, proof, sides = self.certificate.cycle, self.proof, self._sides()
        if sides is None or proof.cut_sets or proof.required or not all(sides) or cycle.apex in sides[0]:
            return None
        few, hemming = sides[0], [vertex for vertex in sides[1] if vertex != cycle.apex]
        if not hemming or any(int(cycle.heads[edge]) == cycle.apex for edge in proof.upper):
            return None
        if cycle.apex is not None and len(hemming) == len(sides[1]):
            return None
        beside = sum(proof.upper.values()) // abs(proof.vertices[few[0]])
        elsewhere = listed([cycle.edge_name(edge) for edge in proof.upper], MOST_NAMED)
        takes = f"{self._set(hemming)} take at most {2 * len(hemming)} of them, and the other moves there, {elsewhere}, at most {beside}"
        return f"the moves of {self._a_tour} have {self._ends(len(few))} ends at {self._set(few)}: {takes}"

    def _ends(self, vertices: int) -> str:
        return str(2 * vertices) if self.certificate.problem.closed else f"at least {2 * vertices - 2}"

    @property
    def _a_tour(self) -> str:
        return "a closed tour" if self.certificate.problem.closed else "an open tour"

    def general(self) -> str:
        """What can be said of any combination."""
        rows = [counted(len(self.proof.vertices), "degree row")]
        if self.proof.cut_sets:
            rows.append(counted(len(self.proof.cut_sets), "cut set"))
        fixed = len(self.proof.required) + len(self.proof.forbidden)
        if fixed:
            rows.append(counted(fixed, "required or forbidden move"))
        return f"multiplied and added, {joined(rows)} say that 0 is at least {self.proof.value(self.proof.gain)}"

    def _set(self, vertices: Collection[int]) -> str:
        """A set of vertices as people call it."""
        cycle = self.certificate.cycle
        if len(vertices) == 1:
            return f"{self._square} {cycle.name(next(iter(vertices)))}"
        if cycle.apex not in vertices and (words := place_of(cycle.problem.graph.space, vertices)):
            return f"the {len(vertices)} {words}"
        return f"the {len(vertices)} {self._squares} {listed([cycle.name(vertex) for vertex in sorted(vertices)], MOST_NAMED)}"


def _sum_of_rows(certificate: Certificate, proof: Combination) -> str:
    """The combination, one line for each multiplier."""
    cycle = certificate.cycle
    lines = ["Add up these rows, each as often as is said in front; every edge then cancels:"]
    for number, vertices in _by_multiplier(proof.vertices):
        names = listed([cycle.name(vertex) for vertex in vertices], 64)
        lines.append(f"  {_signed(proof, number)} x (the edges at v are 2) for {counted(len(vertices), 'vertex')}: {names}")
    for shore, number in proof.cut_sets.items():
        names = listed([cycle.name(vertex) for vertex in shore], 64)
        lines.append(f"  {_signed(proof, number)} x (at least 2 edges leave) {names}")
    for what, edges in (("is 1, being required", proof.required), ("is 0, being forbidden", proof.forbidden)):
        for number, some in _by_multiplier(edges):
            lines.append(f"  {_signed(proof, number)} x (the edge {what}): {_edges(certificate, some)}")
    for what, bound in (("at least 0", proof.lower), ("at most 1", proof.upper)):
        for number, some in _by_multiplier(bound):
            lines.append(f"  {_signed(proof, number)} x (the edge is {what}) for {counted(len(some), 'edge')}: {_edges(certificate, some)}")
    lines.append(f"What is left says 0 >= {proof.value(proof.gain)}.")
    return "\n".join(lines)


def _by_multiplier(numbers: Mapping[int, int]) -> Iterator[tuple[int, list[int]]]:
    for number in sorted(set(numbers.values()), reverse=True):
        yield number, sorted(key for key, value in numbers.items() if value == number)


def _edges(certificate: Certificate, edges: Iterable[int]) -> str:
    return listed([certificate.cycle.edge_name(edge) for edge in edges], 32)


def _signed(proof: Combination, number: int) -> str:
    return ("+" if number > 0 else "") + proof.value(number)
