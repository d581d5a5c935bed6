"""Events as plain data for JSON: the kind in snake case, then the fields."""

from __future__ import annotations

from typing import Any

from cpsat_tour.core.events import Event


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
