"""Searches and answers to a page's questions, as lines of JSON made on threads of their own, and the shifts in which
the threads of all pages take turns.

An answer is one event or two, each a dictionary that the page gets as JSON. Each function that yields them is given the
question and a heartbeat, which may raise an exception and is called several times a second.

Vertices lie where the command line's drawings have them, and files are as the command line writes them: a walk or the
picture of a proof as SVG, the knight walking as GIF, a tour file as JSON.

A page gives a search credits, one for each line; without credits nothing is computed. The native search has the lines
of ``cpsat-tour trace --json-stream``, byte by byte; the others have a line that names the problem, then those of
``solve --json-stream``.

Threads work for pages in shifts, so that each page has a fair share of the machine. As many threads work at a time as
there are processors; the others wait, and the one that has worked least goes first (the fair scheduling of operating
systems, here for the threads of one interpreter). So forty pages with much work hardly delay a short answer to another.
Work that does not rest holds up the others for `LONGEST` at most.
"""

from __future__ import annotations

import contextlib
import json
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition
from time import monotonic
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace

from cpsat_tour.core.errors import PICTURES, BadInput, StoppedEarly, require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Event, Limits, Progress, Spent, with_heartbeats
from cpsat_tour.drawing.canvas import Squares
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.svg import svg
from cpsat_tour.engines.puzzles import make_puzzle, page_link
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import run
from cpsat_tour.formats.describe import event_data, tour_sought
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.formats.tour_files import load_puzzle, tour_file_data
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.orders import Order
from cpsat_tour.native.trace import opening_data, trace
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.why import MAX_OUTLINED, picture
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.spaces.theorems import why_no_tour, why_not_symmetric
from cpsat_tour.tour import Answer, answer_data
from cpsat_tour.web.play import Judge, check_walk
from cpsat_tour.web.protocol import (
    MAX_CREDITS,
    MAX_TEXT,
    Export,
    JudgeBoard,
    JudgeWalk,
    LayOut,
    MakePuzzle,
    OpenFile,
    Setting,
    as_sentence,
    fault_sentence,
    known_reason,
)

Events = Iterator[dict[str, Any]]
Heartbeat = Callable[..., None]


def judgement(question: JudgeBoard, _heartbeat: Heartbeat) -> Events:
    """Answer whether it is known without a search that there is no tour: yield an event with the reason and the
    theorem."""
    setting, problem = question.setting, question.setting.problem
    space, reason, theorem = problem.graph.space, known_reason(problem), None
    if problem.closed or problem.start is None is problem.end:
        theorem = why_no_tour(space, closed=problem.closed)
    theorem = theorem or why_not_symmetric(space, setting.symmetry, closed=problem.closed)
    yield {"event": "judgement", "reason": theorem if reason is None else as_sentence(reason), "theorem": theorem}


class WalkJudgements:
    """Judges the walks of a page; the judge of its board remembers earlier ones."""

    def __init__(self) -> None:
        self._judge: tuple[Setting, Judge] | None = None

    def __call__(self, question: JudgeWalk, heartbeat: Heartbeat) -> Events:
        """Yield whether a walk can be completed and, if it can't, then how many of its squares can stay."""
        if self._judge is None or self._judge[0] != question.setting:
            self._judge = question.setting, Judge(question.setting.problem, heartbeat)
        judge = self._judge[1]
        walk = check_walk(judge.problem, question.walk)
        verdicts = judge.verdicts(walk)
        final = all(verdict["can"] is not False or "keep" in verdict for verdict in verdicts.values())
        about = {"event": "walk", "length": len(walk)}
        yield {**about, **verdicts, "final": final}
        if not final:
            yield {**about, **judge.add_lengths_to_keep(walk, verdicts), "final": True}


PUZZLE_SECONDS = 30.0


