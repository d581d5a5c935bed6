"""Tour files: writes tours, reads them back and verifies them.

A tour file is the JSON object that ``--json`` prints. Its ``problem`` names the space (board, holes and leaper, torus,
box, family, or a graph with its edges) and the rest of the problem; its ``tour`` lists the vertices by coordinates or
names, or its ``tours`` list several. Beside an ``.npy`` array, under its name with ``.json`` after it, lies its tour
file, which has the array's name in place of the tours. A ``.txt`` is the board of visit numbers, or a name a line, and
ends with the problem in a line.

A file is verified for what it says it is. The tours of a decomposition together make all moves; with ``most`` no two
make the same move. ``routes`` together visit each vertex once, but for those that are ``optional``; a .txt of theirs
ends with that JSON. A ``count`` of tours and the ``value`` of routes are true, and no two of ``distinct`` tours are
images of each other.

Tours of others are read as tours of boards by a knight, or another leaper that is given: the squares in order, as rows
and columns or by name, or the board of visit numbers, from 1 or from 0; as JSON, CSV, text or an array. Limits: 128 MB
of text.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, TourFault, items_of
from cpsat_tour.core.graph import Graph, indices_in
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.core.verify import TourRows, verify, verify_disjoint, verify_routes
from cpsat_tour.formats.boards import puzzle_text
from cpsat_tour.formats.cells import cut_into_cells, member_of_object
from cpsat_tour.formats.describe import a_tour_sought, plural, visits_data
from cpsat_tour.formats.files import mapped_array, read_text, readable, write
from cpsat_tour.formats.grids import MAX_BYTES, Grid, grid_of
from cpsat_tour.formats.typed import move_of
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.lattice import file_number
from cpsat_tour.spaces.problem_data import problem_data, read_problem
from cpsat_tour.spaces.symmetry import TourClasses

ARRAY = b"\x93NUMPY"
"""The first bytes of an ``.npy`` file."""

WRITTEN = "solve, best, decode and tours write such a file with --json or -o"


Kind = Literal["tour", "tours", "routes"]
"""The content of a tour file, as its JSON member is called: one tour, a list of tours, or several routes."""


@dataclass(frozen=True)
class Tours:
    """The content of a tour file: the ``problem``, and its tours, a row of vertices each, or its ``routes``, which may
    leave out the ``optional`` vertices.

    ``told`` has the members of the file's JSON; ``taken`` says what a file of others was taken for, in words.
    """

    problem: Problem
    rows: Ints
    kind: Kind
    told: Mapping[str, Any] = field(default_factory=dict)
    taken: str = ""
    routes: Sequence[Ints] = ()
    optional: Collection[int] = ()

    def row(self, number: int | None = None) -> Ints:
        """Return the vertices of the tour with this number, from 1, or of the only one; `BadInput` if there is no such
        tour."""
        if self.kind == "routes":
            raise BadInput(f"the file has {self.words}: give a file of tours")
        if (number or 1) > len(self.rows) or (number is None and len(self.rows) > 1):
            raise BadInput(
                f"the file has {plural(len(self.rows), 'tour')}: "
                + ("give a file of one" if number is None else f"there is no tour {number}")
            )
        vertices: Ints = self.rows[(number or 1) - 1]
        return vertices

    @property
    def words(self) -> str:
        """The content in words: ``2 tours, each a closed tour of the 6x6 board``."""
        graph, number, sought = self.problem.graph, len(self.routes or self.rows), a_tour_sought(self.problem)
        if self.kind == "routes":
            routes = plural(number, "closed tour" if self.problem.closed else "path")
            visits = f"{'visits' if number == 1 else 'together visit'} {sum(map(len, self.routes)):,}"
            return f"{routes} that {visits} of the {graph.order:,} {graph.nouns[1]} of {graph.called}"
        if "most" in self.told:
            moves = "" if self.told["most"] else "with all moves "
            return f"{plural(number, 'disjoint closed tour')} {moves}of {graph.called}"
        return sought if self.kind == "tour" else f"{plural(number, 'tour')}, each {sought}"

    def verify(self) -> None:
        """Raise `TourFault`, which names the first fault, if a tour or the routes are wrong."""
        problem, rows, routes, told = self.problem, self.rows, self.routes, self.told
        try:
            if self.kind == "routes":
                verify_routes(problem, routes, self.optional)
                if "optional" in told and len(routes) > 1:
                    raise TourFault(f"{len(routes)} routes are not the longest one")
            elif len(rows) < 2 or problem.graph.order < 3:
                for row in rows:
                    verify(problem, row)
            else:
                TourRows(problem).verify(rows)
                if repeats := len(rows) - len(np.unique(rows, axis=0)):
                    raise TourFault(f"{repeats} of the {len(rows)} tours are repeats")
            if "most" in told:
                verify_disjoint(problem.graph, [*rows], whole=not told["most"])
            if told.get("distinct") and not (new := TourClasses(problem).are_new(rows)).all():
                raise TourFault(f"tour {new.argmin() + 1} is an image of one before it, and they are to be distinct")
            member, number = (
                ("value", len(routes[0] if "optional" in told else routes)) if routes else ("count", len(rows))
            )
            if told.get(member, number) != number and told.get("stopped_by") != "interrupt":
                raise TourFault(f"{number} are listed, and the {member} is said to be {told[member]!r:.40}")
        except TourFault as fault:
            raise TourFault(
                f"not {self.words if routes or 'most' in told else a_tour_sought(problem)}: {fault}"
            ) from None


# --- writing ---


def tour_file_data(problem: Problem, vertices: Ints) -> dict[str, Any]:
    """Return the JSON object of a tour file for a tour that no search found: its problem and its visits."""
    return {"problem": problem_data(problem), "status": "tour", "tour": visits_data(problem.graph, vertices)}


def tour_file_beside(path: Path) -> Path:
    """Return the path of the .json file beside an ``.npy`` array that describes it."""
    return path.with_name(f"{path.name}.json")


def write_tour_file(path: Path, described: dict[str, Any]) -> None:
    """Write the JSON object of a tour file to the path."""
    write(path, json.dumps(described, ensure_ascii=False) + "\n")


def numbers_shown(problem: Problem) -> tuple[tuple[int, int], ...]:
    """Return the vertices that a puzzle's grid shows with a number, with these: the waypoints in their order, or the
    givens."""
    return tuple((vertex, number) for number, vertex in enumerate(problem.waypoints, start=1)) or problem.givens


def puzzle_file_text(problem: Problem) -> str:
    """Return the text of a puzzle file: the grid of given numbers, or of the waypoints in their order, and below it the
    problem without numbers as JSON."""
    unnumbered = problem_data(replace(problem, givens=()))
    return puzzle_text(problem.graph.space, numbers_shown(problem)) + json.dumps(unnumbered, ensure_ascii=False) + "\n"


# --- reading ---


class Others(NamedTuple):
    """The user's description of a file of another program: the leaper and the holes of its board."""

    leaper: str = "1,2"
    holes: tuple[str, ...] = ()


