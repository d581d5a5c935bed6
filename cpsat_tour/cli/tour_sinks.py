"""Where listed tours go: text boards, JSON, or a ``.npy`` file. Each takes the tours batch by batch and keeps none."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from cpsat_tour.cli.messages import json_line, write_at_once
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.text import BoardTexts
from cpsat_tour.formats.npy import NpyRows

Groups = Sequence[tuple[str, ...]] | None


class Sink:
    """Takes tours, as rows of vertices, one batch after the other."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        chosen.append(_Object(problem.graph, opening, listed=printed))
    elif printed and json_stream:
        chosen.append(_Stream(problem.graph))
    elif printed and path is None:
        chosen.append(_Text(problem.graph))
    return chosen if path is None else [*chosen, _Npy(problem.graph, path)]


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
    """One object for the whole list, with the tours in it, a line each, printed as they come."""

    def __init__(self, graph: Graph, opening: dict[str, Any], *, listed: bool) -> None:
        super().__init__(graph)
        self._opening, self._listed = opening, listed
        self._begun = False

    def __enter__(self) -> Self:
        if self._listed:
            sys.stdout.write(json.dumps(self._opening)[:-1] + ', "tours": [')
        return self

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        if self._listed and len(tours):
            write_at_once(
                (",\n" if self._begun else "\n") + ",\n".join(json.dumps(self._tour(tour)) for tour in tours.tolist())
            )
            self._begun = True

    def finish(self, summary: dict[str, Any]) -> None:
        if self._listed:
            sys.stdout.write("\n], " + json.dumps(summary)[1:] + "\n")
        else:
            json_line(self._opening | summary)


class _Npy(Sink):
    """A ``.npy`` array with a row for each tour: the squares (``row * cols + col``) in order, or the vertices of a
    graph as it numbers them."""

    def __init__(self, graph: Graph, path: Path) -> None:
        self._numbers = graph.space.numbers()
        self._file = NpyRows(path, graph.order, np.min_scalar_type(int(self._numbers.max(initial=0))))

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, fault, trace)

    def take(self, tours: Ints, _groups: Groups = None) -> None:
        self._file.append(self._numbers[tours])
