"""Spaces of every kind: bounds before anything is computed; what is typed, read from JSON, and named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cpsat_tour.api import problem_of
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.families import FAMILIES
from cpsat_tour.spaces.kinds import KINDS, parse_space
from cpsat_tour.spaces.lattice import KNIGHT, Lattice
from cpsat_tour.spaces.problem_data import WrongData, read_problem, read_space
from cpsat_tour.spaces.theorems import has_tour

SPACES_PAGE = Path(__file__).resolve().parents[2] / "docs" / "spaces.md"

EXAMPLES = [text for kind in KINDS for text in re.findall(r"\S*[0-9]\S*?(?=,?(?:\s|$))", kind.example)]

# --- bounds, before anything is computed ---


def test_no_graph_has_more_edges_than_its_bound() -> None:
    members = [family.example for family in FAMILIES.values()]
    small = [
        "GP(3,1)",
        "cubic(4,1)",
        "Sheehan(4)",
        "Kneser(9,4)",
        "Q(1)",
        "hubs(20,1)",
        "hubs(5000,1)",
        "hubs-none(20,1)",
    ]
    for text in (*EXAMPLES, *members, *small, "strings(20,1)", "planted(20,1)", "chains(20,1)", "gadgets-none(4,1)"):
        space = parse_space(text)
        assert space is not None
        assert space.graph.size <= space.edge_bound, text
        assert len(space) == space.graph.order


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("Kneser(999999,499998)", "16777216 vertices"),
        ("Kneser(99,9)", "16777216 vertices"),
        ("Kneser(25,12)", "16777216 edges"),
        ("Sheehan(99999)", "16777216 edges"),
        ("hubs(999999,1)", "16777216 edges"),
        ("gadgets(999999,1)", "16777216 vertices"),
        ("256x256x256", "67108864 edges"),
        ("torus:4096x4096", "16777216 edges"),
        ("4097x4097", "16777216 squares"),
    ],
)
def test_a_space_that_is_too_large_is_refused_before_its_graph_is_built(text: str, most: str) -> None:
    with pytest.raises(BadInput, match=f"too large: at most {most} are allowed"):
        parse_space(text)


def test_a_short_file_does_not_ask_for_a_large_graph() -> None:
    asked: dict[str, Any] = {"closed": True, "start": None, "end": None, "require": [], "forbid": []}
    where: dict[str, Any]
    for where, most in (
        ({"rows": 4096, "cols": 4096, "holes": [], "leaper": [1, 2]}, "262144 squares"),
        ({"sides": [64, 64, 64], "holes": [], "leaper": [1, 2, 3]}, "1048576 edges"),
        ({"family": "Sheehan(65536)"}, "16777216 edges are allowed"),
        ({"family": "Sheehan(4096)"}, "1048576 edges are read from so short a file"),
    ):
        with pytest.raises(WrongData, match=f"at most {most}"):
            read_problem(where | asked, 1000)
    cube = Box(64, 64, 64)
    cube.check_size(6 * len(cube))


# --- every kind ---


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_space_of_each_kind_is_as_its_words_its_json_and_the_theorems_say(text: str) -> None:
    """Read from text and from JSON, named vertex by vertex, with symmetries that keep the moves, and solved."""
    space = parse_space(text)
    assert space is not None
    assert parse_space(str(space)) == space == read_space(json.loads(json.dumps(space.data())))
    graph = space.graph
    assert [space.vertex(space.name(vertex)) for vertex in range(graph.order)] == list(range(graph.order))
    arcs = set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    for symmetry in space.symmetries():
        assert {(int(symmetry[tail]), int(symmetry[head])) for tail, head in arcs} == arcs
    for closed in (True, False):
        if (known := has_tour(space, closed=closed)) is not None:
            assert bool(run(Problem(graph, closed), load("auto"))) == known
    assert f"`{text}`" in SPACES_PAGE.read_text(encoding="utf-8")


class Strip(Lattice):
    """A strip of eight squares by one, and moves to the next square and the third."""

    holes = frozenset[int]()
    leaper = KNIGHT
    sides = (8, 1)

    def steps(self) -> list[tuple[int, ...]]:
        return [(1, 0), (-1, 0), (3, 0), (-3, 0)]

    def square_name(self, square: int) -> str:
        return str(square)

    def read_name(self, name: str) -> tuple[int, ...] | None:
        return int(name), 0

    def extent(self) -> str:
        return "on the strip: 0 to 7"


def test_a_theorem_on_boards_does_not_speak_of_another_lattice() -> None:
    """On a board of one column the knight has no move."""
    strip = Strip()
    assert run(Problem(strip.graph, True), load("edges"))
    assert has_tour(strip, closed=True) is None
    assert has_tour(Board(8, 1), closed=True) is False


def test_typed_spaces_are_boards_boxes_or_files(tmp_path: Path) -> None:
    assert [str(parse_space(typed)) for typed in ("8", " 3X4 ", "4\u00d74\u00d73")] == ["8x8", "3x4", "4x4x3"]
    assert problem_of(8).graph.space == problem_of("8").graph.space == Board(8)
    path = tmp_path / "a.edges"
    path.write_text("a b\nb c\n")
    assert graph_of(str(path)).order == 3
    with pytest.raises(BadInput, match="can't have"):
        graph_of(str(path), ["a1"])
