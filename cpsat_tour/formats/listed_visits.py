"""A tour in a file as the list of its vertices, whatever the space: JSON, each by its coordinates or its name, or an
``.npy`` array of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import read_text
from cpsat_tour.formats.npy import mapped_array


def listed_visits(path: str, graph: Graph) -> list[int]:
    """The vertices that a file lists, in their order; `BadInput` where it lists none of this graph."""
    places = _rows(path, graph) if Path(path).suffix.lower() == ".npy" else _values(path)
    if not isinstance(places, list) or not places:
        raise BadInput(f"{path} does not list a tour: a list such as [[0, 0], [2, 1], …] is expected")
    try:
        return [graph.space.vertex_at(place) for place in places]
    except BadInput as fault:
        raise BadInput(f"{path} does not list a tour of {graph.called}: {fault}") from fault


def _rows(path: str, graph: Graph) -> Any:
    array = mapped_array(Path(path))
    if array.ndim != 2 or array.dtype.kind not in "iu" or len(array) > graph.order:
        raise BadInput(
            f"{path} has an array of shape {array.shape} and type {array.dtype}, which does not list a tour "
            f"of {graph.called}"
        )
    return array.tolist()


def _values(path: str) -> Any:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as fault:
        if isinstance(fault, BadInput):
            raise
        raise BadInput(
            f"{path} does not list a tour: a list such as [[0, 0], [2, 1], …] is expected, as JSON or as an .npy array"
        ) from fault
