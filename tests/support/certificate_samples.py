"""Certificates made by hand, for the tests of the checker: their proofs are written here, with no code of the writers.

A sample is what `check` reads, as Python values: the description of the problem that goes to ``certificate.json``, and
the lines of the two other files.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from certificate_judge import derived, negation, propagation, read_sides, rows_of

from cpsat_tour.proofs.check.claim import CLAIM, Claim, read_claim
from cpsat_tour.proofs.check.folder import FORMULA, PROOF

Description = dict[str, Any]
Edge = tuple[int, int]


@dataclass
class Sample:
    """The contents of a certificate."""

    description: Description
    opb: list[str] = field(default_factory=list)
    proof: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Sample:
        """The contents of a certificate that was written."""
        opb, proof = ((folder / name).read_text().splitlines() for name in (FORMULA, PROOF))
        return cls(json.loads((folder / CLAIM).read_text()), opb, proof)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        description = json.dumps(self.description, indent=1)
        for name, content in ((CLAIM, [description]), (FORMULA, self.opb), (PROOF, self.proof)):
            overwrite(folder / name, "".join(f"{line}\n" for line in content).encode())
        return folder


def overwrite(path: Path, content: bytes) -> None:
    """Write a file anew: some file systems flush a file to disk when it is cut to nothing and written again, which
    takes milliseconds."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


# --- descriptions ---


def board(rows: int, cols: int, *, holes: Sequence[str] = (), leaper: Edge = (1, 2), **more: Any) -> Description:
    return described({"board": {"rows": rows, "cols": cols, "holes": list(holes), "leaper": list(leaper)}}, **more)


def graph(edges: Sequence[Edge], order: int, *, member: str = "edges", **more: Any) -> Description:
    """The description of a graph on v0, v1, …; its member ``arcs`` has those of a directed one."""
    pairs = [[f"v{tail}", f"v{head}"] for tail, head in edges]
    return described({"graph": {"vertices": [f"v{vertex}" for vertex in range(order)], member: pairs}}, **more)


def described(
    where: dict[str, Any], *, method: str = "lp", cut_sets: Any = (), tours: int | None = None, **more: Any
) -> Description:
    problem = {**where, "closed": True, "start": None, "end": None, "require": [], "forbid": []} | more
    return {
        "format": "cpsat-tour certificate 1",
        "method": method,
        "problem": problem,
        "cut_sets": [list(names) for names in cut_sets],
        **({} if tours is None else {"tours": tours}),
        "versions": {},
    }


def claim_of(description: Description) -> Claim:
    """The claim that the checker reads in a description."""
    with tempfile.TemporaryDirectory() as folder:
        return read_claim(Sample(description).write(Path(folder)) / CLAIM, 10**6)


def opb_of(description: Description) -> list[str]:
    """The lines of the formula; the second names all variables if tours are counted."""
    cycle, rows = rows_of(claim_of(description))
    preserved = f"preserved: {' '.join(f'x{x}' for x in range(1, cycle.variables + 1))} ;"
    first = [f"* #variable= {cycle.variables} #constraint= {len(rows)}", preserved if "tours" in description else ""]
    return first + [" ".join(row.tokens()) for row in rows]


def sample(description: Description, *steps: str) -> Sample:
    """The certificate with these steps, the last of which is the contradiction.

    A step that does not end with ``;`` is completed, one by unit propagation with its hints.
    """
    opb = opb_of(description)
    ids = sum(1 + (" = " in line) for line in opb[2:])
    derived = sum(step.split()[0] in ("pol", "rup", "red", "solx") for step in steps)
    concluded = f"ENUMERATION_COMPLETE {description['tours']}" if "tours" in description else "UNSAT"
    frame = ["pseudo-Boolean proof version 3.0", f"f {ids} ;"]
    ends = ["output NONE ;", f"conclusion {concluded} : {ids + derived} ;", "end pseudo-Boolean proof ;"]
    return Sample(description, opb, [*frame, *with_hints(opb[2:], steps), *ends])


def with_hints(rows: Sequence[str], steps: Sequence[str]) -> Iterator[str]:
    """The steps as lines: those that do not end with ``;`` completed, those by unit propagation with their hints."""
    live = dict(enumerate((side for row in rows for side in read_sides(row.split()[:-1])), start=1))
    last = len(live)
    for step in steps:
        keyword, *words = step.split()
        if keyword == "del":
            live = {number: live[number] for number in live if str(number) not in words}
        elif not step.endswith(";"):
            last += 1
            with suppress(Exception):  # nothing is derived by a wrong step
                found = derived(keyword, words, live)
                used = propagation({0: negation(found)} | live) if keyword == "rup" else None
                words += [":", *(str(number) for number in used or () if number)] * (keyword == "rup")
                live[last] = found
        yield step if step.endswith(";") else f"{' '.join([keyword, *words])} ;"


