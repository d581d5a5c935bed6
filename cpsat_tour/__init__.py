"""cpsat-tour: the knight's tour as a suite of formulations, solvers, proofs and comparisons.

>>> from cpsat_tour import Board, solve
>>> len(solve(Board(8, 8), closed=True, backend="sat").tour)
64
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpsat_tour.backends.best import best
    from cpsat_tour.backends.runner import run, solve
    from cpsat_tour.core.answer import Answer, Limits
    from cpsat_tour.core.errors import BackendFault, BadInput, TourFault
    from cpsat_tour.core.graph import Graph
    from cpsat_tour.core.problem import HamiltonProblem
    from cpsat_tour.core.tour import Tour, verify
    from cpsat_tour.formats.graph_files import read_graph
    from cpsat_tour.formats.spaces import graph_of
    from cpsat_tour.spaces.board import Board
    from cpsat_tour.spaces.box import Box
    from cpsat_tour.spaces.wrapped import Wrapped

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BackendFault",
    "BadInput",
    "Board",
    "Box",
    "Graph",
    "HamiltonProblem",
    "Limits",
    "Tour",
    "TourFault",
    "Wrapped",
    "best",
    "graph_of",
    "read_graph",
    "run",
    "solve",
    "verify",
]

# In a checkout, models/ and compare/ lie beside this folder; installed, they lie inside it.
_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "models" / "__init__.py").is_file() and (_checkout / "pyproject.toml").is_file():
    __path__.append(str(_checkout))

_HOMES = {
    "Answer": "core.answer",
    "BackendFault": "core.errors",
    "BadInput": "core.errors",
    "Board": "spaces.board",
    "Box": "spaces.box",
    "Graph": "core.graph",
    "HamiltonProblem": "core.problem",
    "Limits": "core.answer",
    "Tour": "core.tour",
    "TourFault": "core.errors",
    "Wrapped": "spaces.wrapped",
    "best": "backends.best",
    "graph_of": "formats.spaces",
    "read_graph": "formats.graph_files",
    "run": "backends.runner",
    "solve": "backends.runner",
    "verify": "core.tour",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are used, so that ``cpsat-tour --help`` does not wait for NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cpsat_tour' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"cpsat_tour.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, "__version__"]
