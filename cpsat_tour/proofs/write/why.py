"""Why there is no tour, in words: an argument in a sentence, the sum of rows behind it, and the theorem that says the
same, if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import SplitVertices
from cpsat_tour.formats.describe import tour_sought, tours_sought
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.proofs.write.arguments import argument, counted, joined, listed
from cpsat_tour.proofs.write.clauses import ClausalProof
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.theorems import sentence, symmetric

Proved = Combination | ClausalProof

WIDTH = 100

MAX_SUMMED = 64
"""So many vertices of one multiplier are named in the sum of rows."""


def in_a_sentence(cycle: CycleRows, proof: Proved) -> str:
    """The argument, without a full stop at its end."""
    argued = _argument(cycle, proof)
    if not cycle.source.graph.directed or cycle.stated.contradiction is not None:
        return argued
    return f"{SplitVertices(cycle.source).meaning}: {argued}"


def _argument(cycle: CycleRows, proof: Proved) -> str:
    if isinstance(proof, Combination):
        return argument(cycle, proof)
    parts = ["two edges at each vertex"]
    if ties := sum(row.less is not None for row in cycle.stated.symmetric):
        parts.append(f"{counted(ties, 'pair')} of moves made together")
    if proof.cut_sets:
        parts.append(counted(len(proof.cut_sets), "cut set"))
    rows, refuted = joined(parts), f"solution: a clausal proof of {counted(len(proof.lemmas), 'step')} refutes them"
    if proof.best is not None:
        return f"a tour with {_worth(proof.best)} is shown; with {_better(proof.best)}, {rows} have no {refuted}"
    if proof.tours is not None:
        shown = "the tour is" if proof.tours == 1 else f"each of the {counted(proof.tours, 'tour')} is"
        return f"{shown} shown and excluded, and then {rows} have no other {refuted}"
    return f"{rows} have no {refuted}"


def _worth(best: BestClaim) -> str:
    return OBJECTIVES[best.objective].words(best.value)


def _better(best: BestClaim) -> str:
    return "more" if best.maximize else "fewer"


def in_words(cycle: CycleRows, proof: Proved) -> str:
    """The argument for people: what is impossible, why, and the sum of rows."""
    problem, reason = cycle.source, in_a_sentence(cycle, proof)
    paragraphs = [_claim(problem, proof), f"{reason[:1].upper()}{reason[1:]}."]
    if isinstance(proof, Combination) and proof.terms > 1:
        paragraphs.append(_sum_of_rows(cycle, proof))
    if not proof.tours and proof.best is None and _unrestricted(problem):
        space, closed = problem.graph.space, problem.closed
        symmetry = "" if problem.symmetry is None else problem.symmetry.name
        paragraphs += filter(None, (sentence(space, closed=closed), symmetric(space, symmetry, closed=closed)))
    return "\n".join(map(filled, paragraphs))


def _claim(problem: Problem, proof: Proved) -> str:
    """What is proved."""
    if proof.best is not None:
        return f"No {tour_sought(problem)} has {_better(proof.best)} than {_worth(proof.best)}."
    if proof.tours is None:
        return f"There is no {tour_sought(problem)}."
    return f"There {'is' if proof.tours == 1 else 'are'} exactly {proof.tours:,} {tours_sought(problem, proof.tours)}."


def filled(paragraph: str) -> str:
    """The lines of a paragraph, each no wider than `WIDTH`; what goes on is indented."""
    return "".join(
        fill(line, WIDTH, subsequent_indent="    " if line.startswith("  ") else "") + "\n"
        for line in paragraph.split("\n")
    )


def _unrestricted(problem: Problem) -> bool:
    return not (problem.require or problem.forbid or problem.start is not None or problem.end is not None)


def _sum_of_rows(cycle: CycleRows, proof: Combination) -> str:
    """The combination, one line for each multiplier."""
    lines = ["Add up these rows, each as often as is said in front; every edge then cancels:"]

    def add(number: int, words: str) -> None:
        lines.append(f"  {'+' if number > 0 else ''}{proof.value(number)} x {words}")

    for number, vertices in _by_multiplier(proof.vertices):
        names = listed(map(cycle.name, vertices), MAX_SUMMED)
        add(number, f"(the edges at v are 2) for {counted(len(vertices), 'vertex')}: {names}")
    for shore, number in proof.cut_sets.items():
        add(number, f"(at least 2 edges leave) {listed(map(cycle.name, shore), MAX_SUMMED)}")
    for what, multipliers in (
        ("is 1, being required", proof.required),
        ("is 0, being forbidden", proof.forbidden),
        ("is at least 0", proof.lower),
        ("is at most 1", proof.upper),
    ):
        for number, edges in _by_multiplier(multipliers):
            how_many = "" if "being" in what else f" for {counted(len(edges), 'edge')}"
            names = listed(map(cycle.edge_name, edges), MAX_SUMMED // 2)
            add(number, f"(the edge {what}){how_many}: {names}")
    lines.append(f"What is left says 0 >= {proof.value(proof.gain)}.")
    return "\n".join(lines)


def _by_multiplier(numbers: Mapping[int, int]) -> Iterator[tuple[int, list[int]]]:
    for number in sorted(set(numbers.values()), reverse=True):
        yield number, sorted(key for key, value in numbers.items() if value == number)
