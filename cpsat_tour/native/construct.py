"""The backend ``construct``: tours of plain knight's boards without any search, in time linear in the squares
(`blocks`).

It never refutes: where the theorems know of no tour, the problem stays unknown, with their word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.blocks import tour_in_parts
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import sentence


class LargeBoard(Board):
    """A board of more squares than a graph can have, for tours that are never in memory as a whole."""

    kind = "board"
    max_squares = 1 << 40


@dataclass(frozen=True)
class Construct:
    """Tours joined from tours of small blocks."""

    takes: ClassVar[frozenset[str]] = frozenset()
    refutes: ClassVar[bool] = False
    boards_only: ClassVar[bool] = True

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, or unknown with the reason."""
        board = problem.graph.space
        assert isinstance(board, Board)
        clock = limits.clock()
        if why := sentence(board, closed=problem.closed):
            return Answer.stopped(why)
        if limits.work == 0:
            return Answer.stopped("work")
        vertices, done = np.empty(len(board), dtype=np.int32), 0
        with announced(on_event):
            for visits in tour_in_parts(board.rows, board.cols, closed=problem.closed):
                vertices[done : done + len(visits)] = visits[:, 0] * board.cols + visits[:, 1]
                done += len(visits)
                if clock.expired:
                    return Answer.stopped("time", {"squares": done})
        return Answer.with_tour(problem, vertices, {"squares": done})
