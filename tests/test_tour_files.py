"""Tours in files: written while they are made, read back whatever their form, and refused where they are wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpsat_tour.backends.runner import solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.files import MAX_DRAWN, check_destination, save_tour
from cpsat_tour.formats import tour_files
from cpsat_tour.formats.tour_files import TourFile, about
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.objectives import OBJECTIVES


def test_solve_streams_and_about_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "tour.npy")
    assert status(["solve", "64x37", "--closed", "--start", "c5", "--backend", "construct", "-o", path]) == 0
    assert "closed tour of the 64x37 board by construct" in capsys.readouterr().err
    assert np.load(path)[0].tolist() == [59, 2]
    assert status(["about", path]) == 0
    told = capsys.readouterr().out
    assert told.startswith("a closed tour of the 64x37 board: 2,368 squares, verified; no symmetry; ")
    turns, crossings = map(int, re.findall(r"([0-9,]+) (?:turns|crossings)", told.replace(",", "")))
    assert status(["about", path, "--json"]) == 0
    found = {"rows": 64, "cols": 37, "closed": True, "form": "squares in order", "turned_by": 1}
    found |= {"symmetries": [], "turns": turns, "crossings": crossings}
    assert json.loads(capsys.readouterr().out) == {"valid": True} | found


@pytest.mark.parametrize("suffix", [".npy", ".json", ".txt"])
def test_about_tells_symmetries_turns_and_crossings(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the objectives of `best` count them, from each form of file."""
    for board, options in (
        ("6x7", "--closed --symmetry rot180-bergholtian"),
        ("5x5", "--symmetry rot180"),
        ("6x6", "--closed --symmetry rot90"),
    ):
        path = tmp_path / f"tour{suffix}"
        assert status(["solve", board, *options.split(), "-o", str(path), "--force", "--json"]) == 0
        rows, cols = map(int, board.split("x"))
        squares = [row * cols + col for row, col in json.loads(capsys.readouterr().out)["tour"]]
        problem = Problem(Board(rows, cols).graph, "--closed" in options)
        assert status(["about", str(path), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        for name in ("turns", "crossings"):
            assert told[name] == int(OBJECTIVES[name].stated(problem).values(np.array([squares], dtype=np.int32))[0])
        assert told["symmetries"] == (["rot180", "rot90"] if board == "6x6" else ["rot180"])
    assert status(["about", str(path)]) == 0
    assert "mapped to itself by rot180 (Eulerian), rot90" in capsys.readouterr().out


def test_about_verifies_answers_of_any_space(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.json"
    for call, words in (
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
    ):
        assert status(["solve", *call.split(), "--json"]) == 0
        path.write_text(capsys.readouterr().out)
        assert status(["about", str(path)]) == 0
        assert capsys.readouterr().out.startswith(words)
    answer = json.loads(path.read_text())
    for wrong, code in (
        ({"tour": [[0, 0], [0, 0]]}, 1),
        ({"tour": None}, 2),
        ({"tour": [[0, {}]]}, 2),
        ({"tour": [[[], 0]]}, 2),
        ({"problem": 3}, 2),
        ({"problem": answer["problem"] | {"rows": "1"}}, 2),
        ({"problem": {"vertices": 1, "edges": 0, "directed": False, "closed": False}}, 2),
    ):
        path.write_text(json.dumps(answer | wrong))
        assert status(["about", str(path)]) == code
        told = capsys.readouterr()
        assert told.out.startswith("not an open tour of the 1x1 board: " * (code == 1))
        assert (told.out + told.err).count("\n") == 1, told
    path.write_text(json.dumps(answer | {"tour": None, "status": "none"}))
    assert status(["about", str(path)]) == 2
    assert "with a tour of a board or a box: its status is 'none'" in capsys.readouterr().err
    assert status(["solve", "Petersen", "--json"]) == 0
    path.write_text(capsys.readouterr().out)
    assert status(["about", str(path)]) == 2
    assert "about takes boards and boxes alone" in capsys.readouterr().err
    path.write_text('{"problem": ' + "[" * 100_000)
    assert status(["about", str(path)]) == 2


def test_a_symmetric_tour_is_streamed_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "tour.npy")
    for board, name, words in (
        ("34x34", "rot90", "a quarter"),
        ("12x40", "rot180", "a half"),
        ("2000x3000", "rot180-eulerian", "a half"),
    ):
        assert (
            status(
                ["solve", board, "--closed", "--symmetry", name, "--start", "c5", "--backend", "construct", "-o", path]
            )
            == 0
        )
        assert np.load(path)[0].tolist() == [int(board.split("x")[0]) - 5, 2]
        capsys.readouterr()
        assert status(["about", path]) == 0
        assert f"the {board} board, moved along itself by {words} turn" in capsys.readouterr().out


def test_a_board_without_a_graph_is_streamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """5x3400000 has more squares than a graph can."""
    path = str(tmp_path / "tour.npy")
    assert status(["solve", "5x3400000", "--closed", "--backend", "construct", "-o", path]) == 0
    assert status(["about", path]) == 0
    assert capsys.readouterr().out.startswith("a closed tour of the 5x3400000 board")
    assert status(["solve", "5x3400000", "--closed", "--backend", "construct"]) == 2


def test_what_is_streamed_is_what_is_saved(tmp_path: Path) -> None:
    one, other = tmp_path / "one.npy", tmp_path / "other.npy"
    assert status(["solve", "9x9", "--backend", "construct", "-o", str(one)]) == 0
    tour = solve("9x9", backend="construct").tour
    assert tour is not None
    save_tour(tour, other)
    assert np.array_equal(np.load(one), np.load(other))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["8x7", "--require", "a1-b3"], 2, "does not take --require"),
        (["8x8", "--hole", "a1"], 2, "less 1 square"),
        (["8x8", "--end", "a1"], 2, "give --start too"),
        (["8x8", "--start", "z9"], 2, "z9"),
        (["8x8", "--order", "pohl"], 2, "backend construct has no option 'order'"),
        (["8x8", "-O", "foo=1"], 2, "backend construct has no option 'foo'"),
        (["8x8", "--animate", "walk"], 2, "--animate walk is for moving pictures"),
        (["4x8", "--closed"], 3, "Schwenk 1991"),
        (["8x8", "--closed", "--symmetry", "rot180-bergholtian"], 2, "does not take the symmetry rot180-bergholtian"),
        (
            ["8x8", "--closed", "--symmetry", "rot90"],
            3,
            "no closed tour of the 8x8 board that a quarter turn moves along itself",
        ),
        (["8x8", "--symmetry", "rot180"], 3, "no open tour of the 8x8 board that a half turn"),
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


def test_a_killed_run_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    """The process kills itself in the middle; the next that writes there removes what it left under a hidden name."""
    path = tmp_path / "tour.npy"
    script = (
        "import os, signal, sys\n"
        "from cpsat_tour.formats import visits\n"
        "add = visits.VisitChecker.add\n"
        "def killed(self, chunk):\n"
        "    if self.visits: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    add(self, chunk)\n"
        "visits.VisitChecker.add = killed\n"
        "from cpsat_tour.cli.main import main\n"
        "main(sys.argv[1:])\n"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "solve",
        "2000x2000",
        "--closed",
        "--backend",
        "construct",
        "-o",
        str(path),
    ]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not path.exists()
    assert [entry.name.startswith(".cpsat-tour-") for entry in tmp_path.iterdir()] == [True]
    assert status(["solve", "6x6", "--closed", "--backend", "construct", "-o", str(path)]) == 0
    assert os.listdir(tmp_path) == ["tour.npy"]


@pytest.fixture
def forms(tmp_path: Path) -> list[Path]:
    """One closed tour in every form."""
    tour = solve("10x12", closed=True, backend="construct").tour
    assert tour is not None
    paths = [tmp_path / name for name in ("tour.npy", "tour.json", "tour.txt", "board.npy")]
    for path in paths[:3]:
        save_tour(tour, path)
    board = np.empty((10, 12), dtype=np.int64)
    board.ravel()[tour.vertices] = np.arange(1, 121)
    np.save(paths[3], board)
    return paths


@pytest.mark.parametrize("chunk", [1 << 20, 64])
def test_every_form_is_read(forms: list[Path], chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour_files, "CHUNK", chunk)
    for path in forms:
        found = about(path)
        assert (found.rows, found.cols, found.closed) == (10, 12, True), path
        assert found.form == ("squares in order" if path.name in ("tour.npy", "tour.json") else "visit numbers")


@pytest.mark.parametrize("chunk", [1 << 20, 64])
def test_two_visits_exchanged_are_found_in_every_form(
    forms: list[Path], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour_files, "CHUNK", chunk)
    for place in (1, 60, 118):
        visits = np.load(forms[0])
        visits[[place, place + 1]] = visits[[place + 1, place]]
        np.save(forms[0].with_name("wrong.npy"), visits)
        forms[0].with_name("wrong.json").write_text(json.dumps(visits.tolist()))
        board = np.load(forms[3])
        one, two = (np.argwhere(board == visit)[0] for visit in (place + 1, place + 2))
        board[tuple(one)], board[tuple(two)] = place + 2, place + 1
        np.save(forms[0].with_name("wrong_board.npy"), board)
        for name in ("wrong.npy", "wrong.json", "wrong_board.npy"):
            with pytest.raises(TourFault):
                about(forms[0].with_name(name))


def test_a_visit_that_is_there_twice_or_beyond_is_found(forms: list[Path]) -> None:
    for wrong in (1, 0, 121, -5, 2**62):
        board = np.load(forms[3])
        board[9, 11] = wrong
        np.save(forms[3], board)
        words = rf"visit {wrong}, at 9,11, is not from 1 to 120|visit \d+, at .*, is there twice, or visit \d+ is not"
        with pytest.raises(TourFault, match=words):
            about(forms[3])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npy", b"\x93NUMPY", "not a whole .npy array"),
        ("a.npy", b"", "not a whole .npy array"),
        ("a.json", b"{}", "not a list of squares"),
        ("a.json", b"[[0,0],[1,2]", "not a list of squares"),
        ("a.json", b"[,[0,0]]", "not a list of squares"),
        ("a.json", b"[[0,0] [1,2]]", "not a list of squares"),
        ("a.json", b"[]", "no squares of a board"),
        ("a.json", b'["a1"]', "not a list of squares"),
        ("a.txt", b"", "no column letters"),
        ("a.txt", b"   a b\n2  1 2  2\n", "ends within"),
        ("a.txt", b"   a b\n2  1 2  2\n2  1 2  2\n", "is not a row of 2 visits"),
        ("a.txt", b"   a b\n", "ends within"),
        ("a.svg", b"", "can't tell what is in"),
    ],
)
def test_files_that_hold_no_tour(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=words):
        about(tmp_path / name)


