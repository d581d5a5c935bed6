"""What other programs answer to a formula that `formats.formula` wrote, read line by line: a verdict, and the literals
that are true; and the tour that they choose.

The forms, a row of `FORMS` each:

* SAT and pseudo-Boolean solvers: ``s`` and ``v`` lines, as in their competitions, in those of MaxSAT since 2020 a
  string of 0 and 1, a digit for each variable; MiniSat's file, ``SAT`` and literals; PySAT's list;
* linear programs: a name and its value in a line, which is the ``.sol`` of HiGHS, CBC, SCIP and Gurobi, and what glpsol
  writes by ``-o``, a long name in a line of its own; CPLEX's XML and Gurobi's JSON; ``j COLUMN VALUE`` as glpsol writes
  by ``-w``, columns by number;
* MiniZinc: arrays, ``next = [2, 3, 1];`` or in JSON, counted from 1;
* XCSP3: the ``<list>`` and the ``<values>`` of an ``<instantiation>``, counted from 0;
* answer sets: atoms, as text or in clingo's JSON;
* SMT solvers: Booleans with their values, as ``get-value`` asks for them;
* TSPLIB: the vertices of a TOUR_SECTION, from 1; Concorde's tour, the number of vertices and then these, from 0, and
  linkern's, that number twice and then edges with weights; a list of vertices that begins with 0.

Variables are called as in `formula`, those with a number alone ``x12``, and ``j 12`` the column of that number. A value
above 0.9 is true and one below 0.1 false. Of several answers the last counts.

Values of variables that the map does not name are passed over, unless they show that the formula is another one. The
chosen edges have to be a 2-factor. One cycle is a tour, which is verified; of several the cut sets are constraints that
the formula lacks. If they are no 2-factor and a variable has no value, the answer is incomplete rather than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import cast

import numpy as np

from cpsat_tour.core.errors import BadInput, TourFault, quoted
from cpsat_tour.core.problem import Status
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical, verify
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import read_lines, readable, writing
from cpsat_tour.formats.formula import FormulaMap, NotATour, with_letter
from cpsat_tour.tour import Answer, Tour

MAX_BYTES = 1 << 32
"""The largest answer that is read."""

MAX_DIGITS = 12
"""Digits of the greatest variable that is read."""


def _literals(text: str) -> Iterator[str]:
    """Yield the variables' literals: ``x12`` if number 12 is true, ``-x12`` if it is false."""
    for word in text.strip("v[]").replace(",", " ").split():
        if not (match := _LITERAL.fullmatch(word)):
            raise BadInput(
                f"{quoted(word[:20])} is not the value of a variable: "
                f"12, -12, x12 or -x12 is expected, of at most {MAX_DIGITS} digits"
            )
        if variable := int(match[2]):
            yield f"{'-' if match[1] else ''}x{variable}"


