"""Reads graphs from rows of cells, as people write them: edges, edges below counts, neighbours, matrices, facts.

**Edges**, one a row, ``A B`` or ``A,B``. ``A -> B`` is an arc, ``A -- B`` and ``A B`` an undirected edge. A weight may
follow, in every row, and is passed over; ``vertex A`` names a vertex that may have no edge. In a table a header chooses
the columns, if it has a pair of `PAIRS` or those that are asked for; a column ``Type`` or ``directed`` says which they
are. Instead of a header there may be the number of vertices, or those of vertices and edges, in one row or two: a form
of its own. What could be another thing as well as an edge is refused: a first row that may be a header, a first column
that may number the edges.

**Neighbours**: a line begins with its vertex, ``A: B C`` or ``A -> B C``, or without a mark ``A B C``, where every
vertex has its line, as networkx writes them. Or the lines are those of the vertices from 0, or from 1, one after the
other. METIS (Karypis & Kumar 1998) has them below the numbers of vertices and edges, and perhaps a code that says which
weights follow; these are passed over. LAD has them below the number of vertices, each row behind its length.

**A matrix** has a row of 0 and 1 for each vertex, perhaps without spaces, perhaps below the number of vertices or their
names. It is undirected if it is symmetric. Of other numbers it must be said which of them are edges.

**Facts** are those of answer-set programs, ``edge(1,2).``: nothing else may stand in the text but other facts, and
comments after ``%``; ``arc(a,b).`` is an arc, ``vertex(a).`` a vertex.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise

import numpy as np

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import MAX_BYTES, GraphFault
from cpsat_tour.formats.named_graphs import (
    ARCS_OR_NOT,
    DASH,
    ENTRIES,
    IN_TABLE,
    Directed,
    Listing,
    Text,
    Unsettled,
    are_consecutive,
    checked_name,
    entries_of,
    graph_of_pairs,
    is_number,
    order_in,
    vertex_in,
)

PAIRS = (
    ("source", "target"),
    ("from", "to"),
    ("u", "v"),
    ("tail", "head"),
    ("src", "dst"),
    ("fromnodeid", "tonodeid"),
    ("node1", "node2"),
)
"""The pairs of column names by which a header is recognised, in upper or lower case."""

ARROWS = {"->": True, "--": False}

KINDS = {"directed": True, "undirected": False}

TYPES = KINDS | {"true": True, "false": False}
"""The meaning of a cell in the column ``Type`` or ``directed``: True for an arc."""

MARKS = {"vertex", "node", "edge", "arc"}
"""Words that say what a row is, in upper or lower case; only where columns are given can they be names of vertices."""

_WEIGHT = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")

Row = tuple[int, list[str]]


Columns = tuple[int, int, Sequence[str]]  # the indices of two columns of a table, and the header if it names them


# --- edges ---


def read_edges(text: Text) -> Graph:
    """Return the graph in a list of edges; `GraphFault` names the row that is wrong."""
    listing, head = Listing(), next(text.rows(), (0, []))[1]
    if not head:
        raise GraphFault(0, "there is no edge in it: write two names a line")
    if not text.given and all(":" in cells[0] and ":" not in "".join(cells[1:]) for _, cells in text.rows()):
        raise GraphFault(0, "a name with a colon begins each line, as in lists of neighbours")
    columns, row = _find_columns(head, text), quoted(" ".join(head))
    weighted = _list_edges(islice(text.rows(), int(bool(columns and columns[2])), None), columns, text, listing)
    if not listing.vertices:
        raise GraphFault(0, "no edge stands below the header: give --columns 1,2 if the first row is an edge")
    doubt = "" if columns or True in listing.kinds or text.said else _why_doubt_first_row(head, text, listing)
    if all(DASH.fullmatch(line) for _, line in text.filled):
        doubt = f"{row} may be a name with a dash and another, of --columns 1,2, or a weight may follow the edge"
    elif text.names_points and "(" not in text.whole:
        doubt = f"{row} may be two edges between numbers, or one between points"
    return _graph_without_doubt(listing, text, doubt, weighted)


def _graph_without_doubt(listing: Listing, text: Text, doubt: str, weighted: bool) -> Graph:
    """Return the graph of a listing, whose form is given or not in doubt; `Unsettled` if it is, also because of its
    weights, and says why."""
    if not text.given and (why := (_why_doubt_weights(text) if weighted else "") or doubt):
        raise Unsettled(listing.graph(text, False), f"{why}: give --input {{form}} if it is {{words}}")
    return listing.graph(text, "pairs")


def _find_columns(head: list[str], text: Text) -> Columns | None:
    """Return the columns to read, by the header or by the user's choice; None if there is neither."""
    words, asked = [cell.lower() for cell in head], text.columns
    if len(asked) == 2 and all(is_number(name) and 0 < int(name) <= len(head) for name in asked):
        return int(asked[0]) - 1, int(asked[1]) - 1, ()
    wanted = [tuple(name.lower() for name in asked)] if asked else () if ARROWS.keys() & {*head} else PAIRS
    found = [pair for pair in wanted if len(pair) == 2 and all(words.count(name) == 1 for name in pair)]
    if len(found) > 1 or (asked and not found):
        what = "has several pairs of columns" if found else f"has no columns {' and '.join(asked)}"
        raise GraphFault(1, f"the header {what}: choose two of {', '.join(head)} with --columns A,B")
    return (words.index(found[0][0]), words.index(found[0][1]), head) if found else None


