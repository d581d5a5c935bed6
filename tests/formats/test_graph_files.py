"""Graph files: each form is read, by suffix and by content; what is not plainly a graph is refused in a sentence that
names the line; random texts are read as a second, simple reader reads them, in work that is linear in their length."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from types import FrameType, SimpleNamespace
from typing import Any

import pytest
from commands import Command
from hypothesis import HealthCheck, given, settings, strategies as st

from cpsat_tour.api import problem_of, solve
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats import graph_files, named_graphs
from cpsat_tour.formats.graph_files import WRITTEN, read_graph, write_graph
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.tour import answer_data

Edges = set[tuple[str, str]]


def read(folder: Path, name: str, content: str | bytes) -> Graph:
    """The graph in a file of this name, or suffix, and content."""
    path = folder / (f"six{name}" if name.startswith(".") or not name else name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_graph(path)


def edges_of(graph: Graph) -> Edges:
    """The edges by names; of an undirected one the lesser name first."""
    ends = zip(*(part.tolist() for part in graph.edges()), strict=True)
    pairs = {(graph.name(tail), graph.name(head)) for tail, head in ends}
    return pairs if graph.directed else {(min(pair), max(pair)) for pair in pairs}


# --- what is read ---

HEADER = "NAME : t\nTYPE : HCP\nDIMENSION : 4\n"
EDGES = f"{HEADER}EDGE_DATA_SECTION\n"
LISTS = f"{HEADER}EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n"

SQUARE = {("1", "2"), ("2", "3"), ("3", "4"), ("1", "4")}

SQUARES = [
    (".hcp", HEADER + "EDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n 2 3\n3 4\n4 1\n-1\nEOF\n"),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n1 2\n2 3\n3 4\n4 1\n-1\n"),
    (
        ".hcp",
        "COMMENT : one\nCOMMENT : (two: colons)\n" + HEADER + "EDGE_DATA_SECTION:\n1 2 2 3\n3 4\n4\n1\n-1\nEOF\n\n",
    ),
    (
        ".hcp",
        HEADER.replace(" :", ":") + "EDGE_DATA_FORMAT: ADJ_LIST\nEDGE_DATA_SECTION\n1 2 4 -1\n2 3 -1\n3 4\n-1\n-1\nEOF",
    ),
    (".hcp", (HEADER + "EDGE_DATA_SECTION\n1 2\n2 3\n3 4\n4 1\n2 1\n-1\nEOF\n").replace("\n", "\r\n")),
    (".col", "c a square\nc\np col 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"),
    (".edge", "p edge 4 4\n\ne 1 2\ne 2 3\nn 1 7\ne 3 4\ne 4 1"),
    (".col", "p col 4 8\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 3 4\ne 4 3\ne 4 1\ne 1 4\n"),
    (".COL", "p col 4 4\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 3 4\ne 4 3\ne 4 1\ne 1 4\n"),
    (".hcp", "\n\n" + HEADER + "\n\n" + "EDGE_DATA_SECTION\n1 2\n2 3\n3 4\n4 1\n-1\n"),
    (".edges", "\ufeff# a square\n1 2\n2 3  # the second\n\nvertex 3\n3 4\n4\t1\n1 2\n2 1\n"),
]


@pytest.mark.parametrize(("suffix", "content"), SQUARES)
def test_the_square_in_every_form_by_suffix_by_content_and_from_standard_input(
    tmp_path: Path, suffix: str, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))
    for graph in (read(tmp_path, suffix, content), read(tmp_path, ".txt", content), read_graph("-")):
        assert (graph.order, graph.directed, graph.space.coordinates) == (4, False, None)
        assert edges_of(graph) == SQUARE
        assert [graph.space.vertex(str(number)) for number in range(1, 5)] == [0, 1, 2, 3]


PETERSEN = sorted(
    {tuple(sorted(edge)) for i in range(5) for edge in ((i, (i + 1) % 5), (i, i + 5), (5 + i, 5 + (i + 2) % 5))}
)
GRAPHML = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">{nodes}{edges}</graph></graphml>
"""

