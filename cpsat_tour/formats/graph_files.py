"""Reads graphs from files: a table of forms, each of which looks at the whole file; writes DIMACS and graph6.

A file is read if one form fits it, or all that fit it say the same graph; a list of edges or of neighbours that may be
another thing gives way to a form that fits without a doubt. Its suffix rules out the forms of other
suffixes; `--input FORM` (in Python ``form``) names the form. Otherwise it is refused, with the forms that it may be: a
misread graph has true answers to a question that nobody asked. Limits: 128 MB and 2**24 vertices.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from cpsat_tour.core.errors import BadInput, suggest
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import MAX_BYTES, GraphFault, check_place, decoded, read_bytes, write
from cpsat_tour.formats.graph_data import DATA_KINDS, edge_set, read_json
from cpsat_tour.formats.graph_lines import graph6_line, read_graph6
from cpsat_tour.formats.known_forms import (
    read_dimacs,
    read_dot,
    read_gml,
    read_matrix_market,
    read_npy,
    read_pajek,
    read_tsplib,
    read_xml,
)
from cpsat_tour.formats.listed_graphs import (
    KINDS,
    counts_of,
    read_adjacency_rows,
    read_counts,
    read_edges,
    read_facts,
    read_lad,
    read_matrix,
    read_metis,
    read_neighbours,
)
from cpsat_tour.formats.named_graphs import Text, Unsettled


@dataclass(frozen=True)
class Form:
    """A form of graph files: its name, its description, its suffixes, its reader and a short example. ``sign`` is a
    pattern that begins a line only in files of this form; without one the reader itself finds out whether a text is of
    the form. A text may be of several ``kinds``, of which one is given with the form: ``tsplib:finite``."""

    name: str
    words: str
    suffixes: tuple[str, ...]
    read: Callable[[Text], Graph]
    example: str
    sign: str = ""
    kinds: tuple[str, ...] = ()


ARRAY = "\x93NUMPY"
"""The first bytes of the form that is not a text."""

FORMS = (
    Form("edges", "an edge list", (".edges", ".edgelist", ".csv", ".tsv"), read_edges, "A B\nB C\nC A"),
    Form(
        "counts",
        "an edge list below its counts",
        (".edges", ".csv", ".tsv"),
        read_counts,
        "4 5\n1 2\n2 3\n3 4\n4 1\n1 3",
    ),
    Form("neighbours", "lists of neighbours", (".adjlist",), read_neighbours, "A: B C\nB: A C\nC: A B"),
    Form("rows0", "rows of neighbours from 0", (), partial(read_adjacency_rows, first=0), "1 2 3\n0\n0\n0"),
    Form("rows1", "rows of neighbours from 1", (), partial(read_adjacency_rows, first=1), "2 3 4\n1\n1\n1"),
    Form("metis", "METIS", (".metis",), read_metis, "3 3\n2 3\n1 3\n1 2"),
    Form("lad", "LAD", (".lad",), read_lad, "3\n2 1 2\n2 0 2\n2 0 1"),
    Form(
        "matrix",
        "a matrix of 0 and 1",
        (".csv", ".tsv"),
        read_matrix,
        "0 1 1\n1 0 1\n1 1 0",
        kinds=("nonzero", "finite"),
    ),
    Form("facts", "facts", (".lp", ".pl"), read_facts, "arc(a,b). arc(b,c).\narc(c,a)."),
    Form("json", "JSON", (".json",), read_json, '{"A": ["B"], "B": ["A", "C"], "C": ["B"]}', kinds=(*DATA_KINDS,)),
    Form(
        "dimacs",
        "DIMACS",
        (".col", ".edge", ".dimacs", ".clq", ".gr"),
        read_dimacs,
        "p edge 3 2\ne 1 2\ne 2 3",
        r"p[ \t]+(?:[a-z]+[ \t]+)?\d+[ \t]+\d+[ \t]*$|[ea](?:[ \t]+\d+){2,3}[ \t]*$",
    ),
    Form(
        "tsplib",
        "TSPLIB",
        (".hcp", ".tsp", ".atsp"),
        read_tsplib,
        "TYPE : HCP\nDIMENSION : 3\nEDGE_DATA_SECTION\n1 2\n2 3\n-1\nEOF",
        r"[ \t]*(?:(?:TYPE|DIMENSION|EDGE_DATA_FORMAT)[ \t]*:|EDGE_DATA_SECTION)",
        ("finite", "0", "1"),
    ),
    Form("matrix-market", "Matrix Market", (".mtx",), read_matrix_market, "%%MatrixMarket …", r"%%MatrixMarket\b"),
    Form(
        "graphml", "GraphML", (".graphml",), partial(read_xml, form="graphml"), "<graphml>…", r"\s*<(?:\w+:)?graphml\b"
    ),
    Form("gexf", "GEXF", (".gexf",), partial(read_xml, form="gexf"), "<gexf>…", r"\s*<(?:\w+:)?gexf\b"),
    Form("gml", "GML", (".gml",), read_gml, "graph [ node [ id 1 ] … ]", r"\s*graph\s*\[|\s*graph\s*$"),
    Form(
        "dot",
        "DOT",
        (".dot", ".gv"),
        read_dot,
        "graph { a -- b; b -- c }",
        r"\s*(?:strict\s+)?(?:di)?graph\b[^\[\n]*\{",
    ),
    Form(
        "pajek",
        "Pajek",
        (".net", ".paj"),
        read_pajek,
        '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n2 3',
        r"\*(?i:vertices)\b",
    ),
    Form("npy", "a matrix of NumPy", (".npy",), read_npy, "numpy.save …", ARRAY, ("nonzero", "finite")),
    Form(
        "graph6",
        "graph6, sparse6 or digraph6",
        (".g6", ".s6", ".d6"),
        read_graph6,
        "Bw",
        ">>(?:graph|sparse|digraph)6<<",
    ),
)
_TGF = re.compile(r"(?:^|\n)[^#%\n][^\n]*\n#[ \t]*\n[^#%\n]")
"""A line # between others that are no comments: the mark of TGF, parts of which could be taken for edge lists."""


