"""How many leapers it takes, by the table: every question once, and a sample asked again."""

import random

from atlas import DATA as ATLAS
from fewest_paths import DATA, answered, picture, questions
from tables import lines_of

LINES = {(line["leaper"], line["board"]): line for line in lines_of(DATA)}


def test_every_question_is_answered_once_and_as_the_atlas_says() -> None:
    assert list(LINES) == questions()
    for line in lines_of(ATLAS):
        if line["kind"] == "open":
            assert (LINES[line["leaper"], line["board"]]["paths"] == "1") == (line["answer"] == "tour"), line


def test_the_page_counts_what_is_certified() -> None:
    none = [line for line in LINES.values() if line["paths"] != "1"]
    certified = sum(line["evidence"] in ("lp", "clausal") for line in none)
    page = " ".join((DATA.parent / "paths.md").read_text(encoding="utf-8").split())
    assert f"{len(none):,} boards of the table take two paths or more" in page
    assert f"{certified:,} have a certificate" in page
    for line in none:
        said = f"{line['bound']} to {line['paths']}"
        assert line["paths"] == line["bound"] or said in page, line


def test_a_sample_is_answered_the_same_again() -> None:
    for question in random.Random(1).sample([key for key, line in LINES.items() if float(line["seconds"]) < 0.5], 8):
        assert {key: value for key, value in answered(*question).items() if key != "seconds"} == {
            key: int(value) if value.isdigit() else value for key, value in LINES[question].items() if key != "seconds"
        }


def test_the_picture_is_that_of_the_lines() -> None:
    assert picture(lines_of(DATA)) == DATA.with_suffix(".svg").read_text(encoding="utf-8")
