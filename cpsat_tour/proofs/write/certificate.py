"""A certificate: a problem without a tour, and the proof. As a folder it is what anyone can check.

``problem.opb``, the rows; ``proof.pbp``, the proof in the format of VeriPB 2.0; ``certificate.json``, what the rows are rows of;
``why.txt`` and ``why.svg``, the argument for people. A clausal proof has ``problem.cnf`` and ``proof.drup`` too, for drat-trim.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from cpsat_tour import __version__
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.problem import HamiltonProblem, Move
from cpsat_tour.formats.files import write
from cpsat_tour.proofs.write.clausal import ClausalProof
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.folder import BUNDLE, FILES, FORMAT
from cpsat_tour.proofs.write.rows import CycleRows, Formula, Vertices


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof that a problem has no tour: a linear combination of its rows, or clauses."""

    cycle: CycleRows
    proof: Combination | ClausalProof

    @property
    def problem(self) -> HamiltonProblem:
        """The problem that has no tour."""
        return self.cycle.problem

    @property
    def cut_sets(self) -> tuple[Vertices, ...]:
        """The shores of the cut sets that the proof uses."""
        return tuple(self.proof.cut_sets)

    @property
    def method(self) -> Literal["lp", "clausal"]:
        """Which kind of proof it is."""
        return "lp" if isinstance(self.proof, Combination) else "clausal"

    @property
    def formula(self) -> Formula:
        """The rows that the proof is from."""
        return Formula(self.cycle, self.cut_sets)

    @property
    def refutation(self) -> Refutation:
        """What an answer says of it."""
        from cpsat_tour.proofs.write.why import in_a_sentence

        return Refutation(self.method, in_a_sentence(self), self)

    def proof_lines(self) -> Iterator[str]:
        """The lines of the proof file."""
        formula = self.formula
        yield "pseudo-Boolean proof version 2.0"
        yield f"f {formula.ids}"
        if isinstance(self.proof, Combination):
            yield self.proof.pol(formula)
            last = formula.ids + 1
        else:
            yield from self.proof.steps(formula)
            last = self.proof.length(formula)
        yield "output NONE"
        yield f"conclusion UNSAT : {last}"
        yield "end pseudo-Boolean proof"

    def description(self) -> dict[str, Any]:
        """What ``certificate.json`` holds."""
        multipliers = {}
        if isinstance(self.proof, Combination):
            multipliers = {"multipliers": list(self.proof.multipliers(self.cycle, self.formula))}
        return {
            "format": FORMAT,
            "method": self.method,
            "problem": described(self.problem),
            "cut_sets": [[self.cycle.name(vertex) for vertex in shore] for shore in self.cut_sets],
            **multipliers,
            "versions": _versions(),
        }


def write_certificate(certificate: Certificate, folder: Path) -> list[Path]:
    """Write the files of a certificate into a folder, which appears with all of them; one that is there has its files replaced."""
    from cpsat_tour.proofs.write.why import about_the_files, in_words
    from cpsat_tour.proofs.write.why_svg import drawing

    formula, proof = certificate.formula, certificate.proof
    contents = {
        "problem.opb": _text(formula.opb()),
        "proof.pbp": _text(certificate.proof_lines()),
        "why.txt": f"{in_words(certificate)}\n{about_the_files(certificate)}",
        "why.svg": drawing(certificate),
        "problem.cnf": _text(proof.dimacs(formula)) if isinstance(proof, ClausalProof) else None,
        "proof.drup": _text(proof.drup) if isinstance(proof, ClausalProof) else None,
        "certificate.json": json.dumps(certificate.description(), indent=1) + "\n",
    }
    written = {name: content for name, content in contents.items() if content is not None}
    with BUNDLE.writing(folder, retired=FILES) as staged:
        for name, content in written.items():
            write(staged / name, content)
    return [folder / name for name in written]


def described(problem: HamiltonProblem) -> dict[str, Any]:
    """A problem in the words of a JSON file: the board or the graph, what is sought, and the moves required and forbidden, by name."""
    graph, name = problem.graph, problem.graph.name

    def named(moves: Iterable[Move]) -> list[list[str]]:
        return [[name(tail), name(head)] for tail, head in moves]

    where: dict[str, Any]
    if (data := graph.space.data()) is not None:
        where = {"board": data | {"holes": graph.space.without()}}
    else:
        tails, heads = graph.edges()
        edges = named(zip(tails.tolist(), heads.tolist(), strict=True))
        where = {"graph": {"vertices": [name(vertex) for vertex in range(graph.order)], "edges": edges}}
    return {
        **where,
        "closed": problem.closed,
        "start": None if problem.start is None else name(problem.start),
        "end": None if problem.end is None else name(problem.end),
        "require": named(problem.require),
        "forbid": named(problem.forbid),
    }


def _versions() -> dict[str, str]:
    versions = {"cpsat-tour": __version__}
    for distribution in ("ortools", "python-sat"):
        try:
            versions[distribution] = version(distribution)
        except PackageNotFoundError:
            continue
    return versions


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
