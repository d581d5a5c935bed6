"""Fifty files as people write them, each read as its author meant it; what has two meanings is refused with both.

`corpus/meanings.txt` has a section for each file: its name, what it is, the moves, and the grid that it means. For a
file with two meanings both grids follow, and the first line has the words by which the message tells them apart.
One file is refused, though it has one meaning.
"""

import re
from pathlib import Path

import pytest
from grid_texts import grid_read

from cpsat_tour import BadInput, load_puzzle, solve

CORPUS = Path(__file__).parent / "corpus"
SECTIONS = (CORPUS / "meanings.txt").read_text().strip().split("\n\n")


def name_of(section: str) -> str:
    return section.split(maxsplit=1)[0]


@pytest.mark.parametrize("section", SECTIONS, ids=name_of)
def test_a_file_is_read_as_its_author_meant_it(section: str) -> None:
    head, _, meaning = section.partition("\n")
    name, kind, leaper, *words = head.split()
    if kind == "refused":
        with pytest.raises(BadInput, match=" ".join(words)):
            load_puzzle(CORPUS / name)
        return
    if not words:
        assert grid_read(CORPUS / name, kind, leaper) == meaning
        return
    with pytest.raises(BadInput, match=r"write|give|--") as refused:
        grid_read(CORPUS / name, kind, leaper)
    for word in words:
        assert re.search(rf"\b{word}", str(refused.value))


@pytest.mark.parametrize("section", SECTIONS, ids=name_of)
def test_each_meaning_has_a_tour(section: str) -> None:
    head, _, meanings = section.partition("\n")
    for meaning in meanings.split("\nor\n"):
        rows = [row.split() for row in meaning.splitlines()]
        assert solve(load_puzzle(rows, head.split()[2])).status == "tour"


def test_there_is_a_meaning_for_each_file() -> None:
    assert {*map(name_of, SECTIONS), "meanings.txt"} == {file.name for file in CORPUS.iterdir()}
    assert len(SECTIONS) == 50
    assert sum("\nor\n" in section for section in SECTIONS) <= 10
