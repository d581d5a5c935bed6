"""What a run has told so far, as words: which part is at work, and its counters."""

from __future__ import annotations

from cpsat_tour.core.events import Event, PartAtWork, Progress
from cpsat_tour.formats.event_data import event_data


class Told:
    """The counters of a run, kept from its events."""

    def __init__(self) -> None:
        self._part = ""
        self.work: dict[str, int] = {}

    def take(self, event: Event) -> None:
        """Take an event into the counters."""
        if isinstance(event, PartAtWork):
            self._part, self.work = event.part, {}
        elif isinstance(event, Progress):
            self.work |= event.work
        else:
            kind, first, *_ = event_data(event).values()
            self.work[kind] = first

    def __str__(self) -> str:
        """Such as ``sat conflicts 1,024, restarts 3``."""
        counters = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.work.items())
        return " ".join(filter(None, (self._part, counters)))