def puzzle(question: MakePuzzle, heartbeat: Heartbeat) -> Events:
    """Answer with a new puzzle: yield its event. `BadInput` if there is none, or none in time."""
    problem = replace(question.setting, givens=()).problem
    try:
        made = make_puzzle(problem, Limits(seconds=PUZZLE_SECONDS, seed=question.seed), heartbeat, question.grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(stopped.limit)
    if isinstance(made, Answer):
        why = "there is no tour here" if made.none else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
        raise BadInput(f"{why}: try another board or another grade")
    yield {"event": "puzzle", "givens": made.givens, "grade": made.grade}


def opened(question: OpenFile, _heartbeat: Heartbeat) -> Events:
    """Answer with the link that shows the puzzle or the graph in a file: yield an event; `BadInput` if it is neither,
    or the page can't show it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "file").with_suffix(Path(question.name).suffix)
        path.write_text(question.text, encoding="utf-8")
        try:
            problem = load_puzzle(path, question.setting.leaper)
        except BadInput as no_puzzle:
            try:
                problem = Problem(read_graph(path), question.setting.closed)
            except BadInput as no_graph:
                told = f"{question.name} is not a puzzle ({no_puzzle}), and not a graph ({no_graph})"
                raise BadInput(told.replace(f"{folder}/", "").replace(path.name, question.name)) from None
    if not (link := page_link(problem)) or len(link) > 2 * MAX_TEXT:
        raise BadInput(
            f"the page can't show {question.name}: it has walls, required moves or a symmetry, or it is too large"
        )
    yield {"event": "file", "link": link}


def layout(question: LayOut, heartbeat: Heartbeat) -> Events:
    """Answer where the vertices lie: yield an event with names and coordinates of vertices and holes, neighbours,
    shades, labels, the segments of moves that are not straight, and the titles of layers.

    The heartbeat comes at each label and between moves: in a dense graph they take seconds.
    """
    setting = question.setting
    graph, space = setting.graph, setting.graph.space
    ground = Points(graph) if space.layout is None else Squares(space.layout)
    centres = [ground.centre(vertex) for vertex in range(graph.order)]
    if holes := space.hole_names():
        whole = Board(setting.rows, setting.cols)
        centres += [Squares(whole.layout).centre(whole.vertex(hole)) for hole in holes]
    labels: list[tuple[str, float, float, float]] = []

    def write(*label: Any) -> None:
        """Keep a label."""
        heartbeat()
        labels.append(label)

    ground.label(write)
    moves = with_heartbeats(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), heartbeat, graph.order)
    yield {
        "event": "plan",
        "called": graph.called,
        "nouns": graph.nouns,
        "order": graph.order,
        "names": [*(graph.name(vertex) for vertex in range(graph.order)), *holes],
        "x": [x for x, _ in centres],
        "y": [y for _, y in centres],
        "box": ground.box,
        "side": ground.side,
        "dark": space.layout and space.layout.dark.astype(int).tolist(),
        "squares": isinstance(ground, Squares),
        "outline": ground.outline(range(graph.order)) if isinstance(ground, Squares) else "",
        "labels": labels,
        "label": ground.label_height,
        "neighbours": [graph.neighbours(vertex).tolist() for vertex in range(graph.order)],
        "pieces": [[*move, pieces] for move in moves if (pieces := ground.segments(*move))],
        "titles": ground.titles,
    }


def certificate_data(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate as a JSON event: multipliers as ``[vertex, "+1/2"]``, the shores of cut sets and the bounded
    edges as lists of vertices."""
    problem, cycle, proof = certificate.problem, certificate.cycle, certificate.proof
    multipliers: list[Any] = []
    bounds: list[Any] = []
    if isinstance(proof, Combination):
        multipliers = [
            [vertex, ("+" if number > 0 else "") + proof.fraction_text(number)]
            for vertex, number in proof.vertices.items()
            if vertex != cycle.apex
        ]
        ends = [(int(cycle.tails[edge]), int(cycle.heads[edge])) for edge in proof.upper]
        bounds = [[tail, head] for tail, head in ends if cycle.apex not in (tail, head)]
    return {
        "event": "certificate",
        "asked": f"There is no {tour_sought(problem)}.",
        "sentence": as_sentence(certificate.refutation.reason),
        "words": certificate.words(),
        "multipliers": multipliers,
        "bounds": bounds,
        "cut_sets": [
            [vertex for vertex in shore if vertex != cycle.apex] for shore in list(proof.cut_sets)[:MAX_OUTLINED]
        ],
    }


CERTIFICATE_SECONDS = 10.0


def export(question: Export, heartbeat: Heartbeat) -> Events:
    """Answer with a file: yield an event with its content in base 64 and its media type; `BadInput` if there is no such
    file."""
    setting, path = question.setting, np.array(question.path, dtype=np.int32)
    graph = setting.graph
    if not (question.path or question.proof):
        raise BadInput("a path needs a vertex: give one such as [0, 10]")
    check_walk(Problem(graph, setting.closed), question.path)
    if question.form == "json":
        if len(path) < graph.order:
            raise BadInput(
                f"a tour file holds a whole tour, and this walk has {len(path)} of {graph.order} {graph.nouns[1]}: its "
                "link keeps it"
            )
        told = tour_file_data(Problem(graph, question.closed), path)
        media_type, data = "application/json", f"{json.dumps(told, ensure_ascii=False)}\n".encode()
    elif question.form == "gif":
        require(*PICTURES[".gif"])
        from cpsat_tour.drawing.gif import gif_of_walk

        media_type, data = "image/gif", gif_of_walk(graph, question.path, closed=question.closed, heartbeat=heartbeat)
    elif question.proof:
        found = prove(setting.problem, limits=Limits(seconds=CERTIFICATE_SECONDS), on_event=heartbeat)
        if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, heartbeat)) is None:
            raise BadInput("there is no picture of a proof here")
        media_type, data = "image/svg+xml", drawn.encode()
    else:
        media_type, data = "image/svg+xml", svg(graph, path, closed=question.closed).encode()
    yield {"event": "file", "type": media_type, "data": b64encode(data).decode()}


