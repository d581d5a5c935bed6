"""Makes puzzles: a minimal set of numbers that only one tour has; and prints them as pages with the rules, the solution
on a second page (PDF), or at the foot, small and upside down.

A random tour is the solution. A few of its numbers are given; while another tour has them too, one more is added, where
that tour differs. Then each given is left out in turn, in random order, for good if the others still determine the
tour; the rest is minimal, since a needed given is needed by every subset too. Tours that were found on the way answer
most of these questions. The puzzle with the fewest givens of several is kept. A lower grade allows fewer branchings,
and so has more givens.

The native search over numbers (`cpsat_tour.native.numbers`) decides uniqueness within a limit on work, not on time, so
that a seed always gives the same puzzle; a given that takes more work stays, and the puzzle may not be minimal. At last
a SAT encoding of positions has to agree; the work of both is the puzzle's grade.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from cpsat_tour.core.errors import PNG_NEEDS, BackendFault, BadInput, StoppedEarly, require
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import UNLIMITED, Limits, OnEvent, Watch
from cpsat_tour.core.space import Ints, Space, layout_of
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.images import pdf, png
from cpsat_tour.drawing.points import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.svg import drawn_tour
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import Listing, run
from cpsat_tour.formats.describe import a_tour_sought
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.grids import puzzle_text
from cpsat_tour.formats.tour_files import puzzle_file_text
from cpsat_tour.spaces.lattice import KNIGHT, MOVES, Lattice
from cpsat_tour.tour import Answer, Tour

SHEET_SUFFIXES = (".svg", ".png", ".pdf", ".txt")


WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

SOLUTION = 210
"""The longer side of the solution at the foot."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if the path shows that a sheet can't be written there."""
    suffix, layers = path.suffix.lower(), layout_of(space).layers
    if suffix not in SHEET_SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SHEET_SUFFIXES)}")
    if suffix != ".txt" and max(max(layer.cells.shape) for layer in layers) > MAX_LEGIBLE:
        raise BadInput(
            f"can't draw {path}: "
            f"the numbers of {space.called()} would be too small to read (at most {MAX_LEGIBLE} squares a side)"
        )
    if suffix == ".png":
        require("a PNG picture", *PNG_NEEDS)
    if suffix == ".pdf":
        require("a PDF file", "fpdf")
    check_place(path, force=force)


def save_sheet(path: Path, problem: Problem, solution: Ints, grade: str) -> None:
    """Write a puzzle, a problem with given numbers, with its rules and its grade in words; `BadInput` if it can't be
    written.

    A PDF has the solution on a second page, SVG and PNG have it upside down at the foot; a text file has the puzzle
    alone.
    """
    suffix = path.suffix.lower()
    if suffix == ".txt":
        write(path, puzzle_file_text(problem))
        return
    title, *sentences = rules(problem)
    puzzle = drawn_puzzle(problem.graph, title, problem.givens)
    puzzle.heading(title, *sentences, grade)
    answer = drawn_tour(problem.graph, solution, closed=problem.closed)
    if suffix == ".pdf":
        answer.heading(title, "The solution.")
        write(path, pdf(title, [puzzle, answer]))
    else:
        page = _page(title, puzzle, answer)
        write(path, page if suffix == ".svg" else png(page))


def drawn_puzzle(graph: Graph, title: str, givens: Sequence[tuple[int, int]]) -> Canvas:
    """Return the drawing of a board with its given numbers."""
    canvas = Canvas(graph, title, f"{len(givens)} of {graph.order} numbers are given.")
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    return canvas


def _page(title: str, puzzle: Canvas, answer: Canvas) -> str:
    """Return a page as SVG: the puzzle, and at the foot its solution, small and upside down."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{_placed(puzzle, WIDTH - 2 * MARGIN, HEIGHT - 3 * MARGIN - SOLUTION, MARGIN)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{_placed(answer, SOLUTION, SOLUTION, MARGIN // 2)}</g>
</svg>
"""


def rules(problem: Problem) -> list[str]:
    """Return the title of a puzzle and its two rules, a sentence each."""
    space, last = problem.graph.space, problem.graph.order
    assert isinstance(space, Lattice), "only lattices have squares"
    move = f"move by {', or by '.join(' and '.join(map(str, leaper)) for leaper in space.leapers)} squares"
    if space.leaper in (KNIGHT, MOVES["king"]):
        king = "king's move, one square in any direction,"
        move = "knight's move, two squares one way and one to the side," if space.leaper == KNIGHT else king
    back = f", and from {last} back to 1" if problem.closed else ""
    sentences = [
        f"Write the numbers 1 to {last} into the squares, each once.",
        f"A {move} leads from each number to the next{back}.",
    ]
    return [f"{'A closed' if problem.closed else 'An open'} tour of {space.bare_name}", *sentences]


