"""Linear programs, and solvers of them in processes of their own: HiGHS (Huangfu & Hall 2018) and ``exact`` (Elffers &
Nordström 2018; Devriendt, Gleixner & Nordström 2021).

Each works on one thread (`linear_worker`): one keeps no limit, the other clashes with the copy of it that OR-Tools
brings. A process serves one run after the other, is killed when a run is broken off in a solve, and ends when whoever
asked has ended, however that came about.

*Rows.* There is a small language of rows, in which a linear program reads as its formulas:

    x = program.columns("x", u, v, whole=True)               a column for each arc uv, x_a1_b3
    program.add(sum_at(u, x, n) == 1, "out", vertices)       a row for each vertex, out_a1: one arc leaves it
    p = program.columns("p", vertices, most=n - 2)           a column for each vertex
    program.add(p[u] - p[v] + (n - 1) * x <= n - 2, "mtz", u, v)    a row for each arc, mtz_a1_b3

Everything is an array: `Sums` is an array of weighted sums of columns, a single column being the shortest sum. Sums are
added and compared index by index, and `sum_at` adds up those that belong to one place. Comparing them with numbers, or
with other sums, gives `Rows`, which a `LinearProgram` takes. Inside, the sums are the rows of a sparse matrix.

*Files.* A program about a cycle problem is written to files that others read:

* LP (CPLEX's): the rows as people write them, under a sum that has the columns in their order, each with the weight 0.
* MPS in its free form (IBM's, of the 1960s), which all solvers read: column by column.
* OPB (the pseudo-Boolean competitions; Roussel & Manquinho 2009), for equations over binary columns.

Nothing is minimised: any solution will do. The comments of a file say which columns are the edges, or arcs
(`formats.formula`). A column is called by its letter and its vertices, a row by its rule and its vertices: ``x_a1_b3``
goes from a1 to b3. In OPB, where rows have no names, a column is ``x1``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, NoAnswer, StoppedEarly
from cpsat_tour.core.processes import Child
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import HEARTBEAT, Heartbeat, Watch
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.formats.formula import FormulaMap, Sizes, opb_header
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers

# --- rows ---

Numbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Sums:
    """An array of weighted sums of columns: sum 0 has the first ``lengths[0]`` of the ``columns`` with their
    ``weights``, sum 1 those after them, and so on."""

    lengths: Numbers
    columns: Numbers
    weights: Floats

    def __getitem__(self, which: Numbers | NDArray[np.bool_] | list[int]) -> Sums:
        """Return the sums of these indices, or where the flags are True."""
        chosen = np.arange(len(self.lengths))[which]
        lengths, ends = self.lengths[chosen], np.cumsum(self.lengths)
        before = np.cumsum(lengths) - lengths
        entries = np.arange(lengths.sum()) + np.repeat(ends[chosen] - lengths - before, lengths)
        return Sums(lengths, self.columns[entries], self.weights[entries])

    def over(self, lists: Sequence[Numbers]) -> Sums:
        """Return an array with a sum for each list of columns, each with the weight 1."""
        return sum_at(np.repeat(np.arange(len(lists)), list(map(len, lists))), self[np.concatenate(lists)], len(lists))

    def __rmul__(self, factor: float) -> Sums:
        return Sums(self.lengths, self.columns, factor * self.weights)

    def __add__(self, other: Sums) -> Sums:
        return add_up([self, other])

    def __sub__(self, other: Sums) -> Sums:
        return self + -1 * other

    def __le__(self, right: Sums | Floats | float) -> Rows:
        return self._compared("<=", right)

    def __ge__(self, right: Sums | Floats | float) -> Rows:
        return self._compared(">=", right)

    def __eq__(self, right: Sums | Floats | float) -> Rows:  # type: ignore[override]
        return self._compared("=", right)

    __hash__ = None  # type: ignore[assignment]

    def _compared(self, sign: str, right: Sums | Floats | float) -> Rows:
        """Return the rows that compare these sums with numbers, or with other sums, by the sign."""
        if isinstance(right, Sums):
            return Rows(self - right, sign, np.zeros(len(self.lengths)))
        return Rows(self, sign, np.broadcast_to(np.float64(right), len(self.lengths)))


def sum_at(places: Numbers, sums: Sums, count: int) -> Sums:
    """Return ``count`` sums, one for each place: it adds up the given sums at that place. ``places[i]`` is the place of
    sum i."""
    of_entry = np.repeat(places, sums.lengths)
    order = np.argsort(of_entry, kind="stable")
    return Sums(np.bincount(of_entry, minlength=count), sums.columns[order], sums.weights[order])


def add_up(arrays: Sequence[Sums]) -> Sums:
    """Add arrays of sums of one length, index by index."""
    lengths, columns, weights = (
        np.concatenate([getattr(sums, part) for sums in arrays]) for part in ("lengths", "columns", "weights")
    )
    count = len(arrays[0].lengths)
    return sum_at(np.tile(np.arange(count), len(arrays)), Sums(lengths, columns, weights), count)


@dataclass(frozen=True)
class Rows:
    """An array of rows, each a sum compared with a number to its right; the ``sign`` is ``<=``, ``=`` or ``>=``."""

    sums: Sums
    sign: str
    right: Floats

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and the upper bound of each row's sum."""
        none = np.full(len(self.right), np.inf)
        return -none if self.sign == "<=" else self.right, none if self.sign == ">=" else self.right


