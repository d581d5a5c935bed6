"""What a page asks for: one flat JSON object, read with suspicion, and the problem and the search that it stands for.

Squares of a board are ``[row, col]`` from the top left, from 0, vertices of another space their numbers.
Whatever is wrong with a setting is a `BadInput`, whose sentence the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cpsat_tour.core.answer import MAX_SEED
from cpsat_tour.core.conditions import known_of_tours
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import symmetry_of
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.theorems import sentence, symmetric
from cpsat_tour.spaces.turns import NAMES

MOST_SIDE = 50
"""The longest side of a board on the page: its squares are a dozen pixels wide, and its search is kept in the page's
memory."""

BACKENDS = ("dfs", "sat:lazy", "sat", "cpsat", "proof")
"""What a page may ask: the native search step by step, solvers by their events, and the certificate that there is no
tour."""

MOST_VERTICES = 400
"""Of a space that is no board: what can be told apart on a screen."""

MOST_EDGES = 4000

_LONGEST_NAME = 80

Place = tuple[int, int] | int


@dataclass(frozen=True)
class Setting:
    """A setting that is well formed; that its squares are on the board shows when `problem` is made."""

    rows: int = 8
    cols: int = 8
    space: str = ""
    closed: bool = False
    start: Place | None = None
    end: Place | None = None
    holes: tuple[tuple[int, int], ...] = ()
    givens: tuple[tuple[Place, int], ...] = ()
    leaper: tuple[int, int] = (1, 2)
    symmetry: str = "none"
    backend: str = "dfs"
    order: str = "default"
    prune: str = "default"
    backtrack: bool = True
    seed: int = 0

    @classmethod
    def read(cls, data: object) -> Setting:
        """The setting in a JSON object; what is not there is as in a new page."""
        if not isinstance(data, dict):
            raise BadInput("a setting is an object, and this is none")
        if strange := [key for key in data if key not in cls.__dataclass_fields__]:
            raise BadInput(
                f"a setting has no {str(strange[0])[:_LONGEST_NAME]!r}: it has {', '.join(cls.__dataclass_fields__)}"
            )
        return cls(
            rows=whole("rows", data.get("rows", cls.rows), 1, MOST_SIDE),
            cols=whole("cols", data.get("cols", cls.cols), 1, MOST_SIDE),
            closed=_truth(data, "closed", cls.closed),
            space=_name(data, "space", cls.space),
            start=_place("start", data.get("start")),
            end=_place("end", data.get("end")),
            holes=_pairs("holes", data.get("holes", [])),
            givens=_givens(data.get("givens", [])),
            leaper=_pair("leaper", data.get("leaper", list(cls.leaper))),
            symmetry=_name(data, "symmetry", cls.symmetry, ("none", *NAMES)),
            backend=_name(data, "backend", cls.backend, BACKENDS),
            order=_name(data, "order", cls.order),
            prune=_name(data, "prune", cls.prune),
            backtrack=_truth(data, "backtrack", cls.backtrack),
            seed=whole("seed", data.get("seed", cls.seed), 0, MAX_SEED),
        )

    @cached_property
    def source(self) -> Source:
        """The board of the setting, or the other space that it names: never a file."""
        if not self.space:
            return Board(self.rows, self.cols, self.holes, self.leaper)
        source = read(self.space)
        if source is None:
            raise BadInput(f"{self.space!r} is not a space: write one such as 8x8, torus:5x5, 4x4x3 or GP(17,2)")
        if len(source) > MOST_VERTICES:
            raise BadInput(
                f"{source.called()} has {len(source)} {source.nouns[1]}, and the page shows spaces of at most "
                f"{MOST_VERTICES}"
            )
        return source

    @cached_property
    def graph(self) -> Graph:
        """The graph of the setting."""
        graph = self.source.graph
        if self.space and graph.size > MOST_EDGES:
            raise BadInput(f"{graph.called} has {graph.size} edges, and the page draws at most {MOST_EDGES}")
        return graph

    @cached_property
    def problem(self) -> Problem:
        """The problem on the board of the setting."""
        start, end = (None if place is None else self.vertex(place) for place in (self.start, self.end))
        givens = tuple((self.vertex(place), number) for place, number in self.givens)
        symmetry = None if self.symmetry == "none" else symmetry_of(self.graph, self.symmetry, closed=self.closed)
        return Problem(self.graph, self.closed, start, end, symmetry=symmetry, givens=givens)

    def vertex(self, place: Place) -> int:
        """The vertex of a square or a number."""
        return self.source.vertex(place) if isinstance(place, tuple) or not isinstance(self.source, Board) else place


def as_sentence(reason: str) -> str:
    """Return a reason as a sentence, with a full stop; the name of a vertex at its beginning keeps its small letter."""
    word = reason.split(" ", 1)[0]
    return f"{reason[:1].upper() if word.isalpha() else reason[:1]}{reason[1:]}."


def judgement(setting: Setting) -> dict[str, Any]:
    """How many squares there are and, where that can be told without a search, why there is no tour."""
    problem = setting.problem
    known = known_of_tours(problem)
    refutation = known.refutation if known is not None else None
    free = problem.closed or problem.start is None is problem.end
    space, closed = problem.graph.space, problem.closed
    theorem = (sentence(space, closed=closed) if free else None) or symmetric(space, setting.symmetry, closed=closed)
    reason = as_sentence(refutation.reason) if refutation is not None else theorem
    return {
        "event": "judgement",
        "squares": problem.graph.order,
        "impossible": reason is not None,
        "reason": reason,
        "theorem": theorem,
    }


def whole(what: str, value: object, least: int, most: int) -> int:
    """A whole number that a page sends; `BadInput` where it is none or out of these bounds."""
    if type(value) is not int or not least <= value <= most:
        raise BadInput(f"{what} can't be {_shown(value)}: give a whole number from {least} to {most}")
    return value


def _truth(data: Mapping[str, Any], key: str, default: bool) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise BadInput(f"{key} can't be {_shown(value)}: give true or false")
    return value


def _name(data: Mapping[str, Any], key: str, default: str, choices: tuple[str, ...] = ()) -> str:
    value = data.get(key, default)
    if not isinstance(value, str) or len(value) > _LONGEST_NAME or (choices and value not in choices):
        raise BadInput(
            f"{key} can't be {_shown(value)}: " + (f"choose one of {', '.join(choices)}" if choices else "give a name")
        )
    return value


def _pair(what: str, value: object) -> tuple[int, int]:
    if not (
        isinstance(value, list)
        and len(value) == 2
        and all(type(part) is int and 0 <= part <= MOST_SIDE for part in value)
    ):
        raise BadInput(f"{what} can't be {_shown(value)}: give two whole numbers from 0 to {MOST_SIDE}, such as [1, 2]")
    return value[0], value[1]


def _place(what: str, value: object) -> Place | None:
    """A square, or the number of a vertex."""
    return value if value is None or (type(value) is int and 0 <= value < MOST_VERTICES) else _pair(what, value)


def _pairs(what: str, value: object) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list) or len(value) > MOST_SIDE**2:
        raise BadInput(f"{what} can't be {_shown(value)}: give a list of squares, such as [[0, 0]]")
    return tuple(_pair(what, part) for part in value)


def _givens(value: object) -> tuple[tuple[Place, int], ...]:
    """The numbers of a puzzle, each with its place."""
    if not isinstance(value, list) or len(value) > MOST_SIDE**2:
        raise BadInput(
            f"givens can't be {_shown(value)}: give a list of places and their numbers, such as [[[0, 0], 1]]"
        )
    found = []
    for given in value:
        if not (
            isinstance(given, list) and len(given) == 2 and type(given[1]) is int and 1 <= given[1] <= MOST_SIDE**2
        ):
            raise BadInput(f"a given can't be {_shown(given)}: give a place and its number, such as [[0, 0], 1]")
        place = _place("a given", given[0])
        if place is None:
            raise BadInput("a given has a place, and this has none")
        found.append((place, given[1]))
    return tuple(found)


def _shown(value: object) -> str:
    """A value that is not to be trusted, short enough for a sentence."""
    if isinstance(value, int) and abs(value) > 10**_LONGEST_NAME:
        return "a number of many digits"
    text = repr(value)
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
