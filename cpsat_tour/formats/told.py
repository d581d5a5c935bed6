"""What a run tells: so far, as words, which part is at work and its counters; and each event as plain data for JSON."""

from __future__ import annotations

from typing import Any

from cpsat_tour.core.events import Event, PartAtWork, Progress

LEAST_DONE = 0.01
"""From less than this nothing is told of the time left."""


class Told:
    """The counters of a run, kept from its events."""

    def __init__(self) -> None:
        self._part = ""
        self._done: float | None = None
        self.work: dict[str, int] = {}

    def take(self, event: Event) -> None:
        """Take an event into the counters."""
        if isinstance(event, PartAtWork):
            self._part, self.work = event.part, {}
        elif isinstance(event, Progress):
            self.work |= event.work
            self._done = event.done
        else:
            kind, first, *_ = event_data(event).values()
            self.work[kind] = first

    def line(self, what: str, seconds: float) -> str:
        """What is done, for how long, and what there is to tell of it: ``counting, 12 s: cubes 30, about 48 s
        left``."""
        counters = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.work.items())
        told = " ".join(filter(None, (self._part, counters))) + self._left(seconds)
        return f"{what}, {seconds:.0f} s" + (f": {told}" if told else "")

    def _left(self, seconds: float) -> str:
        """How long it will go on, if so much has been done in these seconds, once that can be said."""
        if self._done is None or not LEAST_DONE <= self._done < 1:
            return ""
        left = seconds * (1 - self._done) / self._done
        number, unit = (left, "s") if left < 120 else (left / 60, "min") if left < 7200 else (left / 3600, "h")
        return f", about {number:.0f} {unit} left"


def event_data(event: Event) -> dict[str, Any]:
    """An event as one JSON object: its kind and its fields."""
    kind = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(event).__name__).lstrip("_")
    return {"event": kind, **_fields(event)}


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record, records inside them as well; several times as fast as `dataclasses.asdict`, which
    copies."""
    fields = {}
    for name in record.__dataclass_fields__:
        value = getattr(record, name)
        if type(value) is tuple:
            value = [_fields(part) if hasattr(part, "__dataclass_fields__") else part for part in value]
        fields[name] = value
    return fields
