"""Graph files: each form is read, by suffix and by content; what is not plainly a graph is refused in a sentence that
names the line; random texts are read as a second, simple reader reads them, in work that is linear in their length."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import networkx
import pytest
from commands import Command, needed

from cpsat_tour import BadInput, Graph, Problem, graph_of, problem_of, solve
from cpsat_tour.formats import graph_files, named_graphs
from cpsat_tour.formats.graph_files import WRITTEN, read_graph, write_graph
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
    (".edges", "\ufeff# undirected: a square\n1 2\n2 3  # the second\n\nvertex 3\n3 4\n4\t1\n1 2\n2 1\n"),
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
        tour = needed(solve(where, closed=True).tour)
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
        with pytest.raises(BadInput, match="give --input edges"):
            read(tmp_path, suffix, text)
        assert read(tmp_path, suffix, f"Source{mark}Target\n{text}").size == content.count("\n")
        assert read(tmp_path, suffix, f"from{mark}to{mark}cost\n{text}").size == content.count("\n")


def test_graphs_of_networkx() -> None:
    grid = Graph.from_networkx(networkx.grid_2d_graph(2, 2))
    assert [grid.name(vertex) for vertex in range(4)] == ["0,0", "0,1", "1,0", "1,1"]
    arcs = Graph.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]))
    assert (arcs.directed, arcs.size) == (True, 3)
    of_networkx = Graph.from_networkx
    for made, wrong in ((of_networkx, 3), (of_networkx, networkx.Graph), (Graph, 4), (Graph, arcs.indptr)):
        with pytest.raises(BadInput, match=r"a Graph can't be made|can't be read as a graph of networkx"):
            made(wrong)  # type: ignore[arg-type]
    odd = Graph.from_networkx(networkx.Graph([("a b", object()), ("a b", "a b"), ("", (1, "x"))]))
    assert ([odd.name(vertex) for vertex in range(odd.order)], odd.size) == (["0", "1", "2", "3"], 2)


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


MALFORMED: list[tuple[str, str | bytes]] = [
    (".csv", "New York,b&c\n"),
    (".graphml", '<graphml>\n<key id="d0"'),
    (".edges", "a b\na\u00ad b\n"),
    (".edges", "a -> b\nb -> \033[31m\n"),
    (".edges", "0 1 0\n1 0 1\n0 2 0\n"),
    (".edges", "# path\n\n0 1 0 0\n1 0 1 0\n0 1 0 1\n0 0 1 0"),
    (".csv", "p,q\nx,y\ny,z\nz,x\n"),
    (".csv", "source,target\na,b\nvertex,c\n"),
    (".edges", "edge 1 2\nedge 2 3\n"),
    (".edges", "a b\nb c\nnode d\n"),
    (".csv", "source,target\nx,source\n"),
    (".edges", "5 4\n4 3\n3 2\n2 1\n1 5\n"),
    (".edges", "a 0.5\n"),
    (".hcp", ""),
    (".hcp", " \n\n"),
    (".hcp", "NAME : t\n"),
    (".hcp", HEADER + "EOF\n"),
    (".hcp", "EDGE_DATA_SECTION\n1 2\n-1\nEOF"),
    (".hcp", HEADER + "DIMENSION : 5\nEDGE_DATA_SECTION\n-1"),
    (".hcp", "DIMENSION : x\nEDGE_DATA_SECTION\n-1"),
    (".hcp", "DIMENSION : ٤\nEDGE_DATA_SECTION\n-1"),
    (".hcp", "DIMENSION : 0\nEDGE_DATA_SECTION\n-1"),
    (".hcp", "DIMENSION : 99999999999\nEDGE_DATA_SECTION\n-1"),
    (".hcp", f"DIMENSION : {'9' * 5000}\nEDGE_DATA_SECTION\n-1"),
    (".hcp", HEADER + "what is this\nEDGE_DATA_SECTION\n-1"),
    (".hcp", "TYPE : CVRP\nDIMENSION : 4\nEDGE_DATA_SECTION\n-1"),
    (".hcp", HEADER + "EDGE_DATA_FORMAT : MATRIX\nEDGE_DATA_SECTION\n-1"),
    (".hcp", EDGES + "1 2\n2 5\n-1\nEOF"),
    (".hcp", EDGES + "0 2\n-1\nEOF"),
    (".hcp", EDGES + "1 -2\n-1\nEOF"),
    (".hcp", EDGES + "1 2\n3\n-1\nEOF"),
    (".hcp", EDGES + "1 2\n2 3\n"),
    (".hcp", EDGES + "1 2\n-1\nEOF2\n"),
    (".hcp", LISTS + "1 2 -1\n2 3\n"),
    (".hcp", LISTS + "1 2 EOF"),
    (".col", ""),
    (".col", "c nothing\n"),
    (".col", "e 1 2\np edge 2 1\n"),
    (".col", "p edge 2\n"),
    (".col", "p cnf 2 1\n1 2 0\n"),
    (".col", "p edge 2 -1\n"),
    (".col", "p edge 2 1\np edge 2 1\ne 1 2\n"),
    (".col", "p edge 2 1\ne 1\n"),
    (".col", "p edge 2 1\ne 1 2 3\n"),
    (".col", "p edge 2 1\ne 1 3\n"),
    (".col", "p edge 2 1\ne 1 ²\n"),
    (".col", f"p edge 2 1\ne 1 {'1' * 5000}\n"),
    (".col", "p edge 2 1\nz\n"),
    (".col", "p edge 3 3\ne 1 2\ne 2 3\n"),
    (".col", "p edge 4 8\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"),
    (".col", "p edge 16777216 0\n"),
    (".hcp", EDGES + "1 2\n-1\nFIXED_EDGES_SECTION\n1 5\n-1\n"),
    (".hcp", EDGES + "1 2\n-1\nFIXED_EDGES\n1 2\n"),
    (".edges", "# nothing\n"),
    (".edges", "a b\nb c d\n"),
    (".edges", "a b\nb -> c\n"),
    (".edges", "\na -> b\nb c\n"),
    (".edges", "a ->\n"),
    (".edges", "-> a\n"),
    (".edges", "->\n"),
    (".edges", "a->b\n"),
    (".edges", "a -> -> b\n"),
    (".edges", "a b\r\nb b c\r\n"),
    (".edges", "a b\rb b c\r"),
    (".edges", b"a b\n\xff\xfe\n"),
    (".edges", b"a b\nb c\n\0\n"),
    (".hcp", b"\x89PNG\r\n\x1a\n"),
]


def test_what_is_not_a_graph_is_refused_in_a_sentence(tmp_path: Path, golden: Callable[[str], None]) -> None:
    sentences = ""
    for name, content in [*NOT_GRAPHS.items(), *MALFORMED]:
        with pytest.raises(BadInput) as refused:
            read(tmp_path, name, content)
        sentence = str(refused.value)
        assert name in sentence
        assert sentence.isprintable()
        assert len(sentence) < 300
        sentences += f"{name} {content!r:.100}\n    {sentence}\n" if isinstance(content, str) else f"{sentence}\n"
    golden(sentences)


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


# --- against a second reader ---


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
