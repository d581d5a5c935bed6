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

`solve` finds one tour, `tours` lists them, `count` counts them and `estimate` estimates their number; `best` finds the
best, `puzzle` makes a puzzle, `decompose` makes all moves in disjoint tours. `prove` proves that there is none, `check`
checks such a proof, and `compare_backends` times backends side by side. `export` and `decode` go to another solver and
back; `draw` draws. They take a `Board`, a `Box`, a `Wrapped` board, a `Graph`, a graph of networkx, or text.
`hamiltonian_cycle` and `hamiltonian_path` give the nodes of a graph in order, `longest_path` and `longest_cycle` the
longest there are, and `fewest_paths` says how many paths it takes; `filter_graphs` answers a stream of graphs. Each has
its ``help()``.
"""

from __future__ import annotations

import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:  # a Ctrl-C is not handled yet when the command imports this: as little as possible is loaded here
    from typing import Any

    from cpsat_tour.backends.api import count as count, estimate as estimate, tours as tours
    from cpsat_tour.backends.best import (
        Best as Best,
        BestRoutes as BestRoutes,
        best as best,
        fewest_paths as fewest_paths,
        longest_cycle as longest_cycle,
        longest_path as longest_path,
    )
    from cpsat_tour.backends.decompose import Decomposition as Decomposition, decompose as decompose
    from cpsat_tour.backends.export import export as export
    from cpsat_tour.backends.graph_stream import filter_graphs as filter_graphs
    from cpsat_tour.backends.puzzles import Puzzle as Puzzle, puzzle as puzzle
    from cpsat_tour.backends.registry import load as load
    from cpsat_tour.backends.runner import (
        hamiltonian_cycle as hamiltonian_cycle,
        hamiltonian_path as hamiltonian_path,
        run as run,
        solve as solve,
    )
    from cpsat_tour.compare.report import Comparison as Comparison, compare_backends as compare_backends
    from cpsat_tour.core.errors import (
        BackendFault as BackendFault,
        BadInput as BadInput,
        StoppedEarly as StoppedEarly,
        TourFault as TourFault,
        __version__ as __version__,
    )
    from cpsat_tour.core.graph import Graph as Graph
    from cpsat_tour.core.limits import Limits as Limits
    from cpsat_tour.core.problem import Problem as Problem
    from cpsat_tour.core.verify import verify as verify
    from cpsat_tour.counting.estimate import Estimate as Estimate
    from cpsat_tour.formats.formula import NotATour as NotATour
    from cpsat_tour.formats.graph_files import read_graph as read_graph
    from cpsat_tour.formats.tour_files import load_puzzle as load_puzzle
    from cpsat_tour.formats.typed import graph_of as graph_of
    from cpsat_tour.interface.answer import Answer as Answer
    from cpsat_tour.interface.decoding import decode as decode
    from cpsat_tour.interface.draw import draw as draw
    from cpsat_tour.interface.keywords import problem_of as problem_of
    from cpsat_tour.interface.routes import Routes as Routes
    from cpsat_tour.interface.tour import Tour as Tour
    from cpsat_tour.proofs.check.folder import Verdict as Verdict
    from cpsat_tour.proofs.write.api import NotProved as NotProved, check as check, prove as prove
    from cpsat_tour.proofs.write.certificate import Certificate as Certificate
    from cpsat_tour.spaces.board import Board as Board, Box as Box
    from cpsat_tour.spaces.wrapped import Wrapped as Wrapped

# In a checkout, models/ and compare/ lie beside this folder; installed, they lie inside it.
_checkout = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
if all(os.path.isfile(os.path.join(_checkout, *file)) for file in (("models", "__init__.py"), ("pyproject.toml",))):
    __path__.append(_checkout)

_NAMES = {
    "backends.api": "count estimate tours",
    "backends.best": "Best BestRoutes best fewest_paths longest_cycle longest_path",
    "backends.decompose": "Decomposition decompose",
    "backends.export": "export",
    "backends.graph_stream": "filter_graphs",
    "backends.puzzles": "Puzzle puzzle",
    "backends.registry": "load",
    "backends.runner": "hamiltonian_cycle hamiltonian_path run solve",
    "compare.report": "Comparison compare_backends",
    "core.errors": "BackendFault BadInput StoppedEarly TourFault __version__",
    "core.graph": "Graph",
    "core.limits": "Limits",
    "core.problem": "Problem",
    "core.verify": "verify",
    "counting.estimate": "Estimate",
    "formats.formula": "NotATour",
    "formats.graph_files": "read_graph",
    "formats.tour_files": "load_puzzle",
    "formats.typed": "graph_of",
    "interface.answer": "Answer",
    "interface.decoding": "decode",
    "interface.draw": "draw",
    "interface.keywords": "problem_of",
    "interface.routes": "Routes",
    "interface.tour": "Tour",
    "proofs.check.folder": "Verdict",
    "proofs.write.api": "NotProved check prove",
    "proofs.write.certificate": "Certificate",
    "spaces.board": "Board Box",
    "spaces.wrapped": "Wrapped",
}
_HOMES: dict[str, str] = {}
for _home, _names in _NAMES.items():
    _HOMES |= dict.fromkeys(_names.split(), _home)
__all__ = [name for name in _HOMES if name != "__version__"]


def __getattr__(name: str) -> Any:
    """Import the public names when they are used, so that ``cpsat-tour --help`` does not wait for NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cpsat_tour' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"cpsat_tour.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*_HOMES]
