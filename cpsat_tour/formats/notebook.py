"""Progress in notebooks: a line of plain text below the cell, brought up to date while a run goes on, and gone at its
end.

Only where IPython runs in a notebook's kernel; elsewhere nothing is shown, and nothing is imported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from cpsat_tour.core.events import Compiling, Event, LogLine, OnEvent, PartOut
from cpsat_tour.formats.told import Told

SILENT_SECONDS = 1.0
"""A shorter run shows nothing."""

SECONDS_BETWEEN_LINES = 0.2


@contextmanager
def progress_in_notebook(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[OnEvent | None]:
    """Who listens to a run in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        yield None
        return
    display: Any = import_module("IPython.display").display
    handle: Any = None
    told, begun, last = Told(), clock(), 0.0

    def listen(event: Event) -> None:
        nonlocal handle, last
        if isinstance(event, Compiling | LogLine | PartOut):
            return
        told.take(event)
        now = clock()
        if now - begun < SILENT_SECONDS or now - last < SECONDS_BETWEEN_LINES:
            return
        last = now
        line = {"text/plain": told.line(what, now - begun)}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield listen
    finally:
        if handle is not None:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)
