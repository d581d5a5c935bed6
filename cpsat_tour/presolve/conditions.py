"""Facts about Hamiltonian cycles that need no search: forced edges, the edges of small cuts, necessary conditions.

Forced edges follow by three rules, run until nothing follows. Where two edges are left at a vertex, both are taken;
where two are taken, the others are dropped; an edge that joins the two ends of a path of taken edges is dropped, unless
that path visits every vertex (Selby 1970, Martello 1983). The mates of path ends are those of Knuth's SSHAM (The Art of
Computer Programming, fascicle 8a, 2024). The time is linear in the edges, but for the search for an edge between two
path ends. Parallel edges are allowed.

Bridges, cut vertices and 2-edge cuts of a connected graph are found by one depth-first search. A Hamiltonian cycle
leaves every set of vertices and comes back, so it uses both edges of a 2-edge cut, and there is none if a bridge or a
cut vertex joins two parts. Cut vertices are found by the least depth that a subtree reaches back to (Tarjan 1972). Each
edge beside the tree gets a random label, each tree edge the exclusive or of the labels that lead past it: two edges are
a cut if their labels are equal (Pritchard & Thurimella 2011). All edges of one label are a *cut class*: without them
the graph falls into as many parts, each between two of them. Unequal edges get equal labels once in 2^64 pairs or so;
`parts_beside` counts the parts, so that even then no answer is wrong. Time: linear.

Tiny and contradictory problems are decided, and necessary conditions for a tour are checked. The conditions are on
degrees, connectivity, cut vertices, colours and symmetry, and easy to check by hand: a violated one is a refutation
that names its witness. A problem that meets all of them may still have no tour.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.graph import Edge, Graph
from cpsat_tour.core.problem import Problem, Refutation
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.runs import ITEMS_PER_BEAT, Heartbeat, no_heartbeat

UNDECIDED, TAKEN, DROPPED = range(3)

MOST_MOVES = 8  # that a reason names


class Contradiction(Exception):
    """There is no Hamiltonian cycle; the message says why."""


class ForcedEdges:
    """The state of each edge: undecided, taken (every cycle uses it) or dropped (none does).

    ``edges_at[v]`` has the edges at ``v`` that are not dropped, each with its other end. ``taken[v]`` counts those
    taken. ``mate[v]`` is the other end of the path of taken edges that ends at ``v``, or ``v`` if none is taken there;
    inside a path it is meaningless. ``steps`` has all taken edges in their order, a Hamiltonian cycle if there are
    ``order`` of them; ``in_cuts`` those that 2-edge cuts force. ``name`` gives the name of a vertex, and ``heartbeat``
    is called every now and then.

    ``behind`` has for each edge the taken edges from which its state follows, itself included. ``lost[v]`` has those
    behind the dropped edges at ``v``, and ``path[v]`` those behind the path that ends at ``v``. See `_few`.
    """

    def __init__(
        self, order: int, ends: list[tuple[int, int]], name: Callable[[int], str], heartbeat: Heartbeat = no_heartbeat
    ) -> None:
        self.order = order
        self.ends = ends
        self.state = bytearray(len(ends))
        self.edges_at: list[dict[int, int]] = [{} for _ in range(order)]
        for edge, (tail, head) in enumerate(ends):
            self.edges_at[tail][edge] = head
            self.edges_at[head][edge] = tail
        self.taken = [0] * order
        self.mate = list(range(order))
        self.steps: list[int] = []
        self.in_cuts = set[int]()
        self.behind = defaultdict[int, frozenset[int]](frozenset)
        self.lost, self.path = [self.behind[-1]] * order, [self.behind[-1]] * order
        self.name, self.heartbeat = name, heartbeat
        self._waiting: list[int] = []

    def propagate(self, edges: Sequence[int] = ()) -> None:
        """Take these edges and everything that they force; `Contradiction` if no cycle is left."""
        self.behind |= dict.fromkeys(edges, _few(self.steps if edges else ()))  # of cuts, which all dropped edges make
        self._waiting += reversed(edges)
        while self._waiting:
            self._take(self._waiting.pop())

    def force_small_degrees(self) -> None:
        """Take both edges at each vertex of degree 2, and everything that they force; `Contradiction` if a degree is
        smaller."""
        for vertex in [vertex for vertex, edges in enumerate(self.edges_at) if len(edges) <= 2]:
            self._queue_last_two(vertex)
            self.propagate()

    def _take(self, edge: int) -> None:
        """Take the edge, and drop the edges that no cycle has together with the taken ones; `Contradiction` if it can't
        be taken."""
        if self.state[edge] == TAKEN:
            return
        tail, head = self.ends[edge]
        if self.state[edge] == DROPPED:
            what = f"{self.name(tail)}-{self.name(head)} has to be used, and there is no room for it"
            raise self.contradiction(what, self.behind[edge])
        self.state[edge] = TAKEN
        self.behind[edge] |= {edge}
        self.steps.append(edge)
        if len(self.steps) % ITEMS_PER_BEAT == 0:
            self.heartbeat()
        first, last = self.mate[tail], self.mate[head]
        self.mate[first], self.mate[last] = last, first
        self.path[first] = self.path[last] = _few(self.path[first], self.behind[edge], self.path[last])
        for end in (tail, head):
            self.taken[end] += 1
            if self.taken[end] == 2:
                self._drop(
                    [left for left in self.edges_at[end] if self.state[left] == UNDECIDED],
                    _few(*(self.behind[used] for used in self.edges_at[end] if self.state[used] == TAKEN)),
                )
        near, far = (first, last) if len(self.edges_at[first]) <= len(self.edges_at[last]) else (last, first)
        closing = [edge for edge, end in self.edges_at[near].items() if end == far and self.state[edge] == UNDECIDED]
        if len(self.steps) == self.order - 1:
            self._waiting += closing[:1]
        else:
            self._drop(closing, self.path[near])

    def _drop(self, edges: list[int], behind: frozenset[int]) -> None:
        """Drop these edges, since those ``behind`` this are taken; `Contradiction` if a vertex is left with fewer than
        two."""
        for edge in edges:
            self.state[edge], self.behind[edge] = DROPPED, self.behind[edge] | behind
            for end in self.ends[edge]:
                self.lost[end] = _few(self.lost[end], behind)
                del self.edges_at[end][edge]
        for edge in edges:
            for end in self.ends[edge]:
                self._queue_last_two(end)

    def _queue_last_two(self, vertex: int) -> None:
        """Queue the two edges at the vertex to be taken, if only two are left; `Contradiction` if fewer are."""
        if len(self.edges_at[vertex]) < 2:
            what = f"{self.name(vertex)} is left with fewer than two moves that a tour can use"
            raise self.contradiction(what, self.lost[vertex])
        if len(self.edges_at[vertex]) == 2 and self.taken[vertex] < 2:
            self.behind |= {edge: self.behind[edge] or self.lost[vertex] for edge in self.edges_at[vertex]}
            self._waiting += self.edges_at[vertex]

    def contradiction(self, what: str, behind: Iterable[int]) -> Contradiction:
        """Return the contradiction with the moves that are ``behind`` it, each of which follows from those before it,
        or with the number of all taken moves if these are too many."""
        asked = {*behind}
        cut = dict.fromkeys(self.in_cuts, " (one of only two moves between two parts)")
        moves = ["-".join(map(self.name, self.ends[e])) + cut.get(e, "") for e in self.steps if e in asked]
        few = len(moves) <= MOST_MOVES
        named = ", ".join([*moves[:-2], " and ".join(moves[-2:])]) if few else f"{len(self.steps):,} moves"
        return Contradiction(what + f", since {named} have to be used" * bool(moves))


def _few(*edges: Iterable[int]) -> frozenset[int]:
    """Return the union of these sets, or so many of its edges that a reason will not name them."""
    return frozenset([*frozenset[int]().union(*edges)][: MOST_MOVES + 1])


# --- small cuts ---

LABEL_BITS = 64


@dataclass(frozen=True)
class CutClass:
    """A set of edges any two of which are a cut. They separate parts; ``gates`` are the two vertices of each part at
    the cut edges, which may be the same."""

    edges: list[int]
    gates: list[Edge]


class _Search:
    """The result of a depth-first search: vertices in ``preorder``, the ``number`` of each there, the tree as
    ``parent`` and ``parent_edge``, and ``low``, the least number that an edge from each subtree reaches."""

    def __init__(self, edges_at: Sequence[dict[int, int]]) -> None:
        order = len(edges_at)
        self.number = number = [-1] * order
        self.parent = parent = [-1] * order
        self.parent_edge = parent_edge = [-1] * order
        self.low = low = [0] * order
        self.preorder = preorder = [0]
        self.back: list[tuple[int, int, int]] = []
        back = self.back
        number[0] = 0
        stack = [(0, iter(edges_at[0].items()))]
        while stack:
            vertex, edges = stack[-1]
            mine = number[vertex]
            for edge, end in edges:
                if number[end] < 0:
                    number[end] = low[end] = len(preorder)
                    parent[end], parent_edge[end] = vertex, edge
                    preorder.append(end)
                    stack.append((end, iter(edges_at[end].items())))
                    break
                if number[end] < mine and edge != parent_edge[vertex]:
                    back.append((edge, vertex, end))
                    low[vertex] = min(low[vertex], number[end])
            else:
                stack.pop()
                if stack and low[vertex] < low[stack[-1][0]]:
                    low[stack[-1][0]] = low[vertex]


def find_cut_classes(forced: ForcedEdges) -> list[CutClass]:
    """Return all classes of 2-edge cuts of a graph of three or more vertices (see `CutClass`), of its edges that are
    not dropped.

    These are the classes of two or more edges with equal labels; their tree edges lie on one way down from the root.
    `Contradiction` if the graph is not connected, or has a bridge or a cut vertex.
    """
    search = _Search(forced.edges_at)
    if reason := _why_no_cycle(search, forced.name):
        raise forced.contradiction(reason, forced.steps)
    labels = random.Random(0)
    label = [0] * len(search.number)
    beside: dict[int, tuple[int, int, int]] = {}
    for back in search.back:
        mine = labels.getrandbits(LABEL_BITS)
        beside[mine] = back
        label[back[1]] ^= mine
        label[back[2]] ^= mine
    for vertex in reversed(search.preorder[1:]):
        label[search.parent[vertex]] ^= label[vertex]
    classes: dict[int, list[int]] = defaultdict(list)
    for vertex in search.preorder[1:]:
        classes[label[vertex]].append(vertex)
    cut_classes = []
    for mine, lower in classes.items():
        if len(lower) == 1 and mine not in beside:
            continue
        edges = [search.parent_edge[vertex] for vertex in lower]
        gates = [(one, search.parent[other]) for one, other in itertools.pairwise(lower)]
        if mine in beside:
            edge, below, above = beside[mine]
            edges.append(edge)
            gates += [(lower[-1], below), (search.parent[lower[0]], above)]
        else:
            gates.append((search.parent[lower[0]], lower[-1]))
        cut_classes.append(CutClass(edges, gates))
    return cut_classes


def why_cut(cycle: CycleProblem) -> str | None:
    """Return a sentence that names a bridge or a cut vertex of a cycle problem, whose arcs count as edges; None if it
    has none."""
    edges_at: list[dict[int, int]] = [{} for _ in range(cycle.order)]
    for edge, (tail, head) in enumerate(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)):
        edges_at[tail][edge] = head
        edges_at[head][edge] = tail
    return _why_no_cycle(_Search(edges_at), cycle.explained_name)


def _why_no_cycle(search: _Search, name: Callable[[int], str]) -> str | None:
    """Return a sentence that names an unreached vertex, a bridge or a cut vertex, any of which excludes a cycle; None
    if there is none."""
    number, parent, low = search.number, search.parent, search.low
    if -1 in number:
        return f"no moves lead from {name(0)} to {name(number.index(-1))}"
    for vertex in search.preorder[1:]:
        if low[vertex] == number[vertex]:
            bridge = f"{name(parent[vertex])}-{name(vertex)}"
            return f"{bridge} is the only move between two parts, and a tour goes there and comes back"
    below_root = [vertex for vertex in search.preorder[1:] if parent[vertex] == 0]
    separated = [(below_root[0], 0, below_root[1])] if len(below_root) > 1 else []
    separated += [
        (parent[parent[vertex]], parent[vertex], vertex)
        for vertex in search.preorder[2:]
        if parent[vertex] != 0 and low[vertex] >= number[parent[vertex]]
    ]
    for upper, vertex, lower in separated:
        return f"every way from {name(upper)} to {name(lower)} leads through {name(vertex)}, which a tour visits once"
    return None


def parts_beside(
    order: int, ends: Sequence[Edge], cut_classes: Sequence[CutClass], edges: Sequence[int]
) -> list[int] | None:
    """Return the number of each vertex's part once the edges of all cut classes are removed; None if a cut class is
    wrong.

    The gates of a part, the ends of two edges of one cut class, count as joined. ``edges`` are those of the graph.

    If every pair of a cut class is a cut, each cut class runs through as many parts as it has edges, and the parts are
    joined by cut classes as in a tree. The converse holds too: each cut class runs through its gates in a circle, so if
    there are so many parts, no two cut classes meet twice.
    """
    away = {edge for cut_class in cut_classes for edge in cut_class.edges}
    joined = [ends[edge] for edge in edges if edge not in away]
    joined += [gate for cut_class in cut_classes for gate in cut_class.gates]
    parts: list[int] = Graph.from_edges(order, joined).components.tolist()
    return parts if len(set(parts)) == 1 + sum(len(cut_class.edges) - 1 for cut_class in cut_classes) else None


def violated_condition(problem: Problem) -> Refutation | None:
    """Return the first necessary condition that the problem violates, with its witness; None if it meets all."""
    graph = problem.allowed
    reason = (
        _why_too_few_moves(problem, graph)
        or (problem.require and _why_too_many_required_moves(problem, graph))
        or _why_not_connected(problem, graph)
        or (graph.directed and graph.order > 2 and why_cut(to_cycle(problem)))  # undirected: see `simplify`
        or why_colours_cannot_alternate(problem, graph)
        or (problem.symmetry is not None and why_symmetry_fails(problem, graph))
    )
    return Refutation("condition", reason) if reason else None


def _why_too_few_moves(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence that names vertices with fewer than two edges, if they can't all be ends; else None."""
    poor, ends = np.flatnonzero(graph.degrees < 2), [] if problem.closed else _fixed_ends(problem)
    if graph.directed or graph.order < 3:
        return None
    if problem.closed or len(ends) == 2:
        inner = np.setdiff1d(poor, ends)
        inside = "" if problem.closed else " and is not an end"
        return f"{graph.name(int(inner[0]))} has fewer than two moves{inside}" if inner.size else None
    names = ", ".join(graph.name(int(vertex)) for vertex in poor[:3])
    few = f"each have fewer than two moves, and only two {graph.nouns[1]} may"
    return f"{names} {few}" if len(poor) > 2 else None


