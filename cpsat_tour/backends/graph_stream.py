"""Streams of graphs, a line each: which have a tour, or another property, answered in batches by a kernel in C.

`cpsat_tour.native.bits` answers undirected graphs of up to 64 vertices, thousands in a call, on threads of its
own. A line that it leaves, because the graph is directed, larger or hard, goes to `auto`. Answers come in the order of
the lines, and only some batches are in memory.

The kernel also answers properties that speak of Hamiltonian cycles after vertices are deleted. For graphs that it
leaves, `auto` is asked about each of the smaller graphs until the property is decided; the circumference is the length
of the longest closed tour that may leave vertices out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cpsat_tour.backends.pool import local
from cpsat_tour.backends.registry import load
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Bytes, Longs
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.graph_lines import clean_lines, graph6_line, graph_of_line
from cpsat_tour.native.bits import CIRCUMFERENCE, CLOSED, HYPOHAMILTONIAN, K2, LEFT, MAX_ORDER, TOUR, answer_lines
from cpsat_tour.tour import Answer


@dataclass(eq=False)
class Batch:
    """Lines of graphs, each with its newline, and what the kernel found: a verdict, branchings and a tour a line.

    ``asked`` is a number of `bits`, and ``length`` the circumference if that is asked for.
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
        """Return the batch of these lines, before they are searched."""
        ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
        count, none_yet = len(ends), np.full(len(ends), LEFT, dtype=np.uint8)
        tours = np.zeros((count, MAX_ORDER), dtype=np.uint8)
        return cls(text, np.append(0, ends + 1), none_yet, np.zeros(count, dtype=np.int64), tours, asked, length)

    def line(self, number: int) -> bytes:
        """Return a line, counted from 0, without its newline."""
        return self.text[self.starts[number] : self.starts[number + 1] - 1]

    def search(self) -> Batch:
        """Return the batch with the verdicts of the kernel, which takes no notice of Ctrl-C."""
        answer_lines(self.text, self.starts, self.asked, self.length, self.verdicts, self.branchings, self.tours)
        return self

    def graph(self, number: int) -> Graph:
        """Return the graph of a line; `GraphFault` if the line is not one."""
        graph = graph_of_line(self.line(number))
        if graph.loops and not graph.directed:
            raise GraphFault(0, "an edge joins a vertex to itself")
        return graph

    def answer(self, number: int, limits: Limits, graph: Graph | None = None) -> Answer:
        """Return the answer to a line, or to the graph that was written into it: the kernel's, verified, or that of
        `auto`; `GraphFault` if the line is not a graph."""
        from cpsat_tour.backends.runner import answer_without_search, run  # few lists need it; it takes long to load
        from cpsat_tour.native.edges import exhausted

        problem = Problem(self.graph(number) if graph is None else graph, self.asked == CLOSED)
        verdict, work = self.verdicts[number], {"branchings": int(self.branchings[number])}
        if verdict == LEFT:
            return run(problem, load("auto"), limits, None, "auto")
        if verdict == TOUR:
            answer = Answer.with_tour(problem, self.tours[number, : problem.graph.order].astype(np.int32), work)
            return replace(answer, backend="edges").verified(problem)
        known = answer_without_search(problem, limits)
        refuted = Answer("none", refutation=exhausted(work)) if known is None else known
        return replace(refuted, work=work, backend="edges")


def searched(batches: Iterator[Batch], threads: int) -> Iterator[Batch]:
    """Yield the batches in their order when the kernel has answered them on so many threads; some are read ahead if
    there is more than one."""
    with local(threads) as pool:
        yield from pool.in_order(Batch.search, batches, 2 * threads if threads > 1 else 1)


def line_of(item: str | bytes | Graph) -> bytes:
    """Return a graph as a line without its newline; an empty one if the graph is directed or too large for the
    kernel."""
    if isinstance(item, Graph):
        return b"" if item.directed or item.order > MAX_ORDER else graph6_line(item)
    return clean_lines(b" ".join((item.encode() if isinstance(item, str) else item).split()))


def has_property(graph: Graph, asked: int, length: int, limits: Limits) -> bool:
    """Return True if the graph has the property that is asked for, as `bits` numbers them; ``length`` is the
    circumference. `StoppedEarly` if the limits, those of all searches together, leave it open."""
    from cpsat_tour.backends.best import optimise_routes  # few lists need these; they take long to load
    from cpsat_tour.backends.best_search import routes_goal
    from cpsat_tour.backends.runner import run

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