FORMS = {
    "list.edges": "".join(f"{tail} {head}\n" for tail, head in PETERSEN),
    "weighted.edgelist": "".join(f"{tail} {head} {tail + 0.5}\n" for tail, head in PETERSEN),
    "networkx.edgelist": "# written by a program\n" + "".join(f"{tail} {head} {{}}\n" for tail, head in PETERSEN),
    "attributes.edgelist": "".join(f"{tail} {head} {{'weight': {head}, 'kind': 'a b'}}\n" for tail, head in PETERSEN),
    "mark.txt": "\ufeff" + "".join(f"{tail} {head}\r\n" for tail, head in PETERSEN),
    "plain.csv": "".join(f"{tail},{head}\n" for tail, head in PETERSEN),
    "header.csv": "Source,Target,Weight\n" + "".join(f"{tail},{head},1\n" for tail, head in PETERSEN),
    "quoted.csv": "from,to\r\n" + "".join(f'"{tail}", "{head}"\r\n' for tail, head in PETERSEN),
    "bare.g6": "IheA@GUAo\n",
    "header.txt": ">>graph6<<IheA@GUAo\n",
    "sparse.s6": ":I`ES@obGkqegW~\n",
}

BY_NETWORKX = {
    "petersen.graphml": GRAPHML.format(
        nodes="".join(f'<node id="{vertex}"/>' for vertex in range(10)),
        edges="".join(f'<edge source="{tail}" target="{head}"/>' for tail, head in PETERSEN),
    ),
}


@pytest.mark.parametrize("name", FORMS | BY_NETWORKX)
def test_the_petersen_graph_in_every_form(name: str, tmp_path: Path) -> None:
    if name in BY_NETWORKX:
        pytest.importorskip("networkx", reason="networkx is optional")
    graph = read(tmp_path, name, (FORMS | BY_NETWORKX)[name])
    assert (graph.order, graph.size, graph.directed) == (10, 15, False)
    assert edges_of(graph) == {(str(tail), str(head)) for tail, head in PETERSEN}


@pytest.mark.parametrize("title", ["FIXED_EDGES_SECTION", "FIXED_EDGES :"])
def test_fixed_edges_are_required_of_every_tour(title: str, command: Command, tmp_path: Path) -> None:
    """Of a square with both diagonals the tours have one of 1-3 and 2-4, or none: three are left to two."""
    body = f"{EDGES}1 2\n2 3\n3 4\n4 1\n1 3\n2 4\n-1\n{title}\n3 1\n2 4\n-1\nEOF\n"
    graph, path = read(tmp_path, ".hcp", body), tmp_path / "six.hcp"
    assert graph.required == ((2, 0), (1, 3))
    assert Problem(graph, closed=True, require=((0, 1),)).require == ((0, 1), (0, 2), (1, 3))
    assert command(f"count {path} --closed").out.strip() == "2"
    for where in (str(path), graph):
        tour = solve(where, closed=True).tour
        assert tour is not None
        assert {("1", "3"), ("2", "4")} <= {tuple(sorted(move)) for move in pairwise([*tour.names, tour.names[0]])}
    assert json.loads(command(f"solve {path} --closed --json").out)["problem"]["require"] == [["1", "3"], ["2", "4"]]
    assert "has required edges" in command(f"export {path} --closed -o {tmp_path / 'a.edge'}", 2).err
    missing = read(tmp_path, ".hcp", EDGES + f"1 2\n-1\n{title}\n1 3\n-1\n")
    with pytest.raises(BadInput, match="can't require the move 1-3: it is not a move here"):
        Problem(missing, closed=True)


def test_directed_edges_and_lone_vertices(tmp_path: Path) -> None:
    graph = read(tmp_path, ".edges", "vertex alone\na -> b 2.5\nb -> a {}  # both ways\nb -> c\n")
    assert (graph.directed, graph.order, edges_of(graph)) == (True, 4, {("a", "b"), ("b", "a"), ("b", "c")})
    assert [graph.name(vertex) for vertex in range(4)] == ["a", "alone", "b", "c"]
    numbered = read(tmp_path, ".edges", "10 9\n9 2\n2 10\n")
    assert [numbered.name(vertex) for vertex in range(3)] == ["2", "9", "10"]
    for line in ("vertex", "vertex a b", "a vertex", "vertex -> a", "a b {", "a b 1 2", "a b c", "b#1 a"):
        with pytest.raises(BadInput, match="line 2"):
            read(tmp_path, ".edges", f"x y\n{line}\n")
    for suffix, text, order in (
        (".edges", "vertex a\nvertex b\nvertex a\n", 2),
        (".edges", "source target\nvertex a\nvertex b\n", 2),
        (".col", "p edge 3 0\n", 3),
        (".hcp", HEADER + "EDGE_DATA_SECTION\n-1\nEOF\n", 4),
    ):
        assert (read(tmp_path, suffix, text).order, read(tmp_path, suffix, text).size) == (order, 0)


