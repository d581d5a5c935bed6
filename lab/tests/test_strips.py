"""The narrowest strips: printed values, and the first lines asked again."""

import pytest
from strips import DATA, line_of
from tables import lines_of

LINES = {int(line["n"]): line for line in lines_of(DATA)}


def test_the_lines_are_those_of_the_page_and_of_print() -> None:
    assert list(LINES) == list(range(1, len(LINES) + 1))
    assert LINES[11]["least"] == "254"  # OEIS A152138
    for n in range(7, len(LINES) + 1):
        assert LINES[n]["with_cut_sets"] == "0"
        assert int(LINES[n]["least"]) == n * (2 * n + 1) // 2 * 2 + 2
    page = (DATA.parent / "results.md").read_text(encoding="utf-8")
    assert f"| N | {' | '.join(line['least'] for line in LINES.values())} |" in page


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_first_lines_are_found_again(n: int) -> None:
    again = line_of(n)
    assert {key: again[key] for key in ("least", "refuted")} == {key: LINES[n][key] for key in ("least", "refuted")}
