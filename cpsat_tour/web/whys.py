"""Why a walk can't be completed, as people see it: vertices without enough exits, vertices cut off, the colours, an
argument of a proof; else that a search finds no way on.

Each is a necessary condition of the problem that the walk leaves (`cpsat_tour.web.play.rest`): an open tour of the
unvisited vertices from the walk's last one, back to its first one or to anywhere. An exit of a vertex is a neighbour
that a move can still lead to or come from. Witnesses are vertices of the whole graph, for the page to mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.arguments import known_argument
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.words import listed
from cpsat_tour.web.settings import as_sentence

MAX_NAMED = 6


@dataclass(frozen=True)
class Why:
    """What stands against a walk, in a word and in a sentence without its full stop, and the vertices that show it."""

    kind: str
    sentence: str = ""
    vertices: Sequence[int] = ()

    def data(self) -> dict[str, Any]:
        """The reason as JSON."""
        return {"kind": self.kind, "sentence": as_sentence(self.sentence), "vertices": list(self.vertices)}


UNEXPLAINED = Why("search")
"""It takes a search to see that a walk can't be completed."""


@dataclass(frozen=True)
class Rest:
    """What a walk leaves to be found: a problem, ``left``, and the vertex of the whole graph that each of its is.

    ``closed`` is the kind of the whole tour, ``dark`` the squares of the whole board that are dark ones, where it is
    chequered.
    """

    left: Problem
    vertices: Sequence[int]
    closed: bool
    walked: bool
    dark: Sequence[bool] | None

    def why_not(self) -> Why | None:
        """The first condition that what is left violates; None where it meets all."""
        if self.left.graph.directed or self.left.graph.order < 2:
            return None
        checks = (self.no_exit, self.too_few_exits, self.cut_off, self.crowded, self.colours)
        return next((why for check in checks if (why := check()) is not None), None)

    def no_exit(self) -> Why | None:
        """A vertex all of whose neighbours are visited."""
        stuck = self._with_exits(0)
        if not stuck:
            return None
        start, end, around = self.left.start, self.left.end, f"every {self._noun} a move away"
        if self.left.graph.order == 2 and start is not None and end is not None:
            return self._why("stuck", f"no move leads from {self._name(start)} to {self._name(end)}", [start, end])
        if self.walked and start in stuck:
            return self._why("stuck", f"there is no way on from {self._name(start)}: {around} is visited", [start])
        if self.walked and end in stuck:
            back = "back to" if self.closed else "to"
            return self._why("exits", f"there is no way {back} {self._name(end)}: {around} is visited", [end])
        gone = "visited" if self.walked else "missing"
        return self._why("exits", f"{self._names(stuck)} out of exits: {around} is {gone}", stuck)

    def too_few_exits(self) -> Why | None:
        """Vertices with one exit: a tour that enters one does not come out again."""
        single = [vertex for vertex in self._with_exits(1) if vertex not in self._ends]
        if len(single) <= self._free_ends:
            return None
        exits = f"{self._names(single, 'has', 'have')} one exit left{' each' * (len(single) > 1)}"
        can = (
            "must come in and go out again",
            f"can only {'start' if self.left.start is None else 'end'} on one of them",
            "can only start and end on two of them",
        )
        return self._why("exits", f"{exits}, and a tour {can[self._free_ends]}", single)

    def cut_off(self) -> Why | None:
        """Vertices that no way leads to over unvisited ones."""
        component = self.left.graph.components
        beyond = np.flatnonzero(component != component[self.left.start or 0]).tolist()
        if not beyond:
            return None
        over = f"no way leads there over unvisited {self.left.graph.nouns[1]}"
        return self._why("cut off", f"{self._names(beyond)} cut off: {over}", beyond)

    def crowded(self) -> Why | None:
        """A vertex that too many others need, having no exits to spare."""
        needed_by: dict[int, list[int]] = defaultdict(list)
        for exits in (1, 2):
            for vertex in self._with_exits(exits):
                if (vertex in self._ends) == (exits == 1):
                    for other in self.left.graph.neighbours(vertex).tolist():
                        needed_by[other].append(vertex)
        for vertex, needing in needed_by.items():
            serves = 1 if vertex in self._ends else 2
            if len(needing) > serves + self._free_ends:
                can = f"can serve {('one', 'two')[serves - 1]} of them"
                few = f"{self._names(needing, 'has', 'have')} too few exits left to do without {self._name(vertex)}"
                return self._why("exits", f"{few}, which {can}", needing)
        return None

    def colours(self) -> Why | None:
        """Moves change colour, so the colours that are left must be balanced."""
        colours = self.left.graph.colours
        if colours is None:
            return None
        of_ends = [int(colours[vertex]) for vertex in self._ends]
        surplus = len(colours) - 2 * int(colours.sum())  # of colour 0 over colour 1
        if self.left.closed:
            balanced = surplus == 0
        else:
            # A path has one more of a colour only where both its ends have it.
            possible = {0: {0, 1}, 1: {1, 0}}
            balanced = surplus in {
                ((first == 0) + (last == 0)) - 1
                for first in (of_ends[:1] or possible)
                for last in (of_ends[1:] or possible)
            }
        return None if balanced else self._unbalanced(colours.astype(bool))

    def _unbalanced(self, colours: Any) -> Why:
        unvisited = np.ones(len(colours), dtype=bool)
        if self.walked:
            unvisited[self._ends] = False
        sides = [np.flatnonzero((colours == colour) & unvisited).tolist() for colour in (False, True)]
        more = int(len(sides[1]) > len(sides[0]))
        words, here = ["of one colour", "of the other"], ""
        if self.dark is not None:
            dark = np.array(self.dark)[list(self.vertices)]
            if bool((dark == colours).all() or (dark != colours).all()):
                words = ["dark", "light"] if dark[sides[more]].all() else ["light", "dark"]
                if self.walked and self.left.start is not None:
                    shade = "dark" if dark[self.left.start] else "light"
                    here = f", {self._name(self.left.start)} is {shade}"
        counts = f"{len(sides[more])} {words[0]} but {len(sides[1 - more])} {words[1]}"
        left = f"{counts} {self.left.graph.nouns[1]} are left"
        return self._why("colours", f"every move changes colour{here}, and {left}", sides[more])

    def explained(self, clock: Clock, on_event: OnEvent) -> Why:
        """The argument of a linear proof that nothing completes the walk, if it is one that people know; else that a
        search finds no way on."""
        left, noun = self.left, self.left.graph.nouns[1]
        on = f"a search finds no way on over all {noun} that are left"
        searched = Why("search", on + " and meets the given numbers" * bool(left.givens))
        if left.start is not None and left.end is not None:
            return searched  # the arguments know paths with a free end and cycles
        try:
            # A proof that needs no given numbers is one with them.
            proof = prove(replace(left, givens=()), "lp", Limits(seconds=clock.left), on_event)
        except BadInput:
            return searched
        if isinstance(proof, Answer) or not isinstance(proof.proof, Combination):
            return searched
        argument = known_argument(proof.cycle, proof.proof)
        if argument is None:
            return searched
        more = [vertex for vertex, sign in proof.proof.vertices.items() if sign > 0 and vertex != proof.cycle.apex]
        argument = argument.replace("an open tour", "the rest of a tour" if self.walked else "an open tour")
        return self._why("argument", f"among the {noun} that are left: {argument}", more)

    @cached_property
    def _ends(self) -> list[int]:
        ends = (self.left.start, self.left.end)
        return [] if self.left.closed else [vertex for vertex in ends if vertex is not None]

    @property
    def _free_ends(self) -> int:
        return 0 if self.left.closed else 2 - len(self._ends)

    @property
    def _noun(self) -> str:
        return self.left.graph.nouns[0]

    def _with_exits(self, exits: int) -> list[int]:
        found: list[int] = np.flatnonzero(self.left.graph.degrees == exits).tolist()
        return found

    def _name(self, vertex: int) -> str:
        return self.left.graph.name(vertex)

    def _names(self, vertices: Sequence[int], one: str = "is", several: str = "are") -> str:
        return f"{listed(map(self._name, vertices), MAX_NAMED)} {one if len(vertices) == 1 else several}"

    def _why(self, kind: str, sentence: str, vertices: Sequence[int]) -> Why:
        return Why(kind, sentence, [self.vertices[vertex] for vertex in vertices])