@pytest.mark.parametrize(
    "weights", ["0 1 1\n1 2 1\n2 0 1\n", "0 1 1\n", "0 1 1\n1 0 1\n", "0 1\n1 0\n", "0 1 1\n1 0 1\n0 1 1\n1 0 1\n"]
)
def test_edges_with_weights_are_not_taken_for_a_matrix(tmp_path: Path, weights: str) -> None:
    """Rows of 0 and 1 that are not as many as their numbers are edges."""
    for suffix, mark in ((".edges", " "), (".csv", ",")):
        assert ("0", "1") in edges_of(read(tmp_path, suffix, weights.replace(" ", mark)))


@pytest.mark.parametrize("comma", [",", "\t"])
def test_names_with_spaces_in_a_csv_file_come_back(tmp_path: Path, comma: str) -> None:
    graph = read(tmp_path, ".csv", f'New York{comma}Boston\n"New  York"{comma} Albany\n'.replace(f"{comma} ", comma))
    assert edges_of(graph) == {("Albany", "New York"), ("Boston", "New York")}
    assert answer_data(problem_of(graph), solve(graph, start="Albany"))["tour"] == ["Albany", "New York", "Boston"]


@pytest.mark.parametrize("content", ["5 4\n4 3\n3 2\n2 1\n1 5\n", "a b\n1 2\n2 3\n", "a b\nx y\n"])
def test_a_first_line_that_is_an_edge_is_read_below_a_header(tmp_path: Path, content: str) -> None:
    for suffix, mark in ((".edges", " "), (".csv", ",")):
        text = content.replace(" ", mark)
        with pytest.raises(BadInput, match=r"give --(columns 1,2 if it is an edge|input edges or --input counts)"):
            read(tmp_path, suffix, text)
        assert read(tmp_path, suffix, f"Source{mark}Target\n{text}").size == content.count("\n")
        assert read(tmp_path, suffix, f"from{mark}to{mark}cost\n{text}").size == content.count("\n")


@given(st.integers(1, 9), st.data(), st.sampled_from(["g6", "s6", "graphml", "edgelist"]))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_networkx_writes_is_read(tmp_path: Path, order: int, data: st.DataObject, form: str) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is optional")
    graph = networkx.empty_graph(order)
    ends = st.integers(0, order - 1)
    graph.add_edges_from(edge for edge in data.draw(st.sets(st.tuples(ends, ends), max_size=12)) if edge[0] != edge[1])
    if form == "edgelist":
        graph.add_edges_from((vertex, order) for vertex in range(order))
    path = tmp_path / f"g.{form}"
    write = {"g6": "write_graph6", "s6": "write_sparse6", "graphml": "write_graphml", "edgelist": "write_edgelist"}[
        form
    ]
    getattr(networkx, write)(graph, path)
    found = read_graph(path)
    assert found.order == len(graph)
    assert edges_of(found) == {(str(min(edge)), str(max(edge))) for edge in graph.edges}
    assert edges_of(Graph.from_networkx(graph)) == edges_of(found)


def test_graphs_of_networkx() -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is optional")
    grid = Graph.from_networkx(networkx.grid_2d_graph(2, 2))
    assert [grid.name(vertex) for vertex in range(4)] == ["0,0", "0,1", "1,0", "1,1"]
    arcs = Graph.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]))
    assert (arcs.directed, arcs.size) == (True, 3)
    of_networkx = Graph.from_networkx
    for made, wrong in ((of_networkx, 3), (of_networkx, networkx.Graph), (Graph, 4), (Graph, arcs.indptr)):
        with pytest.raises(BadInput, match=r"a Graph can't be made|can't be read as a graph of networkx"):
            made(wrong)  # type: ignore[arg-type]
    odd = Graph.from_networkx(networkx.Graph([("a b", object()), ("a b", "a b"), ("", (1, "x"))]))
    assert [odd.name(vertex) for vertex in range(odd.order)] == ["0", "1", "2", "3"]
    assert odd.size == 2


