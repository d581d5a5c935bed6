"""Symmetric tours: a permutation of the vertices that a tour is mapped to itself by, and the edges that it ties
together.

A tour is *symmetric* if a given permutation, which keeps the graph, takes its set of moves to itself. Its edges are
then a union of *orbits* of the permutation, so that all edges of an orbit are taken or left out together. An orbit that
has three edges at a vertex, or one that is not allowed, is left out. A cut set stays a cut set, so that whatever cuts
off subtours need not know of this.

On a cycle the permutation is a rotation or a reflection: it moves the tour *along* itself or turns it *over*. A
reflection has two fixed places, each a vertex or an edge that is turned round, and a rotation none: which tells the two
apart. Of half turns the first kind is called Eulerian, the second Bergholtian; a tour moved along itself by a mirror is
Sulian (Bergholt 1918, Jelliss 1999).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints, edge_keys, places_of
from cpsat_tour.core.space import Flags

Turning = Literal["either", "along", "over"]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A permutation of the vertices: ``images[v]`` is the vertex that ``v`` goes to; and how it is to turn a tour, if
    that is asked."""

    name: str
    images: Ints
    turning: Turning = "either"

    @property
    def is_identity(self) -> bool:
        """Whether it leaves every vertex where it is."""
        return bool((self.images == np.arange(len(self.images))).all())

    def extended(self, order: int) -> Symmetry:
        """The same on more vertices, which stay where they are."""
        images = np.append(self.images, np.arange(len(self.images), order)).astype(np.int32)
        return replace(self, images=images)

    def places(self, *, closed: bool) -> int | None:
        """How many vertices of a tour and moves between a vertex and its image stay where they are; None if 0 or 2.

        The identity, which keeps everything, is not to be asked.
        """
        if not closed:
            return 1
        stays = (self.images == np.arange(len(self.images))).any()
        return {"along": 0, "over": 2, "either": 2 if stays else None}[self.turning]

    def lacking_places(self, fixed: int, turned: int, *, closed: bool, nouns: str = "vertices") -> str | None:
        """Why no tour has its places where so many vertices and moves stay; None where one may have them."""
        places = self.places(closed=closed)
        if places is None or 0 <= places - fixed <= turned:
            return None
        kept = f"{self.name} keeps {fixed} of the {nouns} and {turned} of the moves in place"
        return f"{kept}, and {_PLACES[self.turning if closed else 'open']}"

    def check(self, graph: Graph) -> None:
        """Raise `BadInput` unless this is a permutation of the vertices that takes edges to edges."""
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
            raise BadInput(
                f"{self.name} is not a symmetry of {graph.called}: it takes the move {move} to {there}, which is none"
            )


_PLACES = {
    "open": "an open tour that it turns over has one such place",
    "either": "a closed tour that it takes to itself has two such places or none",
    "along": "a closed tour that it moves along itself has no such place",
    "over": "a closed tour that it turns over has two such places",
}


@dataclass(frozen=True, eq=False)
class EdgeOrbits:
    """The edges of a cycle problem tied by a symmetry: which may be used, the number of each one's orbit, which are
    required, and why no cycle can be symmetric, if that is plain."""

    kept: Flags
    orbits: Ints
    required: Flags
    contradiction: str | None = None


def tie_edges(order: int, tails: Ints, heads: Ints, required: Flags, symmetry: Symmetry) -> EdgeOrbits:
    """Tie the edges of each orbit. The universal vertex, if there is one, stays where it is.

    First the edges are left out that lack an image; then the moves that are turned round are required or left out, if
    it is asked how the tour is turned; then orbits with three edges at a vertex are left out; at last whole orbits are
    required.
    """
    symmetry = symmetry.extended(order)
    images = symmetry.images
    following = edge_images(order, tails, heads, images)
    kept, required, contradiction = _with_all_images(following), required.copy(), None
    if symmetry.turning == "over" or (symmetry.turning == "along" and not symmetry.is_identity):
        turned_round = (following == np.arange(len(tails))) & (images[tails] == heads)
        places = np.flatnonzero(turned_round & kept)
        fixed = int((images == np.arange(order)).sum())
        contradiction = symmetry.lacking_places(fixed, len(places), closed=True)
        if contradiction is None:
            if _makes_them(symmetry, fixed, len(places)):
                required[places] = True
            else:
                kept[places] = False
    orbits = _orbits(following, kept)
    kept &= ~_too_many_at_a_vertex(order, tails, heads, orbits, kept)
    if contradiction is None and (required & ~kept).any():
        contradiction = "a required move can't be made together with its images"
    wanted = np.zeros(len(tails) + 1, dtype=bool)
    wanted[orbits[required]] = True
    return EdgeOrbits(kept, orbits, wanted[orbits] & kept, contradiction)


