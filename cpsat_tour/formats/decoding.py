"""Reading an outside solver's answer: from the lines that `formula` writes into a file, and a solver's values, to a tour.

An answer is what solvers print: an ``s`` line and ``v`` lines (the SAT and pseudo-Boolean competitions), or MiniSat's file of ``SAT`` and a
line of literals. Values of variables other than the edges are passed over, and an edge without a value is not chosen. The
chosen edges have to be a 2-factor. If it is one cycle that is a tour, which is verified; if it is several, their cut sets are what the
formula lacked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Named
from cpsat_tour.core.tour import Tour, canonical, verify
from cpsat_tour.formats.files import read_lines
from cpsat_tour.formats.formula import RELAXATION, TITLE
from cpsat_tour.spaces.board import Board

MAX_BYTES = 1 << 32
"""Bytes that are read of a formula, up to the end of its map, or of an answer."""

MOST_DIGITS = 12
"""More digits than this has no variable's number."""

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


class NoTour(ValueError):
    """The values stand for no tour: the sentence says why; ``cuts`` are the lines that a relaxation lacks."""

    def __init__(self, sentence: str, cuts: list[str] | None = None) -> None:
        super().__init__(sentence)
        self.cuts = cuts or []


@dataclass(frozen=True, eq=False)
class FormulaMap:
    """What a formula's file says of itself.

    ``variables[k]`` is the variable of edge ``k`` of the cycle problem; ``most`` is the formula's last variable, None where it does not say.
    """

    cycle: CycleProblem
    variables: NDArray[np.int64]
    relaxed: bool
    pseudo_boolean: bool
    most: int | None = None

    def tour(self, true: set[int]) -> Tour:
        """The verified tour that the true variables stand for; `NoTour` if they stand for none, `BadInput` for one not in the formula."""
        if self.most is not None and (last := max(true, default=0)) > self.most:
            raise BadInput(f"variable {last} is not in the formula: its last is {self.most}")
        cycle = self.cycle
        chosen = np.flatnonzero(np.isin(self.variables, list(true)))
        degrees = np.bincount(np.concatenate([cycle.tails[chosen], cycle.heads[chosen]]), minlength=cycle.order)
        if (wrong := np.flatnonzero(degrees != 2)).size:
            vertex = int(wrong[0])
            name = "the apex, where a tour has its ends," if vertex == cycle.apex else cycle.source.graph.name(vertex)
            raise NoTour(f"the values are no model of this formula: {name} has {degrees[vertex]} chosen edges and not 2")
        cycles = cycle.cycles(chosen)
        if len(cycles) > 1:
            raise self._shorter_cycles(cycles)
        vertices = cycle.tour(cycles[0])
        verify(cycle.source, vertices)
        return Tour(cycle.source.graph, cycle.source.closed, canonical(cycle.source, vertices))

    def _shorter_cycles(self, cycles: list[Ints]) -> NoTour:
        lengths = ", ".join(str(len(one)) for one in cycles)
        found = f"the chosen edges are no tour but {len(cycles)} cycles of {lengths} vertices"
        if not self.relaxed:
            return NoTour(f"{found}: the values are no model of this formula, which has none but tours")
        cuts = [self._cut_line(one) for one in (cycles[:1] if len(cycles) == 2 else cycles)]
        count = "constraints in its first line" if self.pseudo_boolean else "clauses in its p line"
        many = f"{len(cuts)} cut set{'s' * (len(cuts) > 1)}"
        return NoTour(f"{found}: the formula is a relaxation; append the {many} to it and add {len(cuts)} to the number of {count}", cuts)

    def _cut_line(self, shore: Ints) -> str:
        """At least one edge, or two where that can be said, leaves these vertices."""
        leaving = np.isin(self.cycle.tails, shore) != np.isin(self.cycle.heads, shore)
        variables = np.sort(self.variables[leaving]).tolist()
        if self.pseudo_boolean:
            return " ".join(f"+1 x{variable}" for variable in variables) + " >= 2 ;"
        return " ".join(map(str, variables)) + " 0"


