"""Gadgets: parts of a graph that every Hamiltonian cycle passes once, each in one of a few ways.

Where one edge of every vertex is required, the other edges of a cycle are a perfect matching; a path of required edges
counts as one. A vertex with two of these other edges is matched with one of two others, so that exactly one edge of the
matching leaves the three together: they become one *group* (the contraction of a tight cut, Lovász & Plummer 1986),
again and again. The edges inside a group are a tree, and the vertex that is matched outside, a *port*, decides how the
others are matched. Two groups that required edges join to each other alone are a *gadget*: a cycle enters it at a port
of one and leaves it at a port of the other. Of all pairs of ports those count, the *modes*, whose path passes every
vertex of the gadget. A vertex of a directed graph, once it has been split, is the smallest gadget, with one mode.

Gadgets with many modes, known as in-out graphs (Glynn, Haythorpe & Moeini 2018), are made where one vertex out of a set
is to be visited, as in the search for peals of bells (Haythorpe & Johnson 2019). There all but six of six times six
pairs of ports close a cycle early, which a search over edges has to learn anew for each gadget.

`symmetries` are those of ports, modes and edges. The inside of the gadgets may hide them. Limits: where a port has one
edge to the outside, a group may reach into two gadgets, and none is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph, in_rows, row_starts
from cpsat_tour.core.orbits import edge_images, orbit_numbers
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.core.verify import routes_of

Colours = NDArray[np.uint64]

MAX_STEPS = 20_000_000
"""The most steps of the search for gadgets, and the largest array of the search for symmetries."""

MAX_EDGES = 200_000
"""The most edges of a graph in which gadgets are sought; each takes a microsecond or two."""

MAX_WAYS = 64
"""The most modes of a gadget, and the most edges at a port: formulations use pairs of them."""

MAX_SYMMETRIES = 16
"""The most symmetries that are returned: a formulation has a solver for each."""


@dataclass(frozen=True, eq=False)
class Gadgets:
    """A cycle problem as gadgets and edges between them; ``modes`` are the ways in which a cycle can pass each
    gadget."""

    count: int
    gadget: Ints  # of each vertex
    modes: Ints  # (modes, 2): the port that a cycle enters, and the one that it leaves
    paths: list[list[int]]  # of each mode all vertices of the gadget, from one port to the other
    edges: Ints  # the numbers of the edges between gadgets
    arcs: Ints  # (edges, 2): their ends, the port that a cycle leaves first


@dataclass(frozen=True, eq=False)
class GadgetSymmetry:
    """A permutation of ports, modes and edges of gadgets that preserves the problem; ``turns_over`` if it reverses
    cycles."""

    edges: Longs
    modes: Longs
    gadgets: Ints
    turns_over: bool

    @property
    def orbits(self) -> Ints:
        """The orbit numbers of all edges, then of all modes, the ways through a gadget. A symmetric cycle uses all
        members of an orbit or none."""
        return orbit_numbers(np.concatenate([self.edges, len(self.edges) + self.modes]))


def find_gadgets(cycle: CycleProblem) -> Gadgets | None:
    """Return the decomposition of a cycle problem into gadgets, at least one with several modes; None if there is none,
    or it is too large."""
    if cycle.directed or cycle.size > MAX_EDGES:
        return None
    ends = np.stack([cycle.tails, cycle.heads], axis=1)
    taken = cycle.required | (np.bincount(ends.ravel(), minlength=cycle.order)[ends] == 2).any(axis=1)
    used = np.bincount(ends[taken].ravel(), minlength=cycle.order)
    if used.min() < 1 or used.max() > 2:
        return None
    paths_taken, closed = routes_of(cycle.order, ends[taken].tolist(), directed=False)
    if closed:
        return None
    chains, mate = dict[int, list[int]](), np.arange(cycle.order)  # of each port: the path from there, and its end
    for chain in (path.tolist() for path in paths_taken):
        chains[chain[0]], chains[chain[-1]] = chain, chain[::-1]
        mate[[chain[0], chain[-1]]] = chain[-1], chain[0]
    between = ~taken & (used[ends] == 1).all(axis=1)
    colours = Graph.from_edges(
        cycle.order, np.concatenate([ends[between], np.stack([np.arange(cycle.order), mate], 1)])
    ).colours
    groups, inside = _contract_groups(cycle.order, ends[between].tolist())
    group, beyond = np.array(groups), np.array(groups)
    beyond[group] = group[mate]  # of a group, by its number, the one that chains join it to
    if colours is None or ((beyond[group] != group[mate]) | (group == group[mate]))[used == 1].any():
        return None
    gadget = np.minimum(group, beyond[group])
    for chain in chains.values():
        gadget[chain] = gadget[chain[0]]
    gadget = np.unique(gadget, return_inverse=True)[1].astype(np.int32)
    between &= gadget[ends[:, 0]] != gadget[ends[:, 1]]
    edges = np.flatnonzero(between).astype(np.int32)
    arcs = np.where((colours[ends[edges, 0]] == 0)[:, None], ends[edges], ends[edges, ::-1])
    entries, exits = (_split_by_gadget(np.unique(arcs[:, side]), gadget) for side in (1, 0))
    sizes = np.bincount(gadget).tolist()
    if sum(map(prod, zip(sizes, map(len, entries), map(len, exits), strict=True))) > MAX_STEPS:
        return None
    matched = {port: _matching(inside, port) for port in np.unique(arcs).tolist()}
    modes, paths = list[tuple[int, int]](), list[list[int]]()
    for each, others, size in zip(entries, exits, sizes, strict=True):
        for entry, leave in product(each, others):
            pairs, path = matched[entry] | matched[leave], chains[entry]
            while path[-1] != leave and path[-1] in pairs:
                path = path + chains[pairs[path[-1]]]
            if path[-1] == leave and len(path) == size:
                modes.append((entry, leave))
                paths.append(path)
    ways = np.bincount(gadget[[entry for entry, _ in modes]], minlength=len(sizes)) if modes else np.zeros(1)
    if ways.min() < 1 or ways.max() == 1 or max(ways.max(), np.bincount(arcs.ravel()).max()) > MAX_WAYS:
        return None
    return Gadgets(len(sizes), gadget, np.array(modes, dtype=np.int32), paths, edges, arcs)


def _split_by_gadget(ports: Ints, gadget: Ints) -> list[list[int]]:
    """Split these ports into a list for each gadget."""
    starts, in_order = in_rows(gadget[ports], ports, int(gadget.max()) + 1)
    return [part.tolist() for part in np.split(in_order, starts[1:-1])]


def _contract_groups(order: int, edges: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Merge vertices into groups. Return the number of each vertex's group, which is one of its vertices, and each
    vertex's neighbours in the spanning tree of its group."""
    group, members = list(range(order)), [[vertex] for vertex in range(order)]
    inside, leaving = [list[int]() for _ in group], [set[int]() for _ in group]
    for number, (v, u) in enumerate(edges):
        leaving[v].add(number)
        leaving[u].add(number)
    todo = [vertex for vertex in group if len(leaving[vertex]) == 2]
    while todo:
        middle = todo.pop()
        beside = {group[end] for number in leaving[middle] for end in edges[number]} - {middle}
        if group[middle] != middle or len(leaving[middle]) != 2 or len(beside) != 2:
            continue
        for v, u in (edges[number] for number in leaving[middle]):
            inside[v].append(u)
            inside[u].append(v)
        *smaller, large = sorted({middle, *beside}, key=lambda each: len(leaving[each]))
        for each in smaller:
            members[large] += members[each]
            for vertex in members[each]:
                group[vertex] = large
        for number in set.union(*(leaving[each] for each in smaller)):
            v, u = edges[number]
            (leaving[large].discard if group[v] == group[u] else leaving[large].add)(number)
        todo.append(large)
    return group, inside


