"""The backend that is asked when none is named: a portfolio of backends, never far from its best part.

First the cheap necessary conditions, and the reductions: a directed problem is asked about in halves, and where a
closed problem falls into pieces, each is asked on its own, and may be left to another part than the next. Then
openings, short turns in this process, counted in work, so that what they answer is the same at each run: they answer
nearly every board, with a tour or without, and many graphs, within milliseconds. What is still open goes to a
`portfolio` of processes that take turns. Which part has which share follows from the kind of graph, by the table below,
whose shares were found by trial on boards, on public challenge graphs with a cycle (Haythorpe 2015) and on a few random
graphs: they are no optimum.

"None" comes with a reason: a condition, a certificate, or a search that was completed; never with a bare claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from cpsat_tour.backends.portfolio import play
from cpsat_tour.backends.question import heard_as, heard_in_the_whole, of_the_part, simplified, what_is_left
from cpsat_tour.backends.referee import Share
from cpsat_tour.backends.registry import load, missing, row
from cpsat_tour.backends.runner import ask, refuse
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.conditions import violated_condition
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent, PartAtWork
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.halves import Halves
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.simplified import Simplified
from cpsat_tour.core.timetable import much_is_given


@dataclass(frozen=True)
class Opening:
    """A part's first turn, on graphs of so many vertices: its limit on work, and one of seconds for what is not counted
    in work."""

    part: str
    work: int
    seconds: float | None = None
    least: int = 0
    most: int = 1 << 31


@dataclass(frozen=True)
class Plan:
    """What is done with a kind of graph."""

    openings: tuple[Opening, ...]
    shares: tuple[Share, ...]


def _finds(part: str, share: float = 1.0) -> Share:
    """A part that finds tours and can only claim that there is none, if that."""
    return Share(part, share, refutes=False)


DEGREES = Opening("proof", 0, most=50_000)
"""What refutes at once graphs whose degrees can't all be two, which no other part does on any but small ones."""

SMALL = Opening("proof", 500, 0.5, most=60)
"""What refutes small graphs without a compiler."""

PAIRED = (_finds("sat", 10), _finds("sat:lazy", 2), Share("frontier"), Share("edges", 0.5), Share("proof", 0.5))

PLANS: Mapping[str, Plan] = {
    # A sweep makes boards easy for sat, and linear programs refute those without a tour: either takes milliseconds. On
    # large boards Warnsdorff's rule is a hundred times as fast, on small ones loading its compiler takes longer than
    # the answer.
    "lattice": Plan(
        (
            Opening("dfs", 100_000, least=5000, most=50_000),
            Opening("dfs", 10_000_000, least=50_001),
            Opening("sat", 2000, 2.0),
            Opening("proof", 20_000, 6.0),
        ),
        (_finds("sat", 3), Share("proof", 3), Share("edges"), _finds("rotations"), Share("dfs")),
    ),
    # Most graphs with a cycle sat answers within the time that it takes to load a compiler for the others. At degrees
    # of 3 and 4 one edge decides others, so edges comes far and exhausts small graphs; over arcs some large ones are
    # easy.
    "sparse": Plan(
        (
            *(DEGREES, Opening("sat", 1000, 2.0), SMALL, Opening("rotations", 20_000)),
            *(Opening("frontier", 10_000_000), Opening("proof", 500, 1.5), Opening("edges", 3000)),
        ),
        (
            *(_finds("sat", 8), Share("edges", 2), Share("proof", 3), Share("frontier", 6)),
            *(_finds("sat:arcs@cadical153"), _finds("sat:arcs@cadical195"), _finds("sat:lazy"), _finds("rotations")),
        ),
    ),
    # Along a graph that is long and narrow, with a cycle or without, the frontier method needs a moment, and hardly
    # more the longer it is.
    "narrow": Plan(
        (DEGREES, Opening("sat", 100, 0.5), SMALL, Opening("frontier", 10_000_000), Opening("edges", 3000)),
        (
            _finds("sat", 6),
            Share("frontier", 6),
            Share("edges", 2),
            Share("proof"),
            _finds("sat:arcs@cadical153"),
            _finds("sat:lazy"),
        ),
    ),
    # Hubs and many edges leave the edge search much to try; what a solver learns counts more, and a local search passes
    # over most of it.
    "dense": Plan(
        (
            *(DEGREES, Opening("sat", 500, 0.5), SMALL, Opening("rotations", 120_000, 2.0)),
            *(Opening("frontier", 10_000_000), Opening("proof", 500, 1.5), Opening("edges", 1000)),
        ),
        (
            *(
                _finds("sat", 6),
                _finds("sat:lazy"),
                Share("frontier", 6),
                _finds("rotations"),
                Share("proof", 3),
                Share("edges"),
            ),
            _finds("sat:arcs@cadical153"),
        ),
    ),
    # Where a solver would state clauses for seconds, a local search walks: it finds a tour of nearly all such graphs
    # that have one.
    "many edges": Plan(
        (
            *(DEGREES, Opening("rotations", 120_000, 2.0), Opening("edges", 1000, 1.0)),
            *(Opening("proof", 500, 3.0), Opening("sat", 500, 1.0)),
        ),
        (_finds("rotations", 3), _finds("sat", 6), _finds("sat:lazy"), Share("proof", 4), Share("edges", 2)),
    ),
    # Where every vertex has a required edge, as after vertices of degree 2 were contracted, a 2-factor is but a
    # matching: what is hard is that it be one cycle, and a solver learns why it isn't. A local search finds nothing
    # there, and few such graphs are narrow.
    "paired": Plan(
        (DEGREES, Opening("sat", 2000, 1.5), SMALL, Opening("frontier", 10_000_000), Opening("edges", 3000)),
        PAIRED,
    ),
    # What a symmetry ties together halves a board or quarters it; certificates are for tours that are asked nothing of
    # the kind.
    "symmetric": Plan(
        (Opening("sat", 2000), Opening("edges", 1000)), (_finds("sat", 2), Share("edges"), _finds("sat:lazy"))
    ),
    # With numbers the rules of the puzzle decide most; certificates know nothing of numbers.
    "given": Plan(
        (Opening("numbers", 2000, 2.0),),
        (Share("numbers", 2), _finds("sat:onehot"), _finds("cpsat:positions"), Share("dfs")),
    ),
    "few given": Plan(
        (Opening("dfs", 50_000), Opening("numbers", 2000, 2.0)),
        (Share("dfs", 2), _finds("sat:onehot"), _finds("cpsat:positions"), Share("numbers")),
    ),
    "symmetric given": Plan(
        (Opening("numbers", 2000, 2.0),), (Share("numbers", 2), _finds("sat:onehot"), _finds("cpsat:positions"))
    ),
    # Many arcs are walked along; of others the halves are asked about, as paired graphs.
    "directed": Plan((Opening("dfs", 100_000),), (Share("dfs"), *PAIRED)),
    "directed given": Plan((Opening("numbers", 2000),), (Share("numbers"), Share("dfs"))),
}
"""The plan for each kind of graph; parts whose libraries are not installed are passed over."""