def read_graph(path: str | os.PathLike[str], form: str | None = None, columns: Sequence[str] = ()) -> Graph:
    """Return the graph in a file, whose form is recognised unless it is given.  `BadInput` names the wrong line.

    - ``path`` (a path, needed): a graph file in one of the forms that ``cpsat-tour formats`` lists; ``"-"`` reads
      standard input.
    - ``form`` (str, default None): its form, ``"edges"``, ``"counts:directed"``, …; None if the content shows it.
    - ``columns`` (two strs, default none): the columns of a table that have vertices, by name, or by number from 1.
    """
    path = os.fspath(path)
    source = "standard input" if path == "-" else os.path.basename(path)
    content = read_bytes(path, MAX_BYTES)
    name, *kinds = (form or ("edges" if columns else "")).split(":")
    by_name = {known.name: known for known in FORMS}
    if name and name not in by_name:
        raise BadInput(f"there is no form {name!r:.60} of graph files: {suggest(name, by_name)}")
    known = (*KINDS, *(by_name[name].kinds if name else ()))
    if unknown := [kind for kind in kinds if kind not in known]:
        raise BadInput(f"the form {name}:{unknown[0]:.60} can't be: after the colon write {' or '.join(known)}")
    directed = next((KINDS[kind] for kind in kinds if kind in KINDS), None)
    kind = next((kind for kind in kinds if kind not in KINDS), "")
    try:
        whole = content.decode("latin-1")
        if not whole.startswith(ARRAY):
            whole = decoded(content, source).replace("\r\n", "\n").replace("\r", "\n").rstrip()
        text = Text(whole, source, directed, tuple(columns), name != "", kind)
        if not text.whole:
            raise BadInput(f"{source} is empty: a graph is expected in it")
        signed = [
            known
            for known in FORMS
            if known.sign and not form and re.search(f"^(?:{known.sign})", text.whole, re.MULTILINE)
        ]
        if columns and signed:
            raise GraphFault(0, f"it is {signed[0].words}, and --columns is for tables: leave it out")
        if name:
            return replace(by_name[name].read(text), form=name, checked=True)
        return _recognised(text, os.path.splitext(path)[1].lower(), signed)
    except GraphFault as fault:
        sentence = fault.sentence.replace("{form}", name)
        raise BadInput(f"{source}{f', line {fault.line}' * bool(fault.line)}: {sentence}") from None


