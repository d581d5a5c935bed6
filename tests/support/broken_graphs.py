"""Draws graph files and Python objects that are broken, and hands each over in a process of its own.

A case is a number that seeds the draw. A small graph is written as people's programs write it, whole; then up to three
things are broken: an entry of an array, its type, its shape, a member, a word, a line, the end of the file. A file goes
to ``solve`` on the command line, which must answer or refuse it in one sentence; an object goes to the functions of the
Python interface, which must answer or raise the project's errors. A process that a signal ends is seen as such.
"""

import io
import json
import os
import resource
import shutil
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import networkx
import numpy as np
import scipy.io
import scipy.sparse

from cpsat_tour import Board, Graph, Problem, Tour, load_puzzle, solve, verify
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput, TourFault

ROOM = 2 << 30
"""Bytes of addresses above those of this process, which keep a machine alive."""

MAX_SECONDS = 20

NUMBERS = (-1, 0, 1, 3, 17, -(2**31), 2**31 - 1, 2**31, 10**8, 2**63 - 1, 0.5, float("nan"), float("inf"), 1e300)
TYPES = ("i1", "u1", "i2", ">i4", "u8", "i8", "f2", "f4", "f8", ">f8", "c16", "?", "O", "U3", "S2", "M8[s]", "V4")
WORDS = (
    *("", "-1", "0", "1e9", "nan", "inf", "9" * 30, "9" * 5000, "x" * 300, "a b", "é\u2028", "\x1b[31m", "\x00", "%"),
    *('"', "'", "<", ">", "&", "&e;", "&#0;", "&lt;", "<!--", "]]>", "{", "}", "[", "]", "*", "#", ":", ",", ";", "->"),
    *("vertex", "edge", "null", "true", "None", "NaN", "Infinity", "*Edges", "*Matrix", "\\u0000", "\ud7ff", "node"),
)
TRICKS = (
    '<!DOCTYPE g [<!ENTITY e "evil">]>',
    '<?pi <!-- ?><!DOCTYPE g [<!ENTITY e "evil">]><!-- -->',
    '<!DOCTYPE g SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE g [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>',
    '<!DOCTYPE g [<!ATTLIST node id CDATA "a">]>',
    '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY e "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    "<!-- <graph> -->",
    "<![CDATA[<graph>]]>",
    '<?xml version="1.0" encoding="UTF-7"?>',
    "<a>" * 3000,
)


class Draw(Random):
    """Draws graphs, and breaks arrays and texts."""

    def graph(self) -> Any:
        """A cycle, or a path, with some more edges, of up to nine vertices; perhaps directed."""
        order = self.randint(1, 9)
        made = self.choice([networkx.Graph, networkx.DiGraph])()
        made.add_nodes_from(range(order))
        made.add_edges_from([*pairwise(range(order)), *((order - 1, 0) for _ in range(self.randint(0, 1)))])
        made.add_edges_from((self.randrange(order), self.randrange(order)) for _ in range(self.randint(0, 6)))
        return made

    def broken_array(self, array: Any) -> Any:
        """The array with other entries, or of another type, or of another shape."""
        array = np.array(array)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            match self.randint(0, 6):
                case 0 | 1 | 2 if array.size:
                    for number in (self.choice([-1, 0, 1, 9, 100]), self.choice(NUMBERS)):
                        with suppress(OverflowError, ValueError, TypeError):
                            array.flat[self.randrange(array.size)] = number
                case 3:
                    try:
                        array = array.astype(self.choice(TYPES))
                    except (TypeError, ValueError):
                        array = array.astype(object)
                case 4:
                    array = array.ravel()[: self.randint(0, array.size)]
                case 5:
                    array = self.choice([array[None], array.T, array.repeat(2, axis=0) if array.ndim else array])
                case _:
                    array = np.array(self.choice([*NUMBERS, "csr", b"lil", None, {}, [1, [2]].__repr__()]))
        return array

    def broken_text(self, text: str) -> str:
        """The text with another word, with a line less or more, or cut short."""
        lines = text.split("\n")
        place = self.randrange(len(lines))
        match self.randint(0, 5):
            case 0 | 1:
                words = lines[place].split(" ")
                words[self.randrange(len(words))] = self.choice(WORDS)
                lines[place] = " ".join(words)
            case 2:
                del lines[place]
            case 3:
                lines.insert(place, self.choice(lines))
            case 4:
                inside = self.randrange(len(lines[place]) + 1)
                lines[place] = lines[place][:inside] + self.choice(WORDS) + lines[place][inside + 1 :]
            case _:
                return text[: self.randrange(len(text) + 1)]
        return "\n".join(lines)

    def broken_bytes(self, content: bytes) -> bytes:
        """The bytes cut short, or with another one."""
        place = self.randrange(len(content) + 1)
        return content[:place] + (bytes([self.randrange(256)]) + content[place + 1 :]) * self.randint(0, 1)


