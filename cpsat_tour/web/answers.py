"""The answers to a page's questions, and the certificate that ends a search for a proof.

An answer is one event or two, each a dictionary that the page gets as JSON. Each function that yields them is given the
question and a heartbeat, which may raise an exception and is called several times a second.

Vertices lie where the command line's drawings have them, and files are as the command line writes them: a walk or the
picture of a proof as SVG, the knight walking as GIF, a tour file as JSON.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from cpsat_tour.backends.puzzles import make_puzzle
from cpsat_tour.core.errors import BadInput, StoppedEarly, require
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.drawing.png import PNG_NEEDS
from cpsat_tour.drawing.points import Points
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.tour_files import tour_file_data
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import Combination
from cpsat_tour.proofs.write.picture import MAX_OUTLINED, picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import why_no_tour, why_not_symmetric
from cpsat_tour.tour import Answer
from cpsat_tour.web.play import Judge, check_walk
from cpsat_tour.web.protocol import (
    Export,
    JudgeBoard,
    JudgeWalk,
    LayOut,
    MakePuzzle,
    Setting,
    as_sentence,
    known_reason,
)

Events = Iterator[dict[str, Any]]
Heartbeat = Callable[..., None]


def judgement(question: JudgeBoard, _heartbeat: Heartbeat) -> Events:
    """Yield the event that says why there is no tour, and by which theorem, if this is known without a search."""
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
    """Yield the event of a new puzzle on the setting's board; `BadInput` if there is none, or none in time."""
    problem = replace(question.setting, givens=()).problem
    try:
        made = make_puzzle(problem, Limits(seconds=PUZZLE_SECONDS, seed=question.seed), heartbeat, question.grade)
    except StoppedEarly as stopped:
        made = Answer.stopped(stopped.limit)
    if isinstance(made, Answer):
        why = "there is no tour here" if made.none else f"no puzzle is found in {PUZZLE_SECONDS:g} seconds"
        raise BadInput(f"{why}: try another board or another grade")
    yield {"event": "puzzle", "givens": made.givens, "grade": made.grade}


def layout(question: LayOut, heartbeat: Heartbeat) -> Events:
    """Yield the event that lays out a space: names and coordinates of the vertices and then of holes, neighbours,
    shades, labels, the pieces of moves that are not one straight line, and the titles of the vertices' layers.

    The heartbeat comes at each label and between moves: in a dense graph they take seconds.
    """
    setting = question.setting
    graph, space = setting.graph, setting.source
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
    """Return the event that ends a proof: multipliers as ``[vertex, "+1/2"]``, the shores of cut sets and the bounded
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


PROOF_SECONDS = 10.0


def export(question: Export, heartbeat: Heartbeat) -> Events:
    """Yield the event that has a file in base 64, and its media type; `BadInput` if there is no such file."""
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
        require("a GIF picture", "PIL", *PNG_NEEDS)
        from cpsat_tour.drawing.gif import gif_of_walk

        media_type, data = "image/gif", gif_of_walk(graph, question.path, closed=question.closed, heartbeat=heartbeat)
    elif question.proof:
        found = prove(setting.problem, limits=Limits(seconds=PROOF_SECONDS), on_event=heartbeat)
        if isinstance(found, Answer) or (drawn := picture(found.cycle, found.proof, heartbeat)) is None:
            raise BadInput("there is no picture of a proof here")
        media_type, data = "image/svg+xml", drawn.encode()
    else:
        media_type, data = "image/svg+xml", svg(graph, path, closed=question.closed).encode()
    yield {"event": "file", "type": media_type, "data": b64encode(data).decode()}
