"""Judges how a file with a puzzle, a board or a tour is read: a meaning is a grid of visit numbers, dots and #."""

from itertools import pairwise
from pathlib import Path

from cpsat_tour import Problem, load_puzzle
from cpsat_tour.formats.tour_files import Others, read_tours


def grid_of_problem(problem: Problem) -> str:
    """Return the grid of a problem, a line for each row: numbers, . for a blank and # for a hole."""
    numbers = dict(problem.givens) | {problem.start: 1} | {problem.end: problem.graph.order}
    rows: list[list[int]] = problem.graph.space.grid.tolist()  # type: ignore[attr-defined]
    return "\n".join(" ".join("#" if vertex < 0 else str(numbers.get(vertex, ".")) for vertex in row) for row in rows)


def moves_of(vertices: list[int]) -> set[frozenset[int]]:
    """Return the moves between consecutive vertices, without their direction."""
    return {frozenset(move) for move in pairwise(vertices)}


def is_read_as(path: Path, kind: str, leaper: str, meaning: str) -> bool:
    """Return whether the file is read as the grid that was meant. A tour may be read in either direction, and a closed
    one from any square. A file that is refused raises `BadInput`, a tour that is called wrong `TourFault`."""
    if kind != "tour":
        return grid_of_problem(load_puzzle(path, leaper)) == meaning
    found = read_tours(path, Others(leaper))
    holes = grid_of_problem(Problem(found.problem.graph, closed=False))
    cells = [cell for cell in meaning.split() if cell != "#"]
    meant = sorted(range(len(cells)), key=lambda vertex: int(cells[vertex]))
    row = found.row().tolist()
    read = moves_of([*row, *row[: found.problem.closed]])
    return holes == "\n".join(blanked(line) for line in meaning.splitlines()) and moves_of(meant) <= read


def blanked(line: str) -> str:
    """Return a row of a grid with a dot in place of each number."""
    return " ".join("#" if cell == "#" else "." for cell in line.split())