def _placed(canvas: Canvas, wide: int, high: int, top: int) -> str:
    """Return a drawing as SVG text, scaled to at most ``wide`` by ``high``, in the middle of the page below its
    ``top``."""
    *_, width, height = map(int, canvas.root.attrib["viewBox"].split())
    scale = min(wide / width, high / height)
    place = f'x="{(WIDTH - scale * width) / 2:g}" y="{top}" width="{scale * width:g}" height="{scale * height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, str(canvas), count=1)


Givens = tuple[tuple[int, int], ...]

TRIES = 4
"""The number of puzzles tried; the one with the fewest givens is kept."""

BUDGET = 1000
"""Branchings after which the search for another tour is given up at first."""

LONG_BUDGET = 20_000
"""Branchings for the open questions of the best puzzle."""

FIRST_GIVENS = 1 / 8
"""The share of squares that are given at random at first."""

FIRST, SECOND = "numbers", "sat:crt"
"""The backends that decide that there is one solution."""

POSITIONS = 1 << 20
"""The limit of the search for a random tour, which finds one at once or, if tours are rare, perhaps never."""

MAX_SQUARES = 400
MIN_SQUARES = 3

GRADES = ((0, "the rules alone"), (3, "a guess or three"), (20, "some guesses"), (100, "many guesses"))
"""The most branchings of each grade, and what a person needs for it; the last grade has more."""

HARDEST = len(GRADES) + 1


@dataclass(frozen=True, repr=False)
class Puzzle:
    """Some numbers of a tour that, together with its ends, no other tour has.

    - ``problem`` (`Problem`): the problem with the given numbers.
    - ``givens`` (pairs of ints): the vertices that show their numbers, with these.
    - ``solution`` (`Tour`): the tour.
    - ``minimal`` (bool): whether each number is needed.
    - ``branchings`` (int): the work of the search over numbers that showed that there is one solution.
    - ``conflicts`` (int): the work of the SAT solver that did.
    """

    problem: Problem
    givens: Givens
    solution: Tour
    minimal: bool
    branchings: int
    conflicts: int

    def __repr__(self) -> str:
        of = a_tour_sought(replace(self.problem, givens=()))
        return f"<Puzzle: {len(self.givens)} of the {len(self.solution)} numbers of {of}, grade {self.grade}>"

    def __str__(self) -> str:
        return puzzle_text(self.problem.graph.space, self.givens)[:-1]

    def _repr_svg_(self) -> str:
        """Return the drawn puzzle, as notebooks show it."""
        return str(drawn_puzzle(self.problem.graph, repr(self), self.givens))

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a sheet with the puzzle and its solution to the .svg, .png or .pdf file ``path``, or the puzzle to a
        .txt file; `BadInput` if it can't be written so, or the file exists and ``force`` is not set."""
        check_sheet(Path(path), self.problem.graph.space, force=force)
        grade = f"Grade {self.grade} of {HARDEST}: {self._asks}."
        save_sheet(Path(path), self.problem, self.solution.vertices, grade)

    @property
    def grade(self) -> int:
        """The grade from 1, solved by the rules without a guess, to 5."""
        return 1 + sum(self.branchings > most for most, _ in GRADES)

    @property
    def words(self) -> str:
        """The grade in words, with the skill that it asks of a person and the branchings and conflicts that it took."""
        branchings, conflicts = "branching" + "s" * (self.branchings != 1), "conflict" + "s" * (self.conflicts != 1)
        work = f"{self.branchings:,} {branchings} of numbers, {self.conflicts:,} {conflicts} of {SECOND}"
        return f"grade {self.grade} of {HARDEST}, {self._asks}: {work}"

    @property
    def _asks(self) -> str:
        """The skill that the puzzle asks of a person, in words."""
        return GRADES[self.grade - 1][1] if self.grade <= len(GRADES) else "more guesses than a person makes"


def make_puzzle(
    problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None, grade: int = HARDEST
) -> Puzzle | Answer:
    """Return a puzzle of at most this grade whose solution solves the problem; if no tour is found in time, the answer
    to the problem.

    A start and an end are among the givens. `BadInput` for givens, symmetries, directed graphs, and less than 3 or more
    than 400 vertices; `StoppedEarly` when the time is over.
    """
    graph = problem.graph
    if problem.timed:
        raise BadInput(f"a puzzle chooses its own numbers: leave out the {problem.timed}")
    if problem.symmetry is not None:
        raise BadInput(f"a puzzle can't ask for a symmetry: leave out {problem.symmetry.name}")
    if graph.directed:
        raise BadInput("a puzzle needs an undirected graph: this one has arcs")
    if not MIN_SQUARES <= graph.order <= MAX_SQUARES:
        raise BadInput(
            f"a puzzle has {MIN_SQUARES} to {MAX_SQUARES} {graph.nouns[1]}, and {graph.called} has {graph.order}"
        )
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
    maker = _GivensFinder(problem, solution, watch, random)
    budget = BUDGET if grade > len(GRADES) else GRADES[grade - 1][0]
    best, minimal = maker.determining_numbers(budget)
    for attempt in range(1, TRIES):
        watch.work["puzzles"] = attempt
        best, minimal = min((best, minimal), maker.determining_numbers(budget), key=lambda found: len(found[0]))
    if not minimal and budget == BUDGET:
        best, minimal = maker.fewer(best, LONG_BUDGET)
    givens = maker.givens_with(best)
    problem = replace(problem, givens=givens)
    _, proved, branchings = two_tours(problem, FIRST, Limits(watch.clock.left), on_event)
    tours, whole, conflicts = two_tours(problem, SECOND, Limits(watch.clock.left), on_event)
    if not (proved and whole):
        raise StoppedEarly("time")
    if tours.tolist() != [solution.tolist()]:
        raise BackendFault(f"numbers found one solution of a puzzle, and {SECOND} {len(tours)}, or another")
    return Puzzle(problem, givens, Tour(problem.graph, problem.closed, solution), minimal, branchings, conflicts)


