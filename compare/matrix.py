"""The matrix of `agree`: board by board what was found and how many runs answered, then the count of verdicts by
backend.

Boards lie in a grid, rows down and columns across, one grid for each kind of tour; graph files stand in a list. In a
cell ``tour 5`` means that all five runs found a tour; ``none 4+1`` that four runs answered and one did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from cpsat_tour.compare.agreement import Cell, Judged, by_backend, cells
from cpsat_tour.compare.boards import grid_place
from cpsat_tour.compare.record import FAULTS
from cpsat_tour.compare.style import SHADES, label

MOST_TOLD = 40
"""Disagreements and faults that are told one by one."""


def cell_words(cell: Cell) -> tuple[str, str]:
    """What stands in a cell: the verdict, and the runs that answered plus those that did not."""
    return cell.verdict, f"{cell.answered}" + (f"+{cell.unanswered}" if cell.unanswered else "")


def grid_sides(boards: Sequence[str]) -> tuple[list[int], list[int]]:
    """The rows and the columns that the boards have, each increasing."""
    lengths = [lengths for board in boards if (lengths := grid_place(board))]
    return sorted({rows for rows, _ in lengths}), sorted({cols for _, cols in lengths})


def matrix(judged: Sequence[Judged]) -> Group:
    """The matrix as something that Rich prints."""
    parts: list[Any] = []
    found = cells(judged)
    for kind in dict.fromkeys(kind for kind, _ in found):
        of_kind = {board: cell for (its, board), cell in found.items() if its == kind}
        parts += [
            Text(f"{kind} tours: rows down, columns across; runs that answered + runs that did not", style="bold"),
            *_grid(of_kind),
            "",
        ]
    parts.append(_counts(by_backend(judged)))
    parts += told(judged)
    return Group(*parts)


def _grid(of_kind: dict[str, Cell]) -> list[Any]:
    rows, cols = grid_sides(list(of_kind))
    parts: list[Any] = []
    if rows:
        table = Table(box=None, pad_edge=False)
        table.add_column("", justify="right", style="dim")
        for col in cols:
            table.add_column(str(col), header_style="dim", no_wrap=True)
        for row in rows:
            table.add_row(str(row), *(_word(of_kind.get(f"{row}x{col}")) for col in cols))
        parts.append(table)
    files = [cell for board, cell in of_kind.items() if grid_place(board) is None]
    return parts + [Text.assemble(f"{cell.board}: ", _word(cell)) for cell in files]


def _word(cell: Cell | None) -> Text:
    return Text("") if cell is None else Text(" ".join(cell_words(cell)), style=SHADES[cell.verdict])


def _counts(runs: dict[str, list[Judged]]) -> Table:
    """How many runs of each backend have which verdict, those that no run has left out; and how many of its ``none``
    are its bare word."""
    counts = {backend: Counter(entry.verdict for entry in entries) for backend, entries in runs.items()}
    seen = [verdict for verdict in SHADES if any(count[verdict] for count in counts.values())]
    table = Table(box=None, pad_edge=False)
    table.add_column("backend")
    for verdict in seen:
        table.add_column(verdict, justify="right", style=SHADES[verdict])
    table.add_column("none by its word alone", justify="right", style="dim")
    for backend, count in counts.items():
        bare = sum(entry.bare for entry in runs[backend])
        table.add_row(label(backend), *(str(count[verdict] or "·") for verdict in seen), str(bare or "·"))
    return table


def told(judged: Sequence[Judged]) -> list[Text]:
    """Each disagreement and each fault in a line."""
    lines = [entry for entry in judged if entry.verdict == "DISAGREE"] + [
        entry for entry in judged if entry.verdict in FAULTS
    ]
    words = [
        Text(
            f"{entry.verdict}: {label(entry.run.backend)}, {entry.run.question}: {entry.why}",
            style=SHADES[entry.verdict],
        )
        for entry in lines[:MOST_TOLD]
    ]
    return words + ([Text(f"and {len(lines) - MOST_TOLD} more")] if len(lines) > MOST_TOLD else [])


def print_matrix(judged: Sequence[Judged]) -> None:
    """Print the matrix on standard output, as wide as it needs where that is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=max(console.width, 200))
    console.print(matrix(judged))
