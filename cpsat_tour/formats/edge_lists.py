"""Graphs from lists of edges: an edge a row, ``A B`` or ``A,B``, below a header or below numbers, or as facts.

``A -> B`` is an arc, ``A -- B`` and ``A B`` an undirected edge. A weight may follow, in every row, and is passed over;
``vertex A`` names a vertex that may have no edge. In a table a header chooses the columns, if it has a pair of `PAIRS`
or those that are asked for; a column ``Type`` or ``directed`` says which they are. Instead of a header there may be the
number of vertices, or those of vertices and edges, in one row or two: a form of its own. What could be another thing as
well as an edge is refused: a first row that may be a header, a first column that may number the edges.

Facts are those of answer-set programs, ``edge(1,2).``: nothing else may stand in the text but other facts, and comments
after ``%``; ``arc(a,b).`` is an arc, ``vertex(a).`` a vertex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.named_graphs import Listing, Text, Unsettled, is_number, number_names, order_in, without_gaps

PAIRS = (
    ("source", "target"),
    ("from", "to"),
    ("u", "v"),
    ("tail", "head"),
    ("src", "dst"),
    ("fromnodeid", "tonodeid"),
    ("node1", "node2"),
)
"""The names of two columns by which a header is known, in any case of letters."""

ARROWS = {"->": True, "--": False}

KINDS = {"directed": True, "undirected": False}

TYPES = KINDS | {"true": True, "false": False}
"""What a cell of the column ``Type`` or ``directed`` says."""

MARKS = {"vertex", "node", "edge", "arc"}
"""Words, in any case of letters, that say what a row is: they name a vertex only where the columns are given."""

_WEIGHT = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")

Row = tuple[int, list[str]]


def read_edges(text: Text) -> Graph:
    """Return the graph in a list of edges; `GraphFault` names the row that is wrong."""
    if text.whole.startswith("#!"):
        raise GraphFault(1, "this is a script, and no graph")
    rows = text.rows()
    first = next(rows, None)
    if first is None:
        raise GraphFault(0, "there is no edge in it: write two names a line")
    colon = not text.ask.given and ":" in first[1][0]
    if colon and all(":" in cells[0] and ":" not in "".join(cells[1:]) for _, cells in text.rows()):
        raise GraphFault(0, "a name with a colon begins each line, as in lists of neighbours")
    columns = _columns(first[1], text)
    listing = Listing()
    if columns is None:
        _list_edges(chain([first], rows), text, listing)
        if not (True in listing.kinds or text.said or text.ask.given):
            _check_first_row(text, listing)
    else:
        _list_columns(rows if columns[2] else chain([first], rows), columns, first[1], listing, text)
    if not listing.vertices:
        raise GraphFault(0, "no edge stands below the header: give --columns 1,2 if the first row is an edge")
    graph = listing.graph(text.ask, text.said or False)
    if text.names_points and not (text.bracketed or text.ask.given):
        words = f"{quoted(' '.join(first[1]))} may be two edges between numbers, or one between points"
        raise Unsettled(graph, f"{words}: give --input edges if it joins points")
    promised = re.search(r"^#\s*Nodes:\s*(\d+)", text.whole[:2000], re.MULTILINE)
    if promised and int(promised[1]) != graph.order and not text.ask.given:
        words = f"a comment promises {promised[1]} vertices, and its edges have {graph.order}"
        raise Unsettled(graph, f"{words}: give --input edges if these are all")
    return graph


def _columns(head: list[str], text: Text) -> tuple[int, int, bool] | None:
    """Return the places of the two columns of vertices and whether the first row is a header; None if there is no
    header and none is asked for."""
    words, asked = [cell.lower() for cell in head], text.ask.columns
    if len(asked) == 2 and all(is_number(name) and 0 < int(name) <= len(head) for name in asked):
        return int(asked[0]) - 1, int(asked[1]) - 1, False
    wanted = [tuple(name.lower() for name in asked)] if asked else () if ARROWS.keys() & {*head} else PAIRS
    found = [pair for pair in wanted if len(pair) == 2 and all(words.count(name) == 1 for name in pair)]
    if len(found) > 1 or (asked and not found):
        what = "has several pairs of columns" if found else f"has no columns {' and '.join(asked)}"
        raise GraphFault(1, f"the header {what}: choose two of {', '.join(head)} with --columns A,B")
    return (words.index(found[0][0]), words.index(found[0][1]), True) if found else None


def _list_columns(
    rows: Iterator[Row], columns: tuple[int, int, bool], head: list[str], listing: Listing, text: Text
) -> None:
    """Add an edge for each row, from two of its cells."""
    tail, head_at, named = columns
    listing.any_names = True  # a header that is known, or columns that are given, show that this is a table
    kind = next((at for at, name in enumerate(head) if named and name.lower() in ("type", "directed")), None)
    for number, cells in _without_vertices(rows, text, listing):
        arrow = ARROWS.get(cells[1]) if len(cells) > 2 else None
        if arrow is not None:
            del cells[1]
        if len(cells) != len(head) and not (len(head) > len(cells) > tail + head_at == 1):
            raise GraphFault(number, f"it has {len(cells)} cells, and the first row {len(head)}: each row has as many")
        if MARKS & {cells[tail].lower(), cells[head_at].lower()} and not text.ask.columns:
            raise _not_an_edge(cells, number, text)
        arc = arrow if kind is None or kind >= len(cells) else TYPES.get(cells[kind].lower())
        listing.add(cells[tail], cells[head_at], number, arc)
    if named and not text.ask.columns and (both := {head[tail], head[head_at]} & listing.vertices.keys()):
        remedy = f"give --columns {head[tail]},{head[head_at]}, or --columns 1,2 if the first row is an edge"
        raise GraphFault(0, f"{quoted(min(both))} is in the header and a vertex too: {remedy}")


def _list_edges(rows: Iterator[Row], text: Text, listing: Listing) -> None:
    """Add the edge, or the vertex, of each row without a header."""
    width, weights = 0, dict[tuple[str, str], tuple[str, int]]()
    for number, cells in _without_vertices(rows, text, listing):
        arrow = ARROWS.get(cells[1]) if len(cells) > 2 else None
        names = cells if arrow is None else [cells[0], *cells[2:]]
        weight = names[2] if len(names) == 3 else ""
        named = (
            len(names) in (2, 3)
            and names[1]
            and not MARKS & {*map(str.lower, names)}
            and "->" not in names[0] + names[1]
        )
        if not named or (weight and not _WEIGHT.fullmatch(weight)):
            raise _not_an_edge(cells, number, text)
        tail, head = names[:2]
        if arrow is None:
            width = width or len(names)
            if len(names) != width:
                weighted = "a" if weight else "no"
                raise GraphFault(number, f"{quoted(' '.join(cells))} has {weighted} weight, unlike the rows above")
        if weight and not arrow:
            other, before = weights.get((head, tail), (weight, number))
            if other != weight:
                words = f"has the weight {weight}, and the other way round {other} in line {before}"
                raise GraphFault(number, f"{quoted(f'{tail} {head}')} {words}: write A -> B where edges are directed")
            weights.setdefault((tail, head), (weight, number))
        listing.add(tail, head, number, arrow)
    if weights and not text.ask.given:
        _check_weights(text, listing)


def _without_vertices(rows: Iterator[Row], text: Text, listing: Listing) -> Iterator[Row]:
    """Yield the rows but those such as ``vertex A``, whose vertices are added."""
    for number, cells in rows:
        if text.mark is None and len(cells) == 2 and cells[0] == "vertex" and not text.ask.columns:
            listing.vertex(cells[1], number)
        else:
            yield number, cells


def _not_an_edge(cells: list[str], line: int, text: Text) -> GraphFault:
    mark = " " if text.mark in (None, "\t") else text.mark
    form = (
        "A B or A -> B with spaces, or vertex A"
        if text.mark is None
        else f"A{mark}B, or choose the columns with --columns A,B"
    )
    squares = {*"".join(cells)} <= {*".#"} or (len(cells) > 3 and all(not cell or is_number(cell) for cell in cells))
    puzzle = "; a puzzle is read with --puzzle, in Python with load_puzzle" * (
        squares or "." in " ".join(cells).split()
    )
    matrix = "; a matrix is read with --input matrix" * (len(cells) > 2 and all(map(_WEIGHT.fullmatch, cells)))
    return GraphFault(line, f"{quoted(mark.join(cells))} is not an edge: write two names, {form}{puzzle}{matrix}")


def _check_weights(text: Text, listing: Listing) -> None:
    """Raise `GraphFault` if what seem to be weights may be vertices: the rows are those of a matrix, or of DIMACS, or
    the first column may number the edges."""
    rows = [cells for _, cells in text.rows() if len(cells) == 3 and cells[1] != "->"]
    if any(cells[0] == "vertex" for _, cells in text.rows()):
        return
    firsts, rest = {cells[0] for cells in rows}, {cell for cells in rows for cell in cells[1:]}
    if rows and firsts <= {"e", "a"} and all(is_number(cells[1]) for cells in rows):
        raise GraphFault(0, "every line begins with the same letter, as in DIMACS")
    if len(rows) == 3 and (firsts | rest <= {"0", "1"} or {rows[at][at] for at in range(3)} == {"0"}):
        raise GraphFault(0, "its three rows may be a matrix: give --input edges or --input matrix")
    numbered = all(map(is_number, firsts)) and all(int(b) - int(a) == 1 for (a, *_), (b, *_) in pairwise(rows))
    ids = len(firsts) == len(rows) and (numbered or firsts.isdisjoint(rest))
    plain = all(cells[1] != cells[2] and is_number(cells[1]) and is_number(cells[2]) for cells in rows)
    if len(rows) > 1 and ids and plain and (without_gaps(rest) or not without_gaps(listing.vertices.keys())):
        remedy = "give --columns 1,2 or --columns 2,3"
        sentence = f"its first column may number the edges, or its third be their weights: {remedy}"
        raise Unsettled(listing.graph(text.ask, False), sentence)


def _check_first_row(text: Text, listing: Listing) -> None:
    """Raise `GraphFault` if the first row of a list may be a header and no edge, be it of words or of sizes."""
    (line, cells), names = next(text.rows()), list(listing.vertices)
    ends = zip(listing.ends[2::2], listing.ends[3::2], strict=True)
    others = {names[end] for pair in ends if pair[0] != pair[1] for end in pair}
    if cells[0] == "vertex" or (not others and text.mark != ","):
        return
    if is_number(cells[0]) and is_number(cells[1]):
        _check_sizes(text, listing, others)
    elif not (is_number(cells[0]) or is_number(cells[1]) or {*cells[:2]} & others):
        row = f"{quoted((text.mark or ' ').join(cells))} may be an edge, or a header, for no other line has"
        raise GraphFault(line, f"{row} these names: give --columns 1,2 if it is an edge, else the names of two columns")


def _check_sizes(text: Text, listing: Listing, others: set[str]) -> None:
    """Raise `GraphFault` if the first row is plainly the numbers of vertices and edges, and `Unsettled` if it may be
    these, or if a last row ``0 0`` may be the end of the list; ``others`` are the vertices of the other rows."""
    rows = list(islice(text.rows(), 2))
    line, (tail, head, *_) = rows[0]
    if {list(listing.vertices)[end] for end in listing.ends[-2:]} == {"0"} and "0" not in others:
        words = "its last row, 0 0, may be the end of a list: give --input edges if 0 is a vertex"
        raise Unsettled(listing.graph(text.ask, False), words)
    edges = listing.distinct(1)
    fits = edges and int(head) in (len(listing.ends) // 2 - 1, edges) and _fits(others, int(tail))
    if (
        others
        and not fits
        and any(_may_be_sizes(*sizes, others, text.count - 1) for sizes in ((tail, head), (head, tail)))
    ):
        words = "its first row may be the numbers of vertices and edges: give --input edges if it is an edge"
        raise Unsettled(listing.graph(text.ask, False), words)
    least = sorted(filter(is_number, others), key=int)[:2]
    begun = head not in others and int(head) > int(tail) and sorted(rows[-1][1][:2]) == sorted(least)
    lone = (without_gaps(others) or not any(map(is_number, others))) and not without_gaps(listing.vertices.keys())
    if fits and (lone or begun or (tail == head and tail not in others)):
        raise GraphFault(line, "its first row is the numbers of vertices and edges")


def _may_be_sizes(order: str, size: str, names: set[str], rows: int) -> bool:
    """Return True if two numbers may be those of these vertices and of the edges in about so many rows: a number twice
    is hardly an edge."""
    if order == size:
        return int(order) > 2
    tight = _fits(names, int(order)) and (len(names) == int(order) or order in names)
    return tight and size not in names and 0 < int(size) <= rows + 1


def _fits(names: set[str], order: int) -> bool:
    """Return True if these can be vertices of a graph of this order: numbers up to it, or exactly as many names."""
    numbers = [int(name) for name in names if is_number(name)]
    small = len(numbers) == len(names) and max(numbers, default=0) <= order - (0 in numbers)
    return small or len(names) == order


def read_counts(text: Text) -> Graph:
    """Return the graph in a list of edges below the number of vertices, or those of vertices and edges."""
    sizes, rows = counts_of(text)
    if not sizes or (len(sizes) == 2 and 2 * sizes[1] < text.count - 2):
        raise GraphFault(1, "the first line is not the number of vertices, or those of vertices and edges")
    listing, order = Listing(), order_in(str(sizes[0]), text.whole)
    _list_edges(rows, text, listing)
    if not _fits({*listing.vertices}, order):
        words = f"the first line promises {order} vertices, which the {len(listing.vertices)} below are not"
        raise GraphFault(1, words)
    found = len(listing.ends) // 2
    if not listing.distinct() and not text.ask.given:
        raise GraphFault(1, "no edge follows its first line")
    if len(sizes) == 2 and sizes[1] not in (found, listing.distinct()):
        raise GraphFault(1, f"the first line promises {sizes[1]} edges, and the file has {found}: is it cut short?")
    if len(listing.vertices) < order:
        for name in number_names(order, 0 if "0" in listing.vertices else 1):
            listing.vertex(name, 1)
    graph = listing.graph(text.ask, text.said or False)
    if sizes == [found] and found > len(set(listing.ends)) and not text.ask.given:
        raise Unsettled(graph, "its first line may be the number of edges: give --input counts if it is of vertices")
    if len(sizes) == 1 and not text.ask.given and _holds_several([cells for _, cells in text.rows()][1:]):
        sentence = "it may be several graphs, each below its numbers: give --input counts if it is one"
        raise Unsettled(graph, sentence)
    return graph


def counts_of(text: Text) -> tuple[list[int], Iterator[Row]]:
    """Return the number of vertices, or those of vertices and edges, with which the text begins, and the rows below
    them; no numbers if it begins otherwise."""
    rows = text.rows()
    (_, first), second = next(rows, (0, [])), next(rows, (0, []))
    sizes = [int(cell) for cell in first if is_number(cell)] if len(first) < 3 else []
    if len(sizes) == len(first) == len(second[1]) == 1 and is_number(second[1][0]):
        return [*sizes, int(second[1][0])], rows
    return sizes if len(sizes) == len(first) else [], chain([second], rows)


def _holds_several(rows: Sequence[list[str]]) -> bool:
    """Return True if the rows are several graphs, each below the numbers of its vertices and edges."""
    at = 0
    while at < len(rows) and len(rows[at]) == 2 and is_number(rows[at][1]):
        at += 1 + int(rows[at][1])
    return at == len(rows)


_FACT = re.compile(r"\s*(\w+)\(([^()]*)\)\s*\.")


def read_facts(text: Text) -> Graph:
    """Return the graph of facts such as ``edge(1,2).``; other facts are passed over."""
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
    return listing.graph(text.ask)
