"""Where listed tours go: text boards, JSON, or a ``.json`` or ``.npy`` file; each takes them batch by batch and keeps
none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any, Self

import numpy as np

from cpsat_tour.cli.messages import json_line, write_at_once
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.text import BoardTexts
from cpsat_tour.formats.files import writing
from cpsat_tour.formats.npy import writing_rows
from cpsat_tour.formats.tour_files import write_beside

Groups = Sequence[tuple[str, ...]] | None


class Sink:
    """Takes tours, as rows of vertices, one batch after the other."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: Any) -> None:
        return None

    def take(self, tours: Ints, groups: Groups = None) -> None:
        """Put these tours where they belong; ``groups`` are the symmetries of each, where they are to be told."""
        raise NotImplementedError

    def finish(self, summary: dict[str, Any]) -> None:
        """The list is over, and this came of it."""


def sinks(
    problem: Problem,
    opening: dict[str, Any],
    path: Path | None,
    *,
    printed: bool,
    as_json: bool,
    json_stream: bool,
) -> list[Sink]:
    """What the options ask for: at most one that prints, and the file."""
    chosen: list[Sink] = []
    if as_json and not json_stream:
        chosen.append(_Object(problem.graph, opening, write_at_once, listed=printed))
    elif printed and json_stream:
        chosen.append(_Stream(problem.graph))
    elif printed and path is None:
        chosen.append(_Text(problem.graph))
    if path is not None:
        chosen.append((_Npy if path.suffix.lower() == ".npy" else _JsonFile)(problem.graph, opening, path))
    return chosen


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

    def __init__(self, graph: Graph, opening: dict[str, Any], put: Callable[[str], object], *, listed: bool) -> None:
        super().__init__(graph)
        self._opening, self._put, self._listed = opening, put, listed
        self._begun = False

    def __enter__(self) -> Self:
        if self._listed:
            self._put(json.dumps(self._opening)[:-1] + ', "tours": [')
        return self

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        if self._listed and len(tours):
            lines = ",\n".join(json.dumps(self._tour(tour)) for tour in tours.tolist())
            self._put((",\n" if self._begun else "\n") + lines)
            self._begun = True

    def finish(self, summary: dict[str, Any]) -> None:
        if self._listed:
            self._put("\n], " + json.dumps(summary)[1:] + "\n")
        else:
            json_line(self._opening | summary)


class _JsonFile(_Object):
    """The same object in a file."""

    def __init__(self, graph: Graph, opening: dict[str, Any], path: Path) -> None:
        super().__init__(graph, opening, self._write, listed=True)
        self._stack, self._path = ExitStack(), path

    def _write(self, text: str) -> None:
        self._file.write(text.encode())

    def __enter__(self) -> Self:
        self._file = self._stack.enter_context(writing(self._path))
        return super().__enter__()

    def __exit__(self, *fault: Any) -> None:
        self._stack.__exit__(*fault)


class _Npy(Sink):
    """A ``.npy`` array with a row for each tour: the squares (``row * cols + col``) in order, or the vertices of a
    graph as it numbers them; and beside it the object that says so."""

    def __init__(self, graph: Graph, opening: dict[str, Any], path: Path) -> None:
        self._numbers, self._opening, self._path = graph.space.numbers(), opening, path
        self._stack, self._width = ExitStack(), graph.order

    def __enter__(self) -> Self:
        kind = np.min_scalar_type(int(self._numbers.max(initial=0)))
        self._rows = self._stack.enter_context(writing_rows(self._path, self._width, kind))
        return self

    def __exit__(self, *fault: Any) -> None:
        self._stack.__exit__(*fault)

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        self._rows.append(self._numbers[tours])

    def finish(self, summary: dict[str, Any]) -> None:
        write_beside(self._path, self._opening | {"tours": self._path.name} | summary)
