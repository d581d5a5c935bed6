"""The backend ``construct``: tours of plain knight's boards without any search of the board, in time linear in the
squares.

Divide and conquer (Parberry 1997) with small tours in blocks of all sizes, strips for narrow boards (Cull & De Curtins
1978; Conrad, Hindrichs, Morsy & Wegener 1994; Lin & Wei 2005). It never refutes: where the theorems know of no tour, or
its method finds none between the ends, the problem stays unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Space
from cpsat_tour.native.construct.tours import LargeBoard, NoConstruction, constructed
from cpsat_tour.native.construct.turned import TURNS
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.lattice import KNIGHT


@dataclass(frozen=True)
class Construct:
    """Tours joined from tours of small blocks; for knights on boards without holes, and without required or forbidden
    moves."""

    takes: ClassVar[frozenset[str]] = frozenset({"symmetry"})
    refutes: ClassVar[bool] = False
    boards_only: ClassVar[bool] = True

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, or unknown with the reason; `BadInput` where the problem is none of a plain board."""
        board = plain_board(problem.graph.space)
        if problem.require or problem.forbid:
            kind = "required" if problem.require else "forbidden"
            raise BadInput(f"backend construct does not take {kind} moves: choose another, such as sat")
        turns = 1 if problem.symmetry is None else turns_of(problem.symmetry.name)
        ends = [None if vertex is None else board.row_col(vertex) for vertex in (problem.start, problem.end)]
        turned = ends[0] is None is not ends[1]
        clock = limits.clock()
        if limits.work == 0:
            return Answer.stopped("work")
        try:
            with announced(on_event):
                tour = constructed(board, closed=problem.closed, start=ends[turned], end=ends[not turned], turns=turns)
                vertices = np.empty(len(board), dtype=np.int32)
                done = 0
                for visits in tour.chunks():
                    vertices[done : done + len(visits)] = visits[:, 0] * board.cols + visits[:, 1]
                    done += len(visits)
                    if clock.expired:
                        return Answer.stopped("time", {"squares": done})
        except NoConstruction as why:
            return Answer.stopped(str(why))
        return Answer.with_tour(problem, vertices[::-1] if turned else vertices, {"squares": done})


def turns_of(symmetry: str) -> int:
    """How many turns of this name bring a board back; `BadInput` where tours are not constructed with it."""
    if symmetry not in TURNS:
        raise BadInput(
            f"backend construct does not take the symmetry {symmetry}: it takes {', '.join(TURNS)}; choose "
            "another, such as sat"
        )
    return TURNS[symmetry]


def plain_board(space: Space) -> Board:
    """The board that the space is; `BadInput` where it is none, or has holes or another leaper than the knight."""
    if isinstance(space, Board) and type(space) in (Board, LargeBoard) and not space.holes and space.leaper == KNIGHT:
        return space
    raise BadInput(
        f"backend construct does not take {space.called()}: it takes knight's boards without holes; choose "
        "another, such as sat"
    )
