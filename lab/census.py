"""A census of the best closed knight's tours: extremes of turns, crossings and angles, and all tours that attain them.

``python lab/census.py`` continues ``lab/census.csv``, a line for each question, by one of four methods (lab/census.md
has the argument): ``certificate``, by `best`, accepted by the checker; ``listed``, by the search over edges, which
goes through all tours; ``tree``, by the *passages* of this file; and ``products``, for crossings.

*Passages.* A closed tour passes each square v by one pair of moves. The linear program has a variable for each move
and for each pair of moves at a square, with these rows:

    sum of y[v, e, f] over the pairs e, f at v = 1                              for each square v
    sum of y[v, e, f] over the other moves f at v = x[e]                        for each square v and each move e at v
    sum of x[e] over the moves e that leave S >= 2                              for cut sets S
    sum of x[e] over the moves e of T <= n - 2                                  for each tour T that is already listed

and the least cost, a sum over pairs. Branch and bound (Land & Doig 1960) refutes that another tour costs at most what
is asked for: each leaf is a sum of rows, computed in whole numbers. The costs look the same from all sides, so the
first branchings ask for a move, or for none of its images (orbital branching; Ostrowski et al. 2011), and of each tour
all images are listed. Cut sets are those of Dantzig, Fulkerson & Johnson (1954).

*Products.* The program of crossings has a variable z[e, f] for each two moves, the product of x[e] and x[f], and the
rows above multiplied by x[e] and by 1 - x[e] (Adams & Sherali 1986), with the rows of three moves of Padberg (1989).
As the number of crossings looks the same from all sides, one variable stands for a pair and all its images. The
branchings ask how many images of a move, or of two moves, a tour makes: at most a number, or more.

Cost: of 8x8, 168 moves, 836 pairs and 400 rows, 20 ms for a node; and 1,827 products up to symmetry, in minutes.
"""

import gzip
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import ceil, prod
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp
from tables import append_lines, lines_of

from cpsat_tour import Board, best
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.runs import Clock
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.proofs.write.combination import TreeProof
from cpsat_tour.proofs.write.subtour_lp import EPSILON, Program, violated_shores
from cpsat_tour.proofs.write.tour_certificates import (
    FROM_THE_LAST_BASIS,
    LEAST_GAIN,
    MOST_GAIN,
    RELIABLE,
    SCALES,
    TRIED,
    prove_best,
)
from cpsat_tour.spaces.objectives import pairs_that_cross

DATA = Path(__file__).resolve().parent / "census.csv"

COLUMNS = ("board", "symmetry", "objective", "direction", "value", "tours", "evidence", "leaves", "bytes", "seconds")

SECONDS, MOST_TOURS, MOST_ROWS = 240.0, 1200, 400
"""The limits on a tree, on the tours that it lists, and on the rows of products that are added at once."""

PATIENT, IMPATIENT, LEAST_RISE = 5, 3, 0.01
"""After how many rounds with a lesser rise of the bound products branch, at first and later."""

ANGLES = {
    "angles of 36.9": (4,),
    "angles of 53.1": (3,),
    "angles of 90": (0,),
    "angles of 126.9": (-3,),
    "angles of 143.1": (-4,),
    "angles of 180": (-5,),
    "acute angles": (4, 3),
    "obtuse angles": (-3, -4, -5),
    "orthogonal angles": (0, -5),
    "diagonal angles": (4, -4),
    "axial angles": (3, -3),
}
"""The scalar products of the two moves from a square, of each kind of angles; a straight angle is obtuse here."""

SHOWN = {
    "fewest": (
        69,
        "18 24 9 19 25 40 57 42 59 49 34 28 11 1 16 10 0 17 32 26 41 56 50 60 43 58 48 33 27 21 4 14 "
        "29 35 52 62 47 53 63 46 31 37 22 7 13 3 20 5 15 30 36 51 61 55 45 39 54 44 38 23 6 12 2 8",
    ),
    "most": (
        126,
        "29 35 20 3 9 24 34 28 43 60 54 39 45 62 52 58 41 56 50 40 25 8 18 1 11 5 22 7 13 23 6 21 "
        "15 30 47 37 27 44 59 49 32 26 36 19 4 14 31 46 63 53 38 55 61 51 57 42 48 33 16 10 0 17 2 12",
    ),
}
"""A closed tour of 8x8 with the fewest, and with the most crossings, which simulated annealing found: their number, and
the squares by row and column, counted from 0."""

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
        grid = np.arange(graph.order).reshape(rows, cols)
        mirrored = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
        sides = [side.ravel() for side in mirrored + ([side.T for side in mirrored] if rows == cols else [])]
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
            elif (move := self._move_to_decide(point, least)) is not None:
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

    def _move_to_decide(self, point: NDArray[np.float64], least: float) -> int | None:
        """Return the fractional move that is expected to raise the optimum most, whichever way it is decided, by
        reliability branching (Achterberg, Koch & Martin 2005); None if no move is fractional."""

        def promise(move: int) -> float:
            gains = (fmean(self._gains[move, value] or [1]) * abs(value - point[move]) for value in (0, 1))
            return prod(max(LEAST_GAIN, gain) for gain in gains)

        fractional = np.flatnonzero(np.minimum(point, 1 - point) > EPSILON).tolist()
        moves = sorted(fractional, key=promise, reverse=True)[:TRIED]
        for move, value in product(moves, (0, 1)):
            if len(gains := self._gains[move, value]) < RELIABLE:
                self._variables[move].SetBounds(value, value)
                gains.append(min(MOST_GAIN, self._optimum() - least) / abs(value - point[move]))
                self._variables[move].SetBounds(0, 1)
        return max(moves, key=promise, default=None)


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


