"""Why a walk can't be completed, as people see it: squares out of exits, squares cut off, the colours; else the
argument of a proof.

Each is a necessary condition of the problem that the walk leaves (`cpsat_tour.web.play.rest`): an open tour of the
unvisited squares from the walk's last square, back to its first one or to anywhere. Their witnesses are vertices of the
whole graph, for the page to mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.arguments import known_argument
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.prove import prove

MAX_NAMED = 5


@dataclass(frozen=True)
class Why:
    """What stands against a walk, in a word and in a sentence without its full stop, and the vertices that show it."""

    kind: str
    sentence: str
    vertices: Sequence[int]

    @classmethod
    def without_words(cls) -> Why:
        """It takes a search to know."""
        return cls("search", "", ())

    def data(self) -> dict[str, Any]:
        """As JSON; the sentence begins with a capital letter unless that is the name of a square."""
        first, _, others = self.sentence.partition(" ")
        begun = first.capitalize() if first.isalpha() else first
        return {"kind": self.kind, "sentence": f"{begun} {others}.", "vertices": list(self.vertices)}


def why_not(left: Problem, vertices: Sequence[int], whole: Graph, *, closed: bool, walked: int) -> Why | None:
    """The first condition that what is left violates; ``vertices`` are its vertices in the whole graph, ``walked`` so
    many are visited."""
    if left.graph.directed or left.graph.order < 2:
        return None
    look = _Look(left, vertices, whole, closed, walked)
    return look.no_exit() or look.too_few_exits() or look.cut_off() or look.crowded() or look.colours()


@dataclass(frozen=True)
class _Look:
    left: Problem
    vertices: Sequence[int]
    whole: Graph
    closed: bool
    walked: int

    def no_exit(self) -> Why | None:
        """A square whose neighbours are all visited."""
        stuck = np.flatnonzero(self.left.graph.degrees == 0).tolist()
        if not stuck:
            return None
        start, end = self.left.start, self.left.end
        around = f"every {self.whole.nouns[0]} a move away from it is visited"
        if self.closed and start is not None and end is not None and self.left.graph.order == 2:
            return self._why("stuck", f"no move leads from {self._name(start)} back to {self._name(end)}", [start, end])
        if start in stuck and self.walked:
            return self._why("stuck", f"there is no way on from {self._name(start)}: {around}", [start])
        if self.closed and end in stuck:
            return self._why("exits", f"there is no way back to {self._name(end)}: {around}", [end])
        gone = "visited" if self.walked else "missing"
        return self._why(
            "exits",
            f"{self._names(stuck)} {_is(stuck)} out of exits: every {self.whole.nouns[0]} a move away is {gone}",
            stuck,
        )

    def too_few_exits(self) -> Why | None:
        """Squares with one exit: a tour that enters one does not come out again."""
        one = [vertex for vertex in np.flatnonzero(self.left.graph.degrees == 1).tolist() if vertex not in self._ends]
        if self._free_end and len(one) >= 2 + self._free_start:
            last = "start and end on two of them" if self._free_start else "end on one of them"
            return self._why("exits", f"{self._names(one)} have one exit left each, and a tour can only {last}", one)
        if not self._free_end and one:
            has = "has one exit left" if len(one) == 1 else "have one exit left each"
            return self._why("exits", f"{self._names(one)} {has}, and a tour must come in and go out again", one)
        return None

    def cut_off(self) -> Why | None:
        """Squares that no way leads to over unvisited ones."""
        component = self.left.graph.components
        home = component[self.left.start if self.left.start is not None else 0]
        beyond = np.flatnonzero(component != home).tolist()
        if not beyond:
            return None
        return self._why(
            "cut off",
            f"{self._names(beyond)} {_is(beyond)} cut off: no way leads there over unvisited {self.whole.nouns[1]}",
            beyond,
        )

    def crowded(self) -> Why | None:
        """A square that too many others need, having only two exits."""
        graph = self.left.graph
        tight = [vertex for vertex in np.flatnonzero(graph.degrees == 2).tolist() if vertex not in self._ends]
        tight += [vertex for vertex in self._ends if graph.degrees[vertex] == 1]
        needing: dict[int, list[int]] = {}
        for vertex in tight:
            for other in graph.neighbours(vertex).tolist():
                needing.setdefault(other, []).append(vertex)
        for vertex, those in needing.items():
            serves = 1 if vertex in self._ends else 2
            if len(those) > serves + self._free_end + self._free_start:
                can = "one of them" if serves == 1 else "two of them"
                return self._why(
                    "exits",
                    (
                        f"{self._names(those)} have too few exits left to do without {self._name(vertex)}, which "
                        f"can serve {can}"
                    ),
                    those,
                )
        return None

    def colours(self) -> Why | None:
        """Moves change colour, so the colours that are left must be balanced."""
        graph = self.left.graph
        colours = graph.colours
        if colours is None or graph.components.any():
            return None
        counts = [int((colours == colour).sum()) for colour in (0, 1)]
        ends = {int(colours[vertex]) for vertex in self._ends}
        if self.left.closed or len(ends) == 2:
            lawful = counts[0] == counts[1]
        elif self._free_end or self._free_start:
            lawful = (
                all(counts[colour] - counts[1 - colour] in (0, 1) for colour in ends)
                and abs(counts[0] - counts[1]) <= 1
            )
        else:
            lawful = all(counts[colour] == counts[1 - colour] + 1 for colour in ends)
        if lawful:
            return None
        unvisited = np.ones(graph.order, dtype=bool)
        unvisited[[vertex for vertex in self._ends if self.walked]] = False
        counts = [int(((colours == colour) & unvisited).sum()) for colour in (0, 1)]
        more = int(counts[1] > counts[0])
        dark = self.whole.space.dark()
        words = ("of one colour", "of the other")
        if dark is not None:
            sample = int(np.flatnonzero(colours == more)[0])
            words = ("dark", "light") if dark[self.vertices[sample]] else ("light", "dark")
        sentence = (
            f"every move changes colour, and {counts[more]} {words[0]} but {counts[1 - more]} {words[1]} "
            f"{self.whole.nouns[1]} are left"
        )
        return self._why("colours", sentence, np.flatnonzero((colours == more) & unvisited).tolist())

    @property
    def _ends(self) -> list[int]:
        return [vertex for vertex in (self.left.start, self.left.end) if vertex is not None and not self.left.closed]

    @property
    def _free_start(self) -> bool:
        return not self.left.closed and self.left.start is None

    @property
    def _free_end(self) -> bool:
        return not self.left.closed and self.left.end is None

    def _name(self, vertex: int | None) -> str:
        return "" if vertex is None else self.whole.name(self.vertices[vertex])

    def _names(self, some: Sequence[int]) -> str:
        named = [self._name(vertex) for vertex in some[:MAX_NAMED]]
        if len(some) > MAX_NAMED:
            return f"{', '.join(named)} and {len(some) - MAX_NAMED} more {self.whole.nouns[1]}"
        return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"

    def _why(self, kind: str, sentence: str, some: Sequence[int | None]) -> Why:
        return Why(kind, sentence, [self.vertices[vertex] for vertex in some if vertex is not None])


def _is(some: Sequence[int]) -> str:
    return "is" if len(some) == 1 else "are"


def missing_why(left: Problem, vertices: Sequence[int], clock: Clock, on_event: OnEvent) -> Why:
    """The argument of a linear proof, if there is one that people know; else that it took a search."""
    nouns = left.graph.nouns[1]
    searched = Why(
        "search",
        f"no single {left.graph.nouns[0]} is to blame: a search through all ways on finds none over all {nouns}",
        (),
    )
    try:
        # A proof that needs no given numbers is one with them.
        proof = prove(replace(left, givens=()), "lp", Limits(seconds=clock.left), on_event)
    except BadInput:
        return searched
    if isinstance(proof, Answer) or not isinstance(proof.proof, Combination):
        return searched
    said = known_argument(proof.cycle, proof.proof)
    if said is None:
        return searched
    more = [
        vertices[vertex] for vertex, number in proof.proof.vertices.items() if number > 0 and vertex != proof.cycle.apex
    ]
    return Why("argument", said.replace("an open tour", "the rest of a tour"), more)
