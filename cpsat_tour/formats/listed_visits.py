"""A tour in a file as the list of its vertices, whatever the space: JSON, each by its coordinates or its name, or an ``.npy`` array of them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import decoded, read_bytes


def listed_visits(path: str, graph: Graph) -> list[int]:
    """The vertices that a file lists, in their order; `BadInput` where it lists none of this graph."""
    content = read_bytes(path)
    try:
        places = np.load(io.BytesIO(content)).tolist() if Path(path).suffix.lower() == ".npy" else json.loads(decoded(content, path))
    except (ValueError, EOFError, RecursionError) as fault:
        if isinstance(fault, BadInput):
            raise
        raise BadInput(f"{path} does not list a tour: a list such as [[0, 0], [2, 1], …] is expected, as JSON or as an .npy array") from fault
    if not isinstance(places, list) or not places:
        raise BadInput(f"{path} does not list a tour: a list such as [[0, 0], [2, 1], …] is expected")
    try:
        return [graph.space.vertex_at(place) for place in places]
    except BadInput as fault:
        raise BadInput(f"{path} does not list a tour of {graph.called}: {fault}") from fault
