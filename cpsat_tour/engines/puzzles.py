"""Makes puzzles, and grades those that people make: some numbers of a tour that only one tour has.

A random tour is the solution. A few of its numbers are given; while another tour has them too, one more is added, where
that tour differs. Then each given is left out in turn, in random order, for good if the others still determine the
tour; the rest is minimal, since a needed given is needed by every subset too. Tours that were found on the way answer
most of these questions. The puzzle with the fewest givens of several is kept. A lower grade allows fewer branchings,
and so has more givens.

The numbers may be waypoints, which say in which order their squares are visited, as in Zip. Walls, moves that are
forbidden, may stand where the solution does not go, and then fewer numbers do.

The native search over numbers (`cpsat_tour.native.numbers`) decides uniqueness within a limit on work, not on time, so
that a seed always gives the same puzzle; a given that takes more work stays, and the puzzle may not be minimal. At last
a SAT encoding of positions has to agree; the work of both is the puzzle's grade. Of waypoints the search over numbers
knows nothing: there the SAT encoding decides, and the native search along the path has to agree.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.runs import UNLIMITED, Limits, OnEvent, Watch
from cpsat_tour.core.space import Flags, Ints, Space, layout_of
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.images import PDF_LETTERS, in_font, page, pages
from cpsat_tour.drawing.points import MAX_LEGIBLE
from cpsat_tour.drawing.svg import draw_walls, drawn_puzzle, drawn_tour
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import Listing, run
from cpsat_tour.formats.boards import puzzle_text
from cpsat_tour.formats.describe import a_tour_sought, joined, plural
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.saving import write_drawing
from cpsat_tour.formats.tour_files import numbers_shown, puzzle_file_text
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.lattice import KNIGHT, MOVES, Lattice
from cpsat_tour.spaces.problem_data import graph_data, parse_space
from cpsat_tour.tour import Answer, Tour

SHEETS = (".svg", ".png", ".pdf", ".txt")
"""The suffixes of sheets."""


def check_sheet(path: Path, spaces: Sequence[Space], words: str, *, force: bool) -> None:
    """Raise `BadInput` if a sheet with puzzles of these spaces, and with these words as title and author, can't be
    written to the path."""
    suffix = path.suffix.lower()
    check_place(path, force=force, suffixes=SHEETS)
    if len(spaces) > 1 and suffix != ".pdf":
        raise BadInput(f"can't write {len(spaces)} puzzles to {path}, which has room for one: write a .pdf")
    for space in spaces:
        if max(max(layer.cells.shape) for layer in layout_of(space).layers) > MAX_LEGIBLE and suffix != ".txt":
            raise BadInput(
                f"can't draw {path}: "
                f"the numbers of {space.called()} would be too small to read (at most {MAX_LEGIBLE} squares a side)"
            )
    if not words.isprintable() or (suffix == ".pdf" and not in_font(words)):
        raise BadInput(f"{path} can't show all letters of {words!r}: {PDF_LETTERS}")


def rules(problem: Problem) -> list[str]:
    """Return the title of a puzzle and its rules, a sentence each."""
    graph, space, last = problem.graph, problem.graph.space, problem.graph.order
    kinds = space.leapers if isinstance(space, Lattice) else ()
    move = {
        (KNIGHT,): "knight's move, two squares one way and one to the side,",
        MOVES["king"]: "king's move, one square in any direction,",
        (MOVES["wazir"],): "step to a neighbouring square, not diagonally,",
        (): "move along an edge",
    }.get(kinds, f"move by {', or by '.join(' and '.join(map(str, kind)) for kind in kinds)} squares")
    task, noun = f"Write the numbers 1 to {last} into the {graph.nouns[1]}, each once.", "number"
    back, walls = f", and from {last} back to 1" * problem.closed, walls_of(problem)
    if problem.waypoints:
        noun, back, one = "square", "", "closed path" if problem.closed else f"path from 1 to {len(problem.waypoints)}"
        task = f"Draw one {one} through all {last} squares, by the numbers in their order."
    steps = f"A {move} leads from each {noun} to the next{back}{', and none crosses a thick line' * bool(walls)}."
    lists = {
        "These moves are not allowed": [ends for ends in problem.forbid if ends not in walls],
        "These moves are part of the tour": problem.require,
    }
    named = {rule: joined(["-".join(map(graph.name, ends)) for ends in moves]) for rule, moves in lists.items()}
    title = f"{'A closed' if problem.closed else 'An open'} tour of {getattr(space, 'bare_name', graph.called)}"
    extra = [space.rule] if isinstance(space, Lattice) and space.rule else []
    return [title, task, steps, *extra, *(f"{rule}: {moves}." for rule, moves in named.items() if moves)]


def walls_of(problem: Problem) -> list[Move]:
    """Return the forbidden moves that are walls: their ends are squares with a side in common."""
    where = problem.graph.space.coordinates
    steps = {} if where is None else {ends: np.abs(where[ends[0]] - where[ends[1]]) for ends in problem.forbid}
    return [ends for ends, step in steps.items() if step.sum() == step[:2].sum() == 1]


def numbers_of(problem: Problem) -> Givens:
    """Return the vertices that show a number, with these: the waypoints, or the givens, or else the ends."""
    ends = ((problem.start, 1), (problem.end, problem.graph.order))
    return numbers_shown(problem) or tuple((vertex, number) for vertex, number in ends if vertex is not None)


Givens = tuple[tuple[int, int], ...]

TRIES = 4
"""The number of puzzles tried; the one with the fewest givens is kept."""

BUDGET, LONG_BUDGET = 1000, 20_000
"""Branchings after which the search for another tour is given up at first, and for the open questions of the best
puzzle."""

FIRST_GIVENS = 1 / 8
"""The share of squares that are given at random at first."""

FIRST, SECOND = "numbers", "sat:crt"
"""The backends that decide that there is one solution."""

POSITIONS = 1 << 20
"""The limit of the search for a random tour, which finds one at once or, if tours are rare, perhaps never."""

MIN_SQUARES, MAX_SQUARES = 3, 400

GRADES = (
    (0, "a search needs no guess"),
    (3, "a search needs up to 3 guesses"),
    (20, "a search needs up to 20 guesses"),
    (100, "a search needs up to 100 guesses"),
    (math.inf, "a search needs more than 100 guesses"),
)
"""The most work, branchings or conflicts, of each grade, in words."""

HARDEST = len(GRADES)


@dataclass(frozen=True, repr=False)
class Puzzle:
    """Some numbers of a tour that, together with its ends, no other tour has.

    - ``problem`` (`Problem`): the problem with the given numbers, or with waypoints, and with walls.
    - ``givens`` (pairs of ints): the vertices that show a number, with these.
    - ``solution`` (`Tour`): the tour.
    - ``minimal`` (bool): whether each number is surely needed; of one's own this is not asked.
    - ``branchings`` (int): the work of the search, over numbers or along the path, that showed that there is one
      solution.
    - ``conflicts`` (int): the work of the SAT solver that did.
    """

    problem: Problem
    givens: Givens
    solution: Tour
    minimal: bool
    branchings: int
    conflicts: int

    @classmethod
    def graded(cls, problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None) -> Self | Answer:
        """Return a problem that gives numbers, or waypoints, as a puzzle with its solution and its grade:
        ``Puzzle.graded(load_puzzle("mine.txt"))``; the answer to the problem if it has no solution.

        Raises `TourFault`, which names a square where two differ, if it has several solutions, `StoppedEarly` if the
        time does not suffice to tell, and `BadInput` for what `make_puzzle` refuses too, and if there are no numbers.
        """
        check_puzzle(problem)
        if not (givens := numbers_of(problem)):
            raise BadInput("a puzzle gives numbers, and this one has none: write some into their squares")
        if problem.closed and not problem.waypoints:
            problem = replace(problem, givens=givens)  # it is numbered from its start
        clock = limits.clock()
        tours, proved, branchings = two_tours(problem, FIRST, Limits(clock.left, cancel=clock.cancel), on_event)
        if not len(tours):
            return run(problem, load("auto"), replace(limits, seconds=clock.left), on_event, "auto")
        if len(tours) > 1:
            place = int((tours[0] != tours[1]).argmax())
            square, second = problem.graph.name(tours[0, place]), tours[1].tolist().index(tours[0, place]) + 1
            raise TourFault(
                f"the puzzle has several solutions: {square} has the number {place + 1} in one and {second} in another"
            )
        agreed, whole, conflicts = two_tours(problem, SECOND, Limits(clock.left, cancel=clock.cancel), on_event)
        if not (proved and whole):
            raise StoppedEarly(clock.stopped_by or "time")
        if agreed.tolist() != tours.tolist():
            raise BackendFault(f"{FIRST} found one solution of a puzzle, and {SECOND} {len(agreed)}, or another")
        return cls(problem, givens, Tour(problem.graph, problem.closed, tours[0]), False, branchings, conflicts)

    def __repr__(self) -> str:
        of = a_tour_sought(replace(self.problem, givens=(), waypoints=()))
        return f"<Puzzle: {len(self.givens)} of the {len(self.solution)} numbers of {of}, grade {self.grade}>"

    def __str__(self) -> str:
        return puzzle_text(self.problem.graph.space, self.givens)[:-1]

    def _repr_svg_(self) -> str:
        """Return the drawn puzzle, as notebooks show it."""
        return str(self._drawings()[0])

    def _drawings(self, number: str = "", title: str = "", author: str = "") -> tuple[Canvas, Canvas]:
        """Return the drawings of the puzzle, with its rules and its grade, and of its solution."""
        problem, tour, numbers = self.problem, self.solution, {vertex: str(given) for vertex, given in self.givens}
        sought, *sentences = rules(problem)
        called, by = number + (title or sought), [f"By {author}."] if author else []
        asked = drawn_puzzle(problem.graph, called, numbers, discs=bool(problem.waypoints))
        answer = drawn_tour(problem.graph, tour.vertices, closed=tour.closed)
        asked.heading(called, *sentences, f"Grade {self.grade} of {HARDEST}: {GRADES[self.grade - 1][1]}.", *by)
        answer.heading(called, "The solution.")
        for canvas in (asked, answer):
            draw_walls(canvas, walls_of(problem))
        return asked, answer

    def save(
        self,
        path: str | os.PathLike[str],
        *others: Puzzle,
        title: str = "",
        author: str = "",
        solution: bool = True,
        force: bool = False,
    ) -> None:
        """Write a sheet with the puzzle and its solution to the .svg, .png or .pdf file ``path``, or the puzzle to
        a .txt file; with ``force`` also over a file.

        A .pdf has the ``others`` too, four on a page, and the solutions on pages of their own; in a .svg or a .png the
        solution is upside down at the foot. Without ``solution`` it is left out. The ``title`` stands in place of the
        tour sought, and the ``author`` below the rules.
        """
        path, puzzles = Path(path), (self, *others)
        check_sheet(path, [puzzle.problem.graph.space for puzzle in puzzles], title + author, force=force)
        if path.suffix.lower() == ".txt":
            write(path, puzzle_file_text(self.problem))
            return
        drawn = [
            puzzle._drawings(f"{number}. " * bool(others), title, author)
            for number, puzzle in enumerate(puzzles, start=1)
        ]
        kinds, called = [*zip(*drawn, strict=True)][: 1 + solution], title or rules(self.problem)[0]
        if path.suffix.lower() == ".pdf":
            write(path, pages(called, [[*map(str, kind)] for kind in kinds]))
        else:
            write_drawing(path, page(called, *(kind[0] for kind in kinds)))

    @property
    def grade(self) -> int:
        """The grade from 1, solved by the rules without a guess, to 5."""
        return 1 + sum((self.branchings if self.problem.givens else self.conflicts) > most for most, _ in GRADES)

    @property
    def words(self) -> str:
        """The grade in words, with the skill that it asks of a person and the branchings and conflicts that it took."""
        search = ("branching", FIRST) if self.problem.givens else ("position", "dfs")
        work = f"{plural(self.branchings, search[0])} of {search[1]}, {plural(self.conflicts, 'conflict')} of {SECOND}"
        return f"grade {self.grade} of {HARDEST}, {GRADES[self.grade - 1][1]}: {work}"


def check_puzzle(problem: Problem) -> None:
    """Raise `BadInput` if no puzzle can ask this: for symmetries, directed graphs, too few and too many vertices."""
    if problem.symmetry is not None:
        raise BadInput(f"a puzzle can't ask for a symmetry: leave out {problem.symmetry.name}")
    if problem.graph.directed:
        raise BadInput("a puzzle needs an undirected graph: this one has arcs")
    if not MIN_SQUARES <= (order := problem.graph.order) <= MAX_SQUARES:
        called = problem.graph.called
        raise BadInput(
            f"a puzzle has {MIN_SQUARES} to {MAX_SQUARES} {problem.graph.nouns[1]}, and {called} has {order}"
        )


def page_link(problem: Problem) -> str:
    """Return the end of the address, from its ``#``, at which the page of ``cpsat-tour watch`` shows a problem with its
    given numbers; empty if the page can't show it."""
    space = problem.graph.space
    if problem.waypoints or problem.require or problem.forbid or problem.symmetry:
        return ""
    asked = {"space": str(space)}
    if type(space) is Board:
        asked = {"board": f"{space.rows}x{space.cols}", "leaper": space.piece, "holes": ",".join(space.hole_names())}
    elif parse_space(str(space)) != space:
        asked = {"space": json.dumps(graph_data(problem.graph), separators=(",", ":"))}
    at = ",".join(f"{space.name(vertex)}:{number}" for vertex, number in numbers_of(problem))
    asked |= {"open": "1" * (not problem.closed), "at": at, "play": "1" * bool(at)}
    return "#" + urlencode({key: value for key, value in asked.items() if value}, safe=",:")


