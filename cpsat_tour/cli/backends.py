"""``cpsat-tour backends``: the table of backends and what is installed."""

from __future__ import annotations

import json

import click

from cpsat_tour.backends import registry
from cpsat_tour.core.libraries import distribution


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def backends(as_json: bool) -> None:
    """List the backends, what each does, and whether what it needs is installed."""
    table = {name: (registry.row(name), registry.missing(name)) for name in registry.names()}
    if as_json:
        print(json.dumps({name: {"summary": row.summary, "missing": missing} for name, (row, missing) in table.items()}))
        return
    width = max(map(len, table))
    for name, (row, missing) in table.items():
        state = f"needs {', '.join(missing)}: pip install {' '.join(map(distribution, missing))}" if missing else "ready"
        print(f"{name:<{width}}  {row.summary} ({state})")