# --- crossings ---


class Products:
    """The program of crossings of a board, with a variable for each two moves and their images.

    ``product`` has the variable of each two moves, and ``move`` that of each move. Of each variable, ``several`` says
    for how many it stands, and ``costs`` how many crossings it counts, times the sign.
    """

    def __init__(self, rows: int, cols: int, sign: int) -> None:
        self.passages = passages = Passages(rows, cols)
        pairs = np.stack(np.triu_indices(passages.size), axis=1)
        images = [np.sort(image[pairs], axis=1) @ (passages.size, 1) for image in passages.images]
        number = np.unique(np.min(images, axis=0), return_inverse=True)[1]
        self.product = np.zeros((passages.size, passages.size), dtype=np.int64)
        self.product[*pairs.T] = self.product[*pairs.T[::-1]] = number
        self.move = np.diag(self.product)
        self.kinds = np.unique(self.move, return_index=True)[1].tolist()
        self.several = np.bincount(number)
        self.costs = np.zeros(number.max() + 1, dtype=np.int64)
        np.add.at(self.costs, self.product[*pairs_that_cross(Board(rows, cols).graph).T], sign)
        self.rows = list[Row]()
        for v in range(passages.order):
            at = np.flatnonzero((passages.tails == v) | (passages.heads == v))
            self._add((self.move[at], 1), bound=2, equal=True)
            for e in self.kinds:
                self._add((self.product[e, at], 1), (self.move[e], -2), equal=True)

    def _add(self, *terms: tuple[Any, int], bound: int = 0, equal: bool = False) -> None:
        """Add a row: the sum of these variables, each with its number."""
        numbers = np.zeros_like(self.costs)
        for columns, number in terms:
            np.add.at(numbers, columns, number)
        columns = np.flatnonzero(numbers)
        self.rows.append(Row(columns, numbers[columns], bound, equal))

    def add_side(self, column: int, number: int, sign: int) -> None:
        """Add the rows of one side of a branching: the sum over the images of a move, or of two moves, is at least this
        number, or with the sign -1 at most. If it is of a move, the row is multiplied by each move and its converse."""
        several, move = int(self.several[column]), self.move
        self._add((column, sign * several), bound=sign * number)
        images = np.flatnonzero(move == column)
        for e in self.kinds if len(images) else ():
            made = (self.product[e, images], sign), (move[e], -sign * number)
            self._add(*made)
            self._add((move[images], sign), *((columns, -factor) for columns, factor in made), bound=sign * number)

    def separate(self, values: NDArray[np.float64], clock: Clock) -> None:
        """Add rows that these values violate: at most `MOST_ROWS` of two or three moves, and those of cut sets."""
        passages, product, move = self.passages, self.product, self.move
        z, x = values[product], values[move]
        missed, rows = list[float](), list[tuple[Any, ...]]()
        for e in self.kinds:
            for kind, by in enumerate(
                (
                    np.diag(np.maximum(z[e] - np.minimum(x[e], x), 0)),
                    np.diag(np.maximum(x[e] + x - z[e] - 1, 0)),
                    z[e][:, None] + z[e] - z - x[e],
                    x[e] + x[:, None] + x - z[e][:, None] - z[e] - z - 1,
                )
            ):
                for f, g in np.argwhere(np.triu(by, kind > 1) > 1e-3).tolist():
                    if e not in (f, g):
                        missed.append(by[f, g])
                        rows.append((kind, *sorted(product[[e, e, f], [f, g, g]].tolist()), e, f, g))
        kept = dict[tuple[int, ...], tuple[int, int, int, int]]()
        for place in np.argsort(missed)[::-1].tolist():
            *key, e, f, g = rows[place]
            kept.setdefault((*key, move[e] if key[0] == 2 else 0), (key[0], e, f, g))
            if len(kept) == MOST_ROWS:
                break
        for kind, e, f, g in kept.values():
            if kind == 0:  # both moves, so each of them
                self._add((move[e if x[e] < x[f] else f], 1), (product[e, f], -1))
            elif kind == 1:  # not both, so not one of them
                self._add((product[e, f], 1), (move[[e, f]], -1), bound=-1)
            elif kind == 2:  # e with f and e with g, so e, or else f with g
                self._add((move[e], 1), (product[f, g], 1), (product[e, [f, g]], -1))
            else:  # of three, two more than one
                self._add((product[[e, e, f], [f, g, g]], 1), (move[[e, f, g]], -1), bound=-1)
        for e, made in [(e, made) for e in self.kinds for made in (True, False)]:
            share = x[e] if made else 1 - x[e]
            point = np.clip((z[e] if made else x - z[e]) / max(share, EPSILON), 0, 1)
            shores = violated_shores(passages.order, passages.tails, passages.heads, point, clock.check)
            for moves in [passages.cut(shore).columns for shore in shores] if share > EPSILON else []:
                if made:
                    self._add((product[e, moves], 1), (move[e], -2))
                else:
                    self._add((move[moves], 1), (product[e, moves], -1), (move[e], 2), bound=2)

    def least(self, scale: int, multipliers: Mapping[int, int]) -> int:
        """Return a bound, in whole numbers: no tour has a lower cost times ``scale``."""
        left, total = rest(self.costs, self.rows, scale, multipliers)
        return total + int(np.minimum(left, 0).sum())


