"""The function that draws a tour, an answer, or a tour in a file."""

from __future__ import annotations

import os
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.saving import DRAWN
from cpsat_tour.formats.tour_files import read_tours
from cpsat_tour.interface.answer import Answer
from cpsat_tour.interface.tour import Tour


def draw(
    tour: Tour | Answer | str | os.PathLike[str],
    picture: str | os.PathLike[str],
    *,
    number: int | None = None,
    force: bool = False,
) -> None:
    """Draw a tour, or one in a file, which is verified first: ``draw("tour.json", "tour.svg")``.

    Raises `BadInput` if the picture can't be written, and `TourFault`, which names the first fault, if the file has no
    tour.

    - ``tour`` (a `Tour`, an `Answer` or a path, needed): the tour, or a .json, .npy or .txt file that has one or
      several.
    - ``picture`` (a path, needed): the .svg, .png or .gif file.
    - ``number`` (int, default None): which tour of a file of several is drawn, from 1.
    - ``force`` (bool, default False): whether an existing file is replaced.
    """
    if (suffix := Path(picture).suffix.lower()) not in DRAWN:
        raise BadInput(f"can't draw to {os.fspath(picture)}: {suffix or 'no suffix'} is not one of {', '.join(DRAWN)}")
    if isinstance(tour, Answer):
        if tour.tour is None:
            raise BadInput(f"the answer has no tour to be drawn: it is {tour.status}")
        tour = tour.tour
    elif not isinstance(tour, Tour):
        found = read_tours(Path(tour))
        if number is None and found.kind == "tours" and len(found.rows) > 1:
            raise BadInput(f"{os.fspath(tour)} has {len(found.rows)} tours: choose one, such as --number 1")
        tour = Tour(found.problem.graph, found.problem.closed, found.row(number))
    tour.save(picture, force=force)
