"""Decodes a solver's answer to a formula that `formula` wrote: from the values of variables to a tour.

An answer is what solvers print: an ``s`` line and ``v`` lines (the SAT and pseudo-Boolean competitions), or MiniSat's
file of ``SAT`` and a line of literals. Values of variables other than the edges are passed over, and an edge without a
value is not chosen. The chosen edges have to be a 2-factor. One cycle is a tour, which is verified; of several the cut
sets are constraints that the formula lacks.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Status
from cpsat_tour.core.verify import canonical, verify
from cpsat_tour.formats.files import read_lines, readable, writing
from cpsat_tour.formats.formula import RELAXATION, SPACE, TITLE
from cpsat_tour.interface.answer import Answer
from cpsat_tour.interface.tour import Tour
from cpsat_tour.spaces.problem_data import read_problem

MAX_BYTES = 1 << 32
"""The largest answer, or map of a formula, that is read."""

MAX_DIGITS = 12
"""Digits of the greatest variable that is read."""

_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")
"""The header of a DIMACS or an OPB file, up to and after the number of constraints."""

_VALUE = re.compile(rf"([-~])?\+?x?([0-9]{{1,{MAX_DIGITS}}})")

VERDICTS: dict[str, Status] = {
    **dict.fromkeys(("SATISFIABLE", "OPTIMUM FOUND", "SAT"), "tour"),
    **dict.fromkeys(("UNSATISFIABLE", "UNSAT"), "none"),
    **dict.fromkeys(("UNKNOWN", "INDET", "INDETERMINATE"), "unknown"),
}


class NotATour(ValueError):
    """The values are not a tour: the sentence says why; ``cuts`` are the lines that a relaxation lacks, ``remedy`` says
    what to do with them."""

    def __init__(self, sentence: str, cuts: Sequence[str] = (), remedy: str = "") -> None:
        super().__init__(sentence)
        self.cuts, self.remedy = cuts, remedy


@dataclass(frozen=True, eq=False)
class FormulaMap:
    """The comments of a formula's file: the cycle problem, and in ``variables[k]`` the variable of its edge ``k``;
    ``most`` is the formula's last variable, None if the header does not state it."""

    cycle: CycleProblem
    variables: NDArray[np.int64]
    relaxed: bool
    pseudo_boolean: bool
    most: int | None = None

    def tour(self, true: set[int]) -> Tour:
        """Return the tour of these true variables, verified; `NotATour` if they are none, `BadInput` for a variable
        that is not in the formula."""
        if self.most is not None and (last := max(true, default=0)) > self.most:
            raise BadInput(f"variable {last} is not in the formula: its last is {self.most}")
        cycle = self.cycle
        chosen = np.flatnonzero(np.isin(self.variables, list(true)))
        degrees = np.bincount(np.concatenate([cycle.tails[chosen], cycle.heads[chosen]]), minlength=cycle.order)
        if (wrong := np.flatnonzero(degrees != 2)).size:
            vertex = int(wrong[0])
            name = "the apex, where a tour has its ends" if vertex == cycle.apex else cycle.source.graph.name(vertex)
            number = "1 edge is" if degrees[vertex] == 1 else f"{degrees[vertex]} edges are"
            raise NotATour(f"the values are not a model of this formula: {number} chosen at {name}, not 2")
        cycles = cycle.cycles(chosen)
        if len(cycles) > 1:
            lengths = ", ".join(map(str, map(len, cycles)))
            found = f"the chosen edges are not a tour but {len(cycles)} cycles of {lengths} vertices"
            if not self.relaxed:
                raise NotATour(f"{found}: the values are not a model of this formula, which has none but tours")
            cuts = list(map(self._cut_line, cycles[:1] if len(cycles) == 2 else cycles))
            count = "constraints in its first line" if self.pseudo_boolean else "clauses in its p line"
            many = f"{len(cuts)} cut set{'s' * (len(cuts) > 1)}"
            remedy = f"; append the {many} to it and add {len(cuts)} to the number of {count}, or decode with --append"
            raise NotATour(f"{found}: the formula is a relaxation", cuts, remedy)
        vertices = cycle.tour(cycles[0])
        verify(cycle.source, vertices)
        return Tour(cycle.source.graph, cycle.source.closed, canonical(cycle.source, vertices))

    def answer(self, path: str) -> Answer:
        """Return the answer in the file of a solver's output; `NotATour` if its values are not a tour, `BadInput` if it
        can't be read."""
        status, true = read_answer(path)
        if status == "tour":
            return Answer.with_tour(self.cycle.source, self.tour(true).vertices)
        if status == "none":
            return Answer.without_tour("claimed", "the solver reports that the formula is unsatisfiable")
        return Answer.stopped("solver")

    def _cut_line(self, shore: Ints) -> str:
        """Return the constraint that an edge leaves the shore, as a line of the file."""
        leaving = np.isin(self.cycle.tails, shore) != np.isin(self.cycle.heads, shore)
        variables = np.sort(self.variables[leaving]).tolist()
        if self.pseudo_boolean:
            return " ".join(f"+1 x{variable}" for variable in variables) + " >= 2 ;"
        return " ".join(map(str, variables)) + " 0"


