"""Formulas for other solvers: the constraints of a formulation, to be counted and written to a file.

`Cnf` is a formula in conjunctive normal form. Its variables are, in this order: the edges of the cycle problem (or the
arcs, or the places of vertices along the cycle), the auxiliary variables of the degree constraints, those of the
encoding. It is written as

* DIMACS CNF (Johnson & Trick 1993). There the edges come last, the first of the sweep at the very end, and the variable
  of an edge is true if the edge is *not* used. So a solver that decides the last variable first and makes it true, as
  CaDiCaL and Kissat do, leaves edges out along the sweep, like our own searches. A formula that is ``plain`` has the
  edges first, and true if used;
* WCNF (the MaxSAT evaluations since 2022) if there is a goal: the same as hard clauses, and soft ones;
* OPB (the pseudo-Boolean competitions; Roussel & Manquinho 2009), in its linear form. There the degree constraints are
  equations over the edges, without auxiliary variables, and a goal is a sum to be minimised;
* QUBO, the form of qbsolv (Booth, Reinhardt & Roy 2017): a sum of squares to be minimised, for formulas whose clauses
  are of positive literals, or of at most two negative ones (Lucas 2014). Its minimum is minus the number of the former
  if there is a tour.

The map in a formula's file says which variable stands for which edge, so that a program's answer can be read as a tour.
The comments hold it, a line each, behind the mark that comments have in its form (`MARKS`):

* the title; ``backend NAME``; ``goal`` and what is sought, if not any tour; ``problem``, the problem as JSON, in
  pieces; ``relaxation`` if shorter cycles satisfy the formula too; ``columns`` and their number in a linear program, of
  which the first have lines here, in their order;
* ``edge VARIABLE NAME NAME`` for an edge of the graph, ``end VARIABLE NAME`` for one to the apex, and ``ends VARIABLE
  NAME NAME`` for the edge that was added between fixed ends;
* where a direction is stated, ``arc VARIABLE NAME NAME`` for an arc from the first to the second, ``start VARIABLE
  NAME`` for one out of the apex, ``end VARIABLE NAME`` for one into it.

A variable is called what it is called in answers: ``x12`` (in DIMACS ``12``, or ``-12`` for an edge that is used if the
variable is false), ``x_3_4``, ``go(3,4)``, ``arc_3_4``; that a successor variable has a value is ``next[3]=4``, that a
tour goes from 3 to 4 is ``3>4``, or ``3-4`` if from either to the other. Names of vertices, which are printable, have
none of the characters that stand here for a space and, in XML, for a hyphen.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import BinaryIO, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import in_rows
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.formats.describe import plural, tour_sought
from cpsat_tour.formats.files import read_lines
from cpsat_tour.spaces.problem_data import problem_data, read_problem

TITLE = "cpsat-tour formula"
"""The beginning of the first line of a map."""

RELAXATION = "relaxation"
"""The first word of the line that marks a relaxation."""

MARKS = {
    "cnf": "c ",
    "wcnf": "c ",
    "qubo": "c ",
    "opb": "* ",
    "mps": "* ",
    "lp": "\\ ",
    "asp": "% ",
    "mzn": "% ",
    "xml": "<!-- ",
    "smt2": "; ",
}
"""The beginning of a comment line in each file format; empty where the map stands after the end of the formula."""

NEGATED = """c note: the variable of an edge (arc) is true if it is not used, so that a solver that decides
c the last variable first, and makes it true, leaves edges out along the sweep; not so with -O plain=true
"""
"""What a DIMACS file says about its literals."""

SPACE, HYPHEN = "\N{NO-BREAK SPACE}", "\N{SOFT HYPHEN}"
"""The replacement for a space in a vertex name, and for a hyphen beside another in an XML comment."""

MAX_BYTES = 1 << 32
"""The largest formula whose map is read."""

MAX_PIECE = 200
"""The longest piece of JSON in one line: some readers of MPS split a longer comment in two."""

_HEADER = re.compile(r"(?:p (?P<cnf>cnf) |\* (?P<opb>#variable=) )(?P<last>\d{1,18}) |(?P<wcnf>h) ")
"""The header of DIMACS and OPB up to the number of variables, or the first clause of WCNF."""


class NotATour(ValueError):
    """The values are not a tour: the sentence says why. ``cuts`` are lines that the formula, a relaxation, lacks;
    ``remedy`` says what to do with them."""

    def __init__(self, sentence: str, cuts: Sequence[str] = (), remedy: str = "") -> None:
        super().__init__(sentence)
        self.cuts, self.remedy = cuts, remedy


@dataclass(frozen=True, eq=False)
class FormulaMap:
    """Says which variables of a formula stand for which edges of a cycle problem.

    ``variables[k]`` is true if a cycle uses edge ``moves[k]`` of the cycle problem. If ``arcs``, it is gone along from
    its tail to its head; where the graph is undirected, ``moves[k] - m`` of m edges then from its head to its tail.
    ``backend`` names the formulation; ``relaxed`` is True if shorter cycles satisfy it too; ``goal`` is what is sought,
    if not any tour. Of a map that was read ``form`` is that of its file, if a line can be appended to it as a
    constraint, ``columns`` has those of a linear program in their order, and ``last`` is the number of the formula's
    last variable, if that is stated. If ``places``, ``moves[k]`` is ``order * v + p`` for position p of vertex v.
    """

    cycle: CycleProblem
    variables: Sequence[str]
    moves: NDArray[np.integer]
    arcs: bool = False
    backend: str = ""
    relaxed: bool = False
    goal: str = ""
    form: str = ""
    last: int = 0
    columns: Sequence[str] = ()
    places: bool = False

    @property
    def ends(self) -> tuple[Ints, Ints]:
        """The tails and the heads of the moves; the vertices and the positions of places."""
        if self.places:
            return np.divmod(self.moves, self.cycle.order)
        edges, back = self.moves % max(1, self.cycle.size), self.moves >= self.cycle.size
        tails, heads = self.cycle.tails[edges], self.cycle.heads[edges]
        return np.where(back, heads, tails), np.where(back, tails, heads)

    def comments(self, suffix: str) -> Iterator[str]:
        """Yield comment lines in this file format that say which variable stands for which edge."""
        mark = MARKS.get(suffix, "")
        hyphens, end = (2 * HYPHEN, " -->\n") if suffix == "xml" else ("--", "\n")
        yield from (f"{mark}{line.replace('--', hyphens)}{end}" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield the lines of `comments` without comment marks."""
        cycle, problem = self.cycle, self.cycle.source
        names = [problem.graph.name(vertex).replace(" ", SPACE) for vertex in range(problem.graph.order)]
        yield f"{TITLE}, version 1: {tour_sought(problem)}"
        yield f"backend {self.backend}"
        if self.goal:
            yield f"goal {self.goal}"
        data = json.dumps(problem_data(problem), separators=(",", ":")).replace(" ", "\\u0020")
        for begin in range(0, len(data), MAX_PIECE):
            yield f"problem {data[begin : begin + MAX_PIECE]}"
        if self.relaxed:
            yield f"{RELAXATION}: shorter cycles satisfy this formula too; decode gives the cut sets that it lacks"
        if self.last:
            yield f"columns {self.last}"
        for variable, move, tail, head in zip(
            self.variables, self.moves.tolist(), *(part.tolist() for part in self.ends), strict=True
        ):
            if self.places:
                yield f"apex {variable} {head}" if tail == cycle.apex else f"at {variable} {names[tail]} {head}"
            elif head == cycle.apex:
                yield f"end {variable} {names[tail]}"
            elif tail == cycle.apex:
                yield f"start {variable} {names[head]}"
            else:
                word = "arc" if self.arcs else "ends" if move == cycle.edge_between_ends else "edge"
                yield f"{word} {variable} {names[tail]} {names[head]}"

    def chosen(self, true: AbstractSet[str]) -> Ints:
        """Return the numbers of the edges whose variables are true, which have to form cycles; `NotATour` names a
        vertex where they don't."""
        chosen = np.array([k for k, name in enumerate(map(with_letter, self.variables)) if name in true], dtype=int)
        tails, heads = (np.bincount(ends[chosen], minlength=self.cycle.order) for ends in self.ends)
        rules = (("out of", tails, 1), ("into", heads, 1)) if self.arcs else (("at", tails + heads, 2),)
        for place, degrees, right in rules:
            for vertex in np.flatnonzero(degrees != right)[:1].tolist():
                if self.places:
                    what = f"vertex {self.cycle.name(vertex)}" if place == "out of" else f"position {vertex}"
                    raise NotATour(
                        f"the values are not a model: {what} is chosen {int(degrees[vertex])} times, not once"
                    )
                apex, graph = vertex == self.cycle.apex, self.cycle.source.graph
                name = "the apex, where a tour has its ends" if apex else graph.name(vertex)
                many = plural(int(degrees[vertex]), "arc" if self.arcs else "edge")
                are = "is" if degrees[vertex] == 1 else "are"
                raise NotATour(f"the values are not a model: {many} {are} chosen {place} {name}, not {right}")
        return chosen

    def cycles(self, true: AbstractSet[str]) -> list[Ints]:
        """Return the cycles that the true variables form, the longest last; `NotATour` if they are not disjoint cycles
        through all vertices."""
        chosen = self.chosen(true)
        tails, heads = self.ends
        if self.places:
            return [tails[chosen][np.argsort(heads[chosen])].astype(np.int32)]
        return two_factor_cycles(self.cycle.order, tails[chosen], heads[chosen], directed=self.arcs)


