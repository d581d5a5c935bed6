"""What a run tells on the way: one line with live counters on a terminal, or events as JSON lines."""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Any

from cpsat_tour.core.events import Event, LogLine, Progress

INTERRUPTED = 130
"""The exit status after Ctrl-C, whichever the command."""

QUIET_SECONDS = 1.0
"""A run says nothing before this time is over."""


def event_data(event: Event) -> dict[str, Any]:
    """An event as one JSON object: its kind and its fields."""
    kind = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__).lstrip("_")
    return {"event": kind, **_fields(event)}


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record, records inside them as well; several times as fast as `dataclasses.asdict`, which copies."""
    fields = {}
    for name in record.__slots__:
        value = getattr(record, name)
        fields[name] = [_fields(part) if hasattr(part, "__slots__") else part for part in value] if type(value) is tuple else value
    return fields


def say(message: str) -> None:
    """Tell people something beside the result: on stderr."""
    print(message, file=sys.stderr)


def print_event(event: Event) -> None:
    """Print an event as one JSON line on stdout."""
    print(json.dumps(event_data(event)), flush=True)


class ProgressLine:
    """One line on stderr with the seconds and the counters so far; nothing where stderr is no terminal or the run is short."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._work: dict[str, int] = {}
        self._status: Any = None
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        """Take an event into the counters and show them; the solver's own log is shown as it comes."""
        if isinstance(event, LogLine):
            say(event.line)
            return
        if not self._shown:
            return
        if isinstance(event, Progress):
            self._work |= event.work
        else:
            data = event_data(event)
            self._work[data.pop("event")] = next(iter(data.values()))
        seconds = time.monotonic() - self._begun
        if seconds < QUIET_SECONDS:
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
        counters = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self._work.items())
        self._status.update(f"{self._what}, {seconds:.0f} s" + (f": {counters}" if counters else ""))
