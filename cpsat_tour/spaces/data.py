"""JSON that describes a space or a problem, read with suspicion: each fault says where it lies and what would be
right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from cpsat_tour.core.errors import BadInput

MAX_NUMBER = 10**9
"""The largest number that is looked at."""

Path = tuple[str | int, ...]

T = TypeVar("T")

_WORDS = {int: "a whole number", str: "a string", list: "a list", dict: "an object", bool: "true or false"}


class WrongData(BadInput):
    """JSON is not what it should be; ``path`` leads from the object to what is wrong."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class Fields:
    """An object, whose members must be there and of their types; `WrongData` where they are not, or where there are
    others."""

    def __init__(self, data: Mapping[str, Any], known: Sequence[str]) -> None:
        self._data = data
        for key in data:
            if key not in known:
                # A member that nobody knows might change what is asked.
                raise WrongData((key,), f"{key!r:.80} is no part of it: it has {', '.join(known)}")

    def typed(self, value: object, path: Path, kind: type[T]) -> T:
        """The value, which must be of this very type."""
        if type(value) is not kind:
            given = _WORDS[type(value)] if isinstance(value, list | dict) else f"{value!r:.80}"
            self.wrong(path, f"must be {_WORDS[kind]}, and is {given}")
        return value

    def member(self, key: str) -> object:
        """A member, whatever it is."""
        if key not in self._data:
            self.wrong((key,), "is missing")
        return self._data[key]

    def members(self, key: str) -> list[Any]:
        """A list."""
        return self.typed(self.member(key), (key,), list)

    def whole(self, key: str) -> int:
        """A whole number of a sensible size."""
        return self._number(self.member(key), (key,))

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        return tuple(self._number(value, (key, place)) for place, value in enumerate(self.members(key)))

    def squares(self, key: str) -> list[Any]:
        """Squares by their names or coordinates."""
        return [self.vertex(value, (key, place)) for place, value in enumerate(self.members(key))]

    def vertex(self, value: object, path: Path) -> str | tuple[int, ...]:
        """A vertex by its name or its coordinates."""
        if isinstance(value, list):
            return tuple(self._number(part, (*path, place)) for place, part in enumerate(value))
        return self.typed(value, path, str)

    def made(self, make: Callable[..., T], *parts: Any) -> T:
        """What is made of these parts."""
        try:
            return make(*parts)
        except BadInput as fault:
            raise WrongData((), str(fault)) from fault

    def wrong(self, path: Path, reason: str) -> NoReturn:
        """Raise `WrongData`."""
        raise WrongData(path, f"{'.'.join(map(str, path))} {reason}")

    def _number(self, value: object, path: Path) -> int:
        number = self.typed(value, path, int)
        if abs(number) > MAX_NUMBER:
            self.wrong(path, f"is too large: at most {MAX_NUMBER} is allowed")
        return number
