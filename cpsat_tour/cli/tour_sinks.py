"""Where listed tours go: text boards, JSON, or a ``.json`` or ``.npy`` file. Each takes them batch by batch and keeps
none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count, repeat
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cpsat_tour.cli.messages import write_at_once
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.files import writing
from cpsat_tour.formats.grids import TourTexts
from cpsat_tour.formats.tour_files import beside, write_object

Sink = Callable[[Ints, Sequence[tuple[str, ...]] | None], None]
"""Takes tours, as rows of vertices, and the symmetries of each, where they are to be told."""

Form = Literal["text", "json", "stream"]
"""How tours are printed."""

Summary = Callable[[], dict[str, Any]]
"""What came of the list, once it is over."""


@contextmanager
def sinks(
    graph: Graph,
    opening: dict[str, Any],
    summary: Summary,
    path: Path | None,
    printed: Form | None,
) -> Iterator[list[Sink]]:
    """The sinks that are wanted: what is printed, and the file, which has its name when the block ends without an
    error."""
    with ExitStack() as stack:
        chosen: list[Sink] = []
        if printed == "json":
            chosen.append(stack.enter_context(_json_object(graph, opening, summary, write_at_once)))
        elif printed is not None:
            chosen.append(_json_lines(graph) if printed == "stream" else _text(graph))
        if path is not None and path.suffix.lower() == ".npy":
            chosen.append(stack.enter_context(_array(graph, opening, summary, path)))
        elif path is not None:
            file = stack.enter_context(writing(path))
            put = stack.enter_context(_json_object(graph, opening, summary, lambda text: file.write(text.encode())))
            chosen.append(put)
        yield chosen


def _text(graph: Graph) -> Sink:
    """Boards of visit numbers with empty lines between, or names in a line where the vertices have no places."""
    if graph.space.layers():
        boards = TourTexts(graph.space)
        return lambda tours, _: write_at_once(boards.text(tours))
    return lambda tours, _: write_at_once("".join(" ".join(map(graph.name, tour)) + "\n" for tour in tours.tolist()))


def _json_lines(graph: Graph) -> Sink:
    """One object a line for each tour."""
    places, numbers = graph.space.places(), count(1)

    def put(tours: Ints, groups: Sequence[tuple[str, ...]] | None) -> None:
        for tour, group in zip(tours.tolist(), groups or repeat(()), strict=False):
            line = {"event": "tour", "number": next(numbers), "tour": [places[vertex] for vertex in tour]}
            write_at_once(json.dumps(line if groups is None else line | {"symmetries": group}) + "\n")

    return put


@contextmanager
def _json_object(
    graph: Graph, opening: dict[str, Any], summary: Summary, write: Callable[[str], object]
) -> Iterator[Sink]:
    """One object for the whole list, with the tours in it, a line each: lists of coordinates such as ``[row, col]``,
    else of names."""
    places, before = graph.space.places(), "\n"

    def put(tours: Ints, _groups: object) -> None:
        nonlocal before
        for tour in tours.tolist():
            write(before + json.dumps([places[vertex] for vertex in tour]))
            before = ",\n"

    write(json.dumps(opening)[:-1] + ', "tours": [')
    yield put
    write("\n], " + json.dumps(summary())[1:] + "\n")


@contextmanager
def _array(graph: Graph, opening: dict[str, Any], summary: Summary, path: Path) -> Iterator[Sink]:
    """A ``.npy`` array with a row for each tour: the squares (``row * cols + col``) in order, or the vertices of a
    graph as it numbers them; and beside it the object that says so."""
    numbers = graph.space.numbers()
    with writing_rows(path, graph.order, np.min_scalar_type(int(numbers.max(initial=0)))) as rows:
        yield lambda tours, _: rows.append(numbers[tours])
        write_object(beside(path), opening | {"tours": path.name} | summary())
