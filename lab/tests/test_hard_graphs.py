"""The table of hard graphs: that of its file, whose lines are a graph each."""

from hard_graphs import DATA, PAGE, TABLE, table
from tables import lines_of


def test_the_table_is_that_of_the_file() -> None:
    assert TABLE.findall(PAGE.read_text(encoding="utf-8")) == [table()]
    lines = lines_of(DATA)
    assert len({line["board"] for line in lines}) == len(lines)
    assert {line["status"] for line in lines} <= {"tour", "unknown"}
    assert all(bool(line["mean"]) == (line["status"] == "tour") for line in lines)