def test_without_networkx_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda _name: None)
    (tmp_path / "p.graphml").write_text(BY_NETWORKX["petersen.graphml"])
    with pytest.raises(BadInput, match=r"^reading p.graphml needs the Python module defusedxml, which is"):
        read_graph(tmp_path / "p.graphml")


# --- what is refused ---

NOT_GRAPHS: dict[str, str | bytes] = {
    "words.txt": "apple\npear\nplum\n",
    "prose.txt": "It was a dark and stormy night; the rain fell in torrents.\nExcept at intervals.\n",
    "two_words.txt": "Hello, world\n",
    "poem.txt": "Tyger Tyger,\nburning bright,\n",
    "bare.txt": "IsP@OkWHG\n",
    "percent.edges": "% x\n% y\n",
    "slashes.edges": "// y\na b\n",
    "semicolons.edges": "; comment\na b\n",
    "deep.json": "[" * 100_000,
    "page.html": "<!DOCTYPE html>\n<html><body>hello</body></html>\n",
    "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    "laughs.graphml": (
        '<!DOCTYPE l [<!ENTITY a "ha">]><graphml><graph edgedefault="undirected"><node id="&a;"/></graph></graphml>'
    ),
    "broken.graphml": "<graphml><graph edgedefault='undirected'><node id='a'></graph></graphml>",
    "suffix.dot": "a b\nb c\nc a\n",
    "distances.txt": "0 1 2\n1 0 3\n2 3 0\n",
    "both_ways.csv": "x,y,2\ny,z,1\ny,x,3\n",
    "script.py": "import os\nimport sys\n\nprint(os.getcwd())\n",
    "script.sh": "#!/bin/sh\necho hello\n",
    "settings.ini": "[main]\nside = 8\n",
    "settings.toml": 'boards = ["8x8"]\n',
    "settings.yaml": "board: 8x8\nclosed: true\n",
    "log.txt": "2024-01-01 12:00:00 INFO started\n",
    "formula.cnf": "c a formula\np cnf 3 2\n1 -2 0\n2 3 0\n",
    "bare_formula.cnf": "1 -2 0\n2 3 0\n",
    "formula.opb": "* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n",
    "model.lp": "Minimize\n obj: x + y\nEnd\n",
    "points.txt": "0.5 0.25\n0.75 0.1\n",
    "lists.adjlist": "0 1 2 3\n1 2 3\n",
    "counts_and_edges.txt": "5 4\n1 2\n2 3\n3 4\n4 1\n",
    "header.tsv": "left\tright\n1\t2\n2\t3\n3\t1\n",
    "table.csv": "name,age\nann,41\nbob,43\n",
    "wide.csv": "a,b,c\nb,c,d\n",
    "quotes.csv": 'a,"b\nb,c\n',
    "route.tsp": "NAME : t\nTYPE : TSP\nDIMENSION : 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 0\nEOF\n",
    "changes.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n",
    "packed.edges": gzip.compress(b"a b\nb c\n"),
    "cut.edges.gz": gzip.compress(b"a b\n" * 1000)[:40],
    "latin.txt": "sülz böll\n".encode("latin-1"),
    "null.txt": b"a b\n\0\0\0\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0",
    "two.g6": "A_\nBw\n",
    "huge.s6": ":~~~~~~~~\n",
    "wrong.hcp": "p edge 3 2\ne 1 2\ne 2 3\n",
    "wrong.csv": "DIMENSION : 4\nEDGE_DATA_SECTION\n1 2\n-1\n",
    "wrong.col": "a,b\nb,c\n",
}


@pytest.mark.parametrize("name", NOT_GRAPHS)
def test_what_is_not_a_graph_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        read(tmp_path, name, NOT_GRAPHS[name])
    sentence = str(caught.value)
    assert sentence.startswith(name)
    assert sentence.isprintable()
    assert len(sentence) < 300