MAX_SPARSE = 4.0
"""Edges at a vertex of a sparse graph, on average."""

MANY_EDGES, MANY_AT_A_VERTEX = 5000, 16.0
"""From so many edges on, and so many at a vertex, a graph has many edges."""

MANY_ARCS = 8
"""Arcs from each vertex, on average, of a directed graph that is walked along first."""

MAX_NARROW = 12
"""Vertices at one distance from the first of a narrow graph: generalised Petersen graphs GP(n,2) and flower snarks have
8 at most."""


def kind(problem: Problem) -> str:
    """The kind of the problem's graph: a row of `PLANS`."""
    graph = problem.graph
    if problem.givens:
        if graph.directed or problem.symmetry is not None:
            return "directed given" if graph.directed else "symmetric given"
        return "given" if much_is_given(problem) else "few given"
    if graph.directed:
        return "directed"
    if problem.symmetry is not None:
        return "symmetric"
    if graph.coordinates is not None:
        return "lattice"
    if 2 * len(problem.require) >= graph.order:
        return "paired"
    if graph.size >= MANY_EDGES and 2 * graph.size >= MANY_AT_A_VERTEX * graph.order:
        return "many edges"
    if 2 * graph.size > MAX_SPARSE * graph.order:
        return "dense"
    return "narrow" if graph.width <= MAX_NARROW else "sparse"