def sparse(draw: Draw) -> Any:
    form = draw.choice(["csr", "csc", "coo", "bsr", "dia"])
    made = networkx.to_scipy_sparse_array(draw.graph(), format=form, dtype=draw.choice(["i4", "f8"]))
    return draw.choice([scipy.sparse.coo_array, scipy.sparse.coo_matrix])(made).asformat(form)


PARTS = ("data", "indices", "indptr", "offsets", "row", "col", "coords")


def npy(draw: Draw) -> bytes:
    """A matrix, perhaps broken; its header may promise something else."""
    array, file = networkx.to_numpy_array(draw.graph(), dtype=draw.choice(["u1", "f8", "?"])), io.BytesIO()
    for _ in range(draw.choice([0, 1, 1, 2])):
        array = draw.broken_array(array)
    np.lib.format.write_array(file, array, version=draw.choice([(1, 0), (2, 0), (3, 0)]))
    content = file.getvalue()
    if draw.random() < 0.4:
        old = str(array.shape).encode()
        shape = draw.choice(
            [(10**9, 10**9), (2**40, 2**40), (-1, 3), (0, 0), (0, 10**18), (3, 3, 3), "x", (), (2**63, 1)]
        )
        content = content.replace(old, str(shape).encode(), 1)
    if draw.random() < 0.2:
        content = content.replace(b"False", draw.choice([b"True", b"0", b"", b"1L", b"'\\d'"]), 1)
    return draw.broken_bytes(content) if draw.random() < 0.3 else content


def matrix_market(draw: Draw) -> bytes:
    file, graph = io.BytesIO(), draw.graph()
    matrix = networkx.to_scipy_sparse_array(graph) if draw.random() < 0.6 else networkx.to_numpy_array(graph)
    scipy.io.mmwrite(file, matrix)
    text = file.getvalue().decode()
    if draw.random() < 0.5:
        kinds = (
            ["coordinate", "array"],
            ["real", "pattern", "complex", "integer"],
            ["general", "symmetric", "skew-symmetric", "hermitian"],
        )
        text = f"%%MatrixMarket matrix {' '.join(map(draw.choice, kinds))}\n{text.partition(chr(10))[2]}"
    if draw.random() < 0.2:
        text = text.replace("\n", f"\n{draw.choice(NUMBERS)} {draw.choice(NUMBERS)} 3\n", 1)
    return _broken(draw, text)


def _broken(draw: Draw, text: str) -> bytes:
    for _ in range(draw.choice([0, 1, 1, 2])):
        text = draw.broken_text(text)
    content = text.encode("utf-8", "replace")
    return draw.broken_bytes(content) if draw.random() < 0.05 else content


def xml(draw: Draw) -> bytes:
    """GraphML or GEXF, often with a trick in front of its root or in it."""
    lines = draw.choice([networkx.generate_graphml, networkx.generate_gexf])(draw.graph())
    text = "\n".join(lines)
    if draw.random() < 0.4:
        place = draw.choice([text.find("<g"), draw.randrange(len(text)), 0])
        text = text[:place] + draw.choice(TRICKS) + text[place:]
        text = text.replace('id="0"', 'id="&e;"') if draw.random() < 0.5 else text
    return _broken(draw, text)


def lines_of(draw: Draw) -> bytes:
    """Lines as networkx writes them, or a table, with marks such as ``vertex`` among them."""
    graph = draw.graph()
    made = draw.choice(
        [networkx.generate_gml, networkx.generate_pajek, networkx.generate_adjlist, networkx.generate_edgelist]
    )
    text = "\n".join(made(graph))
    if draw.random() < 0.4:
        mark = draw.choice([",", ";", "\t", " "])
        rows = [draw.choice([f"source{mark}target", f"a{mark}b", "3", ""])]
        rows += [f"{tail}{mark}{head}" for tail, head in graph.edges()]
        rows += [
            f"{draw.choice(['vertex', 'node', 'edge'])}{mark}{draw.randint(0, 9)}" for _ in range(draw.randint(0, 2))
        ]
        text = "\n".join(rows)
    return _broken(draw, text)


def in_json(draw: Draw) -> bytes:
    made = draw.choice(
        [networkx.node_link_data, networkx.adjacency_data, networkx.to_dict_of_lists, lambda graph: [*graph.edges()]]
    )
    return _broken(draw, json.dumps(made(draw.graph()), indent=draw.choice([None, 1])))


