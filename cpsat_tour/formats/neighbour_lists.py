"""Graphs from lists of neighbours and from matrices of 0 and 1, as texts.

A line of neighbours begins with its vertex, ``A: B C`` or ``A -> B C``, or without a mark ``A B C``, where every vertex
has its line, as networkx writes them.

A matrix has a row of 0 and 1 for each vertex, perhaps without spaces, perhaps below the number of vertices or their
names. It is undirected if it is symmetric. If the form is given, any other number in it is an edge too.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.named_graphs import (
    Listing,
    Text,
    checked_name,
    entries_of,
    graph_of_pairs,
    is_number,
    number_names,
)

_LINE = re.compile(r"(-?\d+(?:,-?\d+)+|[^:,;\t>]*?[^:,;\t>\s=-])\s*(:|->|=>)(?:\s+|(?<=:)|$)(.*)")


def read_neighbours(text: Text) -> Graph:
    """Return the graph in lines that begin with a vertex, its neighbours behind it."""
    listing, tails, marks = Listing(), set[str](), set[str]()
    for number, line in enumerate(text.lines, start=1):
        if not line.strip():
            continue
        if (found := _LINE.fullmatch(line.strip())) is None:
            tail, *heads = text.cells(line, number)
        else:
            inner = found[3].strip("[](){} ")
            commas = re.search("[,;]", inner) and not (text.bracketed and text.names_points)
            cut = re.split(r"[,;]" if commas else r"\s+", inner)
            tail, heads = found[1], [cell.strip(" \"'") for cell in cut]
            if re.search(r"[\[({]" + r"|\d \d" * bool(commas), inner):
                raise GraphFault(number, f"{quoted(inner)} may have weights: write names alone, as in A: B C")
        marks.add("" if found is None else found[2])
        heads = [head for head in heads if head]
        if len(marks) > 1 or tail in tails:
            what = "begins two lines" if tail in tails else "is followed by another mark than those above"
            raise GraphFault(number, f"{quoted(tail)} {what}: each vertex begins one line, as in A: B C")
        if (
            len({*heads}) < len(heads)
            or (tail in heads and not (found or text.ask.given))
            or any("->" in head or ":" in head for head in heads)
        ):
            raise GraphFault(number, f"the neighbours of {quoted(tail)} are not different names")
        tails.add(tail)
        listing.vertex(tail, number)
        for head in heads:
            listing.add(tail, head, number)
    if not (text.ask.given or any(map(is_number, tails))) and any(map(is_number, listing.vertices)):
        raise GraphFault(0, "its numbers may be weights, for they begin no line")
    if not listing.ends or (marks == {""} and not text.ask.given and (more := sorted(listing.vertices.keys() - tails))):
        what = f"{quoted(more[0])} begins no line" if listing.ends else "there is no edge in it"
        raise GraphFault(0, f"{what}: each vertex begins one line, with its neighbours behind it")
    return listing.graph(text.ask, True if marks & {"->", "=>"} else text.said)


def read_matrix(text: Text) -> Graph:
    """Return the graph in a matrix."""
    order, body, names = text.count, text.rows(), list[str]()
    head = next(text.rows(), (1, [""]))[1]
    head = head[head[0] == "" :]  # the corner above the names of rows
    if len({*head}) == len(head) == order - 1 > 1 or head == [str(order - 1)]:
        order, body, names = order - 1, islice(text.rows(), 1, None), head if len(head) > 1 else []
    if not 1 < order <= order * order <= 2 * len(text.whole):
        raise GraphFault(1, f"{order} rows are not as long as they are many, as those of a matrix")
    weights = np.zeros((order, order))
    for at, (number, row) in enumerate(body):
        cells = [*row[0]] if len(row) == 1 < order else row[len(row) == order + 1 and row[:1] == names[at : at + 1] :]
        if len(cells) != order:
            raise GraphFault(number, f"a row of the matrix has {len(cells)} cells, and not {order}")
        if not {*cells} <= {"0", "1"} and not text.ask.given:
            raise GraphFault(number, "a matrix is of 0 and 1")
        try:
            weights[at] = np.array(cells, dtype=float)
        except ValueError:
            raise GraphFault(number, "a cell of the matrix is not a number") from None
    names = [checked_name(name, 1) for name in names] or number_names(order, 0)
    return graph_of_pairs(names, entries_of(weights), text.ask, "matrix")
