"""Graphs from lists of neighbours and from matrices of 0 and 1, as texts.

A line of neighbours begins with its vertex, ``A: B C`` or ``A -> B C``, or without a mark ``A B C``, where every vertex
has its line, as networkx writes them. Or line after line has the neighbours of the vertices from 0, or from 1; METIS
(Karypis & Kumar 1998) does so below the numbers of vertices and edges, and perhaps a code that says which weights
follow. Weights are passed over.

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
    Unsettled,
    check_order,
    checked_name,
    entries_of,
    graph_of_matrix,
    is_number,
    number_names,
)
from cpsat_tour.formats.text_rows import Text

_LINE = re.compile(r"([^:,;\t>]*?[^:,;\t>\s=-])\s*(:|->|=>)(?:\s+|(?<=:)|$)(.*)")


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
            cut = re.split(r"[,;]" if re.search("[,;]", inner) else r"\s+", inner)
            tail, heads = found[1], [cell.strip(" \"'") for cell in cut]
            if re.search(r"[\[({]" + r"|\d \d" * ("," in inner or ";" in inner), inner):
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


def read_adjacency_rows(text: Text, *, first: int) -> Graph:
    """Return the graph in lines of neighbours, the first of which are those of the vertex ``first``, 0 or 1."""
    body = text.body()
    order = check_order(len(body), text.whole, 1)
    listing, largest = Listing(), 0
    for tail, (number, line) in enumerate(body, start=first):
        heads = [head for head in text.cells(line, number) if head]
        for head in heads:
            if not is_number(head) or not first <= int(head) < order + first:
                last = order - 1 + first
                raise GraphFault(number, f"a neighbour can't be {quoted(head)}: the vertices are {first} to {last}")
            listing.add(str(tail), head, number)
            largest = max(largest, int(head))
        if (len({*heads}) < len(heads) or str(tail) in heads) and not text.ask.given:
            raise GraphFault(number, f"the neighbours of {tail} are not different vertices")
    full = text.count == order
    if not text.ask.given and (not listing.ends or (full and largest < order - 2 + first)):
        raise GraphFault(1, f"{order} lines are too many for neighbours up to {largest}")
    listing.add_all(number_names(order, first))
    if not (full or text.ask.given):
        remedy = "give --input rows0 or --input rows1"
        sentence = f"an empty line may be a vertex without neighbours, of those from 0 or from 1: {remedy}"
        raise Unsettled(listing.graph(text.ask, False), sentence)
    return listing.graph(text.ask, text.said)


def read_metis(text: Text) -> Graph:
    """Return the graph in a METIS file."""
    (_, first), *rows = text.body() or [(1, "")]
    sizes = first.split()
    if not 2 <= len(sizes) <= 4 or not all(map(is_number, sizes)):
        raise GraphFault(1, "it doesn't begin with the numbers of vertices and edges")
    order, promised = check_order(int(sizes[0]), text.whole, 1), int(sizes[1])
    code = sizes[2].zfill(3) if len(sizes) > 2 else "000"
    skipped = int(code[0]) + int(code[1]) * (int(sizes[3]) if len(sizes) > 3 else 1)
    if len(rows) > order or not {*code} <= {"0", "1"}:
        raise GraphFault(1, f"{len(rows)} lines follow, and not one for each of {order} vertices")
    listing = Listing()
    listing.add_all(number_names(order, 1))
    for tail, (number, row) in enumerate(rows, start=1):
        for head in row.split()[skipped :: 1 + int(code[2])]:
            if head not in listing.vertices:
                raise GraphFault(number, f"a vertex can't be {quoted(head)}: it is a whole number from 1 to {order}")
            listing.add(str(tail), head, number)
    try:
        graph = listing.graph(text.ask)
    except Unsettled:
        raise GraphFault(1, "each edge does not stand in the lines of both its ends") from None
    if promised != graph.size or graph.loops:
        raise GraphFault(1, f"the first line promises {promised} edges, and the file has {graph.size}")
    return graph


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
    return graph_of_matrix(names, np.stack(entries_of(weights), axis=1), text.ask)
