"""The matrix of `agree`: board by board what was found and how many runs answered, then the count of verdicts by
backend.

Boards lie in a grid, rows down and columns across, one grid for each kind of tour; graph files stand in a list. In a
cell ``tour 5`` means that all five runs found a tour; ``none 4+1`` that four runs answered and one did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from cpsat_tour.compare.agree import ANSWERED, Judged, RunVerdict
from cpsat_tour.compare.record import FAULTS, grid_place, label
from cpsat_tour.core.errors import printable

MAX_LISTED = 40
"""Disagreements and faults that are listed one by one."""

SHADES: dict[RunVerdict, str] = {
    "tour": "green",
    "none": "blue",
    "claimed": "yellow",
    "unknown": "dim",
    "refused": "dim",
    "timeout": "magenta",
    "memory": "magenta",
    "crash": "magenta",
    "garbage": "magenta",
    "DISAGREE": "bold white on red",
}
"""How a verdict looks in the terminal, from what is answered to what should not be."""


class Cell(Counter[RunVerdict]):
    """The number of runs with each verdict on one board and kind of tour, over backends and start squares."""

    @property
    def verdict(self) -> RunVerdict:
        """The verdict that is shown: a disagreement or a fault before all others, then what was found."""
        return next(verdict for verdict in get_args(RunVerdict) if self[verdict])

    @property
    def answered(self) -> int:
        """The number of runs that gave an answer."""
        return sum(self[verdict] for verdict in ANSWERED)

    def words(self) -> Text:
        """Return the verdict, and the runs that answered plus those that did not."""
        left = self.total() - self.answered
        return Text(f"{self.verdict} {self.answered}" + (f"+{left}" if left else ""), style=SHADES[self.verdict])


def cells(judged: Iterable[Judged]) -> dict[tuple[str, str], Cell]:
    """Return the cells of the matrix, the number of runs with each verdict, by (kind, board)."""
    found: dict[tuple[str, str], Cell] = {}
    for entry in judged:
        found.setdefault((entry.run.kind, entry.run.board), Cell())[entry.verdict] += 1
    return found


def print_matrix(judged: Sequence[Judged]) -> None:
    """Print the matrix on standard output, as wide as it needs where that is no terminal."""
    found = cells(judged)
    parts: list[Any] = []
    for kind in dict.fromkeys(kind for kind, _ in found):
        words = f"{kind} tours: rows down, columns across; runs that answered + runs that did not"
        of_kind = {board: cell for (its_kind, board), cell in found.items() if its_kind == kind}
        parts += [Text(words, style="bold"), *_grid(of_kind), ""]
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=max(console.width, 200))
    console.print(Group(*parts, _verdict_table(judged), *fault_lines(judged)))


def _grid(of_kind: dict[str, Cell]) -> list[Any]:
    """Return the boards of one kind of tour as a table, and the graph files as lines."""
    places = {board: grid_place(board) for board in of_kind}
    in_grid = {place: of_kind[board] for board, place in places.items() if place}
    parts: list[Any] = []
    if in_grid:
        table = Table(box=None, pad_edge=False)
        table.add_column("", justify="right", style="dim")
        cols = sorted({col for _, col in in_grid})
        for col in cols:
            table.add_column(str(col), header_style="dim", no_wrap=True)
        for row in sorted({row for row, _ in in_grid}):
            in_row = [in_grid.get((row, col)) for col in cols]
            table.add_row(str(row), *("" if cell is None else cell.words() for cell in in_row))
        parts.append(table)
    return parts + [Text.assemble(f"{board}: ", of_kind[board].words()) for board in of_kind if places[board] is None]


def _verdict_table(judged: Sequence[Judged]) -> Table:
    """Return the table of how many runs of each backend have which verdict, those that no run has left out; and how
    many of its ``none`` are its bare word."""
    seen = [verdict for verdict in SHADES if any(entry.verdict == verdict for entry in judged)]
    table = Table(box=None, pad_edge=False)
    table.add_column("backend")
    for verdict in seen:
        table.add_column(verdict, justify="right", style=SHADES[verdict])
    table.add_column("none by its word alone", justify="right", style="dim")
    for backend in dict.fromkeys(entry.run.backend for entry in judged):
        of_backend = [entry for entry in judged if entry.run.backend == backend]
        count = Counter(entry.verdict for entry in of_backend)
        bare = sum(entry.bare for entry in of_backend)
        table.add_row(label(backend), *(str(count[verdict] or "·") for verdict in seen), str(bare or "·"))
    return table


def fault_lines(judged: Sequence[Judged]) -> list[Text]:
    """Return a line for each disagreement, then for each fault."""
    wrong = [entry for entry in judged if entry.verdict == "DISAGREE"]
    wrong += [entry for entry in judged if entry.verdict in FAULTS]
    lines = [
        Text(
            printable(
                f"{entry.verdict}: {label(entry.run.backend)}, {entry.run.question}"
                + f", seed {entry.run.seed}" * bool(entry.run.seed)
                + f": {entry.why}"
            ),
            style=SHADES[entry.verdict],
        )
        for entry in wrong[:MAX_LISTED]
    ]
    return lines + ([Text(f"and {len(wrong) - MAX_LISTED} more")] if len(wrong) > MAX_LISTED else [])