def read_map(path: str) -> FormulaMap:
    """The map in the comment lines of a DIMACS or OPB file; `BadInput` where there is none."""
    words: dict[str, list[list[str]]] = {}
    pseudo_boolean = False
    titled = False
    for line in read_lines(path, MAX_BYTES):
        mark, _, rest = line.partition(" ")
        if mark not in ("c", "*"):
            if mark == "p":
                words["p"] = [rest.split()]
            if titled:
                break
            continue
        pseudo_boolean |= mark == "*"
        titled |= rest.startswith(TITLE)
        word, _, text = rest.partition(" ")
        words.setdefault(word.rstrip(":"), []).append(text.split(" ") if word != "problem" else [text])
    if not titled or "problem" not in words:
        raise BadInput(f"{path} has no map of its variables: give a formula written by cpsat-tour export")
    try:
        return _map(words, pseudo_boolean)
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as fault:
        raise BadInput(f"the map in {path} is damaged ({fault}): write the formula again with cpsat-tour export") from fault


def _map(words: dict[str, list[list[str]]], pseudo_boolean: bool) -> FormulaMap:
    data = json.loads(words["problem"][0][0])
    graph = _board(data).graph if "rows" in data else _graph(words)
    problem = _problem(graph, data)
    vertex = graph.space.vertex
    edges = [(int(variable), vertex(tail), vertex(head)) for kind in ("edge", "ends") for variable, tail, head in words.get(kind, [])]
    ends = [(int(variable), vertex(end)) for variable, end in words.get("end", [])]
    apex = graph.order if ends else None
    rows = np.array([*edges[: len(words.get("edge", []))], *((variable, end, graph.order) for variable, end in ends)], dtype=np.int64)
    rows = np.concatenate([rows.reshape(-1, 3), np.array(edges[len(words.get("edge", [])) :], dtype=np.int64).reshape(-1, 3)])
    variables, tails, heads = rows[:, 0], rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)
    none_required = np.zeros(len(rows), dtype=bool)
    cycle = CycleProblem(problem, graph.order + bool(ends), tails, heads, none_required, apex)
    most = int(words["p"][0][1]) if "p" in words else int(words["#variable="][0][0]) if "#variable=" in words else None
    return FormulaMap(cycle, variables, RELAXATION in words, pseudo_boolean, most)


def _board(data: dict[str, Any]) -> Board:
    return Board(data["rows"], data["cols"], [(row, col) for row, col in data["holes"]], (data["leaper"][0], data["leaper"][1]))


def _graph(words: dict[str, list[list[str]]]) -> Graph:
    """The graph less its forbidden edges, for these have no variables."""
    names = [name for _, name in words.get("vertex", [])]
    space = Named(names, "the formula")
    edges = [(space.vertex(tail), space.vertex(head)) for _, tail, head in words.get("edge", [])]
    return Graph.from_edges(len(names), edges, space=space)


def _problem(graph: Graph, data: dict[str, Any]) -> HamiltonProblem:
    vertex = graph.space.vertex_at

    def moves(pairs: list[Any]) -> tuple[tuple[int, int], ...]:
        return tuple((vertex(tail), vertex(head)) for tail, head in pairs)

    start, end = (None if data[what] is None else vertex(data[what]) for what in ("start", "end"))
    return HamiltonProblem(graph, data["closed"], start, end, moves(data["require"]), moves(data["forbid"]) if graph.space.data() else ())


def read_answer(path: str) -> tuple[Status, set[int]]:
    """What a solver printed: the verdict, and the numbers of the variables that it makes true; `BadInput` for what can't be read."""
    status: Status | None = None
    true: set[int] = set()
    for number, line in enumerate(read_lines(path, MAX_BYTES), start=1):
        mark, _, rest = line.partition(" ")
        if line in VERDICTS or mark == "s":
            verdict = line if line in VERDICTS else rest.strip()
            if verdict not in VERDICTS:
                raise BadInput(f"{path}, line {number}: {verdict[:40]!r} is no verdict: SATISFIABLE, UNSATISFIABLE or UNKNOWN is expected")
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
            raise BadInput(f"{where}: {word[:20]!r} is no value of a variable: 12, -12, x12 or -x12 is expected")
        if len(digits) > MOST_DIGITS:
            raise BadInput(
                f"{where}: there is no variable {digits[:20]}…: its number has {len(digits)} digits, and at most {MOST_DIGITS} are read"
            )
        if not negative and int(digits):
            yield int(digits)
