"""Reading an outside solver's answer: from the lines that `formula` writes into a file, and a solver's values, to a
tour.

An answer is what solvers print: an ``s`` line and ``v`` lines (the SAT and pseudo-Boolean competitions), or MiniSat's
file of ``SAT`` and a line of literals. Values of variables other than the edges are passed over, and an edge without a
value is not chosen. The chosen edges have to be a 2-factor. If it is one cycle that is a tour, which is verified; if it
is several, their cut sets are what the formula lacked.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.tour import Tour, canonical, verify
from cpsat_tour.formats.files import read_lines, readable, writing
from cpsat_tour.formats.formula import RELAXATION, TITLE
from cpsat_tour.spaces.problem_data import read_problem

MAX_BYTES = 1 << 32
"""Bytes that are read of a formula, up to the end of its map, or of an answer."""

MAX_DIGITS = 12
"""The number of a variable has at most so many digits."""

_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")
"""The header of a DIMACS or an OPB file, up to and after the number of constraints."""

VERDICTS: dict[str, Status] = {
    "SATISFIABLE": "tour",
    "OPTIMUM FOUND": "tour",
    "SAT": "tour",
    "UNSATISFIABLE": "none",
    "UNSAT": "none",
    "UNKNOWN": "unknown",
    "INDET": "unknown",
    "INDETERMINATE": "unknown",
}


class NotATour(ValueError):
    """The values stand for no tour: the sentence says why; ``cuts`` are the lines that a relaxation lacks, ``remedy``
    what to do with them."""

    def __init__(self, sentence: str, cuts: list[str] | None = None, remedy: str = "") -> None:
        super().__init__(sentence)
        self.cuts = cuts or []
        self.remedy = remedy


@dataclass(frozen=True, eq=False)
class FormulaMap:
    """What a formula's file says of itself.

    ``variables[k]`` is the variable of edge ``k`` of the cycle problem; ``most`` is the formula's last variable, None
    where it does not say.
    """

    cycle: CycleProblem
    variables: NDArray[np.int64]
    relaxed: bool
    pseudo_boolean: bool
    most: int | None = None

    def tour(self, true: set[int]) -> Tour:
        """The verified tour that the true variables stand for; `NotATour` if they stand for none, `BadInput` for one
        not in the formula."""
        if self.most is not None and (last := max(true, default=0)) > self.most:
            raise BadInput(f"variable {last} is not in the formula: its last is {self.most}")
        cycle = self.cycle
        chosen = np.flatnonzero(np.isin(self.variables, list(true)))
        degrees = np.bincount(np.concatenate([cycle.tails[chosen], cycle.heads[chosen]]), minlength=cycle.order)
        if (wrong := np.flatnonzero(degrees != 2)).size:
            vertex = int(wrong[0])
            name = "the apex, where a tour has its ends," if vertex == cycle.apex else cycle.source.graph.name(vertex)
            raise NotATour(
                f"the values are not a model of this formula: {name} has {degrees[vertex]} chosen edges and not 2"
            )
        cycles = cycle.cycles(chosen)
        if len(cycles) > 1:
            raise self._shorter_cycles(cycles)
        vertices = cycle.tour(cycles[0])
        verify(cycle.source, vertices)
        return Tour(cycle.source.graph, cycle.source.closed, canonical(cycle.source, vertices))

    def _shorter_cycles(self, cycles: list[Ints]) -> NotATour:
        lengths = ", ".join(str(len(one)) for one in cycles)
        found = f"the chosen edges are not a tour but {len(cycles)} cycles of {lengths} vertices"
        if not self.relaxed:
            return NotATour(f"{found}: the values are not a model of this formula, which has none but tours")
        cuts = [self._cut_line(one) for one in (cycles[:1] if len(cycles) == 2 else cycles)]
        count = "constraints in its first line" if self.pseudo_boolean else "clauses in its p line"
        many = f"{len(cuts)} cut set{'s' * (len(cuts) > 1)}"
        remedy = f"; append the {many} to it and add {len(cuts)} to the number of {count}, or decode with --append"
        return NotATour(f"{found}: the formula is a relaxation", cuts, remedy)

    def _cut_line(self, shore: Ints) -> str:
        """At least one edge, or two where that can be said, leaves these vertices."""
        leaving = np.isin(self.cycle.tails, shore) != np.isin(self.cycle.heads, shore)
        variables = np.sort(self.variables[leaving]).tolist()
        if self.pseudo_boolean:
            return " ".join(f"+1 x{variable}" for variable in variables) + " >= 2 ;"
        return " ".join(map(str, variables)) + " 0"


def read_map(path: str) -> FormulaMap:
    """The map in the comment lines of a DIMACS or OPB file; `BadInput` where there is none."""
    lines, titled = _MapLines(), False
    for line in read_lines(path, MAX_BYTES):
        mark, _, rest = line.partition(" ")
        if mark in ("c", "*"):
            titled |= rest.startswith(TITLE)
            word, _, text = rest.partition(" ")
            lines.texts[word.rstrip(":")].append(text)
            lines.pseudo_boolean |= mark == "*"
        elif titled:
            lines.header = rest.split() if mark == "p" else []
            break
    if not titled or "problem" not in lines.texts:
        raise BadInput(f"{path} has no map of its variables: give a .cnf or .opb file written by cpsat-tour export")
    try:
        return lines.map()
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        raise BadInput(
            f"the map in {path} is damaged ({fault}): write the formula again with cpsat-tour export"
        ) from fault


@dataclass
class _MapLines:
    """The comment lines of a formula by their first words, and what follows the p of its header.

    They are, as `formula` writes them: ``problem`` and its JSON; ``edge VARIABLE NAME NAME``
    for an edge of the graph, ``end VARIABLE NAME`` for one to the apex, and ``ends VARIABLE NAME NAME`` for the edge
    that was added between fixed ends.
    """

    texts: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    header: list[str] = field(default_factory=list)
    pseudo_boolean: bool = False

    def map(self) -> FormulaMap:
        """The map that the lines make up: the graph, then the problem, then the cycle problem's edges with their
        variables."""
        problem = read_problem(json.loads(self.texts["problem"][0]))
        graph = problem.graph
        rows = self._edges(graph)
        variables, tails, heads = rows[:, 0], rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)
        apex = graph.order if self.texts["end"] else None
        cycle = CycleProblem(
            problem, graph.order + (apex is not None), tails, heads, np.zeros(len(rows), dtype=bool), apex
        )
        return FormulaMap(cycle, variables, RELAXATION in self.texts, self.pseudo_boolean, self._last_variable())

    def _edges(self, graph: Graph) -> NDArray[np.int64]:
        """A row for each edge of the cycle problem in its order, the added one last: its variable and its ends."""
        vertex = graph.space.vertex
        rows = [(int(variable), vertex(tail), vertex(head)) for variable, tail, head in self._words("edge")]
        rows += [(int(variable), vertex(end), graph.order) for variable, end in self._words("end")]
        rows += [(int(variable), vertex(tail), vertex(head)) for variable, tail, head in self._words("ends")]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def _words(self, kind: str) -> Iterator[list[str]]:
        return (text.split(" ") for text in self.texts[kind])

    def _last_variable(self) -> int | None:
        """The formula's number of variables, by the header of either form."""
        if self.header:
            return int(self.header[1])
        return int(self.texts["#variable="][0].split()[0]) if "#variable=" in self.texts else None


