"""The table of hard graphs in ``measurements.md``: ``python lab/hard_graphs.py`` writes it anew from
``hard_graphs.csv``, which ``cpsat-tour compare report RUNS --measure wall -o lab/hard_graphs.csv`` writes."""

import re
from pathlib import Path

from tables import lines_of

DATA = Path(__file__).resolve().with_suffix(".csv")
PAGE = DATA.with_name("measurements.md")

TABLE = re.compile(r"(?<=<!-- the kinds of graphs in hard_graphs.csv -->\n)(?:\|.*\n)*")


def table() -> str:
    """Return the rows of the table: of each kind of graph how many were answered, in ten seconds and in all, and the
    longest time."""
    lines = lines_of(DATA)
    rows = ["| kind | graphs | vertices | answered in 10 s | answered | longest |", "|---|---:|---|---:|---:|---:|"]
    for kind in [*sorted({line["plan"] for line in lines}), "all"]:
        graphs = [line for line in lines if kind in ("all", line["plan"])]
        sizes = sorted(int(line["vertices"]) for line in graphs)
        times = sorted(float(line["mean"]) for line in graphs if line["mean"])
        quick, longest = sum(time <= 10 for time in times), f"{times[-1]:.1f} s" if times else "–"
        rows.append(f"| {kind} | {len(graphs)} | {sizes[0]:,}–{sizes[-1]:,} | {quick} | {len(times)} | {longest} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