KNIGHTS = Others()


def read_tours(path: Path, others: Others = KNIGHTS) -> Tours:
    """Read the tours in a file and verify them. `TourFault` names the first fault of a wrong tour, `BadInput` says why
    the file can't be read. ``others`` is for files that don't describe their board."""
    with readable(path) as file:
        is_array = file.read(len(ARRAY)) == ARRAY
    tours = _tours_of_array(path, others) if is_array else _tours_of_text(path, read_text(path), others)
    tours.verify()
    return tours


def _tours_of_array(path: Path, others: Others) -> Tours:
    """Read the tours in a .npy file. The .json file beside it describes them; without one the array has the squares or
    the numbers of one tour."""
    if not (described := tour_file_beside(path)).exists():
        return _tour_of_others(path, str(_integer_array(path).tolist()), others)
    tours = _tours_of_data(described, _json_in(described, read_text(described)))
    if (found := tours.told.get(tours.kind)) != path.name:
        raise BadInput(f"{described} is not the tour file of {path}: it names {found!r:.80}")
    return tours


def _tours_of_text(path: Path, text: str, others: Others) -> Tours:
    """Read the tours in a text: a tour file, or lines that may end with the problem as JSON, or a tour of others."""
    if (text.lstrip()[:1] == "{" and '"problem"' in text) or text.strip() == "{}":
        return _tours_of_data(path, _json_in(path, text))
    text = member_of_object(text)
    lines = [line for line in text.splitlines() if line.strip(" ")]
    if not lines:
        raise BadInput(f"{path} is empty: a tour is expected in it")
    problem, data = _pop_problem(lines, path)
    if {"tours", "routes"} & data.keys():
        tours = _tours_of_data(path, data)
        if lines != [tours.problem.graph.space.line(row.tolist()) for row in tours.routes or tours.rows]:
            raise TourFault(f"the lines of {path} are not the {tours.kind} that its last line has")
        return tours
    if problem is None:
        return _tour_of_others(path, text, others)
    space = problem.graph.space
    if space.layout:
        vertices = _vertices_by_number(
            space, grid_of(cut_into_cells("\n".join(lines), str(path)), filled=True).givens(space)
        )
    else:
        vertices = [space.vertex(line.strip()) for line in lines]
    return Tours(problem, np.array([vertices], dtype=np.int32), "tour")


