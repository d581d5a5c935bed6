"""Reads spaces and problems as people state them.

A space is typed as ``8x8``, ``GP(17,2)`` or the like, or as the path of a graph file; in Python a problem is a space
and keywords.

The functions of the Python interface share their keywords: the parts of a problem and the limits are stated here once,
and `with_keywords` shows them in the signature and the docstring of each.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, cast, runtime_checkable

from cpsat_tour.core.errors import BadInput, items_of, quoted
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem, pairs
from cpsat_tour.core.space import VertexLike
from cpsat_tour.formats.typed import graph_of, symmetry_of


@runtime_checkable
class NetworkxGraph(Protocol):
    """A graph of networkx, directed or not."""

    @property
    def nodes(self) -> Any:
        """The nodes: any hashable objects."""

    def is_directed(self) -> bool:
        """Return True if the edges are arcs."""


Where: TypeAlias = Problem | Graph | Source | NetworkxGraph | str | int | Mapping[Any, Any] | Iterable[Any]
"""A problem; a graph, or a space that has one, such as a `Board`; a networkx graph; a text that `graph_of` reads; the
side of a square board; or what else is a graph: a dict of neighbours, pairs of vertices, a matrix."""


Moves: TypeAlias = Iterable[tuple[VertexLike, VertexLike]]
Givens: TypeAlias = Mapping[Any, int] | Iterable[tuple[VertexLike, int]]


class ProblemParts(TypedDict, total=False):
    """The parts of a problem besides its space. A square is given in any notation of `Board.square`, such as ``"e4"``,
    a vertex of a graph by its name or as an int, a vertex of a networkx graph as its node.

    - ``closed`` (bool, default False): whether the tour is closed: its last square is a move away from its first.
    - ``start`` (a square, default None): where the tour begins.
    - ``end`` (a square, default None): where it ends; in a closed tour, which needs a start then, a neighbour of that.
    - ``require`` (pairs of squares, default none): moves that the tour makes, in either direction:
      ``[("a1", "b3")]``.
    - ``forbid`` (pairs of squares, default none): moves that the tour does not make.
    - ``symmetry`` (str, default None): the symmetry that maps the tour to itself: ``"rot180"``, ``"any"``, or the path
      of a file with a permutation.
    - ``givens`` (a dict, default none): the numbers of some visits, counted from 1: ``{"e4": 17}``.
    - ``waypoints`` (squares, default none): squares that are visited in this order: ``["a1", "c3", "e4"]``.
    """

    closed: bool
    start: VertexLike | None
    end: VertexLike | None
    require: Moves
    forbid: Moves
    symmetry: str | None
    givens: Givens
    waypoints: Iterable[VertexLike]


class LimitParts(TypedDict, total=False):
    """The limits of a run and its seed.

    - ``seed`` (int, default 0): the seed of all random choices, from 0 to 2**31 - 1.
    - ``seconds`` (float, default None): the limit on wall time in seconds; None for no limit.
    - ``threads`` (int, default None): how many threads are used, if the backend can; None for the backend's choice.
    """

    seed: int
    seconds: float | None
    threads: int | None


class Asked(ProblemParts, LimitParts, total=False):
    """The parts of a problem and the limits, as keywords."""


DEFAULTS: dict[str, Any] = {"closed": False, "require": (), "forbid": (), "givens": (), "waypoints": (), "seed": 0}
"""The keywords whose default is not None."""

Asking = TypeVar("Asking", bound=Callable[..., Any])


def with_keywords(function: Asking) -> Asking:
    """Return the function with a signature that names each of its shared keywords, which it takes as ``**asked:
    Unpack[…]``, and with their lines of the docstrings here added to its own: for help and completion. It refuses other
    keywords with a `TypeError` that lists its own."""
    signature = inspect.signature(function)
    *own, asked = signature.parameters.values()
    parts = function.__globals__[asked.annotation.removeprefix("Unpack[").removesuffix("]")]
    docs = "\n".join(inspect.getdoc(source) or "" for source in (ProblemParts, LimitParts, parts))
    lines = {line[1]: line[0] for line in re.finditer(r"^- ``(\w+)``.*(?:\n  .*)*", docs, re.MULTILINE)}
    for name, kind in parts.__annotations__.items():
        annotation, default = kind.__forward_arg__, DEFAULTS.get(name)
        own.append(inspect.Parameter(name, asked.KEYWORD_ONLY, default=default, annotation=annotation))
    if lines and function.__doc__:  # neither is there with ``python -OO``
        shared = map(lines.__getitem__, parts.__annotations__)
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__), *shared])
    names = [parameter.name for parameter in own]

    @wraps(function)
    def with_known_keywords(*values: Any, **given: Any) -> Any:
        """Call the function; `TypeError` for a keyword that it does not have."""
        if unknown := [name for name in given if name not in names]:
            board = f"give it to a board, as in Board(6, 6, {unknown[0]}=...), or " * (
                unknown[0] in ("holes", "leaper")
            )
            raise TypeError(f"{unknown[0]!r} is not a keyword here: {board}choose one of {', '.join(names[1:])}")
        return function(*values, **given)

    vars(with_known_keywords)["__signature__"] = signature.replace(parameters=own)
    return cast(Asking, with_known_keywords)


def problem_and_limits(where: Where, asked: Asked) -> tuple[Problem, Limits]:
    """Return the problem on this space and the limits that the keywords state; `BadInput` if one is wrong."""
    parts: dict[str, Any] = dict(asked)
    limits = {name: parts.pop(name) for name in LimitParts.__annotations__ if name in parts}
    return problem_of(where, **parts), Limits(**limits)


@with_keywords
def problem_of(where: Where, **parts: Unpack[ProblemParts]) -> Problem:
    """Return the problem on this space with these parts; a `Problem` as it is, which takes no parts. Raises `BadInput`
    if a part can't be one of the space.

    - ``where`` (a board, a graph, text, or a `Problem`): what is asked about, as in `solve`.
    """
    if isinstance(where, Problem):
        if parts:
            raise BadInput(f"a Problem has its parts already: leave out {', '.join(parts)}")
        return where
    if isinstance(where, str | int) and not isinstance(where, bool):
        graph = graph_of(str(where))
    elif isinstance(where, Graph | Source):
        graph = where.graph if isinstance(where, Source) else where
    elif isinstance(where, NetworkxGraph):
        graph = Graph.from_networkx(where)
    else:
        from cpsat_tour.formats.graph_data import graph_of_data  # its readers take longer to load than many a solve

        graph = graph_of_data(where)
    vertex = graph.space.vertex
    closed, symmetry = parts.get("closed", False), parts.get("symmetry")
    start, end = parts.get("start"), parts.get("end")
    if not isinstance(symmetry, str | None):
        raise BadInput(f"the symmetry can't be {quoted(symmetry)}: give its name, such as 'rot180'")
    return Problem(
        graph,
        closed,
        None if start is None else vertex(start),
        None if end is None else vertex(end),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("require", parts.get("require", ()))),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("forbid", parts.get("forbid", ()))),
        None if symmetry is None else symmetry_of(graph, symmetry, closed=closed),
        tuple((vertex(which), number) for which, number in pairs("givens", parts.get("givens", ()))),
        tuple(map(vertex, items_of("the waypoints", parts.get("waypoints", ())))),
    )
