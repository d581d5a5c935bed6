"""What other programs answer to a formula that `formats.formula` wrote, read line by line: a verdict, and the literals
that are true; and the tour that they choose.

The forms, a row of `FORMS` each:

* SAT and pseudo-Boolean solvers: ``s`` and ``v`` lines, as in their competitions; MiniSat's file, ``SAT`` and literals;
* linear programs: a name and its value in a line, which is the ``.sol`` of HiGHS, CBC, SCIP and Gurobi, and what glpsol
  writes by ``-o``, a long name in a line of its own;
* MiniZinc: arrays, ``next = [2, 3, 1];`` or in JSON, counted from 1;
* XCSP3: the ``<list>`` and the ``<values>`` of an ``<instantiation>``, counted from 0;
* answer sets: atoms, as text or in clingo's JSON;
* TSPLIB: the vertices of a TOUR_SECTION.

Variables are called as in `formula`, those with a number alone ``x12``. A value above one half is true. Of several
answers the last counts.

Values of variables that the map does not name are passed over, and an edge without a value is not chosen. The chosen
edges have to be a 2-factor. One cycle is a tour, which is verified; of several the cut sets are constraints that the
formula lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from cpsat_tour.core.errors import BadInput, TourFault, quoted
from cpsat_tour.core.problem import Status
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical, verify
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import read_lines, readable, writing
from cpsat_tour.formats.formula import FormulaMap, NotATour
from cpsat_tour.tour import Answer, Tour

MAX_BYTES = 1 << 32
"""The largest answer that is read."""

MAX_DIGITS = 12
"""Digits of the greatest variable that is read."""


def _literals(text: str) -> Iterator[str]:
    """Yield the variables' literals: ``x12`` if number 12 is true, ``-x12`` if it is false."""
    for word in text.removeprefix("v").split():
        if not (match := _LITERAL.fullmatch(word)):
            raise BadInput(
                f"{quoted(word[:20])} is not the value of a variable: "
                f"12, -12, x12 or -x12 is expected, of at most {MAX_DIGITS} digits"
            )
        if variable := int(match[2]):
            yield f"{'-' if match[1] else ''}x{variable}"


def _column(text: str) -> Iterator[str]:
    """Yield the name of a column of a linear program if its value is 1, else nothing."""
    if (match := _COLUMN.fullmatch(text)) and float(match[2]) > 0.5:
        yield match[1]


def _arrays(text: str) -> Iterator[str]:
    """Yield ``name[k]=value`` for each entry of the arrays that MiniZinc prints."""
    for name, values in _ARRAY.findall(text):
        yield from (f"{name}[{k}]={value}" for k, value in enumerate(re.findall(r"\d+", values), start=1))


def _instantiation(text: str) -> Iterator[str]:
    """Yield ``name[k]=value`` for each variable of an XCSP3 instantiation, whose names and values are in the same
    order."""
    names, values = (" ".join(re.findall(f"<{tag}>([^<]*)</{tag}>", text)).split() for tag in ("list", "values"))
    if len(names) == 1:
        names = [f"{names[0].partition('[')[0]}[{k}]" for k in range(len(values))]
    if len(names) != len(values):
        raise BadInput(f"{len(names)} variables have {len(values)} values: as many are expected")
    yield from map("=".join, zip(names, values, strict=True))


def _tour(text: str) -> Iterator[str]:
    """Yield the arc ``3>4`` and the edge ``3-4``, both ways round, for each step of a tour given by its vertices."""
    vertices = re.findall(r"(?<!-)\b\d+", text)
    for tail, head in pairwise([*vertices, *vertices[:1]]):
        yield from (f"{tail}>{head}", f"{tail}-{head}", f"{head}-{tail}")


_LITERAL = re.compile(rf"([-~])?\+?x?([0-9]{{1,{MAX_DIGITS}}})")
_COLUMN = re.compile(
    r"(?:\*\* *)?(?:\d+ +)?([A-Za-z_][\w.]+) +(?:\* +)?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s.*)?"
)
_ATOM = re.compile(r"\b[a-z]\w{0,20}\(\d[\d,]{0,40}\)")
_ARRAY = re.compile(r'\b(\w{1,20})"? ?[:=] ?(?:array1d\([^\[]{0,40})?\[([\d, ]+)\]')


@dataclass(frozen=True)
class Form:
    """A form in which programs print values: the pattern of its first line, that of its last if there are several, and
    the function that yields the true variables."""

    first: re.Pattern[str]
    true: Callable[[str], Iterable[str]]
    last: re.Pattern[str] | None = None


FORMS = (
    Form(re.compile(r"^(v +)?<instantiation\b"), _instantiation, re.compile("</instantiation>")),
    Form(re.compile("^TOUR_SECTION"), _tour, re.compile(r"(^| )-1$|EOF$")),
    Form(re.compile(r"^(v( |$)|-?\d+( -?\d+)*$)"), _literals),
    Form(re.compile(f"^{_COLUMN.pattern}"), _column),
    Form(re.compile(r"^\d+ +[A-Za-z_][\w.]+$"), _column, re.compile(r"^(\* +)?[-+.\d]\S*( +[-+.\d=]\S*)*$")),
    Form(_ARRAY, _arrays),
    Form(_ATOM, _ATOM.findall),
)
"""The forms of values; the first that fits a line counts."""

