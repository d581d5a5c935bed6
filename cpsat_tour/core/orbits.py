"""Symmetric tours: an automorphism of the graph that maps a tour to itself, and the orbits of edges, used all or not at
all.

The edges of a symmetric tour are a union of *orbits* of the automorphism: all edges of an orbit are used or none. An
orbit with three edges at a vertex, or with an edge that is not allowed, is left out. A cut set stays a cut set.

On a cycle the automorphism is a rotation, which moves the tour *along* itself, or a reflection, which turns it *over*.
A reflection has two *fixed places*, each a vertex or an edge whose ends it exchanges, and a rotation has none. Under a
half turn the first kind of tour is called Eulerian, the second Bergholtian; a tour that a mirror moves along itself is
Sulian (Bergholt 1918, Jelliss 1999).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, edge_keys, indices_in
from cpsat_tour.core.space import Flags, Ints

Turning = Literal["either", "along", "over"]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """An automorphism that a tour should have: ``images[v]`` is the image of vertex ``v``. ``turning`` says whether it
    moves the tour along itself or turns it over, or either."""

    name: str
    images: Ints
    turning: Turning = "either"

    @property
    def is_identity(self) -> bool:
        """True if every vertex is its own image."""
        return bool((self.images == np.arange(len(self.images))).all())

    @cached_property
    def orbits(self) -> list[list[int]]:
        """The orbits of vertices, each a list that starts at its least vertex and follows the symmetry."""
        following, orbits, seen = self.images.tolist(), [], bytearray(len(self.images))
        for vertex in range(len(following)):
            orbit: list[int] = []
            while not seen[vertex]:
                seen[vertex] = 1
                orbit.append(vertex)
                vertex = following[vertex]  # noqa: PLW2901
            if orbit:
                orbits.append(orbit)
        return orbits

    def extended(self, order: int) -> Symmetry:
        """Return the symmetry extended to ``order`` vertices; it fixes the added ones."""
        images = np.append(self.images, np.arange(len(self.images), order)).astype(np.int32)
        return replace(self, images=images)

    def fixed_places(self, *, closed: bool) -> int | None:
        """Return how many vertices and edges of a symmetric tour the symmetry fixes; None if it may be 0 or 2. Not
        meant for the identity."""
        if not closed:
            return 1
        stays = (self.images == np.arange(len(self.images))).any()
        return {"along": 0, "over": 2, "either": 2 if stays else None}[self.turning]

    def why_wrong_fixed_places(self, fixed: int, turned: int, *, closed: bool, nouns: str = "vertices") -> str | None:
        """Return a sentence on why no tour can have this symmetry if the graph has ``fixed`` fixed vertices and
        ``turned`` edges that are mapped to themselves; None if their numbers allow a tour."""
        places = self.fixed_places(closed=closed)
        if places is None or 0 <= places - fixed <= turned:
            return None
        return fixed_places_sentence(self.name, fixed, turned, self.turning if closed else "open", nouns)

    def check(self, graph: Graph) -> None:
        """Raise `BadInput` unless this is an automorphism of the graph, which is undirected."""
        if graph.directed:
            raise BadInput(
                f"a tour of a directed graph can't be asked to have the symmetry {self.name}: choose an "
                "undirected graph"
            )
        images = np.asarray(self.images)
        if images.shape != (graph.order,) or not np.array_equal(np.sort(images), np.arange(graph.order)):
            raise BadInput(
                f"the symmetry {self.name} is not a permutation of the {graph.order} {graph.nouns[1]} of {graph.called}"
            )
        tails, heads = graph.edges()
        lost = np.flatnonzero(edge_images(graph.order, tails, heads, self.images) < 0)
        if lost.size:
            here = [int(ends[lost[0]]) for ends in (tails, heads)]
            there = "-".join(graph.name(int(images[vertex])) for vertex in here)
            move = "-".join(map(graph.name, here))
            mapped = f"it takes the move {move} to {there}, which is not a move"
            raise BadInput(f"{self.name} is not a symmetry of {graph.called}: {mapped}")


PLACES = {
    "open": "an open tour that it turns over has one such place",
    "either": "a closed tour that it takes to itself has two such places or none",
    "along": "a closed tour that it moves along itself has no such place",
    "over": "a closed tour that it turns over has two such places",
}


def fixed_places_sentence(name: str, fixed: int, turned: int, kind: str, nouns: str) -> str:
    """Return a sentence with the numbers of vertices and edges that a symmetry fixes, and the number that a tour needs;
    ``kind`` is a key of `PLACES`."""
    return f"{name} keeps {fixed} of the {nouns} and {turned} of the moves in place, and {PLACES[kind]}"


def edge_images(order: int, tails: Ints, heads: Ints, images: Ints) -> NDArray[np.int64]:
    """Return for each edge the number of the edge that it is mapped to by the permutation; -1 if that is not an
    edge."""
    return indices_in(edge_keys(order, images[tails], images[heads]), edge_keys(order, tails, heads))


def orbit_numbers(following: NDArray[np.integer], kept: Flags | bool = True) -> Ints:
    """Return for each item of a permutation the least item of its orbit. Items that are not ``kept`` count as orbits of
    their own."""
    here = np.arange(len(following))
    onward = np.where(kept, following, here)
    orbits = here
    while (least := np.minimum(orbits, orbits[onward])).tolist() != orbits.tolist():
        orbits, onward = least, onward[onward]
    return orbits.astype(np.int32)


def turning_of(symmetry: Symmetry, vertices: Ints, *, closed: bool) -> Literal["along", "over"] | None:
    """Return "along" if the symmetry moves the tour along itself, "over" if it reverses the tour, None if it does not
    map the tour to itself.

    An open tour can only be turned over, and the identity moves any tour along itself.
    """
    along, over = along_and_over(symmetry.images, np.asarray(vertices)[None, :], closed=closed)
    return "along" if along[0] else "over" if over[0] else None


def are_symmetric(symmetry: Symmetry, tours: Ints, *, closed: bool) -> Flags:
    """Return a flag for each tour (a row), True if the symmetry maps it to itself in the direction that ``turning``
    asks for."""
    along, over = along_and_over(symmetry.images, tours, closed=closed)
    return {"along": along, "over": over, "either": along | over}[symmetry.turning]


def along_and_over(images: Ints, tours: Ints, *, closed: bool) -> tuple[Flags, Flags]:
    """Return two flags for each tour (a row), as two arrays: True if the permutation moves it along itself, and True if
    it reverses it.

    Along the tour, the positions of the images go up by one, modulo the order if ``closed``, or down by one.
    """
    order = tours.shape[1]
    places = np.empty_like(tours)
    np.put_along_axis(places, tours, np.arange(order, dtype=tours.dtype)[None, :], axis=1)
    there = np.take_along_axis(places, images[tours], axis=1)
    steps = np.diff(there, append=there[:, :1]) % order if closed else np.diff(there)
    return (steps == 1).all(axis=1), (steps == (order - 1 if closed else -1)).all(axis=1)
