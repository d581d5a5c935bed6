"""A certificate as the page shows it: the sentence, and what stands on which square."""

from __future__ import annotations

from typing import Any

from cpsat_tour.formats.describe import asked
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED


def shown_certificate(certificate: Certificate) -> dict[str, Any]:
    """The event that ends a proof: multipliers as ``[[row, col], "+1/2"]``, shores of cut sets and bounded edges as lists of squares."""
    problem, cycle, proof = certificate.problem, certificate.cycle, certificate.proof
    place = problem.graph.space.place
    multipliers: list[Any] = []
    bounds: list[Any] = []
    if isinstance(proof, Combination):
        multipliers = [
            [place(vertex), ("+" if number > 0 else "") + proof.value(number)]
            for vertex, number in proof.vertices.items()
            if vertex != cycle.apex
        ]
        ends = [(int(cycle.tails[edge]), int(cycle.heads[edge])) for edge in proof.upper]
        bounds = [[place(tail), place(head)] for tail, head in ends if cycle.apex not in (tail, head)]
    return {
        "event": "certificate",
        "method": certificate.method,
        "asked": f"There is no {asked(problem)}.",
        "sentence": f"{certificate.refutation.reason}.",
        "words": certificate.words(),
        "multipliers": multipliers,
        "bounds": bounds,
        "cut_sets": [[place(vertex) for vertex in shore if vertex != cycle.apex] for shore in certificate.cut_sets[:MAX_OUTLINED]],
    }