# --- processes ---


class Worker:
    """A process with a solver; ``at_rest`` is True when it has answered everything. Messages wait, ``unsent``, for the
    next `hear`."""

    def __init__(self, library: str) -> None:
        self.library, self.at_rest = library, True
        self.unsent: list[tuple[Any, ...]] = []
        self.child = Child("-m", "cpsat_tour.models.drivers.linear_worker", library)

    def begin(self, run: Watch, program: LinearProgram, costs: Sequence[float] = ()) -> None:
        """Give the worker a program, to be minimised under these ``costs`` of its columns by HiGHS.

        `add` calls the heartbeat of this run.
        """
        self._heartbeat, self._whole = run.heartbeat, program.whole
        self.unsent = [("begin", program.upper, program.whole, run.limits.seed, *([costs] if costs else []))]
        for rows in program.rows:
            self.add(rows)

    def add(self, rows: Rows) -> None:
        """Add rows to the worker's program."""
        sums = rows.sums
        parts = (sums.columns, sums.lengths, sums.weights, *rows.bounds)
        self.unsent.append(("add", *(part.tolist() for part in parts)))
        self._heartbeat()

    def hear(self, run: Watch) -> dict[str, Any]:
        """Send the messages that wait, and return the last message of the answer, waited for with heartbeats.

        `NoAnswer` if the process ends first, `StoppedEarly` when the time is over.
        """
        self.at_rest = False
        connection = self.child.connection
        try:
            while self.unsent:
                connection.send(self.unsent.pop(0))
                run.heartbeat()
            with run.timed("solve"):
                while True:
                    while not connection.poll(HEARTBEAT):
                        run.heartbeat()
                    answer: dict[str, Any] = connection.recv()
                    run.work.update(answer["work"])
                    if "end" in answer:
                        self.at_rest = True
                        return answer
        except (EOFError, ConnectionError) as fault:
            status = self.child.end()
            raise NoAnswer(
                f"the process of {self.library} ended with status {status}{self.child.last_words}"
            ) from fault

    def solve(self, run: Watch, counter: str) -> Ints | None:
        """Return the numbers of the binary columns that are 1 in a solution, None if there is none; `StoppedEarly` at a
        limit.

        Work is counted in ``counter``.
        """
        values = self.values(run, counter)
        return None if values is None else np.flatnonzero(values[: self._whole] > 0.5).astype(np.int32)

    def values(self, run: Watch, counter: str) -> Floats | None:
        """Return the value of each column in a solution, None if there is none; `StoppedEarly` at a limit. Work is
        counted in ``counter``."""
        if (left := run.work_left(counter)) == 0:
            raise StoppedEarly("work")
        self.unsent.append(("solve", left))
        answer = self.hear(run)
        if answer["end"] == "work":
            raise StoppedEarly("work")
        return np.array(answer["values"], dtype=np.float64) if answer["end"] == "found" else None


_idle: defaultdict[str, list[Worker]] = defaultdict(list)


@contextmanager
def worker(library: str) -> Iterator[Worker]:
    """Lend a process with this solver, an idle or a new one.

    After a run that was not broken off in a solve it is idle again.
    """
    process = _idle_worker(library) or Worker(library)
    try:
        yield process
    finally:
        if process.at_rest:
            _idle[library].append(process)
        else:
            process.child.end()


def _idle_worker(library: str) -> Worker | None:
    """Return an idle process with this solver that is alive; None if there is none."""
    with suppress(IndexError):  # also where another thread took the last one
        while True:
            process = _idle[library].pop()
            if process.child.process.poll() is None:
                return process
            process.child.end()
    return None


# --- programs and their files ---