MALFORMED = [
    (".csv", "New York,b&c\n", ", line 1: 'b&c' is not the name of a vertex: names may have letters"),
    (".graphml", '<graphml>\n<key id="d0"', ": defusedxml can't read it: 'unclosed token"),
    (".edges", "a b\na\u00ad b\n", ", line 2: 'a\\xad' is not the name of a vertex"),
    (".edges", "a -> b\nb -> \033[31m\n", ", line 2: '\\x1b[31m' is not the name of a vertex"),
    (
        ".edges",
        "0 1 0\n1 0 1\n0 2 0\n",
        ", line 2: '1 0' has the weight 1, and the other way round 0 in line 1: write A -> B where edges are directed",
    ),
    (".edges", "# path\n\n0 1 0 0\n1 0 1 0\n0 1 0 1\n0 0 1 0", ", line 3: '0 1 0 0' is not an edge"),
    (".csv", "p,q\nx,y\ny,z\nz,x\n", ", line 1: 'p,q' may be an edge, or a header, for no other line has these"),
    (".csv", "source,target\na,b\nvertex,c\n", ", line 3: 'vertex,c' is not an edge"),
    (".edges", "edge 1 2\nedge 2 3\n", ", line 1: 'edge 1 2' is not an edge"),
    (".edges", "a b\nb c\nnode d\n", ", line 3: 'node d' is not an edge: write two names, A B or A -> B with spa"),
    (".csv", "source,target\nx,source\n", ": 'source' is in the header and a vertex too"),
    (".edges", "5 4\n4 3\n3 2\n2 1\n1 5\n", ": it may be an edge list or an edge list below its counts, and these"),
    (".edges", "a 0.5\n", ", line 1: '0.5' is a number with a fraction"),
    (".hcp", "", " is empty"),
    (".hcp", " \n\n", " is empty"),
    (".hcp", "NAME : t\n", ", line 1: the file ends before its EDGE_DATA_SECTION"),
    (".hcp", HEADER + "EOF\n", ", line 4: the file ends before its EDGE_DATA_SECTION"),
    (".hcp", "EDGE_DATA_SECTION\n1 2\n-1\nEOF", ": the header has no DIMENSION"),
    (".hcp", HEADER + "DIMENSION : 5\nEDGE_DATA_SECTION\n-1", ", line 4: DIMENSION was given before, in line 3"),
    (".hcp", "DIMENSION : x\nEDGE_DATA_SECTION\n-1", ", line 1: DIMENSION can't be 'x': it is a whole number from 1"),
    (".hcp", "DIMENSION : ٤\nEDGE_DATA_SECTION\n-1", ", line 1: DIMENSION can't be '٤'"),
    (".hcp", "DIMENSION : 0\nEDGE_DATA_SECTION\n-1", ", line 1: DIMENSION can't be '0'"),
    (".hcp", "DIMENSION : 99999999999\nEDGE_DATA_SECTION\n-1", ", line 1: DIMENSION can't be '99999999999'"),
    (".hcp", f"DIMENSION : {'9' * 5000}\nEDGE_DATA_SECTION\n-1", ", line 1: DIMENSION can't be '9999"),
    (".hcp", HEADER + "what is this\nEDGE_DATA_SECTION\n-1", ", line 4: 'what is this' is not a header line"),
    (
        ".hcp",
        "TYPE : CVRP\nDIMENSION : 4\nEDGE_DATA_SECTION\n-1",
        ", line 1: the file is of TYPE 'CVRP': only HCP, TSP and ATSP are read",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_FORMAT : MATRIX\nEDGE_DATA_SECTION\n-1",
        ", line 4: EDGE_DATA_FORMAT can't be 'MATRIX'",
    ),
    (".hcp", EDGES + "1 2\n2 5\n-1\nEOF", ", line 6: a vertex can't be '5': it is a whole number from 1 to 4"),
    (".hcp", EDGES + "0 2\n-1\nEOF", ", line 5: a vertex can't be '0'"),
    (".hcp", EDGES + "1 -2\n-1\nEOF", ", line 5: a vertex can't be '-2'"),
    (".hcp", EDGES + "1 2\n3\n-1\nEOF", ", line 7: a vertex can't be '-1'"),
    (".hcp", EDGES + "1 2\n2 3\n", ", line 6: the edges don't end with -1"),
    (".hcp", EDGES + "1 2\n-1\nEOF2\n", ", line 7: 'EOF2' stands after the end of the edges"),
    (".hcp", LISTS + "1 2 -1\n2 3\n", ", line 7: the edges don't end"),
    (".hcp", LISTS + "1 2 EOF", ", line 6: a vertex can't be 'EOF'"),
    (".col", "", " is empty"),
    (".col", "c nothing\n", ": there is no header"),
    (".col", "e 1 2\np edge 2 1\n", ", line 2: an edge stands before the header"),
    (".col", "p edge 2\n", ", line 1: the header is wrong"),
    (".col", "p cnf 2 1\n1 2 0\n", ", line 1: the header is wrong"),
    (".col", "p edge 2 -1\n", ", line 1: the number of edges can't be '-1'"),
    (".col", "p edge 2 1\np edge 2 1\ne 1 2\n", ", line 2: this is a second header: the first stands in line 1"),
    (".col", "p edge 2 1\ne 1\n", ", line 2: an edge has two ends"),
    (".col", "p edge 2 1\ne 1 2 3\n", ", line 2: an edge has two ends"),
    (".col", "p edge 2 1\ne 1 3\n", ", line 2: a vertex can't be '3': it is a whole number from 1 to 2"),
    (".col", "p edge 2 1\ne 1 ²\n", ", line 2: a vertex can't be '²'"),
    (".col", f"p edge 2 1\ne 1 {'1' * 5000}\n", ", line 2: a vertex can't be '1111"),
    (".col", "p edge 2 1\nz\n", ", line 2: a line can't begin with 'z': it begins with c, p or e"),
    (
        ".col",
        "p edge 3 3\ne 1 2\ne 2 3\n",
        ", line 1: the header promises 3 edges, and the file has 2: is it cut",
    ),
    (".col", "p edge 4 8\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n", ", line 1: the header promises 8 edges, and the file has 4"),
    (".col", "p edge 16777216 0\n", ", line 1: the number of vertices can't be '16777216'"),
    (".hcp", EDGES + "1 2\n-1\nFIXED_EDGES_SECTION\n1 5\n-1\n", ", line 8: a vertex can't be '5'"),
    (".hcp", EDGES + "1 2\n-1\nFIXED_EDGES\n1 2\n", ", line 8: the edges don't end with -1"),
    (".hcp", EDGES + "1 2\n-1\nFIXED_EDGES\n1 2\n-1\nFIXED_EDGES\n-1\n", ": it has two sections FIXED_EDGES_SECTION"),
    (".edges", "# nothing\n", ": there is no edge in it"),
    (".edges", "a b\nb c d\n", ", line 2: 'b c d' is not an edge"),
    (".edges", "a b\nb -> c\n", ", line 2: this edge and that of line 1 differ: write all as A B or"),
    (".edges", "\na -> b\nb c\n", ", line 3: this edge and that of line 2 differ: write all as A B or"),
    (".edges", "a ->\n", ", line 1: 'a ->' is not an edge"),
    (".edges", "-> a\n", ", line 1: '-> a' is not an edge"),
    (".edges", "->\n", ", line 1: '->' is not an edge"),
    (".edges", "a->b\n", ", line 1: 'a->b' is not an edge: write two names, A B or A -> B with spaces"),
    (".edges", "a -> -> b\n", ", line 1: 'a -> -> b' is not an edge"),
    (".edges", "a b\r\nb b c\r\n", ", line 2: 'b b c' is not an edge"),
    (".edges", "a b\rb b c\r", ", line 2: 'b b c' is not an edge"),
    (".edges", b"a b\n\xff\xfe\n", ", line 2: this is not text"),
    (".edges", b"a b\nb c\n\0\n", ", line 3: this is not text"),
    (".hcp", b"\x89PNG\r\n\x1a\n", ", line 1: this is not text"),
]