class _GivensFinder:
    """Finds givens for a solution; ``_others`` are the other tours found on the way."""

    def __init__(self, problem: Problem, solution: Ints, watch: Watch, random: np.random.Generator) -> None:
        self._problem, self._solution, self._watch, self._random = problem, solution, watch, random
        self._others = np.empty((0, len(solution)), dtype=np.int32)
        ends = {1: problem.start, len(solution): problem.end}
        self._fixed = [number for number, vertex in ends.items() if vertex is not None]

    def determining_numbers(self, budget: int) -> tuple[list[int], bool]:
        """Return numbers that determine the solution, and True if it is sure that none of them can be left out.
        `StoppedEarly` when the time is over.

        ``budget`` bounds the branchings of each try.
        """
        order = len(self._solution)
        shuffled = [number for number in (1 + self._random.permutation(order)).tolist() if number not in self._fixed]
        numbers = [*self._fixed, *shuffled[: max(1, round(order * FIRST_GIVENS))]]
        while (unique := self._unique(numbers, budget)) is not True:
            left = [number for number in shuffled if number not in numbers]
            if unique is False:
                other = self._others[-1]
                left = [number for number in left if other[number - 1] != self._solution[number - 1]]
            numbers.append(int(self._random.choice(left)))
        return self.fewer(numbers, budget)

    def fewer(self, numbers: list[int], budget: int) -> tuple[list[int], bool]:
        """Return the numbers without those that turn out to be needless, and True if it is sure that no other can be
        left out. `StoppedEarly` when the time is over.

        ``budget`` bounds the branchings of each try.
        """
        sure = True
        for number in self._random.permutation([number for number in numbers if number not in self._fixed]).tolist():
            others = [other for other in numbers if other != number]
            unique = self._unique(others, budget) if others else False
            if unique:
                numbers = others
            sure = sure and unique is not None
        return numbers, sure

    def givens_with(self, numbers: Sequence[int]) -> Givens:
        """Return the givens, pairs of a vertex and its number, for these numbers."""
        return tuple((int(self._solution[number - 1]), number) for number in sorted(numbers))

    def _unique(self, numbers: Sequence[int], budget: int) -> bool | None:
        """Return True if only the solution has these numbers, False if another tour has them, None if ``budget``
        branchings don't decide that. `StoppedEarly` when the time is over."""
        self._watch.work["givens"] = len(numbers)
        self._watch.heartbeat()
        places = np.array(numbers) - 1
        agree = (self._others[:, places] == self._solution[places]).all(axis=1)
        if agree.any():
            # It goes to the end, where `givens` looks for what to give next.
            shown = int(agree.argmax())
            self._others = np.concatenate([np.delete(self._others, shown, axis=0), self._others[shown : shown + 1]])
            return False
        asked = replace(self._problem, givens=self.givens_with(numbers))
        tours, whole, _ = two_tours(asked, FIRST, Limits(self._watch.clock.left, budget), self._watch.on_event)
        others = tours[(tours != self._solution).any(axis=1)]
        self._others = np.concatenate([self._others, others])
        return False if len(others) else True if whole else None


def two_tours(
    problem: Problem, backend: str, limits: Limits, on_event: OnEvent | None = None
) -> tuple[Ints, bool, int]:
    """Return at most two tours found by a backend, a row each, True if there are surely no others, and the backend's
    work.

    A limit ends the list early. `dfs` replaces `FIRST` if only ends are given.
    """
    watch = Watch(limits, limits.clock(), on_event)
    if backend == FIRST and not problem.givens:
        backend = "dfs"
    tours, whole = [np.empty((0, problem.graph.order), dtype=np.int32)], True
    try:
        for found in Listing(problem, load(backend), limits, most=2, on_event=watch.hear, name=backend):
            tours.append(found)
    except StoppedEarly:
        whole = False
    found = np.concatenate(tours)
    return (
        found,
        whole and len(found) < 2,
        max(watch.work.get(unit, 0) for unit in ("branchings", "positions", "conflicts")),
    )