MAX_ENTRIES = 10_000_000
"""The most entries of a program that is built: they take some 2 GB on their way to the solver."""

TERMS_PER_LINE = 8
"""The terms in a line: some readers of LP take no more than 255 characters a line."""

_PLAIN = re.compile(r"[A-Za-z0-9.]{1,20}")
"""The names of vertices that can be part of a column's name."""

Labelled = tuple[str, tuple[Numbers, ...]]
"""A letter or label, and the subscripts of the columns or rows that it names."""


class LinearProgram:
    """A linear program in the making, to be solved or written to a file: columns that are at least 0, and rows.

    Column ``k`` stands for ``moves[k]``, an edge or, if ``over_arcs``, an arc; columns beyond these are the
    formulation's own. ``used`` has the column of each edge, or the sum of those of its arcs. ``upper`` has the greatest
    value of each column; the first ``whole`` columns take whole numbers alone. ``relaxed`` is True if shorter cycles
    satisfy the program too. ``heartbeat`` is called as it grows.
    """

    forms: ClassVar[Mapping[str, str]] = {"lp": "CPLEX LP", "mps": "MPS"}
    over_arcs: ClassVar[bool]
    relaxed: ClassVar[bool]
    used: Sums

    def __init__(self, name: str, cycle: CycleProblem, moves: Ints, heartbeat: Heartbeat) -> None:
        self.name, self.cycle, self.moves, self.heartbeat = name, cycle, moves, heartbeat
        self.upper, self.whole, self.rows, self.sizes = list[float](), 0, list[Rows](), Sizes()
        self._columns, self._labels = list[Labelled](), list[Labelled]()

    def columns(self, letter: str, *subscripts: Numbers, most: float = 1.0, whole: bool = False) -> Sums:
        """Add columns between 0 and ``most``, one for each index of the subscripts, and return them.

        The subscripts are arrays of vertices. Columns that are ``whole`` come first in a program.
        """
        first, count = len(self.upper), len(subscripts[0])
        self._columns.append((letter, subscripts))
        self.upper += [most] * count
        self.whole += count * whole
        self._grow(Sizes(count))
        return Sums(np.ones(count, dtype=np.int64), np.arange(first, first + count), np.ones(count))

    def add(self, rows: Rows, label: str, *subscripts: Numbers) -> None:
        """Add rows to the program, called by the label and their subscripts, which are arrays of vertices; without
        these there is one row."""
        self.rows.append(rows)
        self._labels.append((label, subscripts))
        self._grow(Sizes(0, len(rows.right), len(rows.sums.columns)))

    def add_fixed(self) -> None:
        """Add a row for each required edge, and for each pair of edges that a symmetry ties together."""
        cycle, u, v = self.cycle, self.cycle.tails, self.cycle.heads
        required, (first, second) = cycle.required, cycle.tied_pairs.T
        self.add(self.used[required] == 1, "required", u[required], v[required])
        self.add(self.used[first] == self.used[second], "tied", u[first], v[first], u[second], v[second])

    def _grow(self, more: Sizes) -> None:
        """Add to the program's sizes; `BadInput` if it has grown too large."""
        self.sizes += more
        if self.sizes.variables + self.sizes.literals > MAX_ENTRIES:
            limit = f"more than {MAX_ENTRIES:,} columns and entries"
            raise BadInput(f"the program of {self.name} has {limit} here: choose milp, or another board")
        self.heartbeat()

    def map(self, suffix: str) -> FormulaMap:
        """Return the map from the columns' names in this form to the moves."""
        names = self.names(suffix)[: len(self.moves)]
        return FormulaMap(self.cycle, names, self.moves, self.over_arcs, self.name, self.relaxed, last=len(self.upper))

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the program to a file in this form, and return its size."""
        text = {"lp": self._lp, "mps": self._mps, "opb": self._opb}[suffix]
        file.writelines(line.encode() for line in text(self.map(suffix).comments(suffix), self.names(suffix)))
        return self.sizes

    def names(self, suffix: str) -> list[str]:
        """Return the name of each column in this form of file.

        Vertices whose names can't stand in it have their numbers.
        """
        return [f"x{k}" for k in range(1, len(self.upper) + 1)] if suffix == "opb" else self._names(self._columns)

    def _names(self, groups: Iterable[Labelled]) -> list[str]:
        """Return the names of columns or rows: the letter or label with the names of the vertices."""
        called = list(map(self.cycle.name, range(self.cycle.order)))
        if len(set(called)) < len(called) or not all(map(_PLAIN.fullmatch, called)):
            called = list(map(str, range(self.cycle.order)))
        return [
            "_".join([label, *(called[vertex] for vertex in vertices)])
            for label, subscripts in groups
            for vertices in (zip(*(part.tolist() for part in subscripts), strict=True) if subscripts else [()])
        ]

    def _texts(self, names: list[str], separator: str) -> Iterator[str]:
        """Yield each row as text, such as ``+1 x +3 y <= 2``, with a separator after every few terms."""
        for rows in self.rows:
            pairs = zip(rows.sums.weights.tolist(), rows.sums.columns.tolist(), strict=True)
            terms = [f"{weight:+.15g} {names[column]}" for weight, column in pairs]
            starts = pairwise(accumulate(rows.sums.lengths.tolist(), initial=0))
            for (begin, end), right in zip(starts, rows.right.tolist(), strict=True):
                lines = range(begin, end, TERMS_PER_LINE)
                left = separator.join(" ".join(terms[line : min(end, line + TERMS_PER_LINE)]) for line in lines)
                yield f"{left or f'+0 {names[0]}'} {rows.sign} {right:.15g}"

    def _lp(self, comments: Iterable[str], names: list[str]) -> Iterable[str]:
        """Return the lines of an LP file."""
        texts = zip(self._names(self._labels), self._texts(names, "\n  "), strict=True)
        rows = (f" {label}: {row}\n" for label, row in texts)
        bounds = (f" {name} <= {most:.15g}\n" for name, most in zip(names, self.upper, strict=True))
        binaries = (f" {name}\n" for name in names[: self.whole])
        goal = ["Minimize\n obj:\n", *(f"  + 0 {name}\n" for name in names), "Subject To\n"]
        return chain(comments, goal, rows, ["Bounds\n"], bounds, ["Binaries\n"], binaries, ["End\n"])

    def _opb(self, comments: Iterable[str], names: list[str]) -> Iterable[str]:
        """Return the lines of an OPB file."""
        equations = sum(len(rows.right) for rows in self.rows if rows.sign == "=")
        return chain(
            [opb_header(self.sizes, equations, self.sizes.variables)],
            comments,
            (f"{row} ;\n" for row in self._texts(names, " ")),
        )

    def _mps(self, comments: Iterable[str], names: list[str]) -> Iterable[str]:
        """Return the lines of an MPS file."""
        lengths, columns, weights = (
            np.concatenate([getattr(rows.sums, part) for rows in self.rows])
            for part in ("lengths", "columns", "weights")
        )
        by_column, of_entry = np.argsort(columns, kind="stable"), np.repeat(np.arange(len(lengths)), lengths)
        parts = (part[by_column].tolist() for part in (columns, of_entry, weights))
        signs = ((rows.sign, number) for rows in self.rows for number in rows.right.tolist())
        right = [(label, *row) for label, row in zip(self._names(self._labels), signs, strict=True)]
        entries = (f" {names[k]} {right[row][0]} {weight:.15g}\n" for k, row, weight in zip(*parts, strict=True))
        kinds = {"<=": "L", "=": "E", ">=": "G"}
        rows = (f" {kinds[sign]} {label}\n" for label, sign, _ in right)
        numbers = (f" RHS {label} {number:.15g}\n" for label, _, number in right if number)
        bounds = (
            f" BV BND {name}\n" if k < self.whole else f" UP BND {name} {self.upper[k]:.15g}\n"
            for k, name in enumerate(names)
        )
        head = "NAME cpsat-tour FREE\nROWS\n N obj\n"
        return chain(
            comments, [head], rows, ["COLUMNS\n"], entries, ["RHS\n"], numbers, ["BOUNDS\n"], bounds, ["ENDATA\n"]
        )


class LinearRelaxation:
    """A linear program about 2-factors in a worker, as a relaxation to which cut sets are added."""

    def __init__(
        self, worker: Worker, run: Watch, program: LinearProgram, counter: str, costs: Sequence[float] = ()
    ) -> None:
        self._worker, self._run, self._program, self._counter = worker, run, program, counter
        worker.begin(run, program, costs)

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a 2-factor that solves the program, None if there is none; `StoppedEarly` at a limit."""
        chosen = self._worker.solve(self._run, self._counter)
        return None if chosen is None else self._program.moves[chosen]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each cut set: at least two of its edges are used."""
        self._worker.add(self._program.used.over([cut_set.edges for cut_set in cut_sets]) >= 2)

    def block(self, edges: EdgeNumbers) -> None:
        """Add a row that excludes the solution: not all of these edges are used."""
        self._worker.add(self._program.used.over([edges]) <= len(edges) - 1)
