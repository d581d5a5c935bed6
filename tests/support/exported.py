"""What exported files say, read by the rules of their forms alone, and solved by libraries that are not ours."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from google.protobuf import text_format  # type: ignore[import-untyped]
from google.protobuf.message import Message  # type: ignore[import-untyped]
from ortools.sat.cp_model_pb2 import CpModelProto
from ortools.sat.python import cp_model
from pysat.formula import CNF, WCNF
from pysat.solvers import Solver

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.symmetry import NAMES, symmetry_named

FORMS = {
    **{f"sat:{name}": ("cnf", "opb") for name in ("onehot", "relative", "adder", "lfsr", "crt", "order", "leaf")},
    **{f"sat:{name}": ("cnf", "opb") for name in ("elimination", "hybrid", "lazy", "arcs", "permutation")},
    **dict.fromkeys(("cpsat:positions", "cpsat:lazy"), ("pb", "pbtxt")),
    "cpsat": ("pb", "mzn", "xml"),
    "cpsat:successor": ("pbtxt", "mzn", "dzn"),
    **{f"milp:{name}": ("lp", "mps") for name in ("mtz", "flow", "flows", "twoflows", "stages")},
    **dict.fromkeys(("milp", "pb"), ("lp", "mps", "opb")),
    **dict.fromkeys(("asp", "asp:reach"), ("asp",)),
    "smt": ("smt2",),
    "tsplib": ("hcp", "tsp"),
}
"""The forms of each formulation; TSPLIB has none."""

PROGRAMS = {
    ".opb": "clasp",
    ".lp": "glpsol --lp",
    ".mps": "glpsol --freemps",
    ".asp": "clingo",
    ".smt2": "z3",
}
"""Programs from outside that solve a file, by its suffix."""

FOUND = r"(?m)^s SATISFIABLE|^SATISFIABLE|^INTEGER OPTIMAL SOLUTION FOUND|^sat"
NONE = r"(?m)^s UNSATISFIABLE|^UNSATISFIABLE|NO (?:PRIMAL|INTEGER) FEASIBLE SOLUTION|^unsat"
"""What they say of a file that has a solution, and of one that has none."""


@dataclass
class Said:
    """The variables that a file ``declares``, those that its ``constraints`` speak ``of``, and how many these are."""

    declares: set[str]
    of: set[str]
    constraints: int


def said(path: Path) -> Said:
    """What a file says; `AssertionError` if a constraint of it is empty."""
    readers = {"wcnf": _clauses, "cnf": _clauses, "opb": _opb, "lp": _lp, "mps": _mps, "asp": _asp, "mzn": _mzn}
    readers |= {"dzn": _mzn, "xml": _xml, "pb": _model, "pbtxt": _model, "hcp": _edges, "tsp": _weights}
    readers["smt2"] = _script
    return readers[path.suffix[1:]](path)


def _clauses(path: Path) -> Said:
    lines = [line for line in path.read_text().splitlines() if line and line[0] not in "cp"]
    rows = [line.removeprefix("h ").split()[:-1] for line in lines]
    assert all(rows), "an empty clause"
    of = {word.lstrip("-") for row in rows for word in row}
    header = re.search(r"^p cnf (\d+) (\d+)$", path.read_text(), re.MULTILINE)
    if path.suffix == ".cnf":
        assert header
        assert int(header[2]) == len(rows)
    return Said(set(map(str, range(1, int(header[1]) + 1))) if header else of, of, len(rows))


def _opb(path: Path) -> Said:
    header, more, *lines = path.read_text().splitlines()
    numbers = re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", header)
    equal = re.fullmatch(r"\* #equal= (\d+) intsize= (\d+)", more)
    assert equal
    assert int(equal[1]) == sum(" = " in line for line in lines if not line.startswith("*"))
    assert "~" not in "".join(line for line in lines if not line.startswith("*"))
    rows = [line for line in lines if not line.startswith("*")]
    assert numbers
    assert len(rows) == int(numbers[2])
    return Said({f"x{k}" for k in range(1, int(numbers[1]) + 1)}, _terms(rows), len(rows))


def _terms(rows: list[str]) -> set[str]:
    """The variables in rows of terms ``+2 x``, none of which has the weight 0."""
    terms = [re.findall(r"([+-]\S+) ~?([A-Za-z]\S*)", row) for row in rows]
    assert all(terms), "a row without terms"
    assert all(float(weight) for row in terms for weight, _ in row), "a term of no weight"
    return {name for row in terms for _, name in row}


def _lp(path: Path) -> Said:
    text = re.sub(r"\n  ", " ", re.sub(r"^\\.*\n", "", path.read_text(), flags=re.MULTILINE))
    parts = re.fullmatch(
        r"Minimize\n obj:(?: \+ 0 \S+)+\nSubject To\n(.*)Bounds\n(.*)Binaries\n(.*)End\n", text, flags=re.DOTALL
    )
    assert parts
    rows = [line.partition(": ")[2] for line in parts[1].splitlines()]
    bounded = {line.split()[0] for line in parts[2].splitlines()}
    assert {*parts[3].split()} <= bounded
    return Said(bounded, _terms(rows), len(rows))


def _mps(path: Path) -> Said:
    text = re.sub(r"^\*.*\n", "", path.read_text(), flags=re.MULTILINE)
    parts = re.fullmatch(r"NAME .*\nROWS\n N obj\n(.*)COLUMNS\n(.*)RHS\n.*BOUNDS\n(.*)ENDATA\n", text, flags=re.DOTALL)
    assert parts
    rows, entries = [line.split()[1] for line in parts[1].splitlines()], list(map(str.split, parts[2].splitlines()))
    assert {row for _, row, _ in entries} == {*rows}, "a row without terms"
    return Said({line.split()[2] for line in parts[3].splitlines()}, {name for name, _, _ in entries}, len(rows))


def _asp(path: Path) -> Said:
    text = re.sub(r"^%.*\n", "", path.read_text(), flags=re.MULTILINE)
    arcs = {f"go({ends})" for ends in re.findall(r"^arc\((\d+,\d+)\)\.$", text, flags=re.MULTILINE)}
    return Said(arcs, arcs, text.count(":-"))


def _script(path: Path) -> Said:
    asserted = re.findall(r"^\(assert (.+)\)$", path.read_text(), flags=re.MULTILINE)
    declared = set(re.findall(r"^\(declare-const (\w+) ", path.read_text(), flags=re.MULTILINE))
    of = {word for row in asserted for word in re.findall(r"\b(?:arc|c|p)_\w+", row)}
    assert of <= declared
    return Said(declared, of, len(asserted))


def _mzn(path: Path) -> Said:
    neighbours = path.read_text().partition("\nneighbours = [")[2].partition("]")[0]
    domains = enumerate(re.findall(r"\{([^}]*)\}", neighbours), start=1)
    return _successors([(vertex, values.replace(",", " ")) for vertex, values in domains], 1)


def _xml(path: Path) -> Said:
    domains = [(element.get("for") or "", element.text or "") for element in ElementTree.parse(path).iter("domain")]
    return _successors([(int(name[5:-1]), values) for name, values in domains], 0)


def _successors(domains: list[tuple[int, str]], first: int) -> Said:
    """What domains of successors say: every vertex has one, not empty, and with others alone."""
    assert [vertex for vertex, _ in domains] == list(range(first, len(domains) + first))
    names = {f"next[{vertex}]={value}" for vertex, values in domains for value in values.split()}
    assert not any(f"next[{vertex}]={vertex}" in names for vertex, _ in domains)
    return Said(names, names, len(domains))


def _model(path: Path) -> Said:
    proto = read_model(path)
    of = [{max(literal, -literal - 1) for literal in _literals(constraint)} for constraint in proto.constraints]
    return Said(set(map(str, range(len(proto.variables)))), set(map(str, set().union(*of))), len(of))


def _literals(message: Message) -> Iterator[int]:
    """The variables, or their negations, in a part of CP-SAT's model."""
    for field, value in message.ListFields():
        parts: list[Any] = [value] if isinstance(value, Message | int | str) else list(value)
        for part in parts:
            if isinstance(part, Message):
                yield from _literals(part)
            elif field.name in ("literals", "vars", "enforcement_literal"):
                yield part


