"""Tables of results as CSV files that grow a line at a time, so that what asks for them can be stopped at any time."""

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def lines_of(path: Path) -> list[dict[str, str]]:
    """Return the lines of a table by their columns, none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def append_lines(path: Path, columns: Sequence[str], lines: Iterable[Mapping[str, object]]) -> None:
    """Add each line to a table as soon as it is there, and print it on stderr; a new table begins with its header."""
    begun = path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n")
        if not begun:
            table.writeheader()
        for line in lines:
            table.writerow(line)
            file.flush()
            print(*line.values(), file=sys.stderr, flush=True)