def make_puzzle(
    problem: Problem,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    grade: int = HARDEST,
    *,
    waypoints: bool = False,
    walls: int = 0,
) -> Puzzle | Answer:
    """Return a puzzle of at most this grade whose solution solves the problem; if no tour is found in time, the answer
    to the problem.

    A start and an end are among the givens. The numbers may be ``waypoints``, and up to this number of ``walls`` may
    stand on the board. `BadInput` for givens, symmetries, directed graphs, and less than 3 or more than 400 vertices;
    `StoppedEarly` when the time is over.
    """
    if problem.timed:
        raise BadInput(f"a puzzle chooses its own numbers: leave out the {problem.timed}")
    check_puzzle(problem)
    watch = Watch(limits, limits.clock(), on_event)
    random = np.random.default_rng(limits.seed)
    answer = run(problem, load("dfs", {"order": "random"}), replace(limits, work=POSITIONS), on_event, "dfs")
    if answer.stopped_by == "work":
        answer = run(problem, load("auto"), replace(limits, seconds=watch.clock.left), on_event, "auto")
    if answer.tour is None:
        return answer
    solution = answer.tour.vertices
    if problem.start is None is problem.end:  # from a random vertex in a random direction
        solution = np.roll(solution, int(random.integers(len(solution)))) if problem.closed else solution
        solution = solution[::-1].copy() if random.integers(2) else solution
    if walls:
        used = {*pairwise([*solution.tolist(), *solution[: problem.closed].tolist()])}
        unused = tuple(ends for ends in problem.allowed.pairs() if used.isdisjoint((ends, ends[::-1])))
        if not (free := walls_of(replace(problem, forbid=unused))):
            raise BadInput(f"walls part squares with a common side, and no move of {problem.graph.called} joins such")
        standing = (free[place] for place in random.permutation(len(free))[:walls])
        problem = replace(problem, forbid=(*problem.forbid, *standing))
    maker = _GivensFinder(problem, solution, watch, random, waypoints=waypoints)
    budget = int(min(BUDGET, GRADES[grade - 1][0]))
    best, minimal = maker.determining_numbers(budget)
    for attempt in range(1, TRIES):
        watch.work["puzzles"] = attempt
        best, minimal = min((best, minimal), maker.determining_numbers(budget), key=lambda found: len(found[0]))
    if not minimal and budget == BUDGET:
        best, minimal = maker.fewer(best, LONG_BUDGET)
    made = Puzzle.graded(maker.problem_with(best), Limits(watch.clock.left, cancel=limits.cancel), on_event)
    return made if isinstance(made, Answer) else replace(made, minimal=minimal)