def _recognised(text: Text, suffix: str, signed: list[Form]) -> Graph:
    """Return the graph in a text whose form is not given; the suffix, the forms whose sign is in the text, and all
    forms that fit it decide."""
    if text.whole.startswith("#!") or suffix == ".tgf" or _TGF.search(text.whole):
        what = "a script" if text.whole.startswith("#!") else "TGF, with # between vertices and edges"
        raise GraphFault(1, f"it is {what}, which is not read: write an edge list")
    named = [form for form in FORMS if suffix in form.suffixes]
    fitting, faults = dict[Form, Graph](), dict[Form, GraphFault]()
    for form in signed[:1] or [form for form in FORMS if not form.sign or form in named]:
        try:
            fitting[form] = form.read(text)
        except GraphFault as wrong:
            faults[form] = wrong
            if isinstance(wrong, Unsettled):
                fitting[form] = wrong.graph
    kept = {form: graph for form, graph in fitting.items() if not named or form in named}
    settled = {form.name for form in kept if form not in faults}
    if "counts" in settled and sum(counts_of(text)[0][1:]) <= 2:  # two larger numbers that fit are no chance
        settled.remove("counts")
    if settled:  # a list that may be another thing is that thing
        weak = {"neighbours", *("edges", "rows0", "rows1") * ("counts" in settled)}
        weak |= {"edges"} - {form.name for form, fault in faults.items() if "{form}:directed" in fault.sentence}
        kept = {form: graph for form, graph in kept.items() if not (form in faults and form.name in weak)}
    sure = [form for form in kept if form not in faults]
    if len(kept) > 1 and (len(sure) < len(kept) or len({edge_set(graph) for graph in kept.values()}) > 1):
        words, remedy = (
            " or ".join(known) for known in zip(*((f.words, f"--input {f.name}") for f in kept), strict=True)
        )
        raise GraphFault(0, f"it may be {words}, and these are different graphs: give {remedy}")
    if sure:
        return replace(kept[sure[0]], form=sure[0].name, checked=True)
    likely = sorted(
        faults, key=lambda form: -2 * ("--input" in faults[form].sentence) - ("--" in faults[form].sentence)
    )
    named = [form for form in likely if form in named] or named
    form = [*kept, *(signed if signed and not fitting else named or likely)][0]
    fault = faults.get(form, GraphFault(0, f"it is {form.words} by its suffix"))
    read_as = "" if signed or named or kept else f"read as {form.words}, "
    fits = "" if kept or not fitting else "; it is {0.words} by its content: give --input {0.name}".format(*fitting)
    sentence = fault.sentence.replace("{words}", form.words).replace("{form}", form.name)
    raise GraphFault(fault.line, f"{read_as}{sentence}{fits}")


WRITTEN = (".edge", ".g6")
"""The suffixes of the files that `write_graph` writes, in DIMACS and in graph6."""


def write_graph(graph: Graph, path: str | os.PathLike[str], *, force: bool = False) -> str:
    """Write an undirected graph, its vertices numbered, and return the SHA-256 digest of the file. Raises `BadInput` if
    the graph is directed, has required edges, or is too large for graph6 to be read again, or the file can't be
    written."""
    dimacs = os.fspath(path).lower().endswith(".edge")
    if graph.directed or graph.required:
        raise BadInput(
            f"can't write {path}: {graph.called} {'is directed' if graph.directed else 'has required edges'}, "
            "which graph files that are written can't say"
        )
    if not dimacs and graph.order**2 // 12 >= MAX_BYTES:
        raise BadInput(f"can't write {path}: {graph.order:,} vertices are too many for graph6; write a .edge file")
    check_place(path, force=force)
    if dimacs:
        rows = "".join(f"e {tail + 1} {head + 1}\n" for tail, head in graph.pairs())
        text = f"p edge {graph.order} {graph.size}\n{rows}".encode()
    else:
        text = graph6_line(graph) + b"\n"
    write(path, text)
    return sha256(text).hexdigest()
