"""What ``solve -o tour.gif`` asks of a moving picture: the walk or the search; and making it, with progress."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cpsat_tour.backends.protocols import Backend
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.gif import check_film, search, walk
from cpsat_tour.formats.files import write

if TYPE_CHECKING:
    from cpsat_tour.native.dfs import Dfs


@dataclass(frozen=True)
class Film:
    """A moving picture that was asked for: of the search if ``engine`` is there, else of the walk."""

    problem: Problem
    limits: Limits
    engine: Backend | None

    def save(self, tour: Tour, path: Path) -> None:
        """Make the picture, telling how many frames are done, and write it."""
        with ProgressLine(f"drawing {path}") as progress:

            def on_frame(number: int) -> None:
                progress(Progress({"frames": number}))

            space = tour.graph.space
            if self.engine is None:
                picture = walk(space, tour, closed=tour.closed, on_frame=on_frame)
            else:
                from cpsat_tour.native.trace import trace  # Numba takes a while to load

                events = trace(self.problem, cast("Dfs", self.engine), self.limits)
                picture = search(space, events, tour, closed=tour.closed, on_frame=on_frame)
        write(path, picture)


def read_film(problem: Problem, engine: tuple[str, Backend], limits: Limits, *, animate: str | None) -> Film:
    """The picture that the options ask for, by the backend of this name; `BadInput` where it can't be."""
    check_film(problem.graph.space)
    name, backend = engine
    if animate == "search" and name != "dfs":
        raise BadInput(f"--animate search shows the search of dfs, not of {name}: leave out --backend {name}")
    return Film(problem, limits, backend if animate == "search" else None)
