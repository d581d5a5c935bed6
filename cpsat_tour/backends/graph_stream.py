"""Streams of graphs, a line each: which have a tour, or another property, answered in batches by a kernel in C.

`cpsat_tour.native.bits` answers undirected graphs of up to 64 vertices, thousands in a call, on threads of its
own. A line that it leaves, because the graph is directed, larger or hard, goes to `auto`. Answers come in the order of
the lines, and only some batches are in memory.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpsat_tour.backends.pool import local
from cpsat_tour.backends.registry import load
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Bytes, Longs
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.graph_lines import clean_lines, graph6_line, graph_of_line
from cpsat_tour.interface.answer import Answer
from cpsat_tour.interface.keywords import NetworkxGraph, problem_of
from cpsat_tour.native.bits import CLOSED, LEFT, MAX_ORDER, OPEN, TOUR, answer_lines

GRAPHS = 256  # in a batch of `filter_graphs`


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


def filter_graphs(
    graphs: Iterable[str | bytes | Graph | Source | NetworkxGraph],
    *,
    closed: bool = False,
    seconds: float | None = None,
    threads: int = 1,
) -> Iterator[Answer]:
    """Yield an `Answer` for each graph, in their order: ``[bool(answer) for answer in filter_graphs(["D~{", "DQc"],
    closed=True)]``.

    Raises `BadInput`, with the graph's number from 1, if one can't be read.

    - ``graphs`` (lines and graphs, needed): each a line of graph6, sparse6 or digraph6, a `Graph`, a board, or a
      networkx graph, whose nodes `Tour.nodes` gives back.
    - ``closed`` (bool, default False): whether closed tours are asked for, which are Hamiltonian cycles.
    - ``seconds`` (float, default None): the limit on wall time for each graph; None for no limit.
    - ``threads`` (int, default 1): how many threads search.
    """
    asked = CLOSED if closed else OPEN
    limits, waiting = Limits(seconds, threads=threads), deque[Graph | None]()  # None for a graph in a line

    def line_of(item: Any) -> bytes:
        waiting.append(None if isinstance(item, str | bytes) else problem_of(item, closed=closed).graph)
        if (graph := waiting[-1]) is None:
            return clean_lines(b" ".join((item.encode() if isinstance(item, str) else item).split()))
        return b"" if graph.directed or graph.order > MAX_ORDER else graph6_line(graph)

    given = iter(graphs)
    groups = iter(lambda: [*itertools.islice(given, GRAPHS)], [])
    batches = (Batch.of(b"".join(line_of(item) + b"\n" for item in group), asked) for group in groups)
    places = ((batch, place) for batch in searched(batches, threads) for place in range(len(batch.verdicts)))
    for number, (batch, place) in enumerate(places, start=1):
        try:
            yield batch.answer(place, limits, waiting.popleft())
        except GraphFault as fault:
            raise BadInput(f"graph {number}: {fault}") from None
