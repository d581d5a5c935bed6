"""Several routes on one graph, each a path or each a cycle: the tours of a decomposition, the paths of a cover."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import plural, visits_data
from cpsat_tour.spaces.problem_data import problem_data


@dataclass(frozen=True, eq=False)
class Routes:
    """Paths, or cycles, of one graph; to iterate gives each as a list of its vertices, which are as a `Tour` has them.

    They are not verified here. A path may have one vertex, and a route need not visit them all. A cycle does not
    repeat its first vertex.

    - ``graph`` (`Graph`): the graph.
    - ``closed`` (bool): whether each route is a cycle.
    - ``routes`` (arrays): the numbers of the vertices of each in order.
    """

    graph: Graph
    closed: bool
    routes: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.routes)

    def __iter__(self) -> Iterator[list[Any]]:
        return map(self.graph.space.handles, self.routes)

    def __getitem__(self, index: int) -> list[Any]:
        return self.graph.space.handles(self.routes[index])

    def __str__(self) -> str:
        return "\n".join(self.graph.space.line(route.tolist()) for route in self.routes)

    def __repr__(self) -> str:
        return f"<Routes: {plural(len(self), 'cycle' if self.closed else 'path')} of {self.graph.called}>"

    def data(self) -> list[list[Any]]:
        """Return the vertices of each route as JSON: by coordinates, or by name."""
        return [visits_data(self.graph, route) for route in self.routes]

    def svg(self) -> str:
        """Return the drawing, a colour for each route, as SVG text; `BadInput` if the graph is too large."""
        from cpsat_tour.drawing.routes import routes_svg

        return routes_svg(self.graph, self.routes, closed=self.closed)

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(
        self, path: str | os.PathLike[str], described: Mapping[str, Any] | None = None, *, force: bool = False
    ) -> None:
        """Write the routes to the file at ``path``: .svg or .png; .json with what is ``described``, by default a list
        of tours, or of routes if one leaves out a vertex; or .txt with a line each and that. `BadInput` if that can't
        be done, or the file exists and ``force`` is not set."""
        from cpsat_tour.formats.saving import save_routes

        kind = "tours" if all(len(route) == self.graph.order for route in self.routes) else "routes"
        told = described or {"problem": problem_data(Problem(self.graph, self.closed)), kind: self.data()}
        save_routes(self.graph, path, self.svg, str(self), told, force=force)
