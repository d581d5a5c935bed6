"""One numbering: what a tour, an answer or a graph gives, every argument takes back, on every kind of space."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from commands import needed

from cpsat_tour import (
    BadInput,
    Board,
    Box,
    Graph,
    Tour,
    TourFault,
    Wrapped,
    best,
    problem_of,
    read_graph,
    solve,
    verify,
)
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.engines.best_search import goal_of

WHOLE = Wrapped("torus", 4, 5).graph
SPACES: dict[str, Callable[[Path], Any]] = {
    "a board": lambda _: Board(3, 4),
    "a board with holes": lambda _: Board(4, 5, holes=["a1"]),
    "a leaper": lambda _: Board(3, 5, holes=["b2", (0, 4)], leaper=(0, 1)),
    "a box with holes": lambda _: Box(3, 4, 2, holes=["a1.1", "b1.1"]),
    "a torus": lambda _: Wrapped("torus", 3, 4),
    "a torus with holes": lambda _: Wrapped("torus", 4, 5, holes=["b2", "c4"]),
    "a family": lambda _: "GP(5,1)",
    "edges": lambda _: Graph.from_edges(6, [(5, 3), (3, 0), (0, 1), (1, 4), (4, 2), (0, 4)]),
    "a directed graph": lambda _: Graph.from_edges(4, [(2, 0), (0, 3), (3, 1), (1, 2)], directed=True),
    "part of a graph": lambda _: WHOLE.subgraph(np.array([2, 3, 5, 7, 8, 11, 12, 13, 14, 16, 17, 19], dtype=np.int32)),
    "a file": lambda folder: written(folder / "names.csv", "New York,Boston\nBoston,b\nb,c\nc,New York\nb,New York\n"),
    "a file of numbers": lambda folder: written(folder / "numbers.edges", "9 4\n4 7\n7 2\n2 9\n"),
    "DIMACS": lambda folder: written(folder / "four.col", "p edge 4 4\ne 1 3\ne 3 2\ne 2 4\ne 4 1\n"),
    "nodes that are pairs": lambda _: networkx.grid_2d_graph(3, 4),
    "nodes that are other numbers": lambda _: networkx.Graph([(3, 1), (1, 4), (4, 2), (2, 0), (0, 3)]),
    "nodes with texts like numbers": lambda _: networkx.Graph([("1", "0"), ("0", 1), (1, "New York"), (2.5, "1")]),
    "directed nodes": lambda _: networkx.DiGraph([("b", 7), (7, "a"), ("a", "b"), ("a", 7)]),
}


def written(path: Path, text: str) -> Graph:
    path.write_text(text)
    return read_graph(path)


@pytest.mark.parametrize("kind", SPACES)
def test_what_a_tour_gives_is_taken_back_everywhere(kind: str, tmp_path: Path) -> None:
    where = SPACES[kind](tmp_path)
    tour = needed(solve(where).tour)
    graph, order = tour.graph, len(tour)
    assert [graph.space.vertex(graph.name(vertex)) for vertex in range(order)] == list(range(order))
    assert tour.names == [graph.name(vertex) for vertex in tour.vertices.tolist()]
    verify(problem_of(where), tour.vertices)
    for form in (list(tour), tour.names, tour.nodes, [*map(graph.space.node, tour.vertices.tolist())]):
        moves = list(pairwise(form))
        assert Tour.of(where, form) == tour == Tour.of(where, tour)
        assert [tour.index(each) for each in form if each in tour] == list(range(order))
        found = needed(solve(where, start=form[0], end=form[-1]).tour)
        assert (found[0], found[-1]) == (tour[0], tour[-1])
        assert solve(where, require=moves).tour in (tour, None if graph.directed else tour.reversed())
        assert solve(where, givens={each: number for number, each in enumerate(form, start=1)}).tour == tour
        assert solve(where, givens=[(form[1], 2), (form[2], 3)], start=form[0], require=moves[2:]).tour == tour
        assert solve(where, forbid=moves[:1]).tour != tour
    assert tour.moves == list(pairwise(tour))
    if kind in ("a board with holes", "a box with holes"):
        value = best(where, minimize="turns", hint=tour).value
        assert value == best(where, minimize="turns", hint=tour.names).value


def test_twenty_doors_of_a_tour() -> None:
    """Names, numbers, coordinates and nodes work in each of them, and what is not a vertex is not in the tour."""
    holed = Tour.of(
        Board(3, 4, holes=["a1"], leaper=(0, 1)), ["a2", "a3", "b3", "b2", "b1", "c1", "c2", "c3", "d3", "d2", "d1"]
    )
    which: Any
    for which in ("a2", (1, 0), "1,0", np.int32(4)):
        assert which in holed
    for which in ("a1", "z9", (2, 0), 11, -1, None, True, 3.0, [1, 0]):
        assert which not in holed
    assert holed.index("b1") == holed.index((2, 1)) == holed.index(holed.vertices[4]) == 4
    assert (holed.index("b1", 4), holed.index("b1", -7, 5), holed.count("d1"), holed.count("a1")) == (4, 4, 1, 0)
    assert holed[:2] == list(holed)[:2] == [4, 0]
    assert holed[::-1] == list(reversed(holed))
    assert hash(holed) == hash(Tour.of(holed.graph, list(holed)))
    assert holed == Tour.of(holed.graph, list(holed))
    assert holed != Tour.of(Board(1, 11, leaper=(0, 1)), range(11))
    assert (holed[-1], holed.graph.name(holed[-1])) == (10, "d1")
    for which, sentence in (("a1", "is a hole"), (11, "its squares are 0 to 10"), ("b9", "is not on the 3x4 board")):
        with pytest.raises(BadInput, match=sentence):
            holed.index(which)
    with pytest.raises(BadInput, match="'a2' is not visited in this part of the tour"):
        holed.index("a2", 1)
    grid = needed(solve(networkx.grid_2d_graph(2, 3), closed=True, start=(0, 1)).tour)
    assert (grid[0], (1, 2) in grid, "1,2" in grid, (2, 2) in grid, 0 in grid) == ((0, 1), True, True, False, False)
    assert grid.moves[-1] == (grid[-1], (0, 1))
    assert grid[2:4] == grid.nodes[2:4]
    assert grid.index("0,1") == grid.index((0, 1)) == 0


@pytest.mark.parametrize("where", [Board(6), Board(4, 5, holes=["a1"]), Box(3, 4, 2), Wrapped("torus", 5, 5)])
def test_an_array_of_visit_numbers_is_the_tour_again(where: Any) -> None:
    answer = solve(where)
    assert answer.tour is not None
    numbers = answer.tour.array()
    assert Tour.from_array(where, numbers) == Tour.from_array(where, numbers.tolist()) == answer.tour
    for wrong, fault in ((numbers[1:], "has the shape"), (numbers * 2, "not 1, 2, 3"), (numbers + 1, "not 1, 2, 3")):
        with pytest.raises(BadInput, match=fault):
            Tour.from_array(where, wrong)
    with pytest.raises(TourFault):
        Tour.from_array(where, np.where(numbers == 1, 2, np.where(numbers == 2, 1, numbers)))


def test_what_a_tour_looks_like_is_a_property_of_it() -> None:
    turned = needed(solve("6x6", closed=True, symmetry="rot90").tour)
    assert turned.symmetries == ("rot180", "rot90")
    for name, value in (("turns", turned.turns), ("crossings", turned.crossings)):
        goal = goal_of(problem_of("6x6", closed=True), minimize=name)
        assert goal.value(turned.vertices) == value
    with pytest.raises(BadInput, match="no turns"):
        _ = getattr(solve("torus:5x5").tour, "turns")  # noqa: B009
    assert getattr(solve("1x1").tour, "turns") == 0  # noqa: B009


def test_a_tour_as_a_networkx_graph() -> None:
    tour = needed(solve("5x6", closed=True).tour)
    graph = tour.to_networkx()
    assert list(graph) == tour.names
    assert networkx.is_connected(graph)
    assert {degree for _, degree in graph.degree} == {2}
    arcs = needed(solve(networkx.DiGraph([("b", 7), (7, "a"), ("a", "b")]), closed=True).tour)
    assert sorted(map(str, arcs.to_networkx().edges)) == ["('a', 'b')", "('b', 7)", "(7, 'a')"]


def test_a_board_is_a_collection_of_squares() -> None:
    board = Board(4, 5, holes=["a1"])
    assert len(list(board)) == len(board) == 19
    assert ("b1" in board, "a1" in board, "z9" in board, (0, 0) in board, 18 in board, 19 in board) == (
        *(True, False, False, True, True),
        False,
    )
    assert sorted(board["b1"]) == sorted(board.neighbours((3, 1))) == ["a3", "c3", "d2"]
    with pytest.raises(BadInput, match="is a hole"):
        board["a1"]
    offered = set(dir(board))
    assert {"neighbours", "graph", "holes", "square", "rows"} <= offered
    assert offered.isdisjoint({"edge_bound", "landing", "from_members"})
    assert len([name for name in offered if not name.startswith("_")]) <= 18


@pytest.mark.parametrize(("name", "module"), [("plot", "matplotlib"), ("to_networkx", "networkx")])
def test_what_a_tour_lacks_is_named(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda _: None)
    with pytest.raises(BadInput, match=f"{name} needs the Python module {module}, which is not installed"):
        getattr(solve("1x1").tour, name)()


@pytest.mark.parametrize("space", ["5x6", "torus:4x4", "4x4x2", "GP(8,3)", "1x1"])
def test_a_tour_is_plotted_where_its_svg_has_it(space: str) -> None:
    """The line is that of the drawing, in squares from the middle of the first: in parts over a border or a layer."""
    figures = pytest.importorskip("matplotlib.figure", reason="matplotlib is optional")
    axes, tour = figures.Figure().add_subplot(), solve(space).tour
    assert tour is not None
    assert tour.plot(axes) is tour.plot(axes) is axes
    assert axes.yaxis_inverted()
    line, marks = (artist.get_xydata() for artist in axes.lines[:2])
    ground = Canvas(tour.graph, "", "").ground
    assert (marks * 100 + 50).round().tolist() == [list(ground.centre(vertex)) for vertex in tour.vertices.tolist()]
    moves = list(pairwise(tour.vertices.tolist()))
    drawn = [part for move in moves for part in ground.segments(*move) or [[*map(ground.centre, move)]]]
    parts = np.split(line, np.flatnonzero(np.isnan(line[:, 0])) + 1)[:-1] if moves else []
    assert len(parts) == len(drawn)
    for part, points in zip(parts, drawn, strict=True):
        assert np.allclose(part[:-1] * 100 + 50, points)
