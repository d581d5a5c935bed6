"""Puzzles, boards and tours in the forms in which people write them: none is read as another, and nearly all are read
without an option."""

from collections import Counter
from pathlib import Path

import pytest
from grid_texts import GridText, readings, verdict_on


def test_texts_of_all_forms_are_read_as_they_were_meant(tmp_path: Path) -> None:
    counts = Counter[str]()
    for seed in range(600):
        text = GridText(seed)
        verdict, said = verdict_on(text, tmp_path)
        assert verdict != "misread", f"seed {seed}, a {text.kind}: {said}\n{text.data.decode()}"
        counts.update([verdict, *["doubtful"] * text.doubtful])
    assert counts["read"] >= 0.95 * 600
    assert counts["doubtful"] < 0.04 * 600


@pytest.mark.parametrize(
    ("cells", "grids"),
    [
        ("-1 1 0/0 0 5", {(2, "# 1 ./. . 5"), (0, ". 1 ./. . 5")}),
        ("0 . ./. . 5", {(2, "1 . ./. . 6"), (1, "# . ./. . 5"), (0, ". . ./. . 5")}),
        ("1 0 *", {(0, "1 . ."), (0, "1 . #"), (0, "1 # ."), (0, "2 1 .")}),
    ],
)
def test_the_given_numbers_speak_for_one_reading(cells: str, grids: set[tuple[int, str]]) -> None:
    found = readings([row.split() for row in cells.split("/")], "puzzle", "king")
    assert {(reasons, grid.replace("\n", "/")) for reasons, grid in found} == grids
