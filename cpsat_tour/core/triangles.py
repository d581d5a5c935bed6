"""Triangles of vertices of degree 3: a cycle enters one by one of its three ways out and leaves by another, so it is as
good as one vertex.

Of the three edges of a triangle a Hamiltonian cycle uses two, those that meet at the corner whose way out it does not
use: each edge is used where the way out of the corner opposite is. So the cycles of the graph with the triangle and
with a vertex instead are the same, one by one.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from cpsat_tour.core.forced_edges import UNDECIDED, ForcedEdges


@dataclass(frozen=True)
class Triangle:
    """The corners, and for each of them the edge opposite and the way out."""

    corners: tuple[int, int, int]
    edges: tuple[int, int, int]
    ways_out: tuple[int, int, int]


def find_triangles(edges: ForcedEdges, but: Set[int]) -> tuple[list[int], list[Triangle]]:
    """Disjoint triangles without decided edges and without these vertices; before them for each vertex the corner that
    stands for it.

    The ways out of each lead to three different vertices, also where these are triangles of the list: no two edges
    become parallel.
    """
    stands_for = list(range(edges.order))
    found = []
    if edges.order > MIN_ORDER:
        for vertex in range(edges.order):
            if triangle := _least_corner(edges, vertex, but, stands_for):
                found.append(triangle)
                for corner in triangle.corners:
                    stands_for[corner] = vertex
    return stands_for, found


MIN_ORDER = 4
"""The complete graph of so many vertices stays as it is."""


def _least_corner(edges: ForcedEdges, one: int, but: Set[int], stands_for: list[int]) -> Triangle | None:
    """A triangle of which this is the least corner."""
    at = edges.at

    def may_be_corner(vertex: int) -> bool:
        return len(at[vertex]) == 3 and vertex not in but and stands_for[vertex] == vertex

    near = [(edge, end) for edge, end in at[one].items() if end > one]
    if len(near) == 1 or not may_be_corner(one):
        return None
    near = [(edge, end) for edge, end in near if edges.state[edge] == UNDECIDED and may_be_corner(end)]
    for edge, two in near:
        for other, three in near:
            if two >= three or three not in at[two].values():
                continue
            across = [between for between, end in at[two].items() if end == three and edges.state[between] == UNDECIDED]
            if len(across) == 1:
                inner = (across[0], other, edge)
                out = [
                    [(way, stands_for[end]) for way, end in at[corner].items() if way not in inner]
                    for corner in (one, two, three)
                ]
                ways, beyond = zip(*(ways[0] for ways in out), strict=True)
                if len(set(beyond)) == len(beyond):
                    return Triangle((one, two, three), inner, ways)
    return None
