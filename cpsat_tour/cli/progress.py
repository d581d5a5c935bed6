"""What a run tells on the way: one line with live counters on a terminal."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from typing import Any

from cpsat_tour.cli.messages import is_quiet, say
from cpsat_tour.core.events import Compiling, Event, LogLine, PartOut
from cpsat_tour.formats.progress import ProgressWords

QUIET_SECONDS = 1.0
"""A run says nothing before this time is over."""


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line on stderr with the seconds and the counters so far; nothing where stderr is no terminal or the run is
    short."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._words: ProgressWords | None = None
        self._compiling = False
        self._status: Any = None
        self._shown = sys.stderr.isatty() and not is_quiet()

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        """Take an event into the counters and show them; the solver's own log, and which part of a portfolio is out,
        are said as they come."""
        if isinstance(event, LogLine):
            say(event.line)
        elif isinstance(event, PartOut) and (event.fault or self._shown):
            say(f"{event.part} is out: {event.why}")
        elif self._shown and isinstance(event, Compiling):
            if not self._compiling:
                say("compiling, once: this takes some seconds")
            self._compiling = True
        elif self._shown:
            self._show(event)

    def _show(self, event: Event) -> None:
        self._words = self._words or ProgressWords()
        self._words.take(event)
        seconds = time.monotonic() - self._begun
        if seconds < QUIET_SECONDS:
            return
        if self._status is None:
            from rich.console import Console  # only where there is a terminal

            self._status = Console(stderr=True).status("")
            self._status.start()
        self._status.update(self._words.line(self._what, seconds))