def _makes_them(symmetry: Symmetry, fixed: int, turned: int) -> bool:
    """Whether a tour makes all of so many moves that are turned round, or none; `BadInput` where it makes some."""
    missing = (symmetry.places(closed=True) or 0) - fixed
    if missing not in (0, turned):
        raise BadInput(
            f"{turned} moves are turned round by {symmetry.name}, and which two a tour makes is open: leave out the "
            "kind"
        )
    return missing > 0


def edge_images(order: int, tails: Ints, heads: Ints, images: Ints) -> NDArray[np.int64]:
    """For each edge the number of the edge that it goes to; -1 where that is not among them."""
    return places_of(edge_keys(order, images[tails], images[heads]), edge_keys(order, tails, heads))


def _with_all_images(following: NDArray[np.int64]) -> Flags:
    """The edges all of whose images are there."""
    kept = following >= 0
    while (lost := kept & ~kept[following]).any():
        kept[lost] = False
    return np.asarray(kept)


def _orbits(following: NDArray[np.int64], kept: Flags) -> Ints:
    """The number of each edge's orbit, the least of its edges, by pointer doubling; an edge that is not kept is
    alone."""
    here = np.arange(len(following))
    onward = np.where(kept, following, here)
    orbits = here
    while (least := np.minimum(orbits, orbits[onward])).tolist() != orbits.tolist():
        orbits, onward = least, onward[onward]
    return orbits.astype(np.int32)


def _too_many_at_a_vertex(order: int, tails: Ints, heads: Ints, orbits: Ints, kept: Flags) -> Flags:
    """The edges whose orbit has three edges or more at a vertex."""
    ends = np.concatenate([tails[kept], heads[kept]]).astype(np.int64)
    pairs, times = np.unique(np.tile(orbits[kept], 2).astype(np.int64) * order + ends, return_counts=True)
    crowded = np.zeros(len(orbits), dtype=bool)
    crowded[pairs[times > 2] // order] = True
    return crowded[orbits]


def turning(symmetry: Symmetry, vertices: Ints, *, closed: bool) -> Turning | None:
    """How the symmetry turns a tour given by its vertices in order; None where it does not take the tour to itself.

    An open tour can only be turned over, and the identity moves any tour along itself, by nothing.
    """
    along, over = turnings(symmetry.images, np.asarray(vertices)[None, :], closed=closed)
    return "along" if along[0] else "over" if over[0] else None


def are_symmetric(symmetry: Symmetry, tours: Ints, *, closed: bool) -> Flags:
    """For each tour (a row) whether the symmetry takes it to itself, and turns it as asked."""
    along, over = turnings(symmetry.images, tours, closed=closed)
    return {"along": along, "over": over, "either": along | over}[symmetry.turning]


def turnings(images: Ints, tours: Ints, *, closed: bool) -> tuple[Flags, Flags]:
    """For each tour (a row) whether a permutation moves it along itself, and whether it turns it over.

    The places in the tour of the images of its vertices go up by one, modulo the order if ``closed``, or down by one.
    """
    order = tours.shape[1]
    places = np.empty_like(tours)
    np.put_along_axis(places, tours, np.arange(order, dtype=tours.dtype)[None, :], axis=1)
    there = np.take_along_axis(places, images[tours], axis=1)
    steps = np.diff(there, append=there[:, :1]) % order if closed else np.diff(there)
    return (steps == 1).all(axis=1), (steps == (order - 1 if closed else -1)).all(axis=1)
