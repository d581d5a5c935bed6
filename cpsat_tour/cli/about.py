"""``cpsat-tour about``: what tour a file has, verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import plural
from cpsat_tour.core.errors import TourFault
from cpsat_tour.formats.describe import one
from cpsat_tour.formats.tour_files import about as about_file
from cpsat_tour.formats.tour_files import answer_in, portrait, squares_in
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.symmetry import group_in_words

MAX_LOOKED_AT = 1 << 18
"""Of tours of up to so many squares symmetries, turns and crossings are told: half a second."""

TURNS = {1: "", 2: ", moved along itself by a half turn", 4: ", moved along itself by a quarter turn"}


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def about(ctx: click.Context, /, file: str, as_json: bool) -> None:
    """Verify the knight's tour in FILE, of any size: .npy or .json with the squares in order, or the board of visit
    numbers as .npy or .txt.

    Or in a folder of parts that solve --cluster wrote; or that of any space in the .json of an answer, as solve --json
    prints it. Of tours that are not very large it tells symmetries, turns and crossings too.

    Exit status: 0 it is a tour, 1 it is not (the first fault is named).
    """
    path = Path(file)
    try:
        answered = answer_in(path)
        found = about_file(path) if answered is None else None
    except TourFault as fault:
        print(json.dumps({"valid": False, "fault": str(fault)}) if as_json else fault)
        ctx.exit(Exit.FAULT)
    told: dict[str, Any]
    if answered is not None:
        problem, tour = answered
        graph, closed, number = problem.graph, problem.closed, len(tour)
        words, told = one(problem), {"problem": problem_data(problem)}
    else:
        assert found is not None
        closed, number, board = found.closed, found.rows * found.cols, f"{found.rows}x{found.cols} board"
        told = {"rows": found.rows, "cols": found.cols, "closed": closed, "form": found.form, "turned_by": found.turns}
        words = f"{'a closed' if closed else 'an open'} tour of the {board}{TURNS[found.turns]}"
        if number <= MAX_LOOKED_AT:
            graph, tour = Board(found.rows, found.cols).graph, squares_in(path, found)
    words += f": {plural(number, 'square')}, verified"
    if 3 <= number <= MAX_LOOKED_AT:
        looks = portrait(graph, tour, closed=closed)
        told |= looks
        crossed = (
            f"; {plural(looks['turns'], 'turn')}, {plural(looks['crossings'], 'crossing')}" if "turns" in looks else ""
        )
        words += f"; {group_in_words(graph, tour, closed=closed)}{crossed}"
    print(json.dumps({"valid": True} | told) if as_json else words)
