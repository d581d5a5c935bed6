"""Several routes on one graph are printed, written and shown with the vertices that people know."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour import BadInput, Board, Graph, Routes, TourFault, decompose, draw, graph_of
from cpsat_tour.formats.tour_files import read_tours

PATHS = Routes(Board(3, 3).graph, False, (np.array([0, 5, 6]), np.array([4]), np.array([1, 8])))


def test_routes_have_the_vertices_that_a_tour_would_have() -> None:
    assert (list(PATHS), len(PATHS)) == ([[0, 5, 6], [4], [1, 8]], 3)
    assert str(PATHS) == "a3 c2 a1\nb2\nb3 c1"
    assert PATHS.data() == [[[0, 0], [1, 2], [2, 0]], [[1, 1]], [[0, 1], [2, 2]]]
    assert repr(PATHS) == "<Routes: 3 paths of the 3x3 board>"
    named = pytest.importorskip("networkx", reason="networkx is optional").path_graph(["north pole", ("a", 1)])
    routes = Routes(Graph.from_networkx(named), False, (np.array([1, 0]),))
    assert (list(routes), str(routes), routes.data()) == (
        [[("a", 1), "north pole"]],
        'a,1 "north pole"',
        [["a,1", "north pole"]],
    )


def test_routes_are_saved_by_suffix(tmp_path: Path) -> None:
    for name, begins in (("a.svg", b"<svg "), ("a.PNG", b"\x89PNG"), ("a.txt", b"a3 c2 a1\n"), ("a.json", b"{")):
        PATHS.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert json.loads((tmp_path / "a.json").read_text())["routes"] == PATHS.data()
    assert [row.tolist() for row in read_tours(tmp_path / "a.txt").routes] == list(PATHS)
    draw(tmp_path / "a.json", tmp_path / "b.svg")
    assert (tmp_path / "b.svg").read_bytes() == (tmp_path / "a.svg").read_bytes()
    with pytest.raises(BadInput, match="there is a file of that name"):
        PATHS.save(tmp_path / "a.txt")
    PATHS.save(tmp_path / "a.json", {"status": "told"}, force=True)
    assert json.loads((tmp_path / "a.json").read_text()) == {"status": "told"}
    with pytest.raises(BadInput, match=r"one of the suffixes .svg, .png, .pdf, .tikz, .txt, .json"):
        PATHS.save(tmp_path / "a.gif")


def test_cycles_through_all_vertices_are_a_file_of_tours(tmp_path: Path) -> None:
    cycles = Routes(graph_of("Q(3)"), True, (np.array([0, 1, 3, 2, 6, 7, 5, 4]),))
    cycles.save(tmp_path / "cycles.json")
    assert read_tours(tmp_path / "cycles.json").rows.tolist() == [[0, 1, 3, 2, 6, 7, 5, 4]]


def test_the_file_of_a_decomposition_is_verified_as_one(tmp_path: Path) -> None:
    found = decompose("torus:5x5")
    found.save(tmp_path / "all.json")
    assert read_tours(tmp_path / "all.json").words == "4 disjoint closed tours with all moves of the 5x5 torus"
    fewer = replace(found, tours=Routes(found.tours.graph, True, found.tours.routes[1:]))
    fewer.save(tmp_path / "fewer.txt")
    with pytest.raises(TourFault, match="with all moves"):
        read_tours(tmp_path / "fewer.txt")
