"""The atlas of leapers: every question once, and a sample asked again."""

import random

import pytest
from atlas import COLUMNS, DATA, answered, maps, questions, says_something
from tables import lines_of

from cpsat_tour import Board
from cpsat_tour.compare.study import read_study
from cpsat_tour.spaces.theorems import why_no_tour

LINES = {(line["leaper"], line["board"], line["kind"]): line for line in lines_of(DATA)}


def test_every_question_is_answered_once() -> None:
    assert list(LINES) == list(questions())
    assert len(LINES) == len(lines_of(DATA))
    assert {line["answer"] for line in LINES.values()} == {"tour", "none"}
    assert all(bool(line["bytes"]) == bool(line["cut_sets"]) == (line["answer"] == "none") for line in LINES.values())


def test_the_numbers_of_the_page_are_those_of_the_lines() -> None:
    page = " ".join((DATA.parent / "results.md").read_text(encoding="utf-8").split())
    telling = [*filter(says_something, LINES.values())]
    none = [line for line in telling if line["answer"] == "none"]
    bare = sum(line["cut_sets"] == "0" for line in none)
    assert f"Of the other {len(telling):,} questions {len(telling) - len(none)} have a tour" in page
    assert f"{len(none):,} have none, and **{bare:,} of these {len(none):,} refutations need no cut set**" in page
    words = {
        ("1,2", 140): "none of 140",
        ("1,4", 86): "11x11 of 86",
        ("1,6", 48): "six of 48",
        ("1,8", 26): "six of 26",
    }
    for (leaper, boards), said in words.items():
        wide = [line for line in LINES.values() if line["leaper"] == leaper and line["kind"] == "open"]
        least = 2 * int(leaper[2:]) + 2
        wide = [line for line in wide if min(map(int, line["board"].split("x"))) >= least]
        lacking = [line["board"] for line in wide if line["answer"] == "none"]
        assert said in page
        assert (len(wide), len(lacking)) == (boards, {"n": 0, "1": 1, "s": 6}[said[0]]), lacking


def test_theorems_agree() -> None:
    for (leaper, board, kind), line in LINES.items():
        if why_no_tour(Board.parse(board, leaper=leaper), closed=kind == "closed"):
            assert line["answer"] == "none", (leaper, board, kind)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_sample_is_answered_the_same_again(seed: int) -> None:
    easy = [question for question, line in LINES.items() if float(line["seconds"]) < 0.3]
    for question in random.Random(seed).sample(easy, 40):
        again = answered(*question)
        for column in COLUMNS[:4]:
            assert again[column] == LINES[question][column], question


def test_the_study_asks_the_same_questions() -> None:
    asked = {
        (leaper if colon else "1,2", board, job.kind)
        for job in read_study(str(DATA.with_suffix(".toml"))).jobs(1, "local")
        for leaper, colon, board in [job.board.rpartition(":")]
    }
    assert asked == set(LINES)


def test_the_drawing_is_that_of_the_lines() -> None:
    assert maps(lines_of(DATA)) == (DATA.parent / "leapers.svg").read_text(encoding="utf-8")