def _values(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield the names of variables that are 1, and behind a minus those that are 0: names and values as the pattern
    finds them."""
    yield from (
        f"{'-' * (float(value) < 0.5)}{name}" for name, value in pattern.findall(text) if abs(float(value) - 0.5) > 0.4
    )


def _arrays(text: str) -> Iterator[str]:
    """Yield ``name[k]=value`` for each entry of the arrays that MiniZinc prints."""
    yield from (
        f"{name}[{k}]={value}"
        for name, values in _ARRAY.findall(text)
        for k, value in enumerate(re.findall(r"\d+", values), start=1)
    )


def _instantiation(text: str) -> Iterator[str]:
    """Yield ``name[k]=value`` for each variable of an XCSP3 instantiation, whose names and values are in the same
    order."""
    names, values = (" ".join(re.findall(f"<{tag}>([^<]*)</{tag}>", text)).split() for tag in ("list", "values"))
    names = [f"{names[0].partition('[')[0]}[{k}]" for k in range(len(values))] if len(names) == 1 else names
    if len(names) != len(values):
        raise BadInput(f"{len(names)} variables have {len(values)} values: as many are expected")
    yield from map("=".join, zip(names, values, strict=True))


def _tour(text: str, head: int = 0, width: int = 1, shift: int = 0) -> Iterator[str]:
    """Yield the arc ``3>4`` and the edge ``3-4``, both ways round, for each step of a tour given by its vertices, or by
    its edges and weights if ``width`` is 3. The first of ``head`` numbers before these counts them; ``shift`` is added
    to each vertex."""
    numbers = [int(word) + shift for word in re.findall(rf"(?<![^\s\[,])\d{{1,{MAX_DIGITS}}}(?![^\s\],])", text)]
    if head and len(numbers) != head + width * (numbers[0] - shift):
        raise BadInput(f"{numbers[0] - shift} vertices are announced, {(len(numbers) - head) // width} follow")
    heads = numbers[head + 1 :: 3] if width == 3 else [*numbers[head + 1 :], *numbers[head : head + 1]]
    for u, v in zip(numbers[head::width], heads, strict=True):
        yield from (f"{u}>{v}", f"{u}-{v}", f"{v}-{u}")


_LITERAL = re.compile(rf"([-~])?\+?x?([0-9]{{1,{MAX_DIGITS}}})")
_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_COLUMN = re.compile(rf"^(?:\*\* *)?(?:\d+ +)?([A-Za-z_][\w.]+) +(?:\* +)?{_NUMBER}(?:\s.*)?$")
_MEMBERS = re.compile(rf'(?:<variable name=|"VarName": ?)"([\w.]+)"[^<>{{}}]{{0,80}}?(?:\bvalue=|"X": ?)"?{_NUMBER}')
_ATOM = re.compile(r"\b[a-z]\w{0,20}\(\d[\d,]{0,40}\)")
_BOOLEAN = re.compile(r"\((arc_\d{1,12}_\d{1,12}) (true|false)\)")
_ARRAY = re.compile(r'\b(\w{1,20})"? ?[:=] ?(?:array1d\([^\[]{0,40})?\[([\d, ]+)\]')
_END = re.compile("\0")  # the line after the last, which no text has


@dataclass(frozen=True)
class Form:
    """A form in which programs print values: its name, the pattern of its first line, the function that yields the true
    variables, and behind a minus false ones, and the pattern of its last line if there are several. One that goes to
    the end of a file begins it too."""

    name: str
    first: re.Pattern[str]
    true: Callable[[str], Iterable[str]]
    last: re.Pattern[str] | None = None


FORMS = (
    Form("an XCSP3 instantiation", re.compile("^(v +)?<instantiation"), _instantiation, re.compile("</instantiation>")),
    Form("a TOUR_SECTION", re.compile("^TOUR_SECTION"), _tour, re.compile(r"(^| )-1$|EOF$")),
    Form("Concorde's tour", re.compile(rf"^([3-9]|\d{{2,{MAX_DIGITS}}})$"), partial(_tour, head=1, shift=1), _END),
    Form("linkern's tour", re.compile(r"^(\d+) \1$"), partial(_tour, head=2, width=3, shift=1), _END),
    Form("a list of vertices from 0", re.compile(r"^\[0, ?\d"), partial(_tour, shift=1), re.compile(r"\]$")),
    Form("a list of literals", re.compile(r"^\[-?\d"), _literals, re.compile(r"\]$")),
    Form(
        "v lines of 0 and 1",
        re.compile(rf"^v +(0[01]+|[01]{{{MAX_DIGITS + 1},}})$"),
        lambda text: (f"{'-' * (digit == '0')}x{number}" for number, digit in enumerate(text.split()[1], start=1)),
    ),
    Form("v lines of literals", re.compile(r"^(v( |$)|-?\d+( -?\d+)*$)"), _literals),
    Form("names with values, as in .sol files", _COLUMN, partial(_values, _COLUMN)),
    Form(
        "glpsol's -o",
        re.compile(r"^\d+ +[A-Za-z_][\w.]+$"),
        partial(_values, _COLUMN),
        re.compile(r"^(\* +)?[-+.\d]\S*( +[-+.\d=]\S*)*$"),
    ),
    Form(
        "glpsol's -w",
        re.compile("^s (mip|bas|ipt) "),
        partial(_values, re.compile(rf"\b(j \d{{1,{MAX_DIGITS}}}) (?:[a-z] )?{_NUMBER}")),
        re.compile("^e o f$"),
    ),
    Form("CPLEX's XML or Gurobi's JSON", _MEMBERS, partial(_values, _MEMBERS)),
    Form("MiniZinc's arrays", _ARRAY, _arrays),
    Form(
        "SMT-LIB's get-value",
        _BOOLEAN,
        lambda text: (f"{'-' * (value == 'false')}{name}" for name, value in _BOOLEAN.findall(text)),
    ),
    Form("answer sets", _ATOM, _ATOM.findall),
)
"""The forms of values; the first that fits a line counts."""

KNOWN = ", ".join(form.name for form in FORMS)

_VERDICT = re.compile(
    r"(?P<none>.*\n((s +)?UNSATISFIABLE|UNSAT|=====UNSATISFIABLE=====|Status: +INTEGER EMPTY"
    r"|.*PROBLEM HAS NO (PRIMAL|INTEGER) FEASIBLE SOLUTION|(Integer i|I)nfeasible - .*|solution status: infeasible"
    r"|Infeasible model|Model is infeasible|This problem is infeasible|MIP - Integer infeasible.*"
    r"|INCONSISTENT|INCOHERENT|unsat|s (mip|ipt) \d+ \d+ n .*|s bas \d+ \d+ (n .|. n) .*"
    r'|"Result": "UNSATISFIABLE",?)|Model status\nInfeasible|False\nNone)'
    r"|(?P<unknown>.*\n((s +)?UNKNOWN|INDET(ERMINATE)?|=====UNKNOWN=====|unknown|timeout|Status: +INTEGER UNDEFINED"
    r"|Stopped on .*|s (mip|ipt) \d+ \d+ u .*"
    r'|solution status: .*limit.*|"Result": "UNKNOWN",?)|Model status\n.*limit.*)'
    r"|(?P<tour>.*\n((s +)?(SATISFIABLE|OPTIMUM FOUND)|SAT|sat))"
)
"""A line that is a verdict, with the line before it: HiGHS names there what it says."""

_NEW = re.compile(r'Answer: \d+|ANSWER$|Stable Model:|\{\w+\(|-{10}|"Value": \[|<CPLEXSolution ')
"""The line before an answer set, or the one where it stands in braces, or after an answer of MiniZinc."""

# What a literal says something of, if a map may have it: a variable, the tail of an arc, both ends of an edge.
_SUBJECTS = re.compile(r"(?:^-?|(?<=\d)-)(x(?=\d{1,18}$)|j |x_|next\[|go\(|arc_|(?=\d))([^-=,>]+)")


def read_answer(path: str, lines: Iterable[str] | None = None) -> tuple[Status, set[str]]:
    """Return the verdict that a program printed, and its true variables, with false ones behind a minus; `BadInput` if
    nothing is in a known form, or a line can't be read.

    The ``lines`` are those of the file, unless they come from elsewhere. Values count for more than a verdict that
    nothing is known: a time limit may come after an answer.
    """
    verdict: Status | None = None
    true, block, new = set[str](), list[str](), False
    # Without the codes that colour words on a terminal.
    plain = map(
        partial(re.sub, r"\x1b\[[\d;]*m", ""), chain([""], lines or read_lines(path, MAX_BYTES), [_END.pattern])
    )
    for number, (before, line) in enumerate(pairwise(plain), start=1):
        if not block:
            form = next(
                (form for form in FORMS if form.first.search(line) and (number == 1 or form.last is not _END)), None
            )
            if said := _VERDICT.fullmatch(f"{before}\n{line}"):
                verdict = cast("Status", said.lastgroup)
            elif line.startswith("s ") and form is None:
                raise BadInput(
                    f"{path}, line {number}: {line[2:].strip()[:40]!r} is not a verdict: "
                    "SATISFIABLE, UNSATISFIABLE or UNKNOWN is expected"
                )
            new |= _NEW.match(line) is not None
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
        raise BadInput(f"{path} is not in a known form: {KNOWN}")
    return "tour" if verdict != "none" and any(name[0] != "-" for name in true) else verdict or "tour", true


_HEADER = re.compile(rb"(p cnf \d+ |\* #variable= \d+ #constraint= )(\d{1,18})(\s*)")
"""The header of a DIMACS or an OPB file, up to and after the number of constraints."""


def tour_of(formula: FormulaMap, true: AbstractSet[str]) -> Tour:
    """Return the verified tour that the true variables choose.

    `NotATour` if the values are complete and choose none; `BadInput` for a variable that is not in the formula, or if
    they choose none and a variable has no value.
    """
    numbered = ((f"{sign}j {k}", sign + name) for k, name in enumerate(formula.columns, 1) for sign in ("", "-"))
    true = {*true, *(name for column, name in numbered if column in true)}
    try:
        cycles, problem = formula.cycles(true), formula.cycle.source
    except NotATour as fault:
        _check_fits(formula, true, fault)
        raise
    if len(cycles) > 1:
        found = (
            f"the chosen edges are not a tour but {len(cycles)} cycles "
            f"of {', '.join(str(len(cycle)) for cycle in cycles)} vertices"
        )
        if not formula.relaxed or not formula.form:
            raise NotATour(
                f"{found}: the formula is a relaxation; "
                "write it as .opb, to which decode can append cut sets, or solve with --backend NAME@PROGRAM"
                if formula.relaxed
                else f"{found}: the values are not a model of this formula, which has none but tours"
            )
        cuts = [_cut_line(formula, shore) for shore in (cycles[:1] if len(cycles) == 2 else cycles)]
        count = {
            "opb": f" and add {len(cuts)} to the number of constraints in its first line",
            "cnf": f" and add {len(cuts)} to the number of clauses in its p line",
        }.get(formula.form, "")
        raise NotATour(
            f"{found}: the formula is a relaxation",
            cuts,
            f"; append the {plural(len(cuts), 'cut set')} to it{count}, or decode with --append",
        )
    vertices = formula.cycle.tour(cycles[0])
    try:
        verify(problem, vertices)
    except TourFault as fault:
        raise NotATour(f"the chosen edges are not a tour as it is asked for: {fault}") from None
    return Tour(problem.graph, problem.closed, canonical(problem, vertices))


def _check_fits(formula: FormulaMap, true: AbstractSet[str], fault: NotATour) -> None:
    """Raise `BadInput` if these literals, which choose no tour, are not a complete answer to the formula."""
    names = [with_letter(name).lstrip("-") for name in formula.variables]
    told, known = ({part for name in several for part in _SUBJECTS.findall(name)} for several in (true, names))
    kinds = {"j ", *(kind for kind, _ in known)}
    if strange := [
        kind + name
        for kind, name in told - known
        if kind in kinds and (kind not in ("x", "j ") or int(name) > formula.last)
    ]:
        raise BadInput(f"the answer belongs to another formula: variable {min(strange)} is not in the formula")
    names += [f"{kind}{formula.last}" for kind in {"x", "j "} & kinds & {kind for kind, _ in told}]
    if lacking := [name for name in names if not told.issuperset(_SUBJECTS.findall(name))]:
        raise BadInput(
            "the answer "
            + ("is cut short or belongs to another formula" if told & known else f"is not in a known form: {KNOWN}")
            + f"; it has no value of {lacking[0]}, and {fault}"
        ) from None


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
    tails, heads = (np.isin(ends, shore) for ends in formula.ends)
    variables = sorted(int(formula.variables[k].removeprefix("x")) for k in np.flatnonzero(tails != heads).tolist())
    literal, end = ("+1 x%d ", ">= 2 ;") if formula.form == "opb" else ("%d ", "0")
    return "h " * (formula.form == "wcnf") + "".join(literal % variable for variable in variables) + end


def append_constraints(path: str, lines: Sequence[str]) -> None:
    """Append constraints, a line each, to a formula's file, and add their number to its header if it has one."""
    header = None
    with readable(path) as old, writing(path) as new:
        for line in old:
            if header is None and (header := _HEADER.fullmatch(line)):
                line = b"%s%d%s" % (header[1], int(header[2]) + len(lines), header[3])  # noqa: PLW2901
            new.write(line)
        new.write("".join(f"{line}\n" for line in lines).encode())