def with_letter(variable: str) -> str:
    """Return the variable's name, with an x before it if it is only a number; a minus stays in front."""
    return re.sub(r"^(-?)(?=\d+$)", r"\1x", variable)


def read_map(path: str) -> FormulaMap:
    """Read from the comments of a formula's file which variable stands for which edge; `BadInput` if they are missing
    or damaged."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    mark = header = None
    for line in read_lines(path, MAX_BYTES):
        header = header or _HEADER.match(line)
        if mark is None:
            before, title, _ = line.partition(TITLE)
            mark = before if title else None
        elif line.startswith(mark):
            word, _, text = line.removeprefix(mark).removesuffix(" -->").replace(HYPHEN, "-").partition(" ")
            texts[word.rstrip(":")].append(text)
            texts[""].append(text.partition(" ")[0])
        else:
            break
    if mark is None or "problem" not in texts:
        raise BadInput(f"{path} has no map of its variables: give a file written by cpsat-tour export, such as .cnf")
    try:
        return _map_of(texts, header)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        raise BadInput(
            f"the map in {path} is damaged ({fault}): write the formula again with cpsat-tour export"
        ) from fault


def _map_of(texts: Mapping[str, list[str]], header: re.Match[str] | None) -> FormulaMap:
    """Build a `FormulaMap` from its comment lines, which are grouped by their first words. Edges get the order of these
    lines, the edge between fixed ends last."""
    told = header.groupdict() if header else {}
    last = int(told.get("last") or "".join(texts.get("columns", "0")))
    form = next((form for form in ("cnf", "opb", "wcnf") if told.get(form)), "")
    words = ("edge", "arc", "start", "end", "ends", "at", "apex")
    room = sum(len(line) for word in words for line in texts.get(word, ()))
    problem = read_problem(json.loads("".join(texts["problem"])), room)
    order, vertex = problem.graph.order, problem.graph.space.vertex
    variables, rows = list[str](), list[tuple[int, int]]()
    for word in words:
        for variable, *names in (text.split(" ") for text in texts.get(word, ())):
            place = [int(names.pop())] if word in ("at", "apex") else []
            first, *second = [vertex(name.replace(SPACE, " ")) for name in names] or [order]
            (other,) = [order] if word in ("start", "end") else place or second
            if told.get("last") and abs(int(variable.removeprefix("x"))) > last:
                raise ValueError(f"variable {variable:.20} is not in the formula, whose last is {last}")
            variables.append(variable)
            rows.append((other, first) if word == "start" else (first, other))
    tails, heads = np.array(rows, dtype=np.int32).reshape(-1, 2).T
    places = "at" in texts
    apex = order if texts.get("start") or texts.get("end") or (places and tails.max() == order) else None
    required = np.zeros(len(rows), dtype=bool)
    cycle = CycleProblem(problem, order + (apex is not None), tails, heads, required, apex)
    moves = tails * cycle.order + heads if places else np.arange(len(rows), dtype=np.int32)
    columns = texts[""][-len(rows) :] if "columns" in texts else ()
    most = max((abs(int(variable)) for variable in variables), default=0) if form == "wcnf" else last
    directed, relaxed = "arc" in texts or places, RELAXATION in texts
    return FormulaMap(cycle, variables, moves, directed, "", relaxed, "", form, most, columns, places)


Clauses = NDArray[np.int32]
"""Clauses of one length, a ``(clauses, length)`` array of literals."""

ROWS_AT_A_TIME = 1 << 14


@dataclass(frozen=True)
class Sizes:
    """The size of a formula: its numbers of variables, clauses (constraints, if it is not a CNF) and literals."""

    variables: int = 0
    clauses: int = 0
    literals: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.variables + other.variables, self.clauses + other.clauses, self.literals + other.literals)


class Formula(Protocol):
    """A formula for export."""

    @property
    def forms(self) -> Mapping[str, str]:
        """The names of the file formats in which the formula can be written, by suffix, the usual one first."""

    @property
    def sizes(self) -> Sizes:
        """The numbers of variables, clauses and literals."""

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the formula in the file format of the suffix, and return the size of that file."""