def _matching(inside: list[list[int]], port: int) -> dict[int, int]:
    """Pair all vertices of the port's group, except the port, along edges of the group's tree; return each vertex's
    partner, or an empty dict if that is impossible."""
    above, vertices, pairs = {port: port}, [port], dict[int, int]()
    for vertex in vertices:
        for other in inside[vertex]:
            if other not in above:
                above[other] = vertex
                vertices.append(other)
    for vertex in reversed(vertices[1:]):
        if vertex not in pairs:
            if above[vertex] == port or above[vertex] in pairs:
                return {}
            pairs[vertex], pairs[above[vertex]] = above[vertex], vertex
    return pairs


def symmetries(gadgets: Gadgets) -> list[GadgetSymmetry]:
    """Return symmetries that a Hamiltonian cycle may have, those with the fewest orbits first, at most
    `MAX_SYMMETRIES`.

    They are such that no power but the identity leaves a gadget in its place, or such that are their own inverse,
    exchange entries and exits, and leave at most two gadgets in place.

    Colours are refined (Weisfeiler & Leman 1968) from each port that looks like a certain one; where that does not tell
    all ports apart, none is found.
    """
    ports = np.unique(gadgets.modes)
    ports = ports[np.argsort(gadgets.gadget[ports], kind="stable")]
    number = np.full(len(gadgets.gadget), -1, dtype=np.int32)
    number[ports] = np.arange(len(ports), dtype=np.int32)
    home, entry = gadgets.gadget[ports], np.isin(ports, gadgets.modes[:, 0])
    modes, links = number[gadgets.modes], number[gadgets.arcs]
    live = (links >= 0).all(axis=1)
    tables = [_neighbours(pairs, len(ports)) for pairs in (links[live], modes)]
    widest = max(table.shape[1] for table in tables)
    (whole,) = _refined(np.ones((1, len(ports)), dtype=np.uint64), tables, home)
    _, kind, many = np.unique(whole, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(kind == many.argmin())
    if len(alike) * len(ports) * widest > MAX_STEPS:
        return []
    marked = np.tile(whole, (len(alike), 1))
    marked[np.arange(len(alike)), alike] += np.uint64(1)
    first, *others = _refined(marked, tables, home)
    found = list[tuple[int, GadgetSymmetry]]()
    for other in others if len(np.unique(first)) == len(ports) else []:
        images = np.empty(len(ports), dtype=np.int32)
        images[np.argsort(first)] = np.argsort(other)
        of_links = edge_images(len(ports), links[live, 0], links[live, 1], images)
        of_modes = edge_images(len(ports), modes[:, 0], modes[:, 1], images)
        of_gadgets = np.empty(gadgets.count, dtype=np.int32)
        of_gadgets[home] = home[images]
        if (of_gadgets[home] == home[images]).all() and min(of_links.min(), of_modes.min()) >= 0:
            of_edges = np.arange(len(links))
            of_edges[live] = np.flatnonzero(live)[of_links]
            lengths = np.unique(orbit_numbers(of_gadgets), return_counts=True)[1].tolist()
            turned = entry[images] != entry
            over = bool(turned.all()) and max(lengths) <= 2 and lengths.count(1) <= 2
            if over or (not turned.any() and len(set(lengths)) == 1):
                found.append((len(lengths), GadgetSymmetry(of_edges, of_modes, of_gadgets, over)))
    found.sort(key=lambda each: (each[1].turns_over, each[0]))
    return [symmetry for _, symmetry in found[:MAX_SYMMETRIES]]


def _neighbours(pairs: Ints, count: int) -> Ints:
    """Return a table of neighbours, a row for each vertex of the graph with these edges; short rows are filled with
    ``count``."""
    graph = Graph.from_edges(count, pairs)
    table = np.full((count, max(1, int(graph.degrees.max()))), count, dtype=np.int32)
    table[graph.tails, np.arange(len(graph.indices)) - graph.indptr[graph.tails]] = graph.indices
    return table


def _refined(colours: Colours, tables: list[Ints], home: Ints) -> Colours:
    """Refine a colouring of the vertices until it is stable: by the colours of the neighbours in each table and of the
    same gadget. Rows whose colours become different from those of the first row are left out."""
    starts, known = row_starts(np.bincount(home))[:-1], 0
    while (now := len(np.unique(colours[0]))) > known:
        known, padded = now, np.pad(colours, ((0, 0), (0, 1)))
        sums = [padded[:, table].sum(axis=2) for table in tables]
        sums.append(np.add.reduceat(colours, starts, axis=1)[:, home])
        for number, each in enumerate(sums, start=1):
            colours = (colours ^ (each + np.uint64(number))) * np.uint64(0x9E3779B97F4A7C15)
            colours ^= colours >> np.uint64(29)
        colours = colours[np.sort(colours).sum(axis=1) == colours[0].sum()]
    return colours