def _fixed_ends(problem: Problem) -> list[int]:
    """Return the start and the end of the problem, those that are fixed."""
    return [vertex for vertex in (problem.start, problem.end) if vertex is not None]


def _why_too_many_required_moves(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence that names a vertex with more required moves than a tour makes there; None if there is none."""
    ways = (("meet at", 2, (0, 1)),) if not graph.directed else (("lead to", 1, (1,)), ("lead from", 1, (0,)))
    for way, room, sides in ways:
        vertices = np.array(problem.require, dtype=np.int64).reshape(-1, 2)[:, sides].ravel()
        uses = np.bincount(vertices, minlength=graph.order)
        if uses[most := int(uses.argmax())] > room:
            tour = "a tour makes one" if room == 1 else "a tour uses two"
            return f"{uses[most]} required moves {way} {graph.name(most)}, and {tour}"
        for end, word, side in ((problem.start, "starts", 1), (problem.end, "ends", 0)):
            if not problem.closed and side in sides and end is not None and uses[end] == room:
                moves = "1 required move there leaves" if room == 1 else "2 required moves there leave"
                return f"the tour {word} at {graph.name(end)}, and {moves} no room for that"
    return None


def _why_not_connected(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence that names two vertices which no path joins; None if the graph is connected (strongly, for a
    closed tour)."""
    parts = int(graph.components.max(initial=0)) + 1
    if parts > 1:
        other = graph.name(int(np.flatnonzero(graph.components)[0]))
        return f"no moves lead from {graph.name(0)} to {other}: the {graph.nouns[1]} fall apart into {parts} parts"
    if not (graph.directed and problem.closed and graph.order):
        return None
    for way, onwards in ((graph, True), (graph.reversed, False)):
        if (apart := np.flatnonzero(~way.reached_from(0))).size:
            ends = (graph.name(0), graph.name(int(apart[0])))
            return "no way leads from {} to {}".format(*(ends if onwards else ends[::-1]))
    return None


def why_colours_cannot_alternate(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence on why the two colours of a bipartite graph can't alternate along a tour with these ends; None
    if they can, or the graph is not bipartite.

    They have the names of the shades of a board where they are these.
    """
    colours = graph.colours
    if colours is None:
        return None
    counts = (graph.order - int(colours.sum()), int(colours.sum()))
    ends, wrong = [] if problem.closed else _fixed_ends(problem), None
    minor = [vertex for vertex in ends if counts[colours[vertex]] < counts[1 - colours[vertex]]]
    if problem.closed and counts[0] != counts[1]:
        wrong = "a closed tour visits equally many of both"
    elif abs(counts[0] - counts[1]) > 1:
        wrong = "in an open tour these numbers differ by at most one"
    elif minor:
        wrong = f"an open tour can't have an end at {graph.name(minor[0])}, which is of the lesser colour"
    elif len(ends) == 2 and counts[0] == counts[1] and colours[ends[0]] == colours[ends[1]]:
        wrong = f"an open tour can't have both ends, {' and '.join(map(graph.name, ends))}, of one colour"
    if wrong is None:
        return None
    most, least = "of one colour", "of the other"
    if (layout := graph.space.layout) is not None:
        is_dark = layout.dark == (colours == int(counts[1] > counts[0]))
        if is_dark.all():
            most, least = "dark", "light"
        elif not is_dark.any():
            most, least = "light", "dark"
    sides = f"{max(counts)} {most} and {min(counts)} {least}"
    return f"every move changes colour, and the {graph.order} {graph.nouns[1]} are {sides}: {wrong}"


def why_symmetry_fails(problem: Problem, graph: Graph) -> str | None:
    """Return a sentence on why no tour has the symmetry that the problem asks for; None if one may.

    On a closed tour a reflection has two fixed places and a rotation none, and a rotation by an odd number of moves
    changes all colours. With orbits of d of the n vertices it moves a tour by a multiple of n/d moves, an odd multiple
    if d is even. On an open tour there is one fixed place.
    """
    symmetry = problem.symmetry
    if symmetry is None or graph.directed or (symmetry.is_identity and symmetry.turning != "over"):
        return None
    images = symmetry.images
    tails, heads = graph.edges()
    fixed = int((images == np.arange(graph.order)).sum())
    turned = int((images[tails] == heads)[images[heads] == tails].sum())
    if reason := symmetry.why_wrong_fixed_places(fixed, turned, closed=problem.closed, nouns=graph.nouns[1]):
        return reason
    rotates = symmetry.turning == "along" or not (fixed or turned > 1)
    if not (problem.closed and rotates) or (colours := graph.colours) is None:
        return None
    orbit, image = 1, images[0]
    while image != 0:
        orbit, image = orbit + 1, images[image]
    swaps, part = bool(colours[0] != colours[images[0]]), graph.order // orbit
    if orbit % 2 or graph.order % orbit or swaps == bool(part % 2):
        return None
    by = f"{part} moves" if orbit == 2 else f"an odd multiple of {part} moves"
    does, parity = ("exchanges", "even") if swaps else ("keeps", "odd")
    return (
        f"{symmetry.name} {does} the two colours of the {graph.nouns[1]}, and moves a closed tour along itself by "
        f"{by}, an {parity} number"
    )
