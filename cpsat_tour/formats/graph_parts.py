"""What the readers of graph files share: faults by line, counts and vertices as the files write them, and the graph in
the end."""

from __future__ import annotations

import re
from array import array

import numpy as np

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.space import Named

MAX_BYTES, MAX_VERTICES = 1 << 27, 1 << 24
"""What is read of a graph file."""

_NAME = re.compile(r"\w(?:[\w.:'+*/()\[\]-]*[\w'+*)\]])?")

_FRACTION = re.compile(r"\d+\.\d+")


class GraphFault(Exception):
    """What is wrong in a line of the file, by its number; 0 stands for the file as a whole."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


def quoted(word: str) -> str:
    """A word from a file as it can stand in a message: short, and without what would upset a terminal."""
    return repr(word if len(word) <= 40 else word[:40] + "…")


def checked_name(name: str, line: int) -> str:
    """The name of a vertex, which begins with a letter, a digit or _ and ends with one of these or a closing mark such
    as ' or ); a number with a fraction is a coordinate or a weight, and no name."""
    if _FRACTION.fullmatch(name):
        raise GraphFault(line, f"{quoted(name)} is a number with a fraction, and not the name of a vertex")
    if not _NAME.fullmatch(name):
        joined = "_".join(name.split())
        instead = (
            f"write {quoted(joined)}" if _NAME.fullmatch(joined) else "use letters, digits and . : ' + - * / ( ) [ ]"
        )
        raise GraphFault(line, f"{quoted(name)} is not the name of a vertex: {instead}")
    return name


def count(word: str, what: str, most: int, line: int, least: int = 1) -> int:
    """A count in a header, which must be sensible."""
    if not (word.isascii() and word.isdigit()):
        raise GraphFault(line, f"{what} can't be {quoted(word)}: write a whole number")
    if not (len(word) <= 12 and least <= int(word) <= most):
        raise GraphFault(line, f"{what} can't be {word[:20]}: it is from {least} to {most}")
    return int(word)


def vertex_number(word: str, order: int, line: int) -> int:
    """A vertex from 1 as the file writes it."""
    if not (word.isascii() and word.isdigit()):
        raise GraphFault(line, f"{quoted(word)} is not a vertex: the vertices are 1 to {order}")
    vertex = int(word) if len(word) <= 12 else order + 1
    if not 1 <= vertex <= order:
        raise GraphFault(line, f"there is no vertex {word[:20]}: the vertices are 1 to {order}")
    return vertex


def add_edge(ends: array[int], tail: int, head: int, line: int) -> None:
    if tail == head:
        raise GraphFault(line, f"an edge joins vertex {tail} to itself")
    ends.append(tail)
    ends.append(head)


def numbered_graph(order: int, ends: array[int], source: str) -> Graph:
    """The undirected graph on the printed numbers 1 to order."""
    return Graph.from_edges(
        order, pairs(ends) - 1, space=Named([str(vertex) for vertex in range(1, order + 1)], source)
    )


def pairs(ends: array[int]) -> Ints:
    """The ends of the edges as an array with a row for each edge."""
    return np.array(ends, dtype=np.int32).reshape(-1, 2)