@dataclass(frozen=True)
class Auto:
    """A portfolio; ``parts`` names those that take part (``edges,sat``) or those that do not (``-dfs``), by default all
    of the plan."""

    parts: str = ""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "symmetry", "givens"})

    plans: ClassVar[Mapping[str, Sequence[str]]] = {
        kind: [share.part for share in plan.shares] for kind, plan in PLANS.items()
    }
    """The parts for each kind of graph, those with the largest shares first or nearly so."""

    def __post_init__(self) -> None:
        for name in self._names:
            row(name.partition("@")[0])
        if len({name.startswith("-") for name in self.parts.split(",")}) > 1:
            raise self._wrong("name those that take part, edges,sat, or those that don't, -dfs")
        if "auto" in self._names:
            raise self._wrong("auto is not a part of itself")
        if len(set(self._names)) < len(self._names):
            raise self._wrong("it names a part twice")

    @property
    def _names(self) -> list[str]:
        return [name.strip().removeprefix("-") for name in self.parts.split(",")] if self.parts else []

    def _wrong(self, why: str) -> BadInput:
        return BadInput(f"option parts of backend auto can't be {self.parts!r}: {why}")

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, or why there is none, or unknown."""
        if refutation := violated_condition(problem):
            return Answer("none", refutation=refutation)
        clock = limits.clock()
        if problem.graph.directed and not problem.givens:
            return self._by_halves(problem, limits, clock, on_event)
        if problem.graph.coordinates is None:
            found = simplified(problem, limits)
            if reason := found.why_none:
                return Answer.without_tour("condition", reason)
            if problem.closed and found.parts and found.changed:
                return self._by_pieces(problem, found, limits, clock, on_event)
        return self._decide(problem, limits, clock, on_event)

    def _by_halves(self, problem: Problem, limits: Limits, clock: Clock, on_event: OnEvent | None) -> Answer:
        """An answer about arcs where there are many of them, else one about the halves."""
        plan = self.plan(problem)
        for opening in plan.openings if problem.graph.size >= MANY_ARCS * problem.graph.order else ():
            answer = _opened(problem, opening, limits, clock, on_event)
            if answer.status != "unknown":
                return answer
        if reason := to_cycle(problem).dead_end():
            return Answer.without_tour("condition", reason)
        halves = Halves(problem)
        asked, heard = halves.problem, heard_as(on_event, halves.vertices)
        if clock.expired:
            return Answer.stopped("time")
        return halves.told(self.solve(asked, replace(limits, seconds=clock.left), heard))

    def _by_pieces(
        self, problem: Problem, found: Simplified, limits: Limits, clock: Clock, on_event: OnEvent | None
    ) -> Answer:
        """A tour of each piece that is left, one after the other, so that each is left to the part that is best at
        it."""
        if on_event is not None:
            on_event(what_is_left(found))
        cycles: list[Ints] = []
        work: dict[str, int] = {}
        for piece in found.parts:
            answer = self._decide(
                piece.problem, replace(limits, simplify=False), clock, heard_in_the_whole(on_event, piece, found)
            )
            answer = replace(answer, backend="auto").verified(piece.problem)
            for counter, number in answer.work.items():
                work[counter] = work.get(counter, 0) + number
            if answer.tour is not None:
                cycles.append(answer.tour.vertices[None, :])
            elif answer.refutation is None:
                return replace(answer, work=work)
            elif answer.refutation.certificate is None:
                return replace(answer, refutation=of_the_part(answer.refutation, piece), work=work)
            else:
                return play(problem, [Share("proof")], limits, clock, on_event)  # for a certificate about the whole
        return Answer.with_tour(problem, found.whole.tours(found.cycles(cycles))[0], work)

    def _decide(self, problem: Problem, limits: Limits, clock: Clock, on_event: OnEvent | None) -> Answer:
        """First the openings, then the portfolio."""
        plan, claimed = self.plan(problem), False
        refute = {share.part for share in plan.shares if share.refutes}
        for opening in plan.openings:
            if claimed and opening.part not in refute:
                continue
            answer = _opened(problem, opening, limits, clock, on_event)
            claimed |= answer.status == "none"
            if answer.status == "tour" or (answer.refutation is not None and answer.refutation.kind != "claimed"):
                return answer
            if clock.expired:
                return Answer.stopped("time", answer.work)
        shares = [share for share in plan.shares if share.refutes] if claimed else plan.shares
        anew = replace(limits, seed=limits.seed ^ 1)  # the openings had no luck with theirs
        return play(problem, shares or plan.shares, anew, clock, on_event)

    def plan(self, problem: Problem) -> Plan:
        """The plan for the kind of graph, with the parts that are named and installed; `BadInput` where that leaves
        none."""
        plan, names = PLANS[kind(problem)], self._names
        if self.parts and not self.parts.startswith("-"):
            known = {share.part: share for share in plan.shares}
            backends = {name: load(name) for name in names}
            for name, backend in backends.items():
                refuse(problem, backend, name)
            shares = [
                known.get(name, Share(name, refutes=getattr(backend, "refutes", True)))
                for name, backend in backends.items()
            ]
        else:
            shares = [share for share in plan.shares if not {share.part, share.part.partition("@")[0]} & set(names)]
        shares = [share for share in shares if not missing(share.part.partition("@")[0])]
        if not shares:
            raise self._wrong(f"it leaves no part for {problem.graph.called}")
        at_hand = {share.part for share in shares}
        order = problem.graph.order
        openings = (
            opening for opening in plan.openings if opening.part in at_hand and opening.least <= order <= opening.most
        )
        return Plan(tuple(openings), tuple(shares))


def _opened(problem: Problem, opening: Opening, limits: Limits, clock: Clock, on_event: OnEvent | None) -> Answer:
    """What the part answers within its first turn."""
    if on_event is not None:
        on_event(PartAtWork(opening.part))
    work = opening.work if limits.work is None else min(limits.work, opening.work)
    seconds = [given for given in (clock.left, opening.seconds) if given is not None]
    return ask(problem, load(opening.part), replace(limits, work=work, seconds=min(seconds, default=None)), on_event)
