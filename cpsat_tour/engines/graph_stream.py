"""Streams of graphs, a line of graph6 each, answered by the thousand: which have a Hamiltonian cycle or path, or
another property that searches for Hamiltonian cycles decide.

The kernel is `bits.c`, whose rules are those of `edges`. When nothing more follows, a path is extended and rotated
(Pósa 1976) along the edges that are left, which finds a cycle in nine of ten cubic graphs of 20 vertices. Otherwise the
search branches on an edge at the end of a path that has the fewest left. An open tour is a closed one through a
universal vertex. The other properties speak of what is left when some vertices are deleted: one vertex
(K1-hamiltonian), two adjacent ones (K2-hamiltonian; Zamfirescu 2021), and for the circumference as many as it takes
until a cycle is left.

Limits: 3 to 64 vertices, 63 for open tours. What is larger, is not a line of graph6, or takes more branchings than the
kernel's budgets, some milliseconds, is `LEFT`.

The kernel is given thousands of graphs in a call, on threads of its own. A line that it leaves, because the graph is
directed, larger or hard, goes to `auto`. Answers come in the order of the lines, and only some batches are in memory.

The kernel also answers properties that speak of Hamiltonian cycles after vertices are deleted. For graphs that it
leaves, `auto` is asked about each of the smaller graphs until the property is decided; the circumference is the length
of the longest closed tour that may leave vertices out.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits, OnEvent
from cpsat_tour.core.space import Bytes, Longs
from cpsat_tour.engines.pool import local
from cpsat_tour.engines.registry import load
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.graph_lines import clean_lines, graph6_line, graph_of_line
from cpsat_tour.tour import Answer

LEFT, TOUR, NONE = range(3)  # the verdicts: left to others, there is a cycle, there is none

CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE = range(6)  # what is asked of a graph: a tour first

MAX_ORDER = 64

BUDGET = 3000  # branchings of a search, at most: some milliseconds

PROPERTY_BUDGET = 1 << 16  # the same for all searches of one graph, of which each counts as one more branching

LEVEL_WORDS = 3 * MAX_ORDER + 3  # of the state at a branching, of which a search has one more than there are vertices


def answer_lines(
    text: bytes, starts: Longs, asked: int, length: int, verdicts: Bytes, branchings: Longs, tours: Bytes
) -> None:
    """Search the graph on each line and write its verdict, its number of branchings and its tour, if one is asked for,
    into row ``i`` of the last three arrays.

    Line ``i`` is ``text[starts[i]:starts[i + 1] - 1]``. ``asked`` says which property makes a graph one of verdict
    `TOUR`; ``length`` is the circumference that is asked for.
    """
    levels, neighbours = (np.empty(words, np.uint64) for words in ((MAX_ORDER + 1) * LEVEL_WORDS, MAX_ORDER))
    letters, lines, row = np.frombuffer(text, dtype=np.uint8), *tours.shape
    budget, room = BUDGET if asked <= OPEN else PROPERTY_BUDGET, (levels, neighbours)
    bits_answer_lines(letters, starts, lines, asked, length, budget, *room, verdicts, branchings, tours, row)


@kernel
def bits_answer_lines(
    text: Bytes,
    starts: Annotated[Longs, "lines+1"],
    lines: int,
    asked: int,
    length: int,
    budget: int,
    levels: Annotated[NDArray[np.uint64], "65*195"],
    neighbours: Annotated[NDArray[np.uint64], "64"],
    verdicts: Annotated[Bytes, "lines"],
    branchings: Annotated[Longs, "lines"],
    tours: Annotated[Bytes, "lines*row"],
    row: int,
) -> int:
    """Search the graph on each line and write its verdict, branchings and tour; return the number of lines."""


@kernel
def bits_fault(level: Annotated[NDArray[np.uint64], "195"], vertices: int) -> int:
    """Return 0 while a level of the search satisfies the invariant in `bits.c`, else the number of the first condition
    that fails.

    ``vertices`` is the set that the level is about, as bits.
    """


@kernel
def bits_is_cycle(
    neighbours: Annotated[NDArray[np.uint64], "order"], cycle: Annotated[Bytes, "order"], order: int
) -> int:
    """Return 1 if ``cycle`` is a Hamiltonian cycle: all vertices differ, and each is joined to the next, the last to
    the first. Else 0."""


@dataclass(eq=False)
class Batch:
    """Lines of graphs, each with its newline, and for each of them a verdict, the number of branchings and a tour.

    ``asked`` is one of the numbers above, and ``length`` the circumference if that is asked for.
    """

    text: bytes
    starts: Longs
    verdicts: Bytes
    branchings: Longs
    tours: Bytes
    asked: int
    length: int

    @classmethod
    def of(cls, text: bytes, asked: int, length: int = 0) -> Batch:
        """Return an unsearched batch of these lines."""
        ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
        count, none_yet = len(ends), np.full(len(ends), LEFT, dtype=np.uint8)
        tours = np.zeros((count, MAX_ORDER), dtype=np.uint8)
        return cls(text, np.append(0, ends + 1), none_yet, np.zeros(count, dtype=np.int64), tours, asked, length)

    def line(self, number: int) -> bytes:
        """Return a line, counted from 0, without its newline."""
        return self.text[self.starts[number] : self.starts[number + 1] - 1]

    def search(self) -> Batch:
        """Run the kernel on all lines and return the batch with its verdicts. Ctrl-C does not interrupt the kernel."""
        answer_lines(self.text, self.starts, self.asked, self.length, self.verdicts, self.branchings, self.tours)
        return self

    def graph(self, number: int) -> Graph:
        """Return the graph of a line; `GraphFault` if the line is not one."""
        graph = graph_of_line(self.line(number))
        if graph.loops and not graph.directed:
            raise GraphFault(0, "an edge joins a vertex to itself")
        return graph

    def answer(
        self, number: int, limits: Limits, graph: Graph | None = None, on_event: OnEvent | None = None
    ) -> Answer:
        """Return the verified answer to a line, by the kernel or, if it left the line open, by `auto`; `GraphFault` if
        the line is not a graph.

        ``graph`` is the graph that was written into the line, if there is one.
        """
        from cpsat_tour.engines.runner import answer_without_search, run  # few lists need it; it takes long to load
        from cpsat_tour.native.edges import exhausted

        problem = Problem(self.graph(number) if graph is None else graph, self.asked == CLOSED)
        verdict, work = self.verdicts[number], {"branchings": int(self.branchings[number])}
        if verdict == LEFT:
            return run(problem, load("auto"), limits, on_event, "auto")
        if verdict == TOUR:
            answer = Answer.with_tour(problem, self.tours[number, : problem.graph.order].astype(np.int32), work)
            return replace(answer, backend="edges").verified(problem)
        known = answer_without_search(problem, limits)
        refuted = Answer("none", refutation=exhausted(work)) if known is None else known
        return replace(refuted, work=work, backend="edges")


def searched(batches: Iterator[Batch], threads: int) -> Generator[Batch, None, None]:
    """Search the batches on ``threads`` threads and yield them in order.

    Some are read ahead if there is more than one thread.
    """
    with local(threads) as pool:
        yield from pool.in_order(Batch.search, batches, 2 * threads if threads > 1 else 1)


def line_of(item: str | bytes | Graph) -> bytes:
    """Return a graph as a line without its newline; an empty one if the graph is directed or too large for the
    kernel."""
    if isinstance(item, Graph):
        return b"" if item.directed or item.order > MAX_ORDER else graph6_line(item)
    return clean_lines(b" ".join((item.encode() if isinstance(item, str) else item).split()))


def has_property(graph: Graph, asked: int, length: int, limits: Limits) -> bool:
    """Return True if the graph has the property that is asked for, by its number above; ``length`` is the
    circumference. `StoppedEarly` if the limits, those of all searches together, leave it open."""
    from cpsat_tour.engines.best import optimise_routes  # few lists need these; they take long to load
    from cpsat_tour.engines.best_search import routes_goal
    from cpsat_tour.engines.runner import run

    if asked == CIRCUMFERENCE:
        longest = optimise_routes(routes_goal(Problem(graph, closed=True), "length"), limits)
        least, most = longest.value or 0, 0 if longest.none else longest.bound
        if least <= length and (most is None or most >= length) and least != most:
            raise StoppedEarly(longest.stopped_by or "")
        return least == length
    clock = limits.clock()

    def has_cycle(vertices: list[int]) -> bool:
        """Return True if these vertices alone have a Hamiltonian cycle."""
        if len(vertices) < 2:
            return False
        smaller = Problem(graph.subgraph(np.array(vertices, dtype=np.int32)), closed=True)
        answer = run(smaller, load("auto"), replace(limits, seconds=clock.left), None, "auto")
        if answer.unknown:
            raise StoppedEarly(answer.stopped_by or "")
        return bool(answer)

    everything = range(graph.order)
    if asked == HYPOHAMILTONIAN and has_cycle([*everything]):
        return False
    deleted = itertools.combinations(everything, 2) if asked == K2 else ((v,) for v in everything)
    return all(
        has_cycle([v for v in everything if v not in some])
        for some in deleted
        if asked != K2 or graph.has_arc(*some) or graph.has_arc(*some[::-1])
    )