@runtime_checkable
class MappedFormula(Formula, Protocol):
    """A formula with a map of its variables to edges, so that an answer can be read as a tour."""

    def map(self, suffix: str) -> FormulaMap:
        """Return which variable of a file in the format of the suffix stands for which edge."""


@runtime_checkable
class RelaxedFormula(MappedFormula, Protocol):
    """A formula that is a relaxation: its solutions may be several cycles, and cut sets can be added."""

    def cut(self, cut_sets: Sequence[Ints]) -> None:
        """Add a constraint for each cut set, which says that one of its edges is used; edges are given by number."""


Named: TypeAlias = tuple[str, tuple[NDArray[np.integer], ...], int]
"""Variables that follow each other: a letter, the subscripts of each, and how many of these are vertices."""


@dataclass(frozen=True, eq=False)
class Cnf:
    """A CNF formula of a cycle problem.

    Variable ``v`` up to the number of moves stands for ``moves[v - 1]``, an edge of the cycle problem, or one of its
    ``arcs`` or ``places``. ``degrees`` are the clauses of the degree constraints and required edges, with ``auxiliary``
    variables of their own after the moves; ``blocks`` are all others. ``named`` has the names of all variables but the
    moves', in their order. ``backend`` names the formulation; ``relaxed`` is True if not every model is a tour. With a
    ``goal``, in words, as many of the literals ``soft`` as possible are to be true.
    """

    cycle: CycleProblem
    moves: Ints
    variables: int
    auxiliary: int
    degrees: Sequence[Clauses]
    blocks: list[Clauses]
    named: Sequence[Named]
    backend: str
    relaxed: bool
    arcs: bool = False
    places: bool = False
    plain: bool = False
    soft: Clauses = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    goal: str = ""

    @property
    def forms(self) -> Mapping[str, str]:
        """The names of the forms of its file."""
        wcnf = {"wcnf": "WCNF"} if self.goal else {}
        return {"cnf": "DIMACS CNF", "opb": "OPB", **wcnf, **({"qubo": "QUBO"} if self.places else {})}

    @property
    def clauses(self) -> Iterator[Clauses]:
        """The clauses in blocks; those of a block have the same length."""
        return iter((*self.degrees, *self.blocks))

    @property
    def sizes(self) -> Sizes:
        """The numbers of variables, clauses and literals of the DIMACS file."""
        return Sizes(self.variables, sum(map(len, self.clauses)), sum(block.size for block in self.clauses))

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the formula as ``cnf``, ``wcnf``, ``opb`` or ``qubo``; return the size of that file. `BadInput` if
        there is an objective, which ``cnf`` can't express."""
        if suffix == "cnf" and self.goal:
            raise BadInput(f"DIMACS CNF can't ask for the {self.goal}: write a .wcnf or .opb file")
        if suffix == "qubo":
            return self._write_qubo(file)
        if suffix == "opb":
            file.writelines(text.encode() for text in self.opb())
            return self._opb_sizes
        file.writelines(text.encode() for text in self.dimacs(suffix))
        return self.sizes + Sizes(0, len(self.soft), len(self.soft))

    def dimacs(self, suffix: str) -> Iterator[str]:
        """Yield the DIMACS file, CNF or WCNF, in pieces of whole lines."""
        yield from self.map(suffix).comments(suffix)
        if not self.plain:
            yield NEGATED
        yield from self._names("c is ", self._in_dimacs(np.arange(len(self.moves) + 1, self.variables + 1)))
        if suffix == "cnf":
            yield f"p cnf {self.sizes.variables} {self.sizes.clauses}\n"
        for block in self.clauses:
            yield from _block_texts(self._in_dimacs(block), "%d ", "0", "h " if suffix == "wcnf" else "")
        yield from _block_texts(self._in_dimacs(self.soft[:, None]), "%d ", "0", "1 ")

    def _names(self, before: str, variables: NDArray[np.integer]) -> Iterator[str]:
        """Yield a comment line for each variable but the moves', with its name as in the formulation's docstring."""
        numbers = iter(variables.tolist())
        for letter, subscripts, vertices in self.named:
            of = [map(self.cycle.name, part.ravel().tolist()) for part in subscripts[:vertices]]
            of += [map(str, part.ravel().tolist()) for part in subscripts[vertices:]]
            yield from (f"{before}{next(numbers)} {letter}[{','.join(names)}]\n" for names in zip(*of, strict=True))

    def _in_dimacs(self, literals: ArrayLike) -> Clauses:
        """Renumber literals for the DIMACS file, where edge variables are last, in reverse and negated, unless it is
        plain."""
        if self.plain:
            return np.asarray(literals, dtype=np.int32)
        variable, m = np.abs(literals), len(self.moves)
        return np.sign(literals) * np.where(variable <= m, variable - self.variables - 1, variable - m)

    @cached_property
    def _rows(self) -> list[tuple[Ints, int]]:
        """The degree constraints as equations: for each, its variables and their sum."""
        return [] if self.places else [*self._equations()]

    def _equations(self) -> Iterator[tuple[Ints, int]]:
        """Yield the degree constraints, over edges or over arcs, as equations, and then the required edges."""
        tails, heads = self.map("opb").ends
        variables = np.arange(1, len(self.moves) + 1, dtype=np.int32)
        for places in (tails, heads) if self.arcs else (np.concatenate([tails, heads]),):
            starts, at_each = in_rows(places, np.resize(variables, len(places)), self.cycle.order)
            yield from ((np.sort(row), 2 - self.arcs) for row in np.split(at_each, starts[1:-1]))
        if not self.arcs:
            yield from ((variables[[k]], 1) for k in np.flatnonzero(self.cycle.required[self.moves]).tolist())

    @property
    def _opb_sizes(self) -> Sizes:
        """The numbers of variables, constraints and literals of the OPB file."""
        rows = [len(row) for row, _ in self._rows]
        more = sum(block.size for block in self.blocks)
        return Sizes(self.variables - self.auxiliary, len(rows) + sum(map(len, self.blocks)), sum(rows) + more)

    def opb(self) -> Iterator[str]:
        """Yield the OPB file in pieces of whole lines."""
        rows, sizes = self._rows, self._opb_sizes
        yield opb_header(sizes, len(rows), self.variables)
        yield from self.map("opb").comments("opb")
        after = np.arange(len(self.moves) + 1, self.variables + 1)
        yield from islice(self._names("* is x", after - self.auxiliary), self.auxiliary, None)
        if self.goal:
            signs = zip(np.sign(-self.soft).tolist(), (np.abs(self.soft) - self.auxiliary).tolist(), strict=True)
            yield f"min: {' '.join(f'{sign:+d} x{variable}' for sign, variable in signs)} ;\n"
        yield from (f"{''.join(f'+1 x{k} ' for k in row.tolist())}= {total} ;\n" for row, total in rows)
        for block in self.blocks:
            beyond = np.abs(block) > len(self.moves)
            shifted = np.where(beyond, block - np.sign(block) * self.auxiliary, block)
            for negative in range(block.shape[1] + 1):
                some = shifted[(shifted < 0).sum(axis=1) == negative]
                for text in _block_texts(some, "+1 x%d ", f">= {1 - negative} ;"):
                    yield text.replace("+1 x-", "-1 x")

    def _write_qubo(self, file: BinaryIO) -> Sizes:
        """Write the sum of squares, and return the numbers of variables, terms and entries: (1 - x - y - …)^2 - 1 for a
        clause of positive literals, no two of which are true by other clauses, and xy for one of two negative ones."""
        if any(block.shape[1] > 2 and (block < 0).any() for block in self.clauses):
            raise BadInput(f"a QUBO of {self.backend} can't state required moves: write a .cnf or .opb file")
        n = self.variables
        sums = [block for block in self.clauses if (block > 0).all()]
        pairs = [-block for block in self.clauses if not (block > 0).all()]
        single = -np.bincount(np.concatenate([block.ravel() for block in sums]), minlength=n + 1)
        for block in sums:
            i, j = np.triu_indices(block.shape[1], 1)
            pairs.append(np.stack([block[:, i], block[:, j]], axis=-1).reshape(-1, 2))
        low, high = np.sort(np.concatenate([block for block in pairs if block.shape[1] == 2]), axis=1).T.astype(
            np.int64
        )
        keys, weights = np.unique(low * (n + 1) + high, return_counts=True)
        ends = np.divmod(keys, n + 1)
        file.writelines(line.encode() for line in self.map("qubo").comments("qubo"))
        least = -sum(map(len, sums))
        file.write(f"c note: a tour has the value {least}, the least that there may be; others have more\n".encode())
        file.write(f"p qubo 0 {n} {n} {len(keys)}\n".encode())
        file.writelines(b"%d %d %d\n" % (k, k, weight) for k, weight in enumerate(single[1:].tolist()))
        rows = zip(*((end - 1).tolist() for end in ends), weights.tolist(), strict=True)
        file.writelines(b"%d %d %d\n" % row for row in rows)
        return Sizes(n, n + len(keys), n + 2 * len(keys))

    def map(self, suffix: str) -> FormulaMap:
        """Return which variable of the file stands for which move."""
        numbers, letter = np.arange(1, len(self.moves) + 1) - (suffix == "qubo"), "x" if suffix == "opb" else ""
        variables = [f"{letter}{number}" for number in (numbers if letter else self._in_dimacs(numbers)).tolist()]
        return FormulaMap(
            self.cycle, variables, self.moves, self.arcs, self.backend, self.relaxed, self.goal, places=self.places
        )

    def cut(self, cut_sets: Sequence[Ints]) -> None:
        """Add a clause for each cut set, which says that one of its edges is used, or one of the arcs along them."""
        edges = self.moves % max(1, self.cycle.size)
        self.blocks.extend(1 + np.flatnonzero(np.isin(edges, cut)).astype(np.int32)[None, :] for cut in cut_sets)


def opb_header(sizes: Sizes, equations: int, terms: int) -> str:
    """Return the first lines of an OPB file; a row has at most this many terms.

    What the competitions have in the first line since 2012 is in the second: clasp reads no more than two numbers.
    """
    more = f"* #equal= {equations} intsize= {(terms + 1).bit_length()}"
    return f"* #variable= {sizes.variables} #constraint= {sizes.clauses}\n{more}\n"


def _block_texts(block: Clauses, literal: str, end: str, begin_line: str = "") -> Iterator[str]:
    """Yield the clauses of a block as text, a line each, in pieces of some thousands of lines."""
    line = begin_line + literal * block.shape[1] + end + "\n"
    for begin in range(0, len(block), ROWS_AT_A_TIME):
        rows = block[begin : begin + ROWS_AT_A_TIME]
        yield line * len(rows) % tuple(rows.ravel().tolist())
