"""The dialects of VeriPB's proof format, as data: how each writes the steps of a proof, its beginning and its end.

A proof is the same list of steps in both. 3.0 ends every statement with a semicolon, parts a witness by a colon and
takes hints; 1.2 shows solutions by ``v`` and ``o``, names the contradiction by ``c`` and has no other end. Grammar:
Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview of the
format that VeriPB comes with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Version = Literal["3.0", "1.2"]
Rule = Literal["pol", "rup", "red", "del", "solx", "soli"]
Clause = tuple[int, ...]


class Lemma(NamedTuple):
    """A clause and its hints, by their numbers: the clauses of the formula from 1 on, then the lemmas before it."""

    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One step of a proof: its rule and what the rule is given; ``clause`` is the clause it derives, if it is one that
    a solver was given.

    ``pol`` has a sum in reverse Polish notation, ``rup`` a constraint and its hints, which only 3.0 writes, ``red`` a
    constraint and a witness, ``del`` ids, ``solx`` and ``soli`` the literals of a solution.
    """

    rule: Rule
    words: tuple[str, ...]
    clause: Clause | None = None


@dataclass(frozen=True)
class Dialect:
    """A form for each rule, and for what stands before and after the steps.

    ``f`` is given the number of ids, the end what was concluded, the id of the last step and what follows it.
    """

    version: Version
    forms: Mapping[str, str]
    end: tuple[str, ...]

    def lines(
        self, steps: Iterable[ProofStep], ids: int, last: int, concluded: str = "UNSAT", upper: str = ""
    ) -> Iterator[str]:
        """The lines of a proof from a formula with so many ids, whose contradiction has the id ``last``.

        ``concluded`` stands before that id, ``upper`` behind it.
        """
        yield f"pseudo-Boolean proof version {self.version}"
        yield self.forms["f"].format(ids)
        for step in steps:
            yield self.forms[step.rule].format(*step.words)
        for line in self.end:
            yield line.format(concluded, last, upper and f" {upper}")


STATEMENTS = {
    "f": "f {} ;",
    "pol": "pol {} ;",
    "rup": "rup {} : {} ;",
    "red": "red {} : {} ;",
    "del": "del id {} ;",
    "solx": "solx {} ;",
    "soli": "soli {} ;",
}
LINES = {
    "f": "f {}",
    "pol": "pol {}",
    "rup": "rup {} ;",
    "red": "red {} ; {}",
    "del": "del id {}",
    "solx": "v {}",
    "soli": "o {}",
}

DIALECTS: Mapping[Version, Dialect] = {
    "3.0": Dialect("3.0", STATEMENTS, ("output NONE ;", "conclusion {} : {}{} ;", "end pseudo-Boolean proof ;")),
    "1.2": Dialect("1.2", LINES, ("c {1}",)),
}


def pb_clause(clause: Clause) -> str:
    """A clause as a pseudo-Boolean constraint."""
    return f"{' '.join(map(term, clause))} >= 1".lstrip()


def rup(clause: Clause, hints: Iterable[int]) -> ProofStep:
    """A clause and the ids of the constraints by which it follows, in the order in which they propagate."""
    return ProofStep("rup", (pb_clause(clause), " ".join(map(str, hints))), clause)


def term(literal: int) -> str:
    """A literal with the coefficient 1."""
    return f"+1 x{literal}" if literal > 0 else f"+1 ~x{-literal}"
