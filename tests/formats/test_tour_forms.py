"""Forms of a tour that other programs go on with: each is read back, and gives the same tour."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest
from commands import Command, needed

from cpsat_tour import Tour, solve
from cpsat_tour.formats.saving import FORM_SUFFIXES, FORMS
from cpsat_tour.formats.tour_files import Others, read_tours

SPACES = ("3x4", "6x6 --closed", "4x5 --moves king --hole a1", "2x3x4", "GP(5,2)", "torus:3x4 --closed")


def names_by_number(graph: networkx.Graph) -> list[str]:
    return sorted(graph, key=lambda name: graph.nodes[name]["number"])


def in_bold(text: str) -> set[frozenset[str]]:
    return {frozenset(ends) for ends in re.findall(r'"(.*)" -- "(.*)" \[style=bold', text)}


READ: dict[str, Callable[[str, Tour], list[str]]] = {
    "list": lambda text, _: text.splitlines(),
    "line": lambda text, _: text.split(),
    "csv": lambda text, _: [row[1] for row in csv.reader(io.StringIO(text))][1:],
    "tsplib": lambda text, tour: [
        tour.graph.name(int(line) - 1) for line in text.partition("TOUR_SECTION\n")[2].splitlines()[:-2]
    ],
    "node-link": lambda text, _: names_by_number(networkx.node_link_graph(json.loads(text), edges="links")),
}


def test_names_that_look_like_formulas_come_back_as_they_are(tmp_path: Path) -> None:
    names = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-1"]
    tour = needed(solve(networkx.path_graph(names)).tour)
    tour.save(tmp_path / "tour.csv")
    assert READ["csv"]((tmp_path / "tour.csv").read_text(), tour) == tour.names
    assert {*tour.names} == {*names}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("form", READ)
def test_each_form_gives_the_tour_back(form: str, space: str, command: Command) -> None:
    tour = Tour.load(command_file(command, f"solve {space} --json"))
    printed = command(f"solve {space} --format {form}").out
    assert READ[form](printed, tour) == tour.names


def command_file(command: Command, call: str) -> Path:
    path = Path("tour.json")
    path.write_text(command(call).out)
    return path


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("space", ["3x4", "4x5 --moves king --hole a1"])
def test_a_board_is_verified_as_it_is_printed(space: str, command: Command) -> None:
    Path("board.txt").write_text(command(f"solve {space} --format board").out)
    moves = "king" if "king" in space else "1,2"
    assert read_tours(Path("board.txt"), Others(moves)).row().tolist() == list(
        solve_by_command(command, space).vertices
    )


def solve_by_command(command: Command, space: str) -> Tour:
    return Tour.load(command_file(command, f"solve {space} --json"))


def test_dot_has_all_edges_and_the_tour_in_bold(command: Command) -> None:
    text, tour = command("solve 3x4 --format dot").out, solve_by_command(command, "3x4")
    assert in_bold(text) == {frozenset((tour.graph.name(a), tour.graph.name(b))) for a, b in tour.moves}
    assert text.count("--") == tour.graph.size


def test_links_that_the_tour_uses_are_marked(command: Command) -> None:
    data = json.loads(command("solve 6x6 --closed --format node-link").out)
    assert (sum(link["tour"] for link in data["links"]), len(data["links"])) == (36, 80)


@pytest.mark.parametrize("suffix", FORM_SUFFIXES)
def test_a_suffix_names_a_form(suffix: str, command: Command) -> None:
    tour = needed(solve("5x5").tour)
    tour.save(f"saved{suffix}")
    command(f"solve 5x5 -o tour{suffix}")
    command(f"solve 5x5 --format {FORM_SUFFIXES[suffix]} -o tour.other")
    texts = {Path(name).read_text() for name in (f"saved{suffix}", f"tour{suffix}", "tour.other")}
    assert texts == {command(f"solve 5x5 --format {FORM_SUFFIXES[suffix]}").out}
    if suffix == ".csv":
        assert read_tours(Path("tour.csv")).row().tolist() == list(tour)


def test_what_has_no_board_has_no_numbered_board(command: Command) -> None:
    assert "its vertices are not in rows and columns" in command("solve GP(5,2) --format board", 2).err
    assert "--json can't go with --format" in command("solve 5x5 --format csv --json", 2).err
    assert set(FORMS) == {*READ, "board", "dot"}


@pytest.mark.parametrize("form", ["csv", "list", "line"])
def test_a_list_of_squares_is_verified_with_the_holes_that_are_named(form: str, command: Command) -> None:
    file = "tour.csv" if form == "csv" else "tour.txt"
    Path(file).write_text(command(f"solve 4x5 --moves king --hole a1 --format {form}").out)
    told = command(f"verify {file} --moves king --hole a1").out
    assert "tour of the 4x5 board without 1 square by a king: 19 squares, verified" in told
    assert "not a tour of the 4x5 board: 19 squares are listed" in command(f"verify {file} --moves king", 1).out
    assert "not a tour of the 4x5 board without a1 b1: 19" in command(f"verify {file} --hole a1 --hole b1", 1).out
