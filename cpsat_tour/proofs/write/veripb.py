"""What VeriPB reads: the rows of a proof as an OPB formula, and the steps of a proof in two dialects.

The formula has the rows of the problem, as the checker makes them, and the cut sets that the proof uses, in the order
of their ids: VeriPB (Elffers, Gocht, McCreesh & Nordström 2020) counts an ``=`` as two constraints, ``>=`` first. A
proof is the same list of steps in both dialects. 3.0 ends every statement with a semicolon, parts a witness by a colon
and takes hints; 1.2 shows solutions by ``v`` and ``o``, names the contradiction by ``c`` and has no other end. Grammar:
Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview of the
format that VeriPB comes with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.check.rows import Row
from cpsat_tour.proofs.write.cycle_rows import CycleRows, Vertices

Version = Literal["3.0", "1.2"]
Rule = Literal["pol", "rup", "red", "del", "solx", "soli"]


class Lemma(NamedTuple):
    """A clause and its hints, by number: first the clauses of the formula, from 1 on, then the lemmas before it."""

    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A rule and what it is applied to; ``clause`` is the clause that the step derives, if a solver was given it.

    ``pol`` has a sum in reverse Polish notation, ``rup`` a constraint and its hints, which only 3.0 writes, ``red`` a
    constraint and a witness, ``del`` ids, ``solx`` and ``soli`` the literals of a solution.
    """

    rule: Rule
    words: tuple[str, ...]
    clause: Clause | None = None


FORMS: Mapping[Version, Mapping[str, str]] = {
    "3.0": {
        "f": "f {} ;",
        "pol": "pol {} ;",
        "rup": "rup {} : {} ;",
        "red": "red {} : {} ;",
        "del": "del id {} ;",
        "solx": "solx {} ;",
        "soli": "soli {} ;",
        "end": "output NONE ;\nconclusion {} : {}{} ;\nend pseudo-Boolean proof ;",
    },
    "1.2": {
        "f": "f {}",
        "pol": "pol {}",
        "rup": "rup {} ;",
        "red": "red {} ; {}",
        "del": "del id {}",
        "solx": "v {}",
        "soli": "o {}",
        "end": "c {1}",
    },
}
"""How each dialect writes the rules and the end, which has what was concluded, the id of the last step, and what
follows it."""


def proof_lines(
    version: Version, steps: Iterable[ProofStep], ids: int, last: int, concluded: str, upper: str
) -> Iterator[str]:
    """Yield the lines of a proof from a formula with ids up to ``ids``; the contradiction is ``last``.

    ``concluded`` stands before that id, ``upper`` behind it.
    """
    forms = FORMS[version]
    yield f"pseudo-Boolean proof version {version}"
    yield forms["f"].format(ids)
    for step in steps:
        yield forms[step.rule].format(*step.words)
    yield from forms["end"].format(concluded, last, upper and f" {upper}").splitlines()


def rup(clause: Clause, hints: Iterable[int]) -> ProofStep:
    """Return the step that derives a clause from the constraints with these ids, in the order in which they
    propagate. It is written as a pseudo-Boolean constraint: ``+1 x1 +1 ~x2 >= 1``."""
    return ProofStep("rup", (f"{' '.join(map(term, clause))} >= 1".lstrip(), " ".join(map(str, hints))), clause)


def term(literal: int) -> str:
    """Return a literal with the coefficient 1: ``+1 ~x5``."""
    return f"+1 x{literal}" if literal > 0 else f"+1 ~x{-literal}"


@dataclass(frozen=True, eq=False)
class RowFormula:
    """The rows of a proof: those of the problem and the cut sets of these shores.

    Where tours are ``counted`` the file says that all variables tell them apart.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False

    @cached_property
    def rows(self) -> list[Row]:
        """The rows in the order of their ids."""
        return [*self.cycle.stated.rows, *map(self.cycle.stated.cut_row, self.cut_sets)]

    @cached_property
    def row_ids(self) -> list[int]:
        """The id of each row, and the first id after them; of an ``=``, the id of its ``>=`` half, which the ``<=``
        half follows."""
        return list(accumulate((1 + (row.relation == "=") for row in self.rows), initial=1))

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return self.row_ids[-1] - 1

    def opb(self, *, plain: bool = False) -> Iterator[str]:
        """Yield the lines of the OPB file; ``plain``, without what VeriPB 1 does not read: preserved variables, and a
        constant in the objective."""
        yield f"* #variable= {self.cycle.stated.variables} #constraint= {len(self.rows)}"
        if self.counted and not plain:
            yield f"preserved: {' '.join(f'x{number}' for number in range(1, self.cycle.stated.variables + 1))} ;"
        if self.cycle.stated.worth is not None:
            yield self.cycle.stated.worth.objective_line(plain=plain)
        for row in self.rows:
            yield f"* {row.meaning}"
            yield " ".join(row.tokens())
