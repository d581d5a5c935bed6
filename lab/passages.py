"""All closed tours with an extreme number of angles of one kind, by a tree of linear programs (lab/census.md).

A closed tour passes each square v by one pair of moves. The linear program has a variable for each move and for each
pair of moves at a square, with these rows:

    sum of y[v, e, f] over the pairs e, f at v = 1                              for each square v
    sum of y[v, e, f] over the other moves f at v = x[e]                        for each square v and each move e at v
    sum of x[e] over the moves e that leave S >= 2                              for cut sets S
    sum of x[e] over the moves e of T <= n - 2                                  for each tour T that is already listed

and the least cost, a sum over pairs. Branch and bound (Land & Doig 1960) refutes that another tour costs at most what
is asked for: each leaf is a sum of rows, computed in whole numbers. The costs look the same from all sides, so the
first branchings ask for a move, or for none of its images (orbital branching; Ostrowski et al. 2011), and of each tour
all images are listed. Cut sets are those of Dantzig, Fulkerson & Johnson (1954).

Cost: of 8x8, 168 moves, 836 pairs and 400 rows, 20 ms for a node.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp

from cpsat_tour import Board
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.runs import Clock
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.proofs.write.subtour_lp import EPSILON, Program, violated_shores
from cpsat_tour.proofs.write.tour_certificates import FROM_THE_LAST_BASIS, SCALES, most_promising

SECONDS, MOST_TOURS = 240.0, 1200
"""The limits on a tree, and on the tours that it lists."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """The sum of ``numbers`` times the variables of the ``columns`` is the bound if ``equal``, else no less."""

    columns: Numbers
    numbers: Numbers
    bound: int
    equal: bool = False


def packed(told: object) -> bytes:
    """Return this as compressed JSON."""
    return gzip.compress(json.dumps(told, separators=(",", ":")).encode(), mtime=0)


def rest(costs: Numbers, rows: Sequence[Row], scale: int, multipliers: Mapping[int, int]) -> tuple[Numbers, int]:
    """Return what is left of the costs times ``scale`` after the sum of rows, each with its multiplier, is taken away,
    and the sum of their bounds; `AssertionError` if a row is used in the wrong direction."""
    left, total = scale * costs, 0
    for place, number in multipliers.items():
        row = rows[place]
        assert row.equal or number >= 0
        left[row.columns] -= number * row.numbers
        total += number * row.bound
    return left, total


class Passages:
    """The rows that say how closed tours pass squares, of a board and a list of tours: those of squares first, then
    cut sets, and tours, as they are added.

    The variables are the moves, then the pairs of moves at a square. ``products`` has the scalar product of each pair,
    and ``images`` each move's image by each symmetry of the board.
    """

    def __init__(self, rows: int, cols: int) -> None:
        graph = Board(rows, cols).graph
        tails, heads = graph.edges()
        self.order, self.size, self.tails, self.heads = graph.order, len(tails), tails, heads
        at = [np.flatnonzero((tails == v) | (heads == v)).tolist() for v in range(graph.order)]
        self.pairs = np.array([(v, e, f) for v in range(graph.order) for e, f in combinations(at[v], 2)])
        v, e, f = self.pairs.T
        points, ends = graph.space.points().astype(np.int64), tails + heads
        self.products = ((points[ends[e] - v] - points[v]) * (points[ends[f] - v] - points[v])).sum(axis=1)
        self.rows = list[Row]()
        for v, moves in enumerate(at):
            here = np.flatnonzero(self.pairs[:, 0] == v)
            self.rows.append(Row(self.size + here, np.ones_like(here), 1, equal=True))
            for e in moves:
                columns = np.append(self.size + here[(self.pairs[here, 1:] == e).any(axis=1)], e)
                self.rows.append(Row(columns, np.where(columns == e, -1, 1), 0, equal=True))
        sides = graph.space.symmetries()
        number = {frozenset(move): place for place, move in enumerate(zip(tails.tolist(), heads.tolist(), strict=True))}
        self.images = np.array([[number[frozenset(side[[*move]].tolist())] for move in number] for side in sides])

    def costs(self, products: Sequence[int], sign: int) -> Numbers:
        """Return the cost of each variable, the sign for the pairs with these scalar products and else 0."""
        return np.append(np.zeros(self.size, dtype=np.int64), sign * np.isin(self.products, products))

    def cut(self, shore: Iterable[int]) -> Row:
        """Return the row of a cut set."""
        inside = np.isin(np.arange(self.order), [*shore])
        assert 0 < inside.sum() < self.order
        moves = np.flatnonzero(inside[self.tails] != inside[self.heads])
        return Row(moves, np.ones_like(moves), 2)

    def others(self, tour: Sequence[int]) -> Row:
        """Return the row that says that a tour is not this one, given by its moves."""
        return Row(np.array(tour), np.full(len(tour), -1), 2 - self.order)

    def cost(self, tour: Sequence[int], costs: Numbers) -> int:
        """Return what a tour costs, given by its moves; `AssertionError` if it is none."""
        tails, heads = self.tails[[*tour]], self.heads[[*tour]]
        assert (np.bincount(np.append(tails, heads), minlength=self.order) == 2).all(), "not two moves at each square"
        assert len(two_factor_cycles(self.order, tails, heads, directed=False)) == 1, "several cycles"
        used = np.isin(np.arange(self.size), tour)
        return int(costs @ np.append(used, used[self.pairs[:, 1]] & used[self.pairs[:, 2]]))

    def least(self, costs: Numbers, decided: Mapping[int, int], scale: int, multipliers: Mapping[int, int]) -> int:
        """Return a bound, in whole numbers: no tour beside the listed ones that makes the decided moves (1), and not
        others (0), has a lower cost times ``scale``.

        The sum of rows, each with its multiplier, is taken from the cost, and of what is left each variable has the
        value that makes it least: a pair is used if both its moves are decided so, and not if one is decided
        otherwise, or a third move at its square is made.
        """
        left, total = rest(costs, self.rows, scale, multipliers)
        v, e, f = self.pairs.T
        low, high = np.zeros(self.size, dtype=np.int64), np.ones(self.size, dtype=np.int64)
        low[[*decided]] = high[[*decided]] = [*decided.values()]
        third = np.zeros(len(v), dtype=bool)
        for move in np.flatnonzero(low):
            third |= ((v == self.tails[move]) | (v == self.heads[move])) & (e != move) & (f != move)
        low, high = np.append(low, low[e] & low[f] & ~third), np.append(high, high[e] & high[f] & ~third)
        return total + int(np.minimum(left * low, left * high).sum())


@dataclass
class Tree:
    """The proof that these are all tours, up to the symmetries of the board, that cost at most so much: the shores of
    cut sets and the tours, in the order of their rows, and the nodes in preorder.

    A node is a leaf, its scale and multipliers; or a move and its first value, and whether the value 0 goes for all
    images of the move.
    """

    most: int
    added: list[tuple[str, list[int]]] = field(default_factory=list)
    nodes: list[tuple[int, dict[int, int]] | tuple[int, int, bool]] = field(default_factory=list)

    @property
    def tours(self) -> list[list[int]]:
        """The tours, by their moves."""
        return [moves for kind, moves in self.added if kind == "tour"]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(len(node) == 2 for node in self.nodes)

    def packed(self) -> bytes:
        """Return the tree as compressed JSON."""
        return packed({"most": self.most, "added": self.added, "nodes": self.nodes})

    def check(self, passages: Passages, costs: Numbers) -> None:
        """Check everything in whole numbers, with no linear program; `AssertionError` if something is wrong.

        ``passages`` are those of the board, without rows of cut sets or tours.
        """
        assert not (costs[: passages.size]).any()
        for kind, items in self.added:
            assert kind == "cut" or passages.cost(items, costs) <= self.most
            passages.rows.append(passages.cut(items) if kind == "cut" else passages.others(items))
        assert {tuple(sorted(side)) for tour in self.tours for side in passages.images[:, tour].tolist()} == {
            *map(tuple, self.tours)
        }
        nodes = iter(self.nodes)
        self._check_node(nodes, passages, costs, {}, whole=True)
        assert next(nodes, None) is None

    def _check_node(
        self, nodes: Iterator[Any], passages: Passages, costs: Numbers, decided: dict[int, int], *, whole: bool
    ) -> None:
        node = next(nodes)
        if len(node) == 2:
            scale, multipliers = node
            assert passages.least(costs, decided, scale, multipliers) > scale * self.most
            return
        move, first, orbit = node
        assert whole or not orbit, "only where no move is decided for itself alone do the symmetries remain"
        for value in (first, 1 - first):
            moves = passages.images[:, move].tolist() if orbit and not value else [move]
            self._check_node(
                nodes, passages, costs, decided | dict.fromkeys(moves, value), whole=whole and orbit and not value
            )


class Listing:
    """A branch and bound search for all tours that cost at most so much; ``tree`` is its proof, if it is ``complete``:
    it ends early after `SECONDS`, or with more than `MOST_TOURS`. No tour costs less than ``reached``."""

    def __init__(self, passages: Passages, costs: Numbers, most: int) -> None:
        self._passages, self._costs, self.tree = passages, costs, Tree(most)
        self._price, self._clock = 4 * passages.order, Clock(SECONDS)
        self._program, self._duals = Program(FROM_THE_LAST_BASIS), list[pywraplp.Constraint]()
        self._variables = [self._program.variable(cost, 0, 1) for cost in costs.tolist()]
        self._gains = defaultdict[tuple[int, int], list[float]](list)
        for row in passages.rows:
            self._state(row)
        try:
            self._search({}, whole=True)
            self.complete = True
        except StoppedEarly:
            self.complete = False

    def _state(self, row: Row) -> None:
        """Add a row to the program, which may be missed at a price."""
        terms = [
            (self._variables[place], number) for place, number in zip(row.columns, row.numbers.tolist(), strict=True)
        ]
        terms += [(self._program.variable(self._price), sign) for sign in ((1, -1) if row.equal else (1,))]
        self._duals.append(self._program.row(row.bound, row.bound if row.equal else self._program.infinity, terms))

    def _add(self, kind: str, items: list[int]) -> None:
        """Add the row of a cut set or a tour."""
        self.tree.added.append((kind, items))
        row = self._passages.cut(items) if kind == "cut" else self._passages.others(items)
        self._passages.rows.append(row)
        self._state(row)

    def _optimum(self) -> float:
        """Return the least cost of the program."""
        self._clock.check()
        least = self._program.optimum(self._clock)
        if least is None or len(self.tree.tours) > MOST_TOURS:
            raise StoppedEarly("time" if least is None else "tours")
        return least

    def _search(self, decided: dict[int, int], *, whole: bool) -> None:
        """List the tours with these decided moves."""
        passages = self._passages
        while True:
            least = self._optimum()
            if not decided:
                self.reached = ceil(least - EPSILON)
            if least > self.tree.most + EPSILON and self._leaf(decided):
                return
            point = np.array([variable.solution_value() for variable in self._variables[: passages.size]])
            if shores := [*violated_shores(passages.order, passages.tails, passages.heads, point, lambda: None)]:
                for shore in shores:
                    self._add("cut", [*map(int, shore)])
            elif (move := most_promising(point, least, self._gains, self._variables, self._optimum)) is not None:
                break
            else:
                tour = np.flatnonzero(point > 0.5).tolist()
                assert passages.cost(tour, self._costs) <= self.tree.most
                for side in sorted({tuple(sorted(side)) for side in passages.images[:, tour].tolist()}):
                    self._add("tour", [*side])
        first = int(point[move] > 0.5)
        self.tree.nodes.append((move, first, whole))
        for value in (first, 1 - first):
            moves = dict.fromkeys(passages.images[:, move].tolist() if whole and not value else [move], value)
            for each in moves:
                self._variables[each].SetBounds(value, value)
            self._search(decided | moves, whole=whole and not value)
            for each in moves:
                self._variables[each].SetBounds(0, 1)

    def _leaf(self, decided: Mapping[int, int]) -> bool:
        """Add a leaf with the rounded dual values as multipliers; return False if they prove nothing."""
        duals = [row.dual_value() for row in self._duals]
        for scale in SCALES:
            whole = ((place, round(scale * dual)) for place, dual in enumerate(duals))
            multipliers = {place: n for place, n in whole if n > 0 or (n and self._passages.rows[place].equal)}
            if self._passages.least(self._costs, decided, scale, multipliers) > scale * self.tree.most:
                self.tree.nodes.append((scale, multipliers))
                return True
        return False


def extreme(rows: int, cols: int, products: Sequence[int], sign: int) -> tuple[Tree | None, bool, Tree]:
    """Return the tree with all tours of the least cost, None if it is not complete; whether a tour is known to attain
    the cost; and the last complete tree, which proves that no tour costs less.

    The costs are tried in turn from one below the first program's, which a single leaf refutes.
    """
    costs = Passages(rows, cols).costs(products, sign)
    most, proved = -rows * cols if sign < 0 else -1, None
    while True:
        listing = Listing(Passages(rows, cols), costs, most)
        if not listing.complete or listing.tree.tours:
            assert proved is not None
            return listing.tree if listing.complete else None, bool(listing.tree.tours), proved
        proved, most = listing.tree, max(most + 1, listing.reached - 1)
