"""The default backend: a portfolio of other backends, never far from its best part.

First come cheap necessary conditions and reductions: the vertices of a directed problem are split, and each piece of a
closed problem without a layout is answered on its own. Then openings, short turns of parts in this process: nearly
every board and many graphs, within milliseconds. They are limited by work, so that they answer the same at each run,
unless a slow machine meets the limit that some have on seconds. The rest goes to a portfolio of processes that take
turns. `PLANS` has the openings and shares for each kind of graph.

The limit on work holds for each part, in its own unit: for all its turns at all pieces together.

"None" comes with a condition, a certificate or a completed search, never with a bare claim. A refutation of a piece
refutes the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import SplitVertices, to_cycle
from cpsat_tour.core.runs import Event, Limits, OnEvent, PartAtWork, PartOut, Watch
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.plans import CLAIMED, MANY_ARCS, PLANS, WALK, Opening, Plan, Share
from cpsat_tour.engines.registry import entry, load, load_class, missing_modules, unsupported_features
from cpsat_tour.engines.runner import check_takes, features_of, run, simplified, translated_listener
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.presolve.gadgets import find_gadgets
from cpsat_tour.presolve.simplify import Simplified
from cpsat_tour.tour import Answer


@dataclass(frozen=True)
class Auto:
    """A portfolio of the named ``parts`` (``edges,sat``), or of all parts of the plan."""

    parts: str = ""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "symmetry", "givens", "waypoints"})

    plans: ClassVar[Mapping[str, Plan]] = PLANS
    """The plan for each kind of graph."""

    def __post_init__(self) -> None:
        if not self.parts:
            return
        for name in self._named_parts:
            entry(name.partition("@")[0])
        if "auto" in self._named_parts:
            raise self._parts_error("auto is not a part of itself")
        if len(set(self._named_parts)) < len(self._named_parts):
            raise self._parts_error("it names a part twice")

    @property
    def _named_parts(self) -> list[str]:
        """The parts that the option names, in its order."""
        return [name.strip() for name in self.parts.split(",")]

    def _parts_error(self, why: str) -> BadInput:
        """Return the error to be raised for a wrong option ``parts``."""
        return BadInput(f"option parts of backend auto can't be {self.parts!r}: {why}")

    def plan(self, problem: Problem) -> Plan:
        """Return the plan for the problem's kind of graph, with the installed parts alone; `BadInput` if there are
        none.

        If the option ``parts`` names some, the plan has just these, also those that it lacks.
        """
        plan, features, order = PLANS[plan_key(problem)], features_of(problem), problem.graph.order
        in_plan = {share.part: share for share in plan.shares}
        named = self._named_parts if self.parts else []
        for name in named:
            backend = load(name)
            check_takes(problem, backend, name)
            in_plan.setdefault(name, Share(name, refutes=getattr(backend, "refutes", True)))
        names = {part: part.partition("@")[0] for part in named or in_plan}
        shares = {part: in_plan[part] for part, name in names.items() if not missing_modules(name)}
        if len(features) > 1:  # each part of the plan takes one of them, but maybe not all together
            kinds = {part: load_class(entry(names[part]).target) for part in shares}
            shares = {part: shares[part] for part in shares if not unsupported_features(kinds[part], features)}
        if not shares:
            raise self._parts_error(f"it leaves no part for {problem.graph.called}")
        openings = [each for each in plan.openings if each.part in shares and each.least <= order <= each.most]
        return Plan(tuple(openings), tuple(shares.values()))

    def solve(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, spent: Counter[str] | None = None
    ) -> Answer:
        """Return a tour, a refutation that can be checked, or ``unknown``; add to ``spent`` what each part has done."""
        watch, spent = Watch(limits, limits.clock(), on_event), Counter[str]() if spent is None else spent
        if refutation := violated_condition(problem):
            return Answer("none", refutation=refutation)
        if problem.graph.directed and not problem.timed:
            return self._on_split_vertices(problem, watch, spent)
        if problem.graph.space.coordinates is None:
            found = simplified(problem, limits)
            if reason := found.why_none:
                return Answer.without_tour("condition", reason)
            if problem.closed and found.pieces:
                return self._by_pieces(found, watch, spent)
        search = self._search(problem, watch, spent)
        answer = search.run_openings()
        return search.run_members() if answer is None else answer

    def _search(self, problem: Problem, watch: Watch, spent: Counter[str]) -> _Search:
        """Return an unstarted search for a problem of the run, or for a piece of it."""
        plan = self.plan(problem)
        return _Search(watch.limits, watch.clock, watch.on_event, plan=plan, problem=problem, spent=spent)

    def _on_split_vertices(self, problem: Problem, watch: Watch, spent: Counter[str]) -> Answer:
        """Return the answer to a directed problem, found by searching the undirected problem on split vertices.

        If there are many arcs, a walk along them is tried first.
        """
        search = self._search(problem, watch, spent)
        if problem.graph.size >= MANY_ARCS * problem.graph.order and (not self.parts or WALK.part in self._named_parts):
            answer = search.run_opening(WALK)
            if not answer.unknown:
                return answer
        if reason := to_cycle(problem).dead_end_reason():
            return Answer.without_tour("condition", reason)
        split = SplitVertices(problem)
        if stopped_by := watch.clock.stopped_by:
            return Answer.stopped(stopped_by)
        limits = replace(watch.limits, seconds=watch.clock.left)
        listener = translated_listener(watch.on_event, split.source_vertices)
        answer = self.solve(split.problem, limits, listener, spent)
        if answer.tour is not None:
            return Answer.with_tour(problem, split.tours(answer.tour.vertices[None, :])[0], answer.work)
        return replace(answer, refutation=answer.refutation and split.refutation_of_source(answer.refutation))

    def _by_pieces(self, found: Simplified, watch: Watch, spent: Counter[str]) -> Answer:
        """Return the answer to a problem in pieces: a tour made of a cycle of each, or the first answer without a
        cycle.

        The openings of all pieces run first, then the portfolio for each open one. A piece of the same size as one
        before is often its copy: the part that answered that one goes first.
        """
        watch.tell(found.event)
        limits, searches = replace(watch.limits, simplify=False), list[_Search]()
        for piece in found.pieces:
            of_piece = Watch(limits, watch.clock, translated_listener(watch.on_event, piece.source_vertices))
            searches.append(self._search(piece.problem, of_piece, spent))
        cycles: dict[int, Ints] = {}
        work, answered_by = Counter[str](), dict[tuple[int, int], str]()
        for turn in (_Search.run_openings, _Search.run_members):
            for number, (piece, search) in enumerate(zip(found.pieces, searches, strict=True)):
                size = piece.cycle.order, piece.cycle.size
                search.first = answered_by.get(size, "")
                if number in cycles or (answer := turn(search)) is None:
                    continue
                work.update(answer.work)
                answered_by[size] = answer.backend
                if answer.tour is None:
                    reason = answer.refutation and found.refutation_of_whole(answer.refutation, piece)
                    return replace(answer, refutation=reason, work=dict(work))
                cycles[number] = answer.tour.vertices[None, :]
        tours = found.whole.tours(found.cycles([cycles[number] for number in range(len(searches))]))
        return Answer.with_tour(found.whole.source, tours[0], dict(work))


@dataclass(eq=False)
class _Search(Watch):
    """The openings and the portfolio of one problem, with the work that each part has ``spent``, and the parts that
    claimed that there is no tour; the part ``first`` opens before the others."""

    plan: Plan = field(kw_only=True)
    problem: Problem = field(kw_only=True)
    spent: Counter[str] = field(kw_only=True)
    claims: list[str] = field(default_factory=list)
    first: str = ""

    def run_openings(self) -> Answer | None:
        """Give backends short first turns, one after the other, until one has an answer; return it, ``unknown`` if the
        time is over, or None if none has one."""
        for opening in sorted(self.plan.openings, key=lambda each: each.part != self.first):
            if self.claims and not any(share.refutes for share in self.plan.shares if share.part == opening.part):
                continue
            answer = self.run_opening(opening)
            if not answer.unknown:
                return answer
            if self.clock.expired:
                return self._with_claims(replace(answer, stopped_by=self.clock.stopped_by))
        return None

    def run_opening(self, opening: Opening) -> Answer:
        """Give a backend its short first turn and return its answer; ``unknown`` if it only claims that there is no
        tour."""
        part, backend, left = opening.part, load(opening.part), self.clock.left
        self.tell(PartAtWork(part))
        limits = self.limits.after(self.spent[part])
        work = opening.work if limits.work is None else min(limits.work, opening.work)
        if left is None or (opening.seconds is not None and opening.seconds < left):
            left = opening.seconds
        limits = replace(limits, work=work, seconds=left)
        answer = run(self.problem, backend, limits, self.tell, part)
        self.spent[part] += answer.work.get(getattr(backend, "unit", ""), 0)
        if answer.refutation is not None and answer.refutation.kind == "claimed":
            self.claims.append(part)
            return Answer.stopped("work", answer.work)
        return answer

    def run_members(self) -> Answer:
        """Run the portfolio of backends in turns and return its answer.

        After a claim that there is no tour only parts that can refute work.
        """
        from cpsat_tour.engines.portfolio import run_portfolio  # most answers come before

        shares = self.plan.shares
        if self.claims:
            shares = tuple(share for share in shares if share.refutes) or shares
        anew = replace(self.limits, seed=self.limits.seed ^ 1)  # the openings had no luck with theirs
        return self._with_claims(run_portfolio(self.problem, shares, anew, self.clock, self._note_claims, self.spent))

    def _note_claims(self, event: Event) -> None:
        """Note the part if the event is its claim that there is no tour, and pass the event on."""
        if isinstance(event, PartOut) and event.why == CLAIMED:
            self.claims.append(event.part)
        self.tell(event)

    def _with_claims(self, answer: Answer) -> Answer:
        """Return the answer; if it is ``unknown``, add which parts claim that there is no tour."""
        if not (answer.unknown and self.claims) or CLAIMED in (answer.stopped_by or ""):
            return answer
        who = " and ".join(dict.fromkeys(self.claims))
        return replace(answer, stopped_by=f"{answer.stopped_by}; {who}{CLAIMED.removeprefix('it')}")


def largest_piece(problem: Problem, limits: Limits) -> Problem:
    """Return the problem of the largest piece if `auto` splits a closed problem, else the problem itself."""
    splits = problem.closed and not problem.graph.directed and problem.graph.space.coordinates is None
    pieces = [piece.problem for piece in simplified(problem, limits).pieces] if splits else []
    return max(pieces, key=lambda piece: piece.graph.order, default=problem)


def plan_key(problem: Problem) -> str:
    """Return the key of `PLANS` for a problem, such as ``given``, ``board`` or ``sparse``."""
    graph = problem.graph
    if problem.givens:
        return "given"
    if problem.waypoints:
        return "waypoints"
    if problem.symmetry is not None:
        return "symmetric"
    board = graph.space.coordinates is not None
    forced = max(2 * len(problem.require), 0 if board else 3 * int((graph.degrees == 2).sum()))
    if graph.directed or forced >= graph.order:
        may_be = problem.closed and not graph.directed
        return "gadgets" if may_be and find_gadgets(to_cycle(problem)) is not None else "paired"
    if board:
        return "board"
    return "sparse" if graph.is_sparse else "dense"