def decode(answer: str | os.PathLike[str], formula: str | os.PathLike[str]) -> Answer:
    """Return the `Answer` in what another solver printed for a formula that `export` wrote, its tour verified:
    ``decode("answer.txt", "formula.cnf").tour``.

    Raises `NotATour` if the solver's values are not a tour; its ``cuts`` are the lines that a relaxation lacks, to be
    appended and solved again. `BadInput` says why a file can't be read.

    - ``answer`` (a path, needed): the file with the solver's ``s`` and ``v`` lines.
    - ``formula`` (a path, needed): the .cnf or .opb file.
    """
    return read_map(os.fspath(formula)).answer(os.fspath(answer))


def read_map(path: str) -> FormulaMap:
    """Return the map in the comment lines of a DIMACS or OPB file; `BadInput` if there is none, or it is damaged."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    titled = pseudo_boolean = False
    for line in read_lines(path, MAX_BYTES):
        mark, _, rest = line.partition(" ")
        if mark not in ("c", "*"):
            if titled:
                texts[mark].append(rest)
                break
            continue
        titled |= rest.startswith(TITLE)
        pseudo_boolean |= mark == "*"
        word, _, text = rest.partition(" ")
        texts[word.rstrip(":")].append(text)
    if not titled or "problem" not in texts:
        raise BadInput(f"{path} has no map of its variables: give a .cnf or .opb file written by cpsat-tour export")
    try:
        cycle, variables = _cycle_and_variables(texts)
        last = int(texts["p"][0].split()[1]) if "p" in texts else None
        if "#variable=" in texts:
            last = int(texts["#variable="][0].split()[0])
        return FormulaMap(cycle, variables, RELAXATION in texts, pseudo_boolean, last)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        remedy = "write the formula again with cpsat-tour export"
        raise BadInput(f"the map in {path} is damaged ({fault}): {remedy}") from fault


def _cycle_and_variables(texts: Mapping[str, list[str]]) -> tuple[CycleProblem, NDArray[np.int64]]:
    """Return the cycle problem that the comment lines describe, and the variable of each of its edges.

    The lines by their first words, as `formula` writes them: ``problem`` and its JSON; ``edge VARIABLE NAME NAME`` for
    an edge of the graph, ``end VARIABLE NAME`` for one to the apex, and ``ends VARIABLE NAME NAME`` for the edge that
    was added between fixed ends, which is the last.
    """
    room = sum(len(line) for word in ("edge", "end") for line in texts.get(word, ()))
    problem = read_problem(json.loads(texts["problem"][0]), room)
    order, vertex = problem.graph.order, problem.graph.space.vertex
    rows = []
    for word in ("edge", "end", "ends"):
        for variable, *names in (text.split(" ") for text in texts.get(word, ())):
            tail, *other = (vertex(name.replace(SPACE, " ")) for name in names)
            (head,) = [order] if word == "end" else other
            rows.append((int(variable), tail, head))
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    tails, heads = table[:, 1].astype(np.int32), table[:, 2].astype(np.int32)
    apex = order if texts.get("end") else None
    required = np.zeros(len(rows), dtype=bool)
    return CycleProblem(problem, order + (apex is not None), tails, heads, required, apex), table[:, 0]


def read_answer(path: str) -> tuple[Status, set[int]]:
    """Return the verdict that a solver printed, and the true variables; `BadInput` if a line can't be read."""
    status: Status | None = None
    true: set[int] = set()
    for number, line in enumerate(read_lines(path, MAX_BYTES), start=1):
        mark, _, rest = line.partition(" ")
        verdict = line if mark != "s" else rest.strip()
        if verdict in VERDICTS:
            status = VERDICTS[verdict]
        elif mark == "s":
            known = "SATISFIABLE, UNSATISFIABLE or UNKNOWN"
            raise BadInput(f"{path}, line {number}: {verdict[:40]!r} is not a verdict: {known} is expected")
        elif mark == "v" or line.lstrip("-")[:1].isdigit():
            for word in (rest if mark == "v" else line).split():
                if not (match := _VALUE.fullmatch(word)):
                    known = f"12, -12, x12 or -x12 is expected, of at most {MAX_DIGITS} digits"
                    raise BadInput(f"{path}, line {number}: {word[:20]!r} is not the value of a variable: {known}")
                if not match[1] and int(match[2]):
                    true.add(int(match[2]))
    if status is None and not true:
        raise BadInput(f"{path} has no answer: an s line and v lines are expected, as SAT solvers print them")
    return status or "tour", true


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Add lines, a constraint each, to a formula's file and its header; `BadInput` if it has no header."""
    header = None
    with readable(path) as old, writing(path) as new:
        for line in old:
            if header is None and (header := _HEADER.fullmatch(line)):
                line = b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3])  # noqa: PLW2901
            new.write(line)
        if header is None:
            remedy = "give a file written by cpsat-tour export"
            raise BadInput(f"{path} has no header with the number of its constraints: {remedy}")
        new.write("".join(f"{line}\n" for line in lines).encode())