AT_ONCE = max(2, os.cpu_count() or 2)

SLICE, LONGEST = 0.05, 0.5
"""Seconds after which work lets other work go first, and after which it is no longer counted as running."""

ADVANTAGE = 1.0
"""The most seconds by which new work counts as having worked less than all others."""


class Shift(ContextDecorator):
    """Takes turns among the work of all pages: one kind of work of a page, on one thread at a time, waits in ``with
    shift:`` for its turn."""

    _changed: ClassVar[Condition] = Condition()
    _working: ClassVar[dict[Shift, float]] = {}
    _waiting: ClassVar[list[Shift]] = []

    _worked = 0.0

    def __enter__(self) -> None:
        with self._changed:
            least = min((shift._worked for shift in (*self._working, *self._waiting)), default=0.0)
            self._worked = max(self._worked, least - ADVANTAGE)
            self._waiting.append(self)
            while not self._is_next():
                self._changed.wait(SLICE)
            self._waiting.remove(self)
            self._working[self] = monotonic()

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._worked += (now := monotonic()) - self._working.pop(self, now)
            self._changed.notify_all()

    def rest(self, until: Callable[[], object] | None = None) -> None:
        """Let other work go first after a slice of this, or wait ``until`` the function returns True. Called several
        times a second, perhaps by a solver's own thread."""
        if until or (now := monotonic()) - self._working.get(self, now) >= SLICE:
            self.__exit__()
            if until:
                until()
            self.__enter__()

    def _is_next(self) -> bool:
        """Return True if a place is free and this work is to get it: of all that wait, it has worked least."""
        at_work = sum(monotonic() - since < LONGEST for since in self._working.values())
        return at_work < AT_ONCE and self is min(self._waiting, key=lambda shift: shift._worked)


