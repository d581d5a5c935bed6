"""Graph files: what is written is read again, every malformed line is named, and nothing but `BadInput` ever comes
out."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats import graph_files, named_graphs
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.formats.spaces import graph_of

SUFFIXES = (".hcp", ".col", ".edge", ".edges", ".edgelist", ".csv", ".g6", ".s6", ".graphml", ".txt", "")
HEADER = "NAME : t\nTYPE : HCP\nDIMENSION : 4\n"


def read(folder: Path, suffix: str, content: str | bytes) -> Graph:
    path = folder / f"six{suffix}"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_graph(path)


def named_edges(graph: Graph) -> set[tuple[str, str]]:
    tails, heads = graph.edges()
    pairs = {(graph.name(tail), graph.name(head)) for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)}
    return pairs if graph.directed else {(min(pair), max(pair)) for pair in pairs}


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
    (".col", "p col 4 8\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"),
    (".edges", "\ufeff# a square\n1 2\n2 3  # the second\n\nvertex 3\n3 4\n4\t1\n1 2\n2 1\n"),
]


@pytest.mark.parametrize(("suffix", "content"), SQUARES)
def test_the_square_in_every_form(tmp_path: Path, suffix: str, content: str) -> None:
    for name in (suffix, ".txt"):  # by suffix, and by content
        graph = read(tmp_path, name, content)
        assert (graph.order, graph.directed) == (4, False)
        assert named_edges(graph) == SQUARE
        assert [graph.space.vertex(str(number)) for number in range(1, 5)] == [0, 1, 2, 3]
        assert graph.coordinates is None


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for _, content in SQUARES:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))
        assert named_edges(read_graph("-")) == SQUARE
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a b c d")))
    with pytest.raises(BadInput, match=r"^standard input, line 1: "):
        read_graph("-")


def test_directed_edge_list(tmp_path: Path) -> None:
    graph = read(tmp_path, ".edges", "A -> B\nA -> D\nB -> C\nB -> D\nD -> E\nE -> F\nF -> C\nC -> F\nvertex lonely\n")
    assert graph.directed
    assert (graph.order, graph.size) == (7, 8)
    assert [graph.name(vertex) for vertex in range(7)] == ["A", "B", "C", "D", "E", "F", "lonely"]
    assert named_edges(graph) >= {("F", "C"), ("C", "F"), ("A", "B")}


def test_vertices_without_edges(tmp_path: Path) -> None:
    assert (
        read(tmp_path, ".edges", "vertex a\nvertex b\nvertex a\n").order,
        read(tmp_path, ".edges", "vertex a\nvertex b\n").size,
    ) == (2, 0)
    assert read(tmp_path, ".col", "p edge 3 0\n").order == 3
    assert read(tmp_path, ".hcp", HEADER + "EDGE_DATA_SECTION\n-1\nEOF\n").order == 4


@pytest.mark.parametrize(
    "weights", ["0 1 1\n1 2 1\n2 0 1\n", "0 1 1\n", "0 1 1\n1 0 1\n", "0 1\n1 0\n", "0 1 1\n1 0 1\n0 1 1\n1 0 1\n"]
)
def test_edges_with_weights_are_not_taken_for_a_matrix(tmp_path: Path, weights: str) -> None:
    """Rows of 0 and 1 that are not as many as their numbers are edges."""
    for suffix, mark in ((".edges", " "), (".csv", ",")):
        assert ("0", "1") in named_edges(read(tmp_path, suffix, weights.replace(" ", mark)))


@pytest.mark.parametrize("content", ["5 4\n4 3\n3 2\n2 1\n1 5\n", "a b\n1 2\n2 3\n", "a b\nx y\n"])
def test_a_first_line_that_is_an_edge_is_read_below_a_header(tmp_path: Path, content: str) -> None:
    for suffix, mark in ((".edges", " "), (".csv", ",")):
        text = content.replace(" ", mark)
        with pytest.raises(BadInput, match=f"write source{mark}target above it where it is an edge"):
            read(tmp_path, suffix, text)
        assert read(tmp_path, suffix, f"Source{mark}Target\n{text}").size == content.count("\n")
        assert read(tmp_path, suffix, f"from{mark}to{mark}cost\n{text}").size == content.count("\n")
    with pytest.raises(BadInput, match=r"there is no file nosuch\.edges: write the path of a graph file, or a board"):
        graph_of("nosuch.edges")


def test_names_not_in_the_file(tmp_path: Path) -> None:
    graph = read(tmp_path, ".edges", "a b\nb c\n")
    with pytest.raises(BadInput, match=r"^'z' is not a vertex of six.edges: its 3 vertices are a, b, c$"):
        graph.space.vertex("z")


MALFORMED = [
    (".csv", "New York,Boston\n", "six.csv, line 1: 'New York' is not the name of a vertex: write 'New_York'"),
    (".edges", "a b\na\u00ad b\n", "six.edges, line 2: 'a\\xad' is not the name of a vertex"),
    (".edges", "a -> b\nb -> \033[31m\n", "six.edges, line 2: '\\x1b[31m' is not the name of a vertex"),
    (
        ".txt",
        "0 1 0\n1 0 1\n0 1 0\n",
        "six.txt, line 2: '1 0' has the weight 1, and the other way round 0 in line 1: write A -> B where edges are "
        "directed, and an edge a line instead of a table",
    ),
    (
        ".edges",
        "# path\n\n0 1 0 0\n1 0 1 0\n0 1 0 1\n0 0 1 0",
        "six.edges, line 3: '0 1 0 0' is not an edge",
    ),
    (".csv", "# all\n0,1,1\n1,0,1\n1,1,0\n", "six.csv, line 4: an edge joins '1' to itself"),
    (".csv", "u,v\nx,y\ny,z\nz,x\n", "six.csv, line 1: 'u,v' may be an edge, or a header, for no other line has these"),
    (".csv", "source,target\nx,source\n", "six.csv: 'source' is in the header and a vertex too"),
    (".edges", "5 4\n4 3\n3 2\n2 1\n1 5\n", "six.edges, line 1: '5 4' may be an edge, or the numbers of vertices"),
    (".edges", "4 4\n1 2\n2 3\n3 4\n4 1\n", "six.edges, line 1: an edge joins '4' to itself: leave out the numbers of"),
    (".edges", "a 0.5\n", "six.edges, line 1: '0.5' is a number with a fraction"),
    (".hcp", "", "six.hcp is empty"),
    (".hcp", " \n\n", "six.hcp is empty"),
    (".hcp", "NAME : t\n", "six.hcp, line 1: the file ends before its EDGE_DATA_SECTION"),
    (".hcp", HEADER + "EOF\n", "six.hcp, line 4: the file ends before its EDGE_DATA_SECTION"),
    (".hcp", "EDGE_DATA_SECTION\n1 2\n-1\nEOF", "six.hcp: the header has no DIMENSION"),
    (".hcp", HEADER + "DIMENSION : 5\nEDGE_DATA_SECTION\n-1", "six.hcp, line 4: DIMENSION was given before, in line 3"),
    (
        ".hcp",
        "DIMENSION : x\nEDGE_DATA_SECTION\n-1",
        "six.hcp, line 1: DIMENSION can't be 'x': it is a whole number from 1",
    ),
    (".hcp", "DIMENSION : ٤\nEDGE_DATA_SECTION\n-1", "six.hcp, line 1: DIMENSION can't be '٤'"),
    (".hcp", "DIMENSION : 0\nEDGE_DATA_SECTION\n-1", "six.hcp, line 1: DIMENSION can't be '0'"),
    (".hcp", "DIMENSION : 99999999999\nEDGE_DATA_SECTION\n-1", "six.hcp, line 1: DIMENSION can't be '99999999999'"),
    (".hcp", f"DIMENSION : {'9' * 5000}\nEDGE_DATA_SECTION\n-1", "six.hcp, line 1: DIMENSION can't be '9999"),
    (".hcp", HEADER + "what is this\nEDGE_DATA_SECTION\n-1", "six.hcp, line 4: 'what is this' is not a header line"),
    (
        ".hcp",
        "TYPE : TSP\nDIMENSION : 4\nEDGE_DATA_SECTION\n-1",
        "six.hcp, line 1: the file is of TYPE 'TSP': only HCP is read",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_FORMAT : MATRIX\nEDGE_DATA_SECTION\n-1",
        "six.hcp, line 4: EDGE_DATA_FORMAT can't be 'MATRIX'",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_SECTION\n1 2\n2 5\n-1\nEOF",
        "six.hcp, line 6: a vertex can't be '5': it is a whole number from 1 to 4",
    ),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n0 2\n-1\nEOF", "six.hcp, line 5: a vertex can't be '0'"),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n1 -2\n-1\nEOF", "six.hcp, line 5: a vertex can't be '-2'"),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n1 2\n3\n-1\nEOF", "six.hcp, line 7: a vertex can't be '-1'"),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n1 2\n2 2\n-1\nEOF", "six.hcp, line 6: an edge joins vertex 2 to itself"),
    (".hcp", HEADER + "EDGE_DATA_SECTION\n1 2\n2 3\n", "six.hcp, line 6: the edges don't end with -1"),
    (
        ".hcp",
        HEADER + "EDGE_DATA_SECTION\n1 2\n-1\nEOF2\n",
        "six.hcp, line 7: 'EOF2' stands after the end of the edges",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 -1\n2 3\n",
        "six.hcp, line 7: the edges don't end",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 1 -1\n-1",
        "six.hcp, line 6: an edge joins vertex 1 to itself",
    ),
    (
        ".hcp",
        HEADER + "EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 EOF",
        "six.hcp, line 6: a vertex can't be 'EOF'",
    ),
    (".col", "", "six.col is empty"),
    (".col", "c nothing\n", "six.col: there is no header"),
    (".col", "e 1 2\np edge 2 1\n", "six.col, line 1: an edge stands before the header"),
    (".col", "p edge 2\n", "six.col, line 1: the header is wrong"),
    (".col", "p cnf 2 1\n1 2 0\n", "six.col, line 1: the header is wrong"),
    (".col", "p edge 2 -1\n", "six.col, line 1: the number of edges can't be '-1'"),
    (".col", "p edge 2 1\np edge 2 1\ne 1 2\n", "six.col, line 2: this is a second header: the first stands in line 1"),
    (".col", "p edge 2 1\ne 1\n", "six.col, line 2: an edge has two ends"),
    (".col", "p edge 2 1\ne 1 2 3\n", "six.col, line 2: an edge has two ends"),
    (".col", "p edge 2 1\ne 1 3\n", "six.col, line 2: a vertex can't be '3': it is a whole number from 1 to 2"),
    (".col", "p edge 2 1\ne 1 1\n", "six.col, line 2: an edge joins vertex 1 to itself"),
    (".col", "p edge 2 1\ne 1 ²\n", "six.col, line 2: a vertex can't be '²'"),
    (".col", f"p edge 2 1\ne 1 {'1' * 5000}\n", "six.col, line 2: a vertex can't be '1111"),
    (".col", "p edge 2 1\nz\n", "six.col, line 2: a line can't begin with 'z': it begins with c, p or e"),
    (".col", "p edge 3 3\ne 1 2\ne 2 3\n", "six.col, line 1: the header promises 3 edges, and the file has 2"),
    (".edges", "# nothing\n", "six.edges: there is no edge in it"),
    (".edges", "a b\nb c d\n", "six.edges, line 2: 'b c d' is not an edge"),
    (".edges", "a b\nb -> c\n", "six.edges, line 2: this edge is directed, but that of line 1 is undirected"),
    (".edges", "\na -> b\nb c\n", "six.edges, line 3: this edge is undirected, but that of line 2 is directed"),
    (".edges", "a ->\n", "six.edges, line 1: 'a' is not an edge"),
    (".edges", "-> a\n", "six.edges, line 1: '-> a' is not an edge"),
    (".edges", "->\n", "six.edges, line 1: '->' is not an edge"),
    (".edges", "a->b\n", "six.edges, line 1: 'a->b' is not an edge: write two names, A B or A -> B with spaces"),
    (".edges", "a -> -> b\n", "six.edges, line 1: 'a -> b' is not an edge"),
    (".edges", "a b\r\nb b\r\n", "six.edges, line 2: an edge joins 'b' to itself"),
    (".edges", "a b\rb b\r", "six.edges, line 2: an edge joins 'b' to itself"),
    (".edges", b"a b\n\xff\xfe\n", "six.edges, line 2: this is not text"),
    (".edges", b"a b\nb c\n\0\n", "six.edges, line 3: this is not text"),
    (".hcp", b"\x89PNG\r\n\x1a\n", "six.hcp, line 1: this is not text"),
]


@pytest.mark.parametrize(("suffix", "content", "sentence"), MALFORMED)
def test_malformed_files_are_rejected_by_line(tmp_path: Path, suffix: str, content: str | bytes, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(tmp_path, suffix, content)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path / "none.hcp", tmp_path, tmp_path / ("x" * 300), Path("/dev/null"), Path("nul\0l")):
        with pytest.raises(BadInput, match=r"^(can't read )?[^\n]+$"):
            read_graph(path)


def test_huge_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_files, "MAX_BYTES", 1 << 20)
    with pytest.raises(BadInput, match="too large: at most 1 MB"):
        read_graph("/dev/zero")
    with pytest.raises(BadInput, match="too large"):
        read(tmp_path, ".edges", b"a b\n" * (1 << 18) + b"\n")
    monkeypatch.setattr(named_graphs, "MAX_VERTICES", 3)
    with pytest.raises(BadInput, match="there are more vertices than 3"):
        read(tmp_path, ".edges", "a b\nc d\n")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, set[tuple[int, int]]]:
    order = draw(st.integers(1, 8))
    ends = st.integers(1, order)
    return order, {
        (min(edge), max(edge)) for edge in draw(st.sets(st.tuples(ends, ends), max_size=12)) if edge[0] != edge[1]
    }


@given(graphs(), st.sampled_from(["hcp", "adj", "col", "edges"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_files_are_read_again(tmp_path: Path, graph: tuple[int, set[tuple[int, int]]], form: str) -> None:
    order, edges = graph
    lines = {
        "hcp": [f"DIMENSION : {order}", "EDGE_DATA_SECTION", *(f"{a} {b}" for a, b in edges), "-1", "EOF"],
        "adj": [
            *(f"DIMENSION : {order}", "EDGE_DATA_FORMAT : ADJ_LIST", "EDGE_DATA_SECTION"),
            *(" ".join(map(str, [v, *(b for a, b in edges if a == v), -1])) for v in range(1, order + 1)),
            *("-1", "EOF"),
        ],
        "col": [f"p edge {order} {len(edges)}", *(f"e {a} {b}" for a, b in edges)],
        "edges": [*(f"vertex {a}" for a in range(1, order + 1)), *(f"{b} {a}" for a, b in edges)],
    }[form]
    found = read(tmp_path, {"adj": ".hcp"}.get(form, f".{form}"), "\n".join(lines))
    assert found.order == order
    assert named_edges(found) == {(str(a), str(b)) for a, b in edges}


fragments = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "-1",
        "0",
        "e",
        "p",
        "c",
        "edge",
        "col",
        "4",
        "->",
        "#",
        "\n",
        " ",
        "DIMENSION",
        ":",
        "EDGE_DATA_SECTION",
        "EOF",
        "TYPE",
        "HCP",
        "٣",
        "²",
        "\r",
        "\x0b",
        "\u2028",
    ]
)


@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.lists(fragments).map(lambda parts: " ".join(parts).encode())),
    st.sampled_from(SUFFIXES),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
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