def _list_edges(rows: Iterable[Row], columns: Columns | None, text: Text, listing: Listing) -> bool:
    """Add an edge to the listing for each row, in a table from two of its columns, or the vertex of ``vertex A``.
    Return True if edges of a list have weights. `GraphFault` names a row that is not an edge, or unlike those above."""
    tail, head, header = columns or (0, 1, ())
    listing.allowed = IN_TABLE if columns else listing.allowed  # a known header, or columns, show that it is a table
    kind = next((at for at, name in enumerate(header) if name.lower() in ("type", "directed")), MAX_BYTES)
    width, weighted = len(header), False
    for number, cells in rows:
        if text.mark is None and len(cells) == 2 and cells[0] == "vertex" and not text.columns:
            listing.vertex(cells[1], number)
            continue
        arrow = ARROWS.get(cells[1]) if len(cells) > 2 else None
        names = cells if arrow is None else [cells[0], *cells[2:]]
        ends = [names[at] for at in (tail, head) if at < len(names)] if columns else names[:2]
        weight = names[2] if len(names) == 3 and not columns else ""
        wrong = not columns and (len(names) not in (2, 3) or not ends[1] or "->" in ends[0] + ends[1])
        marked = not (text.columns or MARKS.isdisjoint(map(str.lower, ends)))
        if wrong or marked or (weight and not _WEIGHT.fullmatch(weight)):
            raise _not_an_edge(cells, number, text)
        width = width or len(names)
        short = columns and width > len(names) > tail + head == 1
        if len(names) != width and not short and (columns or not arrow):
            raise GraphFault(number, f"it has {len(names)} cells, and rows above have {width}: each row has as many")
        weighted = weighted or bool(weight and not arrow)
        listing.add(ends[0], ends[1], number, TYPES.get(names[kind].lower()) if kind < len(names) else arrow)
    both = {header[tail], header[head]} & listing.vertices.keys() if header else set()
    if both and not text.columns:
        raise GraphFault(
            0,
            f"{quoted(min(both))} is in the header and a vertex too: "
            f"give --columns {header[tail]},{header[head]}, or --columns 1,2 if the first row is an edge",
        )
    return weighted


