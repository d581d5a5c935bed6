"""``cpsat-tour verify``: the tours of a file, verified."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from click import Argument

from cpsat_tour.cli.messages import Exit, print_out, say
from cpsat_tour.cli.options import HOLES, JSON, LEAPER, Namespace, command
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.tour_files import Others, read_tours
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import group_in_words
from cpsat_tour.tour import Tour

MAX_DESCRIBED = 1 << 18
"""Symmetries, turns and crossings are counted for tours of at most this number of squares: half a second."""


@command(
    groups={"Tour": [Argument(["file"]), HOLES, LEAPER], "Output": [JSON]},
    exits={Exit.ANSWER: "All tours in the file are valid.", Exit.FAULT: "A tour is wrong: its first fault is named."},
)
def verify(args: Namespace) -> Exit:
    """Verify the tours in FILE: a .json, .npy or .txt that this program wrote, of any space, or a tour of a board, by
    a knight or by what --moves names, that lists its squares or numbers them from 0 or 1; also as .csv.

    A decomposition has all moves in its tours, or with --most no move twice; routes visit no square twice.

    For a file with one tour its symmetries, turns and crossings are printed too, unless it is very large.
    """
    try:
        words, data = _verify_file(Path(args.file), Others("+".join(args.leaper) or "1,2", args.holes))
    except TourFault as fault:
        print_out(json.dumps({"valid": False, "fault": str(fault)}) if args.as_json else fault)
        return Exit.FAULT
    print_out(json.dumps({"valid": True} | data) if args.as_json else words)
    return Exit.ANSWER


def _verify_file(path: Path, others: Others) -> tuple[str, dict[str, Any]]:
    """Return what the file holds, in words and as data for JSON; `TourFault` if a tour is wrong."""
    found = read_tours(path, others)
    graph, told = found.problem.graph, dict[str, Any](problem=problem_data(found.problem))
    if found.taken:
        told |= {"taken_for": found.taken}
        say(f"{path} is taken for {found.taken}.")
    if found.kind != "tour":
        return f"{found.words}, verified", told | {"count": len(found.routes or found.rows)}
    words = f"{found.words}: {graph.order:,} {graph.nouns[graph.order != 1]}, verified"
    if not 3 <= graph.order <= MAX_DESCRIBED:
        return words, told
    tour = Tour(graph, found.problem.closed, found.row())
    looks: dict[str, Any] = {"symmetries": tour.symmetries}
    with suppress(BadInput):  # the moves are not straight lines
        looks |= {"turns": tour.turns, "crossings": tour.crossings}
    value, objective = found.told.get("value"), str(found.told.get("goal")).rpartition(" ")[2]
    if looks.get(objective, value) != value:
        raise TourFault(f"not a tour of {value!r:.40} {objective}: it has {looks[objective]:,}")
    crossed = (
        f"; {plural(looks['turns'], 'turn')}, {plural(looks['crossings'], 'crossing')}" if "turns" in looks else ""
    )
    kept = f"; {group_in_words(graph, found.rows[0], closed=found.problem.closed)}" if graph.space.layout else ""
    return f"{words}{kept}{crossed}", told | looks
