"""Progress in a notebook: a line of text that is brought up to date while a run goes on, and removed at its end.

Only IPython in a notebook's kernel shows it; elsewhere nothing is shown, and nothing imported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from cpsat_tour.core.events import Event, LogLine, OnEvent, PartOut
from cpsat_tour.formats.describe import ProgressWords

SILENT_SECONDS = 1.0
"""A notebook shows nothing of a shorter run."""


SECONDS_BETWEEN_LINES = 0.2


@contextmanager
def progress_in_notebook(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[OnEvent | None]:
    """Yield a listener that shows the progress of a run, and a solver's log, in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        yield None
        return
    display: Any = import_module("IPython.display").display
    handle: Any = None
    words, begun, last = ProgressWords(), clock(), 0.0

    def listen(event: Event) -> None:
        """Bring the line up to date, at most every so often; print a solver's log."""
        nonlocal handle, last
        if isinstance(event, LogLine):
            print(event.line, file=sys.stderr)
        if isinstance(event, LogLine | PartOut):
            return
        words.take(event)
        now = clock()
        if now - begun < SILENT_SECONDS or now - last < SECONDS_BETWEEN_LINES:
            return
        last = now
        line = {"text/plain": words.line(what, now - begun)}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield listen
    finally:
        if handle is not None:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)