@pytest.mark.parametrize(("suffix", "content", "sentence"), MALFORMED)
def test_malformed_files_are_rejected_by_line(tmp_path: Path, suffix: str, content: str | bytes, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(tmp_path, suffix, content)
    assert str(caught.value).startswith(f"six{suffix}{sentence}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path / "none.hcp", tmp_path, tmp_path / ("x" * 300), Path("/dev/null"), Path("nul\0l")):
        with pytest.raises(BadInput, match=r"^(can't read )?[^\n]+$"):
            read_graph(path)
    with pytest.raises(BadInput, match=r"there is no file nosuch\.edges: write the path of a graph file, or a board"):
        graph_of("nosuch.edges")


def test_huge_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_files, "MAX_BYTES", 1 << 20)
    with pytest.raises(BadInput, match="too large: at most 1 MB"):
        read_graph("/dev/zero")
    with pytest.raises(BadInput, match="too large"):
        read(tmp_path, ".edges", b"a b\n" * (1 << 18) + b"\n")
    monkeypatch.setattr(named_graphs, "MAX_VERTICES", 3)
    with pytest.raises(BadInput, match="there are more vertices than 3"):
        read(tmp_path, ".edges", "a b\nc d\n")


fragments = st.sampled_from(
    [*"1230e4pc:# \n\r\x0b\u2028٣²", "-1", "->", "edge", "col", "DIMENSION", "EDGE_DATA_SECTION", "EOF", "TYPE", "HCP"]
)


SUFFIXES = (".hcp", ".col", ".edge", ".edges", ".edgelist", ".csv", ".g6", ".s6", ".graphml", ".txt", "")


@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.lists(fragments).map(lambda parts: " ".join(parts).encode())),
    st.sampled_from(SUFFIXES),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_anything_is_a_graph_or_bad_input(tmp_path: Path, content: bytes, suffix: str) -> None:
    fault = graph = None
    try:
        graph = read(tmp_path, suffix, content)
    except BadInput as caught:
        fault = str(caught)
    if graph is None:
        assert fault
        assert "\n" not in fault
    else:
        assert graph.order >= 1
        assert len({graph.name(vertex) for vertex in range(graph.order)}) == graph.order