# --- tour files ---


def _json_in(path: Path, text: str) -> Any:
    """Parse the text of a JSON file; `BadInput` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"{path} is not JSON ({fault!s:.80}): {WRITTEN}") from fault


def _tours_of_data(path: Path, data: Any) -> Tours:
    """Convert the JSON object of a tour file to tours, not yet verified; `BadInput` if it is not one."""
    if not isinstance(data, dict) or not isinstance(data.get("problem"), dict):
        raise BadInput(f"{path} is not a tour file: {WRITTEN}")
    kind: Kind = "routes" if "routes" in data else "tours" if "tours" in data else "tour"
    found = data.get(kind)
    if not isinstance(found, list | str) or (not found and "status" in data):
        raise BadInput(f"{path} has no tour: its status is {data.get('status', 'missing')!r:.40}")
    listed = [found] if kind == "tour" else found
    array = _integer_array(path.with_name(Path(found).name)) if isinstance(found, str) else None
    longest = max([len(tour) for tour in listed if isinstance(tour, list)], default=0)
    try:
        problem = read_problem(data["problem"], 6 * longest if array is None else array.nbytes)
    except BadInput as fault:
        raise BadInput(f"{path} has no problem that can be read: {fault}") from fault
    if array is not None:
        rows = _rows_of_places(array, problem.graph) if kind == "tour" else array
        if wrong := np.count_nonzero((rows < 0) | (rows >= problem.graph.order)):
            raise TourFault(
                f"{found} has {wrong} numbers that are no {problem.graph.nouns[1]} of {problem.graph.called}"
            )
        return Tours(problem, rows.astype(np.int32), kind, data)
    vertices = partial(map, problem.graph.space.vertex_from_data)
    try:
        routes = [np.array([*vertices(tour)], dtype=np.int32) for tour in listed]
        optional = range(problem.graph.order) if "goal" not in data else [*vertices(data.get("optional", []))]
    except (BadInput, TypeError) as fault:
        raise BadInput(f"{path} has no {kind} of {problem.graph.called}: {fault!s:.200}") from fault
    if kind == "routes":
        return Tours(problem, np.zeros((0, 0), dtype=np.int32), kind, data, routes=routes, optional=optional)
    if len(set(map(len, routes))) > 1:
        raise TourFault(f"the tours in {path} are not of one length")
    return Tours(problem, np.stack(routes) if routes else np.zeros((0, 0), dtype=np.int32), kind, data)


def _integer_array(path: Path) -> NDArray[np.integer]:
    """Map the array in a .npy file into memory; `BadInput` unless it has whole numbers in two dimensions."""
    array = mapped_array(path)
    if array.ndim != 2 or array.dtype.kind not in "iu" or not array.shape[1]:
        raise BadInput(
            f"{path} has "
            f"an array of shape {array.shape} and type {array.dtype}: tours have whole numbers in two dimensions"
        )
    return array


def _rows_of_places(places: NDArray[np.integer], graph: Graph) -> NDArray[np.int64]:
    """Convert coordinates, a row each, to vertices, in one row; -1 for a place without a vertex. `BadInput` if they are
    not coordinates of the graph."""
    known = graph.space.coordinates
    if known is None or known.shape[1] != places.shape[1]:
        raise BadInput(f"an array has {places.shape[1]} numbers a row, which are not coordinates of {graph.called}")
    sides = tuple(known.max(axis=0) + 1)
    inside = ((places >= 0) & (places < sides)).all(axis=1)
    numbers = np.ravel_multi_index(tuple(places.astype(np.int64).T), sides, mode="clip")
    return indices_in(np.where(inside, numbers, -1)[None, :], np.ravel_multi_index(tuple(known.T), sides))


def _pop_problem(lines: list[str], path: str | Path) -> tuple[Problem | None, dict[str, Any]]:
    """Remove the last line if it is a problem as JSON. Return the problem and the whole JSON object; None and an empty
    one if there is none."""
    if not lines or not lines[-1].startswith(('{"', "{}")):
        return None, {}
    try:
        data = json.loads(lines.pop())
        return read_problem(data.get("problem", data), sum(map(len, lines))), data
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"{path} does not end with a problem: {fault!s:.200}") from fault


# --- puzzles ---


def read_puzzle(path: str, *, waypoints: bool = False) -> tuple[Grid | None, Problem | None]:
    """Read a puzzle file: return its grid, and the problem that stands below it as JSON, or None. A puzzle that is all
    JSON, or has waypoints there, has no grid. The numbers may be ``waypoints``."""
    return _puzzle_in(read_text(path, MAX_BYTES), path, waypoints=waypoints)


def _puzzle_in(text: str, path: str, *, waypoints: bool = False) -> tuple[Grid | None, Problem | None]:
    """Read a puzzle from a text, as `read_puzzle` does from a file."""
    lines = member_of_object(text).splitlines()
    problem, _ = _pop_problem(lines, path)
    alone = problem is not None and (problem.waypoints or not any(map(str.strip, lines)))
    return None if alone else grid_of(cut_into_cells("\n".join(lines), path), waypoints=waypoints), problem


def load_puzzle(puzzle: str | os.PathLike[str] | Sequence[Sequence[object]], leaper: str = "1,2") -> Problem:
    """Return the problem of a puzzle with its given numbers, from a file or a list of rows:
    ``solve(load_puzzle("puzzle.txt"))``.

    A grid alone asks for an open tour of the board that it fits.

    - ``puzzle`` (a path, text or rows, needed): the .txt or .json file, as `Puzzle.save` and the command line write
      it; or its text, several lines; or a list of rows with 0 or None for blanks.
    - ``leaper`` (str, default '1,2'): the moves where the text is a grid alone: ``"king"`` for a Hidato.
    """
    if isinstance(puzzle, os.PathLike) or (isinstance(puzzle, str) and "\n" not in puzzle):
        grid, problem = read_puzzle(os.fspath(puzzle))
    elif isinstance(puzzle, str):
        grid, problem = _puzzle_in(puzzle, "the puzzle")
    else:
        listed = items_of("the rows of a puzzle", puzzle)
        rows = [[*map(str, items_of("a row of a puzzle", row))] for row in listed]
        grid, problem = grid_of(cut_into_cells(str(rows), "the puzzle")), None
    if problem is None:
        assert grid is not None
        graph = grid.graph(leaper)
        problem = Problem(graph, closed=False, forbid=tuple(move_of(graph, wall) for wall in grid.walls))
    return replace(problem, givens=grid.givens(problem.graph.space)) if grid is not None else problem


# --- tours of others ---

_NAME = re.compile(r"([A-Za-z]{1,4})([0-9]{1,8})")
_NAMES = re.compile(rf"[^A-Za-z0-9]*(?:{_NAME.pattern}[^A-Za-z0-9]*){{2,}}")
_AROUND = re.compile(
    r"(?<![A-Za-z0-9])(?:[0-9]+(?:[.:)]\s*|[ \t]+)(?=[A-Za-z])|[NK](?=[a-z][0-9]))|(?<=[.\s])[NK](?=[a-z][0-9])"
)
"""A number before the name of a square, and the letter of its piece."""

_POINT = re.compile(r"[\[(]\s{0,9}([0-9]{1,8})\s{0,9}[,;\s]\s{0,9}([0-9]{1,8})\s{0,9}[\])]")


def _tour_of_others(path: Path, text: str, others: Others) -> Tours:
    """Read a tour from a text of another program: its squares in order, or a board of visit numbers."""
    header, *lines = [line.split(",") for line in text.strip().splitlines()]
    names = [name.strip().lower() for name in header]
    if {"row", "col"} <= {*names}:
        places = [names.index("row"), names.index("col")]
        text = "\n".join(",".join(row[at] for at in places) for row in lines if len(row) == len(header))
    if (points := _POINT.findall(text)) and len(points) == len(lines) + 1 > 2:  # each behind a caption
        return _tours_of_squares([[*map(int, point)] for point in points], others)
    cut = cut_into_cells(text, str(path))
    body = _AROUND.sub("", cut.body)
    if _NAMES.fullmatch(body):
        squares = [(int(rank), file_number(letters)) for letters, rank in _NAME.findall(body)]
        top = max(rank for rank, _ in squares)
        return _tours_of_squares([(top - rank, col) for rank, col in squares], others)
    cells = [*(cut.below if "".join(cut.first).isalpha() else cut.table).rows.values()]
    repeated = len(cells) > 2 and len({*chain(*cells)}) < 2 * len(cells)
    if repeated and all(len(row) == 2 and "".join(row).isdecimal() for row in cells):
        return _tours_of_squares([[*map(int, row)] for row in cells], others)
    ways = [_tour_of_grid(grid, others) for grid in grid_of(cut, filled=True).ways()]
    tours = [way for way in ways if _is_right(way)]
    if not tours and "0 is a hole" in ways[0].taken:
        raise BadInput(f"{path}: '0' may be a hole, or a square without a number: write the number, or # for a hole")
    return (tours or ways)[0]


def _is_right(tours: Tours) -> bool:
    """Return True if the tours are right."""
    with suppress(TourFault):
        tours.verify()
        return True
    return False


def _tour_of_grid(grid: Grid, others: Others) -> Tours:
    """Return the tour of a board of visit numbers; `TourFault` if a number is missing."""
    graph = grid.graph(others.leaper)
    vertices = _vertices_by_number(graph.space, grid.givens(graph.space))
    return _tours_of_one(graph, vertices, ", ".join(["a board of numbers", *grid.taken]))


def _tours_of_squares(places: Sequence[Sequence[int]], others: Others) -> Tours:
    """Return the tour that visits these squares, given as rows of coordinates that count from 0, or from 1 if none is
    0; or given by its moves, two squares each. A closed one may end with its first square. The greatest row and column
    give the size of the board; `TourFault` if it has more squares than are listed.
    """
    if len(places) > 2 and [*places[1:-1:2]] == [*places[2::2]]:  # moves, each with both its ends
        places = [places[0], *places[1::2]]
    squares = np.array(places[: len(places) - (len(places) > 3 and places[0] == places[-1])], dtype=np.int64)
    first = int((squares.min(axis=0) > 0).all())
    squares -= first
    rows, cols = (squares.max(axis=0) + 1).tolist()
    if rows * cols - len(others.holes) != len(squares):
        less = f" without {' '.join(others.holes)}" * bool(others.holes)
        raise TourFault(f"not a tour of the {rows}x{cols} board{less}: {len(squares)} squares are listed")
    board, taken = Board(rows, cols, others.holes, others.leaper), f"a list of squares, rows and columns from {first}"
    return _tours_of_one(board.graph, board.grid[squares[:, 0], squares[:, 1]].tolist(), taken)


def _vertices_by_number(space: Space, numbered: Iterable[tuple[int, int]]) -> list[int]:
    """Sort the vertices by their numbers; `TourFault` if these are not 1, 2, … without a gap."""
    pairs = sorted(numbered, key=itemgetter(1))
    numbers = Counter(number for _, number in pairs)
    if [*numbers.elements()] != [*range(1, len(space) + 1)]:
        twice = [f"{number} stands twice" for number, times in numbers.items() if times > 1][:1]
        missing = [f"{number} is missing" for number in range(1, len(space) + 1) if number not in numbers][:1]
        raise TourFault(
            f"not a tour of {space.called()}: its squares do not have the numbers 1 to {len(space)}: "
            + ", and ".join(twice + missing)
        )
    return [vertex for vertex, _ in pairs]


def _tours_of_one(graph: Graph, vertices: list[int], taken: str) -> Tours:
    """Wrap one tour as `Tours`; it counts as closed if its ends are a move apart."""
    closed = len(vertices) > 2 and graph.has_arc(vertices[-1], vertices[0])
    return Tours(Problem(graph, closed), np.array([vertices], dtype=np.int32), "tour", taken=taken)
