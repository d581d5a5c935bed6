"""Maps of large tours: the tiles show the tour's squares and moves, at every level, and nothing else is drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour.backends.runner import solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing import tiles
from cpsat_tour.drawing.files import save_tour
from cpsat_tour.drawing.tiles import SQUARE, TILE, Map, check_map
from cpsat_tour.formats.tour_files import about, squares_in

Image = pytest.importorskip("PIL.Image", reason="maps need Pillow")


def tour_file(folder: Path, board: str, name: str = "tour.npy") -> Path:
    tour = solve(board, closed=True, backend="construct").tour
    assert tour is not None
    save_tour(tour, folder / name)
    return folder / name


def pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.asarray(Image.open(path)).astype(np.int64)


def test_a_map_has_every_tile_of_every_level_and_a_page(tmp_path: Path) -> None:
    """70x130 squares are 560x1040 pixels: two tiles by three, below them one by two, and one."""
    folder = tmp_path / "map"
    folder.mkdir()
    (folder / "trip-2024-05.png").write_text("mine")
    for _ in range(2):  # the second replaces the first
        assert status(["draw", str(tour_file(tmp_path, "70x130")), "--tiles", str(folder)]) == 0
    names = sorted(path.name for path in folder.iterdir())
    deepest = [f"2-{down}-{right}.png" for down in range(2) for right in range(3)]
    assert names == ["0-0-0.png", "1-0-0.png", "1-0-1.png", *deepest, "index.html", "trip-2024-05.png"]
    page = (folder / "index.html").read_text()
    known = json.loads(re.search(r"\} = (\{.*\});", page)[1])  # type: ignore[index]
    assert known == {"rows": 70, "cols": 130, "deepest": 2, "tile": TILE, "square": SQUARE}
    assert (pixels(folder / "2-1-2.png")[70 * SQUARE - TILE :] == 255).all()
    whole = pixels(folder / "2-0-0.png").reshape(TILE // 2, 2, TILE // 2, 2, 3).mean(axis=(1, 3))
    assert abs(pixels(folder / "1-0-0.png")[: TILE // 2, : TILE // 2] - whole).max() <= 1


def test_lines_are_where_the_moves_are(tmp_path: Path) -> None:
    """In the middle of each move the picture is darker than any tint; where no move leads there is white paper."""
    tour = solve("6x6", closed=True, backend="construct").tour
    assert tour is not None
    visits = np.column_stack(divmod(tour.vertices, 6))
    Map(tour.vertices, 6, 6, True).write(tmp_path / "map", lambda: None)
    picture = pixels(tmp_path / "map" / "0-0-0.png")
    for here, there in zip(visits, np.roll(visits, -1, axis=0), strict=True):
        row, col = (here + there + 1) * SQUARE // 2
        assert picture[row - 1 : row + 1, col - 1 : col + 1].sum(axis=2).min() < 420, (here, there)
    assert (picture[6 * SQUARE :] == 255).all()
    assert (picture[:, 6 * SQUARE :] == 255).all()


@pytest.mark.parametrize("name", ["tour.npy", "tour.json", "tour.txt", "board.npy"])
def test_squares_are_read_from_every_form(name: str, tmp_path: Path) -> None:
    expected = np.load(tour_file(tmp_path, "10x12"))
    path = tmp_path / name
    if name == "board.npy":
        board = np.empty((10, 12), dtype=np.uint16)
        board[expected[:, 0], expected[:, 1]] = np.arange(1, 121)
        np.save(path, board)
    else:
        tour_file(tmp_path, "10x12", name)
    assert np.array_equal(squares_in(path, about(path)), expected @ (12, 1))


def test_what_can_not_be_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good, wrong = tour_file(tmp_path, "6x6"), tmp_path / "wrong.npy"
    np.save(wrong, np.load(good)[::2])
    assert status(["draw", str(wrong), "--tiles", str(tmp_path / "map")]) == 1
    assert "not a knight's tour of the whole 6x6 board: there are 18 visits" in capsys.readouterr().err
    monkeypatch.setattr(tiles, "MAX_TILED", 35)
    assert status(["draw", str(good), "--tiles", str(tmp_path / "map")]) == 2
    assert "can't draw a map of the 6x6 board" in capsys.readouterr().err
    monkeypatch.undo()
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("mine")
    with pytest.raises(BadInput, match=r"it has another file index.html; give --force"):
        check_map(6, 6, other, force=False)
    assert not (tmp_path / "map").exists()
