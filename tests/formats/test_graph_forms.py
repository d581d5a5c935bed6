"""Every form of graph files: a text is read as the graph that was written, or refused by a sentence that names what
settles it; what people's programs write is read; no text that is another graph in another form is read in silence."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import networkx
import numpy as np
import pytest
from commands import Command, needed
from graph_corpus import CORPUS, PUBLIC, REPORTED
from graph_texts import Drawn, drawn

from cpsat_tour import BadInput, Graph, solve
from cpsat_tour.formats.graph_data import graph_of_data
from cpsat_tour.formats.graph_files import FORMS, read_graph
from cpsat_tour.formats.typed import move_of

Parts = tuple[frozenset[str], frozenset[tuple[str, str]]]


def parts(graph: Graph) -> Parts:
    """The names of the vertices, and the arcs; an undirected edge is an arc each way."""
    names = [graph.name(vertex) for vertex in range(graph.order)]
    arcs = zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)
    return frozenset(names), frozenset((names[tail], names[head]) for tail, head in arcs)


def written(case: Drawn) -> Parts:
    back = set() if case.directed else {edge[::-1] for edge in case.edges}
    return case.names, frozenset(case.edges | back)


def same(graph: Graph, case: Drawn) -> bool:
    """Whether it is the graph that was written. Below counts, vertices without edges have no names in the text."""
    (names, arcs), (own_names, own_arcs) = parts(graph), written(case)
    return arcs == own_arcs and (names == own_names or (case.form == "counts" and len(names) == len(own_names)))


def check(case: Drawn, folder: Path) -> bool:
    """Whether the text is read without its form; with it, it must be read."""
    path = folder / f"graph{case.suffix}"
    path.write_bytes(case.text)
    try:
        assert same(read_graph(path), case), case
    except BadInput as fault:
        refused = str(fault)
    else:
        return True
    form = case.form.partition(":")[0]
    assert f"--input {form}" in refused or "--columns" in refused or "is not the name of" in refused, (refused, case)
    told = case.form if form in ("edges", "dimacs") else f"{case.form}:{'directed' if case.directed else 'undirected'}"
    columns = case.columns or ("1", "2") * bool(re.search("(give|or) --columns 1,2", refused))
    assert same(read_graph(path, told, columns), case), case
    return False


@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 500), *(pytest.param(first, 4000, marks=pytest.mark.slow) for first in range(1000, 21000, 4000))],
)
def test_the_graph_that_is_read_is_the_graph_that_was_written(first: int, count: int, tmp_path: Path) -> None:
    read = sum(check(drawn(seed), tmp_path) for seed in range(first, first + count))
    assert read > 0.7 * count


REFUSED = {"dashes.txt", "facts.lp", "nx.adjlist"}
"""Of the corpus the texts that are refused although their authors meant one graph."""


def meant(graph: str) -> Parts:
    """The graph of a row of the corpus."""
    names, arcs = set(), set()
    for part in graph.split("|"):
        tail, mark, head = re.fullmatch(r"(.+?)(?:([->])(.+))?", part).groups()  # type: ignore[union-attr]
        names |= {tail, head} - {None}
        arcs |= {(tail, head)} if mark else set()
        arcs |= {(head, tail)} if mark == "-" else set()
    return frozenset(names), frozenset(arcs)


def need_library(suffix: str) -> None:
    """Skip the test if the library that reads files of this suffix is not installed."""
    libraries = {
        ".gml": "networkx",
        ".gexf": "networkx",
        ".graphml": "networkx",
        ".net": "networkx",
        ".dot": "pydot",
        ".mtx": "scipy",
    }
    if suffix in libraries:
        pytest.importorskip(libraries[suffix], reason="it is optional")


@pytest.mark.parametrize(
    ("name", "text", "graph"), [*CORPUS, *PUBLIC, *REPORTED], ids=lambda value: None if "\n" in str(value) else value
)
def test_what_programs_and_courses_write_is_read_or_refused(
    name: str, text: str, graph: str | None, tmp_path: Path
) -> None:
    need_library(Path(name).suffix)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    try:
        found = parts(read_graph(path))
    except BadInput:
        assert graph is None or name in REFUSED
    else:
        assert graph is not None
        assert found == meant(graph)


@pytest.mark.parametrize("form", [form for form in FORMS if "…" not in form.example], ids=lambda form: form.name)
def test_the_example_of_each_form_is_read_as_that_form(form: object, tmp_path: Path) -> None:
    assert isinstance(form, type(FORMS[0]))
    need_library((*form.suffixes, "")[0])
    path = tmp_path / f"graph{(*form.suffixes, '')[0]}"
    path.write_text(form.example)
    for graph in (read_graph(path), read_graph(path, form.name)):
        assert (graph.form, graph.order > 1, graph.size > 1) == (form.name, True, True)


def written_by(library: str, name: str) -> Callable[[Any, Path], object]:
    """The function of a library that writes a graph of networkx to a path."""
    module = pytest.importorskip(library, reason=f"{library} is optional")
    match name:
        case "npy":
            return lambda graph, path: np.save(path, networkx.to_numpy_array(graph))
        case "mtx":
            return lambda graph, path: module.mmwrite(path, networkx.to_scipy_sparse_array(graph))
        case "json":
            return lambda graph, path: path.write_text(json.dumps(networkx.adjacency_data(graph)))
        case "dot":
            write: Callable[[Any, Path], object] = networkx.nx_pydot.write_dot
        case _:
            names = {"net": "pajek", "g6": "graph6", "s6": "sparse6"}
            write = getattr(networkx, f"write_{names.get(name, name)}")
    return write


LIBRARIES = {"gml": "networkx", "gexf": "networkx", "graphml": "networkx", "net": "networkx", "json": "networkx"}
LIBRARIES |= {"g6": "networkx", "s6": "networkx", "edgelist": "networkx"}
LIBRARIES |= {"dot": "pydot", "npy": "numpy", "mtx": "scipy.io", "adjlist": "networkx"}


FORM_OF_SUFFIX = {"net": "pajek", "mtx": "matrix-market", "adjlist": "neighbours"}
FORM_OF_SUFFIX |= {"g6": "graph6", "s6": "graph6", "edgelist": "edges"}


@pytest.mark.parametrize("suffix", LIBRARIES)
@pytest.mark.parametrize("directed", [False, True])
def test_what_libraries_write_is_read(suffix: str, directed: bool, tmp_path: Path) -> None:
    write = written_by(LIBRARIES[suffix], suffix)
    first, path = int(suffix == "mtx"), tmp_path / f"graph.{suffix}"
    for seed in range(12):
        graph = networkx.gnp_random_graph(2 + seed, 0.5, seed, directed and suffix not in ("g6", "s6", "edgelist"))
        graph.add_edges_from((0, vertex) for vertex in range(1, 2 + seed if suffix == "edgelist" else 2))
        if suffix == "net":
            graph = networkx.relabel_nodes(graph, {node: f"v{node}" for node in graph})
        write(graph, path)
        form = FORM_OF_SUFFIX.get(suffix, suffix)
        try:
            found = read_graph(path)
        except BadInput:
            found = read_graph(path, f"{form}:{'directed' if directed else 'undirected'}")
        assert found.form == form
        pairs = [*graph.edges, *(() if graph.is_directed() else (edge[::-1] for edge in graph.edges))]
        named = {node: str(node + first) if isinstance(node, int) else node for node in graph}
        assert parts(found) == (frozenset(named.values()), frozenset((named[a], named[b]) for a, b in pairs))


def test_what_libraries_would_misread_is_refused(tmp_path: Path) -> None:
    """Some sections of Pajek are dropped or taken for others; edges in subgraphs of DOT, and ports, are lost."""
    pytest.importorskip("pydot", reason="pydot is optional")
    three = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'
    for name, text in (
        ("a.net", f"{three}*Edges\n1 2\n*Arcs\n2 3\n"),
        ("a.net", f"{three}*Edgeslist\n1 2 3\n"),
        ("a.net", three.replace('"c"', '"a"') + "*Edges\n1 2\n"),
        ("a.dot", "graph { a -- b; subgraph s { b -- c } }"),
        ("a.dot", "graph { a:n -- b }"),
        ("a.gml", 'graph [ node [ id 1 label "a" ] node [ id 2 label "a" ] edge [ source 1 target 2 ] ]'),
        ("a.net", three.replace("3", "4", 1) + "*Edges\n1 2\n"),
        (
            "a.graphml",
            '<?pi <!-- ?><!DOCTYPE g [<!ENTITY a "ha">]><!-- --><graphml><graph edgedefault="directed">'
            '<node id="&a;"/></graph></graphml>',
        ),
        (
            "a.graphml",
            '<!DOCTYPE g [<!ENTITY a "ha">]><graphml><graph edgedefault="directed"><node id="&a;"/></graph></graphml>',
        ),
    ):
        (tmp_path / name).write_text(text)
        sentences = r"only one section|different names|subgraphs|port|can't read|definitions|are announced, 3 follow"
        with pytest.raises(BadInput, match=sentences):
            read_graph(tmp_path / name)
    (tmp_path / "empty.net").write_text(f"{three}*Arcs\n*Edges\n1 2\n2 3\n")
    assert not read_graph(tmp_path / "empty.net").directed


def test_weights_of_tsplib_are_edges_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.atsp"
    for form, numbers in (
        ("FULL_MATRIX", "9 1 9 9 9 1 1 0 9"),
        ("FULL_MATRIX", "0 1 9 1 0 1 9 1 0"),
        ("UPPER_ROW", "1 9 1"),
    ):
        head = f"TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {form}\n"
        path.write_text(f"{head}EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n")
        with pytest.raises(BadInput, match="names no edges: of a FULL_MATRIX give --input tsplib:finite"):
            read_graph(path)
        if form != "FULL_MATRIX":
            with pytest.raises(BadInput, match="'UPPER_ROW', names no edges: of a FULL_MATRIX give"):
                read_graph(path, "tsplib:1")
            continue
        arcs = numbers.startswith("9")
        ones = {("1", "2"), ("2", "3")} | ({("3", "1")} if arcs else {("2", "1"), ("3", "2")})
        assert parts(read_graph(path, "tsplib:1"))[1] == ones
        more = {("3", "2")} if arcs else set()
        assert parts(read_graph(path, "tsplib:finite"))[1] == ones | more


def test_commands_say_which_form_was_read(command: Command, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("5 6\n1 2\n2 3\n3 4\n4 5\n5 1\n2 2\n")
    ran = command(f"solve {tmp_path / 'g.txt'} --closed --json -v")
    assert json.loads(ran.out)["input"] == {"form": "counts", "vertices": 5, "edges": 5, "loops": 1}
    assert "read as counts: 5 vertices, 5 edges, 1 loop passed over" in ran.err
    (tmp_path / "t.csv").write_text("Person,Friend,Since\nann,bob,1\nbob,cy,2\ncy,ann,3\n")
    assert "--columns" in command(f"solve {tmp_path / 't.csv'}", 2).err
    assert command(f"solve {tmp_path / 't.csv'} --columns Person,Friend --closed").out.split() == ["ann", "bob", "cy"]
    (tmp_path / "a.txt").write_text("1: 2 3\n2: 3\n3: 1\n")
    assert "neighbours:directed" in command(f"count {tmp_path / 'a.txt'} --closed", 2).err
    assert command(f"count {tmp_path / 'a.txt'} --closed --input neighbours:directed").out.strip() == "1"
    listed = command("formats").out
    assert all(f"{form.name}: {form.words}" in listed for form in FORMS)
    for wrong, sentence in (
        ("--input edgs", "did you mean edges?"),
        ("--input edges:both", "after the colon write directed or undirected"),
        ("--columns a", "has no columns a: choose two of"),
    ):
        assert sentence in command(f"solve {tmp_path / 'a.txt'} {wrong}", 2).err
    assert "is not a graph file" in command("solve 8x8 --input edges", 2).err
    (tmp_path / "d.col").write_text("p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n")
    call = f"solve {tmp_path / 'd.col'} --columns 2,3 --closed"
    assert "it is DIMACS, and --columns is for tables" in command(call, 2).err
    (tmp_path / "d.col").write_text("e 1 2\ne 2 3\ne 1 3\n")
    assert command(f"{call} --input edges").out.split() == ["1", "2", "3"]


def arcs_of(graph: Graph) -> set[tuple[str, str]]:
    return set(parts(graph)[1])


def test_what_is_said_of_a_file_is_heeded(tmp_path: Path) -> None:
    """Weights that differ both ways, pairs both ways and once, and entries of a matrix: the advice is no misreading."""
    for name, text, form, arcs in (
        ("a.txt", "3 4\n0 1 2\n1 0 3\n1 2 1\n2 0 1\n", "counts", {("0", "1"), ("1", "0"), ("1", "2"), ("2", "0")}),
        ("a.csv", "x,y,2\ny,z,1\ny,x,3\n", "edges", {("x", "y"), ("y", "z"), ("y", "x")}),
        ("a.json", "[[0,1],[1,0],[1,2]]", "json", {("0", "1"), ("1", "0"), ("1", "2")}),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadInput, match=f"give --input {form}:directed or --input {form}:undirected"):
            read_graph(tmp_path / name)
        assert arcs_of(read_graph(tmp_path / name, f"{form}:directed")) == arcs
        assert arcs_of(read_graph(tmp_path / name, f"{form}:undirected")) == arcs | {arc[::-1] for arc in arcs}
    rows = ["0 5 9999 5", "5 0 3 9999", "9999 3 0 4", "5 9999 4 0"]
    square = {(str(at), str((at + 1) % 4)) for at in range(4)}
    square |= {arc[::-1] for arc in square}
    for suffix, text in ((".txt", "\n".join(rows)), (".csv", "\n".join(rows).replace(" ", ","))):
        path = tmp_path / f"w{suffix}"
        path.write_text(text)
        for given in (None, "matrix"):
            with pytest.raises(BadInput, match=r"give --input matrix:nonzero if 0 .*, or --input matrix:finite if the"):
                read_graph(path, given)
        assert arcs_of(read_graph(path, "matrix:finite")) == square
        assert read_graph(path, "matrix:nonzero").size == 6
    for wrong in ("9999 5 3\n5 9999 2\n3 2 9999\n", "0 5 9\n5 0 3\n9 3 0\n"):
        (tmp_path / "w.txt").write_text(wrong)
        with pytest.raises(BadInput, match="its three rows may be a matrix"):
            read_graph(tmp_path / "w.txt")
    weights = np.array([row.split() for row in rows], dtype=int)
    np.save(tmp_path / "w.npy", weights)
    with pytest.raises(BadInput, match="--input npy:finite"):
        read_graph(tmp_path / "w.npy")
    assert arcs_of(read_graph(tmp_path / "w.npy", "npy:finite")) == square
    with pytest.raises(BadInput, match="matrix entries that are not 0 or of matrix entries below the largest"):
        solve(weights)
    with pytest.raises(BadInput, match="may be arcs or not"):
        solve([(0, 1), (1, 0), (1, 2), (2, 0)])


def test_what_is_refused_says_what_differs(tmp_path: Path) -> None:
    for name, text, sentence in (
        ("a.net", "*vertices 5\n1 ann\n2 bob\n3 cy\n4 di\n*edges\n1 2 1.5\n", "5 vertices are announced, 4 follow"),
        ("a.txt", "N=4\n0: 1 -1\n1: 0 -1\n", "4 vertices are announced, 2 follow: give --input neighbours if these"),
        ("a.json", '{"n":5,"edges":[["a","b"]]}', "5 vertices are announced, 2 follow"),
        ("a.json", "{}", "it has no vertices"),
        ("a.json", '{"nodes":["a","a "],"edges":[]}', "two of its vertices have the same name"),
        ("two.s6", ">>sparse6<<:Bc\n:Bc\n", "it has 2 graphs, a line each"),
        ("a.txt", "t-1 4\nt-2 4\n", "'t-1 4' may be a name with a dash and another, of --columns 1,2, or a weight"),
        ("cycle.txt", "3\n1 1\n1 2\n1 0\n", "give --input counts or --input lad"),
        ("a.hcp", "TYPE : HCP\nDIMENSION : 3\nEDGE_LIST\n1 2\n-1\n", "'EDGE_LIST' is not a header line"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadInput, match=sentence):
            read_graph(tmp_path / name)
    (tmp_path / "a.txt").write_text("t-1 4\nt-2 4\n")
    assert arcs_of(read_graph(tmp_path / "a.txt", "edges")) == {("t", "1"), ("1", "t"), ("t", "2"), ("2", "t")}
    assert read_graph(tmp_path / "a.txt", None, ("1", "2")).order == 3


def test_names_in_quotation_marks_come_back(command: Command, tmp_path: Path) -> None:
    """From tour files, in moves, and in JSON."""
    names = ["North, Old - Road", "Who's #1? [yes]", 'Salt & Stone; "x"', "-1 a"]
    nodes = "".join(f'node [ id {at} label "{escape(name, {chr(34): "&quot;"})}" ]\n' for at, name in enumerate(names))
    edges = "".join(f"edge [ source {at} target {(at + 1) % 4} ]\n" for at in range(4))
    path = tmp_path / "q.gml"
    path.write_text(f"graph [\n{nodes}{edges}]\n")
    graph = read_graph(path)
    assert move_of(graph, f"{names[0]}-{names[1]}") == (0, 1)
    tour = needed(solve(graph, closed=True, start=names[3]).tour)
    assert (tour.names[0], set(tour.names)) == (names[3], set(names))
    for suffix in (".txt", ".json"):
        tour.save(tmp_path / f"tour{suffix}")
        assert "4 vertices, verified" in command(f"verify {tmp_path / f'tour{suffix}'}").out
    assert json.loads(command(f"solve {path} --closed --json").out)["tour"] == names


def test_a_move_that_may_be_two_is_refused(tmp_path: Path, command: Command) -> None:
    """Names may have hyphens; a move that the graph has goes before one that it has not."""
    table = tmp_path / "t.csv"
    table.write_text("source,target\na-b,b\nb,b-b\nb-b,c\nc,a-b\na,b-b\na,c\n")
    for option in ("--require", "--forbid"):
        refused = command(f"solve {table} {option} a-b-b", 2).err
        assert "'a-b-b' may be the move from a to b-b or a-b to b: give" in refused
    table.write_text("source,target\na-b,b\nb,b-b\nb-b,c\nc,a-b\na,c\n")
    assert command(f"count {table} --require a-b-b --start a-b").out == command(f"count {table} --start a-b").out


SQUARE = {(0, 1), (1, 2), (2, 3), (0, 3)}


@pytest.mark.parametrize(
    "data",
    [
        [(0, 1), (1, 2), (2, 3), (3, 0)],
        {(0, 1), (1, 2), (2, 3), (3, 0)},
        [[0, 1], [1, 2], [2, 3], [3, 0]],
        {0: [1, 3], 1: [0, 2], 2: [1, 3], 3: [0, 2]},
        {0: {1: {}, 3: {}}, 1: {0: {}, 2: {}}, 2: {1: {}, 3: {}}, 3: {0: {}, 2: {}}},
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]],
        np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]),
        np.array([(0, 1), (1, 2), (2, 3), (3, 0)]),
    ],
)
def test_python_objects_are_graphs(data: object) -> None:
    tour = needed(solve(data, closed=True, start=2).tour)  # type: ignore[arg-type]
    assert tour.nodes[0] == 2
    ends = zip(tour.nodes, [*tour.nodes[1:], 2], strict=True)
    assert {(min(pair), max(pair)) for pair in ends} == SQUARE


def test_python_objects_that_are_several_graphs_are_refused() -> None:
    for data, sentence in (
        (
            [[1, 3], [0, 2], [1, 3], [0, 2]],
            "it may be a list of edges or of neighbours, and these are different graphs",
        ),
        ([[2, 4], [1, 3], [2, 4], [1, 3]], "of edges or of neighbours1, and these are different graphs"),
        ([(0, 1), (1, 2), (2, None)], "None is no vertex"),
        ({0: [1], 1: []}, "may be arcs or not"),
        ([[0, 1], [0, 0]], "different graphs"),
        ([1, 2, 3], "is not a graph"),
        (np.array([[0, 1, np.inf], [1, 0, 2], [np.inf, 2, 0]]), "write 0 where there is no edge"),
        ({0: 1}, "are not a list"),
        (3.5, "can't solve 3.5"),
        (np.zeros((2, 3)), "is not a graph"),
        ([([1], 2)], "hashable"),
        ([(10**5000, 2)], "a vertex must be"),
        ([(0, np.float32("nan"))], "nan is no vertex"),
        (np.array(3), "is not a graph"),
        (dict.fromkeys("ab", np.array(3)), "are not a list"),
    ):
        with pytest.raises(BadInput, match=sentence):
            solve(data)  # type: ignore[arg-type]
    assert graph_of_data({0: [1], 1: []}, directed=True).directed
    with pytest.raises(BadInput, match="give the graph itself"):
        solve(networkx.cycle_graph(4).edges)


def test_a_list_is_of_the_kind_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text("[[1, 2], [0, 2], [0]]")
    with pytest.raises(BadInput, match="it is not a list of edges"):
        read_graph(tmp_path / "g.json", "json:edges")
    with pytest.raises(BadInput, match=r"after the colon write directed or undirected$"):
        read_graph(tmp_path / "g.json", "edges:true")


BROKEN: tuple[tuple[str, str, object], ...] = (
    ("csr", "indptr", np.array([0, 10**8, 2, 6], dtype=np.int32)),
    ("csr", "indptr", np.array([0, 5, 0, 0], dtype=np.int32)),
    ("csc", "indptr", np.array([0, 2, 4], dtype=np.int32)),
    ("csr", "indices", np.array([1, 2, 0, 2, 0, 7], dtype=np.int32)),
    ("csr", "data", np.ones(5)),
    ("bsr", "indices", np.array([-1], dtype=np.int32)),
    ("coo", "coords", (np.array([0, 1]), np.array([1, -3]))),
    ("coo", "data", np.ones(9)),
    ("lil", "data", np.array([[1] * 100, [1], [1]], dtype=object)),
    ("dok", "_dict", {(0, 99): 1}),
)
"""A part of a matrix that is changed after it was made, by the form of the matrix."""


def test_objects_of_other_libraries_are_graphs() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is optional")
    towns = pandas.DataFrame({"a": ["Ulm", "Bern", "Rom"], "b": ["Bern", "Rom", "Ulm"]})
    tour = needed(solve(towns, closed=True, start="Rom").tour)
    assert tour.nodes[0] == "Rom"
    matrix = pandas.DataFrame([[0, 1, 1], [1, 0, 1], [1, 1, 0]], index=[*"xyz"], columns=[*"xyz"])
    assert solve(matrix.to_numpy(), closed=True).tour is not None
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is optional")
    triangle = sparse.csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
        assert solve(triangle.asformat(form), closed=True).tour is not None
    for form, part, wrong in BROKEN:
        broken = triangle.asformat(form, copy=True)
        setattr(broken, part, wrong)
        with pytest.raises(BadInput, match="the arrays of the sparse matrix don't fit"):
            solve(broken)
    for data, sentence in (
        (sparse.coo_array((10**9, 10**9)), "the number of vertices"),
        (matrix, r"two columns; of a matrix give its array, to_numpy\(\)"),
        (pandas.DataFrame({"a": [1, 2], "b": [2, pandas.NA]}), r"no vertex|a vertex must be"),
    ):
        with pytest.raises(BadInput, match=sentence):
            solve(data)
    igraph = pytest.importorskip("igraph", reason="igraph is optional")
    ring = igraph.Graph.Ring(5)
    ring.vs["name"] = [*"abcde"]
    assert sorted(solve(ring, closed=True).tour.nodes) == [*"abcde"]  # type: ignore[union-attr]