def _not_an_edge(cells: list[str], line: int, text: Text) -> GraphFault:
    """Return the error for a row that is not an edge, with advice on what it may be."""
    mark = (text.mark or " ").replace("\t", " ")
    columns = f"A{mark}B, or choose the columns with --columns A,B"
    form = columns if text.mark else "A B or A -> B with spaces, or vertex A"
    numbers = len(cells) > 3 and all(not cell or is_number(cell) for cell in cells)
    if numbers or {*"".join(cells)} <= {*".#"} or "." in " ".join(cells).split():
        form += "; a puzzle is read with --puzzle, in Python with load_puzzle"
    return GraphFault(line, f"{quoted(mark.join(cells))} is not an edge: write two names, {form}")


def _why_doubt_weights(text: Text) -> str:
    """Return a sentence on why the third column may not be weights but vertices, empty if there is no doubt. Raises
    `GraphFault` if three rows may be a matrix, or edges have another weight the other way round."""
    rows = [cells for _, cells in text.rows() if len(cells) == 3 and cells[1] != "->"]
    names, rest = {cell for cells in rows for cell in cells[:2]}, {cell for cells in rows for cell in cells[1:]}
    firsts = {cells[0] for cells in rows}
    diagonal = {rows[at][at] for at in range(3)} if len(rows) == 3 else set()
    largest = max(firsts | rest, key=lambda cell: (len(cell), cell), default="")
    if len(rows) == 3 and (firsts | rest <= {"0", "1"} or diagonal in ({"0"}, {largest})):
        raise GraphFault(0, "its three rows may be a matrix: give --input edges or --input matrix")
    weights = {(cells[0], cells[1]): cells[2] for cells in rows}
    if any(weights.get((head, tail), weight) != weight for (tail, head), weight in weights.items()):
        raise GraphFault(0, f"some edges have another weight the other way round, and {ARCS_OR_NOT}")
    numbered = all(map(is_number, firsts)) and all(int(b) - int(a) == 1 for (a, *_), (b, *_) in pairwise(rows))
    ids = len(firsts) == len(rows) > 1 and (numbered or firsts.isdisjoint(rest))
    plain = all(cells[1] != cells[2] and is_number(cells[1]) and is_number(cells[2]) for cells in rows)
    doubtful = ids and plain and (are_consecutive(rest) or not are_consecutive(names))
    return "its first column may number the edges, give --columns 2,3, or its third be their weights" * doubtful