class CrossingsTree:
    """A branch and bound search that refutes that a tour of a board has so few crossings, times the sign.

    At a branching, a sum over all images of a move, or of two moves, is at most a number or else greater: this leaves
    the program its symmetry. ``leaves`` has for each leaf its multipliers, with the rows, and the scale.
    """

    def __init__(self, rows: int, cols: int, sign: int, seconds: float) -> None:
        self.products, self.leaves = Products(rows, cols, sign), list[tuple[int, list[tuple[int, Row]]]]()
        self._clock, self._program = Clock(seconds), Program(FROM_THE_LAST_BASIS)
        self._variables = [self._program.variable(cost, 0, 1) for cost in self.products.costs.tolist()]
        self._stated, self._ended = list[pywraplp.Constraint](), set[int]()

    def bound(self) -> int:
        """Return a bound that the first program proves, in one leaf."""
        self._solve(None, PATIENT)
        return max(map(self._leaf, SCALES))

    def refutes(self, most: int) -> bool:
        """Return whether it refutes that a tour has at most so many; its leaves are then the proof."""
        self.leaves.clear()
        try:
            return self._search(most, PATIENT)
        except StoppedEarly:
            return False

    def _search(self, most: int, patience: int) -> bool:
        """Refute that a tour on this side of all branchings so far has at most so many; return False if it is not known
        where to branch."""
        products, variables = self.products, self._variables
        if self._solve(most, patience) > most + EPSILON and any(self._leaf(scale, most) > most for scale in SCALES):
            return True
        sums = products.several * np.array([variable.solution_value() for variable in variables])
        part = np.abs(sums - np.floor(sums) - 0.5)
        column = min(np.unique(products.move), key=lambda move: part[move])
        if part[column] > 0.5 - EPSILON:
            column = int(part.argmin())
        if part[column] > 0.5 - EPSILON:
            return False
        below, first = int(sums[column]), bool(sums[column] % 1 > 0.5)
        for greater in (first, not first):
            begun = len(products.rows)
            products.add_side(column, below + greater, 1 if greater else -1)
            side = range(begun, len(products.rows))
            refuted = self._search(most, IMPATIENT)
            for place in side:
                self._stated[place].SetBounds(-self._program.infinity, self._program.infinity)
            self._ended.update(side)
            if not refuted:
                return False
        return True

    def _solve(self, most: int | None, patience: int) -> float:
        """Solve the program, with more and more rows, until the least cost is greater than ``most``, or hardly rises in
        so many rounds, and return it; `StoppedEarly` if the time is over, unless ``most`` is None."""
        products, costs = self.products, list[float]()
        while len(costs) <= patience or costs[-1] > costs[-1 - patience] + LEAST_RISE:
            for row in products.rows[len(self._stated) :]:
                terms = zip([self._variables[column] for column in row.columns], row.numbers.tolist(), strict=True)
                most_of = row.bound if row.equal else self._program.infinity
                self._stated.append(self._program.row(row.bound, most_of, terms))
            if (least := self._program.optimum(self._clock)) is None:
                raise StoppedEarly("time")
            costs.append(least)
            if most is not None and least > most + LEAST_RISE:
                break
            before = len(products.rows)
            products.separate(np.array([variable.solution_value() for variable in self._variables]), self._clock)
            if len(products.rows) == before:
                break
        return costs[-1]

    def _leaf(self, scale: int, most: int | None = None) -> int:
        """Return the bound in whole numbers that the rounded dual values prove, and keep it as a leaf if it is greater
        than ``most``."""
        whole = [(n, round(scale * row.dual_value())) for n, row in enumerate(self._stated) if n not in self._ended]
        rows = self.products.rows
        multipliers = {place: number for place, number in whole if number > 0 or (number and rows[place].equal)}
        bound = -(-self.products.least(scale, multipliers) // scale)
        if most is not None and bound > most:
            self.leaves.append((scale, [(number, rows[place]) for place, number in multipliers.items()]))
        return bound


# --- the table ---


BOARDS = {"6x6": ("", "rot180", "rot90"), "8x8": ("", "rot180"), "10x10": ("", "rot90")}
"""The boards, each with the symmetries of closed tours that are asked about."""


def questions() -> Iterator[tuple[str, str, str, str]]:
    """Yield board, symmetry, objective and direction of every line."""
    for board, symmetries in BOARDS.items():
        asked = [*product(symmetries, ("turns", "crossings")), *product(("",), ANGLES)]
        if board == "10x10":
            asked.remove(("", "crossings"))
        yield from ((board, *question, way) for question, way in product(asked, ("fewest", "most")))


def answered(board: str, symmetry: str, objective: str, way: str) -> dict[str, object]:
    """Return the line of a question."""
    begun, side, sign = time.perf_counter(), int(board.split("x", maxsplit=1)[0]), 1 if way == "fewest" else -1
    if objective in ANGLES:
        told = by_tree(side, ANGLES[objective], sign)
    elif objective == "crossings" and side > 6 and not symmetry:
        told = by_products(side, way)
    else:
        told = by_best(side, symmetry, objective, way)
    words = (board, symmetry, objective, way, *told, f"{time.perf_counter() - begun:.1f}")
    return dict(zip(COLUMNS, words, strict=True))


Told = tuple[int | None, object, str, object, object]
"""Value, tours, evidence, leaves and bytes of a line."""


def by_tree(side: int, products: Sequence[int], sign: int) -> Told:
    """Return what a tree says of angles on a square, after checking it."""
    listed, attained, proved = extreme(side, side, products, sign)
    tree, passages = listed or proved, Passages(side, side)
    tree.check(passages, passages.costs(products, sign))
    evidence = "tree" if attained else "bound by tree"
    return sign * (proved.most + 1), len(tree.tours) or "", evidence, tree.leaves, len(tree.packed())


def by_products(side: int, way: str) -> Told:
    """Return the bound on the crossings of a square that products prove, at best what `SHOWN` attains."""
    sign, shown = (1 if way == "fewest" else -1), SHOWN[way]
    tree = CrossingsTree(side, side, sign, 8 * SECONDS)
    bound = tree.bound()
    while bound < sign * shown[0] and tree.refutes(bound):
        bound += 1
    if not tree.leaves:
        tree.refutes(bound - 1)
    evidence = "products" if bound == sign * shown[0] else "bound by products"
    told = [
        (scale, [(number, row.columns.tolist(), row.numbers.tolist(), row.bound) for number, row in rows])
        for scale, rows in tree.leaves
    ]
    return sign * bound, "", evidence, len(tree.leaves), len(packed(told))


def by_best(side: int, symmetry: str, objective: str, way: str) -> Told:
    """Return what `best` finds of a square, and the checker accepts, or the list of all tours says."""
    listing = objective == "crossings" and side > 6
    found = best(
        Board(side),
        minimize=objective if way == "fewest" else None,
        maximize=objective if way == "most" else None,
        backend="edges" if listing else "auto",
        closed=True,
        symmetry=symmetry or None,
        seconds=SECONDS,
        threads=1,
    )
    assert found.optimal
    assert found.answer.tour is not None
    if listing:
        return found.value, found.attained, "listed", "", ""
    certificate = found.certificate or prove_best(found.goal, np.array(found.answer.tour.vertices))
    assert certificate.check()
    assert isinstance(certificate.proof, TreeProof)
    leaves = sum(words[0] != "s" for words in certificate.proof.sums)
    size = sum(len(line) + 1 for line in certificate.proof_lines("3.0"))
    return found.value, found.attained or "", "certificate", leaves, size


if __name__ == "__main__":
    known = {tuple(line[column] for column in COLUMNS[:4]) for line in lines_of(DATA)}
    append_lines(DATA, COLUMNS, (answered(*question) for question in questions() if question not in known))
