"""The smallest squares of free leapers: all of them asked, and the small ones asked again."""

from itertools import takewhile

import pytest
from squares import DATA, free_leapers, line_of
from tables import lines_of

LINES = {line["leaper"]: line for line in lines_of(DATA)}


def test_every_free_leaper_of_a_sum_to_27_has_its_line() -> None:
    asked = [f"{p},{q}" for p, q in takewhile(lambda leaper: sum(leaper) <= 27, free_leapers())]
    assert list(LINES)[: len(asked)] == asked
    page = " ".join((DATA.parent / "results.md").read_text(encoding="utf-8").split())
    refuted = sum(int(line["refuted"]) for line in LINES.values())
    cut = [leaper for leaper, line in LINES.items() if line["with_cut_sets"] != "0"]
    assert cut == [leaper for leaper in LINES if leaper.startswith("1,")]
    assert f"for all {len(LINES)} free leapers" in page
    assert f"Of these {refuted} squares only {len(cut)} need a cut set" in page
    assert all(int(line["refuted"]) == int(line["leaper"].partition(",")[0]) for line in LINES.values())


@pytest.mark.parametrize(("p", "q"), [(1, 2), (2, 3), (3, 4), (2, 7)])
def test_the_first_squares_are_refuted_again(p: int, q: int) -> None:
    again = line_of(p, q)
    assert {key: again[key] for key in ("refuted", "with_cut_sets")} == {
        key: LINES[f"{p},{q}"][key] for key in ("refuted", "with_cut_sets")
    }
