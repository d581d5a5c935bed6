"""cpsat-tour: the knight's tour as a suite of formulations, solvers, proofs and comparisons.

>>> from cpsat_tour import Board, count, prove, solve, tours
>>> len(solve(Board(8, 8), closed=True, backend="sat").tour)
64
>>> count("6x6", closed=True)
9862
>>> print(next(tours("3x4")))
d2 b3 a1 c2 a3 b1 c3 a2 c1 d3 b2 d1
>>> prove("4x6", closed=True)
<Certificate: no closed tour of the 4x6 board, lp, 1 step>

`solve` finds one tour, `tours` lists them, `count` counts them, `prove` proves that there is none, `check` checks such a proof, and
`compare` times backends side by side. `Board`, `Box`, `Wrapped` and `Graph` are what they are asked about; `read_graph` reads a graph from a
file. Each has its ``help()``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpsat_tour.core.version import __version__ as __version__

if TYPE_CHECKING:
    from cpsat_tour.backends.asking import count, tours
    from cpsat_tour.backends.best import Best, best
    from cpsat_tour.backends.runner import run, solve
    from cpsat_tour.compare.side_by_side import Comparison, compare
    from cpsat_tour.core.answer import Answer, Limits
    from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
    from cpsat_tour.core.graph import Graph
    from cpsat_tour.core.problem import HamiltonProblem
    from cpsat_tour.core.tour import Tour, verify
    from cpsat_tour.formats.graph_files import read_graph
    from cpsat_tour.formats.spaces import graph_of
    from cpsat_tour.proofs.check.folder import Verdict
    from cpsat_tour.proofs.write.asking import check, prove
    from cpsat_tour.proofs.write.certificate import Certificate
    from cpsat_tour.spaces.board import Board
    from cpsat_tour.spaces.box import Box
    from cpsat_tour.spaces.wrapped import Wrapped

__all__ = [
    "Answer",
    "BackendFault",
    "BadInput",
    "Best",
    "Board",
    "Box",
    "Certificate",
    "Comparison",
    "Graph",
    "HamiltonProblem",
    "Limits",
    "StoppedEarly",
    "Tour",
    "TourFault",
    "Verdict",
    "Wrapped",
    "best",
    "check",
    "compare",
    "count",
    "graph_of",
    "prove",
    "read_graph",
    "run",
    "solve",
    "tours",
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
    "Best": "backends.best",
    "Board": "spaces.board",
    "Box": "spaces.box",
    "Certificate": "proofs.write.certificate",
    "Comparison": "compare.side_by_side",
    "Graph": "core.graph",
    "HamiltonProblem": "core.problem",
    "Limits": "core.answer",
    "StoppedEarly": "core.errors",
    "Tour": "core.tour",
    "TourFault": "core.errors",
    "Verdict": "proofs.check.folder",
    "Wrapped": "spaces.wrapped",
    "best": "backends.best",
    "check": "proofs.write.asking",
    "compare": "compare",
    "count": "backends.asking",
    "graph_of": "formats.spaces",
    "prove": "proofs.write.asking",
    "read_graph": "formats.graph_files",
    "run": "backends.runner",
    "solve": "backends.runner",
    "tours": "backends.asking",
    "verify": "core.tour",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are used, so that ``cpsat-tour --help`` does not wait for NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cpsat_tour' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"cpsat_tour.{_HOMES[name]}")
    return module if _HOMES[name] == name else getattr(module, name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, "__version__"]
