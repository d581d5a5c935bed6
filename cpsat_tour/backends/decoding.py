"""Decodes a program's answer to a formula that `cpsat_tour.formats.formula` wrote: from the values of variables to a
tour.

Values of variables that the map does not name are passed over, and an edge without a value is not chosen. The chosen
edges have to be a 2-factor. One cycle is a tour, which is verified; of several the cut sets are constraints that the
formula lacks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set as AbstractSet

import numpy as np

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.verify import canonical, verify
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import readable, writing
from cpsat_tour.formats.formula import FormulaMap, NotATour
from cpsat_tour.formats.program_answers import read_answer
from cpsat_tour.tour import Answer, Tour

_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")
"""The header of a DIMACS or an OPB file, up to and after the number of constraints."""


def tour_of(formula: FormulaMap, true: AbstractSet[str]) -> Tour:
    """Return the tour of these true variables, verified; `NotATour` if they are none, `BadInput` for a variable that is
    not in the formula."""
    cycles, problem = formula.cycles(true), formula.cycle.source
    if len(cycles) > 1:
        lengths = ", ".join(map(str, map(len, cycles)))
        found = f"the chosen edges are not a tour but {len(cycles)} cycles of {lengths} vertices"
        if not formula.relaxed:
            raise NotATour(f"{found}: the values are not a model of this formula, which has none but tours")
        if not formula.form:
            remedy = "write it as .opb, to which decode can append cut sets, or solve with --backend NAME@PROGRAM"
            raise NotATour(f"{found}: the formula is a relaxation; {remedy}")
        cuts = [_cut_line(formula, shore) for shore in (cycles[:1] if len(cycles) == 2 else cycles)]
        counts = {"opb": "constraints in its first line", "cnf": "clauses in its p line"}
        count = f" and add {len(cuts)} to the number of {counts[formula.form]}" if formula.form in counts else ""
        remedy = f"; append the {plural(len(cuts), 'cut set')} to it{count}, or decode with --append"
        raise NotATour(f"{found}: the formula is a relaxation", cuts, remedy)
    vertices = formula.cycle.tour(cycles[0])
    try:
        verify(problem, vertices)
    except TourFault as fault:
        raise NotATour(f"the chosen edges are not a tour as it is asked for: {fault}") from None
    return Tour(problem.graph, problem.closed, canonical(problem, vertices))


def answer_of(formula: FormulaMap, path: str) -> Answer:
    """Return the answer in the file of a solver's output; `NotATour` if its values are not a tour, `BadInput` if it
    can't be read."""
    status, true = read_answer(path)
    if status == "tour":
        return Answer.with_tour(formula.cycle.source, tour_of(formula, true).vertices)
    if status == "none":
        return Answer.without_tour("claimed", "the solver reports that the formula is unsatisfiable")
    return Answer.stopped("solver")


def _cut_line(formula: FormulaMap, shore: Ints) -> str:
    """Return the constraint that an edge leaves the shore, as a line of the file."""
    tails, heads = formula.ends
    leaving = np.flatnonzero(np.isin(tails, shore) != np.isin(heads, shore)).tolist()
    variables = sorted(int(formula.variables[k].removeprefix("x")) for k in leaving)
    if formula.form == "opb":
        return " ".join(f"+1 x{variable}" for variable in variables) + " >= 2 ;"
    return "h " * (formula.form == "wcnf") + " ".join(map(str, variables)) + " 0"


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Add lines, a constraint each, to a formula's file, and their number to its header, if it has one."""
    header = None
    with readable(path) as old, writing(path) as new:
        for line in old:
            if header is None and (header := _HEADER.fullmatch(line)):
                line = b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3])  # noqa: PLW2901
            new.write(line)
        new.write("".join(f"{line}\n" for line in lines).encode())
