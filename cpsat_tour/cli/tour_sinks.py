"""Where listed tours go: text boards, JSON, or a ``.json`` or ``.npy`` file; each takes them batch by batch and keeps
none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from cpsat_tour.cli.messages import json_line, write_at_once
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.drawing.text import BoardTexts
from cpsat_tour.formats.files import writing
from cpsat_tour.formats.npy import RowWriter, writing_rows
from cpsat_tour.formats.tour_files import write_beside

Groups = Sequence[tuple[str, ...]] | None


class Sink:
    """Takes tours, as rows of vertices, one batch after the other."""

    def take(self, tours: Ints, groups: Groups = None) -> None:
        """Put these tours where they belong; ``groups`` are the symmetries of each, where they are to be told."""

    def finish(self, summary: dict[str, Any]) -> None:
        """The list is over, and this came of it."""


@contextmanager
def sinks(
    graph: Graph, opening: dict[str, Any], path: Path | None, *, printed: bool, as_json: bool, json_stream: bool
) -> Iterator[list[Sink]]:
    """What the options ask for: at most one that prints, and the file, which has its name when the block ends without
    an error."""
    chosen: list[Sink] = []
    if as_json:
        chosen.append(_Object(graph, opening, write_at_once) if printed else _Summary(opening))
    elif printed and json_stream:
        chosen.append(_Stream(graph))
    elif printed and path is None:
        chosen.append(_Text(graph))
    if path is None:
        yield chosen
    elif path.suffix.lower() == ".npy":
        kind = np.min_scalar_type(int(graph.space.numbers().max(initial=0)))
        with writing_rows(path, graph.order, kind) as rows:
            yield [*chosen, _Npy(graph, opening, path, rows)]
    else:
        with writing(path) as file:
            yield [*chosen, _Object(graph, opening, lambda text: file.write(text.encode()))]


class _Text(Sink):
    """Boards of visit numbers with empty lines between, or names in a line where the vertices have no places."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._texts = BoardTexts(graph.space) if graph.space.layers() else None

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        if self._texts is not None:
            write_at_once(self._texts.text(tours))
        else:
            write_at_once("".join(" ".join(map(self._graph.name, tour)) + "\n" for tour in tours.tolist()))


class _Json(Sink):
    """Tours as JSON: lists of coordinates such as ``[row, col]``, else of names."""

    def __init__(self, graph: Graph) -> None:
        self._places = graph.space.places()

    def _tour(self, tour: list[int]) -> list[Any]:
        return [self._places[vertex] for vertex in tour]


class _Stream(_Json):
    """One object a line for each tour."""

    _count = 0

    def take(self, tours: Ints, groups: Groups = None) -> None:
        lines = (
            json.dumps(
                {"event": "tour", "number": number, "tour": self._tour(tour)}
                | ({} if groups is None else {"symmetries": group})
            )
            + "\n"
            for number, (tour, group) in enumerate(
                zip(tours.tolist(), groups or cycle([()]), strict=False), start=self._count + 1
            )
        )
        write_at_once("".join(lines))
        self._count += len(tours)


class _Object(_Json):
    """One object for the whole list, with the tours in it, a line each, written as they come."""

    def __init__(self, graph: Graph, opening: dict[str, Any], put: Callable[[str], object]) -> None:
        super().__init__(graph)
        self._put, self._before = put, "\n"
        put(json.dumps(opening)[:-1] + ', "tours": [')

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        if len(tours):
            self._put(self._before + ",\n".join(json.dumps(self._tour(tour)) for tour in tours.tolist()))
            self._before = ",\n"

    def finish(self, summary: dict[str, Any]) -> None:
        self._put("\n], " + json.dumps(summary)[1:] + "\n")


@dataclass
class _Summary(Sink):
    """The object without the tours."""

    opening: dict[str, Any]

    def finish(self, summary: dict[str, Any]) -> None:
        json_line(self.opening | summary)


@dataclass
class _Npy(Sink):
    """A ``.npy`` array with a row for each tour: the squares (``row * cols + col``) in order, or the vertices of a
    graph as it numbers them; and beside it the object that says so."""

    graph: Graph
    opening: dict[str, Any]
    path: Path
    rows: RowWriter

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        self.rows.append(self.graph.space.numbers()[tours])

    def finish(self, summary: dict[str, Any]) -> None:
        write_beside(self.path, self.opening | {"tours": self.path.name} | summary)