FILES: tuple[tuple[Callable[[Draw], bytes], tuple[str, ...]], ...] = (
    (npy, (".npy", ".npy", "")),
    (matrix_market, (".mtx",)),
    (xml, (".graphml", ".gexf", ".xml")),
    (xml, (".graphml", ".gexf")),
    (lines_of, (".gml", ".net", ".csv", ".edges", ".txt", ".tsv", ".adjlist", "")),
    (in_json, (".json", ".txt")),
)


def write_broken(number: int, folder: Path) -> Path:
    """Write the file of this number, and return its path."""
    draw = Draw(f"file {number}")
    write, suffixes = draw.choice(FILES)
    path = folder / f"graph{draw.choice(suffixes)}"
    path.write_bytes(write(draw))
    return path


# --- Python objects ---


def tampered_matrix(draw: Draw) -> Any:
    """A sparse matrix whose arrays were changed after it was made."""
    matrix = sparse(draw)
    if draw.random() < 0.3:
        matrix = matrix.asformat(draw.choice(["lil", "dok"]))
    for _ in range(draw.randint(1, 2)):
        name = draw.choice([name for name in (*PARTS, "rows", "_shape") if hasattr(matrix, name)] or ["_shape"])
        try:
            match draw.randint(0, 5):
                case 0:
                    setattr(matrix, name, draw.choice([None, 3, [1, 2], "x", (4, 4), (10**9, 10**9), (-1, 2), (3,)]))
                case _ if name == "_shape":
                    continue
                case 1 if name == "coords":
                    matrix.coords = tuple(map(draw.broken_array, matrix.coords))
                case 1 if matrix.format == "lil":
                    matrix.rows[0] = draw.choice([[0] * 100, [10**6], [-5], None, ["a"]])
                case 1 if matrix.format == "dok":
                    matrix._dict = draw.choice([{(0, 10**9): 1}, {(-4, 2): 1}, {7: 1}, {("a", 1): 1}])
                case _:
                    setattr(matrix, name, draw.broken_array(getattr(matrix, name)))
        except (AttributeError, TypeError, ValueError):
            continue
    return matrix


class Odd:
    """A node that has no name."""


ODD: tuple[Any, ...] = (
    None,
    "",
    "a b",
    "\x1b[31m",
    "\n",
    "x" * 300,
    1.5,
    float("nan"),
    float("inf"),
    10**5000,
    -1,
    True,
    b"a",
    (),
    (1, 2),
)
ODD += (("a", None), frozenset({1}), Odd, Odd(), 1j, "\ud800", np.int64(3), np.float32("nan"), np.bool_(True), Ellipsis)


def odd_graph(draw: Draw) -> Any:
    graph = draw.graph()
    names = {node: draw.choice(ODD[1:]) for node in graph if draw.random() < 0.5}
    graph = networkx.relabel_nodes(graph, names)
    match draw.randint(0, 5):
        case 0:
            return graph.nodes
        case 1:
            graph._adj = draw.choice([{}, None, {0: {99: {}}}, {0: None}, 3])
        case 2:
            return networkx.MultiDiGraph(graph)
        case 3:
            return type(graph)
    return graph


def table(draw: Draw) -> Any:
    pandas = import_module("pandas")

    values = [*ODD, *NUMBERS, pandas.NA, pandas.NaT, [1], {}, np.array([1, 2])]
    if draw.random() < 0.6:
        rows = [
            [draw.choice(values) if draw.random() < 0.2 else draw.randint(0, 5) for _ in range(2)] for _ in range(6)
        ]
        return pandas.DataFrame(rows[: draw.randint(0, 6)], columns=["a", draw.choice(["a", "b"])])
    order = draw.randint(0, 4)
    frame = pandas.DataFrame(draw.broken_array(np.ones((order, order))).reshape(order, -1) if order else [])
    return frame.set_axis(draw.choice([range(len(frame)), [*"aaaaaaaa"[: len(frame)]]]), axis=0)


def of_igraph(draw: Draw) -> Any:
    igraph = import_module("igraph")

    graph = igraph.Graph(n=4, edges=[(0, 1), (1, 2), (2, 3)], directed=draw.random() < 0.5)
    graph.vs["name"] = [draw.choice([*ODD, "a", "b", [1]]) for _ in range(4)]
    return graph


def rows(draw: Draw) -> Any:
    """A list of lists, or a dict, or an array, with odd entries."""
    values: list[Any] = [*ODD, *NUMBERS, [1], {}, {1}, np.array([1, 2])]
    made: Any = [
        [draw.choice(values) if draw.random() < 0.1 else draw.randint(0, 3) for _ in range(2)] for _ in range(4)
    ]
    match draw.randint(0, 4):
        case 0:
            return dict(enumerate(made))
        case 1:
            return draw.broken_array(draw.broken_array(np.ones((4, 4))))
        case 2:
            return (tuple(row) for row in made)
        case 3:
            return np.array([*made, [None, [1]]], dtype=object)
    return made


