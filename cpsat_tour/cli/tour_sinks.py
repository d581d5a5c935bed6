"""Writes listed tours, batch by batch, as text boards, as JSON, or to a ``.json`` or ``.npy`` file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count, repeat
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cpsat_tour.cli.messages import write_at_once
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.files import writing
from cpsat_tour.formats.grids import TourTexts
from cpsat_tour.formats.tour_files import tour_file_beside, write_tour_file

Sink = Callable[[Ints, Sequence[tuple[str, ...]] | None], None]
"""Writes tours, which are rows of vertices, with the symmetries of each unless None."""

Form = Literal["text", "json", "stream"]
"""How tours are printed: as boards, as one JSON object, or as an object a line."""


@contextmanager
def open_sinks(
    graph: Graph,
    opening: dict[str, Any],
    summary: Callable[[], dict[str, Any]],
    path: Path | None,
    printed: Form | None,
) -> Iterator[list[Sink]]:
    """Yield a sink for each output that is wanted: stdout, and a file, which appears when the block ends without an
    error and there `is_result`."""
    chosen: list[Sink] = []
    with ExitStack() as stack, suppress(_NothingFound), ExitStack() as files:
        if printed == "json":
            chosen.append(stack.enter_context(_json_object_sink(graph, opening, summary, write_at_once)))
        elif printed is not None:
            chosen.append(_json_lines_sink(graph) if printed == "stream" else _text_sink(graph))
        if path is not None and path.suffix.lower() == ".npy":
            chosen.append(files.enter_context(_array_sink(graph, opening, summary, path)))
        elif path is not None:
            file = files.enter_context(writing(path))
            put = files.enter_context(
                _json_object_sink(graph, opening, summary, lambda text: file.write(text.encode()))
            )
            chosen.append(put)
        yield chosen
        if not is_result(summary()):
            raise _NothingFound


def is_result(summary: Mapping[str, Any]) -> bool:
    """Return True if tours were found, or it is known that there are none."""
    return bool(summary["count"]) or summary["stopped_by"] is None


class _NothingFound(Exception):
    """Raised to leave a file as it was."""


def _text_sink(graph: Graph) -> Sink:
    """Return a sink that prints each tour as a board of visit numbers, or as a line of names if there is no board."""
    if graph.space.layout:
        boards = TourTexts(graph.space)
        return lambda tours, _: write_at_once(boards.text(tours))
    return lambda tours, _: write_at_once("".join(graph.space.line(tour) + "\n" for tour in tours.tolist()))


def _json_lines_sink(graph: Graph) -> Sink:
    """Return a sink that prints each tour as a JSON object on a line."""
    places, numbers = graph.space.all_vertex_data(), count(1)

    def put(tours: Ints, groups: Sequence[tuple[str, ...]] | None) -> None:
        for tour, group in zip(tours.tolist(), groups or repeat(()), strict=False):
            line = {"event": "tour", "number": next(numbers), "tour": [places[vertex] for vertex in tour]}
            write_at_once(json.dumps(line if groups is None else line | {"symmetries": group}) + "\n")

    return put


@contextmanager
def _json_object_sink(
    graph: Graph, opening: dict[str, Any], summary: Callable[[], dict[str, Any]], write: Callable[[str], object]
) -> Iterator[Sink]:
    """Yield a sink that writes one JSON object with all tours, a line each, as lists of coordinates or of names."""
    places, before = graph.space.all_vertex_data(), "\n"

    def put(tours: Ints, _groups: object) -> None:
        """Write the tours as items of a JSON array."""
        nonlocal before
        for tour in tours.tolist():
            write(before + json.dumps([places[vertex] for vertex in tour]))
            before = ",\n"

    write(json.dumps(opening)[:-1] + ', "tours": [')
    yield put
    write("\n], " + json.dumps(summary())[1:] + "\n")


@contextmanager
def _array_sink(
    graph: Graph, opening: dict[str, Any], summary: Callable[[], dict[str, Any]], path: Path
) -> Iterator[Sink]:
    """Yield a sink that writes an ``.npy`` array with a row for each tour, the numbers of its vertices; beside it goes
    the JSON object that describes it."""
    with writing_rows(path, graph.order, np.min_scalar_type(max(graph.order - 1, 0))) as rows:
        yield lambda tours, _: rows.append(tours)
        write_tour_file(tour_file_beside(path), opening | {"tours": path.name} | summary())