# --- against a second reader ---

RANDOM = (".edges", ".csv", ".col", ".hcp")


def simple(text: str, form: str) -> tuple[int, Edges] | None:
    """The number of vertices and the edges that a text plainly has, by the documented grammar alone; None where it is
    not plain."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    lines = [line for line in lines if line and line[0] != "#"]
    if form == ".csv":
        if lines and lines[0].lower() in ("source,target", "from,to", "u,v,weight"):
            lines = lines[1:]
        rows = [line.split(",") for line in lines]
    elif form == ".edges":
        rows = [line.split("#")[0].split() for line in lines]
    else:
        return numbered(lines, form)
    edges = {(min(row[:2]), max(row[:2])) for row in rows if len(row) >= 2}
    return len({end for edge in edges for end in edge}), edges


def numbered(lines: list[str], form: str) -> tuple[int, Edges] | None:
    """The vertices and the edges of a DIMACS or a TSPLIB file."""
    if form == ".col":
        rows = [line.split()[1:] for line in lines if line[0] == "e"]
        sizes = [line.split() for line in lines if line[0] == "p"]
    else:
        at = lines.index("EDGE_DATA_SECTION") if "EDGE_DATA_SECTION" in lines else len(lines)
        words = " ".join(lines[at + 1 :]).split("-1")[0].split()
        rows = [words[place : place + 2] for place in range(0, len(words), 2)]
        sizes = [["", "", line.split(":")[1].strip()] for line in lines[:at] if line.startswith("DIMENSION")]
    if len(sizes) != 1 or len(sizes[0]) < 3 or not all(len(row) == 2 for row in rows):
        return None
    return int(sizes[0][2]), {(min(row), max(row)) for row in rows}


def random_text(chance: Random, form: str) -> str:
    """A graph in this form, or nearly one: with blank lines, comments, spaces, wrong words, other line ends."""
    order = chance.randint(2, 12)
    names = [str(vertex + 1) for vertex in range(order)]
    if form in (".edges", ".csv") and chance.random() < 0.5:
        names = [chance.choice("abcdxyz") + name for name in names]
    edges = [chance.sample(names, 2) for _ in range(chance.randint(1, 20))]
    lines = {
        ".edges": [" ".join(edge) for edge in edges],
        ".csv": [*chance.choice([[], ["source,target"], ["From,To"], ["u,v,weight"]]), *map(",".join, edges)],
        ".col": [f"p edge {order} {len(edges)}", *(f"e {' '.join(edge)}" for edge in edges)],
        ".hcp": ["TYPE : HCP", f"DIMENSION : {order}", "EDGE_DATA_SECTION", *map(" ".join, edges), "-1", "EOF"],
    }[form]
    comment = {".edges": "# one\ttwo", ".csv": "# a,b", ".col": "c 1 2", ".hcp": ""}[form]
    for _ in range(chance.randint(0, 6)):
        extra = chance.choice(["", "", "  ", "\t", comment, comment, "?!", "1 2 3 4", "a" * chance.choice([1, 3000])])
        lines[(at := chance.randint(0, len(lines))) : at] = [extra] * chance.choice([1, 1, 2, 40])
    end = chance.choice(["\n", "\n", "\r\n", "\r"])
    return chance.choice(["", "", "\ufeff"]) + end.join(lines) + end * chance.randint(0, 2)


def check_texts(folder: Path, form: str, seed: int, number: int) -> None:
    """So many random texts are each refused, or read as the simple reader reads them; a fair share is read."""
    chance, was_read = Random(f"{form} {seed}"), 0
    for _ in range(number):
        text = random_text(chance, form)
        try:
            graph = read(folder, form, text)
        except BadInput:
            continue
        was_read += 1
        assert (graph.order, edges_of(graph)) == simple(text, form), text
    assert number // 5 < was_read < number


@pytest.mark.parametrize(("seed", "number"), [(0, 100), pytest.param(1, 2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", RANDOM)
def test_random_texts_are_read_alike_or_refused(form: str, seed: int, number: int, tmp_path: Path) -> None:
    check_texts(tmp_path, form, seed, number)


def steps_of(folder: Path, suffix: str, text: str) -> int:
    """The lines of Python, in this package, that it takes to read the text or to refuse it."""
    steps = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace if "cpsat_tour" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(BadInput):
            read(folder, suffix, text)
    finally:
        sys.settrace(before)
    return steps


SHAPES: dict[str, Callable[[int], str]] = {
    "blank lines": lambda size: "\n" * size + "a b\nb c\n",
    "spaces": lambda size: " \n" * size + "a b\n",
    "comments": lambda size: "# a\n" * size + "a b\n",
    "c lines": lambda size: "c x\n" * size + "p 2 1\ne 1 2\n",
    "edges": lambda size: "".join(f"{vertex} {vertex + 1}\n" for vertex in range(size)),
    "rows": lambda size: "".join(f"{vertex},{vertex + 1}\n" for vertex in range(size)),
    "a long line": lambda size: "a " * size + "\n",
    "a long word": lambda size: "a" * size + "!\n",
    "weights": lambda size: "".join(f"{vertex} {vertex + 1} 1\n" for vertex in range(size)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_takes_at_most_twice_the_steps(shape: str, tmp_path: Path) -> None:
    for suffix in (*RANDOM, ".txt"):
        steps = [steps_of(tmp_path, suffix, SHAPES[shape](size)) for size in (500, 1000)]
        assert steps[1] <= 2 * steps[0] + 200, (suffix, steps)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_graphs_that_are_written_are_read_back(suffix: str, tmp_path: Path) -> None:
    for name in ("Petersen", "hubs-none(40,1)", "cubic(100,2)"):
        graph, path = graph_of(name), tmp_path / f"graph{suffix}"
        assert write_graph(graph, path, force=True) == sha256(path.read_bytes()).hexdigest()
        again = read_graph(path)
        assert (again.indptr == graph.indptr).all()
        assert (again.indices == graph.indices).all()
    with pytest.raises(BadInput, match="there is a file of that name"):
        write_graph(graph, path)
    large = Graph.from_edges(50_000, [(0, 1)])
    assert write_graph(large, tmp_path / "large.edge")
    with pytest.raises(BadInput, match="too many for graph6"):
        write_graph(large, tmp_path / "large.g6")
    with pytest.raises(BadInput, match="is directed"):
        write_graph(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True), tmp_path / "new.g6")


def test_a_graph_file_of_a_problem_holds_no_more_than_its_graph(command: Command, tmp_path: Path) -> None:
    assert "SHA-256" in command(f"export 5x6 --closed -o {tmp_path / 'a.edge'}").err
    assert command(f"export 5x6 --start a1 -o {tmp_path / 'b.g6'}", status=2).err.count("\n") == 1
    assert not (tmp_path / "b.g6").exists()
