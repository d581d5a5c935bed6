"""Graphs from Python objects and from JSON: lists of pairs, dicts and lists of neighbours, matrices, tables, graphs of
other libraries, and JSON as networkx, D3 and others write it.

A list of lists may be a list of edges, of neighbours or of rows of a matrix: it is read if all that it can be are the
same graph. Vertices come back as they are given.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Named
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.listed_graphs import PAIRS, TYPES
from cpsat_tour.formats.named_graphs import (
    QUOTED,
    Directed,
    Text,
    Unsettled,
    checked_name,
    entries_of,
    graph_of_pairs,
    order_in,
)

DATA_KINDS = {
    "edges": "edges",
    "neighbours": "neighbours",
    "neighbours1": "neighbours1",
    "rows": "rows of 0 and 1",
    "nonzero": "matrix entries that are not 0",
    "finite": "matrix entries below the largest",
}
"""The ways to read a list of lists, in words: neighbours are of the vertices from 0 or from 1."""

PASSED_OVER = {
    *("graph", "multigraph", "nodes", "vertices", "name", "label", "metadata", "id", "attributes", "node_holes", "n"),
    *("directed", "type", "edge_property", "options"),
}
"""The members of a JSON graph, besides its edges, that are read elsewhere or say nothing of vertices and edges."""

MEMBERS = ("links", "edges", "arcs", "adjacency")
"""The names of the member of a JSON object that has its edges."""

Found = tuple[list[Any], list[tuple[Any, Any]], Directed]
"""A graph as it was read: vertices, pairs of vertices, and whether these are arcs."""


def graph_of_data(data: Any, directed: bool | None = None) -> Graph:
    """Return the graph that a Python object describes, with the object's vertices; `BadInput` if it describes none, or
    several different ones."""
    try:
        return _one_graph(_readings(data), Text("", "the graph", directed), Named.of_nodes)
    except GraphFault as fault:
        raise BadInput(
            f"{fault.sentence.partition(': give')[0]}: "
            "give Graph.from_edges(…, directed=…), or a graph of networkx, nx.Graph or nx.DiGraph"
        ) from None
    except BadInput:
        raise
    except (TypeError, ValueError):
        raise BadInput("a vertex must be hashable, and not missing, such as a number, a word or a tuple") from None


def _one_graph(readings: Mapping[str, Found], text: Text, named: Callable[[list[Any]], Named | list[Any]]) -> Graph:
    """Return the graph on which all readings agree; `GraphFault` names the readings if they differ."""
    graphs, unsettled = dict[str, Graph](), None
    for kind, (vertices, pairs, arcs) in readings.items():
        number = {vertex: at for at, vertex in enumerate(dict.fromkeys((*vertices, *chain.from_iterable(pairs))))}
        if missing := [vertex for vertex in number if vertex in (None, inf, -inf) or vertex != vertex]:  # noqa: PLR0124
            raise GraphFault(0, f"{missing[0]} is no vertex: leave out the rows where one is missing")
        if len({*vertices}) < len(vertices) or (text.whole and not number):
            raise GraphFault(0, "two of its vertices have the same name" if vertices else "it has no vertices")
        try:
            graphs[kind] = graph_of_pairs(
                named([*number]), [(number[tail], number[head]) for tail, head in pairs], text, arcs
            )
        except Unsettled as open_one:
            graphs[kind], unsettled = open_one.graph, open_one
    if len(graphs) > 1 and (unsettled or len({edge_set(graph) for graph in graphs.values()}) > 1):
        kinds, remedy = (
            " or of ".join(map(DATA_KINDS.__getitem__, graphs)),
            " or ".join(f"--input json:{kind}" for kind in graphs),
        )
        raise GraphFault(0, f"it may be a list of {kinds}, and these are different graphs: give {remedy}")
    if unsettled:
        raise unsettled
    return next(iter(graphs.values()))


def edge_set(graph: Graph) -> tuple[bool, frozenset[str], frozenset[tuple[str, str]]]:
    """Return a graph in a form in which two graphs can be compared: whether it is directed, its names, its edges by
    name."""
    names = [graph.name(vertex) for vertex in range(graph.order)]
    arcs = zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)  # an edge is one each way
    return graph.directed, frozenset(names), frozenset((names[tail], names[head]) for tail, head in arcs)


def _readings(data: Any) -> dict[str, Found]:
    """Return all ways to read the object as a graph, by name; `BadInput` if there is none."""
    if type(data).__module__.startswith("networkx"):
        raise BadInput(f"a {type(data).__name__} of networkx is not a graph: give the graph itself")
    if hasattr(data, "get_edgelist"):  # igraph
        names = data.vs["name"] if "name" in data.vs.attributes() else range(data.vcount())
        return {"a graph": ([*names], [(names[a], names[b]) for a, b in data.get_edgelist()], data.is_directed())}
    if hasattr(data, "itertuples"):  # pandas
        if len(data.columns) == 2:
            return {"edges": ([], [*data.itertuples(index=False, name=None)], "pairs")}
        raise BadInput("a DataFrame is read that has two columns; of a matrix give its array, to_numpy()")
    if hasattr(data, "tocoo"):  # SciPy
        return _matrix_readings(data)
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.shape[1] not in (2, len(data)):
            raise BadInput(f"an array of shape {data.shape} is not a graph: give a square matrix, or edges as rows")
        data = data.tolist()
    if isinstance(data, Mapping):
        if wrong := [key for key, row in data.items() if isinstance(row, str) or not np.iterable(row)]:
            raise BadInput(f"the neighbours of {quoted(wrong[0])} are not a list: give a dict of lists")
        return {"neighbours": ([*data], [(tail, head) for tail, row in data.items() for head in row], None)}
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        rows = [[*row] if np.iterable(row) and not isinstance(row, str | Mapping) else row for row in data]
        if found := _list_readings(rows):
            return found
        raise BadInput(f"{quoted(rows)} is not a graph: give edges such as [(0, 1), (1, 2)], or a dict of neighbours")
    raise BadInput(
        f"can't solve {' '.join(repr(data).split()):.80}: give a Board, edges such as [(0, 1), (1, 2)], "
        "a dict of neighbours, a matrix, or a graph of networkx or igraph"
    )


def _matrix_readings(matrix: Any) -> dict[str, Found]:
    """Return the ways to read a matrix: one of 0 and 1, and of others two."""
    kinds = ("",) if hasattr(matrix, "tocoo") or np.isin(matrix, (0, 1)).all() else ("nonzero", "finite")
    entries = {kind or "rows": entries_of(matrix, kind).tolist() for kind in kinds}
    return {kind: ([*range(matrix.shape[0])], pairs, "matrix") for kind, pairs in entries.items()}


def _list_readings(rows: list[Any]) -> dict[str, Found]:
    """Return the ways to read a list of lists, by name: edges, neighbours by number, rows of a matrix."""
    found: dict[str, Found] = {}
    if not rows or not all(isinstance(row, list) for row in rows):
        return found
    order, cells, widths = len(rows), [*chain.from_iterable(rows)], {*map(len, rows)}
    square = widths == {order} != {1} and all(isinstance(cell, Real) for cell in cells)
    binary = square and {*cells} <= {0, 1}
    weighted = widths == {3} and all(isinstance(row[2], Real) for row in rows) and not (binary and order == 3)
    if widths == {2} or weighted:
        found["edges"] = ([], [(row[0], row[1]) for row in rows], "pairs")
    different = all(isinstance(cell, int) for cell in cells) and all(len({*row}) == len(row) for row in rows)
    for first, kind in enumerate(("neighbours", "neighbours1")):
        vertices = range(first, first + order)
        looped = any(map(list.__contains__, rows, vertices))
        if different and {*cells} <= {*vertices} and not (looped and (first or found)):
            pairs = [(vertex, cell) for vertex, row in zip(vertices, rows, strict=True) for cell in row]
            found[kind] = ([*vertices], pairs, None)
    if binary or (square and {rows[at][at] for at in range(order)} in ({0}, {max(cells)})):
        found |= _matrix_readings(np.array(rows))
    return found


# --- JSON ---


def read_json(text: Text) -> Graph:
    """Return the graph in a text of JSON, or of Python's lists, tuples and dicts."""
    if text.whole.lstrip()[:1] not in ("[", "{", "("):
        raise GraphFault(1, "it doesn't begin with a bracket, as JSON does")
    data = None
    with suppress(ValueError, RecursionError):
        data = json.loads(text.whole)
    with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        data = ast.literal_eval(text.whole) if data is None and len(text.whole) <= 100_000 else data
    if not isinstance(data, list | dict | tuple):
        raise GraphFault(1, "it is not JSON")
    try:
        readings = _json_readings(data, text.whole)
    except BadInput as fault:
        raise GraphFault(0, str(fault)) from None
    except (KeyError, TypeError, AttributeError):
        raise GraphFault(0, "its members are not those of a graph, such as nodes and links") from None
    found = {kind: reading for kind, reading in readings.items() if text.kind in ("", kind)}
    if not found:
        raise GraphFault(0, f"it is not a list of {text.kind}, but of {' or of '.join(readings)}")
    return named_graph(found, text)


