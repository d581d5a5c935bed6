"""Why there is no tour, in words: an argument in a sentence, the sum of rows behind it, and the theorem that says the
same, if there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import fill

from cpsat_tour.core.split_vertices import SplitVertices
from cpsat_tour.formats.describe import joined, listed, plural, tour_sought, tours_sought
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.proofs.write.arguments import argument
from cpsat_tour.proofs.write.clauses import ClausalProof
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.tree import TreeProof
from cpsat_tour.proofs.write.veripb import CycleRows
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.theorems import why_no_tour, why_not_symmetric

Proved = Combination | ClausalProof | TreeProof

WIDTH = 100

MAX_SUMMED = 64
"""So many vertices of one multiplier are named in the sum of rows."""


def in_a_sentence(cycle: CycleRows, proof: Proved) -> str:
    """Return the argument in a sentence, without the full stop."""
    argued = _sentence_of_proof(cycle, proof)
    if not cycle.source.graph.directed or cycle.stated.contradiction is not None:
        return argued
    return f"{SplitVertices(cycle.source).meaning}: {argued}"


def _sentence_of_proof(cycle: CycleRows, proof: Proved) -> str:
    """Return the argument of the proof on the undirected problem, as part of a sentence."""
    if isinstance(proof, Combination):
        return argument(cycle, proof)
    parts = ["two edges at each vertex"]
    if ties := sum(row.subtracted is not None for row in cycle.stated.symmetric):
        parts.append(f"{plural(ties, 'pair')} of moves made together")
    if proof.cut_sets:
        parts.append(plural(len(proof.cut_sets), "cut set"))
    by = (
        f"a clausal proof of {plural(len(proof.lemmas), 'step')}"
        if isinstance(proof, ClausalProof)
        else "branch and bound with sums of rows"
    )
    rows, refuted = joined(parts), f"solution: {by} refutes them"
    if proof.best is not None:
        shown = f"a tour with {_amount(proof.best)} is shown; " * proof.best.shown
        return f"{shown}with {_more_or_fewer(proof.best)}, {rows} have no {refuted}"
    if proof.tours is not None:
        tours = "the tour is" if proof.tours == 1 else f"each of the {plural(proof.tours, 'tour')} is"
        return f"{tours} shown and excluded, and then {rows} have no other {refuted}"
    return f"{rows} have no {refuted}"


def _amount(best: BestClaim) -> str:
    """Return the best value in words, such as ``32 turns``."""
    return OBJECTIVES[best.objective].words(best.value)


def _more_or_fewer(best: BestClaim) -> str:
    """Return the word for better values."""
    return "more" if best.maximize else "fewer"


def in_words(cycle: CycleRows, proof: Proved) -> str:
    """Return the argument for people: what is impossible, why, and the sum of rows."""
    problem, reason = cycle.source, in_a_sentence(cycle, proof)
    claim = f"There is no {tour_sought(problem)}."
    if proof.best is not None:
        claim = f"No {tour_sought(problem)} has {_more_or_fewer(proof.best)} than {_amount(proof.best)}."
    elif proof.tours is not None:
        count, tours = proof.tours, tours_sought(problem, proof.tours)
        claim = f"There {'is' if count == 1 else 'are'} exactly {count:,} {tours}."
    paragraphs = [claim, f"{reason[:1].upper()}{reason[1:]}."]
    if isinstance(proof, Combination) and proof.term_count > 1:
        paragraphs.append(_sum_of_rows(cycle, proof))
    restricted = problem.require or problem.forbid or problem.start is not None or problem.end is not None
    if not proof.tours and proof.best is None and not restricted:
        space, closed = problem.graph.space, problem.closed
        name = "" if problem.symmetry is None else problem.symmetry.name
        paragraphs += filter(None, (why_no_tour(space, closed=closed), why_not_symmetric(space, name, closed=closed)))
    return "\n".join(map(wrapped, paragraphs))


def wrapped(paragraph: str) -> str:
    """Return the paragraph as text, broken at `WIDTH`; an indented line is indented further where it goes on."""
    lines = ""
    for line in paragraph.split("\n"):
        lines += fill(line, WIDTH, subsequent_indent="    " if line.startswith("  ") else "") + "\n"
    return lines


def _sum_of_rows(cycle: CycleRows, proof: Combination) -> str:
    """Return the combination in words, one line for each multiplier."""
    lines = ["Add up these rows, each times the number in front; every edge then cancels:"]

    def add(number: int, words: str) -> None:
        lines.append(f"  {'+' if number > 0 else ''}{proof.fraction_text(number)} x {words}")

    def add_alike(multipliers: Mapping[int, int], what: str, counted_as: str, name: Callable[[int], str]) -> None:
        """Write one line for each multiplier, with the names of all rows that have it."""
        for number in sorted(set(multipliers.values()), reverse=True):
            alike = sorted(key for key, value in multipliers.items() if value == number)
            how_many = f" for {plural(len(alike), counted_as)}" if counted_as else ""
            names = listed(map(name, alike), MAX_SUMMED if counted_as == "vertex" else MAX_SUMMED // 2)
            add(number, f"({what}){how_many}: {names}")

    add_alike(proof.vertices, "v has 2 edges", "vertex", cycle.name)
    for shore, number in proof.cut_sets.items():
        add(number, f"(at least 2 edges leave) {listed(map(cycle.name, shore), MAX_SUMMED)}")
    add_alike(proof.required, "the edge is 1, being required", "", cycle.edge_name)
    add_alike(proof.forbidden, "the edge is 0, being forbidden", "", cycle.edge_name)
    add_alike(proof.lower, "the edge is at least 0", "edge", cycle.edge_name)
    add_alike(proof.upper, "the edge is at most 1", "edge", cycle.edge_name)
    if cycle.apex is not None:
        lines.append(f"Here {cycle.name(cycle.apex)} is one more vertex, which joins the two ends of the tour.")
    lines.append(f"The sum says 0 >= {proof.fraction_text(proof.gain)}.")
    return "\n".join(lines)
