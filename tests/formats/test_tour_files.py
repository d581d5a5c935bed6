"""Tour files: whatever a command writes of any space, `verify`, `draw` and `Tour.load` read back, the same tour; what
is wrong is refused or named."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run, solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats import tour_files
from cpsat_tour.formats.tour_files import Tours, read_tours
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.objectives import OBJECTIVES

PLACES = {
    "board": "5x6 --closed",
    "holes": "6x6 --hole a1 --hole a2",
    "leaper": "10x10 --leaper 1,4",
    "torus": "torus:5x5 --closed",
    "mobius": "mobius:3x5",
    "box": "2x3x4 --closed --start a1.1",
    "family": "GP(5,2)",
    "graph": "{folder}/five.edges --closed",
    "arcs": "{folder}/arcs.edges --closed --start c",
    "required": "5x6 --closed --require c3-d5 --forbid c3-b5",
    "symmetric": "6x6 --closed --symmetry rot90",
    "given": "5x5 --at a1=1 --at e5=25",
}


def written(place: str, folder: Path) -> list[str]:
    """The arguments of a place, after its graph file was written."""
    (folder / "five.edges").write_text("a b\nb c\nc d\nd e\ne a\na c\n")
    (folder / "arcs.edges").write_text("a -> b\nb -> c\nc -> d\nd -> a\nb -> a\n")
    return PLACES[place].replace("{folder}", str(folder)).split()


def names_of(data: dict[str, Any]) -> list[Any]:
    return data["tour"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("place", PLACES)
def test_what_solve_writes_is_read_back(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = written(place, tmp_path)
    assert status(["solve", *asked, "--json"]) == 0
    printed = tmp_path / "printed.json"
    printed.write_text(capsys.readouterr().out)
    first = Tour.load(printed)
    suffixes = [".json", ".txt", ".npy"] if first.graph.coordinates is not None else [".json", ".txt"]
    for suffix in suffixes:
        path = tmp_path / f"tour{suffix}"
        assert status(["solve", *asked, "-o", str(path)]) == 0
        assert Tour.load(path) == first, suffix
        first.save(tmp_path / f"saved{suffix}")
        assert Tour.load(tmp_path / f"saved{suffix}") == first, suffix
        assert status(["draw", str(path), "-o", str(tmp_path / f"drawn{suffix}.svg")]) == 0
        assert (tmp_path / f"drawn{suffix}.svg").read_text() == first.svg()
        capsys.readouterr()
        assert status(["verify", str(path), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["problem"] == json.loads(printed.read_text())["problem"]
    assert json.loads((tmp_path / "tour.json").read_text()).keys() == json.loads(printed.read_text()).keys()


@pytest.mark.parametrize("place", ["board", "holes", "torus", "box", "family", "graph", "arcs"])
def test_what_tours_writes_is_read_back(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = written(place, tmp_path)
    assert status(["tours", *asked, "-n", "6", "--json"]) == 0
    printed = tmp_path / "printed.json"
    printed.write_text(capsys.readouterr().out)
    first = read_tours(printed)
    assert first.is_list
    assert len(first.rows) >= 1
    for name in ("six.npy", "six.json", "six.npy.json"):
        if name != "six.npy.json":
            assert status(["tours", *asked, "-n", "6", "-o", str(tmp_path / name)]) == 0
        again = read_tours(tmp_path / name)
        graph = again.problem.graph
        assert [[graph.name(vertex) for vertex in row] for row in again.rows.tolist()] == [
            [first.problem.graph.name(vertex) for vertex in row] for row in first.rows.tolist()
        ]
        capsys.readouterr()
        assert status(["verify", str(tmp_path / name)]) == 0
        number = len(first.rows)
        assert capsys.readouterr().out.startswith(f"{number} tour{'s' * (number != 1)}, each a")


@pytest.mark.parametrize("place", ["board", "holes", "torus", "box", "family", "graph", "arcs"])
def test_a_tour_file_gives_all_numbers(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, path = written(place, tmp_path), tmp_path / "tour.json"
    assert status(["solve", *asked, "-o", str(path)]) == 0
    capsys.readouterr()
    assert status(["solve", *asked, "--at", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tour"] == json.loads(path.read_text())["tour"]
    path.write_text(path.read_text().replace('"tour": [', '"tour": [[0, 0], '))
    assert status(["solve", *asked, "--at", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_what_best_writes_is_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "best.json"
    call = ["best", "5x6", "--closed", "--minimize", "turns"]
    assert status([*call, "-o", str(path)]) == 0
    assert Tour.load(path).closed
    assert status([*call, "--hint", str(path)]) == 0


def test_a_graph_from_python_is_read_back(tmp_path: Path) -> None:
    graph = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)], directed=True)
    tour = solve(graph, closed=True).tour
    assert tour is not None
    for name in ("tour.json", "tour.txt"):
        tour.save(tmp_path / name)
        assert Tour.load(tmp_path / name) == tour


@pytest.mark.parametrize(("board", "suffix"), [("6x7", ".npy"), ("6x6", ".json"), ("10x10", ".txt")])
def test_verify_tells_symmetries_turns_and_crossings(
    board: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the objectives of `best` count them, from each form of file."""
    path, name = tmp_path / f"tour{suffix}", "rot180-bergholtian" if board == "6x7" else "rot90"
    assert status(["solve", board, "--closed", "--symmetry", name, "-o", str(path)]) == 0
    tour = Tour.load(path)
    assert status(["verify", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    for name in ("turns", "crossings"):
        value = OBJECTIVES[name].stated(Problem(tour.graph, True)).values(tour.vertices[None, :])
        assert told[name] == value[0]
    assert told["symmetries"] == (["rot180"] if board == "6x7" else ["rot180", "rot90"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "6x7 --closed --symmetry axial",
            "a closed tour of the 6x7 board with symmetry axial: 42 squares, verified; mapped",
        ),
        ("torus:5x5 --closed", "a closed tour of the 5x5 torus: 25 squares, verified; no named symmetry\n"),
        ("2x3x4 --closed", "a closed tour of the 2x3x4 box: 24 squares, verified; no named symmetry; 24 turns, "),
        (
            "3x3 --hole b2 --closed",
            "a closed tour of the 3x3 board less 1 square: 8 squares, verified; mapped to itself by rot180",
        ),
        ("1x1", "an open tour of the 1x1 board: 1 square, verified\n"),
        ("GP(5,2)", "an open tour of the graph GP(5,2): 10 vertices, verified\n"),
    ],
)
def test_verify_says_what_a_file_has(call: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.json"
    assert status(["solve", *call.split(), "-o", str(path)]) == 0
    assert status(["verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith(words)


def test_what_is_wrong_with_an_answer_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.json"
    assert status(["solve", "1x1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    for wrong, code in (
        ({"tour": [[0, 0], [0, 0]]}, 1),
        ({"tour": None, "status": "none"}, 2),
        ({"tour": [[0, {}]]}, 2),
        ({"tour": [[[], 0]]}, 2),
        ({"tour": [3]}, 2),
        ({"problem": 3}, 2),
        ({"problem": {}}, 2),
        ({"problem": answer["problem"] | {"rows": "1"}}, 2),
        ({"problem": answer["problem"] | {"colour": "red"}}, 2),
        ({"problem": {"vertices": ["a", "a"], "edges": [], "closed": False}}, 2),
        ({"tour": "nowhere.npy"}, 2),
        ({"problem": answer["problem"] | {"rows": 4096, "cols": 4096}}, 2),
    ):
        path.write_text(json.dumps(answer | wrong))
        assert status(["verify", str(path)]) == code, wrong
        told = capsys.readouterr()
        assert told.out.startswith("not an open tour of the 1x1 board: " * (code == 1))
        assert (told.out + told.err).count("\n") == 1, told
        if "status" in wrong:
            assert "answer.json has no tour: its status is 'none'" in told.err
    for text in ('{"problem": ' + "[" * 100_000, "[", "3", "{}"):
        path.write_text(text)
        assert status(["verify", str(path)]) == 2


@pytest.mark.parametrize("suffix", ["json", "npy"])
def test_a_list_of_no_tours_is_read_back(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / f"none.{suffix}"
    assert status(["tours", "5x5", "--closed", "-q", "-o", str(listed)]) == 0
    capsys.readouterr()
    assert status(["verify", str(listed)]) == 0
    assert capsys.readouterr().out == "0 tours, each a closed tour of the 5x5 board, verified\n"
    with pytest.raises(BadInput, match="the file has 0 tours: give a file of one"):
        Tour.load(listed)


def test_a_list_with_a_wrong_tour_is_no_list_of_tours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "six.npy"
    assert status(["tours", "6x6", "-n", "6", "-o", str(path)]) == 0
    six = np.load(path)
    for change, words in (
        (lambda rows: rows[:, ::2], "not an open tour of the 6x6 board: "),
        (lambda rows: rows[[0, 1, 2, 3, 4, 0]], "1 of the 6 tours are repeats"),
        (lambda rows: np.where(rows == 7, 36, rows), "has 6 numbers that are no squares of the 6x6 board"),
        (lambda rows: rows[:, [1, 0, *range(2, 36)]], "not an open tour of the 6x6 board: move"),
    ):
        np.save(path, change(six))
        assert status(["verify", str(path)]) == 1
        assert words in capsys.readouterr().out


# --- tours written while they are made ---


def test_a_board_without_a_graph_is_streamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """5x3400000 has more squares than a graph can."""
    path = tmp_path / "tour.npy"
    assert status(["solve", "5x3400000", "--closed", "--backend", "construct", "-o", str(path)]) == 0
    assert status(["verify", str(path)]) == 0
    assert capsys.readouterr().out == "a closed tour of the 5x3400000 board: 17,000,000 squares, verified\n"
    visits = np.load(path, mmap_mode="r+")
    visits[[10_000_000, 10_000_001]] = visits[[10_000_001, 10_000_000]]
    visits.flush()
    assert status(["verify", str(path)]) == 1
    assert "visit 10000001, at" in capsys.readouterr().out
    assert status(["solve", "5x3400000", "--closed", "--backend", "construct"]) == 2


@pytest.mark.parametrize("chunk", [1 << 20, 64])
def test_large_tours_of_others_are_verified_in_parts(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour_files, "CHUNK", chunk)
    monkeypatch.setattr(tour_files, "LARGE", 100)
    path = tmp_path / "tour.npy"
    assert status(["solve", "10x12", "--closed", "--backend", "construct", "-o", str(path)]) == 0
    assert tour_files.verify_large(path) == (10, 12, True)
    (tmp_path / "tour.npy.json").unlink()
    assert tour_files.verify_large(path) == (10, 12, True)
    visits = np.load(path)
    exchanged = visits[[*range(60), 61, 60, *range(62, 120)]]
    for wrong, words in ((exchanged, "is not a knight's move from"), (visits[:-1], "there are 119 visits to the sq")):
        np.save(path, wrong)
        with pytest.raises(TourFault, match=words):
            tour_files.verify_large(path)


def test_what_is_streamed_is_what_is_saved(tmp_path: Path) -> None:
    one, other = tmp_path / "one.npy", tmp_path / "other.npy"
    assert status(["solve", "9x9", "--backend", "construct", "-o", str(one)]) == 0
    tour = run(Problem(Board(9).graph, False), load("construct")).tour
    assert tour is not None
    tour.save(other)
    assert np.array_equal(np.load(one), np.load(other))
    assert Tour.load(one) == Tour.load(other) == tour


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["8x7", "--require", "a1-b3"], 2, "does not take --require"),
        (["8x8", "--hole", "a1"], 2, "less 1 square"),
        (["8x8", "--start", "a1"], 2, "does not take --start"),
        (["8x8", "-O", "foo=1"], 2, "backend construct has no option 'foo'"),
        (["8x8", "--animate", "walk"], 2, "--animate walk is for moving pictures"),
        (["4x8", "--closed"], 3, "Schwenk 1991"),
        (["8x8", "--closed", "--symmetry", "rot90"], 2, "does not take --symmetry"),
        (["99999x99999", "--closed"], 3, "both sides are odd"),
        (["999999999x999999999"], 2, "a board of 999999999x999999999 is too large"),
    ],
)
def test_what_can_not_be_streamed_leaves_no_file(
    arguments: list[str], code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["solve", *arguments, "--backend", "construct", "-o", str(tmp_path / "tour.npy")]) == code
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- tours of others ---


def test_every_form_of_others_is_read(tmp_path: Path) -> None:
    tour = solve("10x12", closed=True, backend="construct").tour
    assert tour is not None
    squares = np.array([divmod(square, 12) for square in tour])
    board = np.argsort(tour.vertices).reshape(10, 12) + 1
    np.save(tmp_path / "tour.npy", squares)
    np.save(tmp_path / "board.npy", board)
    (tmp_path / "tour.json").write_text(json.dumps(squares.tolist()))
    (tmp_path / "tour.txt").write_text(tour.text())
    (tmp_path / "bare.txt").write_text("\n".join(" ".join(map(str, row)) for row in board.tolist()))
    for path in tmp_path.iterdir():
        assert Tour.load(path) == tour, path


@pytest.mark.parametrize("wrong", [1, 0, 121, -5, 2**62])
def test_a_visit_that_is_there_twice_or_beyond_is_found(wrong: int, tmp_path: Path) -> None:
    board = np.arange(1, 121).reshape(10, 12)
    board[9, 11] = wrong
    np.save(tmp_path / "board.npy", board)
    with pytest.raises(TourFault, match="its squares do not have the numbers 1 to 120"):
        Tour.load(tmp_path / "board.npy")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npy", b"\x93NUMPY", "not a whole .npy array"),
        ("a.npy", b"", "not a whole .npy array"),
        ("a.json", b"{}", "is not a tour file"),
        ("a.json", b"[[0,0],[1,2]", "is not JSON"),
        ("a.json", b"[]", "not a list of squares"),
        ("a.json", b'["a1"]', "not a list of squares"),
        ("a.json", b"[[0, 0], [1]]", "not a list of squares"),
        ("a.txt", b"", "is empty"),
        ("a.txt", b"   a b\n", "not a grid of rows and columns"),
        ("a.txt", b"   a b\n2  1 2  2\n1  1  1\n   a b\n", "this row has 3 squares, and 2 are expected"),
        ("a.txt", b"hello, world\n", "'hello,' is not a square of a board"),
        ("a.txt", b"a\nb\n{}\n", "does not end with a problem"),
        ("a.svg", b"", "can't read a tour from .*a.svg: give a .json, .npy, .txt file, and not a picture"),
    ],
)
def test_files_that_hold_no_tour(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=words):
        Tour.load(tmp_path / name)


def test_verify_of_what_is_no_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, 0], [1, 1], [0, 1], [1, 0]]))
    assert status(["verify", str(tmp_path / "a.npy")]) == 1
    assert capsys.readouterr().out == ("not an open tour of the 2x2 board: move 1, from a2 to b1, is not a move here\n")


def test_a_path_is_not_taken_for_a_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "path.json"
    assert status(["best", "5x5", "--longest", "uncrossed", "-o", str(path)]) == 0
    capsys.readouterr()
    assert status(["verify", str(path)]) == 2
    assert (
        "has the longest uncrossed path, which need not visit every square, and not a tour" in capsys.readouterr().err
    )


@given(
    st.binary(max_size=60) | st.text("[]0123456789, \n", max_size=60).map(str.encode),
    st.sampled_from([".json", ".txt", ".npy"]),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(content)
    with suppress(BadInput, TourFault):
        assert isinstance(read_tours(path), Tours)