_VERDICT = re.compile(
    r"(?P<none>.*\n((s +)?UNSATISFIABLE|UNSAT|=====UNSATISFIABLE=====|Status: +INTEGER EMPTY"
    r"|.*PROBLEM HAS NO (PRIMAL|INTEGER) FEASIBLE SOLUTION|(Integer i|I)nfeasible - .*|solution status: infeasible"
    r"|Infeasible model|Model is infeasible"
    r'|"Result": "UNSATISFIABLE",?)|Model status\nInfeasible)'
    r"|(?P<unknown>.*\n((s +)?UNKNOWN|INDET(ERMINATE)?|=====UNKNOWN=====|Status: +INTEGER UNDEFINED|Stopped on .*"
    r'|solution status: .*limit.*|"Result": "UNKNOWN",?)|Model status\n.*limit.*)'
    r"|(?P<tour>.*\n((s +)?(SATISFIABLE|OPTIMUM FOUND)|SAT))"
)
"""A line that is a verdict, with the line before it: HiGHS names there what it says."""

_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""The control codes that colour words on a terminal."""

_NEW = re.compile(r'Answer: \d+|-{10}|"Value": \[')
"""The line before an answer set, or after an answer of MiniZinc."""


def read_answer(path: str, lines: Iterable[str] | None = None) -> tuple[Status, set[str]]:
    """Return the verdict that a program printed, and its true variables; `BadInput` if a line can't be read.

    The ``lines`` are those of the file, unless they come from elsewhere. Values count for more than a verdict that
    nothing is known: a time limit may come after an answer.
    """
    verdict: Status | None = None
    form: Form | None = None
    true, block, before, new = set[str](), list[str](), "", False
    for number, line in enumerate(lines or read_lines(path, MAX_BYTES), start=1):
        line = _COLOURS.sub("", line)  # noqa: PLW2901
        if not block:
            if said := _VERDICT.fullmatch(f"{before}\n{line}"):
                verdict = cast("Status", said.lastgroup)
            elif line.startswith("s "):
                known, wrong = "SATISFIABLE, UNSATISFIABLE or UNKNOWN", line[2:].strip()[:40]
                raise BadInput(f"{path}, line {number}: {wrong!r} is not a verdict: {known} is expected")
            new |= _NEW.match(line) is not None
            before = line
            form = next((form for form in FORMS if form.first.search(line)), None)
        if form is not None:
            block.append(line)
            if form.last is None or form.last.search(line):
                true = set() if new else true
                try:
                    true.update(form.true(" ".join(block)))
                except BadInput as fault:
                    raise BadInput(f"{path}, line {number}: {fault}") from None
                block, new = [], False
    if block:
        raise BadInput(f"{path} ends in the middle of an answer, which begins with {block[0]!r:.60}")
    if verdict is None and not true:
        raise BadInput(f"{path} has no answer: an s line and v lines are expected, or values as a solver prints them")
    return "tour" if true and verdict != "none" else verdict or "tour", true


_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")
"""The header of a DIMACS or an OPB file, up to and after the number of constraints."""


def tour_of(formula: FormulaMap, true: AbstractSet[str]) -> Tour:
    """Return the verified tour that the true variables choose; `NotATour` if they choose none, `BadInput` for a
    variable that is not in the formula."""
    cycles, problem = formula.cycles(true), formula.cycle.source
    if len(cycles) > 1:
        lengths = ", ".join(map(str, map(len, cycles)))
        found = f"the chosen edges are not a tour but {len(cycles)} cycles of {lengths} vertices"
        if not formula.relaxed:
            raise NotATour(f"{found}: the values are not a model of this formula, which has none but tours")
        if not formula.form:
            raise NotATour(
                f"{found}: the formula is a relaxation; "
                "write it as .opb, to which decode can append cut sets, or solve with --backend NAME@PROGRAM"
            )
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
    """Return the constraint that the tour leaves the shore, as a line of the formula's file."""
    tails, heads = formula.ends
    leaving = np.flatnonzero(np.isin(tails, shore) != np.isin(heads, shore)).tolist()
    variables = sorted(int(formula.variables[k].removeprefix("x")) for k in leaving)
    if formula.form == "opb":
        return " ".join(f"+1 x{variable}" for variable in variables) + " >= 2 ;"
    return "h " * (formula.form == "wcnf") + " ".join(map(str, variables)) + " 0"


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Append constraints, a line each, to a formula's file, and add their number to its header if it has one."""
    header = None
    with readable(path) as old, writing(path) as new:
        for line in old:
            if header is None and (header := _HEADER.fullmatch(line)):
                line = b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3])  # noqa: PLW2901
            new.write(line)
        new.write("".join(f"{line}\n" for line in lines).encode())