def named_graph(readings: Mapping[str, Found], text: Text) -> Graph:
    """Return the graph of a file on which all readings agree, its vertices called by their texts."""
    found = {
        kind: ([*map(_name, vertices)], [(_name(tail), _name(head)) for tail, head in pairs], arcs)
        for kind, (vertices, pairs, arcs) in readings.items()
    }
    return _one_graph(found, text, list)


def _name(vertex: object) -> str:
    """Return the vertex's name; `GraphFault` if this value in JSON can't be one."""
    if not isinstance(vertex, str | int | tuple) or isinstance(vertex, bool):
        raise GraphFault(0, f"{quoted(vertex)} is not the name of a vertex")
    name = ",".join(map(str, vertex)) if isinstance(vertex, tuple) else " ".join(str(vertex).split())
    return checked_name(name, 0, QUOTED)


def _json_readings(data: Any, text: str) -> dict[str, Found]:
    """Return all ways to read data from JSON as a graph, by name. An object with a member of edges can be read only
    so."""
    if isinstance(data, dict) and isinstance(data.get("graph"), dict) and data.keys().isdisjoint(MEMBERS):
        data = data["graph"]
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        data = {"edges": data}
    member = next((name for name in MEMBERS if isinstance(data, dict) and name in data), "")
    if not member or not isinstance(data[member], list):
        return _readings(data)
    if unread := [name for name in data if name not in PASSED_OVER | {member} and not isinstance(data[name], str)]:
        raise BadInput(
            f"the member {unread[0]!r}, {data[unread[0]]!r:.40}, is not read, and may say something of the graph: "
            "leave it out, or write nodes, links and directed, true or false"
        )
    edges = [edge for edge in data[member] if edge is not None]
    said = _direction(data, [edge for edge in edges if isinstance(edge, dict)], True if member == "arcs" else None)
    nodes = [
        next((node[key] for key in ("id", "key", "name") if key in node), None) if isinstance(node, dict) else node
        for node in next((data[name] for name in ("nodes", "vertices") if isinstance(data.get(name), Iterable)), ())
    ]
    if member == "adjacency":
        rows = zip(nodes, edges, strict=False)
        return {"a graph": (nodes, [(tail, other["id"]) for tail, row in rows for other in row], said)}
    pairs, holes = [_ends_of_edge(edge) for edge in edges], {*data.get("node_holes", ())}
    if "node_holes" in data:  # petgraph: nodes are any values, and edges join their numbers
        numbers = [number for number in range(len(nodes) + len(holes)) if number not in holes]
        labelled = all(isinstance(node, str) for node in nodes) and len({*nodes}) == len(nodes)
        names = dict(zip(numbers, nodes if labelled else numbers, strict=True))
        nodes, pairs = [*names.values()], [(names[tail], names[head]) for tail, head in pairs]
    ends = {end for pair in pairs for end in pair if isinstance(end, str | int)}
    order = next((data[name] for name in ("n", "nodes", "vertices") if isinstance(data.get(name), int)), 0)
    if order and not nodes and all(isinstance(end, int) for end in ends):
        first = int(order in ends)
        nodes = [*range(first, first + order_in(str(order), text, 0))]
    if nodes and all(isinstance(end, int) and 0 <= end < len(nodes) for end in ends) and ends.isdisjoint(nodes):
        pairs = [(nodes[tail], nodes[head]) for tail, head in pairs]  # as the early D3 wrote them
    elif lost := {*map(str, ends)} - {*map(str, nodes)} if nodes else set():
        raise BadInput(f"an edge joins {quoted(min(lost))}, which is not one of its vertices")
    if order not in (0, found := len(nodes) or len(ends)):
        raise BadInput(f"{order} vertices are announced, {found} follow")
    return {"a graph": (nodes, pairs, "pairs" if said is None else said)}