def test_a_file_that_is_not_there() -> None:
    assert status(["about", "nowhere.npy"]) == 2


def test_about_of_what_is_no_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, 0], [1, 1], [0, 1], [1, 0]]))
    assert status(["about", str(tmp_path / "a.npy")]) == 1
    fault = (
        "not a knight's tour of the whole 2x2 board: visit 2, at 1,1, is not a knight's move from the visit before; "
    )
    assert capsys.readouterr().out.startswith(fault)


@pytest.mark.parametrize(
    ("call", "board"),
    [("torus:5x5", "5x5"), ("3x3 --hole b2", "3x3"), ("10x10 --leaper 1,4", "10x10"), ("4x4x3", "48x3")],
)
def test_a_tour_that_its_file_can_not_tell_is_read_from_its_answer(
    call: str, board: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    array, answer = tmp_path / "tour.npy", tmp_path / "answer.json"
    assert status(["solve", *call.split(), "-o", str(array), "--json"]) == 0
    answer.write_text(capsys.readouterr().out)
    assert status(["about", str(answer)]) == 0
    assert capsys.readouterr().out.startswith("an open tour of the ")
    assert status(["about", str(array)]) == 1
    told = capsys.readouterr().out
    assert told.startswith(f"not a knight's tour of the whole {board} board: ")
    assert told.endswith(
        "can't name a wrapped board, a box, holes or another leaper: for those about reads what solve --json prints\n"
    )


@given(
    st.binary(max_size=60) | st.text("[]0123456789, \n", max_size=60).map(str.encode),
    st.sampled_from([".json", ".txt", ".npy"]),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(content)
    with suppress(BadInput, TourFault):
        assert isinstance(about(path), TourFile)


def test_what_no_viewer_opens_is_not_drawn(tmp_path: Path) -> None:
    graph = Board(1025).graph
    assert graph.order > MAX_DRAWN
    with pytest.raises(BadInput, match="no viewer opens 1050625 squares"):
        check_destination(tmp_path / "tour.svg", graph)
    check_destination(tmp_path / "tour.npy", graph)
