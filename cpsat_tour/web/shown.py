"""A certificate as the page shows it: the sentence, what stands on which vertex, and the rows as they add up, one after
the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cpsat_tour.formats.describe import asked
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.proofs.write.words import counted
from cpsat_tour.web.settings import as_sentence

MAX_ROWS = 100
"""Of a sum of more rows the steps are not shown one by one."""


def shown_certificate(certificate: Certificate) -> dict[str, Any]:
    """The event that ends a proof: multipliers as ``[vertex, "+1/2"]``, shores of cut sets and bounded edges as lists
    of vertices."""
    problem, cycle, proof = certificate.problem, certificate.cycle, certificate.proof
    multipliers: list[Any] = []
    bounds: list[Any] = []
    if isinstance(proof, Combination):
        multipliers = [
            [vertex, ("+" if number > 0 else "") + proof.value(number)]
            for vertex, number in proof.vertices.items()
            if vertex != cycle.apex
        ]
        ends = [(int(cycle.tails[edge]), int(cycle.heads[edge])) for edge in proof.upper]
        bounds = [[tail, head] for tail, head in ends if cycle.apex not in (tail, head)]
    return {
        "event": "certificate",
        "method": certificate.method,
        "asked": f"There is no {asked(problem)}.",
        "sentence": as_sentence(certificate.refutation.reason),
        "words": certificate.words(),
        "multipliers": multipliers,
        "bounds": bounds,
        "rows": list(_rows(cycle, proof)) if isinstance(proof, Combination) and proof.terms <= MAX_ROWS else [],
        "cut_sets": [
            [vertex for vertex in shore if vertex != cycle.apex] for shore in certificate.cut_sets[:MAX_OUTLINED]
        ],
    }


def _rows(cycle: CycleRows, proof: Combination) -> Iterator[dict[str, Any]]:
    """Each row of the sum in words, with the squares it is about, and the sum so far: its right side and the edges with
    their coefficients."""
    coefficients = np.zeros(cycle.size, dtype=np.int64)
    right = 0
    ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))

    def row(words: str, vertices: Iterable[int], number: int) -> dict[str, Any]:
        left = [
            [*(-1 if end == cycle.apex else end for end in ends[edge]), proof.value(int(coefficients[edge]))]
            for edge in np.flatnonzero(coefficients).tolist()
        ]
        times = proof.value(abs(number))
        sign = ("" if number > 0 else "minus ") + ("" if times == "1" else f"{times} times ")
        shown = [vertex for vertex in vertices if vertex != cycle.apex]
        return {"words": f"{sign}{words}", "vertices": shown, "right": proof.value(right), "edges": left}

    for vertex, number in proof.vertices.items():
        coefficients[list(cycle.incidence[vertex])] += number
        right += 2 * number
        yield row(f"two edges meet at {cycle.name(vertex)}", [vertex], number)
    for shore, number in proof.cut_sets.items():
        coefficients[cycle.cut(shore)] += number
        right += 2 * number
        yield row(f"at least two edges leave the shore of {len(shore)} {cycle.problem.graph.nouns[1]}", shore, number)
    for words, edges, bound in (("is required", proof.required, 1), ("is forbidden", proof.forbidden, 0)):
        for edge, number in edges.items():
            coefficients[edge] += number
            right += bound * number
            yield row(f"{cycle.edge_name(edge)} {words}", ends[edge], number)
    for words, edges, sign in (("at least 0", proof.lower, 1), ("at most 1", proof.upper, -1)):
        if edges:
            for edge, number in edges.items():
                coefficients[edge] += sign * number
                right -= (sign < 0) * number
            yield row(f"{counted(len(edges), 'edge')} {'is' if len(edges) == 1 else 'are'} {words}", (), 1)