def _direction(data: Mapping[str, Any], edges: Sequence[Mapping[str, Any]], said: bool | None) -> bool | None:
    """Return whether a JSON graph has arcs, by its members and those of its edges; ``said`` if they say nothing.
    `BadInput` if they differ, or are not plain."""
    values = [*map(data.get, ("directed", "type", "edge_property")), data.get("options", {}).get("type")]
    words = {str(value).lower() for value in values if value is not None}
    flags = {
        edge.get("directed", not edge["undirected"] if "undirected" in edge else "mixed" in words or None)
        for edge in edges
    }
    found = {TYPES[word] for word in words & TYPES.keys()} | flags - {None}
    strange = {word for word in words - TYPES.keys() if re.search("dir|di_?graph|arc|orient|mix", word)}
    plain = str(data.get("directed", True)).lower() in TYPES and strange <= {"mixed"} and found <= {True, False}
    if not plain or max(len(found), len(flags)) > 1 or (strange and not flags):
        raise BadInput(
            "its members don't plainly say whether its edges are directed, or differ: "
            'write "directed": true or false, and leave out the others'
        )
    return next(iter(found), said)


def _ends_of_edge(edge: Any) -> tuple[Any, Any]:
    """Return the two ends of an edge in JSON: a list that begins with them, or an object with two of `PAIRS`."""
    keys = PAIRS if isinstance(edge, dict) else [(0, 1)] * (isinstance(edge, list | tuple) and len(edge) in (2, 3))
    found = [(edge[tail], edge[head]) for tail, head in keys if isinstance(tail, int) or {tail, head} <= edge.keys()]
    if len(found) != 1:
        raise BadInput(f"{quoted(edge)} is not an edge: write two vertices, or an object with source and target")
    return found[0]
