"""Readers of graph files against a second, simple one: random texts with blank lines, comments, other line ends, a byte
order mark, many lines or one very long one are read alike or refused, in work that is linear in their length."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from types import FrameType
from typing import Any

import pytest

import cpsat_tour.formats
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_files import read_graph

Edges = set[tuple[str, str]]

FORMS = (".edges", ".csv", ".col", ".hcp")


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


def read(path: Path, text: str) -> Graph | None:
    """The graph in the text, None where it is refused."""
    path.write_bytes(text.encode())
    try:
        return read_graph(path)
    except BadInput as caught:
        fault = str(caught)
    assert fault.startswith(path.name)
    assert "\n" not in fault
    return None


def edges_of(graph: Graph) -> Edges:
    tails, heads = graph.edges()
    pairs = zip(tails.tolist(), heads.tolist(), strict=True)
    return {(min(pair), max(pair)) for pair in ((graph.name(tail), graph.name(head)) for tail, head in pairs)}


def check_texts(folder: Path, form: str, seed: int, number: int) -> None:
    """So many random texts are each refused, or read as the simple reader reads them; a fair share is read."""
    chance, was_read = Random(f"{form} {seed}"), 0
    for _ in range(number):
        text = random_text(chance, form)
        graph = read(folder / f"g{form}", text)
        if graph is not None:
            was_read += 1
            assert (graph.order, edges_of(graph)) == simple(text, form), text
    assert number // 5 < was_read < number


@pytest.mark.parametrize("form", FORMS)
def test_random_texts_are_read_alike_or_refused(form: str, tmp_path: Path) -> None:
    check_texts(tmp_path, form, 0, 100)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_two_thousand_random_texts_are_read_alike_or_refused(form: str, tmp_path: Path) -> None:
    check_texts(tmp_path, form, 1, 2000)


# --- work ---


def steps_of(path: Path, text: str) -> int:
    """The lines of Python, in this package, that it takes to read the text or to refuse it."""
    steps = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace if "cpsat_tour" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(path, text)
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
    for suffix in (*FORMS, ".txt"):
        steps = [steps_of(tmp_path / f"g{suffix}", SHAPES[shape](size)) for size in (500, 1000)]
        assert steps[1] <= 2 * steps[0] + 200, (suffix, steps)


def patterns() -> Iterator[re.Pattern[str]]:
    """All patterns that the modules of the formats keep."""
    for module in iter_modules(cpsat_tour.formats.__path__):
        for value in vars(import_module(f"cpsat_tour.formats.{module.name}")).values():
            if isinstance(value, re.Pattern):
                yield value


def repeats(parsed: Any) -> int:
    """How deep repetitions without bounds are nested."""
    deepest = 0
    for operator, argument in parsed:
        unbounded = "REPEAT" in str(operator) and int(argument[1]) > 64
        parts = [part for part in (argument if isinstance(argument, tuple) else [argument]) if hasattr(part, "data")]
        parts += argument[1] if str(operator) == "BRANCH" else []
        deepest = max(deepest, unbounded + max(map(repeats, parts), default=0))
    return deepest


def test_no_pattern_backtracks_exponentially() -> None:
    """A repetition within a repetition may split the same text in more ways than there are: none is there."""
    parser = import_module("re._parser")
    assert repeats(parser.parse(r"\A(?:c\b.*\n|\s*\n)*p")) == 2
    assert [pattern.pattern for pattern in patterns() if repeats(parser.parse(pattern.pattern)) > 1] == []


def test_blank_lines_before_an_edge_list_are_passed_over(tmp_path: Path) -> None:
    graph = read(tmp_path / "g.txt", "\n" * 100_000 + "a b\nb c\nc a\n")
    assert graph is not None
    assert graph.size == 3