MAX_LINES = 2000
"""The most lines that may wait to be sent."""

PROOF_SECONDS = 30.0


class Stopped(BaseException):
    """Raised in the listener of a search to end the search; it is no error."""


class Search:
    """A search of a page, whose events become lines of JSON. The line ``first`` names the problem and is there at once;
    `run` makes the others, on another thread. It calls ``waits`` at the end, and when it waits for lines to be taken or
    for credits. `BadInput` if the setting is wrong."""

    def __init__(self, setting: Setting, shift: Shift, waits: Callable[[], object]) -> None:
        self._setting, self._shift, self._waits = setting, shift, waits
        self._credits, self._stopped, self._lines = 0, False, list[str]()
        self._changed = Condition()
        problem = setting.problem
        if setting.backend == "dfs":
            self._engine: Any = Dfs(order=setting.order, prune=setting.prune, backtrack=setting.backtrack)
            Order.parse(self._engine.order).for_problem(problem)
            self.first = json.dumps(opening_data(problem, self._engine))
        else:
            self._engine = load(setting.backend, {"log": "true"} if setting.backend == "cpsat" else {})
            opening = {"event": "problem", **problem_data(problem), "backend": setting.backend}
            self.first = json.dumps(opening | {"places": setting.graph.space.all_vertex_data()})

    def give(self, events: int) -> None:
        """Add credits: allow the search to make this number of lines more."""
        with self._changed:
            self._credits = min(MAX_CREDITS, self._credits + events)
            self._changed.notify()

    def take(self) -> list[str]:
        """Return the lines that are ready to be sent, and remove them."""
        with self._changed:
            lines, self._lines = self._lines, []
            self._changed.notify()
        return lines

    def stop(self) -> None:
        """End the search at its next event."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def run(self) -> None:
        """Run the search and make all its lines, the last of which reports its end."""
        with contextlib.suppress(Stopped):
            self._wait_for_room()
            if self._stopped:
                return
            with self._shift:
                try:
                    self._make_lines()
                except Exception as fault:
                    self._add({"event": "refused", "reason": fault_sentence(fault)})
            self._waits()

    def _make_lines(self) -> None:
        """Make a line for each event and, unless the search is the native one, for the answer or the certificate."""
        problem, limits = self._setting.problem, Limits(seed=self._setting.seed)
        if self._setting.backend == "dfs":
            for event in trace(problem, self._engine, limits):
                self._listen(event)
            return
        if self._setting.backend == "proof":
            outcome = prove(problem, limits=Limits(seconds=PROOF_SECONDS), on_event=self._listen)
        else:
            outcome = run(problem, self._engine, limits, self._listen, self._setting.backend)
        if isinstance(outcome, Answer):
            self._add({"event": "answer", **answer_data(problem, outcome)})
        else:
            self._add(certificate_data(outcome))

    def _listen(self, event: Event) -> None:
        """Make a line of the event, unless the page shows nothing of it, and wait until there is room for the next;
        raise `Stopped` if the search was stopped."""
        if event.work if isinstance(event, Progress) else not isinstance(event, Spent):
            self._add(event_data(event))
        self._shift.rest(None if self._has_room() else self._wait_for_room)
        if self._stopped:
            raise Stopped

    def _add(self, event: dict[str, Any]) -> None:
        """Add an event as a line."""
        with self._changed:
            self._credits -= 1
            self._lines.append(json.dumps(event))

    def _has_room(self) -> bool:
        """Return True if another line may be made: there are credits, and few lines wait. Also True once the search is
        stopped."""
        return self._stopped or (self._credits > 0 and len(self._lines) < MAX_LINES)

    def _wait_for_room(self) -> None:
        """Wait until there are credits and few lines wait."""
        self._waits()
        with self._changed:
            self._changed.wait_for(self._has_room)