def read_answer(path: str) -> tuple[Status, set[int]]:
    """What a solver printed: the verdict, and the numbers of the variables that it makes true; `BadInput` for what
    can't be read."""
    status: Status | None = None
    true: set[int] = set()
    for number, line in enumerate(read_lines(path, MAX_BYTES), start=1):
        mark, _, rest = line.partition(" ")
        if line in VERDICTS or mark == "s":
            verdict = line if line in VERDICTS else rest.strip()
            if verdict not in VERDICTS:
                raise BadInput(
                    f"{path}, line {number}: {verdict[:40]!r} is not a verdict: SATISFIABLE, UNSATISFIABLE or "
                    "UNKNOWN is expected"
                )
            status = VERDICTS[verdict]
        elif mark == "v" or line.lstrip("-")[:1].isdigit():
            true.update(_true_variables(rest if mark == "v" else line, f"{path}, line {number}"))
    if status is None and not true:
        raise BadInput(f"{path} has no answer: an s line and v lines are expected, as SAT solvers print them")
    return status or "tour", true


def _true_variables(text: str, where: str) -> Iterator[int]:
    for word in text.split():
        negative = word[0] in "-~"
        digits = word.lstrip("-~+").removeprefix("x")
        if not (digits.isascii() and digits.isdigit()):
            raise BadInput(f"{where}: {word[:20]!r} is not the value of a variable: 12, -12, x12 or -x12 is expected")
        if len(digits) > MAX_DIGITS:
            raise BadInput(
                f"{where}: there is no variable {digits[:20]}…: its number has {len(digits)} digits, and at "
                f"most {MAX_DIGITS} are read"
            )
        if not negative and int(digits):
            yield int(digits)


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Add the lines, a constraint each, to the file, which is replaced as a whole; `BadInput` where it has no header to
    mend."""
    mended = False
    with readable(path) as old, writing(path) as new:
        for line in old:
            header = None if mended else _HEADER.fullmatch(line)
            mended |= header is not None
            new.write(line if header is None else b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3]))
        if not mended:
            raise BadInput(
                f"{path} has no header with the number of its constraints: give a file written by cpsat-tour export"
            )
        new.write("".join(f"{line}\n" for line in lines).encode())