# --- the certificates ---


def at_least(vertex: int) -> int:
    """The id of the constraint that at least two edges are used at the vertex."""
    return 2 * vertex + 1


def at_most(vertex: int) -> int:
    return 2 * vertex + 2


def odd_board(rows: int, cols: int) -> Sample:
    """A board with more squares of one colour than of the other, whose degrees add up to a contradiction."""
    squares = [(row, col) for row in range(rows) for col in range(cols)]
    ids = [at_most(v) if (row + col) % 2 else at_least(v) for v, (row, col) in enumerate(squares)]
    return sample(board(rows, cols), f"pol {ids[0]} " + " ".join(f"{number} +" for number in ids[1:]))


def four_by_four() -> Sample:
    """Two opposite corners of 4x4 have the same two neighbours: the four make a cycle that no move leaves."""
    a1, d4, b3, c2 = 12, 3, 5, 10
    ids = [at_least(a1), at_least(d4), at_most(b3), at_most(c2)]
    steps = f"pol 33 2 * {' '.join(f'{number} 4 * 2 d +' for number in ids)} s 2 d"
    return sample(board(4, 4, cut_sets=[["a1", "d4", "b3", "c2"]]), steps)


TWO_TRIANGLES = [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4), (3, 4)]


def bowtie(*steps: str, method: str = "lp") -> Sample:
    """Two triangles that share a vertex: each needs two edges of it."""
    description = graph(TWO_TRIANGLES, 5, cut_sets=[["v1", "v2"], ["v4", "v3"]], method=method)
    return sample(description, *(steps or ("pol 11 12 +", f"pol 13 {at_most(0)} +")))


def named_bowtie() -> Sample:
    """The bowtie by clauses and two definitions: x7 says that an edge is used, x8 that two of three are."""
    return bowtie(
        *("red +1 ~x7 +1 x1 >= 1 : x7 -> 0", "red +1 x7 +1 ~x1 >= 1 : x7 -> 1"),
        *("red +2 ~x8 +1 x1 +1 x2 +1 x4 >= 2 : x8 -> 0", "red +2 x8 +1 ~x1 +1 ~x2 +1 ~x4 >= 2 : x8 -> 1"),
        *("rup +1 x7 >= 1", "rup +1 x8 >= 1", "rup +1 x3 +1 x4 >= 1", "del id 13 14 15", "rup >= 1"),
        method="clausal",
    )


def bridge() -> Sample:
    """A graph with a bridge, which is the only edge of a cut set."""
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
    return sample(graph(edges, 6, cut_sets=[["v0", "v1", "v2"]]), "pol 13 ~x4 +")


def one_way() -> Sample:
    """Two arcs lead along three vertices, and none leads back to the first."""
    return sample(graph([(0, 1), (1, 2)], 3, member="arcs"), "pol 1 ~x1 +")


FOUR_VERTICES = list(combinations(range(4), 2))
THREE_TOURS = ("solx ~x1 x2 x3 x4 x5 ~x6", "solx x1 ~x2 x3 x4 ~x5 x6", "solx x1 x2 ~x3 ~x4 x5 x6")


def four_vertices(*tours: str, count: int) -> Sample:
    """The number of tours of the complete graph on four vertices, after the tours that are shown."""
    description = graph(FOUR_VERTICES, 4, method="clausal", tours=count)
    return sample(description, *tours, "rup +1 x1 >= 1", "rup +1 x2 >= 1", "rup >= 1")


TURNED = [["v0", "v1"], ["v1", "v2"], ["v2", "v3"], ["v3", "v0"]]


def turned_round() -> Sample:
    """The complete graph on four vertices, turned by one vertex, without v0-v1: so v0-v3 is not used either."""
    no, same = 9, 15
    description = graph(FOUR_VERTICES, 4, forbid=[["v0", "v1"]], symmetry=TURNED)
    return sample(description, f"pol {at_least(0)} {no + 1} 2 * + {same + 1} + ~x2 +")


def counted_round() -> Sample:
    """The number of tours of the complete graph on four vertices that turning by one vertex takes to themselves."""
    description = graph(FOUR_VERTICES, 4, method="clausal", symmetry=TURNED, tours=1)
    return sample(description, "solx x1 ~x2 x3 x4 ~x5 x6", "rup +1 x1 >= 1", "rup >= 1")


def half_turned_odd_board() -> Sample:
    """A half turn of 5x5 fixes its centre alone and no move: a row says that no tour has this symmetry."""
    return sample(board(5, 5, symmetry="rot180"), f"pol {2 * 25 + 1}")