def asked(draw: Draw) -> Callable[[], object]:
    """A question with odd parts, about a board or a graph."""
    array = draw.broken_array(draw.broken_array(np.arange(draw.choice([1, 4, 9, 25]))))
    two = draw.broken_array(np.arange(1, 10).reshape(3, 3))
    value, odd = draw.choice([*ODD, *NUMBERS, array, two, [array], {}]), draw.choice([array, two, [two], [array, 3]])
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    return draw.choice(
        [
            lambda: Board(3, 4, holes=odd),
            lambda: Board(value, 4),
            lambda: Board(3, 4, leaper=odd),
            lambda: solve("3x4", givens=odd, backend="dfs"),
            lambda: solve("3x4", givens={"a1": value}, backend="dfs"),
            lambda: solve("3x4", start=value, backend="dfs"),
            lambda: solve("3x4", require=odd, backend="dfs"),
            lambda: solve("3x4", waypoints=odd, backend="dfs"),
            lambda: solve("3x4", closed=value, backend="dfs"),
            lambda: solve("3x4", seed=value, backend="dfs"),
            lambda: solve("3x4", seconds=value, backend="dfs"),
            lambda: solve("3x4", threads=value, backend="dfs"),
            lambda: solve(value, backend="dfs"),
            lambda: verify(Problem(graph, closed=False), odd),
            lambda: verify(Problem(Board(3).graph, closed=draw.random() < 0.5), array),
            lambda: Tour.of("3x3", odd),
            lambda: Tour.from_array("3x3", odd),
            lambda: Graph.from_edges(3, odd),
            lambda: Graph.from_edges(value, [(0, 1)]),
            lambda: Graph(array, two),
            lambda: Graph(value),
            lambda: Graph.from_networkx(value),
            lambda: load_puzzle(odd),
        ]
    )


OBJECTS = (tampered_matrix, tampered_matrix, odd_graph, table, of_igraph, rows, asked, asked, asked)


def use_object(number: int) -> None:
    """Ask about the object of this number."""
    draw = Draw(f"object {number}")
    make = draw.choice(OBJECTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made: Any = make(draw)
        except Exception:  # NumPy or pandas can't make it, or is not installed
            os._exit(3)
    try:
        made() if make is asked else solve(made, closed=draw.random() < 0.5, backend="sat")
    except (BadInput, TourFault):
        os._exit(2)


# --- processes ---


def in_a_process(task: Callable[[], int | None], output: Path) -> tuple[int, str]:
    """Return how a process of its own ends with this task, its status or the signal below 0, and what it prints to
    stderr."""
    if not (child := os.fork()):
        opened = os.open(output, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        sys.stderr = os.fdopen(os.dup2(opened, 2), "w")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
        code = 1
        try:
            code = task() or 0
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), output.read_text(errors="replace")


def main() -> None:
    """Print each case that ends otherwise than it must, and how many ended how: kind, first number, how many."""
    kind, first, count = sys.argv[1], *map(int, sys.argv[2:4])
    ends: Counter[int] = Counter()
    Path(folder := tempfile.mkdtemp(prefix="cpsat-tour-broken-"))
    whole = Path(folder) / "whole.txt"
    whole.write_text("1 2\n2 3\n3 1\n")
    with redirect_stdout(io.StringIO()):
        status(["solve", str(whole), "--backend", "sat"])  # loads what all processes need
    if kind == "object":
        solve("3x4", backend="dfs")
        for name in ("pandas", "igraph"):
            with suppress(ImportError):
                import_module(name)
    for number in range(first, first + count):
        path = write_broken(number, Path(folder)) if kind == "file" else None
        solving = ["solve", str(path), "--backend", "sat"]
        task = partial(status, solving) if path else partial(use_object, number)
        code, said = in_a_process(task, Path(folder) / "stderr")
        ends[code] += 1
        sentence = said.startswith("cpsat-tour: ") and said.count("\n") == 1
        allowed = (0, 2, 3) if path is None else (0, 2, 20)
        if code not in allowed or "Traceback" in said or "Warning" in said or (path and code == 2 and not sentence):
            print(f"{kind} {number} ({path and path.name}): {code}, {said[-1500:]}")
        if path:
            path.unlink()
    shutil.rmtree(folder)
    print(", ".join(f"{number} times {code}" for code, number in sorted(ends.items())), file=sys.stderr)


if __name__ == "__main__":
    main()