class _GivensFinder:
    """Finds numbers, as givens or as ``waypoints``, that determine a solution; ``_others`` are the other tours found on
    the way."""

    def __init__(
        self, problem: Problem, solution: Ints, watch: Watch, random: np.random.Generator, *, waypoints: bool
    ) -> None:
        self._problem, self._solution, self._watch, self._random = problem, solution, watch, random
        self._others, self._waypoints = np.empty((0, len(solution)), dtype=np.int32), waypoints
        fixed = {
            1: waypoints or problem.start is not None,
            len(solution): problem.end is not None or (waypoints and not problem.closed),
        }
        self._fixed = [number for number, shown in fixed.items() if shown]

    def determining_numbers(self, budget: int) -> tuple[list[int], bool]:
        """Return numbers that determine the solution, and True if it is sure that none of them can be left out.
        `StoppedEarly` when the time is over.

        ``budget`` bounds the work of each try.
        """
        order = len(self._solution)
        shuffled = [number for number in (1 + self._random.permutation(order)).tolist() if number not in self._fixed]
        numbers = [*self._fixed, *shuffled[: max(1, round(order * FIRST_GIVENS))]]
        while (unique := self._unique(numbers, budget)) is not True:
            left = [number for number in shuffled if number not in numbers]
            if not left:
                raise BadInput("no puzzle of so low a grade is found here: allow a harder one")
            if unique is False:
                other = self._others[-1:]
                # Of waypoints one more may not do: then any that moves is a step.
                left = [number for number in left if not self._fit([*numbers, number], other)[0]] or [
                    number for number in left if other[0, number - 1] != self._solution[number - 1]
                ]
            numbers.append(int(self._random.choice(left)))
        return self.fewer(numbers, budget)

    def fewer(self, numbers: list[int], budget: int) -> tuple[list[int], bool]:
        """Return the numbers without those that turn out to be needless, and True if it is sure that no other can be
        left out. `StoppedEarly` when the time is over.

        ``budget`` bounds the work of each try.
        """
        sure = True
        for number in self._random.permutation([number for number in numbers if number not in self._fixed]).tolist():
            others = [other for other in numbers if other != number]
            unique = self._unique(others, budget) if len(others) > 2 * self._waypoints else False
            if unique:
                numbers = others
            sure = sure and unique is not None
        return numbers, sure

    def problem_with(self, numbers: Sequence[int]) -> Problem:
        """Return the problem that shows these numbers."""
        shown = [int(self._solution[number - 1]) for number in sorted(numbers)]
        if not self._waypoints:
            return replace(self._problem, givens=tuple(zip(shown, sorted(numbers), strict=True)))
        end = self._problem.end if self._problem.closed else shown[-1]
        return replace(self._problem, start=shown[0], end=end, waypoints=tuple(shown))

    def _fit(self, numbers: Sequence[int], tours: Ints) -> Flags:
        """Return a flag for each of the tours, rows of vertices: True if the numbers allow it."""
        shown = np.sort(numbers) - 1
        visits = np.argsort(tours, axis=1)[:, self._solution[shown]]
        fits: Flags = np.all(np.diff(visits, axis=1) > 0 if self._waypoints else visits == shown, axis=1)
        return fits

    def _unique(self, numbers: Sequence[int], budget: int) -> bool | None:
        """Return True if only the solution has these numbers, False if another tour has them, None if the work of
        ``budget`` does not suffice to tell. `StoppedEarly` when the time is over."""
        self._watch.work["givens"] = len(numbers)
        self._watch.heartbeat()
        if (fits := self._fit(numbers, self._others)).any():
            # It goes to the end, where `givens` looks for what to give next.
            shown = int(fits.argmax())
            self._others = np.concatenate([np.delete(self._others, shown, axis=0), self._others[shown : shown + 1]])
            return False
        # The SAT solver stops as soon as it comes to its limit, and so that is one more.
        backend, clock = SECOND if self._waypoints else FIRST, self._watch.clock
        limits = Limits(clock.left, budget + self._waypoints, cancel=clock.cancel)
        tours, whole, _ = two_tours(self.problem_with(numbers), backend, limits, self._watch.on_event)
        others = tours[(tours != self._solution).any(axis=1)]
        self._others = np.concatenate([self._others, others])
        return False if len(others) else True if whole else None


def two_tours(
    problem: Problem, backend: str, limits: Limits, on_event: OnEvent | None = None
) -> tuple[Ints, bool, int]:
    """Return at most two tours found by a backend, a row each, True if there are surely no others, and the backend's
    work.

    A limit ends the list early. `dfs` replaces `FIRST` if no numbers but ends are given.
    """
    watch = Watch(limits, limits.clock(), on_event)
    if backend == FIRST and not problem.givens:
        backend = "dfs"
    tours, whole = [np.empty((0, problem.graph.order), dtype=np.int32)], True
    listing = Listing(problem, load(backend), limits, most=2, on_event=watch.hear, name=backend)
    try:
        tours += listing
    except StoppedEarly:
        whole = False
    found = np.concatenate(tours)
    return (
        found,
        whole and len(found) < 2,
        max(listing.calls or 0, *(watch.work.get(unit, 0) for unit in ("branchings", "positions", "conflicts"))),
    )
