"""``cpsat-tour verify``: which tours a file has, verified."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import numpy as np

from cpsat_tour.cli.messages import Exit, json_line, plural
from cpsat_tour.cli.options import Command
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.describe import a_tour_sought
from cpsat_tour.formats.tour_files import read_tours, verify_large
from cpsat_tour.spaces.objectives import pairs_in_line, pairs_that_cross
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import group_in_words, symmetry_groups

MAX_LOOKED_AT = 1 << 18
"""Of tours of up to so many squares symmetries, turns and crossings are told: half a second."""


@click.command(cls=Command)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def verify(ctx: click.Context, /, file: str, as_json: bool) -> None:
    """Verify the tours in FILE: a .json, .npy or .txt that this program wrote, of any space, or a knight's tour of a
    plain board that lists its squares or numbers them.

    Of one tour that is not very large it tells symmetries, turns and crossings too.

    Exit status: 0 they are tours, 1 one is not (the first fault is named).
    """
    try:
        words, told = _found(Path(file))
    except TourFault as fault:
        print(json.dumps({"valid": False, "fault": str(fault)}) if as_json else fault)
        ctx.exit(Exit.FAULT)
    if as_json:
        json_line({"valid": True} | told)
    else:
        print(words)


def _found(path: Path) -> tuple[str, dict[str, Any]]:
    """What the file has, in words and as data."""
    if (large := verify_large(path)) is not None:
        rows, cols, closed = large
        words = f"{'a closed' if closed else 'an open'} tour of the {rows}x{cols} board"
        return f"{words}: {rows * cols:,} squares, verified", {"rows": rows, "cols": cols, "closed": closed}
    found = read_tours(path)
    graph, told = found.problem.graph, {"problem": problem_data(found.problem)}
    if found.is_list:
        return f"{plural(len(found.rows), 'tour')}, each {a_tour_sought(found.problem)}, verified", told | {
            "count": len(found.rows)
        }
    words = f"{a_tour_sought(found.problem)}: {graph.order:,} {graph.nouns[graph.order != 1]}, verified"
    if not 3 <= graph.order <= MAX_LOOKED_AT:
        return words, told
    looks = portrait(found.only())
    crossed = (
        f"; {plural(looks['turns'], 'turn')}, {plural(looks['crossings'], 'crossing')}" if "turns" in looks else ""
    )
    kept = f"; {group_in_words(graph, found.rows[0], closed=found.problem.closed)}" if graph.space.layers() else ""
    return f"{words}{kept}{crossed}", told | looks


def portrait(tour: Tour) -> dict[str, Any]:
    """What a tour looks like: its symmetries, and how often it turns and crosses itself where moves are straight
    lines."""
    graph = tour.graph
    drawn = Graph.from_edges(graph.order, np.array(tour.moves).reshape(-1, 2), space=graph.space)
    looks: dict[str, Any] = {"symmetries": symmetry_groups(graph, tour.vertices[None, :], closed=tour.closed)[0]}
    with suppress(BadInput):
        turns = max(0, graph.order - 2 * (not tour.closed) - len(pairs_in_line(drawn)))
        looks |= {"turns": turns, "crossings": len(pairs_that_cross(drawn))}
    return looks
