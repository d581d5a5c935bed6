"""Forty texts that are not graphs, each refused in a sentence; ten forms of the same graph, each read; and files of
networkx, if installed."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cpsat_tour
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_files import read_graph

NOT_GRAPHS: dict[str, str | bytes] = {
    "words.txt": "apple\npear\nplum\n",
    "prose.txt": "It was a dark and stormy night; the rain fell in torrents.\nExcept at intervals.\n",
    "two_words.txt": "Hello, world\n",
    "poem.txt": "Tyger Tyger,\nburning bright,\n",
    "bare.txt": "IsP@OkWHG\n",
    "percent.edges": "% x\n% y\n",
    "slashes.edges": "// y\na b\n",
    "semicolons.edges": "; comment\na b\n",
    "array.json": "[[0, 1], [1, 2]]",
    "object.json": '{"nodes": [0, 1], "links": []}',
    "deep.json": "[" * 100_000,
    "page.html": "<!DOCTYPE html>\n<html><body>hello</body></html>\n",
    "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    "laughs.graphml": (
        '<!DOCTYPE l [<!ENTITY a "ha">]><graphml><graph edgedefault="undirected"><node id="&a;"/></graph></graphml>'
    ),
    "broken.graphml": "<graphml><graph edgedefault='undirected'><node id='a'></graph></graphml>",
    "one_line.txt": "digraph G { A -> B; B -> C; C -> A }\n",
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
    "matrix.txt": "0 1 1 0\n1 0 0 1\n1 0 0 1\n0 1 1 0\n",
    "matrix3.txt": "0 1 1\n1 0 1\n1 1 0\n",
    "points.txt": "0.5 0.25\n0.75 0.1\n",
    "lists.adjlist": "0 1 2 3\n1 2 3\n",
    "counts.txt": "4 4\n1 2\n2 3\n3 4\n4 1\n",
    "counts_and_edges.txt": "5 4\n1 2\n2 3\n3 4\n4 1\n",
    "header.tsv": "left\tright\n1\t2\n2\t3\n3\t1\n",
    "table.csv": "name,age\nann,41\nbob,43\n",
    "wide.csv": "a,b,c\nb,c,d\n",
    "semicolons.csv": "a;b\nb;c\n",
    "quotes.csv": 'a,"b\nb,c\n',
    "graph.dot": "graph { a -- b; b -- c; }\n",
    "route.tsp": "NAME : t\nTYPE : TSP\nDIMENSION : 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 0\nEOF\n",
    "changes.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n",
    "packed.edges": gzip.compress(b"a b\nb c\n"),
    "cut.edges.gz": gzip.compress(b"a b\n" * 1000)[:40],
    "utf16.txt": "a b\nb c\n".encode("utf-16"),
    "latin.txt": "sülz böll\n".encode("latin-1"),
    "null.txt": b"a b\n\0\0\0\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0",
    "arcs.gr": "p sp 3 2\na 1 2 5\na 2 3 1\n",
    "two.g6": "A_\nBw\n",
    "huge.s6": ":~~~~~~~~\n",
    "loop.edges": "a b\nb b\n",
    "wrong.hcp": "p edge 3 2\ne 1 2\ne 2 3\n",
    "wrong.csv": "DIMENSION : 4\nEDGE_DATA_SECTION\n1 2\n-1\n",
    "wrong.col": "a,b\nb,c\n",
}


@pytest.mark.parametrize("name", NOT_GRAPHS)
def test_what_is_not_a_graph_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    content = NOT_GRAPHS[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadInput) as caught:
        read_graph(tmp_path / name)
    sentence = str(caught.value)
    assert sentence.startswith(name)
    assert sentence.isprintable()
    assert len(sentence) < 300


def test_there_are_forty_of_them() -> None:
    assert len(NOT_GRAPHS) >= 40


PETERSEN = sorted(
    {tuple(sorted(edge)) for i in range(5) for edge in ((i, (i + 1) % 5), (i, i + 5), (5 + i, 5 + (i + 2) % 5))}
)
ONE = [(tail + 1, head + 1) for tail, head in PETERSEN]

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
    "edge.edge": "p edge 10 15\n" + "".join(f"e {tail} {head}\n" for tail, head in ONE),
    "col.col": "c Petersen\np col 10 15\n" + "".join(f"e {tail} {head}\n" for tail, head in ONE),
    "short.txt": "c Petersen\np 10 15\n" + "".join(f"e {tail} {head}\n" for tail, head in ONE),
    "petersen.hcp": "NAME : p\nTYPE : HCP\nDIMENSION : 10\nEDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n"
    + "".join(f"{tail} {head}\n" for tail, head in ONE)
    + "-1\nEOF\n",
}

BY_NETWORKX = {
    "bare.g6": "IheA@GUAo\n",
    "header.txt": ">>graph6<<IheA@GUAo\n",
    "sparse.s6": ":I`ES@obGkqegW~\n",
    "petersen.graphml": GRAPHML.format(
        nodes="".join(f'<node id="{vertex}"/>' for vertex in range(10)),
        edges="".join(f'<edge source="{tail}" target="{head}"/>' for tail, head in PETERSEN),
    ),
}


def edges_of(graph: Graph) -> list[tuple[str, str]]:
    return sorted(
        (graph.name(tail), graph.name(head))
        for tail, head in zip(*(ends.tolist() for ends in graph.edges()), strict=True)
    )


@pytest.mark.parametrize("name", FORMS | BY_NETWORKX)
def test_ten_real_forms_are_read(name: str, tmp_path: Path) -> None:
    if name in BY_NETWORKX:
        pytest.importorskip("networkx", reason="networkx is optional")
    (tmp_path / name).write_bytes((FORMS | BY_NETWORKX)[name].encode())
    graph = read_graph(tmp_path / name)
    assert (graph.order, graph.size, graph.directed, set(graph.degrees.tolist())) == (10, 15, False, {3})
    first = 1 if name in ("edge.edge", "col.col", "short.txt", "petersen.hcp") else 0
    assert edges_of(graph) == sorted((str(tail + first), str(head + first)) for tail, head in PETERSEN)


def test_a_triangle_of_commas_has_a_closed_tour(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\nb,c\nc,a\n")
    assert edges_of(cpsat_tour.read_graph(tmp_path / "t.csv")) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_headers_are_no_edges_and_edges_no_headers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text, edges in (
        ("a,b\n", 1),
        ("u,v\nv,w\n", 2),
        ("From,To\nx,y\n", 1),
        ("u,v,length\nx,y\n", 1),
        ("a,b\nc,d\nd,a\n", 3),
    ):
        path.write_text(text)
        assert read_graph(path).size == edges


def test_arrows_and_lone_vertices_in_an_edge_list(tmp_path: Path) -> None:
    path = tmp_path / "g.edges"
    path.write_text("vertex alone\na -> b 2.5\nb -> a {}\n# the end\nb#1 -> a\n")
    with pytest.raises(BadInput, match="'b#1' is not the name of a vertex"):
        read_graph(path)
    path.write_text("vertex alone\na -> b 2.5\nb -> a {}  # both ways\n")
    graph = read_graph(path)
    assert (graph.directed, graph.order, graph.size) == (True, 3, 2)
    for line in ("vertex", "vertex a b", "a vertex", "vertex -> a", "a b {", "a b 1 2", "a b c"):
        path.write_text(f"x y\n{line}\n")
        with pytest.raises(BadInput, match="line 2"):
            read_graph(path)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.:'-]{0,5}[A-Za-z0-9_]", fullmatch=True).filter(
    lambda name: name != "vertex"
)


@given(
    st.lists(st.tuples(names, names).filter(lambda edge: edge[0] != edge[1]), min_size=1, max_size=12), st.booleans()
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_rows_are_read_again(tmp_path: Path, edges: list[tuple[str, str]], header: bool) -> None:
    path = tmp_path / "g.csv"
    apart = len(edges) > 1 and not set(edges[0]) & {name for edge in edges[1:] for name in edge}
    path.write_text("source,target\n" * (header or apart) + "".join(f"{tail},{head}\n" for tail, head in edges))
    expected = {tuple(sorted(edge)) for edge in edges}
    if not any({"source", "target"} & set(edge) for edge in edges):
        assert {tuple(sorted(edge)) for edge in edges_of(read_graph(path))} == expected


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
    assert set(edges_of(found)) == {(str(min(edge)), str(max(edge))) for edge in graph.edges}
    assert set(edges_of(Graph.from_networkx(graph))) == set(edges_of(found))


def test_graphs_of_networkx() -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is optional")
    grid = Graph.from_networkx(networkx.grid_2d_graph(2, 2))
    assert [grid.name(vertex) for vertex in range(4)] == ["0,0", "0,1", "1,0", "1,1"]
    arcs = Graph.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]))
    assert (arcs.directed, arcs.size) == (True, 3)
    for bad, words in (({1: [1]}, "to itself"), ({"a b": ["c"]}, "has spaces"), ({1: ["1"]}, "the same name")):
        with pytest.raises(BadInput, match=words):
            Graph.from_networkx(networkx.Graph(bad))


def test_without_networkx_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.core.libraries.find_spec", lambda _name: None)
    (tmp_path / "p.g6").write_text(BY_NETWORKX["bare.g6"])
    with pytest.raises(
        BadInput, match=r"^reading p.g6 needs the Python module networkx, which is not installed: pip install networkx$"
    ):
        read_graph(tmp_path / "p.g6")


def test_a_plain_graph_does_not_load_networkx(tmp_path: Path) -> None:
    (tmp_path / "g.edges").write_text("a b\nb c\n")
    script = "import sys, cpsat_tour; cpsat_tour.read_graph(sys.argv[1]); print('networkx' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "g.edges")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