def _why_doubt_first_row(cells: list[str], text: Text, listing: Listing) -> str:
    """Return a sentence on why the first row may not be an edge but a header, or the numbers of vertices and edges;
    empty if there is no doubt."""
    names, rows = list(listing.vertices), len(text.filled) - 1
    ends = zip(listing.ends[2::2], listing.ends[3::2], strict=True)
    others = {names[end] for pair in ends if pair[0] != pair[1] for end in pair}
    tail, head = cells[:2]
    if tail == "vertex" or is_number(tail) != is_number(head) or (not others and text.mark != ","):
        return ""
    if not is_number(tail):
        doubtful = {tail, head}.isdisjoint(others)
        return f"{quoted((text.mark or ' ').join(cells))} may be a header, of two --columns, or an edge" * doubtful
    if {names[end] for end in listing.ends[-2:]} == {"0"} and "0" not in others:
        return "its last row, 0 0, may be the end of a list"
    edges = listing.distinct(1)
    if edges and int(head) in (len(listing.ends) // 2 - 1, edges) and _can_be_names(others, int(tail)):
        least, second = sorted(filter(is_number, others), key=int)[:2], list(islice(text.rows(), 2))[1][1]
        begun = head not in others and int(head) > int(tail) and sorted(second[:2]) == sorted(least)
        lone = (are_consecutive(others) or not any(map(is_number, others))) and not are_consecutive(listing.vertices)
        doubtful = lone or begun or (tail == head and tail not in others)
    else:
        doubtful = bool(others) and (_may_be_sizes(tail, head, others, rows) or _may_be_sizes(head, tail, others, rows))
    return "its first row may be the numbers of vertices and edges" * doubtful


def _may_be_sizes(order: str, size: str, names: set[str], rows: int) -> bool:
    """Return True if the two words of a first row may be the number of these vertices and the number of edges in about
    ``rows`` rows."""
    tight = _can_be_names(names, int(order)) and (len(names) == int(order) or order in names)
    return int(order) > 2 if order == size else tight and size not in names and 0 < int(size) <= rows + 1


def _can_be_names(names: set[str], order: int) -> bool:
    """Return True if a graph with ``order`` vertices can have these names: numbers up to it, or exactly ``order``
    names."""
    numbers = [int(name) for name in names if is_number(name)]
    return len(names) == order or (len(numbers) == len(names) and max(numbers, default=0) <= order - (0 in numbers))


# --- edges below counts ---


def read_counts(text: Text) -> Graph:
    """Return the graph in a list of edges with the numbers of vertices, or of vertices and edges, in its first line."""
    sizes, rows = counts_of(text)
    if not sizes or (len(sizes) == 2 and 2 * sizes[1] < len(text.filled) - 2):
        raise GraphFault(1, "the first line is not the number of vertices, or those of vertices and edges")
    listing, order = Listing(), order_in(str(sizes[0]), text.whole)
    labelled = [*islice(rows, order * (order < 1 << 16))]
    names = {"".join(cells[:1]): " ".join(cells[1:]) for _, cells in labelled}
    no_labels = {word for name in names.values() for word in name.split() if is_number(word) or word in ARROWS}
    if are_consecutive(names) and len({*names.values()} - {""}) == order and not no_labels:
        listing.allowed = IN_TABLE
        listing.vertices = {checked_name(name, 0, IN_TABLE): vertex for vertex, name in enumerate(names.values())}
        rows = ((number, [*(names.get(cell, cell) for cell in cells[:2]), *cells[2:]]) for number, cells in rows)
    else:
        rows = chain(labelled, rows)
    weighted = _list_edges(rows, None, text, listing)
    if not _can_be_names({*listing.vertices}, order):
        raise GraphFault(1, f"{order} vertices are announced, which the {len(listing.vertices)} below are not")
    found, distinct = len(listing.ends) // 2, listing.distinct()
    if (len(sizes) == 2 and sizes[1] not in (found, distinct)) or not (distinct or text.given):
        raise GraphFault(1, f"{found} edges follow its first line, {' '.join(map(str, sizes))}: is it cut short?")
    if len(listing.vertices) < order:
        first = int("0" not in listing.vertices)
        for name in range(first, first + order):
            listing.vertex(str(name), 1)
    doubt = "its first line may be the number of edges" * (sizes == [found] and found > len(set(listing.ends)))
    if len(sizes) == 1 and _are_several(sizes[0], [cells for _, cells in text.rows()][1:]):
        doubt = "it may be several graphs, each below its numbers"
    return _graph_without_doubt(listing, text, doubt, weighted)


def counts_of(text: Text) -> tuple[list[int], Iterator[Row]]:
    """Return the counts in the first line, of vertices or of vertices and edges, and the rows below; an empty list if
    the first line has no counts."""
    rows = text.rows()
    (_, first), second = next(rows, (0, [])), next(rows, (0, []))
    sizes = [int(cell) for cell in first if is_number(cell)] if len(first) < 3 else []
    if len(sizes) == len(first) == len(second[1]) == 1 and is_number(second[1][0]):
        return [*sizes, int(second[1][0])], rows
    return sizes if len(sizes) == len(first) else [], chain([second], rows)


def _are_several(graphs: int, rows: Sequence[list[str]]) -> bool:
    """Return True if the rows are as many graphs, each with its counts of vertices and edges before it."""
    at = found = 0
    while at < len(rows) and len(rows[at]) == 2 and is_number(rows[at][1]):
        at, found = at + 1 + int(rows[at][1]), found + 1
    return (at, found) == (len(rows), graphs)


# --- facts ---

_FACT = re.compile(r"\s*(\w+)\(([^()]*)\)\s*\.")


def read_facts(text: Text) -> Graph:
    """Return the graph in facts such as ``edge(1,2).``; other facts are ignored."""
    whole, end, line, listing = re.sub(r"%.*", "", text.whole), 0, 1, Listing()
    while fact := _FACT.match(whole, end):
        words = [" ".join(word.strip("\"' \n").split()) for word in fact[2].split(",")]
        name, end, line = fact[1].lower(), fact.end(), line + fact[0].count("\n")
        if any(".." in word or ";" in word or word[:1].isupper() for word in words):
            raise GraphFault(
                line, f"{quoted(fact[0].strip())} is not a ground fact: ground the program with gringo --text"
            )
        if name in ("edge", "arc", "arrow", "link") and len(words) >= 2:
            listing.add(words[0], words[1], line, None if name == "edge" else True)
        elif name in ("vertex", "node", "vtx") and len(words) == 1:
            listing.vertex(words[0], line)
    if whole[end:].strip() or not listing.ends:
        raise GraphFault(1, "it is not made of facts such as edge(1,2). and arc(a,b).")
    return listing.graph(text)


# --- neighbours ---

_LINE = re.compile(r"(-?\d+(?:,-?\d+)+|[^:,;\t>]*?[^:,;\t>\s=-])\s*(:|->|=>)(?:\s+|(?<=:)|$)(.*)")
"""A vertex, the mark behind it, and its neighbours."""


def read_neighbours(text: Text) -> Graph:
    """Return the graph in lines of a vertex and its neighbours."""
    listing, tails, marks = Listing(), set[str](), set[str]()
    points = "(" in text.whole and text.names_points
    for number, line in text.filled:
        found = _LINE.fullmatch(line.strip())
        if found is None:
            mark, (tail, *heads) = "", text.cells(line, number)
        else:
            tail, mark, inner = found[1], found[2], re.sub(r"(^| +)-1$", "", found[3].strip("[](){}; "))
            commas = re.search("[,;]", inner) and not points
            heads = [cell.strip(" \"'") for cell in re.split(r"[,;]" if commas else r"\s+", inner)]
            if re.search(r"[\[({]" + r"|\d \d" * bool(commas), inner):
                raise GraphFault(number, f"{quoted(inner)} may have weights: write names alone, as in A: B C")
        marks.add(mark)
        heads = [head for head in heads if head]
        if len(marks) > 1 or tail in tails:
            what = "begins two lines" if tail in tails else "is followed by another mark than those above"
            raise GraphFault(number, f"{quoted(tail)} {what}: each vertex begins one line, as in A: B C")
        looped = tail in heads and not (mark or text.given)
        if len({*heads}) < len(heads) or looped or any("->" in head or ":" in head for head in heads):
            raise GraphFault(number, f"the neighbours of {quoted(tail)} are not different names")
        tails.add(tail)
        listing.vertex(tail, number)
        for head in heads:
            listing.add(tail, head, number)
    if not (text.given or any(map(is_number, tails))) and any(map(is_number, listing.vertices)):
        raise GraphFault(0, "its numbers may be weights, for they begin no line")
    if not listing.ends or (marks == {""} and not text.given and (more := sorted(listing.vertices.keys() - tails))):
        what = f"{quoted(more[0])} begins no line" if listing.ends else "there is no edge in it"
        raise GraphFault(0, f"{what}: each vertex begins one line, with its neighbours behind it")
    return listing.graph(text, True if marks & {"->", "=>"} else None)


def read_adjacency_rows(text: Text, *, first: int) -> Graph:
    """Return the graph in lines of neighbours; the first line belongs to the vertex ``first``, 0 or 1, and so on."""
    rows = [(number, [*filter(None, text.cells(line, number))]) for number, line in text.body()]
    largest = max((int(head) for _, row in rows for head in row if is_number(head)), default=-1)
    full = all(row for _, row in rows)
    if not text.given and (largest < 0 or (full and largest - first < len(rows) - 2)):
        raise GraphFault(1, f"{len(rows)} lines are too many for neighbours up to {largest}")
    if full or text.given:
        return _graph_of_rows(rows, first, text, text.said)
    raise Unsettled(
        _graph_of_rows(rows, first, text, False),
        "an empty line may be a vertex without neighbours, of those from 0 or from 1: "
        "give --input rows0 or --input rows1",
    )


def _graph_of_rows(rows: Sequence[Row], first: int, text: Text, directed: Directed = None) -> Graph:
    """Return the graph whose vertices, numbered from ``first``, have a row of neighbours each."""
    ends, order = array("i"), order_in(str(len(rows)), text.whole)
    for tail, (number, row) in enumerate(rows):
        heads = [vertex_in(head, order, number, first) for head in row]
        if (len({*heads}) < len(heads) or tail in heads) and not text.given:
            raise GraphFault(number, f"the neighbours of {tail + first} are not different vertices")
        ends.extend(chain.from_iterable((tail, head) for head in heads))
    return graph_of_pairs(range(first, first + order), ends, text, directed)


def read_metis(text: Text) -> Graph:
    """Return the graph in a METIS file."""
    (_, head), *body = text.body() or [(1, "")]
    sizes = head.split()
    code = "".join(sizes[2:3]).zfill(3)
    stated = 2 <= len(sizes) <= 4 and all(map(is_number, sizes)) and {*code} <= {"0", "1"}
    if not stated or len(body) > int(sizes[0]):
        raise GraphFault(1, "it is not the numbers of vertices and edges above a line for each vertex")
    order = order_in(sizes[0], text.whole)
    skipped = int(code[0]) + int(code[1]) * int("".join(sizes[3:]) or 1)
    rows = [(number, row.split()[skipped :: 1 + int(code[2])]) for number, row in body]
    graph = _graph_of_rows([*rows, *[(0, list[str]())] * (order - len(rows))], 1, text, False)
    if not int(sizes[1]) == graph.size == sum(len(row) for _, row in rows) / 2:
        raise GraphFault(1, f"it has not {sizes[1]} edges, each of which stands in the lines of both its ends")
    return graph


def read_lad(text: Text) -> Graph:
    """Return the graph in a LAD file (Solnon 2010): for each vertex, from 0 on, a number and as many successors."""
    (_, head), *body = text.filled or [(1, "")]
    rows = [(number, line.split()) for number, line in body]
    if head.strip() != str(len(rows)) or len(rows) < 2 or any(row[0] != str(len(row) - 1) for _, row in rows):
        raise GraphFault(1, "it is not a number of vertices above a line for each with its degree and its neighbours")
    return _graph_of_rows([(number, row[1:]) for number, row in rows], 0, text, "matrix")


# --- matrices ---


def read_matrix(text: Text) -> Graph:
    """Return the graph in an adjacency matrix."""
    order, body, names = len(text.filled), text.rows(), list[str]()
    head = next(text.rows(), (1, [""]))[1]
    head = head[head[0] == "" :]  # the corner above the names of rows
    if len({*head}) == len(head) == order - 1 > 1 or head == [str(order - 1)]:
        order, body, names = order - 1, islice(text.rows(), 1, None), head if len(head) > 1 else []
    if not 1 < order <= order * order <= 2 * len(text.whole):
        raise GraphFault(1, f"{order} rows are not as long as they are many, as those of a matrix")
    weights, plain = np.zeros((order, order)), True
    for at, (number, row) in enumerate(body):
        cells = [*row[0]] if len(row) == 1 < order else row[len(row) == order + 1 and row[:1] == names[at : at + 1] :]
        try:
            weights[at] = np.array(cells, dtype=float).reshape(order)
        except ValueError:
            raise GraphFault(number, f"{quoted(' '.join(row))} is not a row of {order} numbers") from None
        plain &= {*cells} <= {"0", "1"}
    if not (plain or text.given):
        raise GraphFault(0, ENTRIES if (weights.diagonal() == weights[0, 0]).all() else "a matrix is of 0 and 1")
    checked = [checked_name(name, 1) for name in names or map(str, range(order))]
    return graph_of_pairs(checked, entries_of(weights, text.kind), text, "matrix")