def read_model(path: Path) -> CpModelProto:
    """The model of CP-SAT in a file."""
    model = CpModelProto()
    if path.suffix == ".pbtxt":
        text_format.Parse(path.read_text(), model)
    else:
        model.ParseFromString(path.read_bytes())
    return model


def _edges(path: Path) -> Said:
    body = path.read_text().partition("EDGE_DATA_SECTION\n")[2].partition("-1\n")[0].splitlines()
    names = {line.replace(" ", "-") for line in body}
    return Said(names, names, len(body))


def _weights(path: Path) -> Said:
    order = int(re.search(r"DIMENSION : (\d+)", path.read_text())[1])  # type: ignore[index]
    rows = path.read_text().partition("EDGE_WEIGHT_SECTION\n")[2].splitlines()[:order]
    weights = [list(map(int, row.split())) for row in rows]
    least = max(map(max, weights)) - 1
    mark = ">" if "ATSP" in path.read_text() else "-"
    names = {
        f"{v + 1}{mark}{w + 1}" for v, row in enumerate(weights) for w, weight in enumerate(row) if weight <= least
    }
    return Said(names, names, order)


def has_solution(path: Path) -> bool | None:
    """Whether a library or a program that is not ours finds a solution of a file; None if none here reads its form."""
    if path.suffix in (".cnf", ".wcnf"):
        hard = CNF(from_file=str(path)).clauses if path.suffix == ".cnf" else WCNF(from_file=str(path)).hard
        with Solver("glucose4", bootstrap_with=hard) as solver:
            return bool(solver.solve())
    if path.suffix in (".pb", ".pbtxt"):
        solver, model = cp_model.CpSolver(), cp_model.CpModel()
        solver.parameters.catch_sigint_signal, solver.parameters.num_workers = False, 1
        assert model.proto.parse_text_format(text_format.MessageToString(read_model(path)))
        return solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    program, *words = PROGRAMS.get(path.suffix, "none").split()
    if shutil.which(program) is None:
        return None
    run = subprocess.run([program, *words, path], capture_output=True, text=True, check=False, timeout=60)
    found, none = (re.search(words, run.stdout) for words in (FOUND, NONE))
    assert (found is None) != (none is None), run.stdout
    return found is not None


def problems(graph: Graph) -> Iterator[Problem]:
    """The product of what can be asked of a board: symmetries, ends, and a move that is required, forbidden or both."""
    moves, last = graph.pairs(), graph.order - 1
    near = next((head for tail, head in moves if tail == 0), None)
    ends = dict.fromkeys([(None, None), (0, None), (0, last), *([(0, near)] if near else [])])
    fixed = [((), ()), *(((move,), ()) for move in moves[:1]), *(((), (move,)) for move in moves[:1])]
    fixed += [((move,), (move,)) for move in moves[:1]]
    for name, closed, (start, end), (require, forbid) in product((None, *NAMES), (False, True), ends, fixed):
        with suppress(BadInput):  # of a symmetry that the board does not have
            symmetry = None if name is None else symmetry_named(graph, name)
            yield Problem(graph, closed, start, end, require, forbid, symmetry)
