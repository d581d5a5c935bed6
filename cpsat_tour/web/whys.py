"""Reasons why a walk can't be completed that people can see: vertices without enough exits, vertices cut off, colours
that don't balance.

Each is a necessary condition of the problem that the walk leaves (`cpsat_tour.web.play.remaining_problem`): an open
tour of the unvisited vertices from the walk's last one, back to its first one or to anywhere. An exit of a vertex is a
neighbour that a move can still lead to or come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import listed

MAX_NAMED = 6


@dataclass(frozen=True)
class Why:
    """Why a walk can't be completed: its kind, a sentence without full stop, and vertices of the graph to be marked."""

    kind: str
    sentence: str = ""
    vertices: Sequence[int] = ()


@dataclass(frozen=True)
class RemainingProblem:
    """The problem of completing a walk, ``left``, and the vertices of the whole graph that its vertices stand for.

    ``closed`` is the kind of the whole tour; ``dark`` tells which vertices of ``left`` are dark squares, and is None if
    a move may keep the shade.
    """

    left: Problem
    vertices: Sequence[int]
    closed: bool
    walked: bool
    dark: Sequence[bool] | None

    def why_not(self) -> Why | None:
        """Return the first necessary condition that is violated; None if all are met."""
        if self.left.graph.directed or self.left.graph.order < 2:
            return None
        checks = (self.no_exit, self.too_few_exits, self.cut_off, self.crowded, self.unbalanced_colours)
        return next((why for check in checks if (why := check()) is not None), None)

    def no_exit(self) -> Why | None:
        """Return the reason if a vertex has no exit left; else None."""
        stuck, start, end = self._with_exits(0), self.left.start, self.left.end
        if not stuck:
            return None
        name, around = self.left.graph.name, f"every {self.left.graph.nouns[0]} a move away"
        if self.walked and start in stuck:
            return self._why("stuck", f"there is no way on from {name(start)}: {around} is visited", [start])
        if self.walked and end in stuck:
            back = "back to" if self.closed else "to"
            return self._why("exits", f"there is no way {back} {name(end)}: {around} is visited", [end])
        gone = "visited" if self.walked else "missing"
        return self._why("exits", f"{self._names_with_verb(stuck)} out of exits: {around} is {gone}", stuck)

    def too_few_exits(self) -> Why | None:
        """Return the reason if too many vertices have one exit: a tour can only start or end there; else None."""
        single = [vertex for vertex in self._with_exits(1) if vertex not in self._fixed_ends]
        if len(single) <= self._free_end_count:
            return None
        exits = f"{self._names_with_verb(single, 'has', 'have')} one exit left{' each' * (len(single) > 1)}"
        can = (
            "must come in and go out again",
            f"can only {'start' if self.left.start is None else 'end'} on one of them",
            "can only start and end on two of them",
        )
        return self._why("exits", f"{exits}, and a tour {can[self._free_end_count]}", single)

    def cut_off(self) -> Why | None:
        """Return the reason if no path of unvisited vertices leads to some vertices; else None."""
        component = self.left.graph.components
        beyond = np.flatnonzero(component != component[self.left.start or 0]).tolist()
        over = f"no way leads there over unvisited {self.left.graph.nouns[1]}"
        return self._why("cut off", f"{self._names_with_verb(beyond)} cut off: {over}", beyond) if beyond else None

    def crowded(self) -> Why | None:
        """Return the reason if more vertices can't do without one vertex than it can serve; else None."""
        needed_by: dict[int, list[int]] = defaultdict(list)
        for exits in (1, 2):
            for vertex in self._with_exits(exits):
                if (vertex in self._fixed_ends) == (exits == 1):
                    for other in self.left.graph.neighbours(vertex).tolist():
                        needed_by[other].append(vertex)
        for vertex, needing in needed_by.items():
            serves = 1 if vertex in self._fixed_ends else 2
            if len(needing) > serves + self._free_end_count:
                can = f"can serve {('one', 'two')[serves - 1]} of them"
                without = f"too few exits left to do without {self.left.graph.name(vertex)}"
                return self._why(
                    "exits", f"{self._names_with_verb(needing, 'has', 'have')} {without}, which {can}", needing
                )
        return None

    def unbalanced_colours(self) -> Why | None:
        """Return the reason if the colours of the vertices that are left don't balance; else None.

        Moves change colour. So a closed tour has as many vertices of each, an open one that has both ends of one colour
        has one more of it.
        """
        colours = self.left.graph.colours if self.dark is None else np.array(self.dark)
        if colours is None:
            return None
        ends = [bool(colours[vertex]) for vertex in self._fixed_ends]
        least, most = (0, 0) if self.left.closed else (ends.count(True) - 1, 1 - ends.count(False))
        if least <= 2 * np.count_nonzero(colours) - len(colours) <= most:
            return None
        passed = self._fixed_ends if self.walked else []
        sides = {
            shade: [vertex for vertex in np.flatnonzero(colours == shade).tolist() if vertex not in passed]
            for shade in (False, True)
        }
        more = len(sides[True]) > len(sides[False])
        words = (
            {more: "of one colour", not more: "of the other"} if self.dark is None else {False: "light", True: "dark"}
        )
        left = f"{len(sides[more])} {words[more]} but {len(sides[not more])} {words[not more]}"
        here = f", {self.left.graph.name(passed[0])} is {words[ends[0]]}" if passed and self.dark is not None else ""
        sentence = f"every move changes colour{here}, and {left} {self.left.graph.nouns[1]} are left"
        return self._why("colours", sentence, sides[more])

    def by_search(self) -> Why:
        """Return the reason that a search finds no way on."""
        over = f"over all {self.left.graph.nouns[1]} that are left"
        return Why(
            "search", f"a search finds no way on {over}{' and meets the given numbers' * bool(self.left.givens)}"
        )

    @property
    def _fixed_ends(self) -> list[int]:
        """The ends that are fixed."""
        return [vertex for vertex in (self.left.start, self.left.end) if vertex is not None and not self.left.closed]

    @property
    def _free_end_count(self) -> int:
        """How many ends are free."""
        return 0 if self.left.closed else 2 - len(self._fixed_ends)

    def _with_exits(self, exits: int) -> list[int]:
        """Return the vertices with this number of exits."""
        found: list[int] = np.flatnonzero(self.left.graph.degrees == exits).tolist()
        return found

    def _names_with_verb(self, vertices: Sequence[int], one: str = "is", several: str = "are") -> str:
        """Return the names of the vertices and the verb that goes with them: ``a1 and b3 are``."""
        return f"{listed(map(self.left.graph.name, vertices), MAX_NAMED)} {one if len(vertices) == 1 else several}"

    def _why(self, kind: str, sentence: str, vertices: Sequence[int]) -> Why:
        """Return the reason, with the vertices of the whole board."""
        return Why(kind, sentence, [self.vertices[vertex] for vertex in vertices])
